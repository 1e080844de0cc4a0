//! What the grid holds and what it is searched with: discs and boxes, and areas that may meet them.
//!
//! The grid never owns the elements. Whoever calls it lends them as [`Elements`]: flat arrays, one
//! entry an element, in whatever order the caller keeps them.

use std::ops::Range;

use glam::Vec2;

use crate::geometry::Rect;

/// An element: a thing of some extent around a centre.
pub trait Shape: Copy {
    /// Decides the home cell.
    fn center(&self) -> Vec2;
    /// The smallest rectangle around it.
    fn bounds(&self) -> Rect;
    /// How far it extends from its centre, at most, along x or y.
    fn reach(&self) -> f32;
    /// True if it shares a point with the rectangle, be it on its border.
    fn meets_rect(&self, rect: &Rect) -> bool;
    /// True if a point of it is at most `radius` away from `center`.
    fn meets_disc(&self, center: Vec2, radius: f32) -> bool;
    /// True if the segment from `a` to `b` passes through it or touches it.
    fn meets_segment(&self, a: Vec2, b: Vec2) -> bool;
    /// Distance from a point to it; 0 inside.
    fn distance(&self, point: Vec2) -> f32;
    /// True if the two are nearer than `within` to each other; with 0, if they overlap.
    fn nearer(&self, other: &Self, within: f32) -> bool;
}

/// A disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// World units.
    pub center: Vec2,
    /// World units, at least 0.
    pub radius: f32,
}

impl Shape for Disc {
    fn center(&self) -> Vec2 {
        self.center
    }
    fn bounds(&self) -> Rect {
        Rect::around(self.center, self.radius)
    }
    fn reach(&self) -> f32 {
        self.radius
    }
    fn meets_rect(&self, rect: &Rect) -> bool {
        let d = self.center - rect.nearest(self.center);
        d.x * d.x + d.y * d.y <= self.radius * self.radius
    }
    fn meets_disc(&self, center: Vec2, radius: f32) -> bool {
        let d = self.center - center;
        let reach = self.radius + radius;
        d.x * d.x + d.y * d.y <= reach * reach
    }
    fn meets_segment(&self, a: Vec2, b: Vec2) -> bool {
        let d = self.center - nearest_on_segment(self.center, a, b);
        d.x * d.x + d.y * d.y <= self.radius * self.radius
    }
    fn distance(&self, point: Vec2) -> f32 {
        let d = self.center - point;
        ((d.x * d.x + d.y * d.y).sqrt() - self.radius).max(0.0)
    }
    fn nearer(&self, other: &Self, within: f32) -> bool {
        let d = other.center - self.center;
        let reach = self.radius + other.radius + within;
        d.x * d.x + d.y * d.y < reach * reach
    }
}

/// A box is a [`Rect`]: two that only share a border do not overlap.
impl Shape for Rect {
    fn center(&self) -> Vec2 {
        self.center()
    }
    fn bounds(&self) -> Rect {
        *self
    }
    fn reach(&self) -> f32 {
        (self.size() * 0.5).max_element()
    }
    fn meets_rect(&self, rect: &Rect) -> bool {
        self.intersects(rect)
    }
    fn meets_disc(&self, center: Vec2, radius: f32) -> bool {
        let d = center - self.nearest(center);
        d.x * d.x + d.y * d.y <= radius * radius
    }
    fn meets_segment(&self, a: Vec2, b: Vec2) -> bool {
        clip(a, b, self).is_some()
    }
    fn distance(&self, point: Vec2) -> f32 {
        let d = point - self.nearest(point);
        (d.x * d.x + d.y * d.y).sqrt()
    }
    fn nearer(&self, other: &Self, within: f32) -> bool {
        let gap = (other.min - self.max).max(self.min - other.max);
        if gap.max_element() < 0.0 {
            return true;
        }
        let gap = gap.max(Vec2::ZERO);
        gap.x * gap.x + gap.y * gap.y < within * within
    }
}

/// Elements lent to the grid, indexed `0..len`.
pub trait Elements: Sync {
    /// Discs or boxes.
    type Shape: Shape;
    /// How many there are.
    fn len(&self) -> usize;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The element with that index.
    fn get(&self, index: usize) -> Self::Shape;
    /// The centres and reaches of some, by index: what a rebuild and a refit go through.
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        range.map(|index| {
            let shape = self.get(index);
            (shape.center(), shape.reach())
        })
    }
}

/// Discs as three arrays of one length.
#[derive(Clone, Copy, Debug)]
pub struct Discs<'a> {
    /// Centres.
    pub x: &'a [f32],
    /// Centres.
    pub y: &'a [f32],
    /// At least 0.
    pub radius: &'a [f32],
}

impl Elements for Discs<'_> {
    type Shape = Disc;
    fn len(&self) -> usize {
        self.x.len()
    }
    fn get(&self, index: usize) -> Disc {
        Disc { center: Vec2::new(self.x[index], self.y[index]), radius: self.radius[index] }
    }
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        let centers = self.x[range.clone()].iter().zip(&self.y[range.clone()]);
        centers.zip(&self.radius[range]).map(|((&x, &y), &radius)| (Vec2::new(x, y), radius))
    }
}

/// Boxes as they are.
impl Elements for [Rect] {
    type Shape = Rect;
    fn len(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Rect {
        self[index]
    }
}

/// Discs as they are.
impl Elements for [Disc] {
    type Shape = Disc;
    fn len(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Disc {
        self[index]
    }
}

/// What a search covers.
pub(super) trait Area {
    /// The smallest rectangle around it.
    fn bounds(&self) -> Rect;
    /// The part of x that it covers where `y0 <= y <= y1`; the whole of its bounds will do.
    fn span(&self, y0: f32, y1: f32) -> Option<(f32, f32)>;
    /// True if it shares a point with a cell's AABB.
    fn meets(&self, rect: &Rect) -> bool;
    /// True if it shares a point with an element.
    fn hits<S: Shape>(&self, element: &S) -> bool;
}

impl Area for Rect {
    fn bounds(&self) -> Rect {
        *self
    }
    fn span(&self, _: f32, _: f32) -> Option<(f32, f32)> {
        Some((self.min.x, self.max.x))
    }
    fn meets(&self, rect: &Rect) -> bool {
        self.intersects(rect)
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.meets_rect(self)
    }
}

impl Area for Disc {
    fn bounds(&self) -> Rect {
        Shape::bounds(self)
    }
    fn span(&self, _: f32, _: f32) -> Option<(f32, f32)> {
        Some((self.center.x - self.radius, self.center.x + self.radius))
    }
    fn meets(&self, rect: &Rect) -> bool {
        self.meets_rect(rect)
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.meets_disc(self.center, self.radius)
    }
}

/// A segment from `a` to `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) a: Vec2,
    pub(super) b: Vec2,
}

impl Area for Segment {
    fn bounds(&self) -> Rect {
        Rect::new(self.a.min(self.b), self.a.max(self.b))
    }
    fn span(&self, y0: f32, y1: f32) -> Option<(f32, f32)> {
        let slab = Rect::new(Vec2::new(f32::NEG_INFINITY, y0), Vec2::new(f32::INFINITY, y1));
        let (enter, leave) = clip(self.a, self.b, &slab)?;
        let (p, q) = (self.a.lerp(self.b, enter).x, self.a.lerp(self.b, leave).x);
        // Rounding may move the ends by a few units in the last place of the largest coordinate.
        let margin = 4.0 * f32::EPSILON * (self.a.x.abs() + self.b.x.abs());
        Some((p.min(q) - margin, p.max(q) + margin))
    }
    fn meets(&self, rect: &Rect) -> bool {
        clip(self.a, self.b, rect).is_some()
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.meets_segment(self.a, self.b)
    }
}

/// The part of the segment in a rectangle, as shares of its length: the slab method.
fn clip(a: Vec2, b: Vec2, rect: &Rect) -> Option<(f32, f32)> {
    if rect.is_empty() {
        return None;
    }
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    for axis in 0..2 {
        let (from, along) = (a[axis], b[axis] - a[axis]);
        if along == 0.0 {
            if from < rect.min[axis] || from > rect.max[axis] {
                return None;
            }
        } else {
            let (s, t) = ((rect.min[axis] - from) / along, (rect.max[axis] - from) / along);
            enter = enter.max(s.min(t));
            leave = leave.min(s.max(t));
        }
    }
    (enter <= leave).then_some((enter, leave))
}

/// The point of the segment that is nearest to `point`.
fn nearest_on_segment(point: Vec2, a: Vec2, b: Vec2) -> Vec2 {
    let along = b - a;
    // The square of a ray that is to reach anything would be infinite.
    let longest = along.abs().max_element();
    if longest == 0.0 {
        return a;
    }
    let unit = along / longest;
    let share = (point - a).dot(unit) / (unit.length_squared() * longest);
    a + along * share.clamp(0.0, 1.0)
}
