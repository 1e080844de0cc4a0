//! The home cells of all elements, from which a grid in cell order is restored.
//!
//! Offsets, windows and outliers follow from the homes and the elements. The homes do not follow
//! from the elements: the last sort assigned them, and elements have moved since.

use super::{
    Elements, Grid,
    bands::{PIECE, SortPiece},
    home::{NONE, split},
};
use crate::{error::Result, snapshot::require};

impl Grid {
    /// The home cells of elements in cell order: row and column in one word, ascending.
    ///
    /// # Panics
    /// If the elements do not lie in cell order.
    pub(crate) fn homes(&self) -> &[u32] {
        assert!(self.sorted && !self.edited, "the elements must lie in cell order");
        &self.home[..self.len]
    }

    /// Rebuilds the grid with these [homes](Self::homes), exact for the present positions of the
    /// elements. O(n) plus the stored cells.
    ///
    /// # Errors
    /// If the homes are not ascending cells of this grid, or there is not enough memory.
    ///
    /// # Panics
    /// If the numbers of elements and homes differ, or exceed the capacity.
    pub(crate) fn set_homes<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        homes: &[u32],
    ) -> Result<()> {
        assert_eq!(elements.len(), homes.len(), "each element has a home");
        assert!(homes.len() <= self.config.capacity, "there is room for the elements");
        let [cols, rows] = [self.loose.cols(), self.loose.rows()];
        let exist = homes.iter().fold(true, |all, &home| {
            let [col, row] = split(home);
            all & (col < cols) & (row < rows)
        });
        require(exist && homes.is_sorted(), "home", "has cells that its world does not have")?;
        self.sorted = false;
        self.edited = false;
        let (own, others) = self.home.split_at_mut(homes.len());
        own.copy_from_slice(homes);
        others.fill(NONE);
        let pieces = &mut self.sorter.pieces;
        pieces.clear();
        pieces.extend(homes.chunks(PIECE).enumerate().map(|(index, homes)| {
            let first = index * PIECE;
            let [low, high] = [homes[0], homes[homes.len() - 1]];
            SortPiece { elements: first..first + homes.len(), rows: [low >> 16, high >> 16] }
        }));
        self.place_items(homes.len())?;
        self.sorted = true;
        self.pack_windows()?;
        self.scan_outliers(elements)
    }
}
