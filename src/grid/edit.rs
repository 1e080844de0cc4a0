//! One element at a time between two rebuilds, in time that does not depend on how many there are.

use super::{Elements, LooseTightGrid, NONE, OVERFLOW, Shape, pages::Place};
use crate::rect::Rect;

impl LooseTightGrid {
    /// Puts an element in.
    ///
    /// # Panics
    /// If it is in already, or if `element` is not below the capacity and `elements.len()`.
    pub fn insert<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) {
        assert!(
            self.home[element as usize] == NONE,
            "element {element} is in the grid already; relocate it"
        );
        let shape = elements.get(element as usize);
        let (col, row) = (self.loose.col(shape.center().x), self.loose.row(shape.center().y));
        let cell = self.overflow.find_or_add(col, row);
        self.overflow.chains.push(cell as usize, element);
        self.home[element as usize] = OVERFLOW | cell;
        self.len += 1;
        self.edited = true;
        let aabb = self.overflow.cells[cell as usize].aabb.union(&shape.bounds());
        self.give_aabb(cell, aabb, shape.reach());
    }

    /// Takes an element out. Its present position does not matter: the grid knows its cell. The others
    /// of that cell are looked at, to shrink the AABB: the time goes with how many they are.
    ///
    /// # Panics
    /// If it is not in.
    pub fn remove<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) {
        let home = std::mem::replace(&mut self.home[element as usize], NONE);
        assert!(home != NONE, "element {element} is not in the grid");
        self.len -= 1;
        self.edited = true;
        if home & OVERFLOW == 0 {
            self.fit_stored(elements, home);
        } else {
            let cell = home & !OVERFLOW;
            self.overflow.chains.remove(cell as usize, element);
            self.fit_overflow(elements, cell);
        }
    }

    /// Tells the grid that an element has moved or changed its size; as quick as a removal.
    ///
    /// # Panics
    /// If it is not in.
    pub fn relocate<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) {
        let home = self.home[element as usize];
        let shape = elements.get(element as usize);
        let (col, row) = (self.loose.col(shape.center().x), self.loose.row(shape.center().y));
        let stays = if home & OVERFLOW == 0 {
            // A cell of the last rebuild stays narrow until the next: only what fits may stay in it.
            self.pages.place(col, row) == Place::Stored(home)
                && shape.reach() <= self.narrow_reach()
        } else {
            home != NONE && self.overflow.find(col, row) == Some(home & !OVERFLOW)
        };
        if !stays {
            self.remove(elements, element);
            self.insert(elements, element);
        } else if home & OVERFLOW == 0 {
            self.edited = true;
            self.fit_stored(elements, home);
        } else {
            self.fit_overflow(elements, home & !OVERFLOW);
        }
    }

    /// True if elements were inserted, removed or relocated since the last rebuild.
    pub fn is_edited(&self) -> bool {
        self.edited
    }

    /// Shrinks or grows the AABB of a stored cell to what is left in it.
    fn fit_stored<E: Elements + ?Sized>(&mut self, elements: &E, cell: u32) {
        let (mut aabb, mut members) = (Rect::NOTHING, 0);
        self.for_each_in(cell, |element| {
            aabb = aabb.union(&elements.get(element as usize).bounds());
            members += 1;
        });
        match self.tight.place_of(cell) {
            None => self.aabbs[cell as usize] = aabb,
            Some(place) if members == 0 => self.tight.unlist(place),
            Some(place) => self.tight.resize(place, aabb),
        }
    }

    /// Makes the AABB of an overflow cell that of its elements; gives the cell up if there are none.
    fn fit_overflow<E: Elements + ?Sized>(&mut self, elements: &E, cell: u32) {
        if self.overflow.chains.is_empty(cell as usize) {
            let wide = self.overflow.cells[cell as usize].wide;
            if wide != NONE {
                self.tight.unlist(wide);
            }
            self.overflow.retire(cell);
            return;
        }
        let (mut aabb, mut reach) = (Rect::NOTHING, 0.0_f32);
        self.overflow.chains.visit(cell as usize, |element| {
            let shape = elements.get(element as usize);
            aabb = aabb.union(&shape.bounds());
            reach = reach.max(shape.reach());
        });
        self.give_aabb(cell, aabb, reach);
    }

    /// Gives an overflow cell another AABB, and lists it if an element of that reach makes it wide.
    fn give_aabb(&mut self, cell: u32, aabb: Rect, reach: f32) {
        let narrow = self.narrow_reach();
        let overflow = &mut self.overflow.cells[cell as usize];
        overflow.aabb = aabb;
        if overflow.wide != NONE {
            self.tight.resize(overflow.wide, aabb);
        } else if reach > narrow {
            overflow.wide = self.tight.list(OVERFLOW | cell, aabb);
        }
    }

    /// Calls `visit` with each element that is in a stored cell now.
    pub(super) fn for_each_in(&self, cell: u32, mut visit: impl FnMut(u32)) {
        for item in self.items(cell) {
            let element = self.element(item);
            if !self.edited || self.home[element as usize] == cell {
                visit(element);
            }
        }
    }
}
