//! Random sequential addition: each disc at a random place, drawn again until it is free.
//!
//! The largest come first, while there is room for them, level by level of [`Packing`]. The discs of
//! a level are dealt to [`Tiles`] of the region, which are filled on all threads, each from a stream
//! of random numbers of its own. Tiles are drawn from, not walled: discs lie across their borders.
//! A level is placed in some rounds, in which the tiles of each color get a part of their discs. So
//! at the borders, too, discs come in random order, and no border is seen.
//!
//! Where coarser discs take up much of a tile, its share of discs would crowd the rest of it. So a
//! disc whose first draw falls on a coarser one leaves its tile, and so does one that finds no room.
//! What has left is dealt anew to all tiles, until less than one disc per tile is left: these few
//! are placed one after another, anywhere. That covers what is free of coarser discs evenly.
//!
//! What a tile places depends on its stream, on how many discs have left, and on the tiles around
//! it; on no number of threads.

use std::{mem, ops::Range};

use glam::Vec2;

use super::{
    deal::Deal,
    packing::{Overlap, Packing},
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

/// Rounds of a level.
const ROUNDS: usize = 4;

/// Draws from a tile before a disc leaves it.
const TRIES_IN_TILE: u64 = 500;

/// Draws for one disc before the attempt fails.
const TRIES_PER_DISC: u64 = 20_000;

/// Draws for all discs of a region in all attempts: per disc, and at least.
const TRIES_MEAN: u64 = 60;
const TRIES_LEAST: u64 = 500_000;

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
    let scatter = Scatter { region, radii, progress };
    for attempt in 0.. {
        let packing = scatter.attempt(keyed(key, attempt), &mut tries)?;
        if packing.is_some() || tries == 0 {
            return Ok(packing);
        }
        progress.restart();
    }
    Ok(None)
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
    progress: &'a PlacementShare<'a>,
}

/// A level of which discs are placed.
struct ScatterLevel<'a> {
    of: &'a Scatter<'a>,
    packing: &'a Packing,
    deal: Deal,
    tiles: &'a Tiles,
    key: u64,
}

/// What a tile has left over in a pass, and the number of draws.
#[derive(Clone, Default)]
struct TileRest {
    spots: Vec<u32>,
    draws: u64,
}

/// A stream of draws from a tile, or from the whole region.
struct Draws {
    rng: Rng,
    /// The tile, as shares of the sides of the region.
    area: Rect,
    is_tile: bool,
    /// Draws so far.
    count: u64,
}

impl Scatter<'_> {
    /// Draws at most `tries` times, and reduces it by the number of draws.
    fn attempt(&self, key: u64, tries: &mut u64) -> Result<Option<Packing>> {
        let bounds = self.region.bounds();
        let mut packing = Packing::new(self.radii.len())?;
        for (number, ranks) in (0..).zip(levels(self.radii)) {
            let layout = Packing::cells(&bounds, self.radii[ranks.start], ranks.len());
            let tiles = Tiles::new(self.region, &layout, ranks.len());
            let deal = Deal::new(&ranks, tiles.len());
            packing.begin_level(layout, deal, &|rank| self.radii[rank])?;
            let key = keyed(key, number);
            let level = ScatterLevel { of: self, packing: &packing, deal, tiles: &tiles, key };
            if !level.fill(tries)? {
                return Ok(None);
            }
        }
        Ok(Some(packing))
    }
}

impl ScatterLevel<'_> {
    /// Places all discs of the level; false if one finds no room.
    fn fill(&self, tries: &mut u64) -> Result<bool> {
        let count = self.tiles.len();
        let mut anywhere = Draws::new(keyed(self.key, 0), None);
        if count == 1 {
            return self.place_anywhere(self.deal.of_tile(0), &mut anywhere, tries);
        }
        let mut rests = vec![TileRest::default(); count];
        let mut pass = 0;
        for round in 0..ROUNDS {
            let dealt = |tile| self.deal.of_round(tile, round, ROUNDS);
            pass += 1;
            let mut rest = self.pass(pass, &dealt, &mut rests, tries)?;
            while rest.len() >= count && *tries > 0 {
                let pool = mem::take(&mut rest);
                let dealt = |tile| {
                    let [start, end] = [tile, tile + 1].map(|tile| pool.len() * tile / count);
                    pool[start..end].iter().map(|&spot| spot as usize)
                };
                pass += 1;
                rest = self.pass(pass, &dealt, &mut rests, tries)?;
            }
            // Spots of a tile are in the order of their sizes, the spots of several tiles are not.
            rest.sort_unstable_by_key(|&spot| self.deal.rank(spot - self.deal.first() as u32));
            let rest = rest.into_iter().map(|spot| spot as usize);
            if !self.place_anywhere(rest, &mut anywhere, tries)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Places what is dealt to tiles, one color after another. Returns the spots that leave their
    /// tiles.
    fn pass<D: Iterator<Item = usize>>(
        &self,
        number: u64,
        dealt: &(impl Fn(usize) -> D + Sync),
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
                    let mut draws = Draws::new(keyed(key, tile as u64), area);
                    self.fill_tile(dealt(tile), &mut draws, &mut rest.spots);
                    rest.draws = draws.count;
                }
            };
            if !of_color.is_empty() {
                parallel::pieces(of_color, 1, &fill, &|(), ()| ());
            }
            self.of.progress.go_on()?;
        }
        let count = rests.iter().map(|rest| rest.spots.len()).sum();
        let mut left = alloc::with_capacity(count, "the discs that are left over")?;
        for rest in rests {
            left.append(&mut rest.spots);
            *tries = tries.saturating_sub(rest.draws);
        }
        Ok(left)
    }

    /// Places discs in a tile, until the placement is canceled.
    fn fill_tile(
        &self,
        spots: impl Iterator<Item = usize>,
        draws: &mut Draws,
        left: &mut Vec<u32>,
    ) {
        let mut placed = 0;
        for spot in spots {
            if self.of.progress.is_canceled() {
                break;
            }
            match self.find(spot, draws, TRIES_IN_TILE) {
                Some(place) => {
                    self.packing.put(spot, place);
                    placed += 1;
                }
                None => left.push(spot as u32),
            }
        }
        self.of.progress.add(placed);
    }

    /// Places discs one after another, anywhere; false if one finds no room.
    fn place_anywhere(
        &self,
        spots: impl Iterator<Item = usize>,
        draws: &mut Draws,
        tries: &mut u64,
    ) -> Result<bool> {
        for spot in spots {
            self.of.progress.go_on()?;
            let before = draws.count;
            let place = self.find(spot, draws, TRIES_PER_DISC.min(*tries));
            *tries -= draws.count - before;
            let Some(place) = place else { return Ok(false) };
            self.packing.put(spot, place);
            self.of.progress.add(1);
        }
        Ok(true)
    }

    /// A free position for the disc of a spot. A disc leaves its tile if its first draw falls outside
    /// of the region or on a coarser disc, which has the probability of the share that these cover.
    fn find(&self, spot: usize, draws: &mut Draws, most: u64) -> Option<Vec2> {
        let radius = self.packing.radius(spot);
        let Scatter { region, .. } = self.of;
        let bounds = region.bounds();
        let free = bounds.size() - 2.0 * radius;
        let corner = bounds.min + radius + draws.area.min * free;
        let size = draws.area.size() * free;
        for number in 0..most {
            draws.count += 1;
            let place = corner + draws.rng.point() * size;
            let inside = region.holds(place, radius);
            let met =
                if inside { self.packing.overlap_at(place, radius) } else { Overlap::Coarser };
            match met {
                Overlap::Nothing => return Some(place),
                Overlap::Coarser if draws.is_tile && number == 0 => return None,
                Overlap::Coarser | Overlap::Peer => {}
            }
        }
        None
    }
}

impl Draws {
    /// The draws of a stream from a tile, given in shares of the region, or from all of it.
    const fn new(key: u64, tile: Option<Rect>) -> Self {
        let (area, is_tile) = match tile {
            Some(tile) => (tile, true),
            None => (Rect::new(Vec2::ZERO, Vec2::ONE), false),
        };
        Self { rng: Rng::new(key), area, is_tile, count: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parallel::pool, scene::progress::PlacementProgress};

    const DISCS: usize = 100_000;

    /// Discs whose radii are evenly spread, in a square of which they cover that share.
    fn square(low: f32, share: f32) -> (Region, Vec<f32>) {
        let radius = |rank: usize| 1.0 - (1.0 - low) * (rank as f32 + 0.5) / DISCS as f32;
        let radii: Vec<f32> = (0..DISCS).map(radius).collect();
        let squares: f32 = radii.chunks(100).map(|it| it.iter().map(|r| r * r).sum::<f32>()).sum();
        let side = (squares * std::f32::consts::PI / share).sqrt();
        (Region::Rect(Rect::from_size(side, side)), radii)
    }

    fn scattered(region: &Region, radii: &[f32], key: u64) -> Vec<(Vec2, f32)> {
        let progress = PlacementProgress::new();
        let packing = scatter(region, radii, key, &PlacementShare::new(&progress));
        let discs = packing.expect("there is memory").expect("there is room").into_discs();
        assert_eq!(progress.placed(), DISCS as u32);
        (0..DISCS as u32).map(|rank| discs.disc(rank)).collect()
    }

    #[test]
    fn any_number_of_threads_places_the_same_discs() {
        let (region, radii) = square(0.1, 0.4);
        let placed =
            |threads| pool(threads).expect("threads").install(|| scattered(&region, &radii, 5));
        let one = scattered(&region, &radii, 5);
        assert!(placed(2) == one && placed(3) == one);
        assert!(scattered(&region, &radii, 6) != one);
    }

    /// Discs lie as densely at the borders of tiles as inside, have as many close neighbors there,
    /// and are counted with the same variance.
    #[test]
    fn tiles_have_no_seams() {
        for (low, share) in [(0.5, 0.4), (0.5, 0.59), (0.1, 0.4), (0.1, 0.59)] {
            let (region, radii) = square(low, share);
            let bounds = region.bounds();
            // Discs of the finest level, which is the first if there is only one.
            let level = levels(&radii).max_by_key(Range::len).expect("discs");
            let layout = Packing::cells(&bounds, radii[level.start], level.len());
            let tile = bounds.size() * Tiles::new(&region, &layout, level.len()).shares(0).size();
            let (mut near, mut inner, mut boxes) = ([0.0_f64; 2], [0.0_f64; 2], [[0.0_f64; 3]; 2]);
            for key in 0..6 {
                let mut discs = scattered(&region, &radii, key);
                let of_level: Vec<Vec2> = discs[level.clone()].iter().map(|it| it.0).collect();
                discs.sort_unstable_by(|a, b| a.0.x.total_cmp(&b.0.x));
                for (index, &(at, radius)) in discs.iter().enumerate() {
                    // Where the walls are far.
                    if !bounds.expanded(-tile.x * 0.5).contains(at) {
                        continue;
                    }
                    let beside = (at / tile - (at / tile).round()).abs() * tile;
                    let border = beside.min_element();
                    let counts = match border {
                        ..1.0 => &mut near,
                        4.0.. => &mut inner,
                        _ => continue,
                    };
                    counts[0] += 1.0;
                    let behind = discs[index + 1..].iter();
                    let window = behind.take_while(|other| other.0.x < at.x + 2.2);
                    let close =
                        window.filter(|other| other.0.distance(at) < 1.1 * (radius + other.1));
                    counts[1] += close.count() as f64;
                }
                // Boxes of a quarter of a tile's sides, around corners and around middles.
                let cols = (bounds.size() / tile).round();
                let mut counts = [(); 2].map(|()| vec![0.0_f64; (cols.x * cols.y) as usize]);
                for at in of_level {
                    for (shift, counts) in [0.0, 0.5].into_iter().zip(&mut counts) {
                        let share = at / tile - shift;
                        let beside = (share - share.round()).abs().max_element();
                        let [col, row] = share.round().to_array().map(|it| it as usize);
                        let is_inner = col > 0 && row > 0 && share.round().cmplt(cols - 1.0).all();
                        if beside < 0.125 && is_inner {
                            counts[row * cols.x as usize + col] += 1.0;
                        }
                    }
                }
                for (counts, sums) in counts.iter().zip(&mut boxes) {
                    for &count in counts.iter().filter(|count| **count > 0.0) {
                        sums[0] += 1.0;
                        sums[1] += count;
                        sums[2] += count * count;
                    }
                }
            }
            let area = |from: f64, to: f64| {
                // Of a tile, the part with a distance in this range from its border.
                let [width, height] = tile.to_array().map(f64::from);
                (width - 2.0 * from) * (height - 2.0 * from)
                    - (width - 2.0 * to) * (height - 2.0 * to)
            };
            let half = f64::from(tile.min_element()) * 0.5;
            let density = near[0] / area(0.0, 1.0) / (inner[0] / area(4.0, half));
            let close = near[1] / near[0] / (inner[1] / inner[0]);
            let [corners, middles] = boxes.map(|[n, sum, squares]| {
                let mean = sum / n;
                [mean, (squares / n - mean * mean) / mean]
            });
            assert!((density - 1.0).abs() < 0.02, "{low} {share}: {density}");
            assert!((close - 1.0).abs() < 0.05, "{low} {share}: {close}");
            assert!((corners[0] / middles[0] - 1.0).abs() < 0.02, "{corners:?} {middles:?}");
            assert!((0.6..1.6).contains(&(corners[1] / middles[1])), "{corners:?} {middles:?}");
        }
    }
}
