//! The uniform grid of the textbooks, sorted by cell: the usual choice.
//!
//! Cells are as large as the largest disc, so that two discs that overlap are in the same cell or
//! in adjacent ones. Ids are sorted by cell (Green, "Particle Simulation using CUDA", 2010;
//! Teschner et al., "Optimized Spatial Hashing for Collision Detection of Deformable Objects",
//! 2003, for the idea). The discs themselves are not reordered, and no SIMD is used.
//!
//! ```text
//! starts [ 0 | 0 | 3 | 5 | …         first item of each cell, row by row
//! items  [ 17 . 4 . 90 | 2 . 55 | …  ids in cell 1, in cell 2, …
//! ```
//!
//! Nothing simple is faster where all discs have one size. With different sizes, a single giant
//! makes all cells as large as itself.

use std::ops::RangeInclusive;

use glam::Vec2;

use super::{
    discs::DiscsById,
    spatial_index::{IndexKind, PairVisitor, SpatialIndex},
};
use crate::{
    error::Result,
    geometry::{Rect, cells::CellLayout},
};

/// Cells are larger than the largest disc by this factor, so that rounding does not put two discs
/// that overlap two cells apart.
const MARGIN: f32 = 1.01;

/// The sorted uniform grid; see the [module](self).
pub(super) struct SortedGrid {
    world: Rect,
    /// Cells for which memory is allocated. A world with more gets larger cells.
    cells_max: usize,
    layout: CellLayout,
    starts: Vec<u32>,
    items: Vec<u32>,
    /// The cell of each id.
    cells: Vec<u32>,
}

impl SortedGrid {
    pub(super) const KIND: IndexKind = IndexKind {
        name: "sorted-grid",
        summary: "the textbook's uniform grid, sorted by cell",
        build: |config| {
            let (capacity, cells_max) = (config.grid.capacity, 4 * config.grid.capacity + 16);
            let mut starts = Vec::with_capacity(cells_max + 2);
            starts.extend([0, 0]);
            Ok(Box::new(Self {
                world: config.grid.bounds,
                cells_max,
                layout: CellLayout::new(&config.grid.bounds, config.grid.bounds.size()),
                starts,
                items: Vec::with_capacity(capacity),
                cells: vec![0; capacity],
            }))
        },
    };

    /// Chooses the cells for the largest of the living discs.
    fn lay_out(&mut self, discs: &DiscsById<'_>) {
        let size = self.world.size();
        let affordable = (size.x * size.y / self.cells_max as f32).sqrt() * 1.5;
        let longest = size.max_element() / (self.cells_max as f32 / 4.0);
        let largest = discs.living().map(|id| discs.radius(id)).fold(0.0, f32::max);
        let side = (2.0 * largest * MARGIN).max(affordable).max(longest);
        self.layout = CellLayout::new(&self.world, Vec2::splat(side));
    }

    fn items(&self, cols: RangeInclusive<u32>, row: u32) -> &[u32] {
        let [first, last] = [cols.start(), cols.end()].map(|&col| self.layout.index([col, row]));
        &self.items[self.starts[first] as usize..self.starts[last + 1] as usize]
    }
}

impl SpatialIndex for SortedGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.lay_out(discs);
        self.starts.clear();
        self.starts.resize(self.layout.len() + 1, 0);
        for id in discs.living() {
            let cell = self.layout.index(self.layout.cell(discs.center(id)));
            self.cells[id as usize] = cell as u32;
            self.starts[cell] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.items.clear();
        self.items.resize(end as usize, 0);
        // Backwards, so that ids ascend in a cell and each start ends up at the first item of its
        // cell.
        for id in (0..discs.len() as u32).rev().filter(|&id| discs.alive[id as usize]) {
            let start = &mut self.starts[self.cells[id as usize] as usize];
            *start -= 1;
            self.items[*start as usize] = id;
        }
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        let mut test = |a: u32, others: &[u32]| {
            for &b in others {
                if discs.overlap(a, b) {
                    visit(a, b);
                }
            }
        };
        let [cols, rows] = [self.layout.cols(), self.layout.rows()];
        for row in 0..rows {
            for col in 0..cols {
                let own = self.items(col..=col, row);
                if own.is_empty() {
                    continue;
                }
                // Half of the neighbors, so that each pair is found once: the next cell and the row
                // above.
                let right = (col + 1).min(cols - 1);
                let beside = if right > col { self.items(right..=right, row) } else { &[] };
                let above = if row + 1 < rows {
                    self.items(col.saturating_sub(1)..=right, row + 1)
                } else {
                    &[]
                };
                for (i, &a) in own.iter().enumerate() {
                    test(a, &own[i + 1..]);
                    test(a, beside);
                    test(a, above);
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        (self.starts.capacity() + self.items.capacity() + self.cells.capacity()) * size_of::<u32>()
    }
}
