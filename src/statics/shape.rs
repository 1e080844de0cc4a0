//! One static: a disc or a box, and whether a world can have it.

use glam::Vec2;

use crate::{
    error::{Adjust, Error, Field, Limit, Remedy, Result, Value},
    geometry::Rect,
    grid::{Disc, Shape},
};

/// A thing that never moves, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Static {
    /// A peg, a pillar.
    Disc(Disc),
    /// A wall, a shelf.
    Box(Rect),
}

impl Static {
    /// A disc by its centre and radius.
    pub const fn disc(center: Vec2, radius: f32) -> Self {
        Self::Disc(Disc { center, radius })
    }

    /// The smallest rectangle around it.
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Disc(disc) => disc.bounds(),
            Self::Box(rect) => *rect,
        }
    }

    /// True if it shares a point with a disc, be it on its border.
    pub fn intersects_disc(&self, disc: &Disc) -> bool {
        match self {
            Self::Disc(own) => own.intersects_disc(disc.center, disc.radius),
            Self::Box(rect) => rect.intersects_disc(disc.center, disc.radius),
        }
    }

    /// Distance from a point to it; 0 inside.
    pub fn distance(&self, point: Vec2) -> f32 {
        match self {
            Self::Disc(disc) => disc.distance(point),
            Self::Box(rect) => rect.distance(point),
        }
    }

    /// Whether a world can have it.
    ///
    /// # Errors
    /// If it has no size, or does not lie in the world whole.
    pub fn check(&self, world: &Rect) -> Result<()> {
        let has_size = match *self {
            Self::Disc(Disc { center, radius }) => center.is_finite() && radius > 0.0,
            Self::Box(Rect { min, max }) => max.cmpgt(min).all(),
        };
        if !has_size {
            return Err(Error::invalid(Field::Static, self.value(), Limit::Extent));
        }
        if !world.contains_rect(&self.bounds()) {
            let limit = Limit::Inside { min: world.min, max: world.max };
            let smaller = Remedy::Adjust(&[Adjust::Lower(Field::StaticSize)]);
            return Err(Error::invalid(Field::Static, self.value(), limit).with_remedy(smaller));
        }
        Ok(())
    }

    /// The shape as an error shows it.
    fn value(&self) -> Value {
        match *self {
            Self::Disc(Disc { center, radius }) => Value::Disc { center, radius },
            Self::Box(Rect { min, max }) => Value::Rect { min, max },
        }
    }
}
