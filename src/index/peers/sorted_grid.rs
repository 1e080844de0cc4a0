//! The textbook's uniform grid, sorted: what most people would write.
//!
//! Cells are as large as the largest disc, so that who overlaps is in the same cell or in one beside it.
//! Ids are sorted by cell (Green, "Particle Simulation using CUDA", 2010; Teschner et al., "Optimized
//! Spatial Hashing for Collision Detection of Deformable Objects", 2003, for the idea). Nothing is
//! reordered and nothing is done with wider registers.
//!
//! ```text
//! starts [ 0 | 0 | 3 | 5 | …         first item of each cell, row by row
//! items  [ 17 . 4 . 90 | 2 . 55 | …  ids in cell 1, in cell 2, …
//! ```
//!
//! It is as good as it gets where all discs are of one size, and hopeless where they are not: one giant
//! makes all cells as large as itself.

use glam::Vec2;

use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex},
};

/// Cells are larger than the largest disc by this, so that rounding puts no two that overlap two cells
/// apart.
const MARGIN: f32 = 1.01;

/// The sorted uniform grid; see the [module](super).
#[derive(Debug)]
pub struct SortedGrid {
    world: Rect,
    /// Cells that room is claimed for; a world with more has larger ones.
    cells_max: usize,
    cols: usize,
    rows: usize,
    /// Cells a world unit.
    scale: f32,
    starts: Vec<u32>,
    items: Vec<u32>,
    /// The cell of each id.
    cells: Vec<u32>,
    radius_max: f32,
}

impl SortedGrid {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "sorted-grid",
        summary: "the textbook's uniform grid, sorted by cell",
        build: |config: &IndexConfig| {
            let (capacity, cells_max) = (config.grid.capacity, 4 * config.grid.capacity + 16);
            Ok(Box::new(Self {
                world: config.grid.bounds,
                cells_max,
                cols: 1,
                rows: 1,
                scale: 0.0,
                starts: {
                    let mut starts = Vec::with_capacity(cells_max + 2);
                    starts.extend([0, 0]);
                    starts
                },
                items: Vec::with_capacity(capacity),
                cells: vec![0; capacity],
                radius_max: 0.0,
            }))
        },
    };

    /// Chooses the cells for the largest of the living.
    fn lay_out(&mut self, discs: &DiscsById<'_>) {
        self.radius_max = discs.living().map(|id| discs.radius(id)).fold(0.0, f32::max);
        let size = self.world.size();
        let affordable = (size.x * size.y / self.cells_max as f32).sqrt() * 1.5;
        let longest = size.max_element() / (self.cells_max as f32 / 4.0);
        let side = (2.0 * self.radius_max * MARGIN).max(affordable).max(longest);
        self.scale = 1.0 / side;
        self.cols = (size.x * self.scale) as usize + 1;
        self.rows = (size.y * self.scale) as usize + 1;
    }

    /// Column and row of a place; of the nearest border cell, if it lies outside.
    #[inline]
    fn place(&self, at: Vec2) -> [usize; 2] {
        let cell = (at - self.world.min) * self.scale;
        [(cell.x as usize).min(self.cols - 1), (cell.y as usize).min(self.rows - 1)]
    }

    fn build(&mut self, discs: &DiscsById<'_>) {
        self.lay_out(discs);
        self.starts.clear();
        self.starts.resize(self.cols * self.rows + 1, 0);
        for id in discs.living() {
            let [col, row] = self.place(discs.center(id));
            let cell = row * self.cols + col;
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
        // Backwards, so that ids ascend in a cell and each start ends up as the first of its cell.
        for id in (0..discs.len() as u32).rev().filter(|&id| discs.alive[id as usize]) {
            let start = &mut self.starts[self.cells[id as usize] as usize];
            *start -= 1;
            self.items[*start as usize] = id;
        }
    }

    fn items(&self, cols: std::ops::RangeInclusive<usize>, row: usize) -> &[u32] {
        let (first, last) = (row * self.cols + cols.start(), row * self.cols + cols.end());
        &self.items[self.starts[first] as usize..self.starts[last + 1] as usize]
    }

    /// Everybody whose centre lies in the rectangle, and some beside it.
    fn search(&self, rect: &Rect, mut visit: impl FnMut(u32)) {
        let reach = Vec2::splat(self.radius_max * MARGIN);
        let [[left, bottom], [right, top]] =
            [self.place(rect.min - reach), self.place(rect.max + reach)];
        for row in bottom..=top {
            self.items(left..=right, row).iter().for_each(|&id| visit(id));
        }
    }
}

impl SpatialIndex for SortedGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.build(discs);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, _: u32) -> Result<()> {
        self.update(discs)
    }

    fn remove(&mut self, discs: &DiscsById<'_>, _: u32) {
        self.build(discs);
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        let mut test = |a: u32, others: &[u32]| {
            for &b in others {
                if discs.overlap(a, b) {
                    visit(a, b);
                }
            }
        };
        for row in 0..self.rows {
            for col in 0..self.cols {
                let own = self.items(col..=col, row);
                if own.is_empty() {
                    continue;
                }
                // Half of the neighbours, so that each pair is met once: the next cell and the row above.
                let right = (col + 1).min(self.cols - 1);
                let beside = if right > col { self.items(right..=right, row) } else { &[] };
                let above = if row + 1 < self.rows {
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

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.search(rect, |id| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        let reach = Vec2::splat(area.radius);
        self.search(&Rect::new(area.center - reach, area.center + reach), |id| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        (self.starts.capacity() + self.items.capacity() + self.cells.capacity()) * 4
    }

    fn growths(&self) -> u64 {
        0
    }

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let living = discs.living().count();
        if self.items.len() != living {
            return Err(format!("{} items for {living} discs", self.items.len()));
        }
        for cell in 0..self.starts.len() - 1 {
            let range = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            for &id in self.items.get(range).ok_or("the starts are out of order")? {
                let [col, row] = self.place(discs.center(id));
                if row * self.cols + col != cell {
                    return Err(format!("the disc {id} is in the cell {cell}, where it is not"));
                }
            }
        }
        Ok(())
    }
}
