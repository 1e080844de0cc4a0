//! Pairs: all pairs of discs with a gap of at most a distance.
//!
//! The search takes the discs of the index, enlarged by half of the distance. They stay near their
//! cells if these are large enough. Otherwise the points are sorted once more, into larger cells.

use jostle::{Result, SortedPairs, Vec2, grid::DiscColumns};
use rayon::prelude::*;

use super::index::{Index, RADII_PER_CELL, enlarged, error_of, in_pool};

/// Pairs that are worked on together.
const PIECE: usize = 8_192;

/// Points of which the neighbors are counted.
const SAMPLE: usize = 64;

/// Cells may be larger than a search needs by this factor before smaller ones are built.
const TOO_LARGE: f64 = 2.0;

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
    ) -> Result<Vec<Vec<[u32; 2]>>> {
        let Self { wide, lists, radius } = self;
        let all = 4.0 * (index.extent + index.largest);
        let half = 0.5 * within.min(all);
        let error = error_of(index.bounds().max);
        let needed = RADII_PER_CELL * (index.large + error + half) * 1.001;
        let is_wide = needed > index.cell();
        let index = if is_wide {
            if wide
                .as_ref()
                .is_none_or(|wide| needed > wide.cell() || needed * TOO_LARGE < wide.cell())
            {
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
        let keep = |part: &[[u32; 2]]| -> Vec<[u32; 2]> {
            let close = |&&[i, j]: &&[u32; 2]| index.are_within(i as usize, j as usize, within);
            let ids = |&[i, j]: &[u32; 2]| {
                let [a, b] = [index.id[i as usize], index.id[j as usize]];
                [a.min(b), a.max(b)]
            };
            part.iter().filter(close).map(ids).collect()
        };
        let parts: Vec<&[[u32; 2]]> = list.parts().flat_map(|part| part.chunks(PIECE)).collect();
        Ok(if in_pool() {
            parts.into_par_iter().map(keep).collect()
        } else {
            parts.into_iter().map(keep).collect()
        })
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
pub(super) fn flatten(parts: &[Vec<[u32; 2]>], mut rows: &mut [i64]) {
    let mut places = Vec::with_capacity(parts.len());
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
}
