//! A perturbed lattice: positions for more discs than random addition finds room for, if all have
//! about one size.
//!
//! The sites form square or hexagonal rows, with the widest gaps that leave a site for each disc.
//! Discs take sites at random, and each moves off its site by less than half the gap to the next.

use glam::Vec2;

use super::{
    packing::{Overlap, Packing},
    progress::PlacementProgress,
    region::Region,
    scatter::levels,
};
use crate::rng::Rng;

/// A pattern of rows: their pitch, and the shift of every other row, in distances of sites.
struct Pattern {
    pitch: f64,
    shift: f64,
}

/// The square root of 3, halved: from row to row of a hexagonal lattice, in spacings.
pub(super) const PITCH: f64 = 0.866_025_403_784_438_6;

/// Smallest gap between the discs of a lattice, in radii: more than f32 rounds positions by.
pub(super) const GAP_MIN: f64 = 0.03;

const PATTERNS: [Pattern; 2] =
    [Pattern { pitch: PITCH, shift: 0.5 }, Pattern { pitch: 1.0, shift: 0.0 }];

/// Positions for discs of these radii, which descend; none if a lattice has too few sites, or
/// the placement is canceled.
pub(super) fn lattice(
    region: &Region,
    radii: &[f32],
    rng: &mut Rng,
    progress: &PlacementProgress,
) -> Option<Packing> {
    let is_wanted = || (!progress.is_canceled()).then_some(());
    is_wanted()?;
    let disc = f64::from(*radii.first()?);
    let (gap, pattern) = PATTERNS
        .iter()
        .filter_map(|pattern| Some((widest_gap(region, pattern, disc, radii.len())?, pattern)))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mut sites = Vec::new();
    for LatticeRow { y, first, count } in rows(region, pattern, disc, gap) {
        let x = |n| (first + n as f64 * (2.0 * disc + gap)) as f32;
        sites.extend((0..count).map(|n| Vec2::new(x(n), y as f32)));
    }
    settle(region, radii, sites, gap as f32 * 0.49, rng, progress)
}

/// Positions for discs of these radii, which descend: each at a random site, moved off it by up to
/// `shake` where it fits; none if two overlap, or the placement is canceled.
pub(super) fn settle(
    region: &Region,
    radii: &[f32],
    sites: Vec<Vec2>,
    shake: f32,
    rng: &mut Rng,
    progress: &PlacementProgress,
) -> Option<Packing> {
    let is_wanted = || (!progress.is_canceled()).then_some(());
    let sites = choose(sites, radii.len(), rng);
    let bounds = region.bounds();
    let mut packing = Packing::new(radii.len());
    let mut sites = sites.into_iter();
    for level in levels(radii) {
        packing.begin_level(&bounds, radii[level.start], level.len());
        for rank in level {
            is_wanted()?;
            let radius = radii[rank];
            let site = sites.next()?;
            let shaken = site + rng.direction() * (shake * rng.unit());
            let place = [shaken, region.pull_in(site, radius)].into_iter().find(|&place| {
                region.holds(place, radius) && packing.overlap_at(place, radius) == Overlap::Nothing
            })?;
            packing.put(rank, place, radius);
            progress.add_placed();
        }
    }
    Some(packing)
}

/// True if a lattice in the region has sites for `discs` discs of radius `disc`, with `gap` between
/// them.
pub(super) fn has_sites(region: &Region, disc: f64, gap: f64, discs: usize) -> bool {
    PATTERNS.iter().any(|pattern| sites(region, pattern, disc, gap) >= discs)
}

/// The number of sites of a pattern.
fn sites(region: &Region, pattern: &Pattern, disc: f64, gap: f64) -> usize {
    rows(region, pattern, disc, gap).map(|row| row.count).sum()
}

/// The widest gap between neighbors that leaves a site for each of `discs` discs.
fn widest_gap(region: &Region, pattern: &Pattern, disc: f64, discs: usize) -> Option<f64> {
    let enough = |gap: f64| sites(region, pattern, disc, gap) >= discs;
    if !enough(0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, (region.area() / discs as f64).sqrt() * 2.0);
    // A thirtieth halving is finer than f32 is.
    for _ in 0..30 {
        let middle = (low + high) * 0.5;
        *(if enough(middle) { &mut low } else { &mut high }) = middle;
    }
    Some(low)
}

/// The sites of a row: their height, the first of them, and their number.
struct LatticeRow {
    y: f64,
    first: f64,
    count: usize,
}

/// The rows of the region for discs with `gap` between them.
fn rows(
    region: &Region,
    pattern: &Pattern,
    disc: f64,
    gap: f64,
) -> impl Iterator<Item = LatticeRow> {
    let distance = 2.0 * disc + gap;
    let pitch = distance * pattern.pitch;
    let bounds = region.bounds();
    let bottom = f64::from(bounds.min.y) + disc;
    let rows = (f64::from(bounds.max.y) - disc - bottom) / pitch;
    let count = if rows < 0.0 { 0 } else { rows as u64 + 1 };
    let [left, _] = region.chord(f64::from(bounds.center().y), disc);
    (0..count).filter_map(move |index| {
        let y = bottom + index as f64 * pitch;
        let [from, to] = region.chord(y, disc);
        let start = left + if index % 2 == 1 { pattern.shift * distance } else { 0.0 };
        let first = start + ((from - start) / distance).ceil().max(0.0) * distance;
        (first <= to).then(|| LatticeRow {
            y,
            first,
            count: ((to - first) / distance) as usize + 1,
        })
    })
}

/// `count` of the sites, chosen and ordered at random.
fn choose(mut sites: Vec<Vec2>, count: usize, rng: &mut Rng) -> Vec<Vec2> {
    for n in 0..count {
        let other = n + rng.below((sites.len() - n) as u32) as usize;
        sites.swap(n, other);
    }
    sites.truncate(count);
    sites
}
