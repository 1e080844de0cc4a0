//! Edits of one element between two rebuilds.

use super::{
    Elements, Grid, Shape, check,
    home::{INSERTED, NONE},
};
use crate::{error::Result, geometry::Rect};

impl Grid {
    /// Adds an element, or [relocates](Self::relocate) it if it is in the grid already. True if it
    /// was added.
    ///
    /// O(1) on average; an element larger than a tight cell takes time in proportion to the tight
    /// cells under it. Until the next rebuild, each search tests every inserted element in the
    /// tight cells that it visits: after many inserts, [`rebuild`](Self::rebuild). Allocates if
    /// there are more edits than [`GridConfig::edits`](super::GridConfig::edits) since the last
    /// rebuild.
    ///
    /// # Errors
    /// If the element's index is not below the capacity ([`reserve`](Self::reserve) raises it) and
    /// `elements.len()`, or if its center is not finite or its size negative. The grid stays as it
    /// was.
    pub fn insert<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) -> Result<bool> {
        if self.relocate(elements, element)? {
            return Ok(false);
        }
        self.check_room(element as usize + 1)?;
        let bounds = check::bounds_of(elements, element)?;
        self.hull = self.hull.union(&bounds);
        self.insert_checked(element, bounds);
        Ok(true)
    }

    /// Adds a valid element with these bounds, in an outlier cell of its own.
    fn insert_checked(&mut self, element: u32, bounds: Rect) {
        self.loose.home[element as usize] = INSERTED | self.tight.list(INSERTED | element, bounds);
        self.len += 1;
        self.edited = true;
    }

    /// Removes an element; false if it is not in the grid. The element itself may have moved. The
    /// slice may be shortened afterwards if the removed elements are its last; a rebuild adds every
    /// element of the slice again.
    ///
    /// O(1) for most elements. If the element is an outlier, its cell's AABB shrinks to the others
    /// of the cell: O(k) for k elements in the cell, plus the tight cells that list it. If it was
    /// inserted since the last rebuild: O(k) for k such elements in the tight cells under it.
    ///
    /// The other elements of the cell must not have moved since the last rebuild or update.
    pub fn remove<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) -> bool {
        if !self.contains(element) {
            return false;
        }
        let home = std::mem::replace(&mut self.loose.home[element as usize], NONE);
        self.len -= 1;
        self.edited = true;
        if home & INSERTED != 0 {
            self.tight.unlist(home & !INSERTED);
        } else if self.outliers.contains(element) {
            self.outliers.remove(element);
            self.fit_outlier_cell(elements, home);
        }
        true
    }

    /// Brings the grid up to date with one element that has moved or changed its size; false if it
    /// is not in the grid.
    ///
    /// O(1) for an element that stays near its home cell, else the cost of [`remove`](Self::remove)
    /// and [`insert`](Self::insert). The other elements of both cells must not have moved since the
    /// last rebuild or update.
    ///
    /// # Errors
    /// If the element's index is not below `elements.len()`, or if its center is not finite or its
    /// size negative. The grid stays as it was.
    pub fn relocate<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) -> Result<bool> {
        if !self.contains(element) {
            return Ok(false);
        }
        let bounds = check::bounds_of(elements, element)?;
        self.hull = self.hull.union(&bounds);
        let home = self.loose.home[element as usize];
        let shape = elements.shape(element as usize);
        let (center, extent) = (shape.center(), shape.extent());
        let stays = if home & INSERTED == 0 {
            // The element is near its stored cell before and after, so no list changes.
            !self.outliers.contains(element) && !self.loose.stands_out(home, center, extent)
        } else {
            self.tight.resize(home & !INSERTED, bounds)
        };
        if !stays {
            self.remove(elements, element);
            self.insert_checked(element, bounds);
        }
        Ok(true)
    }

    /// Shrinks the AABB of an outlier cell to the outliers that are left in it.
    fn fit_outlier_cell<E: Elements + ?Sized>(&mut self, elements: &E, home: u32) {
        let aabb = self.outliers_of(home).fold(Rect::EMPTY, |aabb, element| {
            aabb.union(&elements.shape(element as usize).bounds())
        });
        let place = self.tight.place_of(home).expect("the cell of an outlier is listed");
        if aabb.is_empty() {
            self.tight.unlist(place);
        } else {
            self.tight.cells[place as usize].aabb = aabb;
        }
    }
}
