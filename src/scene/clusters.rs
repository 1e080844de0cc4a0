//! The agents of a scene as clusters, each with a region of its own.
//!
//! Most scenes are one cluster in the whole world. `burst` is one in a disc, `pegs` one in the
//! hopper, `dam` one in the column, `sparse` some dozens, and `melee` has some on each side.

use glam::Vec2;

use super::{
    Setup,
    kind::StartArea::{Armies, Clusters, Column, Disc, Hopper, Piston, Targets, World},
    progress::{PlacementProgress, PlacementShare},
    radii::Radii,
    region::Region,
    scatter::scatter,
};
use crate::{alloc, error::Result, geometry::Rect};

/// Usual number of agents in a cluster of `sparse`. They fill some hundred cells, most of which lie
/// inside the cluster.
const AGENTS_PER_CLUSTER: u32 = 2_000;

/// Least number of agents in a cluster. With fewer agents there are fewer than a dozen clusters.
const AGENTS_PER_CLUSTER_MIN: u32 = 16;

/// Least and largest number of clusters, given enough agents. More clusters are hard to spread.
const CLUSTERS: [u32; 2] = [12, 240];

/// Share of the world that clusters and their margins cover, if the clusters alone cover less.
/// Random addition finds positions for this share at once, and spreads the clusters evenly.
const SPREAD_SHARE: f64 = 0.25;

/// Share of the world's width that lies between two armies.
const NO_MANS_LAND: f32 = 0.02;

/// Least number of agents in a column of an army, and largest number of columns. A smaller army is
/// one block.
const COLUMN: u32 = 2_000;
const COLUMNS_MAX: u32 = 7;

/// Width of a column as a share of the distance between two columns. The columns of the other side
/// meet half of the width, and march into the gaps with the rest.
const COLUMN_SHARE: f32 = 0.6;

/// The number of clusters. Cluster k has the ranks k, k + count, k + 2·count, …, so that all are
/// alike and each has its largest disc first.
pub(super) fn count(setup: &Setup) -> u32 {
    let [few, many] = CLUSTERS;
    match setup.scene.traits().area {
        Clusters => (setup.agents / AGENTS_PER_CLUSTER)
            .clamp(few, many)
            .min(setup.agents / AGENTS_PER_CLUSTER_MIN)
            .max(1),
        Armies => (2 * columns(setup)).min(setup.agents),
        World | Disc | Hopper | Targets | Column | Piston => 1,
    }
}

/// The region of a cluster, and the radii in it, which descend.
pub(super) type Cluster = (Region, Vec<f32>);

/// The clusters of a set-up; none if the world is too small for them.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn clusters(setup: &Setup, key: u64) -> Result<Option<Vec<Cluster>>> {
    let count = count(setup) as usize;
    let all = Radii::new(setup);
    let radii = |first: usize| {
        let radius = |at: usize| all.radius((first + at * count) as u32);
        let length = (setup.agents as usize - first).div_ceil(count);
        let mut radii = Vec::new();
        alloc::extend_by(&mut radii, length, &radius, "the radii of agents")?;
        Ok(radii)
    };
    let lists: Vec<Vec<f32>> = (0..count).map(radii).collect::<Result<_>>()?;
    let regions: Vec<Region> = if setup.is_clustered() {
        let widths: Vec<f32> = lists.iter().map(|list| cluster_radius(setup, list)).collect();
        let middle = || vec![setup.world().center()];
        let spread = if count == 1 { Some(middle()) } else { spread(setup, widths[0], key)? };
        let Some(centers) = spread else { return Ok(None) };
        let discs = centers.into_iter().zip(widths);
        discs.map(|(center, radius)| Region::Disc { center, radius }).collect()
    } else {
        (0..count).map(|index| region(setup, index)).collect()
    };
    Ok(Some(regions.into_iter().zip(lists).collect()))
}

/// The region of a cluster, for every scene but `burst` and `sparse`.
pub(super) fn region(setup: &Setup, index: usize) -> Region {
    Region::Rect(if setup.scene.traits().area == Armies {
        column(&setup.world(), columns(setup), index)
    } else {
        setup.ground()
    })
}

/// The number of columns of an army.
fn columns(setup: &Setup) -> u32 {
    (setup.agents / (2 * COLUMN)).clamp(1, COLUMNS_MAX)
}

/// The region of a column. Columns of the left army have even numbers, from below. Those of the
/// right army have odd numbers, and begin half a column and half a gap higher.
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

/// Radius of the cluster in which discs of these radii cover the set-up's density.
fn cluster_radius(setup: &Setup, radii: &[f32]) -> f32 {
    let squares: f64 = radii.iter().map(|&radius| f64::from(radius) * f64::from(radius)).sum();
    (squares / f64::from(setup.density)).sqrt() as f32
}

/// Centers for clusters of that radius, far apart if the world is large enough.
fn spread(setup: &Setup, cluster: f32, key: u64) -> Result<Option<Vec<Vec2>>> {
    let world = setup.world();
    let region = Region::Rect(world);
    let share = setup.populated() / region.area();
    // The margin covers the rounding of positions at the rim.
    let close = cluster + 0.05 * Radii::new(setup).largest();
    let wide = cluster * (SPREAD_SHARE / share).sqrt() as f32;
    for reach in [wide.min(world.size().min_element() * 0.499), close] {
        let reaches = vec![reach.max(close); count(setup) as usize];
        let progress = PlacementProgress::new();
        let packing = scatter(&region, &reaches, key, &PlacementShare::new(&progress))?;
        if let Some(packing) = packing {
            return Ok(Some(packing.into_discs().iter().map(|disc| disc.0).collect()));
        }
    }
    Ok(None)
}
