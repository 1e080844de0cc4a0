//! The areas that a search can cover: a rectangle, a disc or a segment.

use glam::Vec2;

use crate::geometry::{Disc, Rect, Segment, Shape};

/// An area to search.
pub(super) trait SearchArea {
    /// The smallest rectangle around the area.
    fn bounds(&self) -> Rect;
    /// The range of x that the area covers where `y0 <= y <= y1`; that of its bounds is always right.
    fn span(&self, y0: f32, y1: f32) -> Option<(f32, f32)>;
    /// True if the area shares a point with the AABB of a cell.
    fn intersects(&self, aabb: &Rect) -> bool;
    /// True if the area shares a point with an element.
    fn hits<S: Shape>(&self, element: &S) -> bool;
}

impl SearchArea for Rect {
    fn bounds(&self) -> Rect {
        *self
    }
    fn span(&self, _: f32, _: f32) -> Option<(f32, f32)> {
        Some((self.min.x, self.max.x))
    }
    fn intersects(&self, aabb: &Rect) -> bool {
        self.intersects(aabb)
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.intersects_rect(self)
    }
}

impl SearchArea for Disc {
    fn bounds(&self) -> Rect {
        self.bounds()
    }
    fn span(&self, _: f32, _: f32) -> Option<(f32, f32)> {
        Some((self.center.x - self.radius, self.center.x + self.radius))
    }
    fn intersects(&self, aabb: &Rect) -> bool {
        self.intersects_rect(aabb)
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.intersects_disc(self.center, self.radius)
    }
}

impl SearchArea for Segment {
    fn bounds(&self) -> Rect {
        Rect::new(self.a.min(self.b), self.a.max(self.b))
    }
    fn span(&self, y0: f32, y1: f32) -> Option<(f32, f32)> {
        let slab = Rect::new(Vec2::new(f32::NEG_INFINITY, y0), Vec2::new(f32::INFINITY, y1));
        let (enter, leave) = self.clip(&slab)?;
        let (p, q) = (self.a.lerp(self.b, enter).x, self.a.lerp(self.b, leave).x);
        // Rounding may move the ends by a few units in the last place of the largest coordinate.
        let margin = 4.0 * f32::EPSILON * (self.a.x.abs() + self.b.x.abs());
        Some((p.min(q) - margin, p.max(q) + margin))
    }
    fn intersects(&self, aabb: &Rect) -> bool {
        self.clip(aabb).is_some()
    }
    fn hits<S: Shape>(&self, element: &S) -> bool {
        element.intersects_segment(self.a, self.b)
    }
}
