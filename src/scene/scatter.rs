//! Random sequential addition: each disc at a random place, drawn again until it is free.
//!
//! The largest come first, level by level of [`Packing`], and within a level round by round. The
//! discs of a round are dealt to random [`Tiles`] of the region. Tiles are filled on all threads, each from a stream of random numbers of its own. Tiles are drawn from, not walled:
//! discs lie across their borders.
//!
//! A disc that finds no room in its tile leaves it: at once if its first draw falls outside of the
//! region or on a coarser disc, which covers a part of the tile for all discs of the level, and
//! otherwise after some draws. What has left is dealt anew, until less than one disc per tile is
//! left: these few are placed one after another, anywhere. So discs cover what is free evenly, and
//! where there is much room, their numbers in any part of the region are those of uniform positions.
//!
//! What a tile places depends on its stream, on what is dealt to it, and on the tiles around it; on
//! no number of threads.

use std::ops::Range;

use glam::Vec2;

use super::{
    deal::Deal,
    packing::{Look, Overlap, Packing},
    progress::PlacementShare,
    region::Region,
    tiles::Tiles,
};
use crate::{
    alloc,
    error::Result,
    geometry::Rect,
    parallel,
    rng::{Rng, keyed},
};

/// Share of a region up to which random addition is tried. Half a million radii from 1 to 2 reach
/// it in some seconds, and two thirds of it in a fraction of a second.
pub(super) const RANDOM_MAX: f64 = 0.6;

/// Rounds of a level of several tiles. Discs of a round are placed before those of the next, also at
/// the borders of tiles.
const ROUNDS: usize = 4;

/// Rounds where discs cover more than [`DENSE`] of the region: discs that are dealt anew come after
/// smaller ones of their round, which should be hardly smaller, or they take the room of larger ones.
const ROUNDS_DENSE: usize = 16;
const DENSE: f64 = 0.45;

/// Draws from a tile before a disc leaves it. A tile that is fuller than others keeps fewer discs.
const TRIES_IN_TILE: u64 = 16;

/// Draws for one disc before the attempt fails.
const TRIES_PER_DISC: u64 = 20_000;

/// Draws for all discs of a region in all attempts: per disc, and at least.
const TRIES_MEAN: u64 = 60;
const TRIES_LEAST: u64 = 500_000;

/// Positions that are tested at once, so that the processor waits for their cells together.
const AT_ONCE: usize = 16;

/// Least share of a radius that counts as this radius where positions are drawn.
const ALIKE: f32 = 0.97;

/// What the memory of discs without a place is for.
const LEFT: &str = "the discs that are left over";

/// Random positions for discs of these radii, which descend; none if none are found.
///
/// # Errors
/// If there is not enough memory, or the placement is canceled.
pub(super) fn scatter(
    region: &Region,
    radii: &[f32],
    key: u64,
    progress: &PlacementShare<'_>,
) -> Result<Option<Packing>> {
    let mut tries = TRIES_LEAST.max(radii.len() as u64 * TRIES_MEAN);
    let rounds = if region.share(radii) > DENSE { ROUNDS_DENSE } else { ROUNDS };
    let scatter = Scatter { region, radii, rounds, progress };
    for attempt in 0.. {
        let packing = scatter.attempt(keyed(key, attempt), &mut tries)?;
        if packing.is_some() || tries == 0 {
            return Ok(packing);
        }
        progress.restart();
    }
    Ok(None)
}

/// Ranges of ranks, each from its first radius down to half of it, or further down to an eighth while
/// a cell as wide as two of the widest discs has at most one.
pub(super) fn levels(radii: &[f32], area: f64) -> impl Iterator<Item = Range<usize>> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let widest = *radii.get(first)?;
        let down_to = |share| radii[first..].partition_point(|&r| r >= widest * share);
        let few = (area / f64::from(4.0 * widest * widest)) as usize;
        let level = first..first + few.clamp(down_to(0.5), down_to(0.125));
        first = level.end;
        Some(level)
    })
}

struct Scatter<'a> {
    region: &'a Region,
    radii: &'a [f32],
    /// Rounds of a level of several tiles.
    rounds: usize,
    progress: &'a PlacementShare<'a>,
}

/// A round: discs of a level that are placed before smaller ones are dealt.
struct ScatterRound<'a> {
    of: &'a Scatter<'a>,
    packing: &'a Packing,
    tiles: &'a Tiles,
    key: u64,
}

/// What a tile has left over in a pass, and the number of draws.
#[derive(Clone, Copy, Default)]
struct TileRest {
    left: usize,
    draws: u64,
}

/// A stream of draws from a tile, or from the whole region.
struct Draws {
    rng: Rng,
    /// The tile, as shares of the sides of the region.
    area: Rect,
    is_tile: bool,
    /// Draws so far, and the most of them.
    count: u64,
    most: u64,
}

impl Scatter<'_> {
    /// Draws at most `tries` times, and reduces it by the number of draws.
    fn attempt(&self, key: u64, tries: &mut u64) -> Result<Option<Packing>> {
        let bounds = self.region.bounds();
        let mut packing = Packing::new(self.radii.len())?;
        for (number, ranks) in (0..).zip(levels(self.radii, self.region.area())) {
            let widest = self.radii[ranks.start];
            let layout = Packing::cells(&bounds, widest, ranks.len());
            let tiles = Tiles::new(self.region, &layout, ranks.len())?;
            packing.begin_level(layout, widest)?;
            let rounds = if tiles.len() > 1 { self.rounds } else { 1 };
            for round in 0..rounds {
                let [start, end] =
                    [round, round + 1].map(|round| ranks.start + ranks.len() * round / rounds);
                let key = keyed(keyed(key, number), round as u64);
                if !self.round(&mut packing, start..end, &tiles, key, tries)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(packing))
    }

    /// Places discs of some ranks of the last level; false if one finds no room.
    fn round(
        &self,
        packing: &mut Packing,
        ranks: Range<usize>,
        tiles: &Tiles,
        key: u64,
        tries: &mut u64,
    ) -> Result<bool> {
        let (first, radii) = (ranks.start, &self.radii[ranks.clone()]);
        if tiles.len() == 1 {
            packing.append(radii.len(), &|index| radii[index])?;
            let round = ScatterRound { of: self, packing, tiles, key };
            return round.place_anywhere(ranks, tries);
        }
        // Numbers 0 and 1 of the key are for this deal and for places anywhere.
        let deal = Deal::new(keyed(key, 0), radii.len(), tiles.len())?;
        packing.append(radii.len(), &|index| radii[deal.item(index)])?;
        let round = ScatterRound { of: self, packing, tiles, key };
        let mut rests = alloc::filled(tiles.len(), TileRest::default(), LEFT)?;
        let mut left = round.pass(2, &deal, &|place, _| first + place, &mut rests, tries)?;
        for pass in 3.. {
            if left.len() < tiles.len() || *tries == 0 {
                break;
            }
            let deal = Deal::new(keyed(keyed(key, pass), 0), left.len(), tiles.len())?;
            let spot = |_, item: usize| left[item] as usize;
            left = round.pass(pass, &deal, &spot, &mut rests, tries)?;
        }
        // The largest first, as always.
        left.sort_unstable_by(|&one, &other| {
            let [one_radius, other_radius] =
                [one, other].map(|spot| round.packing.radius(spot as usize));
            other_radius.total_cmp(&one_radius).then(one.cmp(&other))
        });
        round.place_anywhere(left.into_iter().map(|spot| spot as usize), tries)
    }
}

impl ScatterRound<'_> {
    /// Places what is dealt to tiles, one color after another. `spot` tells the spot of a place and
    /// its item. Returns the spots that leave their tiles.
    fn pass(
        &self,
        number: u64,
        deal: &Deal,
        spot: &(impl Fn(usize, usize) -> usize + Sync),
        rests: &mut [TileRest],
        tries: &mut u64,
    ) -> Result<Vec<u32>> {
        let key = keyed(self.key, number);
        for turn in 0..4 {
            // No color is always the first.
            let color = (number as usize + turn) % 4;
            let first = self.tiles.of_color(color).start;
            let of_color = &mut rests[self.tiles.of_color(color)];
            let fill = |from: usize, rests: &mut [TileRest]| {
                for (tile, rest) in (first + from..).zip(rests) {
                    let area = Some(self.tiles.shares(tile));
                    let mut draws = Draws::new(keyed(key, tile as u64 + 1), area, u64::MAX);
                    let left = self.fill_tile(deal, tile, spot, &mut draws);
                    *rest = TileRest { left, draws: draws.count };
                }
            };
            if !of_color.is_empty() {
                parallel::pieces(of_color, 1, &fill, &|(), ()| ());
            }
            self.of.progress.go_on()?;
        }
        let count = rests.iter().map(|rest| rest.left).sum();
        let mut left = alloc::with_capacity(count, LEFT)?;
        for (tile, rest) in rests.iter().enumerate() {
            let start = deal.of_tile(tile).start;
            left.extend((start..start + rest.left).map(|place| deal.item(place) as u32));
            *tries = tries.saturating_sub(rest.draws);
        }
        Ok(left)
    }

    /// Places the discs of a tile, until the placement is canceled. Moves the spots that are left
    /// over to the first places of the tile, and returns their number.
    fn fill_tile(
        &self,
        deal: &Deal,
        tile: usize,
        spot: &impl Fn(usize, usize) -> usize,
        draws: &mut Draws,
    ) -> usize {
        let places = deal.of_tile(tile);
        let (start, mut left) = (places.start, 0);
        let spots = places.map(|place| spot(place, deal.item(place)));
        self.place_all(spots, draws, TRIES_IN_TILE, &mut |spot, is_placed| {
            if !is_placed {
                deal.replace(start + left, spot);
                left += 1;
            }
            !self.of.progress.is_canceled()
        });
        self.of.progress.add((deal.of_tile(tile).len() - left) as u32);
        left
    }

    /// Places discs one after another, anywhere; false if one finds no room.
    fn place_anywhere(
        &self,
        spots: impl ExactSizeIterator<Item = usize>,
        tries: &mut u64,
    ) -> Result<bool> {
        let mut draws = Draws::new(keyed(self.key, 1), None, *tries);
        let mut all = true;
        self.place_all(spots, &mut draws, TRIES_PER_DISC, &mut |_, is_placed| {
            all &= is_placed;
            self.of.progress.add(u32::from(is_placed));
            is_placed && !self.of.progress.is_canceled()
        });
        self.of.progress.go_on()?;
        *tries = tries.saturating_sub(draws.count);
        Ok(all)
    }

    /// Places discs one after another, with at most so many draws for each. Tells `done` the spot of
    /// each and whether it is placed, and ends early if that returns false.
    ///
    /// A disc leaves its tile if its first draw falls outside of the region or on a coarser disc,
    /// which has the probability of the share that these cover.
    fn place_all(
        &self,
        mut spots: impl ExactSizeIterator<Item = usize>,
        draws: &mut Draws,
        most: u64,
        done: &mut impl FnMut(usize, bool) -> bool,
    ) {
        let (packing, region) = (self.packing, self.of.region);
        let Some(mut spot) = spots.next() else { return };
        let mut tries = 0;
        loop {
            // Positions for the radius of the next disc, against what is placed now.
            let radius = packing.radius(spot);
            let count = (2 * (spots.len() + 1)).min(AT_ONCE);
            let area = draws.positions(region, radius);
            let mut looks = [Look::default(); AT_ONCE];
            for look in &mut looks[..count] {
                *look = packing.look(area.min + draws.rng.point() * area.size(), radius);
            }
            looks[..count].iter_mut().for_each(|look| packing.look_closer(look));
            let mut placed = [Vec2::ZERO; AT_ONCE];
            let mut placed_count = 0;
            for look in &looks[..count] {
                draws.count += 1;
                tries += 1;
                let place = look.at;
                let met = if region.holds(place, radius) {
                    packing.overlap(look)
                } else {
                    Overlap::Coarser
                };
                // Discs that were placed since it was looked at count as this one's size.
                let is_apart = |at: &Vec2| at.distance_squared(place) >= 4.0 * radius * radius;
                let is_placed =
                    met == Overlap::Nothing && placed[..placed_count].iter().all(is_apart);
                if is_placed {
                    packing.put(spot, place);
                    placed[placed_count] = place;
                    placed_count += 1;
                } else if tries < most && draws.count < draws.most {
                    let leaves = draws.is_tile && tries == 1 && met == Overlap::Coarser;
                    if !leaves {
                        continue;
                    }
                }
                if !done(spot, is_placed) {
                    return;
                }
                let Some(next) = spots.next() else { return };
                (spot, tries) = (next, 0);
                // The positions are free for discs of this radius, and all that it has.
                if !(radius * ALIKE..=radius).contains(&packing.radius(spot)) {
                    break;
                }
            }
        }
    }
}

impl Draws {
    /// The draws of a stream from a tile, given in shares of the region, or from all of it: at most
    /// that many.
    const fn new(key: u64, tile: Option<Rect>, most: u64) -> Self {
        let (area, is_tile) = match tile {
            Some(tile) => (tile, true),
            None => (Rect::new(Vec2::ZERO, Vec2::ONE), false),
        };
        Self { rng: Rng::new(key), area, is_tile, count: 0, most }
    }

    /// Where the centers of discs of a radius are drawn from.
    fn positions(&self, region: &Region, radius: f32) -> Rect {
        let bounds = region.bounds();
        let free = bounds.size() - 2.0 * radius;
        let corner = bounds.min + radius + self.area.min * free;
        Rect::new(corner, corner + self.area.size() * free)
    }
}

#[cfg(test)]
mod tests;
