//! The grid of a run: how large its cells are, and how many are stored.

use glam::Vec2;

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
        let free = (populated - setup.covered()).max(0.1 * populated) / count.max(1) as f64;
        let chosen = (f64::from(AGENTS_PER_FREE_CELL) * free).sqrt() as f32;
        let [median, large] = setup.typical_radii();
        let wide_enough = (MEDIAN_RADII_PER_CELL * median).max(LARGE_RADII_PER_CELL * large);
        chosen.max(wide_enough).max(side * 1.001 / CELLS_PER_SIDE_MAX as f32)
    });
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
        loose_size: Vec2::splat(loose),
        tight_size: Vec2::splat(loose * tight as f32),
        capacity: count + setup.spare_agents as usize,
        cells,
        edits: 0,
    }
}
