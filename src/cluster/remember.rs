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

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::{super::slab::Slabs, *};
    use crate::{
        Scene, Setup,
        agents::Agent,
        cluster::{ThreadLink, in_threads, migrate::carry},
        scene,
        solver::ImpulseOfIds,
    };

    type Ranked = Rank<ThreadLink>;

    /// A narrow world has many bands for few agents.
    fn pile() -> Setup {
        let world = Some(Vec2::new(21.0, 250.0));
        Setup { world, ..Setup::with_agents(Scene::Pile, 1_000) }
    }

    fn begun(link: ThreadLink) -> Ranked {
        Rank::from_start(&pile(), scene::place(&pile()).unwrap(), link).unwrap()
    }

    fn impulse(agents: &[u32], pair: [u32; 2]) -> ImpulseOfIds {
        let ids = pair.map(|slot| agents[slot as usize]);
        ImpulseOfIds::new(ids, (1.5, [0.25, -0.5]))
    }

    /// Two slots of a band, in its second row.
    fn two_of_band(rank: &Ranked, band: usize) -> [u32; 2] {
        let rows = rank.grid.bands().nth(band).unwrap();
        let first = rank.grid.row_slots(rows.start + 1).start as u32;
        [first, first + 1]
    }

    /// The next slabs have one band each, and the last all others.
    #[test]
    fn impulses_go_with_their_agents_and_those_without_a_rank_to_all() {
        let carried = in_threads(3, |link| {
            let mut rank = begun(link);
            let mut agents = vec![0; rank.grid.bands().count()];
            agents[..3].fill(1);
            let slabs = Slabs::new(&agents, 3);
            let mut impulses = RememberedImpulses::default();
            if rank.link.rank() == 0 {
                let [low, middle, high] = [0, 1, 2].map(|band| two_of_band(&rank, band));
                let ids = &rank.state.agents.id;
                for pair in [low, high, [low[0], high[0]]] {
                    impulses.pairs.push((pair, impulse(ids, pair)));
                }
                impulses.newcomers.push(middle[1]);
            }
            let Rank { link, state, grid, .. } = &mut rank;
            carry(link, &state.agents, &impulses, &slabs, 0.0, grid)
        });
        let counts: Vec<_> = carried
            .iter()
            .map(|it| [it.pairs.len(), it.orphans.len(), it.newcomers.len()])
            .collect();
        assert_eq!(counts, [[1, 1, 0], [0, 1, 1], [1, 1, 0]]);
    }

    #[test]
    fn what_was_carried_is_remembered() {
        in_threads(2, |link| {
            let mut rank = begun(link);
            let new = rank.own as u32 / 2;
            let ids = &rank.state.agents.id;
            let newcomers = vec![ids[new as usize]];
            let orphans = vec![impulse(ids, [0, new])];
            let carried = CarriedImpulses { orphans, newcomers, ..CarriedImpulses::default() };
            rank.take_over_impulses(Some(carried), u32::MAX).unwrap();
            let own = rank.own;
            let Rank { state, solver, .. } = &mut rank;
            let RankSolver { solver, late, .. } = solver.as_deref_mut().unwrap();
            assert_eq!(late.as_ref().unwrap().memory().len(), 1);
            let all = solver.take_impulses(&state.agents, own);
            assert_eq!(all.newcomers, [new]);
            assert_eq!(all.pairs.iter().map(|(pair, _)| *pair).collect::<Vec<_>>(), [[0, new]]);
        });
    }

    /// Of pairs with outliers, each rank has those of all ranks.
    #[test]
    fn every_rank_begins_with_all_pairs_with_outliers() {
        let mut start = scene::place(&pile()).unwrap();
        for (id, y) in [(5_000, 25.0), (5_001, 120.0), (5_002, 220.0)] {
            let (position, velocity) = (Vec2::new(10.0, y), Vec2::new(0.0, -5.0));
            start.agents.push(Agent { position, velocity, radius: 6.0, id });
        }
        let mut sim = Sim::from_start(&pile(), start).unwrap();
        for _ in 0..300 {
            sim.step().unwrap();
        }
        let expected = sim.solver_parts().unwrap().far_ids(&sim.agents().id).count();
        assert!(expected > 5, "{expected} pairs");
        let far = in_threads(3, |link| {
            let rank = Rank::from_sim(sim.clone(), link).unwrap();
            rank.solver.unwrap().late.unwrap().memory().len()
        });
        assert_eq!(far, [expected; 3]);
    }
}
