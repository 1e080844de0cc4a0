//! The state of a run in parts: what a start, a snapshot or the ranks of a cluster make a run of.

use super::{Counters, Sim, Transfer, motion};
use crate::{
    agents::Agents,
    contacts::ContactList,
    error::Result,
    grid::{Grid, GridConfig},
    scene::{Setup, rule::SceneRule},
    simd::SimdLevel,
    solver::SolverParts,
    statics::Statics,
    step::{finder::PairFinder, regrid::Regrid, swept::Swept},
};

/// What decides the future of a run, beside the grid, the contact solver, the forces and rules of a
/// caller's own. Agents are in the order of their slots.
#[derive(Debug)]
pub(crate) struct RunState {
    pub(crate) setup: Setup,
    pub(crate) agents: Agents,
    pub(crate) statics: Statics,
    pub(crate) steps: u64,
    pub(crate) next_id: u32,
    pub(crate) counters: Counters,
    pub(crate) transfer: Transfer,
    pub(crate) claims: u64,
    pub(crate) largest_displacement: f32,
    /// When the next sort comes.
    pub(crate) due: [usize; 2],
}

impl RunState {
    /// A run before its first step.
    pub(crate) fn begin(setup: &Setup, agents: Agents, statics: Statics) -> Self {
        let next_id = agents.id.iter().max().map_or(0, |&most| most.saturating_add(1));
        Self {
            setup: setup.clone(),
            agents,
            statics,
            steps: 0,
            next_id,
            counters: Counters::default(),
            transfer: Transfer::default(),
            claims: 0,
            largest_displacement: 0.0,
            due: [0; 2],
        }
    }
}

impl Sim {
    /// A run with that state, on a grid that has its agents or will get them.
    ///
    /// # Errors
    /// If the rule of the scene can't be made, or there is not enough memory.
    pub(super) fn assembled(state: RunState, grid: Grid, contacts: ContactList) -> Result<Self> {
        let RunState { setup, agents, statics, steps, next_id, due, .. } = state;
        let GridConfig { bounds, capacity, .. } = *grid.config();
        let motion = motion(&setup, bounds);
        let contacts = contacts.with_seam(motion.space)?;
        let paths = || Swept::new(capacity, contacts.storage());
        let swept = setup.sweeps().then(paths).transpose()?;
        let mut regrid = Regrid::new(&grid, agents.has_bytes(), motion.space)?;
        regrid.set_due(due);
        let mut sim = Self {
            motion,
            rule: SceneRule::new(&setup, agents.units.is_some(), capacity, &grid)?,
            setup,
            agents,
            statics,
            regrid,
            grid,
            contacts,
            solver: None,
            swept: swept.map(Box::new),
            claims: state.claims,
            finder: PairFinder::Grid,
            rules: None,
            steps,
            counters: state.counters,
            transfer: state.transfer,
            forces: Vec::new(),
            largest_displacement: state.largest_displacement,
            recorded: None,
            next_id,
            simd: SimdLevel::best(),
        };
        sim.update_radius_min();
        Ok(sim)
    }

    /// A run of the impulse solver with that state: the agents with their home cells.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn from_state(state: RunState, config: GridConfig, homes: &[u32]) -> Result<Self> {
        let mut grid = Grid::new(config)?;
        grid.set_homes(&state.agents, homes)?;
        let contacts = ContactList::new(config.capacity, state.setup.contacts_per_agent(), &grid)?;
        Self::assembled(state, grid, contacts)
    }

    /// What the contact solver remembers, if it is in use.
    pub(crate) fn solver_parts(&self) -> Option<SolverParts> {
        let solver = self.solver.as_ref().filter(|_| self.setup.uses_contact_solver())?;
        let bands = self.contacts.bands().len();
        Some(solver.parts(self.agents.len(), 0..bands, &self.agents, &[]))
    }

    /// Sets what the contact solver remembers.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn set_solver_parts(&mut self, parts: &SolverParts) -> Result<()> {
        self.contacts.make_room(&self.grid, parts.pairs())?;
        let mut solver = self.solver_for(&self.setup)?;
        solver.set_parts(parts, &self.agents, &self.contacts, None)?;
        self.solver = Some(solver);
        Ok(())
    }

    /// Number of forces through the next step, which are no part of [`RunState`].
    pub(crate) fn forces_to_come(&self) -> usize {
        self.forces.len()
    }

    /// The state of a run, and its grid.
    pub(crate) fn into_state(self) -> (RunState, Grid) {
        let counters = self.counters();
        let due = self.regrid.due();
        let Self { setup, agents, statics, steps, next_id, transfer, claims, grid, .. } = self;
        let largest_displacement = self.largest_displacement;
        let state = RunState {
            setup,
            agents,
            statics,
            steps,
            next_id,
            counters,
            transfer,
            claims,
            largest_displacement,
            due,
        };
        (state, grid)
    }
}
