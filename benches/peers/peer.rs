//! A peer under measurement: its index, its times, and the check that it finds the pairs that
//! jostle finds.

use std::time::Duration;

use jostle::{
    Result,
    index::{IndexConfig, IndexKind, SpatialIndex},
};

use crate::{
    input::{Input, Order, ascending},
    spread::{Samples, Spread, time},
};

/// A peer under measurement.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) kind: IndexKind,
    pub(crate) order: Order,
    /// True if an update starts from the previous one, so that it has to see every step.
    pub(crate) incremental: bool,
    index: Box<dyn SpatialIndex>,
    pairs: Vec<[u32; 2]>,
    /// Number of measurements in the current round, and the time of its updates and of its pairs.
    measured: u32,
    round: [Duration; 2],
    /// Times of the rounds: update, pairs, both.
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
            measured: 0,
            round: [Duration::ZERO; 2],
            rounds: Default::default(),
        })
    }

    /// Times an update and a search for all pairs, and checks the pairs.
    ///
    /// # Panics
    /// If the pairs differ from the pairs of jostle.
    pub(crate) fn measure(&mut self, input: &Input) -> Result<()> {
        let Self { index, pairs, .. } = self;
        let discs = input.discs();
        let (update, done) = time(|| index.update(&discs));
        done?;
        pairs.clear();
        let (search, done) = time(|| index.visit_pairs(&discs, &mut |a, b| pairs.push([a, b])));
        done?;
        self.measured += 1;
        self.round[0] += update;
        self.round[1] += search;

        for pair in pairs.iter_mut() {
            *pair = ascending(*pair);
        }
        pairs.sort_unstable();
        let (name, found, expected) = (self.kind.name, pairs.len(), input.pairs.len());
        assert!(*pairs == input.pairs, "{name} finds {found} pairs, jostle {expected}, or others");
        Ok(())
    }

    /// Stores the means of the round.
    pub(crate) fn end_round(&mut self) {
        let [update, pairs] = self.round.map(|spent| spent / self.measured.max(1));
        for (samples, took) in self.rounds.iter_mut().zip([update, pairs, update + pairs]) {
            samples.push(took);
        }
        (self.measured, self.round) = (0, [Duration::ZERO; 2]);
    }

    /// Spreads over the rounds: update, pairs, both.
    pub(crate) fn spreads(&self) -> [Spread; 3] {
        self.rounds.each_ref().map(|samples| samples.spread().expect("there was a round"))
    }

    pub(crate) fn memory(&self) -> usize {
        self.index.memory()
    }
}
