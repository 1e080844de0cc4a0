//! A check of all invariants, for tests.

use std::collections::BTreeMap;

use super::{
    Elements, Grid, Shape,
    home::{NONE, OVERFLOW},
};
use crate::geometry::Rect;

impl Grid {
    /// Checks every invariant of the grid for its elements, in much more time than a rebuild: for tests.
    ///
    /// # Errors
    /// A description of the first invariant that is broken.
    pub fn validate<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        self.validate_homes(elements)?;
        self.validate_outlier_cells(elements)?;
        self.validate_lists()?;
        self.validate_searches(elements)
    }

    /// Every element is in exactly one loose cell, and near it unless it is recorded as an outlier.
    fn validate_homes<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut seen = vec![false; self.home.len()];
        let mut count = 0;
        let mut fault = None;
        self.visit_all(|element| {
            count += 1;
            if std::mem::replace(&mut seen[element as usize], true) {
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
        let (mut drift, mut largest) = (0.0_f32, 0.0_f32);
        for (element, &home) in self.home.iter().enumerate() {
            if seen[element] != (home != NONE) {
                fault = Some(format!("element {element} has home {home} and is not in it"));
            } else if home < OVERFLOW {
                let shape = elements.shape(element);
                let out =
                    self.loose.stands_out(home, shape.center(), shape.extent(), self.near_limit);
                if out != self.is_outlier(element as u32) {
                    fault = Some(format!("element {element} stands out of {home:#x}: {out}"));
                }
                if out {
                    drift = drift.max(self.loose.overhang(home, shape.center()));
                    let extent =
                        if shape.extent() > self.near_limit { shape.extent() } else { 0.0 };
                    largest = largest.max(extent);
                }
            } else if home != NONE {
                let center = elements.shape(element).center();
                let cell = self.loose.cell(center);
                if self.overflow.find(cell) != Some(home & !OVERFLOW) {
                    fault = Some(format!("element {element} is not in the overflow of {cell:?}"));
                }
            }
        }
        let known = [self.max_drift, self.max_outlier_extent];
        let found = [drift, largest];
        // An element removed since the last update may have been the farthest.
        let bounds = self.edited && known.iter().zip(&found).all(|(known, found)| known >= found);
        if known != found && !bounds {
            fault = Some(format!("drift and extent of outliers are {found:?}, not {known:?}"));
        }
        fault.map_or(Ok(()), Err)
    }

    /// The AABBs of outlier cells and of overflow cells contain their elements and are no larger.
    fn validate_outlier_cells<E: Elements + ?Sized>(&self, elements: &E) -> Result<(), String> {
        let mut fitted: BTreeMap<u32, (Rect, bool)> = BTreeMap::new();
        for (element, &home) in self.home.iter().enumerate().filter(|&(_, &home)| home != NONE) {
            let shape = elements.shape(element);
            let outlier = if home < OVERFLOW {
                self.is_outlier(element as u32)
            } else {
                shape.extent() > self.near_limit
            };
            if outlier || home >= OVERFLOW {
                let (aabb, listed) = fitted.entry(home).or_insert((Rect::EMPTY, false));
                *aabb = aabb.union(&shape.bounds());
                *listed |= outlier;
            }
        }
        for (&home, &(fitted, outlier)) in &fitted {
            let (aabb, listed) = self.aabb(home);
            if aabb != fitted {
                return Err(format!("cell {home:#x} has AABB {aabb:?} around {fitted:?}"));
            }
            if outlier && !listed {
                return Err(format!("cell {home:#x} has an outlier and is not listed"));
            }
        }
        for cell in self.tight.layout.block(&self.config.bounds).iter() {
            for place in self.tight.places_in(cell) {
                let home = self.tight.cells[place as usize].home;
                if !fitted.contains_key(&home) {
                    return Err(format!("cell {home:#x} is listed in {cell:?} without an outlier"));
                }
            }
        }
        Ok(())
    }

    /// Each outlier cell is listed in every tight cell under its AABB, once.
    fn validate_lists(&self) -> Result<(), String> {
        for (place, outlier) in (0..).zip(&self.tight.cells) {
            if outlier.aabb.is_empty() {
                continue;
            }
            for cell in self.tight.layout.block(&outlier.aabb).iter() {
                let times = self.tight.places_in(cell).filter(|&listed| listed == place).count();
                if times != 1 {
                    let home = outlier.home;
                    return Err(format!(
                        "outlier cell {home:#x} is listed {times} times in {cell:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// A search of its bounds and of its center finds every element exactly once.
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

    /// The AABB of a cell, and whether the tight grid lists it.
    fn aabb(&self, home: u32) -> (Rect, bool) {
        if home & OVERFLOW == 0 {
            let place = self.tight.place_of(home);
            return place.map_or((Rect::EMPTY, false), |place| {
                (self.tight.cells[place as usize].aabb, true)
            });
        }
        let cell = &self.overflow.cells[(home & !OVERFLOW) as usize];
        match cell.place {
            NONE => (cell.aabb, false),
            place => (self.tight.cells[place as usize].aabb, true),
        }
    }
}
