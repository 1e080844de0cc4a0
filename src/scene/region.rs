//! Regions: the parts of the world that agents start in.

use glam::Vec2;

use crate::geometry::Rect;

/// A part of the world in which discs lie completely.
#[derive(Clone, Copy, Debug)]
pub(super) enum Region {
    Rect(Rect),
    Disc { center: Vec2, radius: f32 },
}

impl Region {
    /// The rectangle around it.
    pub(super) fn bounds(&self) -> Rect {
        match *self {
            Self::Rect(rect) => rect,
            Self::Disc { center, radius } => Rect::around(center, radius),
        }
    }

    /// Square world units.
    pub(super) fn area(&self) -> f64 {
        match *self {
            Self::Rect(rect) => f64::from(rect.width()) * f64::from(rect.height()),
            Self::Disc { radius, .. } => {
                f64::from(radius) * f64::from(radius) * std::f64::consts::PI
            }
        }
    }

    /// The share of its area that discs of these radii cover.
    pub(super) fn share(&self, radii: &[f32]) -> f64 {
        let squares: f64 = radii.iter().map(|&radius| f64::from(radius) * f64::from(radius)).sum();
        squares * std::f64::consts::PI / self.area()
    }

    /// Area in which the centers of discs of radius `disc` may lie, square world units; 0 if there
    /// is no room.
    pub(super) fn area_for_centers(&self, disc: f64) -> f64 {
        match *self {
            Self::Rect(rect) => {
                let [width, height] = [rect.width(), rect.height()].map(f64::from);
                (width - 2.0 * disc).max(0.0) * (height - 2.0 * disc).max(0.0)
            }
            Self::Disc { radius, .. } => {
                (f64::from(radius) - disc).max(0.0).powi(2) * std::f64::consts::PI
            }
        }
    }

    /// Whether a disc lies completely in the region. For a rectangle the test is exact to the last
    /// bit, whether the radius is added to the position or subtracted from the border.
    pub(super) fn holds(&self, at: Vec2, disc: f32) -> bool {
        match *self {
            Self::Rect(rect) => {
                rect.contains_rect(&Rect::around(at, disc)) && rect.expanded(-disc).contains(at)
            }
            Self::Disc { center, radius } => {
                let (apart, free) = (at - center, radius - disc);
                free >= 0.0 && apart.x * apart.x + apart.y * apart.y <= free * free
            }
        }
    }

    /// Whether a part of a rectangle within its bounds lies in the region.
    pub(super) fn reaches(&self, rect: &Rect) -> bool {
        match *self {
            Self::Rect(_) => true,
            Self::Disc { center, radius } => {
                let apart = rect.nearest(center) - center;
                apart.x * apart.x + apart.y * apart.y <= radius * radius
            }
        }
    }

    /// The nearest position to `at` at which a disc lies in a rectangle to the last bit. In a disc,
    /// `at` itself.
    pub(super) fn pull_in(&self, at: Vec2, disc: f32) -> Vec2 {
        match *self {
            Self::Rect(rect) => centers(&rect, disc).nearest(at),
            Self::Disc { .. } => at,
        }
    }

    /// The first and the last center, on the line at height `y`, of discs that lie in the region.
    /// In a disc the centers end a little short of its rim, so that rounding leaves them inside.
    pub(super) fn chord(&self, y: f64, disc: f64) -> [f64; 2] {
        match *self {
            Self::Rect(rect) => [f64::from(rect.min.x) + disc, f64::from(rect.max.x) - disc],
            Self::Disc { center, radius } => {
                let (free, above) = (f64::from(radius) - disc * 1.02, y - f64::from(center.y));
                let half = (free * free - above * above).max(0.0).sqrt();
                [f64::from(center.x) - half, f64::from(center.x) + half]
            }
        }
    }
}

/// The centers at which a disc lies in a rectangle to the last bit: a border and a radius may round to
/// a center whose disc reaches beyond the border.
fn centers(rect: &Rect, disc: f32) -> Rect {
    let Rect { mut min, mut max } = rect.expanded(-disc);
    for axis in 0..2 {
        while min[axis] - disc < rect.min[axis] {
            min[axis] = min[axis].next_up();
        }
        while max[axis] + disc > rect.max[axis] {
            max[axis] = max[axis].next_down();
        }
    }
    Rect::new(min, max)
}
