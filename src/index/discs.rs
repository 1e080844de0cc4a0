//! The discs that an index borrows: columns in the order of the ids.

use glam::Vec2;

use crate::geometry::{Disc, Rect};

/// Discs by id: columns of one length.
#[derive(Clone, Copy, Debug)]
pub struct DiscsById<'a> {
    /// Horizontal positions of the centers, world units.
    pub x: &'a [f32],
    /// Vertical positions of the centers, world units, upward.
    pub y: &'a [f32],
    /// World units, at least 0.
    pub radius: &'a [f32],
    /// Whether the id is in use. The other columns are ignored where it is not.
    pub alive: &'a [bool],
}

impl<'a> DiscsById<'a> {
    /// Number of ids, with the ids that are not alive.
    pub(crate) fn len(&self) -> usize {
        self.alive.len()
    }

    /// The ids of the living discs, ascending.
    pub(crate) fn living(&self) -> impl Iterator<Item = u32> + use<'a> {
        (0..).zip(self.alive).filter(|&(_, &alive)| alive).map(|(id, _)| id)
    }

    #[inline]
    pub(crate) fn center(&self, id: u32) -> Vec2 {
        Vec2::new(self.x[id as usize], self.y[id as usize])
    }

    #[inline]
    pub(crate) fn radius(&self, id: u32) -> f32 {
        self.radius[id as usize]
    }

    #[inline]
    pub(crate) fn disc(&self, id: u32) -> Disc {
        Disc { center: self.center(id), radius: self.radius(id) }
    }

    /// The padded box around a disc. The boxes of two discs that overlap intersect.
    #[inline]
    pub(crate) fn bounds(&self, id: u32) -> Rect {
        self.disc(id).padded()
    }

    /// True if two discs overlap, by the same definition as in a step.
    #[inline]
    pub(crate) fn overlap(&self, a: u32, b: u32) -> bool {
        self.disc(a).overlaps(&self.disc(b))
    }
}
