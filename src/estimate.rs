//! How much memory a set-up would take: known before any of it is claimed.
//!
//! An upper bound that is near, made of what [`Sim`](crate::Sim) claims at its construction: columns
//! an agent, room for contacts an agent, and the loose cells that are stored or have room reserved.
//! A test holds it against what a `Sim` really has.

use crate::{
    limits::AGENTS_A_CELL,
    scene::{Setup, Solver},
};

/// Bytes an agent: six columns and one to sort them by, its place in the order and its home cell, and
/// what placing it took that is given back late.
const AGENT: f64 = 24.0 + 8.0 + 8.0 + 8.0;

/// Bytes a loose cell: an offset, an AABB, and its share of the tight cells.
const CELL: f64 = 20.0 + 4.0;

/// Bytes a contact that there is room for: a pair and a speed.
const CONTACT: f64 = 12.0;

/// Loose cells of a page, which are stored together as soon as one agent is in one of them.
const PAGE: f64 = 256.0;

/// Bytes that everything else takes.
const BASE: f64 = 1_048_576.0;

/// About how many bytes a run of that set-up takes, its placing included.
///
/// Meaningful where [`Setup::validate`] is content.
pub fn bytes(setup: &Setup) -> u64 {
    let agents = f64::from(setup.agents);
    let contacts = match setup.solver {
        Solver::Impulse => 0.25,
        Solver::Resting => 4.0,
    };
    (agents * (AGENT + contacts * CONTACT) + cells(setup) * CELL + BASE) as u64
}

/// Loose cells that are stored at the start, or have room reserved. Agents that spread over a huge world
/// come to take more: a page each, at the worst.
fn cells(setup: &Setup) -> f64 {
    let agents = f64::from(setup.agents);
    let crowded = setup.crowd_area();
    let area_a_cell = match setup.cell {
        Some(side) => f64::from(side) * f64::from(side),
        None => f64::from(AGENTS_A_CELL) * crowded / agents,
    };
    let size = setup.world().size();
    let margin = 32.0 * area_a_cell.sqrt();
    let all = (f64::from(size.x) + margin) * (f64::from(size.y) + margin) * 1.1 / area_a_cell;
    if all <= agents * 16.0 + 4096.0 {
        return all;
    }
    // Clumps cut through the pages at their rims.
    let fringed = crowded / area_a_cell * 4.0 + agents + PAGE * 16.0;
    all.min(agents * PAGE).min(fringed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Sim, Vec2};

    fn held(setup: &Setup) -> u64 {
        let mut sim = Sim::new(setup).expect("it can be had");
        sim.step(&mut ()).expect("it steps");
        let bytes = sim.bytes();
        (bytes.agents + bytes.grid + bytes.contacts) as u64
    }

    #[test]
    fn as_much_as_a_run_takes_and_not_much_more() {
        for scene in Scene::ALL {
            let setup = Setup { agents: 20_000, ..Setup::new(scene) };
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
    }
}
