//! Queries about the grid itself: its cells, their elements, and the lists of the tight cells.
//! Overlays and statistics use them.

use super::Grid;
use crate::geometry::Rect;
#[cfg(feature = "window")]
use crate::{
    geometry::cells::CellBlock,
    grid::home::{INSERTED, split},
};

impl Grid {
    /// Columns and rows of loose cells in the world, stored or not.
    pub fn loose_cells(&self) -> [u32; 2] {
        [self.loose.cols(), self.loose.rows()]
    }

    /// Columns and rows of tight cells.
    pub(crate) fn tight_cells(&self) -> [u32; 2] {
        [self.tight.layout.cols(), self.tight.layout.rows()]
    }

    /// The rectangle that a loose cell covers; the last column and row may reach over the border.
    pub(crate) fn loose_bounds(&self, cell: [u32; 2]) -> Rect {
        self.loose.cell_bounds(cell)
    }

    /// The rectangle that a tight cell covers.
    pub(crate) fn tight_bounds(&self, cell: [u32; 2]) -> Rect {
        self.tight.layout.cell_bounds(cell)
    }

    /// The number of outlier cells that a tight cell lists.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub(crate) fn listed_len(&self, cell: [u32; 2]) -> u32 {
        let [cols, rows] = self.tight_cells();
        assert!(cell[0] < cols && cell[1] < rows, "no such cell");
        self.tight.places_in(cell).count() as u32
    }

    /// The AABBs of the outlier cells that intersect a rectangle.
    pub(crate) fn outlier_aabbs(&self, rect: &Rect) -> impl Iterator<Item = &Rect> {
        let cells = self.tight.in_block(self.tight.layout.block(rect));
        cells.map(|cell| &cell.aabb).filter(|aabb| aabb.intersects(rect))
    }
}

#[cfg(feature = "window")]
impl Grid {
    /// Column and row of an element's home cell, and the number of elements that the last rebuild
    /// put into it; `None` if the rebuild did not store the element.
    pub(crate) fn home_cell(&self, element: u32) -> Option<([u32; 2], usize)> {
        let home = *self.home.get(element as usize)?;
        (home < INSERTED).then(|| (split(home), self.items(home).len()))
    }

    /// The blocks of loose and of tight cells that a search of a rectangle looks into.
    pub(crate) fn searched_cells(&self, rect: &Rect) -> [CellBlock; 2] {
        let tight = self.tight.layout.block(&rect.expanded(self.margin(rect)));
        [self.block_near(rect), tight]
    }

    /// The number of stored loose cells, with a guard for each row of them.
    pub(crate) fn stored_cells(&self) -> usize {
        self.pages.cells()
    }

    /// The number of elements in each stored loose cell of a row, as of the last rebuild.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn occupancy(&self, row: u32) -> impl Iterator<Item = u32> {
        let cells = self.pages.row(row);
        let starts = &self.starts[cells.start as usize..=cells.end as usize];
        starts.windows(2).map(|pair| pair[1] - pair[0])
    }
}
