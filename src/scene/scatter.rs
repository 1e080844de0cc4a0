//! Random sequential addition: each disc at a random place, drawn again until it is free.
//!
//! The largest come first, while there is room for them, level by level of [`Packing`]. The discs
//! of a level are dealt to tiles of the region, so that the memory touched at a time fits into a
//! cache. Tiles are drawn from, not walled: discs lie across their borders.
//!
//! Where coarser discs take up much of a tile, its share of discs would crowd the rest of it. So a
//! disc that falls on a coarser one leaves its tile, and is placed anywhere once the tiles are
//! done. That covers what is free of coarser discs evenly.

use std::ops::Range;

use glam::Vec2;

use super::{
    packing::{Overlap, Packing},
    progress::PlacementProgress,
    region::Region,
};
use crate::rng::Rng;

/// Discs per tile: their packing fits into a core's L2 cache many times over.
const DISCS_PER_TILE: usize = 4_096;

/// Draws from a tile before a disc leaves it.
const TRIES_IN_TILE: u32 = 500;

/// Draws for one disc before the attempt fails.
const TRIES_PER_DISC: u32 = 20_000;

/// Draws for all discs of a region in all attempts: per disc, and at least.
const TRIES_MEAN: u64 = 60;
const TRIES_LEAST: u64 = 500_000;

/// Random positions for discs of these radii, which descend; none if none are found, or the placement
/// is canceled.
pub(super) fn scatter(
    region: &Region,
    radii: &[f32],
    rng: &mut Rng,
    progress: &PlacementProgress,
) -> Option<Packing> {
    let tries = TRIES_LEAST.max(radii.len() as u64 * TRIES_MEAN);
    let mut scatter = Scatter { region, radii, rng, tries, progress };
    let before = progress.placed();
    loop {
        progress.set_placed(before);
        let packing = scatter.attempt();
        if packing.is_some() || scatter.tries == 0 {
            return packing;
        }
    }
}

/// Ranges of ranks, each from its first radius down to half of it.
pub(super) fn levels(radii: &[f32]) -> impl Iterator<Item = Range<usize>> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let widest = *radii.get(first)?;
        let level = first..first + radii[first..].partition_point(|&r| r >= widest * 0.5);
        first = level.end;
        Some(level)
    })
}

struct Scatter<'a> {
    region: &'a Region,
    radii: &'a [f32],
    rng: &'a mut Rng,
    /// Draws left.
    tries: u64,
    progress: &'a PlacementProgress,
}

impl Scatter<'_> {
    fn attempt(&mut self) -> Option<Packing> {
        let bounds = self.region.bounds();
        let mut packing = Packing::new(self.radii.len());
        for level in levels(self.radii) {
            packing.begin_level(&bounds, self.radii[level.start], level.len());
            for rank in self.fill_tiles(&mut packing, level) {
                let place = self.find(&packing, rank, None, TRIES_PER_DISC)?;
                packing.put(rank, place, self.radii[rank]);
            }
        }
        Some(packing)
    }

    /// Places the discs that find room in their tile. Returns the ranks of the others.
    fn fill_tiles(&mut self, packing: &mut Packing, level: Range<usize>) -> Vec<usize> {
        let [cols, rows] = tiles(self.region, level.len());
        let count = cols * rows;
        if count == 1 {
            return level.collect();
        }
        let mut rest = Vec::new();
        for index in 0..count {
            let at = Vec2::new((index % cols) as f32, (index / cols) as f32);
            let tile = Some([at, Vec2::new(cols as f32, rows as f32)]);
            for rank in level.clone().skip(index).step_by(count) {
                match self.find(packing, rank, tile, TRIES_IN_TILE) {
                    Some(place) => packing.put(rank, place, self.radii[rank]),
                    None => rest.push(rank),
                }
            }
        }
        rest.sort_unstable();
        rest
    }

    /// A free position in a tile, given by its column and row and by the number of columns and
    /// rows, or anywhere. A disc that falls outside or on a coarser one leaves its tile at once.
    fn find(
        &mut self,
        packing: &Packing,
        rank: usize,
        tile: Option<[Vec2; 2]>,
        most: u32,
    ) -> Option<Vec2> {
        let radius = self.radii[rank];
        let bounds = self.region.bounds();
        let [at, of] = tile.unwrap_or([Vec2::ZERO, Vec2::ONE]);
        if self.progress.is_canceled() {
            self.tries = 0;
        }
        for _ in 0..most {
            self.tries = self.tries.checked_sub(1)?;
            let part = (at + Vec2::new(self.rng.unit(), self.rng.unit())) / of;
            let place = bounds.min + radius + part * (bounds.size() - 2.0 * radius);
            let inside = self.region.holds(place, radius);
            let met = if inside { packing.overlap_at(place, radius) } else { Overlap::Coarser };
            match met {
                Overlap::Nothing => {
                    self.progress.add_placed();
                    return Some(place);
                }
                Overlap::Coarser if tile.is_some() => return None,
                Overlap::Coarser | Overlap::Peer => {}
            }
        }
        None
    }
}

/// Columns and rows of tiles, about square, for that many discs. A disc-shaped region is one tile:
/// a fifth of the discs would fall outside of it and leave their tiles, among them large ones,
/// which find no room when they come late.
fn tiles(region: &Region, discs: usize) -> [usize; 2] {
    match region {
        Region::Disc { .. } => [1, 1],
        Region::Rect(rect) => {
            let count = (discs / DISCS_PER_TILE).max(1) as f32;
            let side = (rect.width() / count * rect.height()).sqrt();
            [rect.width(), rect.height()].map(|length| ((length / side) as usize).max(1))
        }
    }
}
