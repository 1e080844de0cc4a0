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

/// A stored cell with somebody in it, and the slots that its elements may touch.
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
    /// Calls `visit` for each cell of the rows that holds somebody, in cell order.
    pub fn visit_windows(&self, rows: Range<u32>, mut visit: impl FnMut(Windows)) {
        debug_assert!(self.adopted && !self.edited, "the elements must lie in cell order");
        let start = |cell: u32| self.starts[cell as usize] as usize;
        for row in rows {
            if self.row_slots(row).is_empty() {
                continue;
            }
            let last = row + 1 == self.loose.rows || self.row_slots(row + 1).is_empty();
            for (col, cells) in self.pages.runs(row) {
                // In one strip, the next row is stored in the same way; in the next strip, it may not be.
                let below = (!last).then(|| self.pages.place(col, row + 1));
                for (offset, cell) in (0..).zip(cells) {
                    let own = start(cell)..start(cell + 1);
                    if own.is_empty() {
                        continue;
                    }
                    let below = match below {
                        None => own.end..own.end,
                        Some(Place::Stored(first)) => {
                            start(first + offset - 1)..start(first + offset + 2)
                        }
                        Some(Place::Before(next)) => start(next - 1)..start(next + 1),
                    };
                    visit(Windows { own, along: start(cell + 2), below });
                }
            }
        }
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
