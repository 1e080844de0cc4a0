//! The tiles of a region, in which discs are placed at the same time.
//!
//! ```text
//! ┌───┬───┬───┬───┐   Tiles of one color are a tile apart: what is placed in one of them at the same
//! │ 2 │ 3 │ 2 │ 3 │   time as in another one overlaps nothing of it. So the four colors take turns,
//! ├───┼───┼───┼───┤   and the tiles of a color are filled by any threads.
//! │ 0 │ 1 │ 0 │ 1 │
//! └───┴───┴───┴───┘
//! ```

use std::ops::Range;

use glam::{DVec2, Vec2};

use super::{deal, region::Region};
use crate::{
    alloc,
    error::Result,
    geometry::{Rect, cells::CellLayout},
};

/// Discs per tile: what a tile reads and writes fits into a core's cache.
const DISCS_PER_TILE: usize = 2_048;

/// Least side of a tile, cells. The positions in a tile shift by up to half a cell with the radius,
/// and a disc reaches over less than three cells.
const CELLS_PER_SIDE: f32 = 8.0;

/// Tiles by color, each with its column and its row.
#[derive(Debug)]
pub(super) struct Tiles {
    cells: Vec<[u32; 2]>,
    /// The first tile of each color, and the number of tiles.
    starts: [usize; 5],
    /// Columns and rows.
    counts: Vec2,
}

impl Tiles {
    /// Tiles for a level of that many discs with these cells: about square, unless the region is
    /// too narrow. There is one for each [`DISCS_PER_TILE`], or fewer, so that each has discs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(region: &Region, layout: &CellLayout, discs: usize) -> Result<Self> {
        let bounds = region.bounds();
        let size = bounds.size().as_dvec2();
        let least = f64::from(CELLS_PER_SIDE * layout.size().max_element());
        let most = (discs / DISCS_PER_TILE).max(1) as f64;
        // Across the region first: where it is narrower than a tile, there are no fewer along it.
        let across = (size.min_element() / (size.x / most * size.y).sqrt().max(least)).floor();
        let across = across.max(1.0);
        let along = (size.max_element() / least).floor().min((most / across).floor()).max(1.0);
        let is_wide = size.x >= size.y;
        let [cols, rows] = if is_wide { [along, across] } else { [across, along] };
        let size = (size / DVec2::new(cols, rows)).as_vec2();
        let counts = Vec2::new(cols as f32, rows as f32);
        let (cols, rows) = (cols as u32, rows as u32);
        let mut cells = alloc::with_capacity(cols as usize * rows as usize, deal::PART)?;
        let mut starts = [0; 5];
        for color in 0..4 {
            let first = |bit: u32| color >> bit & 1;
            for row in (first(1)..rows).step_by(2) {
                for col in (first(0)..cols).step_by(2) {
                    let corner = bounds.min + Vec2::new(col as f32, row as f32) * size;
                    if region.reaches(&Rect::new(corner, corner + size)) {
                        cells.push([col, row]);
                    }
                }
            }
            starts[color as usize + 1] = cells.len();
        }
        Ok(Self { cells, starts, counts })
    }

    /// The number of tiles, at least one.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The tiles of a color.
    pub(super) fn of_color(&self, color: usize) -> Range<usize> {
        self.starts[color]..self.starts[color + 1]
    }

    /// The lower left corner of a tile as shares of the region's sides, and its size.
    pub(super) fn shares(&self, tile: usize) -> Rect {
        let [col, row] = self.cells[tile];
        let corner = Vec2::new(col as f32, row as f32);
        Rect::new(corner / self.counts, (corner + 1.0) / self.counts)
    }
}
