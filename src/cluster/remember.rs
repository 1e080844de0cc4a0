//! What the contact solver of a rank remembers: behind a sort, and of a whole run or for one.

use std::ops::Range;

use super::{Link, Rank, migrate::CarriedImpulses, solver_link::RankSolver};
use crate::{
    error::Result,
    sim::{RunState, Sim},
    solver::{RememberedImpulses, SolverParts},
};

impl<L: Link> Rank<L> {
    /// Begins with a contact solver that remembers nothing, if there is one.
    pub(super) fn forget_contacts(&mut self) {
        self.count_lower();
        let agents = self.state.agents.len();
        if let Some(RankSolver { solver, .. }) = self.solver.as_deref_mut() {
            solver.forget(agents);
        }
    }

    /// The impulses of agents that stay on their ranks; `None` without a contact solver.
    pub(super) fn keep_impulses(&mut self) -> Option<CarriedImpulses> {
        let Self { state: RunState { agents, .. }, solver, .. } = self;
        let RankSolver { solver, .. } = solver.as_deref_mut()?;
        let RememberedImpulses { pairs, fixed, newcomers } =
            solver.take_impulses(agents, agents.len());
        Some(CarriedImpulses {
            pairs: pairs.into_iter().map(|(_, impulse)| impulse).collect(),
            orphans: Vec::new(),
            fixed: fixed.into_iter().map(|(_, impulse)| impulse).collect(),
            newcomers: newcomers.into_iter().map(|slot| agents.id[slot as usize]).collect(),
        })
    }

    /// Remembers the impulses that agents have taken along in a sort. Agents with ids from `former_ids` on were
    /// born.
    pub(super) fn take_over_impulses(
        &mut self,
        carried: Option<CarriedImpulses>,
        former_ids: u32,
    ) -> Result<()> {
        self.count_lower();
        let Self { state: RunState { agents, .. }, solver, .. } = self;
        if let Some(RankSolver { solver, late: Some(late), .. }) = solver.as_deref_mut()
            && let Some(CarriedImpulses { pairs, orphans, fixed, mut newcomers }) = carried
        {
            newcomers.sort_unstable();
            let is_new = |id: u32| id >= former_ids || newcomers.binary_search(&id).is_ok();
            late.add(orphans.into_iter());
            let known = pairs.into_iter().chain(late.memory().iter().copied());
            solver.set_impulses(agents, known, fixed.into_iter(), is_new)?;
        }
        Ok(())
    }

    /// Counts the agents of lower ranks, where the contact solver needs the number.
    fn count_lower(&mut self) {
        let Self { link, own, solver, .. } = self;
        if let Some(RankSolver { first_slot, .. }) = solver.as_deref_mut() {
            let counts = link.all_gather(&[*own as u32]).concat();
            *first_slot = counts[..link.rank()].iter().sum();
        }
    }

    /// Remembers what a whole solver does of the slots that are here. Its agents have these ids.
    pub(super) fn set_solver_parts(
        &mut self,
        whole: &SolverParts,
        here: &Range<usize>,
        ids: &[u32],
    ) -> Result<()> {
        let bands = self.slabs.bands(self.link.rank());
        let Self { state: RunState { agents, .. }, own, grid, contacts, solver, .. } = self;
        let Some(RankSolver { solver, late: Some(late), first_slot }) = solver.as_deref_mut()
        else {
            return Ok(());
        };
        *first_slot = here.start as u32;
        late.add(whole.far_ids(ids));
        let parts = whole.of_rank(here, *own, &bands);
        contacts.make_room(grid, parts.pairs())?;
        solver.set_parts(&parts, agents, contacts, Some(bands))
    }

    /// What the contact solver of this rank remembers, as words for rank 0.
    pub(super) fn solver_words(&self) -> Vec<u32> {
        let Some(RankSolver { solver, late: Some(late), .. }) = self.solver.as_deref() else {
            return Vec::new();
        };
        let bands = self.slabs.bands(self.link.rank());
        solver.parts(self.own, bands, &self.state.agents, late.memory()).words()
    }

    /// Gives a whole run what the contact solvers of all ranks remember.
    pub(super) fn give_solver(&self, sim: &mut Sim, words: &[(Vec<u32>, u32)]) -> Result<()> {
        let Some(RankSolver { late: Some(late), .. }) = self.solver.as_deref() else {
            return Ok(());
        };
        let (mut parts, mut first) = (SolverParts::default(), 0);
        for (words, own) in words {
            parts.add(words, (first, *own));
            first += own;
        }
        parts.add_far(late.memory(), &sim.agents().id);
        sim.set_solver_parts(&parts)
    }
}
