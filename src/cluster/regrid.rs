//! Regrid on several ranks: the decisions of one process, from counts of all ranks.

use super::{Link, Rank, border, migrate, slab::Slabs, tally::Tally};
use crate::{
    agents::Agents,
    contacts::PARITIES,
    error::Result,
    sim::{self, RunState},
    step::regrid::{AgentsBeyond, Regrid, Retain, SUBSTEPS_AHEAD},
};

impl<L: Link> Rank<L> {
    /// Makes the grid exact for the positions that a motion has led to, and sorts what is due: bands by
    /// themselves, if `spreads`. Takes the tally of this rank, and adds those of all to the counters of the
    /// run.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(super) fn regrid(&mut self, own: Tally, spreads: bool) -> Result<()> {
        let Self { link, state, grid, regrid, all, motion, slabs, sums, .. } = self;
        let spreads = spreads && grid.has_stretches(*all);
        let seconds = SUBSTEPS_AHEAD * motion.dt;
        let beyond = if spreads {
            regrid.beyond(&state.agents, grid, self.own)
        } else {
            AgentsBeyond::default()
        };
        let [near, late] = [&sums.near, &sums.late].map(|it| &it[slabs.bands(link.rank())]);
        let collisions = near.iter().chain(late).map(|it| it.collisions).sum();
        let virials = near.iter().zip(late).map(|(near, late)| [near.virial, late.virial]);
        // In a world that is not stored as a whole, bands are not sorted by themselves.
        let due = if spreads {
            std::mem::take(regrid.count_bands(&state.agents, grid))
        } else {
            Vec::new()
        };
        let own = Tally { collisions, virials: virials.collect(), beyond, due, ..own };
        let mut tally = Tally::default();
        for words in link.all_gather(&own.words()) {
            tally.add(&words);
        }
        regrid.set_counted(std::mem::take(&mut tally.due));
        tally.add_to(state, sums.across);
        let Tally { outliers, strayed, beyond, covered, .. } = tally;
        // Outliers among the discs around paths count, too.
        regrid.is_due(covered, *all);
        let sorts = if spreads {
            regrid.must_sort(*all, outliers, beyond)
        } else {
            regrid.is_due(outliers, *all)
        };
        if sorts | strayed {
            return self.sort((None, 0), seconds);
        }
        if spreads {
            self.regrid.choose_bands();
            for parity in PARITIES {
                let Self { state, grid, regrid, simd, .. } = self;
                regrid.sort_bands(parity, &mut state.agents, grid, seconds, *simd);
                self.count_own();
                let borders = self.borders();
                let Self { link, state, grid, regrid, .. } = self;
                border::exchange_rows(link, &borders, parity, &mut state.agents, grid, |band| {
                    regrid.is_chosen(band)
                });
                self.count_own();
            }
        }
        let Self { state: RunState { agents, .. }, grid, .. } = self;
        let outliers = grid.recorded_outliers(0..agents.len()).count();
        grid.list_outliers(agents, outliers)
    }

    /// Makes everything exact after rules. `newborn` are the agents that were born here, and own agents and ghosts
    /// that died have the id [`Agents::GONE`]. `born` and `gone` are the counts of all ranks.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(super) fn renew(&mut self, newborn: Agents, [born, gone]: [u64; 2]) -> Result<()> {
        let before = self.all;
        self.count_changes([born, gone]);
        if Regrid::can_merge(&self.grid, before, (born + gone) as usize) {
            let (collide, former_ids) = (self.collides(), self.state.next_id - born as u32);
            let carried = self.keep_impulses();
            let Self { link, state, grid, regrid, slabs, motion, simd, .. } = self;
            let (agents, seconds) = (&mut state.agents, SUBSTEPS_AHEAD * motion.dt);
            let ids = agents.id.iter().enumerate();
            let gone = ids.filter(|(_, id)| **id == Agents::GONE).map(|(slot, _)| slot);
            let gone: Vec<_> = gone.collect();
            migrate::add(link, agents, newborn, slabs, seconds, grid);
            let gone = (gone.into_iter(), collide);
            let large = regrid.merge(agents, None, grid, gone, seconds, *simd)?;
            let of_ranks = link.all_gather(&large.map(|own| own as u32));
            let sum = |at: usize| of_ranks.iter().map(|words| words[at] as usize).sum();
            regrid.change_large([0, 1].map(sum));
            self.count_own();
            self.take_over_impulses(carried, former_ids)?;
            self.update_radii();
            Ok(())
        } else {
            self.sort_edited((Some(newborn), born as u32))
        }
    }

    /// Counts the agents that come to all ranks, and those that leave.
    pub(super) fn count_changes(&mut self, [born, gone]: [u64; 2]) {
        let Self { state: RunState { counters, next_id, .. }, all, .. } = self;
        counters.spawned += born;
        counters.removed += gone;
        *next_id += born as u32;
        *all = *all + born as usize - gone as usize;
    }

    /// Finds the smallest and the largest agent of all ranks again.
    pub(super) fn update_radii(&mut self) {
        let Self { link, state, own, motion, swept, .. } = self;
        let radii = state.agents.radius[..*own].iter().copied();
        let ends = [radii.clone().reduce(f32::min), radii.reduce(f32::max)];
        let words: Vec<_> = ends.into_iter().flatten().map(f32::to_bits).collect();
        let all = link.all_gather(&words).concat().into_iter().map(f32::from_bits);
        let all: Vec<_> = all.collect();
        sim::set_radii(&all, &state.setup, motion, swept.as_deref_mut());
    }

    /// Sorts all agents, those alive, each on the rank that owns the home cell that it will have in some seconds;
    /// newborn ones come behind the others of their cells.
    pub(super) fn sort(
        &mut self,
        (newborn, born): (Option<Agents>, u32),
        seconds: f32,
    ) -> Result<()> {
        let Self { link, state, own, grid, slabs, regrid, swept, solver, simd, .. } = self;
        let (agents, former_ids) = (&mut state.agents, state.next_id - born);
        regrid.wrap(agents);
        let mut counts = vec![0_u64; grid.bands().count()];
        let mut own_counts = migrate::count(agents, *own, seconds, grid);
        if let Some(newborn) = &newborn {
            let of_newborn = migrate::count(newborn, newborn.len(), seconds, grid);
            own_counts.iter_mut().zip(of_newborn).for_each(|(all, count)| *all += count);
        }
        for of_rank in link.all_gather(&own_counts) {
            counts.iter_mut().zip(of_rank).for_each(|(all, count)| *all += u64::from(count));
        }
        *slabs = Slabs::new(&counts, link.ranks());
        let carried = solver.as_deref_mut().map(|of_rank| {
            let impulses = of_rank.solver.take_impulses(agents, *own);
            migrate::carry(link, agents, &impulses, slabs, seconds, grid)
        });
        migrate::migrate(link, agents, *own, slabs, seconds, grid);
        if let Some(newborn) = newborn {
            migrate::add(link, agents, newborn, slabs, seconds, grid);
        }
        if let Some(swept) = swept {
            swept.forget_ahead();
        }
        regrid.sort(agents, None, grid, Retain::All, seconds, *simd)?;
        self.end_sort();
        self.take_over_impulses(carried, former_ids)?;
        Ok(())
    }
}
