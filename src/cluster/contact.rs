//! The contact solver on several ranks.
//!
//! ```text
//! enlarge   own agents and ghosts; the outliers of all ranks decide about a sort, in which impulses go
//!           with their agents                                                     migrate
//! plan      each rank tells how its bands move; all decide alike which bands sleep or keep their blocks
//! find      as with the impulse solver                                            late
//! build     near pairs of own bands; pairs with an outlier in the order of one process
//! solve     each pass: even bands, odd bands; after each, what has changed in the row of a border goes to
//!           the rank that has not worked on it, of its own agents those that the other one needs
//!           after the last, the others                                            border
//!           free pairs with an outlier, and tied ones, which all ranks solve      shared
//!           walls, statics and motion, of own agents and ghosts alike
//! ```

use super::{
    Link, Rank,
    shared::SlotsHere,
    solver_link::{RankSolver, SolverLink},
    tally::Tally,
};
use crate::{
    alloc,
    contacts::Sought,
    error::Result,
    sim::{self, RunState},
    solver::Physics,
    step::{
        Phase, Probe,
        band_sums::BandSums,
        finder::SPREAD_OUT,
        integrate::{self, Trajectory},
        pair_contact::Exchange,
    },
};

impl<L: Link> Rank<L> {
    /// A substep of the contact solver.
    pub(super) fn contact_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Regrid);
        let physics = sim::physics(&self.motion, self.state.setup.sleep && !self.is_ruled());
        let (here, bands) = (self.here(), self.slabs.bands(self.link.rank()));
        let Self { link, state, late: pairs, solver, .. } = self;
        let Some(RankSolver { solver, late, first_slot }) = solver.as_deref_mut() else {
            unreachable!("claimed at the start")
        };
        let (borders, rows, needs) = ([None, None], Vec::new(), None);
        let first_slot = *first_slot;
        let mut others =
            SolverLink { link, bands, borders, rows, needs, pairs, late, here, first_slot };
        if solver.is_at_rest(&state.agents, &physics, &mut others) {
            return Ok(());
        }
        self.enlarge(&physics)?;
        let collisions = self.solve_contacts(&physics, probe)?;
        probe.begin(Phase::Integrate);
        let tally = self.take_over(collisions);
        probe.begin(Phase::Regrid);
        let mut all = Tally::default();
        for words in self.link.all_gather(&tally.words()) {
            all.add(&words);
        }
        all.add_to(&mut self.state, Exchange::default());
        let Self { state: RunState { agents, .. }, grid, .. } = self;
        let outliers = grid.recorded_outliers(0..agents.len()).count();
        grid.list_outliers(agents, outliers)
    }

    fn here(&self) -> SlotsHere {
        let (rank, count) = (self.link.rank() as u32, self.state.agents.len());
        SlotsHere { rank, own: self.own, count }
    }

    /// Enlarges the discs and makes the grid exact for them; sorts the agents when it is due.
    fn enlarge(&mut self, physics: &Physics) -> Result<()> {
        let outliers = self.record_enlarged(physics);
        if self.regrid.is_due(outliers, self.all) {
            self.sort((None, 0), physics.ahead())?;
            let outliers = self.record_enlarged(physics);
            self.regrid.set_large(outliers);
        }
        let Self { state: RunState { agents, .. }, grid, solver, .. } = self;
        let Some(RankSolver { solver, .. }) = solver.as_deref() else {
            unreachable!("claimed at the start")
        };
        let outliers = grid.recorded_outliers(0..agents.len()).count();
        grid.list_outliers(&solver.discs(agents), outliers)
    }

    /// Enlarges the discs; returns how many of all ranks are outliers.
    fn record_enlarged(&mut self, physics: &Physics) -> usize {
        let Self { link, state: RunState { agents, .. }, own, grid, solver, simd, .. } = self;
        let Some(RankSolver { solver, .. }) = solver.as_deref_mut() else {
            unreachable!("claimed at the start")
        };
        grid.record_outliers(&solver.enlarge(agents, physics, *simd));
        link.sum(grid.recorded_outliers(0..*own).count() as u64) as usize
    }

    /// Finds and solves the contacts; returns the pairs that met fast, as this rank counts them.
    fn solve_contacts(&mut self, physics: &Physics, probe: &mut impl Probe) -> Result<u64> {
        let (here, borders) = (self.here(), self.borders());
        let bands = self.slabs.bands(self.link.rank());
        let Self { link, state, grid, contacts, late: pairs, solver, simd, .. } = self;
        let RunState { agents, statics, .. } = state;
        let Some(RankSolver { solver, late, first_slot }) = solver.as_deref_mut() else {
            unreachable!("claimed at the start")
        };
        let (rows, needs, first_slot) = (Vec::new(), None, *first_slot);
        let mut others =
            SolverLink { link, bands, borders, rows, needs, pairs, late, here, first_slot };
        solver.plan(agents, contacts, grid, physics, *simd, &mut others);
        loop {
            probe.begin(Phase::Contacts);
            let kept = |band| solver.kept_pairs(band);
            let sought = Sought { kept: &kept, ..solver.discs(agents).into() };
            alloc::with_remedy(contacts.find(sought, grid, *simd), SPREAD_OUT)?;
            others.find_late((agents, solver.discs(agents)), grid, contacts);
            probe.begin(Phase::Resolve);
            solver.build(agents, contacts, statics, physics, *simd, &mut others)?;
            if !solver.wake_touched(&mut others) {
                break;
            }
        }
        solver.solve(agents, contacts, physics, *simd, &mut others)
    }

    /// Takes over the motion of the bodies, of own agents and ghosts; counts that of own agents.
    fn take_over(&mut self, collisions: u64) -> Tally {
        *self.sums = BandSums::default();
        let Self { state: RunState { agents, statics, .. }, own, grid, motion, solver, .. } = self;
        let Some(RankSolver { solver, .. }) = solver.as_deref() else {
            unreachable!("claimed at the start")
        };
        let bodies = solver.bodies();
        solver.take_over_spins(agents);
        let mut ghosts = agents.copied(*own..agents.len());
        let of_ghosts = Trajectory::Solved(&bodies[*own..]);
        let without = integrate::without_bounces(motion);
        let ghosts = integrate::moves_of(&mut ghosts, of_ghosts, &without, statics);
        let moved = integrate::take_over(agents, bodies, grid, motion, statics, self.simd);
        Tally {
            farthest_square: moved.farthest_square,
            tunnelled: moved.tunnelled - ghosts.tunnelled,
            wall_impulse: moved.wall_impulse.without(&ghosts.wall_impulse),
            collisions,
            ..Tally::default()
        }
    }
}
