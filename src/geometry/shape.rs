//! The operations that a search needs of an element: a disc or an axis-aligned box.

use glam::Vec2;

use super::{
    disc::Disc,
    rect::Rect,
    segment::{Ray, Segment},
};

/// The point at which a ray enters a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayEntry {
    /// The distance from the ray's origin to the first point of the shape, world units; 0 if the
    /// origin lies in the shape or on its border.
    pub distance: f64,
    /// The unit vector that points out of the shape at that point; zero if the distance is 0.
    pub normal: Vec2,
}

impl RayEntry {
    /// The ray starts in the shape.
    const INSIDE: Self = Self { distance: 0.0, normal: Vec2::ZERO };
}

/// The extent of an element around its center. [`Disc`] and [`Rect`] are shapes. All of them are
/// closed: their border belongs to them.
pub trait Shape: Copy {
    /// The point that decides the element's home cell.
    fn center(&self) -> Vec2;
    /// The smallest rectangle around the shape.
    fn bounds(&self) -> Rect;
    /// The farthest that the shape extends from its center along x or y, world units.
    fn extent(&self) -> f32;
    /// True if the shape shares a point with a rectangle.
    fn intersects_rect(&self, rect: &Rect) -> bool;
    /// True if a point of the shape is at most `radius` away from `center`.
    fn intersects_disc(&self, center: Vec2, radius: f32) -> bool;
    /// True if the shape shares a point with the segment from `a` to `b`.
    fn intersects_segment(&self, a: Vec2, b: Vec2) -> bool;
    /// The point at which a ray enters the shape; `None` if it misses.
    fn raycast(&self, ray: &Ray) -> Option<RayEntry>;
    /// The distance from a point to the shape, world units; 0 inside.
    fn distance(&self, point: Vec2) -> f32;
    /// True if the gap between two shapes is below `distance`; with 0, if they overlap.
    fn is_within(&self, other: &Self, distance: f32) -> bool;
}

impl Shape for Disc {
    fn center(&self) -> Vec2 {
        self.center
    }
    fn bounds(&self) -> Rect {
        self.bounds()
    }
    fn extent(&self) -> f32 {
        self.radius
    }
    fn intersects_rect(&self, rect: &Rect) -> bool {
        let d = self.center - rect.nearest(self.center);
        d.x * d.x + d.y * d.y <= self.radius * self.radius
    }
    fn intersects_disc(&self, center: Vec2, radius: f32) -> bool {
        let d = self.center - center;
        let reach = self.radius + radius;
        d.x * d.x + d.y * d.y <= reach * reach
    }
    fn intersects_segment(&self, a: Vec2, b: Vec2) -> bool {
        let d = self.center - Segment { a, b }.nearest(self.center);
        d.x * d.x + d.y * d.y <= self.radius * self.radius
    }
    fn raycast(&self, ray: &Ray) -> Option<RayEntry> {
        let (from, square) =
            (ray.origin - self.center.as_dvec2(), f64::from(self.radius) * f64::from(self.radius));
        if from.length_squared() <= square {
            return Some(RayEntry::INSIDE);
        }
        // The distance of the line from the center, times the length of the direction.
        let aside = from.perp_dot(ray.direction);
        let (length, toward) = (ray.length * ray.length, -from.dot(ray.direction));
        let half_chord = square * length - aside * aside;
        if toward < 0.0 || half_chord < 0.0 {
            return None;
        }
        let share = ((toward - half_chord.sqrt()) / length).max(0.0);
        // A point has no side: the ray meets it head on.
        let outward = if square > 0.0 { from + ray.direction * share } else { -ray.direction };
        let normal = outward.normalize_or_zero().as_vec2();
        Some(RayEntry { distance: share * ray.length, normal })
    }
    fn distance(&self, point: Vec2) -> f32 {
        let d = self.center - point;
        ((d.x * d.x + d.y * d.y).sqrt() - self.radius).max(0.0)
    }
    fn is_within(&self, other: &Self, distance: f32) -> bool {
        let d = other.center - self.center;
        let reach = self.radius + other.radius + distance;
        d.x * d.x + d.y * d.y < reach * reach
    }
}

/// A box is a [`Rect`]. Two boxes that only share a border do not overlap.
impl Shape for Rect {
    fn center(&self) -> Vec2 {
        self.center()
    }
    fn bounds(&self) -> Rect {
        *self
    }
    fn extent(&self) -> f32 {
        (self.size() * 0.5).max_element()
    }
    fn intersects_rect(&self, rect: &Rect) -> bool {
        self.intersects(rect)
    }
    fn intersects_disc(&self, center: Vec2, radius: f32) -> bool {
        let d = center - self.nearest(center);
        d.x * d.x + d.y * d.y <= radius * radius
    }
    fn intersects_segment(&self, a: Vec2, b: Vec2) -> bool {
        Segment { a, b }.clip(self).is_some()
    }
    fn raycast(&self, ray: &Ray) -> Option<RayEntry> {
        let (enter, _, axis) = ray.clip(self)?;
        if enter <= 0.0 {
            return Some(RayEntry::INSIDE);
        }
        let mut normal = Vec2::ZERO;
        normal[axis] = -ray.direction[axis].signum() as f32;
        Some(RayEntry { distance: enter, normal })
    }
    fn distance(&self, point: Vec2) -> f32 {
        let d = point - self.nearest(point);
        (d.x * d.x + d.y * d.y).sqrt()
    }
    fn is_within(&self, other: &Self, distance: f32) -> bool {
        let gap = (other.min - self.max).max(self.min - other.max);
        if gap.max_element() < 0.0 {
            return true;
        }
        let gap = gap.max(Vec2::ZERO);
        gap.x * gap.x + gap.y * gap.y < distance * distance
    }
}
