//! A peer in the contest: its index, its times, and the check that it finds what jostle finds.

use std::time::Duration;

use jostle::{
    Result,
    index::{IndexConfig, IndexKind, SpatialIndex},
};

use crate::{
    crowd::{Crowd, Order, in_order},
    spread::{Samples, Spread, time},
};

/// A contestant.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) kind: IndexKind,
    pub(crate) order: Order,
    /// True if it goes on from where it was, so that it has to see every step.
    pub(crate) incremental: bool,
    index: Box<dyn SpatialIndex>,
    pairs: Vec<[u32; 2]>,
    /// Of the round under way: how often it was timed, and what its updates and its pairs took.
    turns: u32,
    round: [Duration; 2],
    /// Of the rounds: update, pairs, both.
    rounds: [Samples; 3],
}

impl Peer {
    pub(crate) fn new(kind: IndexKind, order: Order, config: &IndexConfig) -> Result<Self> {
        Ok(Self {
            kind,
            order,
            incremental: kind.name == "parry2d",
            index: kind.build(config)?,
            pairs: Vec::with_capacity(config.grid.capacity),
            turns: 0,
            round: [Duration::ZERO; 2],
            rounds: Default::default(),
        })
    }

    /// An update and all pairs, timed; and checked.
    ///
    /// # Panics
    /// If it finds other pairs than jostle.
    pub(crate) fn turn(&mut self, crowd: &Crowd) -> Result<()> {
        let Self { index, pairs, .. } = self;
        let discs = crowd.discs();
        let (update, done) = time(|| index.update(&discs));
        done?;
        pairs.clear();
        let (search, done) = time(|| index.visit_pairs(&discs, &mut |a, b| pairs.push([a, b])));
        done?;
        self.turns += 1;
        self.round[0] += update;
        self.round[1] += search;

        for pair in pairs.iter_mut() {
            *pair = in_order(*pair);
        }
        pairs.sort_unstable();
        let (name, found, expected) = (self.kind.name, pairs.len(), crowd.pairs.len());
        assert!(*pairs == crowd.pairs, "{name} finds {found} pairs, jostle {expected}, or others");
        Ok(())
    }

    /// Keeps the means of the round.
    pub(crate) fn end_round(&mut self) {
        let [update, pairs] = self.round.map(|spent| spent / self.turns.max(1));
        for (samples, took) in self.rounds.iter_mut().zip([update, pairs, update + pairs]) {
            samples.push(took);
        }
        (self.turns, self.round) = (0, [Duration::ZERO; 2]);
    }

    /// Update, pairs, both.
    pub(crate) fn spreads(&self) -> [Spread; 3] {
        self.rounds.each_ref().map(|samples| samples.spread().expect("there was a round"))
    }

    pub(crate) fn memory(&self) -> usize {
        self.index.memory()
    }
}
