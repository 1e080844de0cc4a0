//! The rules of a run on several ranks, what a rank runs them on, and what it tells the others meanwhile; see
//! `around`.

use std::ops::Range;

use super::{
    Link,
    link::{MeteredLink, number_of, words_of},
};
use crate::{
    agents::Agents,
    error::Result,
    geometry::Space,
    grid::{Grid, GridConfig},
    rules::{ActiveRules, OtherRanks, Rules},
    simd::SimdLevel,
};

/// The rules of a run, and what they are run on.
#[derive(Debug)]
pub(super) struct SharedRules {
    pub(super) active: ActiveRules,
    /// The own agents among those of other ranks, and their home cells.
    pub(super) around: Agents,
    pub(super) homes: Vec<u32>,
    /// The number of agents of lower ranks among them.
    pub(super) below: usize,
    /// The slots of the own agents that each other rank has around its own.
    pub(super) told: Vec<Vec<usize>>,
    pub(super) grid: Grid,
}

impl SharedRules {
    /// The rules of a run. Its agents have the columns of `agents`.
    ///
    /// # Errors
    /// As [`ActiveRules::new`], and if there is not enough memory.
    pub(super) fn new(
        rules: &Rules,
        agents: &Agents,
        config: GridConfig,
        space: &Space,
    ) -> Result<Self> {
        let grid = Grid::new(config)?;
        let active = ActiveRules::new(rules.clone(), agents, &grid, space, config.capacity)?;
        let (around, homes, told) = (agents.none_alike(), Vec::new(), Vec::new());
        Ok(Self { active, around, homes, below: 0, told, grid })
    }

    pub(super) fn set_simd(&mut self, simd: SimdLevel) {
        self.grid.set_simd(simd);
    }
}

/// The link of a rank to the others while it runs rules.
pub(super) struct RuleLink<'a, L> {
    pub(super) link: &'a mut MeteredLink<L>,
    pub(super) told: &'a [Vec<usize>],
    /// The slots of the own agents among those around.
    pub(super) ruled: &'a Range<usize>,
}

impl<L: Link> OtherRanks for RuleLink<'_, L> {
    fn exchange_picks(&mut self, picked: &mut [u32]) {
        let Self { link, told, ruled } = self;
        let (below, rest) = picked.split_at_mut(ruled.start);
        let (own, above) = rest.split_at_mut(ruled.len());
        let words: Vec<Vec<u32>> =
            told.iter().map(|slots| slots.iter().map(|&slot| own[slot]).collect()).collect();
        // Those of lower ranks, and then those of higher ones; none of its own.
        let received = link.all_to_all(&words).concat();
        let (lower, higher) = received.split_at(below.len());
        below.copy_from_slice(lower);
        above.copy_from_slice(higher);
    }

    fn sum(&mut self, counts: &mut [u64]) {
        let words: Vec<_> = counts.iter().copied().flat_map(words_of).collect();
        counts.fill(0);
        for words in self.link.all_gather(&words) {
            for (count, words) in counts.iter_mut().zip(words.chunks_exact(2)) {
                *count += number_of(words);
            }
        }
    }

    fn sum_and_below(&mut self, count: u64) -> [u64; 2] {
        let (rank, of_ranks) = (self.link.rank(), self.link.all_gather(&words_of(count)));
        let sum = |ranks: &[Vec<u32>]| ranks.iter().map(|words| number_of(words)).sum();
        [sum(&of_ranks), sum(&of_ranks[..rank])]
    }
}
