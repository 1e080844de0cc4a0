//! Regrid on several ranks: the decisions of one process, from counts of all ranks.

use super::{Link, Rank, border, migrate, slab::Slabs, tally::Tally};
use crate::{
    agents::Agents,
    contacts::PARITIES,
    error::Result,
    sim::RunState,
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
            return self.sort(None);
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

    /// Makes everything exact after rules: other agents are born, and some that are own agents or ghosts have the
    /// id [`Agents::GONE`]. On all ranks, so many are born and gone.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(super) fn renew(&mut self, mut newborn: Agents, [born, gone]: [u64; 2]) -> Result<()> {
        let (before, counters) = (self.all, &mut self.state.counters);
        counters.spawned += born;
        counters.removed += gone;
        self.state.next_id += born as u32;
        self.all = before + born as usize - gone as usize;
        if Regrid::can_merge(&self.grid, before, (born + gone) as usize) {
            let Self { link, state, grid, regrid, slabs, motion, rules, simd, .. } = self;
            let (agents, seconds) = (&mut state.agents, SUBSTEPS_AHEAD * motion.dt);
            let newborns = newborn.len();
            migrate::migrate(link, &mut newborn, newborns, slabs, seconds, grid);
            let ids = agents.id.iter().enumerate();
            let gone: Vec<_> =
                ids.filter(|(_, id)| **id == Agents::GONE).map(|(slot, _)| slot).collect();
            agents.splice(agents.len()..agents.len(), (&newborn, 0..newborn.len()));
            let collide = rules.as_ref().is_none_or(|rules| rules.active.collide());
            let gone = (gone.into_iter(), collide);
            let large = regrid.merge(agents, None, grid, gone, seconds, *simd)?;
            let large = large.map(|own| link.sum(own as u64) as usize);
            regrid.change_large(large);
            self.count_own();
        } else {
            self.sort(Some(newborn))?;
        }
        self.update_radii();
        Ok(())
    }

    /// Finds the smallest and the largest agent again.
    fn update_radii(&mut self) {
        let own = self.state.agents.radii(0..self.own);
        let words: Vec<_> = own.iter().flatten().map(|radius| radius.to_bits()).collect();
        let all = self.link.all_gather(&words);
        let all = all.iter().flatten().map(|&word| f32::from_bits(word));
        self.set_radii([f32::min, f32::max].map(|of| all.clone().reduce(of)));
    }

    /// Sets the smallest and the largest radius of the agents of all ranks.
    pub(super) fn set_radii(&mut self, [least, most]: [Option<f32>; 2]) {
        let Self { state: RunState { setup, .. }, motion, swept, .. } = self;
        motion.radius_min = least.unwrap_or(setup.radius[0]);
        if let Some(swept) = swept {
            swept.set_radius_max(most.unwrap_or(setup.radius[1]), &motion.space);
        }
    }

    /// Sorts all agents, those alive, each on the rank that owns its next home cell; newborn ones come behind
    /// the others of their cells.
    fn sort(&mut self, newborn: Option<Agents>) -> Result<()> {
        let Self { link, state, own, grid, slabs, regrid, swept, motion, simd, .. } = self;
        let (agents, seconds) = (&mut state.agents, SUBSTEPS_AHEAD * motion.dt);
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
        migrate::migrate(link, agents, *own, slabs, seconds, grid);
        if let Some(mut newborn) = newborn {
            let newborns = newborn.len();
            migrate::migrate(link, &mut newborn, newborns, slabs, seconds, grid);
            agents.splice(agents.len()..agents.len(), (&newborn, 0..newborn.len()));
        }
        if let Some(swept) = swept {
            swept.forget_ahead();
        }
        regrid.sort(agents, None, grid, Retain::All, seconds, *simd)?;
        self.end_sort();
        Ok(())
    }
}
