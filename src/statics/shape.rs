//! One static: a disc or a box, and whether it fits a world.

use glam::Vec2;

use crate::{
    error::{Adjust, Error, Field, Limit, Remedy, Result, Value},
    geometry::Rect,
    grid::{Disc, Shape},
};

/// A shape that never moves, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Static {
    /// A disc, such as a peg or a pillar.
    Disc(Disc),
    /// A box, such as a wall or a shelf.
    Box(Rect),
}

impl Static {
    /// Creates a disc from its center and radius.
    #[must_use]
    pub const fn disc(center: Vec2, radius: f32) -> Self {
        Self::Disc(Disc { center, radius })
    }

    /// Returns the smallest rectangle around the static.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Disc(disc) => disc.bounds(),
            Self::Box(rect) => *rect,
        }
    }

    /// True if the static and a disc share a point, borders included.
    #[must_use]
    pub fn intersects_disc(&self, disc: &Disc) -> bool {
        match self {
            Self::Disc(own) => own.intersects_disc(disc.center, disc.radius),
            Self::Box(rect) => rect.intersects_disc(disc.center, disc.radius),
        }
    }

    /// Returns the distance from a point to the static; 0 inside.
    #[must_use]
    pub fn distance(&self, point: Vec2) -> f32 {
        match self {
            Self::Disc(disc) => disc.distance(point),
            Self::Box(rect) => rect.distance(point),
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
        }
    }
}
