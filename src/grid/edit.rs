//! One element at a time between two rebuilds, in time that does not depend on how many there are.

use super::{Elements, Grid, NONE, OVERFLOW, Shape};
use crate::geometry::Rect;

impl Grid {
    /// Puts an element in.
    ///
    /// # Panics
    /// If it is in already, or if `element` is not below the capacity and `elements.len()`.
    pub fn insert<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) {
        assert!(
            self.home[element as usize] == NONE,
            "element {element} is in the grid already; relocate it"
        );
        let shape = elements.shape(element as usize);
        let [col, row] = self.loose.cell(shape.center());
        let cell = self.overflow.find_or_add(col, row);
        self.overflow.chains.push(cell as usize, element);
        self.home[element as usize] = OVERFLOW | cell;
        self.len += 1;
        self.edited = true;
        let aabb = self.overflow.cells[cell as usize].aabb.union(&shape.bounds());
        self.give_aabb(cell, aabb, shape.extent());
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
        if home & OVERFLOW != 0 {
            let cell = home & !OVERFLOW;
            self.overflow.chains.remove(cell as usize, element);
            self.fit_overflow(elements, cell);
        } else if self.far.is_set(element) {
            self.far.unset(element);
            self.fit_wide(elements, home);
        }
    }

    /// Tells the grid that an element has moved or changed its size; as quick as a removal.
    ///
    /// # Panics
    /// If it is not in.
    pub fn relocate<E: Elements + ?Sized>(&mut self, elements: &E, element: u32) {
        let home = self.home[element as usize];
        let shape = elements.shape(element as usize);
        let [col, row] = self.loose.cell(shape.center());
        let stays = if home & OVERFLOW == 0 {
            // What is near after the last rebuild stays so until the next, so that its cell needs no list.
            !self.far.is_set(element)
                && !self.loose.stands_out(home, shape.center(), shape.extent(), self.reach)
        } else {
            home != NONE && self.overflow.find(col, row) == Some(home & !OVERFLOW)
        };
        if !stays {
            self.remove(elements, element);
            self.insert(elements, element);
        } else if home & OVERFLOW != 0 {
            self.fit_overflow(elements, home & !OVERFLOW);
        }
    }

    /// True if elements were inserted, removed or relocated since the last rebuild.
    pub fn is_edited(&self) -> bool {
        self.edited
    }

    /// Shrinks the AABB of a wide cell to the far elements that are left in it.
    fn fit_wide<E: Elements + ?Sized>(&mut self, elements: &E, home: u32) {
        let mut aabb = Rect::EMPTY;
        for item in self.items(home) {
            let element = self.element(item);
            if self.far.is_set(element) {
                aabb = aabb.union(&elements.shape(element as usize).bounds());
            }
        }
        let place = self.tight.place_of(home).expect("the cell of a far element is listed");
        if aabb.is_empty() {
            self.tight.unlist(place);
        } else {
            self.tight.resize(place, aabb);
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
        let (mut aabb, mut reach) = (Rect::EMPTY, 0.0_f32);
        self.overflow.chains.visit(cell as usize, |element| {
            let shape = elements.shape(element as usize);
            aabb = aabb.union(&shape.bounds());
            reach = reach.max(shape.extent());
        });
        self.give_aabb(cell, aabb, reach);
    }

    /// Gives an overflow cell another AABB, and lists it if an element of that reach makes it wide.
    fn give_aabb(&mut self, cell: u32, aabb: Rect, reach: f32) {
        let near = self.reach;
        let overflow = &mut self.overflow.cells[cell as usize];
        overflow.aabb = aabb;
        if overflow.wide != NONE {
            self.tight.resize(overflow.wide, aabb);
        } else if reach > near {
            overflow.wide = self.tight.list(OVERFLOW | cell, aabb);
        }
    }
}
