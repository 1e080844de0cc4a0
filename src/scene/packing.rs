//! Placed discs, and the one test of whether a position is free.
//!
//! A hierarchical grid: one level for each halving of the radius, with cells as wide as the widest
//! disc of the level. Discs are placed largest first, so a disc is compared with a few cells of its
//! own level and of each coarser one.
//!
//! ```text
//! level 0  radius (R/2, R]    heads [ ·|·|3 ]                       heads: cell → last spot in it
//! level 1  radius (R/4, R/2]  heads [ 7|·|·|9|· ]                   next:  spot → previous spot
//! …                              7 ─► spots[7].next = 5 ─► …        NONE:  no more
//! ```
//!
//! Threads place discs of a level at the same time, each in a part of the world so far from the
//! parts of the others that none reads what another one writes. So the numbers of a spot are atomic
//! but in no order, which costs nothing.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use glam::Vec2;

use crate::{
    alloc,
    error::Result,
    geometry::{Rect, cells::CellLayout},
};

const NONE: u32 = u32::MAX;

/// A disc: its radius, and once it is placed its center.
#[derive(Debug)]
struct Spot {
    x: AtomicU32,
    y: AtomicU32,
    radius: f32,
    next: AtomicU32,
}

/// Discs of which some are placed, each in a spot of its own.
#[derive(Debug)]
pub(super) struct Packing {
    levels: Vec<Level>,
    spots: Vec<Spot>,
}

/// The placed discs that a disc at a position overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// Nothing: the position is free.
    Nothing,
    /// Only discs of the last level.
    Peer,
    /// A disc of a coarser level.
    Coarser,
}

/// The discs of a range of radii: some consecutive ones, as they come largest first.
#[derive(Debug)]
struct Level {
    widest: f32,
    layout: CellLayout,
    heads: Vec<AtomicU32>,
}

impl Packing {
    /// An empty packing with capacity for `discs` discs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(discs: usize) -> Result<Self> {
        let spots = alloc::with_capacity(discs, "the positions of agents")?;
        Ok(Self { levels: Vec::new(), spots })
    }

    /// The cells of a level of `count` discs, at most as wide as `widest`.
    pub(super) fn cells(bounds: &Rect, widest: f32, count: usize) -> CellLayout {
        // At most about two cells per disc, for worlds of any size.
        let spacing = (bounds.width() / count as f32 * bounds.height()).sqrt();
        CellLayout::new(bounds, Vec2::splat((2.0 * widest).max(spacing)))
    }

    /// Begins the level of the next discs, which have a radius of half of `widest` to `widest`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn begin_level(&mut self, layout: CellLayout, widest: f32) -> Result<()> {
        let none = |_| AtomicU32::new(NONE);
        let mut heads = Vec::new();
        alloc::extend_by(&mut heads, layout.len(), &none, "the cells of positions")?;
        self.levels.push(Level { widest, layout, heads });
        Ok(())
    }

    /// Appends the spots of `count` discs of the last level, which are not placed yet, with the
    /// radius of each.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn append(
        &mut self,
        count: usize,
        radius: &(impl Fn(usize) -> f32 + Sync),
    ) -> Result<()> {
        let spot = |index: usize| Spot {
            x: AtomicU32::new(f32::NAN.to_bits()),
            y: AtomicU32::new(f32::NAN.to_bits()),
            radius: radius(index),
            next: AtomicU32::new(NONE),
        };
        alloc::extend_by(&mut self.spots, count, &spot, "the positions of agents")
    }

    /// The level of the discs that a disc at `at` overlaps; the coarsest of several levels.
    #[inline]
    pub(super) fn overlap_at(&self, at: Vec2, radius: f32) -> Overlap {
        let Some((own, coarser)) = self.levels.split_last() else { return Overlap::Nothing };
        if coarser.iter().any(|level| self.level_overlaps(level, at, radius)) {
            Overlap::Coarser
        } else if self.level_overlaps(own, at, radius) {
            Overlap::Peer
        } else {
            Overlap::Nothing
        }
    }

    /// Places the disc of a spot of the last level, where [`Self::overlap_at`] found nothing.
    #[inline]
    pub(super) fn put(&self, spot: usize, center: Vec2) {
        let Some(Level { layout, heads, .. }) = self.levels.last() else { return };
        let head = &heads[layout.index(layout.cell(center))];
        let Spot { x, y, next, .. } = &self.spots[spot];
        x.store(center.x.to_bits(), Relaxed);
        y.store(center.y.to_bits(), Relaxed);
        next.store(head.load(Relaxed), Relaxed);
        head.store(spot as u32, Relaxed);
    }

    /// The radius of the disc in a spot.
    #[inline]
    pub(super) fn radius(&self, spot: usize) -> f32 {
        self.spots[spot].radius
    }

    /// The placed discs without the cells.
    pub(super) fn into_discs(self) -> PlacedDiscs {
        PlacedDiscs(self.spots)
    }

    fn level_overlaps(&self, level: &Level, at: Vec2, radius: f32) -> bool {
        let Level { widest, layout, heads, .. } = level;
        let overlaps = |head: &AtomicU32| self.list_overlaps(head.load(Relaxed), at, radius);
        // A little longer than the exact distance, because positions are rounded.
        let reach = (radius + widest) * 1.02;
        let [left, bottom] = layout.cell(at - reach);
        let [right, top] = layout.cell(at + reach);
        // Most positions that are not free are taken by a disc in their own cell.
        overlaps(&heads[layout.index(layout.cell(at))])
            || (bottom..=top).any(|row| {
                heads[layout.index([left, row])..=layout.index([right, row])].iter().any(overlaps)
            })
    }

    #[inline]
    fn list_overlaps(&self, head: u32, at: Vec2, radius: f32) -> bool {
        let mut spot = head;
        while spot != NONE {
            let other = &self.spots[spot as usize];
            let (apart, sum) = (at - other.center(), radius + other.radius);
            if apart.x * apart.x + apart.y * apart.y < sum * sum {
                return true;
            }
            spot = other.next.load(Relaxed);
        }
        false
    }
}

impl Spot {
    #[inline]
    fn center(&self) -> Vec2 {
        let [x, y] = [&self.x, &self.y].map(|bits| f32::from_bits(bits.load(Relaxed)));
        Vec2::new(x, y)
    }
}

/// Discs of which all are placed.
#[derive(Debug)]
pub(super) struct PlacedDiscs(Vec<Spot>);

impl PlacedDiscs {
    /// Center and radius of the disc in a spot.
    #[inline]
    pub(super) fn disc(&self, spot: u32) -> (Vec2, f32) {
        let spot = &self.0[spot as usize];
        (spot.center(), spot.radius)
    }

    /// Centers and radii by spot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Vec2, f32)> {
        self.0.iter().map(|spot| (spot.center(), spot.radius))
    }
}
