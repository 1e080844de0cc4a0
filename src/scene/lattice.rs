//! A perturbed lattice: positions for more discs than random addition finds room for, if all have
//! about one size.
//!
//! The sites form square or hexagonal rows, with the widest gaps that leave a site for each disc.
//! Discs take sites at random, and each moves off its site by less than half the gap to the next.

use std::ops::Range;

use glam::Vec2;

use super::{
    packing::{AT_ONCE, Overlap, Packing},
    permutation::Permutation,
    progress::PlacementShare,
    region::Region,
};
use crate::{
    alloc,
    error::{Error, Result},
    parallel,
    rng::{Rng, keyed},
};

/// A pattern of rows: their pitch, and the shift of every other row, in distances of sites.
struct Pattern {
    pitch: f64,
    shift: f64,
}

/// The square root of 3, halved: from row to row of a hexagonal lattice, in spacings.
pub(super) const PITCH: f64 = 0.866_025_403_784_438_6;

/// Smallest gap between the discs of a lattice, in radii: more than f32 rounds positions by.
pub(super) const GAP_MIN: f64 = 0.03;

/// Rows of a band of sites.
const ROWS_PER_BAND: usize = 16;

/// What the memory of sites is for.
pub(super) const SITES: &str = "the sites of agents";

const PATTERNS: [Pattern; 2] =
    [Pattern { pitch: PITCH, shift: 0.5 }, Pattern { pitch: 1.0, shift: 0.0 }];

/// Positions for discs of these radii, which descend; none if a lattice has too few sites.
///
/// # Errors
/// If there is not enough memory, or the placement is canceled.
pub(super) fn lattice(
    region: &Region,
    radii: &[f32],
    key: u64,
    progress: &PlacementShare<'_>,
) -> Result<Option<Packing>> {
    progress.go_on()?;
    let Some(&widest) = radii.first() else { return Ok(None) };
    let disc = f64::from(widest);
    let best = PATTERNS
        .iter()
        .filter_map(|pattern| Some((widest_gap(region, pattern, disc, radii.len())?, pattern)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((gap, pattern)) = best else { return Ok(None) };
    let mut sites = Sites::default();
    for (number, row) in rows(region, pattern, disc, gap).enumerate() {
        if number > 0 && number % ROWS_PER_BAND == 0 {
            sites.end_band()?;
        }
        let x = |n| (row.first + n as f64 * (2.0 * disc + gap)) as f32;
        let row = (0..row.count).map(|n| Vec2::new(x(n), row.y as f32));
        alloc::append(&mut sites.places, row, SITES)?;
    }
    sites.end_band()?;
    settle(region, radii, &sites, gap as f32 * 0.49, key, progress)
}

/// Positions for discs of these radii, which descend: each at a random site, moved off it by up to
/// `shake` where it fits; none if two overlap.
///
/// # Errors
/// If there is not enough memory, or the placement is canceled.
pub(super) fn settle(
    region: &Region,
    radii: &[f32],
    sites: &Sites,
    shake: f32,
    key: u64,
    progress: &PlacementShare<'_>,
) -> Result<Option<Packing>> {
    let order = Permutation::new(keyed(key, 1), sites.places.len().max(1) as u32);
    let shakes = keyed(key, 2);
    let mut packing = Packing::new(radii.len())?;
    // As no two sites are closer than the widest discs, small discs need no level of their own.
    let layout = Packing::cells(&region.bounds(), radii[0], radii.len());
    packing.begin_level(layout, radii[0])?;
    packing.append(radii.len(), &|rank| radii[rank])?;
    let place = |index: usize, rank: usize| {
        // Some sites are left over.
        if rank >= radii.len() {
            return true;
        }
        let radius = packing.radius(rank);
        let mut rng = Rng::new(keyed(shakes, index as u64));
        let site = sites.places[index];
        let shaken = site + rng.direction() * (shake * rng.unit());
        let place = [shaken, region.pull_in(site, radius)].into_iter().find(|&place| {
            region.holds(place, radius) && packing.overlap_at(place, radius) == Overlap::Nothing
        });
        if let Some(place) = place {
            packing.put(rank, place);
            progress.add(1);
        }
        place.is_some()
    };
    // Discs are all over memory: it is asked for some of them before the first is placed.
    let place_some = |indices: Range<usize>| {
        let mut ranks = [0; AT_ONCE];
        for (rank, index) in ranks.iter_mut().zip(indices.clone()) {
            *rank = order.at(index as u32);
            packing.prefetch(*rank);
        }
        indices.zip(ranks).all(|(index, rank)| place(index, rank as usize))
    };
    if sites.places.len() < radii.len() {
        return Ok(None);
    }
    let bands = sites.bands.iter().map(|band| (band.clone(), Ok(true)));
    let mut bands: Vec<(Range<usize>, Result<bool>)> = alloc::collected(bands, SITES)?;
    parallel::in_turns(&mut bands, &|(band, is_settled)| {
        let starts = band.clone().step_by(AT_ONCE);
        let mut parts = starts.map(|start| start..(start + AT_ONCE).min(band.end));
        *is_settled = progress.go_on().map(|()| parts.all(place_some));
    });
    let all = bands.into_iter().try_fold(true, |all, (_, one)| Ok::<_, Error>(one? && all))?;
    Ok(all.then_some(packing))
}

/// Sites in bands across the region, from below. The sites of a band are so far from those of the
/// next band but one that discs at both may be placed at the same time.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) places: Vec<Vec2>,
    bands: Vec<Range<usize>>,
}

impl Sites {
    /// Ends a band: the sites behind it are those of the next one.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn end_band(&mut self) -> Result<()> {
        let start = self.bands.last().map_or(0, |band| band.end);
        alloc::push(&mut self.bands, start..self.places.len(), SITES)
    }
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
