//! One static: a disc or a box, and whether a world can have it.

use std::fmt;

use glam::Vec2;

use crate::{
    error::{Error, Result},
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
            return Err(Error::invalid(format!(
                "{self} has no size; radius, width and height must be above 0, and all of it numbers"
            )));
        }
        if !world.contains_rect(&self.bounds()) {
            return Err(Error::invalid(format!(
                "{self} does not lie in the world, which goes from {} to {}; move it or make it smaller",
                place(world.min),
                place(world.max)
            )));
        }
        Ok(())
    }
}

impl fmt::Display for Static {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Disc(Disc { center, radius }) => {
                write!(f, "a disc of radius {radius} at {}", place(center))
            }
            Self::Box(Rect { min, max }) => {
                write!(f, "a box from {} to {}", place(min), place(max))
            }
        }
    }
}

/// A point as people write it.
fn place(point: Vec2) -> String {
    format!("({}, {})", point.x, point.y)
}
