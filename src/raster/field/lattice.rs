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
//! Columns count from the left border of the world, so that no cell moves when the view does.

use std::ops::Range;

use glam::Vec2;

use crate::{grid::Grid, raster::camera::Camera};

/// Fewest loose cells per side of a cell: in a gas it holds 27 agents then, enough for a mean.
const LOOSE_PER_SIDE_MIN: u32 = 4;

/// Loose cells per side of a cell, at most: all of the largest grid.
const LOOSE_PER_SIDE_MAX: u32 = 32_768;

/// Least side of a cell, pixels. A smaller one would show no more, and take more memory.
pub(super) const CELL_PIXELS_MIN: f32 = 5.0;

/// Cells beyond the frame on every side: one that interpolation reads, and one for its smoothing.
const MARGIN: i32 = 2;

/// Cells per side, and how they lie in the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    /// Loose cells per side of a cell.
    per_side: u32,
    /// Column and row of the first cell, counted from the lower left corner of the world.
    first: [i32; 2],
    /// Columns and rows of loose cells in the world.
    loose: [u32; 2],
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
    /// The cells of a grid that a frame of that many pixels shows.
    pub(crate) fn new(grid: &Grid, camera: &Camera, [width, height]: [u32; 2]) -> Self {
        let (bounds, size) = (grid.config().bounds, grid.config().loose_size);
        let pixels = size.min_element() * camera.scale;
        let mut per_side = LOOSE_PER_SIDE_MIN;
        while per_side as f32 * pixels < CELL_PIXELS_MIN && per_side < LOOSE_PER_SIDE_MAX {
            per_side *= 2;
        }
        let cell = size * per_side as f32;
        let visible = camera.visible();
        let loose = grid.loose_cells();
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

    /// The rows of loose cells in a row of cells.
    pub(super) fn loose_rows(&self, row: usize) -> Range<u32> {
        self.loose_at(1, row)..self.loose_at(1, row + 1)
    }

    /// The first column of loose cells in a column of cells; the number of them behind the last.
    pub(super) fn loose_col(&self, col: usize) -> u32 {
        self.loose_at(0, col)
    }

    fn loose_at(&self, axis: usize, cell: usize) -> u32 {
        let at = i64::from(self.first[axis]) + i64::from(cell as u32);
        (at * i64::from(self.per_side)).clamp(0, i64::from(self.loose[axis])) as u32
    }
}

/// The most cells along a side of a frame, in pixels.
fn side_at_most(pixels: u32) -> usize {
    (pixels as f32 / CELL_PIXELS_MIN) as usize + 2 * MARGIN.unsigned_abs() as usize + 3
}
