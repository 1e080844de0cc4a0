//! Raycasts: the first element along a ray.
//!
//! The ray is searched in pieces, each twice as long as the piece before, so that a hit nearby
//! costs little. A search of one piece finds every element that has a point on it. So the nearest
//! hit of the first piece with a hit inside it is the nearest of all.

use glam::Vec2;

use super::{Elements, Grid};
use crate::geometry::{Ray, RayEntry, Segment, Shape};

/// The result of a raycast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The index of the element.
    pub element: u32,
    /// The point at which the ray enters the element, world units.
    pub point: Vec2,
    /// The unit vector that points out of the element there; zero if the ray starts in the element
    /// or on its border.
    pub normal: Vec2,
    /// The distance from the origin to the point, world units; 0 if the ray starts in the element.
    pub distance: f32,
}

impl Grid {
    /// The first element along a ray among those that `accept` returns true for, at most `max`
    /// world units away (which may be infinite): of two at the same distance, the one with the
    /// lower index. `None` if the ray hits nothing.
    ///
    /// The direction may have any length above 0; a zero or not finite direction or origin, and a
    /// `max` that is negative or NaN, hit nothing. Borders belong to elements: a ray that grazes
    /// one hits it. A ray that starts in an element hits it at distance 0; use `accept` to leave
    /// out the element that shoots. `accept` may be called several times for one element.
    ///
    /// Takes time in proportion to the elements in the cells along the ray, up to about twice the
    /// distance of the hit. Elements must not have moved since the last rebuild or update.
    ///
    /// ```
    /// use jostle::{Disc, Grid, GridConfig, Rect, Vec2};
    ///
    /// let discs = [2.0, 6.0, 9.0].map(|x| Disc::new(Vec2::new(x, 4.0), 1.0));
    /// let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, discs.len()))?;
    /// grid.rebuild(&discs)?;
    ///
    /// let shooter = 0;
    /// let origin = discs[shooter].center;
    /// let others = |disc| disc as usize != shooter;
    /// let hit = grid.raycast(&discs, origin, Vec2::X, f32::INFINITY, others);
    /// let hit = hit.expect("the second disc is in the way");
    /// assert_eq!((hit.element, hit.distance), (1, 3.0));
    /// assert_eq!((hit.point, hit.normal), (Vec2::new(5.0, 4.0), Vec2::NEG_X));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    #[must_use]
    pub fn raycast<E: Elements + ?Sized>(
        &self,
        elements: &E,
        origin: Vec2,
        direction: Vec2,
        max: f32,
        accept: impl Fn(u32) -> bool,
    ) -> Option<RayHit> {
        let ray = Ray::new(origin, direction)?;
        if max.is_nan() || max < 0.0 {
            return None;
        }
        let max = f64::from(max);
        // No element reaches out of the hull, but for rounding.
        let (enter, leave, _) = ray.clip(&self.hull.expanded(self.margin(&self.hull)))?;
        let (mut from, end) = (enter.max(0.0), leave.min(max));
        let mut length = 2.0 * f64::from(self.config.loose_size.max_element());
        let mut first: Option<(u32, RayEntry)> = None;
        while from <= end {
            let to = (from + length).min(end);
            let entry = |element: u32| {
                elements.shape(element as usize).raycast(&ray).filter(|entry| entry.distance <= max)
            };
            let piece = Segment { a: ray.at(from), b: ray.at(to) };
            self.visit_area(&piece, entry, |element, entry| {
                let Some(entry) = entry else { return };
                let before = first.is_none_or(|(other, nearest)| {
                    (entry.distance, element) < (nearest.distance, other)
                });
                if before && accept(element) {
                    first = Some((element, entry));
                }
            });
            if to >= end || first.is_some_and(|(_, entry)| entry.distance <= to) {
                break;
            }
            (from, length) = (to, 2.0 * length);
        }
        first.map(|(element, RayEntry { distance, normal })| RayHit {
            element,
            point: ray.at(distance),
            normal,
            distance: distance as f32,
        })
    }
}
