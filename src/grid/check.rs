//! The checks of elements that callers lend, and of all invariants, for tests. A grid never holds
//! an element that no search would find.

use std::collections::BTreeMap;

use super::{
    Elements, Grid, Shape,
    config::EVERYWHERE,
    home::{INSERTED, NONE},
};
use crate::{
    error::{Error, Field, Limit, Result, Stored, Value},
    geometry::Rect,
    limits::COORDINATE_MAX,
    parallel,
};

/// Elements that are checked together.
const PIECE: usize = 4_096;

/// The bounds of an element.
///
/// # Errors
/// If there is no such element, or if a search could not find it.
pub(super) fn bounds_of<E: Elements + ?Sized>(elements: &E, element: u32) -> Result<Rect> {
    if element as usize >= elements.len() {
        return Err(missing(element as usize, elements.len()));
    }
    let bounds = elements.shape(element as usize).bounds();
    if !is_valid(&bounds) {
        return Err(invalid(element as usize, elements));
    }
    Ok(bounds)
}

/// True if a search can find an element with these bounds; false for NaN.
fn is_valid(bounds: &Rect) -> bool {
    !bounds.is_empty() && EVERYWHERE.contains_rect(bounds)
}

/// The reason why an element is not valid: its center, or its size.
fn invalid<E: Elements + ?Sized>(element: usize, elements: &E) -> Error {
    let shape = elements.shape(element);
    let (center, bounds) = (shape.center(), shape.bounds());
    if EVERYWHERE.contains(center) {
        // The radius of a disc; half the shorter side of a box, below 0 if it is inverted.
        let value = Value::Number((bounds.size() * 0.5).min_element());
        let limit = Limit::Numbers(0.0..=COORDINATE_MAX);
        Error::invalid(Field::ElementRadius(element as u32), value, limit)
    } else {
        let limit = Limit::Inside([EVERYWHERE.min, EVERYWHERE.max]);
        Error::invalid(Field::ElementCenter(element as u32), Value::Point(center), limit)
    }
}

/// The error of a caller that lent too few elements.
fn missing(element: usize, len: usize) -> Error {
    let limit = Limit::Counts(0..=len.saturating_sub(1) as u64);
    Error::invalid(Field::Element, Value::Count(element as u64), limit)
}

impl Grid {
    /// Checks that there is room for the elements and that searches can find them. `members`
    /// may restrict the check to elements that are in the grid. Sets the hull, the rectangle around
    /// the world and all checked elements.
    ///
    /// # Errors
    /// At the first element that fails.
    pub(crate) fn check_elements<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        members: Members,
    ) -> Result<()> {
        let count = elements.len();
        self.check_room(count)?;
        let (homes, others) = self.loose.home.split_at(count);
        let last = others.iter().rposition(|&home| home != NONE);
        if let (Members::Present, Some(last)) = (members, last) {
            return Err(missing(count + last, count));
        }
        let (hull, first_invalid) = parallel::pieces(
            homes,
            PIECE,
            &|first, homes: &[u32]| {
                let (mut hull, mut first_invalid) = (Rect::EMPTY, usize::MAX);
                for (index, &home) in homes.iter().enumerate() {
                    if members == Members::All || home != NONE {
                        let bounds = elements.shape(first + index).bounds();
                        hull = hull.union(&bounds);
                        if !is_valid(&bounds) {
                            first_invalid = first_invalid.min(first + index);
                        }
                    }
                }
                (hull, first_invalid)
            },
            &|(hull, first), (other_hull, other)| (hull.union(&other_hull), first.min(other)),
        );
        if first_invalid != usize::MAX {
            return Err(invalid(first_invalid, elements));
        }
        self.hull = self.config.bounds.union(&hull);
        Ok(())
    }

    /// Checks that the capacity has room for elements `0..count`.
    pub(super) fn check_room(&self, count: usize) -> Result<()> {
        let [more, capacity] = [count.saturating_sub(self.len), self.config.capacity];
        if count <= capacity {
            return Ok(());
        }
        let [more, len, capacity] = [more, self.len, capacity].map(|count| count as u64);
        Err(Error::Full { stored: Stored::Elements, more, len, capacity })
    }

    /// Checks every invariant of the grid for its elements, in much more time than a rebuild: for
    /// tests.
    ///
    /// # Errors
    /// [`Error::Invariant`] with a description of the first one that is broken.
    pub fn validate<E: Elements + ?Sized>(&self, elements: &E) -> Result<()> {
        self.check_invariants(elements).map_err(Error::Invariant)
    }

    fn check_invariants<E: Elements + ?Sized>(
        &self,
        elements: &E,
    ) -> std::result::Result<(), String> {
        let mut cells = vec![0; self.loose.home.len()];
        self.visit_all(|element| cells[element as usize] += 1);
        if cells.iter().sum::<u32>() as usize != self.len {
            return Err(format!("{} elements are counted, others are in cells", self.len));
        }
        for item in 0..self.loose.items.len() {
            let home = self.loose.home[self.loose.element(item) as usize];
            if home < INSERTED && !self.loose.items(home).contains(&item) {
                return Err(format!("item {item} is not among the items of its home {home:#x}"));
            }
        }
        // Around the elements that each outlier cell is listed for.
        let mut fitted = BTreeMap::new();
        for (element, &home) in self.loose.home.iter().enumerate() {
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
                Some(self.loose.home[(home & !INSERTED) as usize] & !INSERTED)
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

    /// An element is an outlier if and only if it is recorded as one, an inserted one has an
    /// outlier cell of its own, and a search of its bounds or of its center finds it exactly once.
    fn validate_element<E: Elements + ?Sized>(
        &self,
        elements: &E,
        element: u32,
    ) -> std::result::Result<(), String> {
        let (home, shape) = (self.loose.home[element as usize], elements.shape(element as usize));
        let (center, extent, bounds) = (shape.center(), shape.extent(), shape.bounds());
        if home >= INSERTED {
            if self.tight.cells[(home & !INSERTED) as usize].home != INSERTED | element {
                return Err(format!("inserted element {element} is not in its cell {home:#x}"));
            }
        } else if self.loose.stands_out(home, center, extent) {
            let known = self.loose.layout.overhang(home, center) <= self.outliers.max_drift()
                && (extent <= self.loose.near_limit || extent <= self.outliers.max_extent());
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

/// The elements that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// All elements of the caller.
    All,
    /// The elements that are in the grid.
    Present,
}
