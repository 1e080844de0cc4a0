//! An axis-aligned rectangle: the world, the bounds of a cell or an element, a search area.

use glam::Vec2;

/// An axis-aligned rectangle in world units, border included; y points up. It also serves as a box
/// among the elements of a [`Grid`](crate::Grid).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The lower left corner.
    pub min: Vec2,
    /// The upper right corner.
    pub max: Vec2,
}

impl Rect {
    /// The rectangle without points: it intersects no other, and a union with it changes nothing.
    #[doc(hidden)]
    pub const EMPTY: Self = Self { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };

    /// The rectangle between two corners.
    pub const fn new(min: Vec2, max: Vec2) -> Self {
        Self { min, max }
    }

    /// The rectangle from the origin to `(width, height)`.
    pub const fn from_size(width: f32, height: f32) -> Self {
        Self { min: Vec2::ZERO, max: Vec2::new(width, height) }
    }

    /// The smallest rectangle around a disc.
    pub fn around(center: Vec2, radius: f32) -> Self {
        Self { min: center - radius, max: center + radius }
    }

    /// Width and height; negative for [`Rect::EMPTY`].
    pub fn size(&self) -> Vec2 {
        self.max - self.min
    }

    /// The extent along x.
    pub fn width(&self) -> f32 {
        self.max.x - self.min.x
    }

    /// The extent along y.
    pub fn height(&self) -> f32 {
        self.max.y - self.min.y
    }

    /// The point in the middle.
    pub fn center(&self) -> Vec2 {
        (self.min + self.max) * 0.5
    }

    /// True if the rectangle has no points.
    pub(crate) fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y)
    }

    /// True if the point lies in the rectangle or on its border.
    pub fn contains(&self, point: Vec2) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// True if all of `other` lies in the rectangle.
    #[doc(hidden)]
    pub fn contains_rect(&self, other: &Self) -> bool {
        other.min.cmpge(self.min).all() && other.max.cmple(self.max).all()
    }

    /// True if the two share a point, borders included.
    pub fn intersects(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && self.max.cmpge(other.min).all()
    }

    /// The part of the rectangle that lies in another; [empty](Self::is_empty) if there is none.
    #[must_use]
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The smallest rectangle around both.
    #[must_use]
    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        // Plain comparisons are one instruction each; `f32::min` and `max` also handle NaN.
        let min = |a: f32, b: f32| if b < a { b } else { a };
        let max = |a: f32, b: f32| if b > a { b } else { a };
        Self {
            min: Vec2::new(min(self.min.x, other.min.x), min(self.min.y, other.min.y)),
            max: Vec2::new(max(self.max.x, other.max.x), max(self.max.y, other.max.y)),
        }
    }

    /// The rectangle with every side moved outward by `by`, world units.
    #[must_use]
    pub fn expanded(&self, by: f32) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// The rectangle moved by a displacement.
    #[must_use]
    pub(crate) fn shifted(&self, by: Vec2) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// The point of the rectangle that is nearest to `point`.
    #[doc(hidden)]
    pub fn nearest(&self, point: Vec2) -> Vec2 {
        point.clamp(self.min, self.max)
    }
}
