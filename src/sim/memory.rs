//! The memory of a run: what it holds, and what a set-up would take.

use crate::{
    agents::{Agents, SPIN_BYTES},
    contacts::ContactList,
    geometry::Boundary,
    grid::{Grid, GridConfig},
    limits::NEAR,
    scene::{Setup, rule::SceneRule},
    solver::ContactSolver,
    statics::Statics,
    step::{regrid::Regrid, swept::Swept},
};

use super::{Sim, grid_config::grid_config};

/// Bytes per agent that placing it takes, and that are given back late.
const PLACING: usize = 8;

/// Bytes per outlier cell, with room for the same number of further cells.
const OUTLIER_CELL: f64 = 72.0;

/// Loose cells per side of a page: they are stored together as soon as one agent is in one of them.
const PAGE_SIDE: f64 = 8.0;

/// Bytes that everything else takes.
const BASE: usize = 1 << 20;

/// Bytes held, by purpose. If another index finds the contacts, the double grid only sorts the
/// agents, and is counted with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunMemory {
    /// The agents' columns, what sorting them takes, the statics, and the scene's rule.
    pub agents: usize,
    /// The index that finds the contacts.
    pub grid: usize,
    /// The contact list, and what bringing pairs into order takes.
    pub contacts: usize,
}

#[cfg(feature = "cli")]
impl RunMemory {
    /// All of them.
    pub(crate) fn total(&self) -> usize {
        self.agents + self.grid + self.contacts
    }
}

impl Sim {
    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> RunMemory {
        let mut memory = RunMemory {
            agents: self.agents.memory()
                + self.regrid.memory()
                + self.statics.memory()
                + self.rule.memory()
                + self.rules.as_ref().map_or(0, |rules| rules.memory()),
            grid: self.grid.memory(),
            contacts: self.contacts.memory()
                + self.solver.as_ref().map_or(0, |solver| solver.memory())
                + self.swept.as_ref().map_or(0, |swept| swept.memory()),
        };
        if let Some([index, discs, order]) = self.finder.memory() {
            memory.agents += memory.grid + discs;
            memory.grid = index;
            memory.contacts += order;
        }
        memory
    }

    /// About how many bytes a run of that set-up takes, its placing included.
    ///
    /// A near upper bound of [`Self::memory`], made of what a run allocates at its construction:
    /// columns and contacts per agent, and a grid with enough cells for the start. Meaningful if
    /// [`Setup::validate`] accepts the set-up.
    #[must_use]
    pub fn memory_for(setup: &Setup) -> u64 {
        let capacity = setup.agents as usize + setup.spare_agents as usize;
        let units = setup.scene.has_factions();
        let statics = setup.fixed().len() + setup.spare_statics as usize;
        let config = config(setup);
        let bands = Grid::band_count(&config);
        let bytes = Agents::memory_for(capacity, units)
            + Regrid::memory_for(capacity, units, bands)
            + ContactList::memory_for(capacity, setup.contacts_per_agent(), bands)
            + ContactList::memory_for_seam(capacity, setup.boundary != Boundary::Walls)
            + SceneRule::memory_for(setup, capacity, bands)
            + Statics::memory_for(statics)
            + capacity * if setup.friction > 0.0 { SPIN_BYTES } else { 0 }
            + capacity * PLACING
            + BASE;
        let pairs = ContactList::length_for(capacity, setup.contacts_per_agent(), bands);
        let solver = if setup.uses_contact_solver() {
            let has = [statics > 0, setup.friction > 0.0];
            ContactSolver::memory_for(capacity, pairs, bands, has)
        } else {
            0
        };
        let swept = if setup.sweeps() { Swept::memory_for(capacity, pairs) } else { 0 };
        (bytes + solver + swept) as u64 + grid(setup, config)
    }
}

/// The configuration of the grid at the start.
fn config(setup: &Setup) -> GridConfig {
    grid_config(setup, setup.world(), setup.populated(), setup.agents as usize)
}

/// Bytes of the grid at the start. Agents that spread over a huge world come to take more: a page
/// each, at the worst.
fn grid(setup: &Setup, config: GridConfig) -> u64 {
    let (agents, populated) = (f64::from(setup.agents), setup.populated());
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
    Grid::memory_for(&GridConfig { cells: stored as usize, ..config }) as u64 + lists as u64
}
