//! Batches: many searches at once, on all threads.
//!
//! Searches that are neighbors in the world read the same cells. So they are sorted by cells first:
//!
//! ```text
//! searches, as the caller gave them  ─► order, row by row of cells ─► pieces, in parallel
//!                                    ◄─ results in the order of the caller
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use jostle::Vec2;
use rayon::prelude::*;

use super::{
    index::{Index, in_pool},
    memory::{Refused, check_budget, remaining_budget, zeroed},
    search::Found,
};

/// Searches that are worked on together.
const PIECE: usize = 1_024;

/// More searches than this are sorted.
const SORTED: usize = 64;

/// The results of many searches, one after the other: those of search i are
/// `indices[offsets[i]..offsets[i + 1]]`.
pub(super) struct Lists {
    pub(super) indices: Vec<i64>,
    pub(super) offsets: Vec<i64>,
}

/// The searches of a piece, side by side: the processor reads many of them at the same time, where it
/// would wait for each one in turn.
fn gathered<Q>(order: &[u32], get: impl Fn(usize) -> Q) -> Vec<Q> {
    order.iter().map(|&at| get(at as usize)).collect()
}

impl Index {
    /// The order in which searches that begin at some points are worked on.
    pub(super) fn order(&self, count: usize, at: impl Fn(usize) -> [f64; 2]) -> Vec<u32> {
        if count <= SORTED {
            return (0..count as u32).collect();
        }
        let (bounds, size) = (self.bounds(), self.bounds().size());
        // Cells of the grid, or larger ones if these are more than the searches.
        let side =
            self.cell().max(f64::from((size.x * size.y).sqrt()) / (count as f64).sqrt()) as f32;
        let cells = (size / side).floor() + Vec2::ONE;
        let key = |point: [f64; 2]| {
            let cell = (self.shifted(point) - bounds.min) / side;
            let cell = cell.clamp(Vec2::ZERO, cells - Vec2::ONE).floor();
            (cell.y * cells.x + cell.x) as u32
        };
        let keys: Vec<u32> = (0..count).map(|search| key(at(search))).collect();
        let mut places = vec![0_u32; (cells.x * cells.y) as usize + 2];
        for &key in &keys {
            places[key as usize + 1] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        let mut order = vec![0; count];
        for (search, &key) in (0..).zip(&keys) {
            let place = &mut places[key as usize];
            order[*place as usize] = search;
            *place += 1;
        }
        order
    }

    /// The results of searches that each append a list.
    ///
    /// # Errors
    /// If there is not enough memory for the results.
    pub(super) fn lists<Q>(
        &self,
        order: &[u32],
        get: impl Fn(usize) -> Q + Sync,
        search: impl Fn(Q, &mut Vec<u32>) + Sync,
    ) -> Result<Lists, Refused> {
        // Found by each piece, with the end of each list.
        let budget = remaining_budget(order.len().saturating_mul(self.len()));
        let total = AtomicUsize::new(0);
        let work = |order: &[u32]| {
            let (mut found, mut ends) = (Vec::with_capacity(4 * order.len()), Vec::new());
            ends.reserve_exact(order.len());
            for one in gathered(order, &get) {
                let start = found.len();
                search(one, &mut found);
                ends.push(found.len());
                let more = found.len() - start;
                let results = total.fetch_add(more, Ordering::Relaxed) + more;
                if results > budget {
                    return Err(Refused::results(results));
                }
            }
            Ok((found, ends))
        };
        let found: Vec<(Vec<u32>, Vec<usize>)> = if in_pool() {
            order.par_chunks(PIECE).map(work).collect::<Result<_, _>>()?
        } else {
            order.chunks(PIECE).map(work).collect::<Result<_, _>>()?
        };
        let mut offsets = zeroed::<i64>(order.len() + 1)?;
        // Where the list of each search is: the piece, and its first entry there.
        let mut starts = zeroed::<[u32; 2]>(order.len())?;
        for (piece, (order, (_, ends))) in order.chunks(PIECE).zip(&found).enumerate() {
            let mut start = 0;
            for (&at, &end) in order.iter().zip(ends) {
                starts[at as usize] = [piece as u32, start as u32];
                offsets[at as usize + 1] = (end - start) as i64;
                start = end;
            }
        }
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        let mut indices = zeroed::<i64>(sum as usize)?;
        let fill = |first: usize, lists: &[[u32; 2]], indices: &mut [i64]| {
            let mut at = 0;
            for (search, &[piece, start]) in (first..).zip(lists) {
                let len = (offsets[search + 1] - offsets[search]) as usize;
                let list = &found[piece as usize].0[start as usize..start as usize + len];
                for (index, &id) in indices[at..at + len].iter_mut().zip(list) {
                    *index = i64::from(id);
                }
                at += len;
            }
        };
        let mut parts = Vec::with_capacity(order.len() / PIECE + 1);
        let mut rest = &mut indices[..];
        for (piece, lists) in starts.chunks(PIECE).enumerate() {
            let first = piece * PIECE;
            let len = (offsets[first + lists.len()] - offsets[first]) as usize;
            let (part, others) = rest.split_at_mut(len);
            parts.push((first, lists, part));
            rest = others;
        }
        if in_pool() {
            parts.into_par_iter().for_each(|(first, lists, part)| fill(first, lists, part));
        } else {
            for (first, lists, part) in parts {
                fill(first, lists, part);
            }
        }
        Ok(Lists { indices, offsets })
    }

    /// The distances and indices of searches that each find up to `count` points: infinity and the
    /// number of points where there are fewer.
    ///
    /// # Errors
    /// If there is not enough memory for the results.
    pub(super) fn found<Q>(
        &self,
        order: &[u32],
        count: usize,
        get: impl Fn(usize) -> Q + Sync,
        search: impl Fn(Q, &mut Vec<Found>) + Sync,
    ) -> Result<(Vec<f64>, Vec<i64>), Refused> {
        let total = order.len().saturating_mul(count);
        check_budget(total.saturating_mul(2))?;
        let (mut distances, mut indices) = (zeroed::<f64>(total)?, zeroed::<i64>(total)?);
        let missing = Found { distance: f64::INFINITY, id: self.len() as u32 };
        let work = |order: &[u32]| {
            let (mut one, mut all) = (Vec::new(), Vec::with_capacity(order.len() * count));
            for query in gathered(order, &get) {
                search(query, &mut one);
                all.extend_from_slice(&one);
                all.extend(std::iter::repeat_n(missing, count - one.len()));
            }
            all
        };
        let found: Vec<Vec<Found>> = if in_pool() {
            order.par_chunks(PIECE).map(work).collect()
        } else {
            order.chunks(PIECE).map(work).collect()
        };
        let results = found.iter().flat_map(|piece| piece.chunks(count.max(1)));
        for (&at, result) in order.iter().zip(results) {
            let at = at as usize * count;
            for (offset, found) in result.iter().enumerate() {
                distances[at + offset] = found.distance;
                indices[at + offset] = i64::from(found.id);
            }
        }
        Ok((distances, indices))
    }
}
