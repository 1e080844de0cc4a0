//! One static: a disc, a box or a capsule, and whether it fits a world.

use glam::Vec2;

use crate::{
    error::{Adjust, Error, Field, Limit, Remedy, Result, Value},
    geometry::{Rect, Segment},
    grid::{Disc, Shape},
};

/// A shape that never moves, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Static {
    /// A disc, such as a peg or a pillar.
    Disc(Disc),
    /// A box, such as a wall or a shelf.
    Box(Rect),
    /// The points at most `radius` away from a segment: a wall in any direction, with round ends.
    /// Capsules that share an end are one wall, with a round corner.
    Capsule {
        /// The two ends of the segment.
        ends: [Vec2; 2],
        /// Half the thickness of the wall, above 0.
        radius: f32,
    },
}

impl Static {
    /// Creates a disc from its center and radius.
    #[must_use]
    pub const fn disc(center: Vec2, radius: f32) -> Self {
        Self::Disc(Disc { center, radius })
    }

    /// Creates a capsule from the two ends of its segment and its radius.
    #[must_use]
    pub const fn capsule(ends: [Vec2; 2], radius: f32) -> Self {
        Self::Capsule { ends, radius }
    }

    /// The static whose core has these corners or ends: a box if the radius is 0.
    pub(crate) fn of_core([a, b]: [Vec2; 2], radius: f32) -> Self {
        match radius {
            0.0 => Self::Box(Rect::new(a, b)),
            _ if a == b => Self::disc(a, radius),
            _ => Self::capsule([a, b], radius),
        }
    }

    /// Returns the smallest rectangle around the static.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Disc(disc) => disc.bounds(),
            Self::Box(rect) => *rect,
            Self::Capsule { ends, radius } => {
                let [a, b] = ends.map(|end| Disc::new(end, *radius).bounds());
                a.union(&b)
            }
        }
    }

    /// True if the static and a disc share a point, borders included.
    #[must_use]
    pub fn intersects_disc(&self, disc: &Disc) -> bool {
        match self {
            Self::Disc(own) => own.intersects_disc(disc.center, disc.radius),
            Self::Box(rect) => rect.intersects_disc(disc.center, disc.radius),
            Self::Capsule { ends: [a, b], radius } => {
                let nearest = Segment { a: *a, b: *b }.nearest(disc.center);
                Disc::new(nearest, *radius).intersects_disc(disc.center, disc.radius)
            }
        }
    }

    /// Returns the distance from a point to the static; 0 inside.
    #[must_use]
    pub fn distance(&self, point: Vec2) -> f32 {
        match self {
            Self::Disc(disc) => disc.distance(point),
            Self::Box(rect) => rect.distance(point),
            Self::Capsule { ends: [a, b], radius } => {
                Disc::new(Segment { a: *a, b: *b }.nearest(point), *radius).distance(point)
            }
        }
    }

    /// Checks that a world can hold the static.
    ///
    /// # Errors
    /// If the static has no size, or does not lie in the world whole.
    pub fn check(&self, world: &Rect) -> Result<()> {
        let has_size = match *self {
            Self::Disc(Disc { center, radius }) => center.is_finite() && radius > 0.0,
            Self::Box(Rect { min, max }) => max.cmpgt(min).all(),
            Self::Capsule { ends: [a, b], radius } => {
                a.is_finite() && b.is_finite() && radius > 0.0
            }
        };
        if !has_size {
            return Err(Error::invalid(Field::Static, self.value(), Limit::Extent));
        }
        if !world.contains_rect(&self.bounds()) {
            let limit = Limit::Inside([world.min, world.max]);
            let smaller = Remedy::Adjust(&[Adjust::Lower(Field::StaticSize)]);
            return Err(Error::invalid(Field::Static, self.value(), limit).with_remedy(smaller));
        }
        Ok(())
    }

    /// The shape as an error shows it.
    fn value(&self) -> Value {
        match *self {
            Self::Disc(Disc { center, radius }) => Value::Disc(center, radius),
            Self::Box(Rect { min, max }) => Value::Rect([min, max]),
            Self::Capsule { ends, radius } => Value::Capsule(ends, radius),
        }
    }
}
