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
    lattice::{GAP_MIN, PITCH, settle},
    packing::{Overlap, Packing},
    progress::PlacementProgress,
    region::Region,
};
use crate::rng::Rng;

/// Discs in a grain, if such grains leave room for all discs. Larger ones waste less at borders:
/// they are the next choice.
const DISCS_PER_GRAIN: usize = 64;

/// Share of the gap between discs by which sites of two grains may be closer than sites of one
/// grain, and share by which a disc moves off its site. Two such moves and the former are less than
/// the gap.
const CLOSER: f64 = 0.2;
const SHAKE: f64 = 0.35;

/// Sites that may be left over, as a share of the discs; attempts to find such a spacing.
const SURPLUS: f64 = 0.003;
const ATTEMPTS: u32 = 8;

/// Positions for discs of these radii, which descend; none if grains have too few sites, or the
/// placement is canceled.
pub(super) fn grains(
    region: &Region,
    radii: &[f32],
    rng: &mut Rng,
    progress: &PlacementProgress,
) -> Option<Packing> {
    let disc = *radii.first()?;
    let mut per_grain = DISCS_PER_GRAIN;
    while per_grain < radii.len() && !progress.is_canceled() {
        let seeds = Seeds::new(region, radii.len() / per_grain, rng);
        if let Some((sites, gap)) = seeds.widest(region, f64::from(disc), radii.len(), progress) {
            return settle(region, radii, sites, (gap * SHAKE) as f32, rng, progress);
        }
        per_grain *= 2;
    }
    None
}

/// A seed of a grain: where it is, which way the rows of its lattice point, and the way to each
/// seed near it, the nearest first.
struct Seed {
    at: DVec2,
    row: DVec2,
    near: Vec<DVec2>,
}

/// Seeds, one in each cell of a grid over the region, and the longer side of these cells.
struct Seeds {
    seeds: Vec<Seed>,
    cell: f64,
}

impl Seeds {
    /// About that many seeds.
    fn new(region: &Region, count: usize, rng: &mut Rng) -> Self {
        let (min, size) = (region.bounds().min.as_dvec2(), region.bounds().size().as_dvec2());
        let side = (size.x / count.max(1) as f64 * size.y).sqrt();
        let [cols, rows] = [size.x, size.y].map(|length| ((length / side + 0.5) as usize).max(1));
        let cell = size / DVec2::new(cols as f64, rows as f64);
        let mut seeds: Vec<Seed> = (0..cols * rows)
            .map(|index| {
                let shift = Vec2::new(rng.unit(), rng.unit()).as_dvec2();
                let at = DVec2::new((index % cols) as f64, (index / cols) as f64) + shift;
                let row = rng.direction().as_dvec2();
                Seed { at: min + at * cell, row, near: Vec::new() }
            })
            .collect();
        for index in 0..seeds.len() {
            let (col, row, at) = (index % cols, index / cols, seeds[index].at);
            // No seed farther away takes anything from a grain: its cell is full of other seeds'.
            let mut near: Vec<DVec2> = (row.saturating_sub(3)..(row + 4).min(rows))
                .flat_map(|row| (col.saturating_sub(3)..(col + 4).min(cols)).map(move |c| [c, row]))
                .map(|[col, row]| seeds[row * cols + col].at - at)
                .filter(|&way| way != DVec2::ZERO)
                .collect();
            near.sort_unstable_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
            seeds[index].near = near;
        }
        Self { seeds, cell: cell.max_element() }
    }

    /// Sites for that many discs, and few more, with the widest gap that leaves them room; and this
    /// gap.
    fn widest(
        &self,
        region: &Region,
        disc: f64,
        discs: usize,
        progress: &PlacementProgress,
    ) -> Option<(Vec<Vec2>, f64)> {
        let least = disc * GAP_MIN;
        let most = (discs as f64 * (1.0 + SURPLUS)) as usize;
        let aim = discs as f64 * (1.0 + 0.5 * SURPLUS);
        let mut best: Option<(Vec<Vec2>, f64)> = None;
        // As if there were no borders.
        let mut spacing = (region.area() / aim / PITCH).sqrt();
        for _ in 0..ATTEMPTS {
            spacing = spacing.max(2.0 * disc + least);
            let gap = spacing - 2.0 * disc;
            let sites = self.sites(region, disc, gap);
            let count = sites.len();
            if progress.is_canceled() || count < discs && gap <= least {
                break;
            }
            if count >= discs && best.as_ref().is_none_or(|(fewest, _)| count < fewest.len()) {
                best = Some((sites, gap));
            }
            if (discs..=most).contains(&count) {
                break;
            }
            // The number of sites is proportional to the area, less some at each border.
            spacing *= (count.max(1) as f64 / aim).sqrt();
        }
        best
    }

    /// The sites of all grains with that gap between discs.
    fn sites(&self, region: &Region, disc: f64, gap: f64) -> Vec<Vec2> {
        let spacing = 2.0 * disc + gap;
        let half = (disc + gap * 0.5 * (1.0 - CLOSER)) as f32;
        // The sites of a hexagonal lattice, and some that only the borders keep from fitting.
        let most = (region.area() / (spacing * spacing * PITCH) * 1.05) as usize + 64;
        let mut packing = Packing::new(most);
        packing.begin_level(&region.bounds(), half, most);
        // The farthest part of a grain from its seed lies across its cell and the cell of a
        // neighbor.
        let reach = self.cell * 1.5;
        let steps = (reach / (spacing * PITCH)) as i64 + 1;
        let mut sites = Vec::with_capacity(most);
        for Seed { at, row, near } in &self.seeds {
            for v in -steps..=steps {
                let (up, shift) = (v as f64 * PITCH * spacing, 0.5 * (v & 1) as f64);
                for u in -steps..=steps {
                    let along = (u as f64 + shift) * spacing;
                    let away = *row * along + DVec2::new(-row.y, row.x) * up;
                    let is_own = |way: &DVec2| 2.0 * away.dot(*way) <= way.length_squared();
                    if away.length_squared() > reach * reach || !near.iter().all(is_own) {
                        continue;
                    }
                    let site = (*at + away).as_vec2();
                    if sites.len() < most
                        && region.holds(site, disc as f32)
                        && packing.overlap_at(site, half) == Overlap::Nothing
                    {
                        packing.put(sites.len(), site, half);
                        sites.push(site);
                    }
                }
            }
        }
        sites
    }
}
