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

use glam::Vec2;

use crate::geometry::{Rect, cells::CellLayout};

const NONE: u32 = u32::MAX;

/// A placed disc.
#[derive(Clone, Copy, Debug)]
struct Spot {
    center: Vec2,
    radius: f32,
    next: u32,
}

/// Discs placed so far.
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
    heads: Vec<u32>,
}

impl Packing {
    /// An empty packing with capacity for `discs` discs.
    pub(super) fn new(discs: usize) -> Self {
        let none = Spot { center: Vec2::NAN, radius: 0.0, next: NONE };
        Self { levels: Vec::new(), spots: vec![none; discs] }
    }

    /// Begins a level: the next `count` discs have a radius of half of `widest` to `widest`.
    pub(super) fn begin_level(&mut self, bounds: &Rect, widest: f32, count: usize) {
        // At most about two cells per disc, for worlds of any size.
        let spacing = (bounds.width() / count as f32 * bounds.height()).sqrt();
        let layout = CellLayout::new(bounds, Vec2::splat((2.0 * widest).max(spacing)));
        self.levels.push(Level { widest, layout, heads: vec![NONE; layout.len()] });
    }

    /// The level of the discs that a disc at `at` overlaps; the coarsest of several levels.
    pub(super) fn overlap_at(&self, at: Vec2, radius: f32) -> Overlap {
        let own = self.levels.len().saturating_sub(1);
        match self.levels.iter().position(|level| self.level_overlaps(level, at, radius)) {
            None => Overlap::Nothing,
            Some(level) if level == own => Overlap::Peer,
            Some(_) => Overlap::Coarser,
        }
    }

    /// Adds disc `rank` to the last level, where [`Self::overlap_at`] found nothing.
    pub(super) fn put(&mut self, rank: usize, center: Vec2, radius: f32) {
        let Some(Level { layout, heads, .. }) = self.levels.last_mut() else { return };
        let head = &mut heads[layout.index(layout.cell(center))];
        let next = std::mem::replace(head, rank as u32);
        self.spots[rank] = Spot { center, radius, next };
    }

    /// The positions by rank.
    pub(super) fn positions(&self) -> impl ExactSizeIterator<Item = Vec2> {
        self.spots.iter().map(|spot| spot.center)
    }

    fn level_overlaps(&self, level: &Level, at: Vec2, radius: f32) -> bool {
        let Level { widest, layout, heads } = level;
        // A little longer than the exact distance, because positions are rounded.
        let reach = (radius + widest) * 1.02;
        let [left, bottom] = layout.cell(at - reach);
        let [right, top] = layout.cell(at + reach);
        (bottom..=top).any(|row| {
            heads[layout.index([left, row])..=layout.index([right, row])]
                .iter()
                .any(|&head| self.list_overlaps(head, at, radius))
        })
    }

    fn list_overlaps(&self, head: u32, at: Vec2, radius: f32) -> bool {
        let mut rank = head;
        while rank != NONE {
            let spot = self.spots[rank as usize];
            let (apart, sum) = (at - spot.center, radius + spot.radius);
            if apart.x * apart.x + apart.y * apart.y < sum * sum {
                return true;
            }
            rank = spot.next;
        }
        false
    }
}
