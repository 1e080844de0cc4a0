//! The invariants, checked one by one: tests call this after every step.

use std::collections::BTreeMap;

use super::{
    Elements, LooseTightGrid, NONE, OVERFLOW, Shape,
    pages::Place,
    shape::{Area, Disc},
};
use crate::rect::Rect;

impl LooseTightGrid {
    /// Checks every invariant of the grid for the elements that it holds.
    ///
    /// # Errors
    /// The first one that is broken, as a sentence.
    pub fn validate<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        self.validate_homes(elements)?;
        self.validate_cells(elements)?;
        self.validate_lists()
    }

    /// Every element is in exactly one loose cell: the one that its centre lies in, or no farther away
    /// than the slack.
    fn validate_homes<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut met = vec![false; self.home.len()];
        let mut count = 0;
        let mut twice = None;
        self.for_each_element(|element| {
            count += 1;
            if std::mem::replace(&mut met[element as usize], true) {
                twice = Some(element);
            }
        });
        if let Some(element) = twice {
            return Err(format!("element {element} is in two cells"));
        }
        if count != self.len {
            return Err(format!("{count} elements are in cells and {} are counted", self.len));
        }
        for (element, &home) in self.home.iter().enumerate() {
            if met[element] != (home != NONE) {
                return Err(format!("element {element} has home {home} and is not in it"));
            }
            if home == NONE {
                continue;
            }
            let center = elements.get(element).center();
            let near = self.loose.under(&Rect::around(center, self.config.slack));
            let at_home = near.iter().any(|(col, row)| {
                if home & OVERFLOW == 0 {
                    self.pages.place(col, row) == Place::Stored(home)
                } else {
                    self.overflow.find(col, row) == Some(home & !OVERFLOW)
                }
            });
            if !at_home {
                return Err(format!(
                    "element {element} at {center} is too far from its home {home}"
                ));
            }
        }
        Ok(())
    }

    /// AABBs contain their elements and are no larger; every cell is found exactly once by a search that
    /// its AABB meets.
    fn validate_cells<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut fitted = BTreeMap::new();
        for (element, &home) in self.home.iter().enumerate().filter(|&(_, &home)| home != NONE) {
            let shape = elements.get(element);
            let (aabb, reach) = fitted.entry(home).or_insert((Rect::NOTHING, 0.0_f32));
            *aabb = aabb.union(&shape.bounds());
            *reach = reach.max(shape.reach());
        }
        for (&home, &(fitted, reach)) in &fitted {
            let (aabb, is_wide) = self.aabb(home);
            if aabb != fitted {
                return Err(format!("cell {home} has AABB {aabb:?} around {fitted:?}"));
            }
            if !is_wide && reach > self.narrow_reach() {
                return Err(format!(
                    "cell {home} holds a reach of {reach} and is not listed as wide"
                ));
            }
            for probe in [aabb.min, aabb.center(), aabb.max] {
                let mut times = 0;
                let area = Disc { center: probe, radius: 0.0 };
                debug_assert!(area.meets(&aabb));
                self.visit_homes(&area, |found| times += u32::from(found == home));
                if times != 1 {
                    return Err(format!("cell {home} is found {times} times at {probe}"));
                }
            }
        }
        let empty = |home: u32| !fitted.contains_key(&home);
        for cell in 0..self.pages.cells() as u32 {
            if empty(cell) && !self.aabbs[cell as usize].is_nothing() {
                return Err(format!("the empty cell {cell} has an AABB"));
            }
        }
        for (col, row) in self.tight.lattice.under(&self.config.bounds).iter() {
            let mut fault = None;
            self.tight.listed_in(col, row, |place| {
                let home = self.tight.wide[place as usize].home;
                if empty(home) {
                    fault = Some(format!("the empty cell {home} is listed in ({col}, {row})"));
                }
            });
            fault.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Each wide cell is listed in every tight cell under its AABB, once.
    fn validate_lists(&self) -> Result<(), String> {
        for (place, wide) in (0..).zip(&self.tight.wide) {
            if wide.aabb.is_nothing() {
                continue;
            }
            for (col, row) in self.tight.lattice.under(&wide.aabb).iter() {
                let mut times = 0;
                self.tight.listed_in(col, row, |listed| times += u32::from(listed == place));
                if times != 1 {
                    return Err(format!(
                        "wide cell {} is listed {times} times in tight cell ({col}, {row})",
                        wide.home
                    ));
                }
            }
        }
        Ok(())
    }

    /// The AABB of a cell as homes name it, and whether it is wide.
    fn aabb(&self, home: u32) -> (Rect, bool) {
        let place = if home & OVERFLOW == 0 {
            self.tight.place_of(home)
        } else {
            let wide = self.overflow.cells[(home & !OVERFLOW) as usize].wide;
            (wide != NONE).then_some(wide)
        };
        match place {
            Some(place) => (self.tight.wide[place as usize].aabb, true),
            None if home & OVERFLOW == 0 => (self.aabbs[home as usize], false),
            None => (self.overflow.cells[(home & !OVERFLOW) as usize].aabb, false),
        }
    }
}
