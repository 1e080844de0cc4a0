//! A static as the step takes it: the points at most `radius` away from a core.
//!
//! ```text
//!    ●  a point: a disc      ▄▄▄▄  a rectangle: a box, whose radius is 0     ⟋  a diagonal: a capsule
//! ```

use glam::{DVec2, Vec2};

use super::shape::Static;
use crate::geometry::{Disc, Ray, Rect, Shape};

/// The points at most `radius` away from a core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rounded {
    /// The core, or the rectangle around it.
    pub(crate) core: Rect,
    pub(crate) radius: f32,
    slant: Slant,
}

/// What of its rectangle the core is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slant {
    /// All of it.
    Whole,
    /// The diagonal from its lower left corner.
    Up,
    /// The diagonal from its upper left corner.
    Down,
}

impl From<Static> for Rounded {
    fn from(shape: Static) -> Self {
        let (core, radius, slant) = match shape {
            Static::Disc(Disc { center, radius }) => {
                (Rect::new(center, center), radius, Slant::Whole)
            }
            Static::Box(core) => (core, 0.0, Slant::Whole),
            Static::Capsule { ends: [a, b], radius } => {
                let slant = if a.x == b.x || a.y == b.y {
                    Slant::Whole
                } else if (a.x < b.x) == (a.y < b.y) {
                    Slant::Up
                } else {
                    Slant::Down
                };
                (Rect::new(a.min(b), a.max(b)), radius, slant)
            }
        };
        Self { core, radius, slant }
    }
}

impl From<Rounded> for Static {
    fn from(shape: Rounded) -> Self {
        let Rounded { core, radius, .. } = shape;
        match radius > 0.0 {
            true if core.min == core.max => Self::disc(core.min, radius),
            true => Self::Capsule { ends: shape.ends(), radius },
            false => Self::Box(core),
        }
    }
}

impl Rounded {
    /// Opposite corners of a core that is a rectangle, or the ends of a diagonal.
    pub(crate) fn ends(&self) -> [Vec2; 2] {
        let Rect { min, max } = self.core;
        match self.slant {
            Slant::Whole | Slant::Up => [min, max],
            Slant::Down => [Vec2::new(min.x, max.y), Vec2::new(max.x, min.y)],
        }
    }

    /// True if the core is a diagonal.
    #[inline]
    pub(super) fn is_slanted(&self) -> bool {
        self.slant != Slant::Whole
    }

    /// True if the core is a line, in any direction.
    pub(super) fn is_capsule(&self) -> bool {
        self.radius > 0.0 && self.core.min != self.core.max
    }

    /// The corners of the core, or its ends twice.
    pub(super) fn corners(&self) -> [Vec2; 4] {
        let Rect { min, max } = self.core;
        if self.is_slanted() {
            let [a, b] = self.ends();
            return [a, b, a, b];
        }
        [min, Vec2::new(max.x, min.y), Vec2::new(min.x, max.y), max]
    }

    /// From the nearest point of the core to a point.
    #[inline]
    fn away(&self, at: Vec2) -> Vec2 {
        if self.is_slanted() {
            return self.away_from_line(at.as_dvec2()).as_vec2();
        }
        at - self.core.nearest(at)
    }

    /// The same, of a core that is a diagonal: exactly across it, but for rounding, beside it.
    #[inline(never)]
    fn away_from_line(&self, at: DVec2) -> DVec2 {
        let [a, b] = self.ends().map(Vec2::as_dvec2);
        let (along, from) = (b - a, at - a);
        let square = along.length_squared();
        let share = from.dot(along) / square;
        if share <= 0.0 {
            from
        } else if share >= 1.0 {
            at - b
        } else {
            along.perp() * (along.perp_dot(from) / square)
        }
    }

    /// True if a disc overlaps the static.
    #[inline]
    pub(crate) fn overlaps(&self, at: Vec2, radius: f32) -> bool {
        let delta = self.away(at);
        let reach = self.radius + radius;
        delta.x * delta.x + delta.y * delta.y < reach * reach
    }

    /// The way out for a disc: a unit vector out of the static, and the distance along it from rim
    /// to rim, negative if they overlap. A disc with its center in the core leaves by the shortest
    /// way that stays in the world, if there is any.
    #[inline]
    pub(crate) fn separation(&self, at: Vec2, radius: f32, world: &Rect) -> (Vec2, f32) {
        let delta = self.away(at);
        let reach = self.radius + radius;
        let square = delta.x * delta.x + delta.y * delta.y;
        if square > 0.0 {
            let distance = square.sqrt();
            return (delta / distance, distance - reach);
        }
        self.exit_of_core(at, radius, world)
    }

    #[cold]
    fn exit_of_core(&self, at: Vec2, radius: f32, world: &Rect) -> (Vec2, f32) {
        let reach = self.radius + radius;
        let Rect { min, max } = self.core.expanded(reach);
        let mut exits = [
            (Vec2::NEG_X, min.x - at.x),
            (Vec2::X, at.x - max.x),
            (Vec2::NEG_Y, min.y - at.y),
            (Vec2::Y, at.y - max.y),
        ];
        if self.is_slanted() {
            let ends = self.ends().map(Vec2::as_dvec2);
            let along = (ends[1] - ends[0]).normalize().as_vec2();
            let past = ends.map(|end| -(at.as_dvec2().distance(end) as f32) - reach);
            let across = along.perp();
            exits = [(across, -reach), (-across, -reach), (-along, past[0]), (along, past[1])];
        }
        let inner = world.expanded(-radius);
        let leaves = |&(normal, gap): &(Vec2, f32)| !inner.contains(at - normal * gap);
        let longer =
            |a: &(Vec2, f32), b: &(Vec2, f32)| leaves(a).cmp(&leaves(b)).then(b.1.total_cmp(&a.1));
        exits.into_iter().min_by(longer).unwrap_or(exits[0])
    }

    /// The point of the surface nearest to a point outside of the core, and its distance from
    /// there; negative inside. A point of the core is its own nearest point.
    pub(super) fn nearest(&self, at: Vec2) -> (DVec2, f64) {
        let from = at.as_dvec2();
        let core = if self.is_slanted() {
            from - self.away_from_line(from)
        } else {
            self.core.nearest(at).as_dvec2()
        };
        let out = (from - core).normalize_or_zero();
        (core + out * f64::from(self.radius), self.distance(from))
    }

    /// The distance of a point; negative inside, but not below `-radius`.
    pub(super) fn distance(&self, at: DVec2) -> f64 {
        let away = if self.is_slanted() {
            self.away_from_line(at)
        } else {
            at - at.clamp(self.core.min.as_dvec2(), self.core.max.as_dvec2())
        };
        away.length() - f64::from(self.radius)
    }

    /// The distance at which a ray enters the points at most `by` away from the static, and the
    /// normal there, which is missing where the ray begins in these points.
    pub(super) fn expanded_raycast(&self, ray: &Ray, by: f32) -> Option<(f64, Option<Vec2>)> {
        let reach = self.radius + by;
        let entry = self.core.expanded(reach).raycast(ray)?;
        if self.is_slanted() {
            return self.raycast_of_line(ray, reach);
        }
        let at = ray.at(entry.distance);
        let corner = self.core.nearest(at);
        // Beside a face, the rectangle is where the points end; beyond its end, they are rounded.
        let entry = if corner.x == at.x || corner.y == at.y {
            entry
        } else {
            Disc::new(corner, reach).raycast(ray)?
        };
        Some((entry.distance, (entry.distance > 0.0).then_some(entry.normal)))
    }

    /// The same, of a core that is a diagonal: through a side, or else through an end.
    fn raycast_of_line(&self, ray: &Ray, reach: f32) -> Option<(f64, Option<Vec2>)> {
        let ends = self.ends();
        let [a, b] = ends.map(Vec2::as_dvec2);
        let length = a.distance(b);
        let along = (b - a) / length;
        let across = along.perp();
        let is_beside = |point: DVec2| (0.0..=length).contains(&along.dot(point - a));
        let (side, pace) = (across.dot(ray.origin() - a), across.dot(ray.direction()));
        let outside = side.abs() - f64::from(reach);
        if outside <= 0.0 && is_beside(ray.origin()) {
            return Some((0.0, None));
        }
        let share = outside / pace.abs();
        if outside > 0.0 && side * pace < 0.0 && is_beside(ray.origin() + ray.direction() * share) {
            let normal = (across * side.signum()).as_vec2();
            return Some((share * ray.direction().length(), Some(normal)));
        }
        let entries = ends.into_iter().filter_map(|end| Disc::new(end, reach).raycast(ray));
        let entry = entries.min_by(|a, b| a.distance.total_cmp(&b.distance))?;
        Some((entry.distance, (entry.distance > 0.0).then_some(entry.normal)))
    }
}
