//! The invariants, checked one by one: tests call this after every step.

use std::collections::BTreeMap;

use super::{Elements, Grid, NONE, OVERFLOW, Shape};
use crate::geometry::Rect;

impl Grid {
    /// Checks every invariant of the grid for the elements that it holds.
    ///
    /// # Errors
    /// The first one that is broken, as a sentence.
    pub fn validate<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        self.validate_homes(elements)?;
        self.validate_wide(elements)?;
        self.validate_lists()?;
        self.validate_searches(elements)
    }

    /// Every element is in exactly one loose cell, and near it unless it is known to be far.
    fn validate_homes<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut met = vec![false; self.home.len()];
        let mut count = 0;
        let mut fault = None;
        self.for_each_element(|element| {
            count += 1;
            if std::mem::replace(&mut met[element as usize], true) {
                fault = Some(format!("element {element} is in two cells"));
            }
        });
        for item in 0..self.order.len() {
            let element = self.element(item);
            let home = self.home[element as usize];
            if home < OVERFLOW && !self.items(home).contains(&item) {
                fault = Some(format!("element {element} is not among the items of its home"));
            }
        }
        if count != self.len {
            fault = Some(format!("{count} elements are in cells and {} are counted", self.len));
        }
        let (mut astray, mut widest) = (0.0_f32, 0.0_f32);
        for (element, &home) in self.home.iter().enumerate() {
            if met[element] != (home != NONE) {
                fault = Some(format!("element {element} has home {home} and is not in it"));
            } else if home < OVERFLOW {
                let shape = elements.shape(element);
                let out = self.loose.stands_out(home, shape.center(), shape.extent(), self.reach);
                if out != self.is_far(element as u32) {
                    fault = Some(format!("element {element} stands out of {home:#x}: {out}"));
                }
                if out {
                    astray = astray.max(self.loose.overhang(home, shape.center()));
                    let reach = if shape.extent() > self.reach { shape.extent() } else { 0.0 };
                    widest = widest.max(reach);
                }
            } else if home != NONE {
                let center = elements.shape(element).center();
                let cell = self.loose.cell(center);
                if self.overflow.find(cell[0], cell[1]) != Some(home & !OVERFLOW) {
                    fault = Some(format!("element {element} is not in the overflow of {cell:?}"));
                }
            }
        }
        let (known, found) = ([self.astray, self.widest], [astray, widest]);
        // Who was removed since the last refit may have been the farthest.
        let bounds = self.edited && known.iter().zip(&found).all(|(known, found)| known >= found);
        if known != found && !bounds {
            fault = Some(format!("far elements are {found:?} astray and wide, not {known:?}"));
        }
        fault.map_or(Ok(()), Err)
    }

    /// The AABBs of wide cells, and of those in the overflow, contain what they are for and are no larger.
    fn validate_wide<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut fitted: BTreeMap<u32, (Rect, bool)> = BTreeMap::new();
        for (element, &home) in self.home.iter().enumerate().filter(|&(_, &home)| home != NONE) {
            let shape = elements.shape(element);
            let far = if home < OVERFLOW {
                self.is_far(element as u32)
            } else {
                shape.extent() > self.reach
            };
            if far || home >= OVERFLOW {
                let (aabb, wide) = fitted.entry(home).or_insert((Rect::EMPTY, false));
                *aabb = aabb.union(&shape.bounds());
                *wide |= far;
            }
        }
        for (&home, &(fitted, wide)) in &fitted {
            let (aabb, listed) = self.aabb(home);
            if aabb != fitted {
                return Err(format!("cell {home:#x} has AABB {aabb:?} around {fitted:?}"));
            }
            if wide && !listed {
                return Err(format!("cell {home:#x} is wide and not listed"));
            }
        }
        for [col, row] in self.tight.layout.block(&self.config.bounds).iter() {
            let mut fault = None;
            self.tight.listed_in([col, row], |place| {
                let home = self.tight.wide[place as usize].home;
                if !fitted.contains_key(&home) {
                    fault = Some(format!("cell {home:#x} is listed in ({col}, {row}) for nobody"));
                }
            });
            fault.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Each wide cell is listed in every tight cell under its AABB, once.
    fn validate_lists(&self) -> Result<(), String> {
        for (place, wide) in (0..).zip(&self.tight.wide) {
            if wide.aabb.is_empty() {
                continue;
            }
            for [col, row] in self.tight.layout.block(&wide.aabb).iter() {
                let mut times = 0;
                self.tight.listed_in([col, row], |listed| times += u32::from(listed == place));
                if times != 1 {
                    return Err(format!(
                        "wide cell {:#x} is listed {times} times in tight cell ({col}, {row})",
                        wide.home
                    ));
                }
            }
        }
        Ok(())
    }

    /// Every element is found exactly once by a search for where it is.
    fn validate_searches<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        for (element, _) in self.home.iter().enumerate().filter(|&(_, &home)| home != NONE) {
            let bounds = elements.shape(element).bounds();
            for probe in [bounds, Rect::new(bounds.center(), bounds.center())] {
                let mut times = 0;
                self.visit_rect(elements, &probe, |found| {
                    times += u32::from(found as usize == element);
                });
                if times != 1 && !probe.is_empty() {
                    return Err(format!("element {element} is found {times} times in {probe:?}"));
                }
            }
        }
        Ok(())
    }

    /// The AABB of a cell, and whether it is listed as wide.
    fn aabb(&self, home: u32) -> (Rect, bool) {
        if home & OVERFLOW == 0 {
            let place = self.tight.place_of(home);
            return place.map_or((Rect::EMPTY, false), |place| {
                (self.tight.wide[place as usize].aabb, true)
            });
        }
        let cell = &self.overflow.cells[(home & !OVERFLOW) as usize];
        match cell.wide {
            NONE => (cell.aabb, false),
            place => (self.tight.wide[place as usize].aabb, true),
        }
    }
}
