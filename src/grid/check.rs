//! The checks of elements that callers lend. A grid never holds an element that no search would
//! find.

use super::{Elements, Grid, Shape, config::EVERYWHERE, home::NONE};
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
    pub(super) fn check_elements<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        members: Members,
    ) -> Result<()> {
        let count = elements.len();
        self.check_room(count)?;
        let (homes, others) = self.home.split_at(count);
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
}

/// The elements that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Members {
    /// All elements of the caller.
    All,
    /// The elements that are in the grid.
    Present,
}
