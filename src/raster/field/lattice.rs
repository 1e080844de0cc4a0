//! The cells of the fields of one draw: blocks of loose cells, as far as the frame shows the world.
//!
//! ```text
//!  ┌──┬──┬──┬──┬──┬──┐   one cell: 4 × 4 loose cells, or 8 × 8, 16 × 16, … until it is
//!  │··│··│··│··│··│··│   CELL_PIXELS_MIN wide in the frame
//!  ├──┼──╔══╪══╗──┼──┤
//!  │··│··║frame║··│··│   two more on every side, for smoothing and interpolation
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

/// Fewest loose cells per side of a cell: in a gas it holds 27 agents then, enough for a mean.
const LOOSE_PER_SIDE_MIN: u32 = 4;

/// Loose cells per side of a cell, at most: all of the largest grid.
const LOOSE_PER_SIDE_MAX: u32 = 32_768;

/// Least side of a cell, pixels. A smaller one would show no more, and take more memory.
pub(super) const CELL_PIXELS_MIN: f32 = 5.0;

/// Cells beyond the frame on every side: one that interpolation reads, and one for its smoothing.
const MARGIN: i32 = 2;

/// Fewest cells along an axis on which the cells of a world that repeats go on beyond its border.
const WRAPPED_MIN: u32 = 4;

/// Rows of loose cells that are read together. A cell has a multiple of them.
pub(super) const GROUP: usize = LOOSE_PER_SIDE_MIN as usize;

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
}

impl Lattice {
    /// The cells of a view that a frame of that many pixels shows.
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
        }
    }

    /// The most cells that a frame of that many pixels shows.
    pub(super) fn cells_at_most(width: u32, height: u32) -> usize {
        side_at_most(width) * side_at_most(height)
    }

    /// Area of a cell, pixels.
    pub(crate) fn pixels(&self) -> f32 {
        1.0 / (self.per_pixel.x * self.per_pixel.y)
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.cols * self.rows
    }

    /// The rows of loose cells in a row of cells, some at a time.
    pub(super) fn groups(&self, row: usize) -> impl Iterator<Item = RowGroup> + use<'_> {
        let rows = self.copies(1).map(move |copy| self.loose_at(1, row, copy));
        let groups = rows.flat_map(|rows| {
            rows.clone().step_by(GROUP).map(move |first| first..rows.end.min(first + GROUP as u32))
        });
        groups
            .flat_map(|rows| self.copies(0).map(move |copy| RowGroup { rows: rows.clone(), copy }))
    }

    /// The copies of the world that cells may lie in along an axis.
    fn copies(&self, axis: usize) -> impl Iterator<Item = i64> + use<> {
        if self.wraps[axis] { -1..=1 } else { 0..=0 }
    }

    /// The columns of cells that meet a copy of the world.
    fn cells_in(&self, copy: i64) -> Range<usize> {
        let (loose, per_side) = (i64::from(self.loose[0]), i64::from(self.per_side));
        let col = |cell: i64| {
            (cell - i64::from(self.first[0])).clamp(0, i64::from(self.cols as u32)) as usize
        };
        let [start, end] = [copy, copy + 1].map(|copy| copy * loose);
        col(start.div_euclid(per_side))..col((end + per_side - 1).div_euclid(per_side))
    }

    /// The columns or rows of loose cells in a column or row of cells, as far as it lies in a copy
    /// of the world.
    #[inline(always)]
    fn loose_at(&self, axis: usize, cell: usize, copy: i64) -> Range<u32> {
        let (loose, per_side) = (i64::from(self.loose[axis]), i64::from(self.per_side));
        let start =
            (i64::from(self.first[axis]) + i64::from(cell as u32)) * per_side - copy * loose;
        let inside = |at: i64| at.clamp(0, loose) as u32;
        inside(start)..inside(start + per_side)
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
        let Range { start, end } = lattice.cells_in(self.copy);
        let mut cells = CellCursor {
            lattice,
            grid,
            group: self,
            col: start,
            end,
            starts: [0; GROUP],
            last: [0; GROUP],
        };
        if start < end {
            (cells.starts, cells.last) = (cells.slots(start), cells.slots(end));
        }
        cells
    }
}

/// Goes through the cells of a row that have agents.
///
/// Not an iterator: the body of a loop over it is inlined into a kernel, unlike a large closure.
#[derive(Debug)]
pub(super) struct CellCursor<'a> {
    lattice: &'a Lattice,
    grid: &'a Grid,
    group: RowGroup,
    /// The next column.
    col: usize,
    /// The column behind the last.
    end: usize,
    /// The first slots of the next column, and of the end.
    starts: [usize; GROUP],
    last: [usize; GROUP],
}

impl CellCursor<'_> {
    /// The column of the next cell, and the slots of its agents in each row of loose cells.
    #[inline(always)]
    pub(super) fn next_cell(&mut self) -> Option<(usize, [Range<usize>; GROUP])> {
        while self.starts != self.last {
            let (starts, ends) = (self.starts, self.slots(self.col + 1));
            if starts != ends {
                let col = self.col;
                (self.col, self.starts) = (col + 1, ends);
                return Some((col, std::array::from_fn(|k| starts[k]..ends[k])));
            }
            // A row of a thin world is mostly empty, which steps that double soon leave behind.
            let mut step = 1;
            while self.slots(self.end.min(self.col + step)) == starts {
                (self.col, step) = (self.col + step, step * 2);
            }
        }
        None
    }

    /// The first slots of a column, or of a later one.
    #[inline(always)]
    fn slots(&self, col: usize) -> [usize; GROUP] {
        let col = self.lattice.loose_at(0, col, self.group.copy).start;
        std::array::from_fn(|k| {
            let row = self.group.rows.start + k as u32;
            if row < self.group.rows.end { self.grid.first_slot(col, row) } else { 0 }
        })
    }
}

/// The most cells along a side of a frame, in pixels.
fn side_at_most(pixels: u32) -> usize {
    (pixels as f32 / CELL_PIXELS_MIN) as usize + 2 * MARGIN.unsigned_abs() as usize + 3
}
