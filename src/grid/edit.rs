//! Edits of one element between two rebuilds.

use super::{
    Elements, Grid, Shape, check,
    home::{NONE, OVERFLOW},
};
use crate::{error::Result, geometry::Rect};

impl Grid {
    /// Adds an element, or [relocates](Self::relocate) it if it is in the grid already. True if it
    /// was added.
    ///
    /// O(1) on average. An element larger than [`near_limit`](Self::near_limit) takes time in
    /// proportion to the tight cells under it. Allocates if there are more edits than
    /// [`GridConfig::edits`](super::GridConfig::edits) since the last rebuild.
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
        self.insert_checked(elements, element);
        Ok(true)
    }

    /// Adds a valid element.
    fn insert_checked<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) {
        let shape = elements.shape(element as usize);
        let cell = self.overflow.find_or_add(self.loose.cell(shape.center()));
        self.overflow.lists.push(cell as usize, element);
        self.home[element as usize] = OVERFLOW | cell;
        self.len += 1;
        self.edited = true;
        let aabb = self.overflow.cells[cell as usize].aabb.union(&shape.bounds());
        self.set_aabb(cell, aabb, shape.extent());
    }

    /// Removes an element; false if it is not in the grid. The element itself may have moved. The
    /// slice may be shortened afterwards if the removed elements are its last; a rebuild adds every
    /// element of the slice again.
    ///
    /// O(1) for most elements. If the element is an outlier, or was inserted since the last
    /// rebuild, its cell's AABB shrinks to the others of the cell: O(k) for k elements in the cell,
    /// plus the tight cells that list it.
    ///
    /// The other elements of the cell must not have moved since the last rebuild or update.
    pub fn remove<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) -> bool {
        if !self.contains(element) {
            return false;
        }
        let home = std::mem::replace(&mut self.home[element as usize], NONE);
        self.len -= 1;
        self.edited = true;
        if home & OVERFLOW != 0 {
            let cell = home & !OVERFLOW;
            self.overflow.lists.remove(cell as usize, element);
            self.fit_overflow(elements, cell);
        } else if self.outliers.is_set(element) {
            self.outliers.unset(element);
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
        let home = self.home[element as usize];
        let shape = elements.shape(element as usize);
        let (center, extent) = (shape.center(), shape.extent());
        let stays = if home & OVERFLOW == 0 {
            // A near element of a stored cell stays one, so that its cell needs no listing.
            !self.outliers.is_set(element)
                && !self.loose.stands_out(home, center, extent, self.near_limit)
        } else {
            self.overflow.find(self.loose.cell(center)) == Some(home & !OVERFLOW)
        };
        if !stays {
            self.remove(elements, element);
            self.insert_checked(elements, element);
        } else if home & OVERFLOW != 0 {
            self.fit_overflow(elements, home & !OVERFLOW);
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
            self.tight.resize(place, aabb);
        }
    }

    /// Fits the AABB of an overflow cell to its elements; gives the cell up if there are none.
    fn fit_overflow<E: Elements + ?Sized>(&mut self, elements: &E, cell: u32) {
        if self.overflow.lists.is_empty(cell as usize) {
            let place = self.overflow.cells[cell as usize].place;
            if place != NONE {
                self.tight.unlist(place);
            }
            self.overflow.retire(cell);
            return;
        }
        let (mut aabb, mut extent) = (Rect::EMPTY, 0.0_f32);
        for element in self.overflow.lists.iter(cell as usize) {
            let shape = elements.shape(element as usize);
            aabb = aabb.union(&shape.bounds());
            extent = extent.max(shape.extent());
        }
        self.set_aabb(cell, aabb, extent);
    }

    /// Sets the AABB of an overflow cell, and lists the cell if it is an outlier cell for an
    /// element of that extent.
    fn set_aabb(&mut self, cell: u32, aabb: Rect, extent: f32) {
        let overflow = &mut self.overflow.cells[cell as usize];
        overflow.aabb = aabb;
        if overflow.place != NONE {
            self.tight.resize(overflow.place, aabb);
        } else if extent > self.near_limit {
            overflow.place = self.tight.list(OVERFLOW | cell, aabb);
        }
    }
}
