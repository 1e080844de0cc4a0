//! Who starts where: the agents of a scene as crowds, each with a region of its own.
//!
//! Most scenes are one crowd in all of the world. `burst` is one in a disc, `pegs` one in the hopper, `sparse` some
//! dozens, and `melee` has some on each side.

use glam::Vec2;

use super::{Scene, Setup, place::ALWAYS, radii::Radii, region::Region, scatter::scatter};
use crate::{geometry::Rect, rng::Rng};

/// Agents of a clump of `sparse`, usually: some hundred cells, so that clumps are not all border.
const CLUMP: u32 = 2_000;

/// Agents of a clump, at least: with fewer there are not a dozen clumps.
const CLUMP_LEAST: u32 = 16;

/// Clumps, where there are agents enough for them. At the most as many as fit apart easily.
const CLUMPS: [u32; 2] = [12, 240];

/// Share of the world that clumps cover with the room around them, if their own is smaller: random
/// addition finds that at once, and they are spread evenly.
const CLUMPS_APART: f64 = 0.25;

/// Share of the world's width that lies between two armies.
const NO_MANS_LAND: f32 = 0.02;

/// Agents of a column of an army, at least, and columns of an army, at most. An army that is smaller is a block.
const COLUMN: u32 = 2_000;
const COLUMNS_MAX: u32 = 7;

/// How wide a column is, from the beginning of one to that of the next: those of the other side meet half of it,
/// and march into the gaps with the rest.
const COLUMN_SHARE: f32 = 0.6;

/// Agents that are placed together.
#[derive(Debug)]
pub(super) struct Crowd {
    /// Where.
    pub(super) region: Region,
    /// Their radii, which descend.
    pub(super) radii: Vec<f32>,
}

/// How many crowds there are. Crowd k has the ranks k, k + count, k + 2·count, …, so that all are alike
/// and each has its largest first.
pub(super) fn count(setup: &Setup) -> u32 {
    let [few, many] = CLUMPS;
    match setup.scene {
        Scene::Sparse => {
            (setup.agents / CLUMP).clamp(few, many).min(setup.agents / CLUMP_LEAST).max(1)
        }
        Scene::Melee => (2 * columns(setup)).min(setup.agents),
        _ => 1,
    }
}

/// The crowds of a set-up; none if the world is too small for its clumps.
pub(super) fn crowds(setup: &Setup, rng: &mut Rng) -> Option<Vec<Crowd>> {
    let count = count(setup) as usize;
    let all = Radii::of(setup);
    let radii = |first: usize| {
        (first..setup.agents as usize).step_by(count).map(|rank| all.radius(rank as u32)).collect()
    };
    if !setup.is_clustered() {
        let crowd = |index| Crowd { region: region(setup, index), radii: radii(index) };
        return Some((0..count).map(crowd).collect());
    }
    let lists: Vec<Vec<f32>> = (0..count).map(radii).collect();
    let widths: Vec<f32> = lists.iter().map(|list| clump_radius(setup, list)).collect();
    let centers =
        if count == 1 { vec![setup.world().center()] } else { spread(setup, widths[0], rng)? };
    let discs = centers.into_iter().zip(widths);
    let regions = discs.map(|(center, radius)| Region::Disc { center, radius });
    Some(regions.zip(lists).map(|(region, radii)| Crowd { region, radii }).collect())
}

/// The region of a crowd that lies where the set-up says, as all do but the clusters of `burst` and `sparse`.
pub(super) fn region(setup: &Setup, index: usize) -> Region {
    Region::Rect(match setup.scene {
        Scene::Melee => column(&setup.world(), columns(setup), index),
        _ => setup.ground(),
    })
}

/// Columns of an army.
fn columns(setup: &Setup) -> u32 {
    (setup.agents / (2 * COLUMN)).clamp(1, COLUMNS_MAX)
}

/// The ground of a column: those of the left army have even numbers, from below; those of the right one, with
/// odd numbers, begin half a column and half a gap higher.
fn column(world: &Rect, columns: u32, index: usize) -> Rect {
    let width = world.width() * (1.0 - NO_MANS_LAND) * 0.5;
    let [mut low, mut high] = [0.0, 1.0];
    if columns > 1 {
        let pitch = 1.0 / (columns as f32 - 0.5 + COLUMN_SHARE);
        low = index as f32 * 0.5 * pitch;
        high = low + COLUMN_SHARE * pitch;
    }
    let [low, high] = [low, high].map(|share| world.min.y + share * world.height());
    let left = if index.is_multiple_of(2) { world.min.x } else { world.max.x - width };
    Rect::new(Vec2::new(left, low), Vec2::new(left + width, high.min(world.max.y)))
}

/// Radius of the clump that these discs cover the share of that the density says.
fn clump_radius(setup: &Setup, radii: &[f32]) -> f32 {
    let squares: f64 = radii.iter().map(|&radius| f64::from(radius) * f64::from(radius)).sum();
    (squares / f64::from(setup.density)).sqrt() as f32
}

/// Places for clumps of that radius, far apart if the world allows it.
fn spread(setup: &Setup, clump: f32, rng: &mut Rng) -> Option<Vec<Vec2>> {
    let world = setup.world();
    let region = Region::Rect(world);
    let share = setup.populated() / region.area();
    // Apart by what rounding may move an agent at the rim.
    let close = clump + 0.05 * Radii::of(setup).largest();
    let wide = clump * (CLUMPS_APART / share).sqrt() as f32;
    [wide.min(world.size().min_element() * 0.499), close].into_iter().find_map(|reach| {
        let reaches = vec![reach.max(close); count(setup) as usize];
        Some(scatter(&region, &reaches, rng, &ALWAYS)?.places().collect())
    })
}
