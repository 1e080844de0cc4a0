//! What an index is lent: discs in the order of their ids.

use glam::Vec2;

use crate::{
    geometry::{Rect, discs_overlap},
    grid::{Disc, Shape},
};

/// Discs by id: arrays of one length.
#[derive(Clone, Copy, Debug)]
pub struct DiscsById<'a> {
    /// Centres, world units.
    pub x: &'a [f32],
    /// Centres, world units; y points up.
    pub y: &'a [f32],
    /// World units, at least 0.
    pub radius: &'a [f32],
    /// Who is not alive is in no index.
    pub alive: &'a [bool],
}

impl<'a> DiscsById<'a> {
    /// How many ids there are, the dead included.
    pub fn len(&self) -> usize {
        self.alive.len()
    }

    /// True if there is no id.
    pub fn is_empty(&self) -> bool {
        self.alive.is_empty()
    }

    /// The ids of the living, ascending.
    pub fn living(&self) -> impl Iterator<Item = u32> + use<'a> {
        (0..).zip(self.alive).filter(|&(_, &alive)| alive).map(|(id, _)| id)
    }

    /// A centre.
    #[inline]
    pub fn center(&self, id: u32) -> Vec2 {
        Vec2::new(self.x[id as usize], self.y[id as usize])
    }

    /// A radius.
    #[inline]
    pub fn radius(&self, id: u32) -> f32 {
        self.radius[id as usize]
    }

    /// A disc.
    #[inline]
    pub fn disc(&self, id: u32) -> Disc {
        Disc { center: self.center(id), radius: self.radius(id) }
    }

    /// A box around a disc, a hair larger than it. The boxes of two that overlap meet in any case; with the hair,
    /// so do the box of a disc and the area of a search that just touches it, however the sums are rounded.
    #[inline]
    pub fn bounds(&self, id: u32) -> Rect {
        padded(self.center(id), self.radius(id))
    }

    /// True if the two overlap: the one definition, which the step has, too.
    #[inline]
    pub fn overlap(&self, a: u32, b: u32) -> bool {
        let disc = |id: u32| [self.x[id as usize], self.y[id as usize], self.radius[id as usize]];
        discs_overlap(disc(a), disc(b))
    }

    /// True if the disc shares a point with the rectangle, be it on its border.
    #[inline]
    pub fn intersects_rect(&self, id: u32, rect: &Rect) -> bool {
        self.disc(id).intersects_rect(rect)
    }

    /// True if the disc shares a point with another that need not be one of them.
    #[inline]
    pub fn intersects_disc(&self, id: u32, area: Disc) -> bool {
        self.disc(id).intersects_disc(area.center, area.radius)
    }
}

/// A box around a disc, a hair larger than it, like [`DiscsById::bounds`]: what a search with a disc covers.
#[inline]
pub fn padded(center: Vec2, radius: f32) -> Rect {
    // Each sum rounds by half a unit in the last place of the larger of the two at most.
    let rounding = 4.0 * f32::EPSILON;
    let reach = Vec2::splat(radius) + (center.abs() + radius) * rounding;
    Rect { min: center - reach, max: center + reach }
}
