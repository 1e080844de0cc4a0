//! Queries about the grid itself: its cells, what they hold, and the lists of the tight ones. Overlays
//! and statistics use them.

use super::{
    Grid,
    home::{NONE, OVERFLOW, split},
};
use crate::geometry::Rect;

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

    /// Column and row of an element's home cell; `None` if the element is not in the grid.
    pub fn home_cell(&self, element: u32) -> Option<[u32; 2]> {
        match *self.home.get(element as usize)? {
            NONE => None,
            home if home & OVERFLOW == 0 => Some(split(home)),
            home => {
                let cell = &self.overflow.cells[(home & !OVERFLOW) as usize];
                Some([cell.col, cell.row])
            }
        }
    }

    /// The number of elements that the last rebuild put into a loose cell.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn cell_len(&self, [col, row]: [u32; 2]) -> usize {
        assert!(col < self.loose.cols() && row < self.loose.rows(), "no such cell");
        self.items_between(row, col, col).len()
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

    /// The number of loose cells that memory is spent on, with a guard for each row of them.
    pub fn stored_cells(&self) -> usize {
        self.pages.cells()
    }

    /// The number of elements in each stored loose cell of a row, as of the last rebuild.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn occupancy(&self, row: u32) -> impl Iterator<Item = u32> {
        let cells = self.pages.row(row);
        let starts = &self.starts[cells.start as usize..=cells.end as usize];
        starts.windows(2).map(|pair| pair[1] - pair[0])
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Vec2,
        geometry::{Disc, Rect},
        grid::{Grid, GridConfig},
    };

    #[test]
    fn occupancy_counts_all_elements_once() {
        let discs: Vec<Disc> = (0..500)
            .map(|n| Vec2::new((n * n % 997) as f32 / 10.0, (n * 71 % 499) as f32 / 5.0))
            .map(|center| Disc::new(center, 0.1))
            .collect();
        let config = GridConfig::new(Rect::from_size(100.0, 100.0), 3.0, 500);
        let mut grid = Grid::new(config).unwrap();
        grid.rebuild(&discs).unwrap();
        let [cols, rows] = grid.loose_cells();
        let counts: Vec<u32> = (0..rows).flat_map(|row| grid.occupancy(row)).collect();
        assert_eq!(counts.iter().sum::<u32>(), 500);
        assert!(counts.len() >= (cols * rows) as usize, "{} of {cols} x {rows}", counts.len());
    }
}
