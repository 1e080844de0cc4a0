//! Regrid on several ranks: the decisions of one process, from counts of all ranks.

use super::{Link, Rank, border, migrate, slab::Slabs};
use crate::{
    contacts::PARITIES,
    error::Result,
    step::{
        due_bands::DueBand,
        motion::Moved,
        regrid::{Retain, SUBSTEPS_AHEAD},
    },
};

/// Words in front of the bands in what ranks tell each other: outliers, and whether an agent strayed.
const HEAD: usize = 2;

/// Words of a band.
const BAND: usize = 3;

impl<L: Link> Rank<L> {
    /// Makes the grid exact for the positions that a motion has led to, and sorts what is due.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(super) fn regrid(&mut self, moved: &Moved) -> Result<()> {
        let Self { link, agents, own, grid, regrid, all, motion, .. } = self;
        let spreads = grid.has_stretches(*all);
        let seconds = SUBSTEPS_AHEAD * motion.dt;
        let outliers = grid.recorded_outliers(0..*own).count() as u32;
        let mut words = vec![outliers, u32::from(moved.strayed)];
        let counted = regrid.count_bands(agents, grid);
        // In a world that is not stored as a whole, bands are not sorted by themselves.
        if spreads {
            let bands = counted.iter().map(|it| [it.band, it.agents, it.left]);
            words.extend(bands.flatten().map(|count| count as u32));
        }
        counted.clear();
        let (mut outliers, mut strayed) = (0, false);
        for words in link.all_gather(&words) {
            let (head, bands) = words.split_at(HEAD);
            outliers += head[0] as usize;
            strayed |= head[1] > 0;
            counted.extend(bands.chunks_exact(BAND).map(|words| {
                let [band, agents, left] = [0, 1, 2].map(|index: usize| words[index] as usize);
                DueBand { band, agents, left }
            }));
        }
        let sorts = if spreads {
            regrid.must_sort(*all, outliers, 0)
        } else {
            regrid.is_due(outliers, *all)
        };
        if sorts | strayed {
            return self.sort(seconds);
        }
        if spreads {
            self.regrid.choose_bands();
            for parity in PARITIES {
                let Self { agents, grid, regrid, simd, .. } = self;
                regrid.sort_bands(parity, agents, grid, seconds, *simd);
                self.count_own();
                let borders = self.borders();
                let Self { link, agents, grid, regrid, .. } = self;
                border::exchange_rows(link, &borders, parity, agents, grid, |band| {
                    regrid.is_chosen(band)
                })?;
                self.count_own();
            }
        }
        let Self { agents, grid, .. } = self;
        let outliers = grid.recorded_outliers(0..agents.len()).count();
        grid.list_outliers(agents, outliers)
    }

    /// Sorts all agents, each on the rank that owns its next home cell.
    fn sort(&mut self, seconds: f32) -> Result<()> {
        let Self { link, agents, own, grid, slabs, regrid, simd, .. } = self;
        let mut counts = vec![0_u64; grid.bands().count()];
        let own_counts = migrate::count(agents, *own, seconds, grid);
        for of_rank in link.all_gather(&own_counts) {
            counts.iter_mut().zip(of_rank).for_each(|(all, count)| *all += u64::from(count));
        }
        *slabs = Slabs::new(&counts, link.ranks());
        migrate::migrate(link, agents, *own, slabs, seconds, grid);
        regrid.sort(agents, None, grid, Retain::All, seconds, *simd)?;
        self.end_sort();
        Ok(())
    }
}
