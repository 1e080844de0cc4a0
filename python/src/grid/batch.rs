//! Batches: many searches at once, on all threads.
//!
//! Searches that are neighbors in the world read the same cells. So they are sorted by cells first:
//!
//! ```text
//! searches, as the caller gave them  ─► order, row by row of cells ─► pieces, in parallel
//!                                    ◄─ results in the order of the caller
//! ```

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use jostle::Vec2;
use rayon::prelude::*;

use super::{
    index::{Index, in_pool},
    memory::{Failure, Result, budget, check_budget, collected, with_capacity, zeroed},
    search::Found,
};

/// Searches that are worked on together.
const PIECE: usize = 1_024;

/// More searches than this are sorted.
const SORTED: usize = 64;

/// Bytes of a result in a list: as it is found, in a vector that has doubled, and as it is returned.
const BYTES_LISTED: usize = 2 * size_of::<u32>() + size_of::<i64>();

/// Bytes of a point that is found, and of its distance and index as they are returned.
const BYTES_FOUND: usize = size_of::<Found>() + size_of::<f64>() + size_of::<i64>();

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

/// Tells work to end early, since its results are no longer wanted.
#[derive(Default)]
pub(super) struct Stop(AtomicBool);

impl Stop {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// # Errors
    /// If the work is to end.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(()) }
    }
}

/// The result of each piece of work, on all threads of the pool that the caller is in.
///
/// # Errors
/// With an error of a piece, if it is stopped, or there is not enough memory.
pub(super) fn each<P: Sync, T: Default + Send>(
    pieces: &[P],
    stop: &Stop,
    work: impl Fn(&P) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut results = with_capacity(pieces.len())?;
    results.resize_with(pieces.len(), T::default);
    let one = |(result, piece): (&mut T, &P)| -> Result<()> {
        stop.check()?;
        *result = work(piece)?;
        Ok(())
    };
    if in_pool() {
        results.par_iter_mut().zip(pieces).try_for_each(one)?;
    } else {
        results.iter_mut().zip(pieces).try_for_each(one)?;
    }
    Ok(results)
}

impl Index {
    /// The order in which searches that begin at some points are worked on.
    ///
    /// # Errors
    /// If there is not enough memory, as in all functions here.
    pub(super) fn order(&self, count: usize, at: impl Fn(usize) -> [f64; 2]) -> Result<Vec<u32>> {
        if count <= SORTED {
            return collected(0..count as u32);
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
        let keys = collected((0..count).map(|search| key(at(search))))?;
        let mut places = zeroed::<u32>((cells.x * cells.y) as usize + 2)?;
        for &key in &keys {
            places[key as usize + 1] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        let mut order = zeroed(count)?;
        for (search, &key) in (0..).zip(&keys) {
            let place = &mut places[key as usize];
            order[*place as usize] = search;
            *place += 1;
        }
        Ok(order)
    }

    /// The results of searches that each append a list.
    ///
    /// # Errors
    /// If there is not enough memory for the results, or the work is stopped.
    pub(super) fn lists<Q>(
        &self,
        order: &[u32],
        stop: &Stop,
        get: impl Fn(usize) -> Q + Sync,
        search: impl Fn(Q, &mut Vec<u32>) -> Result<()> + Sync,
    ) -> Result<Lists> {
        // Found by each piece, with the end of each list.
        let most = order.len().saturating_mul(self.len());
        let budget = budget(most.saturating_mul(BYTES_LISTED));
        let total = AtomicUsize::new(0);
        let work = |order: &&[u32]| {
            let (mut found, mut ends) = (Vec::with_capacity(4 * order.len()), Vec::new());
            ends.reserve_exact(order.len());
            for one in gathered(order, &get) {
                let start = found.len();
                search(one, &mut found)?;
                ends.push(found.len());
                let more = found.len() - start;
                let bytes = (total.fetch_add(more, Ordering::Relaxed) + more) * BYTES_LISTED;
                if bytes > budget {
                    return Err(Failure::Memory(bytes));
                }
            }
            Ok((found, ends))
        };
        let found: Vec<(Vec<u32>, Vec<usize>)> =
            each(&collected(order.chunks(PIECE))?, stop, work)?;
        let mut offsets = zeroed::<i64>(order.len() + 1)?;
        // Where the list of each search is: the piece, and its first entry there.
        let mut starts = zeroed::<[usize; 2]>(order.len())?;
        for (piece, (order, (_, ends))) in order.chunks(PIECE).zip(&found).enumerate() {
            let mut start = 0;
            for (&at, &end) in order.iter().zip(ends) {
                starts[at as usize] = [piece, start];
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
        let fill = |first: usize, lists: &[[usize; 2]], indices: &mut [i64]| {
            let mut at = 0;
            for (search, &[piece, start]) in (first..).zip(lists) {
                let len = (offsets[search + 1] - offsets[search]) as usize;
                let list = &found[piece].0[start..start + len];
                for (index, &id) in indices[at..at + len].iter_mut().zip(list) {
                    *index = i64::from(id);
                }
                at += len;
            }
        };
        let mut parts = with_capacity(order.len().div_ceil(PIECE))?;
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
    /// If there is not enough memory for the results, or the work is stopped.
    pub(super) fn found<Q>(
        &self,
        order: &[u32],
        count: usize,
        stop: &Stop,
        get: impl Fn(usize) -> Q + Sync,
        search: impl Fn(Q, &mut Vec<Found>) -> Result<()> + Sync,
    ) -> Result<(Vec<f64>, Vec<i64>)> {
        let total = order.len().saturating_mul(count);
        check_budget(total.saturating_mul(BYTES_FOUND))?;
        let (mut distances, mut indices) = (zeroed::<f64>(total)?, zeroed::<i64>(total)?);
        let missing = Found { distance: f64::INFINITY, id: self.len() as u32 };
        let work = |order: &&[u32]| {
            let (mut one, mut all) = (Vec::new(), with_capacity(order.len() * count)?);
            for query in gathered(order, &get) {
                search(query, &mut one)?;
                all.extend_from_slice(&one);
                all.extend(std::iter::repeat_n(missing, count - one.len()));
            }
            Ok(all)
        };
        let found: Vec<Vec<Found>> = each(&collected(order.chunks(PIECE))?, stop, work)?;
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
