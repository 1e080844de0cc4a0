//! How full the loose cells are: what the cells' size is chosen for.

use super::Grid;

impl Grid {
    /// Loose cells that memory is spent on, with a guard for each row of them.
    pub fn stored_cells(&self) -> usize {
        self.pages.cells()
    }

    /// Calls `visit` with the number of elements that live in each stored loose cell of a row, as of the
    /// last rebuild. Cells that no memory is spent on are not among them.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn visit_occupancy(&self, row: u32, mut visit: impl FnMut(u32)) {
        let cells = self.pages.row(row);
        let starts = &self.starts[cells.start as usize..=cells.end as usize];
        starts.windows(2).for_each(|pair| visit(pair[1] - pair[0]));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        geometry::Rect,
        grid::{DiscColumns, Grid, GridConfig},
    };

    #[test]
    fn all_elements_are_counted_once() {
        let x: Vec<f32> = (0..500).map(|n| (n * n % 997) as f32 / 10.0).collect();
        let y: Vec<f32> = (0..500).map(|n| (n * 71 % 499) as f32 / 5.0).collect();
        let radius = vec![0.1; 500];
        let discs = DiscColumns { x: &x, y: &y, radius: &radius };
        let config = GridConfig::new(Rect::from_size(100.0, 100.0), 3.0, 500);
        let mut grid = Grid::new(config).unwrap();
        grid.rebuild(&discs).unwrap();
        let (mut elements, mut cells) = (0, 0);
        let [cols, rows] = grid.loose_cells();
        for row in 0..rows {
            grid.visit_occupancy(row, |count| {
                elements += count;
                cells += 1;
            });
        }
        assert_eq!(elements, 500);
        assert!(cells >= cols * rows, "{cells} of {cols} x {rows}");
    }
}
