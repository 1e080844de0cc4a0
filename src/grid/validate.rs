//! A check of all invariants, for tests.

use std::collections::BTreeMap;

use super::{
    Elements, Grid, Shape,
    home::{INSERTED, NONE},
};
use crate::geometry::Rect;

impl Grid {
    /// Checks every invariant of the grid for its elements, in much more time than a rebuild: for
    /// tests.
    ///
    /// # Errors
    /// A description of the first invariant that is broken.
    pub fn validate<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut cells = vec![0; self.home.len()];
        self.visit_all(|element| cells[element as usize] += 1);
        if cells.iter().sum::<u32>() as usize != self.len {
            return Err(format!("{} elements are counted, others are in cells", self.len));
        }
        for item in 0..self.order.len() {
            let home = self.home[self.element(item) as usize];
            if home < INSERTED && !self.items(home).contains(&item) {
                return Err(format!("item {item} is not among the items of its home {home:#x}"));
            }
        }
        // Around the elements that each outlier cell is listed for.
        let mut fitted = BTreeMap::new();
        for (element, &home) in self.home.iter().enumerate() {
            if cells[element] != u32::from(home != NONE) {
                let times = cells[element];
                return Err(format!("element {element} of home {home:#x} is in {times} cells"));
            }
            if home != NONE {
                self.validate_element(elements, element as u32)?;
                let inserted = INSERTED | element as u32;
                if home >= INSERTED || self.is_outlier(element as u32) {
                    let cell = if home >= INSERTED { inserted } else { home };
                    let aabb = fitted.entry(cell).or_insert(Rect::EMPTY);
                    *aabb = aabb.union(&elements.shape(element).bounds());
                }
            }
        }
        for (&home, fitted) in &fitted {
            let place = if home >= INSERTED {
                Some(self.home[(home & !INSERTED) as usize] & !INSERTED)
            } else {
                self.tight.place_of(home)
            };
            let aabb = place.map(|place| self.tight.cells[place as usize].aabb);
            if aabb != Some(*fitted) {
                return Err(format!("cell {home:#x} has AABB {aabb:?} around {fitted:?}"));
            }
        }
        let mut listed = self.tight.in_block(self.tight.layout.block(&self.config.bounds));
        match listed.find(|cell| fitted.get(&cell.home) != Some(&cell.aabb)) {
            Some(cell) => Err(format!("cell {:#x} is listed with {:?}", cell.home, cell.aabb)),
            None => Ok(()),
        }
    }

    /// An element is an outlier if and only if it is recorded as one, an inserted one has an outlier
    /// cell of its own, and a search of its bounds or of its center finds it exactly once.
    fn validate_element<E: Elements + ?Sized>(
        &self,
        elements: &E,
        element: u32,
    ) -> Result<(), String> {
        let (home, shape) = (self.home[element as usize], elements.shape(element as usize));
        let (center, extent, bounds) = (shape.center(), shape.extent(), shape.bounds());
        if home >= INSERTED {
            if self.tight.cells[(home & !INSERTED) as usize].home != INSERTED | element {
                return Err(format!("inserted element {element} is not in its cell {home:#x}"));
            }
        } else if self.loose.stands_out(home, center, extent, self.near_limit) {
            let known = self.loose.overhang(home, center) <= self.max_drift
                && (extent <= self.near_limit || extent <= self.max_outlier_extent);
            if !known || !self.is_outlier(element) {
                return Err(format!("element {element} stands out of {home:#x}, unrecorded"));
            }
        } else if self.is_outlier(element) {
            return Err(format!("element {element} is near {home:#x}, but is an outlier"));
        }
        for probe in [bounds, Rect::new(bounds.center(), bounds.center())] {
            let mut times = 0;
            self.visit_rect(elements, &probe, |found| times += u32::from(found == element));
            if times != 1 && !probe.is_empty() {
                return Err(format!("element {element} is found {times} times in {probe:?}"));
            }
        }
        Ok(())
    }
}
