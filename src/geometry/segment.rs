//! Straight lines: a segment between two points, and a ray from a point in a direction.

use glam::{DVec2, Vec2};

use super::rect::Rect;

/// The segment from `a` to `b`, both ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) a: Vec2,
    pub(crate) b: Vec2,
}

impl Segment {
    /// The part of the segment in a rectangle, as shares of its length; `None` if they share no
    /// point.
    pub(crate) fn clip(&self, rect: &Rect) -> Option<(f32, f32)> {
        let (a, b) = (self.a.as_dvec2(), self.b.as_dvec2());
        let (enter, leave, _) = clip(a, b - a, rect)?;
        let (enter, leave) = (enter.max(0.0), leave.min(1.0));
        (enter <= leave).then_some((enter as f32, leave as f32))
    }

    /// The point of the segment that is nearest to `point`.
    pub(crate) fn nearest(&self, point: Vec2) -> Vec2 {
        let along = self.b - self.a;
        // Scaled first: the squared length of a very long segment would overflow.
        let longest = along.abs().max_element();
        if longest == 0.0 {
            return self.a;
        }
        let unit = along / longest;
        let share = (point - self.a).dot(unit) / (unit.length_squared() * longest);
        self.a + along * share.clamp(0.0, 1.0)
    }
}

/// A ray: a point and a direction, in `f64`, so that a distant origin or a grazing hit loses no
/// digits.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub(super) origin: DVec2,
    /// The direction as it was given, not normalized, so that differences and products of `f32`
    /// values stay exact.
    pub(super) direction: DVec2,
    /// Length of the direction.
    pub(super) length: f64,
}

impl Ray {
    /// The ray from `origin` in a direction of any length above 0. `None` if the direction is zero,
    /// or if a coordinate is not finite.
    pub fn new(origin: Vec2, direction: Vec2) -> Option<Self> {
        let finite = origin.is_finite() && direction.is_finite() && direction != Vec2::ZERO;
        let (origin, direction) = (origin.as_dvec2(), direction.as_dvec2());
        finite.then(|| Self { origin, direction, length: direction.length() })
    }

    /// The point that the ray starts from, world units.
    pub fn origin(&self) -> DVec2 {
        self.origin
    }

    /// The direction as it was given, not normalized.
    pub fn direction(&self) -> DVec2 {
        self.direction
    }

    /// The point at a distance from the origin, world units.
    pub fn at(&self, distance: f64) -> Vec2 {
        (self.origin + self.direction * (distance / self.length)).as_vec2()
    }

    /// The distances at which the ray enters and leaves a box, and the axis through which it
    /// enters; `None` if they share no point. The entry is below 0 if the origin lies inside.
    pub(crate) fn clip(&self, rect: &Rect) -> Option<(f64, f64, usize)> {
        let (enter, leave, side) = clip(self.origin, self.direction, rect)?;
        (leave >= 0.0).then_some((enter * self.length, leave * self.length, side))
    }
}

/// The part of the line through `origin` and `origin + along` in a rectangle, as multiples of
/// `along`, and the axis that it enters through (the slab method); `None` if they share no point.
fn clip(origin: DVec2, along: DVec2, rect: &Rect) -> Option<(f64, f64, usize)> {
    if rect.is_empty() {
        return None;
    }
    let (min, max) = (rect.min.as_dvec2(), rect.max.as_dvec2());
    let (mut enter, mut leave, mut side) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for axis in 0..2 {
        let (from, along) = (origin[axis], along[axis]);
        if along == 0.0 {
            if from < min[axis] || from > max[axis] {
                return None;
            }
            continue;
        }
        let (s, t) = ((min[axis] - from) / along, (max[axis] - from) / along);
        if s.min(t) > enter {
            (enter, side) = (s.min(t), axis);
        }
        leave = leave.min(s.max(t));
    }
    (enter <= leave).then_some((enter, leave, side))
}
