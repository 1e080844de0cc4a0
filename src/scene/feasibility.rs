//! Feasibility: whether the agents of a set-up fit, by arithmetic. Nothing is placed.
//!
//! Two bounds enclose the answer. [`crowded`] refuses set-ups that cannot fit by any
//! placement. [`surely_fits`] accepts set-ups for which the placement succeeds for certain.
//! Between the two, only the placement finds out; suggestions meet the second bound.
//!
//! Discs are placed largest first; of many, those that leave their tile come after smaller ones of
//! their round, for which the bound has not been proven, only tried. The center of a disc of radius r
//! can't be nearer to a placed disc of radius R than R + r, so the placed discs exclude an area of at
//! most π·Σ(R + r)². As long as a twentieth of the area for centers is left, random draws find it.
//! Otherwise a lattice must have a site for each disc, as wide as the largest.

use std::f64::consts::PI;

use glam::Vec2;

use super::{Setup, clusters, lattice, radii::Radii, region::Region, scatter::RANDOM_MAX};
use crate::limits;

/// Share of the area for centers that placed discs may exclude.
const EXCLUDED_MAX: f64 = 0.95;

/// The objects that have no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowded {
    /// The discs in their region.
    Discs,
    /// The clusters in the world.
    Clusters,
}

/// The objects that can't fit by any placement, because of their area or width; none if they
/// may fit.
pub(super) fn crowded(setup: &Setup) -> Option<Crowded> {
    let size = setup.ground().size().as_dvec2();
    let (width, area, crowded) = if setup.is_clustered() {
        (setup.cluster_width(), setup.populated(), Crowded::Clusters)
    } else {
        let share = f64::from(limits::DENSITY_MAX);
        (f64::from(Radii::new(setup).largest()) * 2.0, setup.covered() / share, Crowded::Discs)
    };
    (width > size.min_element() || area > size.x * size.y).then_some(crowded)
}

/// True if the placement finds room for every agent. False where it may fail.
pub(super) fn surely_fits(setup: &Setup) -> bool {
    let count = clusters::count(setup);
    let radii = Radii::new(setup);
    // The first cluster has the largest discs, and no fewer of them than any other.
    let discs = setup.agents.div_ceil(count);
    let radius = |n: u32| f64::from(radii.radius(n * count));
    if !setup.is_clustered() {
        return fit(&clusters::region(setup, 0), discs, radius);
    }
    let squares: f64 =
        blocks(discs).map(|[first, end]| radius(first).powi(2) * f64::from(end - first)).sum();
    let width = (squares / f64::from(setup.density)).sqrt();
    let apart = width + 0.05 * radius(0);
    let cluster = Region::Disc { center: Vec2::ZERO, radius: width as f32 };
    let spread =
        count == 1 || random_fit(&Region::Rect(setup.world()), count, |_| apart * (1.0 + 1e-6));
    spread && fit(&cluster, discs, radius)
}

/// True if `discs` discs, in descending order of radii, can be placed in a region for certain.
fn fit(region: &Region, discs: u32, radius: impl Fn(u32) -> f64) -> bool {
    let widest = radius(0);
    // All discs of a block count as its first, which is the largest.
    let area: f64 =
        blocks(discs).map(|[first, end]| PI * radius(first).powi(2) * f64::from(end - first)).sum();
    lattice::has_sites(region, widest, widest * lattice::GAP_MIN, discs as usize)
        || area <= RANDOM_MAX * region.area() && random_fit(region, discs, radius)
}

/// True if random draws find a position for each disc.
fn random_fit(region: &Region, discs: u32, radius: impl Fn(u32) -> f64) -> bool {
    let (mut sum, mut squares) = (0.0, 0.0);
    blocks(discs).all(|[first, end]| {
        // All discs of a block count as its first, which is the largest.
        let (r, count) = (radius(first), f64::from(end - first));
        sum += r * count;
        squares += r * r * count;
        // A disc doesn't exclude itself.
        let excluded = PI * (squares + 2.0 * r * sum + r * r * (f64::from(end) - 4.0));
        let free = region.area_for_centers(r);
        free > 0.0 && excluded <= EXCLUDED_MAX * free
    })
}

/// Ranges of ranks, first and end: single ranks at first, then ranges of a sixty-fourth of the
/// ranks before them.
fn blocks(discs: u32) -> impl Iterator<Item = [u32; 2]> {
    let block = move |first: u32| [first, (first + 1 + first / 64).min(discs)];
    let first = (discs > 0).then(|| block(0));
    std::iter::successors(first, move |&[_, end]| (end < discs).then(|| block(end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, place};

    /// The densest set-ups that surely fit are placed: of all scenes, of few agents and of many, and
    /// in worlds of any shape.
    #[test]
    fn what_surely_fits_is_placed() {
        let mut placed = 0;
        for scene in Scene::ALL {
            for (agents, seeds) in [(1, 3), (2, 5), (7, 20), (100, 5), (1_000, 3), (20_000, 1)] {
                for aspect in [1.0, 10.0, 1_000.0_f32] {
                    let dense = |density: f32| {
                        let setup = Setup { agents, density, ..Setup::new(scene) };
                        let size = setup.world().size();
                        let height = (size.x / aspect * size.y).sqrt();
                        Setup { world: Some(Vec2::new(height * aspect, height)), ..setup }
                    };
                    let fits = |density: f32| {
                        let setup = dense(density);
                        setup.check().is_ok() && surely_fits(&setup)
                    };
                    let (mut low, mut high) = (0.0, 1.0);
                    for _ in 0..12 {
                        let middle = (low + high) * 0.5;
                        *(if fits(middle) { &mut low } else { &mut high }) = middle;
                    }
                    if low == 0.0 {
                        continue;
                    }
                    for seed in 1..=seeds {
                        let start = place(&Setup { seed, ..dense(low) });
                        assert!(start.is_ok(), "{scene} {agents} {aspect} {low}: {start:?}");
                        placed += 1;
                    }
                }
            }
        }
        assert!(placed > 500, "{placed}");
    }
}
