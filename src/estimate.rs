//! The memory that a set-up would take, known before any of it is allocated.
//!
//! A close upper bound, the sum of what [`Sim`](crate::Sim) allocates at construction: columns and
//! contacts per agent, and the loose cells that are stored or reserved. A test compares it with what
//! a `Sim` holds.

use glam::Vec2;

use crate::{
    agents::Agents,
    contacts::Contacts,
    limits::{BANDS_MAX, NEAR},
    scene::{Setup, Solver, rule::SceneRule},
    sim::grid_config,
    statics::Statics,
    step::regrid::Regrid,
};

/// Bytes per agent in the grid: its position in the order, its home and its windows, spare cells of
/// outliers; and what placing the agent took and is given back late.
const GRID_AGENT: f64 = 12.0 + 6.0 + 8.0;

/// Bytes a loose cell that is stored: an offset.
const CELL: f64 = 4.0;

/// Bytes a page of the world, stored or not: its bits, rounded up.
const PAGE: f64 = 0.5;

/// Bytes a wide cell, with room for as many more.
const WIDE: f64 = 72.0;

/// Bytes a tight cell: where its list begins.
const TIGHT: f64 = 4.0;

/// Loose cells a side of a page: they are stored together as soon as one agent is in one of them.
const PAGE_SIDE: f32 = 8.0;

/// Bytes that everything else takes.
const BASE: f64 = 1_048_576.0;

/// About how many bytes a run of that set-up takes, its placing included.
///
/// Meaningful where [`Setup::validate`] is content.
pub fn bytes(setup: &Setup) -> u64 {
    let capacity = setup.agents as usize + setup.spare_agents as usize;
    let units = setup.scene.has_factions();
    let speeds = setup.solver == Solver::Resting;
    let statics = setup.fixed().len() + setup.spare_statics as usize;
    let columns = Agents::bytes_for(capacity, units)
        + Regrid::bytes_for(capacity, units)
        + Contacts::bytes_for(capacity, setup.contacts_per_agent(), BANDS_MAX as usize, speeds)
        + SceneRule::bytes_for(setup, capacity, BANDS_MAX as usize)
        + Statics::bytes_for(statics);
    (columns as f64 + capacity as f64 * GRID_AGENT + cells(setup) + BASE) as u64
}

/// Bytes of the grid's cells at the start. Agents that spread over a huge world come to take more:
/// a page each, at the worst.
fn cells(setup: &Setup) -> f64 {
    let agents = f64::from(setup.agents);
    let (world, populated) = (setup.world(), setup.populated());
    let config = grid_config(setup, world, populated, setup.agents as usize);
    let count = |cell: Vec2| {
        let count = (world.size() / cell).ceil();
        f64::from(count.x + PAGE_SIDE) * f64::from(count.y + PAGE_SIDE) * 1.1
    };
    // Clumps cut through the pages at their rims.
    let area_per_cell = f64::from(config.loose_size.x) * f64::from(config.loose_size.y);
    let page = f64::from(PAGE_SIDE * PAGE_SIDE);
    let fringed = populated / area_per_cell * 4.0 + agents + page * 16.0;
    let stored =
        (config.cells as f64).max(fringed.min(agents * page)).min(count(config.loose_size));
    let pages = count(config.loose_size) / page;
    // Agents too large for their cells are listed in all tight cells that they reach.
    let all_wide = setup.radius[0] > NEAR * config.loose_size.min_element();
    let reach = f64::from(2.0 * setup.radius[1] / config.tight_size.min_element()) + 2.0;
    let lists = if all_wide { agents * (WIDE + 8.0 * reach * reach) } else { 0.0 };
    stored * 1.25 * CELL + pages * PAGE + count(config.tight_size) * TIGHT + lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Sim};

    fn held(setup: &Setup) -> u64 {
        let mut sim = Sim::new(setup).expect("it can be had");
        sim.step().expect("it steps");
        let bytes = sim.bytes();
        (bytes.agents + bytes.grid + bytes.contacts) as u64
    }

    #[test]
    fn as_much_as_a_run_takes_and_not_much_more() {
        for scene in Scene::ALL {
            let setup = Setup::with_agents(scene, 20_000);
            let (bytes, held) = (bytes(&setup), held(&setup));
            assert!(bytes >= held, "{scene}: {bytes} estimated, {held} held");
            assert!(bytes <= 4 * held, "{scene}: {bytes} estimated, {held} held");
        }
    }

    #[test]
    fn small_cells_count() {
        let gas = Setup { agents: 2_000, ..Setup::new(Scene::Gas) };
        for cell in [0.02, 0.5, 3.0, 100.0] {
            let setup = Setup { cell: Some(cell), ..gas.clone() };
            let (bytes, held) = (bytes(&setup), held(&setup));
            assert!(bytes >= held, "{cell}: {bytes} estimated, {held} held");
        }
        let wide = Setup { world: Some(Vec2::splat(50_000.0)), ..gas };
        assert!(bytes(&wide) < 30_000_000, "empty space costs nothing");
        let fine = Setup { cell: Some(1.0), tight: Some(1), ..wide };
        assert!(bytes(&fine) > 10_000_000_000, "tight cells are not packed");
    }
}
