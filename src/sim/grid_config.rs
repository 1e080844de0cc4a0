//! The grid of a run: how large its cells are, and how many are stored.

use glam::Vec2;

#[cfg(feature = "cli")]
use crate::scene::Start;
use crate::{
    geometry::Rect,
    grid::GridConfig,
    limits::{
        AGENTS_PER_FREE_CELL, CELLS_PER_SIDE_MAX, LARGE_RADII_PER_CELL, MEDIAN_RADII_PER_CELL,
    },
    scene::Setup,
};

/// The grid for a start. It depends on the set-up and the start, and never on the machine: cells
/// decide the order in which contacts are resolved.
pub(crate) fn grid_config(setup: &Setup, world: Rect, populated: f64, count: usize) -> GridConfig {
    let side = world.size().max_element();
    let loose = setup.cell.unwrap_or_else(|| {
        loose_side(side, populated, setup.covered(), count, setup.typical_radii())
    });
    let repeats = setup.boundary.repeats();
    let loose = dividing(world.size(), loose, repeats);
    // Stores all cells of the world where that is affordable, as in a burst: its agents spread
    // out. In a huge world, it begins with one cell per agent.
    let columns = (world.size() / loose).ceil().max(Vec2::ONE);
    let all = f64::from(columns.x + 16.0) * f64::from(columns.y + 16.0) * 1.1;
    let affordable = count as f64 * 16.0 + 4096.0;
    let cells = if all <= affordable { all as usize } else { count + 4096 };
    let tight = setup.tight.unwrap_or_else(|| {
        // The tight grid is not packed: in a huge world its cells are larger.
        let mut side = 4;
        while all / f64::from(side * side) > 1024.0 + count as f64 / 8.0 {
            side *= 2;
        }
        side
    });
    GridConfig {
        bounds: world,
        loose_size: loose,
        tight_size: loose * tight as f32,
        capacity: count + setup.spare_agents as usize,
        cells,
        edits: 0,
        repeats,
    }
}

/// Side of a loose cell for agents that lie in `populated` and cover `covered` of it, with their median
/// radius and the radius that one in 32 has or exceeds, in a world with that longer side.
pub(super) fn loose_side(
    side: f32,
    populated: f64,
    covered: f64,
    count: usize,
    [median, large]: [f32; 2],
) -> f32 {
    let free = (populated - covered).max(0.1 * populated) / count.max(1) as f64;
    let chosen = (f64::from(AGENTS_PER_FREE_CELL) * free).sqrt() as f32;
    let wide_enough = (MEDIAN_RADII_PER_CELL * median).max(LARGE_RADII_PER_CELL * large);
    chosen.max(wide_enough).max(side * 1.001 / CELLS_PER_SIDE_MAX as f32)
}

/// Side of a loose cell for a start whose radii no scene has chosen.
#[cfg(feature = "cli")]
pub(crate) fn cell_for(start: &Start) -> f32 {
    let mut radii = start.agents.radius.clone();
    let covered: f64 = radii.iter().map(|&r| f64::from(r) * f64::from(r)).sum();
    let count = radii.len();
    let typical = [2, 32].map(|of| {
        let (.., radius, _) = radii.select_nth_unstable_by(count - 1 - count / of, f32::total_cmp);
        *radius
    });
    let side = start.world.size().max_element();
    loose_side(side, start.populated, covered * std::f64::consts::PI, count, typical)
}

/// Width and height of cells of about that side. Along axes along which the world repeats they are a
/// whole part of it, and no smaller: the last column then ends where the first one begins.
fn dividing(world: Vec2, side: f32, repeats: [bool; 2]) -> Vec2 {
    let divide = |length: f32| {
        let count = (length / side).floor().max(1.0);
        let mut part = length / count;
        // A part that was rounded down would need one cell more.
        while (length / part).ceil() > count {
            part = part.next_up();
        }
        part
    };
    let [x, y] = repeats;
    Vec2::new(if x { divide(world.x) } else { side }, if y { divide(world.y) } else { side })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_divide_what_repeats() {
        for side in [0.1, 0.7, 1.0, 3.3, 9.99, 10.0, 10.01, 1e9] {
            for length in [10.0, 9.999_999, 1.0 / 3.0, 12_345.67, 1e7] {
                let [part, same] = dividing(Vec2::splat(length), side, [true, false]).to_array();
                let count = (length / part).ceil();
                assert!(same == side && (part * count / length - 1.0).abs() < 1e-6);
                assert!(part >= side * (1.0 - 1e-6) || count == 1.0, "{side} in {length}: {part}");
            }
        }
    }
}
