//! The cells of the fields of one draw: blocks of loose cells, as far as the frame shows the world.
//!
//! ```text
//!  ┌──┬──┬──┬──┬──┬──┐   one cell: 4 × 4 loose cells, or 8 × 8, 16 × 16, … until it is
//!  │··│··│··│··│··│··│   CELL_PIXELS_MIN wide in the frame
//!  ├──┼──╔══╪══╗──┼──┤
//!  │··│··║frame║··│··│   three more on every side, for smoothing and interpolation
//!  ├──┼──╚══╪══╝──┼──┤
//! ```
//!
//! Columns count from the left border of the world, so that no cell moves when the view does. Where
//! the world repeats, cells beyond its border hold the agents from the opposite side, and the last
//! cell is filled up from there: a field has no seam.

use std::ops::Range;

use glam::Vec2;

use crate::{
    grid::Grid,
    raster::{camera::Camera, view::View},
};

/// Fewest loose cells per side of a cell. In a gas such a cell holds 27 agents, enough for a mean.
const LOOSE_PER_SIDE_MIN: u32 = 4;

/// Loose cells per side of a cell, at most: all of the largest grid.
const LOOSE_PER_SIDE_MAX: u32 = 32_768;

/// Least side of a cell, pixels. A smaller one would show no more, and take more memory.
pub(super) const CELL_PIXELS_MIN: f32 = 5.0;

/// Cells beyond the frame on every side: two for interpolation, which begins half a tone outside,
/// and one for their smoothing. The last tone on the right or below may lie farther outside; it
/// takes its value from the last of these cells.
const MARGIN: i32 = 3;

/// In a world that repeats, cells go on beyond the border along an axis of at least this number of
/// cells.
const WRAPPED_MIN: u32 = 4;

/// Rows of loose cells that are read together. A cell has a multiple of them.
pub(super) const GROUP: usize = LOOSE_PER_SIDE_MIN as usize;

/// Cells that are read together.
pub(super) const CHUNK: usize = 32;

/// Cells per side, and how they lie in the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    /// Loose cells per side of a cell.
    per_side: u32,
    /// Column and row of the first cell, counted from the lower left corner of the world.
    first: [i32; 2],
    /// Columns and rows of loose cells in the world.
    loose: [u32; 2],
    /// Axes along which cells go on beyond the border of the world.
    wraps: [bool; 2],
    /// Columns.
    pub(super) cols: usize,
    /// Rows, upward.
    pub(super) rows: usize,
    /// The upper left corner of the frame, in cells from the lower left corner of the first.
    pub(super) corner: Vec2,
    /// Cells per pixel.
    pub(super) per_pixel: Vec2,
    /// Area of a cell, world units².
    pub(super) area: f32,
    /// Agents in a cell on average over the world.
    agents: f32,
}

impl Lattice {
    /// The cells of a view in a frame of `width` × `height` pixels.
    pub(crate) fn new(view: &View<'_>, camera: &Camera, [width, height]: [u32; 2]) -> Self {
        let grid = view.grid;
        let (bounds, size) = (grid.config().bounds, grid.config().loose_size);
        let pixels = size.min_element() * camera.scale;
        let mut per_side = LOOSE_PER_SIDE_MIN;
        while per_side as f32 * pixels < CELL_PIXELS_MIN && per_side < LOOSE_PER_SIDE_MAX {
            per_side *= 2;
        }
        let cell = size * per_side as f32;
        let visible = camera.visible();
        let loose = grid.loose_cells();
        let repeats = view.space.repeats().map(|repeats| repeats && bounds == view.space.world());
        let wraps = [0, 1].map(|axis| repeats[axis] && loose[axis] / WRAPPED_MIN >= per_side);
        let [low, high] = [visible.min, visible.max].map(|corner| (corner - bounds.min) / cell);
        let last = loose.map(|count| ((count - 1) / per_side).cast_signed());
        // Casts saturate, and NaN becomes 0.
        let first = [0, 1].map(|axis| (low[axis] as i32).clamp(0, last[axis]) - MARGIN);
        let end = [0, 1].map(|axis| (high[axis] as i32).clamp(0, last[axis]) + MARGIN + 1);
        let [cols, rows] =
            [0, 1].map(|axis| (end[axis] - first[axis]).max(1 + 2 * MARGIN) as usize);
        let origin = Vec2::new(first[0] as f32, first[1] as f32);
        let corner = Vec2::new(low.x, high.y) - origin;
        Self {
            per_side,
            first,
            loose,
            wraps,
            // A camera for a larger frame would see more.
            cols: cols.min(side_at_most(width)),
            rows: rows.min(side_at_most(height)),
            corner,
            per_pixel: 1.0 / (cell * camera.scale),
            area: cell.x * cell.y,
            agents: view.agents.len() as f32 * (per_side * per_side) as f32
                / (loose[0] as f32 * loose[1] as f32),
        }
    }

    /// The most cells in a frame of `width` × `height` pixels.
    pub(super) fn cells_at_most(width: u32, height: u32) -> usize {
        side_at_most(width) * side_at_most(height)
    }

    /// Area of a cell, pixels.
    pub(crate) fn pixels(&self) -> f32 {
        1.0 / (self.per_pixel.x * self.per_pixel.y)
    }

    /// The step between sampled rows of loose cells such that a sample has at least `least` agents
    /// per cell, on average over the world: a power of two, and at most [`GROUP`].
    pub(super) fn sample(&self, least: f32) -> usize {
        let mut rows = 1;
        while rows < GROUP && self.agents >= least * (2 * rows) as f32 {
            rows *= 2;
        }
        rows
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.cols * self.rows
    }

    /// The rows of loose cells in a row of cells, some at a time.
    pub(super) fn groups(&self, row: usize) -> impl Iterator<Item = RowGroup> + use<'_> {
        let rows = self.copies(1).map(move |copy| {
            let inside = |at: i64| at.clamp(0, i64::from(self.loose[1])) as u32;
            let start = self.loose_at(1, row, copy);
            inside(start)..inside(start + i64::from(self.per_side))
        });
        let groups = rows.flat_map(|rows| {
            rows.clone().step_by(GROUP).map(move |first| first..rows.end.min(first + GROUP as u32))
        });
        groups
            .flat_map(|rows| self.copies(0).map(move |copy| RowGroup { rows: rows.clone(), copy }))
    }

    /// The copies of the world in which cells may lie along an axis.
    fn copies(&self, axis: usize) -> impl Iterator<Item = i64> + use<> {
        if self.wraps[axis] { -1..=1 } else { 0..=0 }
    }

    /// The columns of cells that overlap a copy of the world.
    fn cells_in(&self, copy: i64) -> Range<usize> {
        let (loose, per_side) = (i64::from(self.loose[0]), i64::from(self.per_side));
        let col = |cell: i64| {
            (cell - i64::from(self.first[0])).clamp(0, i64::from(self.cols as u32)) as usize
        };
        let [start, end] = [copy, copy + 1].map(|copy| copy * loose);
        col(start.div_euclid(per_side))..col((end + per_side - 1).div_euclid(per_side))
    }

    /// The first column or row of loose cells in a column or row of cells, counted from the border
    /// of a copy of the world.
    #[inline(always)]
    fn loose_at(&self, axis: usize, cell: usize, copy: i64) -> i64 {
        let (loose, per_side) = (i64::from(self.loose[axis]), i64::from(self.per_side));
        (i64::from(self.first[axis]) + i64::from(cell as u32)) * per_side - copy * loose
    }
}

/// At most [`GROUP`] rows of loose cells, as far as they lie in a copy of the world.
#[derive(Clone, Debug)]
pub(super) struct RowGroup {
    rows: Range<u32>,
    copy: i64,
}

impl RowGroup {
    /// The cells that have agents in these rows.
    #[inline(always)]
    pub(super) fn cells<'a>(self, lattice: &'a Lattice, grid: &'a Grid) -> CellCursor<'a> {
        let is_empty = self.rows.clone().all(|row| grid.row_slots(row).is_empty());
        let Range { start, end } = lattice.cells_in(self.copy);
        let left = if is_empty { 0..0 } else { start..end };
        let starts = [[0; CHUNK + 1]; GROUP];
        CellCursor { lattice, grid, group: self, left, starts }
    }
}

/// Goes through the cells of a row that have agents, some at a time.
///
/// It is no iterator, because the body of a loop is inlined into a kernel, unlike a large closure.
#[derive(Debug)]
pub(super) struct CellCursor<'a> {
    lattice: &'a Lattice,
    grid: &'a Grid,
    group: RowGroup,
    /// The columns behind these cells.
    left: Range<usize>,
    /// In each row of loose cells, the first slot of each of these cells, and of the next.
    starts: [[u32; CHUNK + 1]; GROUP],
}

impl CellCursor<'_> {
    /// The columns of the next cells, and the first slots of each of them and of the one behind
    /// them, in each row of loose cells.
    #[inline(always)]
    pub(super) fn next_cells(&mut self) -> Option<(Range<usize>, &[[u32; CHUNK + 1]; GROUP])> {
        let (rows, step) = (self.group.rows.clone(), self.lattice.per_side);
        while !self.left.is_empty() {
            let first = self.left.start;
            self.left.start = self.left.end.min(first + CHUNK);
            let count = self.left.start - first;
            let col = self.lattice.loose_at(0, first, self.group.copy) as i32;
            let across = step * count as u32;
            let mut any = false;
            for row in rows.clone() {
                let mut ends = [0; 2];
                self.grid.first_slots(row, col, across, &mut ends);
                any |= ends[0] < ends[1];
            }
            // A row of a thin world is mostly empty.
            if any {
                for (row, starts) in rows.zip(&mut self.starts) {
                    self.grid.first_slots(row, col, step, &mut starts[..=count]);
                }
                return Some((first..first + count, &self.starts));
            }
        }
        None
    }
}

/// The most cells along a side of a frame, in pixels.
fn side_at_most(pixels: u32) -> usize {
    (pixels as f32 / CELL_PIXELS_MIN) as usize + 2 * MARGIN.unsigned_abs() as usize + 3
}
