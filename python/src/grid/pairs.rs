//! Pairs: all pairs of discs with a gap of at most a distance.
//!
//! The search takes the discs of the index, enlarged by half of the distance. They stay near their
//! cells if these are large enough. Otherwise the points are sorted once more, into larger cells.

use std::sync::atomic::{AtomicUsize, Ordering};

use jostle::{Rect, SortedPairs, Vec2, grid::DiscColumns};
use rayon::prelude::*;

use super::{
    batch::{Stop, each},
    index::{ENLARGED, Index, RADII_PER_CELL, enlarged, error_of, in_pool},
    memory::{Failure, Result, budget, collected, reserve, with_capacity},
};

/// Pairs that are worked on together.
const PIECE: usize = 8_192;

/// Points of which the neighbors are counted.
const SAMPLE: usize = 64;

/// Points whose neighbors are counted together.
const RUN: usize = 8;

/// Bytes of a pair: in the list with its spare room, in its part, and in the rows.
const BYTES_PER_PAIR: usize = 10 + size_of::<[u32; 2]>() + size_of::<[i64; 2]>();

/// The search for pairs.
#[derive(Default)]
pub(super) struct PairSearch {
    /// The points in larger cells.
    wide: Option<Index>,
    /// The pairs of the index, and of the wider one.
    lists: [Option<SortedPairs>; 2],
    /// The radii of the search.
    radius: Vec<f32>,
}

impl PairSearch {
    /// Forgets the points. Memory of the former pairs serves the next ones if their index has the
    /// same grid.
    pub(super) fn clear(&mut self, same_grid: bool) {
        self.wide = None;
        self.lists[1] = None;
        if !same_grid {
            self.lists[0] = None;
        }
    }

    /// The pairs of indices with a gap of at most `within`, the lower first, in parts. About how many
    /// there are is given.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn find(
        &mut self,
        index: &mut Index,
        within: f64,
        expected: usize,
        stop: &Stop,
    ) -> Result<Vec<Vec<[u32; 2]>>> {
        let Self { wide, lists, radius } = self;
        let all = 4.0 * (index.extent + index.largest);
        let half = 0.5 * within.min(all);
        let error = error_of(index.bounds().max);
        let needed = RADII_PER_CELL * (index.large + error + half) * 1.001;
        let is_wide = needed > index.cell();
        let index = if is_wide {
            // Other cells of former calls would give another order.
            if wide.as_ref().is_none_or(|wide| wide.cell() != f64::from(needed as f32)) {
                *wide = Some(index.with_cells(needed)?);
                lists[1] = None;
            }
            wide.as_mut().expect("it was just built")
        } else {
            index
        };
        let list = &mut lists[usize::from(is_wide)];
        let of = |slot: usize| {
            let error = error_of(Vec2::new(index.x[slot], index.y[slot]));
            enlarged(index.radii.get(slot) + half + error)
        };
        radius.clear();
        reserve(radius, index.len())?;
        radius.extend((0..index.len()).map(of));
        let Index { grid, x, y, within: known, .. } = index;
        let discs = DiscColumns { x, y, radius };
        if *known != half {
            grid.update(&discs)?;
            *known = half;
        }
        if list.is_none() {
            *list = Some(SortedPairs::new(grid, expected + expected / 4)?);
        }
        let list = list.as_mut().expect("it was just created");
        list.find(discs, grid)?;
        let index = &*index;
        let keep = |part: &&[[u32; 2]]| {
            let close = |&&[i, j]: &&[u32; 2]| index.are_within(i as usize, j as usize, within);
            let ids = |&[i, j]: &[u32; 2]| {
                let [a, b] = [index.id[i as usize], index.id[j as usize]];
                [a.min(b), a.max(b)]
            };
            let mut kept = with_capacity(part.len())?;
            kept.extend(part.iter().filter(close).map(ids));
            Ok(kept)
        };
        each(&collected(list.parts().flat_map(|part| part.chunks(PIECE)))?, stop, keep)
    }
}

impl Index {
    /// About how many pairs have a gap of at most `within`, by a sample.
    pub(super) fn expected_pairs(&self, within: f64) -> usize {
        let stride = self.len().div_ceil(SAMPLE).max(1);
        let (mut near, mut count) = (0, 0);
        for slot in (0..self.len()).step_by(stride) {
            self.visit_disc(self.exact[slot], self.radii.get(slot) + within, |_, _| near += 1);
            count += 1;
        }
        (near - count) / 2 * stride
    }

    /// Checks that there is memory for all pairs with a gap of at most `within`.
    ///
    /// # Errors
    /// If there is not, or the work is stopped.
    pub(super) fn check_pairs(&self, within: f64, stop: &Stop) -> Result<()> {
        let of = |count: usize| count.saturating_mul(count) / 2;
        let bytes = |pairs: usize| pairs.saturating_mul(BYTES_PER_PAIR);
        let most = bytes(of(self.len()));
        let budget = budget(most);
        if most <= budget || bytes(self.most_pairs(within)) <= budget {
            return Ok(());
        }
        let total = AtomicUsize::new(0);
        let count = |slot: usize| {
            stop.check()?;
            let (mut near, mut middle) = (0, 0_usize);
            self.visit_disc(self.exact[slot], self.radii.get(slot) + within, |_, square| {
                near += 1;
                middle += usize::from(square <= 0.25 * within * within);
            });
            // Each pair is counted twice. Those in the middle are near each other, too.
            let all = total.fetch_add(near - 1, Ordering::Relaxed) / 2;
            let found = bytes(all.max(of(middle - 1)));
            if found > budget { Err(Failure::Memory(found)) } else { Ok(()) }
        };
        if in_pool() {
            (0..self.len()).into_par_iter().try_for_each(count)
        } else {
            (0..self.len()).try_for_each(count)
        }
    }

    /// A number of pairs with a gap of at most `within` that there are at most, by the cells alone.
    fn most_pairs(&self, within: f64) -> usize {
        let reach = (2.0 * self.largest + within) * ENLARGED;
        let around = |run: &[[f64; 2]]| {
            let corner = |pick: fn(f64, f64) -> f64, by: f64| {
                let [x, y] =
                    run[1..].iter().fold(run[0], |[x0, y0], &[x, y]| [pick(x0, x), pick(y0, y)]);
                self.shifted([x + by, y + by])
            };
            let (low, high) = (corner(f64::min, -reach), corner(f64::max, reach));
            let error = error_of(low.abs().max(high.abs())) as f32;
            let mut near = 0;
            self.grid.visit_center_slots(&Rect::new(low - error, high + error), |slots| {
                near += slots.len();
            });
            near * run.len()
        };
        self.exact.chunks(RUN).map(around).fold(0, usize::saturating_add) / 2
    }

    /// True if the gap between two discs is at most `within`.
    #[inline(always)]
    fn are_within(&self, i: usize, j: usize, within: f64) -> bool {
        let ([xi, yi], [xj, yj]) = (self.exact[i], self.exact[j]);
        let (dx, dy) = (xj - xi, yj - yi);
        let reach = self.radii.get(i) + self.radii.get(j) + within;
        dx * dx + dy * dy <= reach * reach
    }
}

/// Copies the pairs of all parts into rows of two numbers.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn flatten(parts: &[Vec<[u32; 2]>], mut rows: &mut [i64]) -> Result<()> {
    let mut places = with_capacity(parts.len())?;
    for part in parts {
        let (place, others) = rows.split_at_mut(2 * part.len());
        places.push((part, place));
        rows = others;
    }
    let copy = |(part, place): (&Vec<[u32; 2]>, &mut [i64])| {
        for (row, &[a, b]) in place.chunks_exact_mut(2).zip(part) {
            (row[0], row[1]) = (i64::from(a), i64::from(b));
        }
    };
    if in_pool() {
        places.into_par_iter().for_each(copy);
    } else {
        places.into_iter().for_each(copy);
    }
    Ok(())
}
