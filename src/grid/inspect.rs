//! What the grid can be asked about itself, by whoever shows it: its cells, and the lists of the tight ones.

use super::{Grid, NONE, OVERFLOW, home::split};
use crate::geometry::Rect;

impl Grid {
    /// Column and row of the loose cell that an element lives in; none if it is not in the grid.
    pub fn cell_of(&self, element: u32) -> Option<[u32; 2]> {
        match *self.home.get(element as usize)? {
            NONE => None,
            home if home & OVERFLOW == 0 => Some(split(home)),
            home => {
                let cell = &self.overflow.cells[(home & !OVERFLOW) as usize];
                Some([cell.col, cell.row])
            }
        }
    }

    /// The part of the world that a loose cell covers; the last of a row or a column may stand over the
    /// border.
    pub fn loose_bounds(&self, cell: [u32; 2]) -> Rect {
        self.loose.cell_bounds(cell)
    }

    /// The part of the world that a tight cell covers.
    pub fn tight_bounds(&self, cell: [u32; 2]) -> Rect {
        self.tight.layout.cell_bounds(cell)
    }

    /// How many elements the last rebuild put into a loose cell.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn len_of(&self, [col, row]: [u32; 2]) -> usize {
        assert!(col < self.loose.cols() && row < self.loose.rows(), "no such cell");
        self.items_between(row, col, col).len()
    }

    /// How many wide cells a tight cell lists.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn listed(&self, [col, row]: [u32; 2]) -> u32 {
        let [cols, rows] = self.tight_cells();
        assert!(col < cols && row < rows, "no such cell");
        let mut count = 0;
        self.tight.listed_in([col, row], |_| count += 1);
        count
    }

    /// Calls `visit` with the AABB of each wide cell whose AABB meets a rectangle.
    pub fn visit_wide(&self, rect: &Rect, mut visit: impl FnMut(&Rect)) {
        self.tight.visit(self.tight.layout.block(rect), |wide| {
            if wide.aabb.intersects(rect) {
                visit(&wide.aabb);
            }
        });
    }
}
