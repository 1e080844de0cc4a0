//! The grains of `crystal`: patches of a hexagonal lattice, each turned its own way, so small that
//! the discs between them are in no order.
//!
//! ```text
//! ┌──────┬─────┬────┐   the world is divided among seeds, one at random in each cell of a grid: a
//! │ ● ● ╱ ●  ● │ ●●●│   grain has what is nearest to its seed. All grains have one spacing, as
//! │● ● ╱ ●  ● ╱ ●● ●│   wide as it may be with a site for each disc; a site too near to a site of
//! │ ● │ ●  ● │ ● ●● │   another grain is left out.
//! └───┴──────┴──────┘
//! ```
//!
//! No random placement reaches the density at which discs freeze. At that density the smallest
//! grains melt within a second, and from the liquid larger ones grow.

use glam::{DVec2, Vec2};

use super::{
    lattice::{GAP_MIN, PITCH, SITES, Sites, settle},
    packing::{Overlap, Packing},
    progress::PlacementShare,
    region::Region,
};
use crate::{
    alloc,
    error::Result,
    parallel,
    rng::{Rng, keyed},
};

/// Discs in a grain, if such grains leave room for all discs. Larger ones waste less at borders:
/// they are the next choice.
const DISCS_PER_GRAIN: usize = 64;

/// Share of the gap between discs by which sites of two grains may be closer than sites of one
/// grain, and share by which a disc moves off its site. Two such moves and the former are less than
/// the gap.
const CLOSER: f64 = 0.2;
const SHAKE: f64 = 0.35;

/// Largest number of seeds near a seed: those of seven rows and columns around it.
const NEAR: usize = 48;

/// What the memory of seeds is for.
const SEEDS: &str = "the seeds of grains";

/// Rows of seeds in a band of sites. A grain reaches over less than two rows beyond its own.
const ROWS_PER_BAND: usize = 4;

/// Sites that may be left over, as a share of the discs; attempts to find such a spacing.
const SURPLUS: f64 = 0.003;
const ATTEMPTS: u32 = 8;

/// Positions for discs of these radii, which descend; none if grains have too few sites.
///
/// # Errors
/// If there is not enough memory, or the placement is canceled.
pub(super) fn grains(
    region: &Region,
    radii: &[f32],
    key: u64,
    progress: &PlacementShare<'_>,
) -> Result<Option<Packing>> {
    let Some(&disc) = radii.first() else { return Ok(None) };
    let mut per_grain = DISCS_PER_GRAIN;
    while per_grain < radii.len() {
        let key = keyed(key, per_grain as u64);
        let seeds = SeedGrid::new(region, radii.len() / per_grain, &mut Rng::new(key))?;
        if let Some((sites, gap)) = seeds.widest(region, f64::from(disc), radii.len(), progress)? {
            return settle(region, radii, &sites, (gap * SHAKE) as f32, key, progress);
        }
        per_grain *= 2;
    }
    Ok(None)
}

/// A seed of a grain: where it is, which way the rows of its lattice point, and the way to each
/// seed near it, the nearest first.
struct Seed {
    at: DVec2,
    row: DVec2,
    near: Vec<DVec2>,
}

/// Seeds, one in each cell of a grid over the region, row by row.
struct SeedGrid {
    seeds: Vec<Seed>,
    cols: usize,
    cell: DVec2,
}

/// Some rows of seeds, and the sites of their grains.
struct GrainBand<'a> {
    number: usize,
    seeds: &'a [Seed],
    sites: Result<Vec<Vec2>>,
}

impl SeedGrid {
    /// About that many seeds.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn new(region: &Region, count: usize, rng: &mut Rng) -> Result<Self> {
        let (min, size) = (region.bounds().min.as_dvec2(), region.bounds().size().as_dvec2());
        let side = (size.x / count.max(1) as f64 * size.y).sqrt();
        let [cols, rows] = [size.x, size.y].map(|length| ((length / side + 0.5) as usize).max(1));
        let cell = size / DVec2::new(cols as f64, rows as f64);
        let seed = |index| {
            let shift = Vec2::new(rng.unit(), rng.unit()).as_dvec2();
            let at = DVec2::new((index % cols) as f64, (index / cols) as f64) + shift;
            let row = rng.direction().as_dvec2();
            Seed { at: min + at * cell, row, near: Vec::new() }
        };
        let mut seeds: Vec<Seed> = alloc::collected((0..cols * rows).map(seed), SEEDS)?;
        for index in 0..seeds.len() {
            let (col, row, at) = (index % cols, index / cols, seeds[index].at);
            // No seed farther away takes anything from a grain: its cell is full of other seeds'.
            let ways = (row.saturating_sub(3)..(row + 4).min(rows))
                .flat_map(|row| (col.saturating_sub(3)..(col + 4).min(cols)).map(move |c| [c, row]))
                .map(|[col, row]| seeds[row * cols + col].at - at)
                .filter(|&way| way != DVec2::ZERO);
            let mut near = alloc::with_capacity(NEAR, SEEDS)?;
            near.extend(ways);
            near.sort_unstable_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
            seeds[index].near = near;
        }
        Ok(Self { seeds, cols, cell })
    }

    /// Sites for that many discs, and few more, with the widest gap that leaves them room; and this
    /// gap.
    fn widest(
        &self,
        region: &Region,
        disc: f64,
        discs: usize,
        progress: &PlacementShare<'_>,
    ) -> Result<Option<(Sites, f64)>> {
        let least = disc * GAP_MIN;
        let most = (discs as f64 * (1.0 + SURPLUS)) as usize;
        let aim = discs as f64 * (1.0 + 0.5 * SURPLUS);
        let mut best: Option<(Sites, f64)> = None;
        // As if there were no borders.
        let mut spacing = (region.area() / aim / PITCH).sqrt();
        for _ in 0..ATTEMPTS {
            spacing = spacing.max(2.0 * disc + least);
            let gap = spacing - 2.0 * disc;
            progress.go_on()?;
            let sites = self.sites(region, disc, gap)?;
            let count = sites.places.len();
            if count < discs && gap <= least {
                break;
            }
            if count >= discs && best.as_ref().is_none_or(|(fewest, _)| count < fewest.places.len())
            {
                best = Some((sites, gap));
            }
            if (discs..=most).contains(&count) {
                break;
            }
            // The number of sites is proportional to the area, less some at each border.
            spacing *= (count.max(1) as f64 / aim).sqrt();
        }
        Ok(best)
    }

    /// The sites of all grains with that gap between discs, in bands of some rows of seeds.
    fn sites(&self, region: &Region, disc: f64, gap: f64) -> Result<Sites> {
        let spacing = 2.0 * disc + gap;
        let half = (disc + gap * 0.5 * (1.0 - CLOSER)) as f32;
        // The sites of a hexagonal lattice, and some that only the borders keep from fitting. A
        // grain at the border of a band lies in part in the next one.
        let rows = (self.seeds.len() / self.cols).min(ROWS_PER_BAND + 2);
        let area = self.cell.y * rows as f64 * self.cell.x * self.cols as f64;
        let most = (area / (spacing * spacing * PITCH) * 1.05) as usize + 64;
        let seeds = self.seeds.chunks(self.cols * ROWS_PER_BAND);
        let all = most * seeds.len();
        let mut packing = Packing::new(all)?;
        let layout = Packing::cells(&region.bounds(), half, all);
        packing.begin_level(layout, half)?;
        packing.append(all, &|_| half)?;
        let band = |(number, seeds)| GrainBand { number, seeds, sites: Ok(Vec::new()) };
        let mut bands: Vec<GrainBand<'_>> = alloc::collected(seeds.enumerate().map(band), SITES)?;
        parallel::in_turns(&mut bands, &|band| {
            band.sites = alloc::with_capacity(most, SITES).map(|mut sites| {
                let of_seeds = band.seeds.iter().flat_map(|seed| self.of_seed(seed, spacing));
                for site in of_seeds.filter(|&site| region.holds(site, disc as f32)) {
                    if sites.len() < most && packing.overlap_at(site, half) == Overlap::Nothing {
                        packing.put(band.number * most + sites.len(), site);
                        sites.push(site);
                    }
                }
                sites
            });
        });
        drop(packing);
        let mut sites = Sites::default();
        let count = bands.iter().flat_map(|band| &band.sites).map(Vec::len).sum();
        alloc::reserve(&mut sites.places, count, SITES)?;
        for band in bands {
            sites.places.extend(band.sites?);
            sites.end_band()?;
        }
        Ok(sites)
    }

    /// The sites of the grain of a seed, as if it were alone.
    fn of_seed(&self, seed: &Seed, spacing: f64) -> impl Iterator<Item = Vec2> {
        // The farthest part of a grain from its seed lies across its cell and the cell of a
        // neighbor.
        let reach = self.cell.max_element() * 1.5;
        let steps = (reach / (spacing * PITCH)) as i64 + 1;
        let Seed { at, row, near } = seed;
        let column = DVec2::new(-row.y, row.x);
        (-steps..=steps).flat_map(move |v| {
            let (up, shift) = (v as f64 * PITCH * spacing, 0.5 * (v & 1) as f64);
            // The part of a lattice row that is nearer to this seed than to any other.
            let half = (reach * reach - up * up).max(0.0).sqrt();
            let (mut from, mut to) = (-half, half);
            for way in near {
                let square = way.length_squared();
                if square >= 4.0 * (from * from).max(to * to) + 4.0 * up * up {
                    break;
                }
                let (along, rest) = (2.0 * row.dot(*way), square - 2.0 * up * column.dot(*way));
                if along > 0.0 {
                    to = to.min(rest / along);
                } else if along < 0.0 {
                    from = from.max(rest / along);
                }
                if from > to || along == 0.0 && rest < 0.0 {
                    (from, to) = (1.0, 0.0);
                    break;
                }
            }
            let first = if from <= to { (from / spacing - shift).ceil() as i64 } else { 1 };
            let last = if from <= to { (to / spacing - shift).floor() as i64 } else { 0 };
            (first..=last).map(move |u| {
                let along = (u as f64 + shift) * spacing;
                (*at + *row * along + column * up).as_vec2()
            })
        })
    }
}
