//! Regrid on several ranks: the decisions of one process, from counts of all ranks.

use super::{Link, Rank, border, migrate, slab::Slabs, tally::Tally};
use crate::{
    contacts::PARITIES,
    error::Result,
    sim::RunState,
    step::regrid::{AgentsBeyond, Retain, SUBSTEPS_AHEAD},
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
            return self.sort(seconds);
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

    /// Sorts all agents, each on the rank that owns its next home cell.
    fn sort(&mut self, seconds: f32) -> Result<()> {
        let Self { link, state, own, grid, slabs, regrid, swept, simd, .. } = self;
        let RunState { agents, .. } = state;
        regrid.wrap(agents);
        let mut counts = vec![0_u64; grid.bands().count()];
        let own_counts = migrate::count(agents, *own, seconds, grid);
        for of_rank in link.all_gather(&own_counts) {
            counts.iter_mut().zip(of_rank).for_each(|(all, count)| *all += u64::from(count));
        }
        *slabs = Slabs::new(&counts, link.ranks());
        migrate::migrate(link, agents, *own, slabs, seconds, grid);
        if let Some(swept) = swept {
            swept.forget_ahead();
        }
        regrid.sort(agents, None, grid, Retain::All, seconds, *simd)?;
        self.end_sort();
        Ok(())
    }
}
