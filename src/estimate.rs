//! How much memory a set-up would take, known before any of it is allocated.
//!
//! A near upper bound, made of what [`Sim`](crate::Sim) allocates at its construction: columns and
//! contacts per agent, and a grid with enough cells for the start. A test compares it with what
//! a `Sim` really holds.

use crate::{
    agents::Agents,
    contacts::Contacts,
    grid::{Grid, GridConfig},
    limits::{BANDS_MAX, NEAR},
    scene::{Setup, Solver, rule::SceneRule},
    sim::grid_config,
    statics::Statics,
    step::regrid::Regrid,
};

/// Bytes per agent that placing it takes, and that are given back late.
const PLACING: usize = 8;

/// Bytes per outlier cell, with room for as many more.
const OUTLIER_CELL: f64 = 72.0;

/// Loose cells per side of a page: they are stored together as soon as one agent is in one of them.
const PAGE_SIDE: f64 = 8.0;

/// Bytes that everything else takes.
const BASE: usize = 1 << 20;

/// About how many bytes a run of that set-up takes, its placing included.
///
/// Meaningful if [`Setup::validate`] accepts the set-up.
pub fn bytes(setup: &Setup) -> u64 {
    let capacity = setup.agents as usize + setup.spare_agents as usize;
    let units = setup.scene.has_factions();
    let speeds = setup.solver == Solver::Resting;
    let statics = setup.fixed().len() + setup.spare_statics as usize;
    let bytes = Agents::bytes_for(capacity, units)
        + Regrid::bytes_for(capacity, units)
        + Contacts::bytes_for(capacity, setup.contacts_per_agent(), BANDS_MAX as usize, speeds)
        + SceneRule::bytes_for(setup, capacity, BANDS_MAX as usize)
        + Statics::bytes_for(statics)
        + capacity * PLACING
        + BASE;
    bytes as u64 + grid(setup)
}

/// Bytes of the grid at the start. Agents that spread over a huge world come to take more: a page
/// each, at the worst.
fn grid(setup: &Setup) -> u64 {
    let (agents, populated) = (f64::from(setup.agents), setup.populated());
    let config = grid_config(setup, setup.world(), populated, setup.agents as usize);
    // Clumps cut through the pages at their rims.
    let area_per_cell = f64::from(config.loose_size.x) * f64::from(config.loose_size.y);
    let page = PAGE_SIDE * PAGE_SIDE;
    let fringed = populated / area_per_cell * 4.0 + agents + page * 16.0;
    // Offsets that have to grow get a quarter more than they need.
    let stored = (config.cells as f64).max(fringed.min(agents * page)) * 1.25;
    // Agents too large for their cells are listed in all tight cells that they reach.
    let all_large = setup.radius[0] > NEAR * config.loose_size.min_element();
    let reach = f64::from(2.0 * setup.radius[1] / config.tight_size.min_element()) + 2.0;
    let lists = if all_large { agents * (OUTLIER_CELL + 8.0 * reach * reach) } else { 0.0 };
    Grid::bytes_for(&GridConfig { cells: stored as usize, ..config }) as u64 + lists as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Sim, Vec2};

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
