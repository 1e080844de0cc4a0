//! Walking the grid in cell order: what a simulation's contact search and a rasterizer do.
//!
//! Only for a grid whose elements lie in cell order ([`LooseTightGrid::adopt`]). Then the narrow elements
//! that may touch the one in slot `i` of a cell, and have not met it yet, are two ranges of slots:
//!
//! ```text
//! row r     … | cell-1 |  cell: .. i [. .|. cell+1 .]| …      i+1 .. along
//! row r+1   … [ below-1 . | . below . | . below+1 . ] …       below
//! ```
//!
//! Half the neighbourhood, so that each pair is met once. A window may also hold elements from farther
//! away, where pages between are not stored; the distance test turns them down.

use std::ops::Range;

use super::{LooseTightGrid, pages::Place};

/// Stored cells that lie side by side in a row of the world, and those below them.
#[derive(Clone, Debug)]
pub struct Run {
    cells: Range<u32>,
    below: Below,
}

/// The next row under a run.
#[derive(Clone, Copy, Debug)]
enum Below {
    /// Nobody is there.
    Empty,
    /// Its stored cells begin with this one.
    From(u32),
    /// Its page is not stored: who might be near is in the cells before and behind this place.
    Around(u32),
}

/// The slots of a cell, and those that its elements may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The slots of the cell.
    pub own: Range<usize>,
    /// Where the window in the same row ends; it begins behind each element.
    pub along: usize,
    /// The window in the next row.
    pub below: Range<usize>,
}

impl LooseTightGrid {
    /// The runs of cells of a row, in cell order.
    ///
    /// # Panics
    /// If the elements don't lie in cell order, or the grid has no such row.
    #[inline(always)]
    pub fn runs(&self, row: u32) -> impl Iterator<Item = Run> {
        assert!(self.adopted && !self.edited, "the elements must lie in cell order");
        let last = row + 1 == self.loose.rows || self.row_slots(row + 1).is_empty();
        self.pages.runs(row).map(move |(col, cells)| {
            // In one strip, the next row is stored in the same way; in the next strip, it may not be.
            let below = if last {
                Below::Empty
            } else {
                match self.pages.place(col, row + 1) {
                    Place::Stored(cell) => Below::From(cell),
                    Place::Before(cell) => Below::Around(cell),
                }
            };
            Run { cells, below }
        })
    }

    /// The windows of a run's cells, in cell order.
    #[inline(always)]
    pub fn windows(&self, run: Run) -> impl Iterator<Item = Windows> {
        let Run { cells, below } = run;
        let start = |cell: u32| self.starts[cell as usize] as usize;
        let first = cells.start;
        cells.map(move |cell| Windows {
            own: start(cell)..start(cell + 1),
            along: start(cell + 2),
            below: match below {
                Below::Empty => 0..0,
                Below::From(from) => {
                    start(from + (cell - first) - 1)..start(from + (cell - first) + 2)
                }
                Below::Around(place) => start(place - 1)..start(place + 1),
            },
        })
    }

    /// The slots of a row of loose cells.
    pub fn row_slots(&self, row: u32) -> Range<usize> {
        let cells = self.pages.row(row);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// The rows whose narrow elements may reach into `y0..=y1`.
    pub fn rows_reaching(&self, y0: f32, y1: f32) -> Range<u32> {
        self.loose.row(y0 - self.reach())..self.loose.row(y1 + self.reach()) + 1
    }

    /// The slots of a row of loose cells whose narrow elements may reach into `x0..=x1`: one range, in
    /// cell order. Wide elements are among them; skip them by [`Self::narrow_reach`].
    pub fn slots_reaching(&self, row: u32, x0: f32, x1: f32) -> Range<usize> {
        let (from, to) = (self.loose.col(x0 - self.reach()), self.loose.col(x1 + self.reach()));
        let cells = self.pages.columns(row, from, to);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// The slots of each cell that holds a wide element, in cell order.
    pub fn wide_cells(&self) -> impl Iterator<Item = Range<usize>> {
        self.tight.built().iter().map(|wide| self.items(wide.home))
    }

    /// The row in which the element of a slot lives.
    pub fn row_of(&self, y: f32) -> u32 {
        self.loose.row(y)
    }
}
