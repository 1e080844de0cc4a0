//! The loose/tight double grid (skeleton: the real one replaces it).

use std::ops::Range;

use glam::Vec2;

use crate::{error::Result, rect::Rect};

/// Shape of a grid.
#[derive(Clone, Debug)]
pub struct GridConfig {
    /// The world's borders.
    pub bounds: Rect,
    /// Width and height of a loose cell.
    pub loose_size: Vec2,
    /// Width and height of a tight cell.
    pub tight_size: Vec2,
    /// Elements that it has room for.
    pub capacity: usize,
}

/// The grid.
#[derive(Debug)]
pub struct LooseTightGrid {
    config: GridConfig,
    cols: usize,
    rows: usize,
    starts: Vec<u32>,
    order: Vec<u32>,
    narrow: f32,
}

impl LooseTightGrid {
    /// An empty grid.
    pub fn new(config: GridConfig) -> Result<Self> {
        let size = config.bounds.size();
        let cols = (size.x / config.loose_size.x).ceil() as usize;
        let rows = (size.y / config.loose_size.y).ceil() as usize;
        let narrow = config.loose_size.min_element() * crate::limits::NARROW;
        Ok(Self { cols, rows, starts: vec![0; cols * rows + 1], order: Vec::new(), narrow, config })
    }

    /// Skeleton of the bulk rebuild.
    pub fn rebuild(&mut self, x: &[f32], y: &[f32], _radius: &[f32]) {
        let cell = |i: usize| {
            let (c, r) = (self.col(x[i]), self.row(y[i]));
            r * self.cols + c
        };
        let mut keyed: Vec<(usize, u32)> = (0..x.len()).map(|i| (cell(i), i as u32)).collect();
        keyed.sort_unstable();
        self.starts.fill(0);
        for (cell, _) in &keyed {
            self.starts[cell + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.order = keyed.into_iter().map(|(_, i)| i).collect();
    }

    /// Element at each place of the cell order: gather your columns by it.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The caller's data now lies in cell order.
    pub fn adopt_order(&mut self) {}

    /// Largest radius of a narrow element: one that touches another narrow one only in adjacent cells,
    /// and whose disc ends less than half a cell outside of its own.
    pub fn narrow_radius(&self) -> f32 {
        self.narrow
    }

    /// Rows whose narrow elements may reach into `y0..=y1`.
    pub fn rows_reaching(&self, y0: f32, y1: f32) -> Range<usize> {
        self.row(y0 - self.narrow)..self.row(y1 + self.narrow) + 1
    }

    /// Slots, in cell order, of the elements of `row` that may reach into `x0..=x1` (narrow ones; wide
    /// ones are among them, skip them by [`Self::narrow_radius`]). Only after `adopt_order`.
    pub fn row_slots(&self, row: usize, x0: f32, x1: f32) -> Range<usize> {
        let first = row * self.cols + self.col(x0 - self.narrow);
        let last = row * self.cols + self.col(x1 + self.narrow);
        self.starts[first] as usize..self.starts[last + 1] as usize
    }

    /// Slots of the wide elements, ascending. Only after `adopt_order`.
    pub fn wide_slots(&self) -> &[u32] {
        &[]
    }

    /// Columns and rows of loose cells.
    pub fn loose_cells(&self) -> [u32; 2] {
        [self.cols as u32, self.rows as u32]
    }

    /// Columns and rows of tight cells.
    pub fn tight_cells(&self) -> [u32; 2] {
        [1, 1]
    }

    /// Shape as it was asked for.
    pub fn config(&self) -> &GridConfig {
        &self.config
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        (self.starts.len() + self.order.len()) * 4
    }

    fn col(&self, x: f32) -> usize {
        (((x - self.config.bounds.min.x) / self.config.loose_size.x) as usize).min(self.cols - 1)
    }

    fn row(&self, y: f32) -> usize {
        (((y - self.config.bounds.min.y) / self.config.loose_size.y) as usize).min(self.rows - 1)
    }
}
