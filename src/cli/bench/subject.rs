//! One index under measurement.

use std::time::{Duration, Instant};

use crate::{
    Result,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex},
    timing::{Histogram, TimeSummary},
};

use super::digest::Digest;

/// An index, how long it took, and whether it was right.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) kind: IndexKind,
    index: Box<dyn SpatialIndex>,
    update: Histogram,
    pairs: Histogram,
    both: Histogram,
    /// `both` of the repeat under way.
    repeat: Histogram,
    /// Medians of `both`, a repeat each.
    medians: Vec<f64>,
    /// Growths before the measurement.
    grown: u64,
    /// The first pairs that were wrong: found, and there.
    pub(super) wrong: Option<[u64; 2]>,
}

/// What was measured; a step is an update and all pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) update: TimeSummary,
    pub(super) pairs: TimeSummary,
    pub(super) index: TimeSummary,
    /// By how much the medians of the repeats differ, as a share of the whole median.
    pub(super) spread: f64,
    pub(super) bytes: usize,
    pub(super) growths: u64,
}

impl Subject {
    /// An empty index.
    ///
    /// # Errors
    /// If it is not made for such agents, or there is no memory.
    pub(super) fn new(kind: IndexKind, config: &IndexConfig) -> Result<Self> {
        Ok(Self::of(kind, kind.build(config)?))
    }

    fn of(kind: IndexKind, index: Box<dyn SpatialIndex>) -> Self {
        Self {
            kind,
            index,
            update: Histogram::new(),
            pairs: Histogram::new(),
            both: Histogram::new(),
            repeat: Histogram::new(),
            medians: Vec::new(),
            grown: 0,
            wrong: None,
        }
    }

    /// One update and all pairs, not measured but for what it returns.
    pub(super) fn try_out(&mut self, discs: &DiscsById<'_>, expected: Digest) -> Result<Duration> {
        let [update, pairs] = self.run(discs, expected)?;
        self.grown = self.index.growths();
        Ok(update + pairs)
    }

    /// One update and all pairs.
    pub(super) fn measure(&mut self, discs: &DiscsById<'_>, expected: Digest) -> Result<()> {
        let [update, pairs] = self.run(discs, expected)?;
        self.update.record(update);
        self.pairs.record(pairs);
        self.both.record(update + pairs);
        self.repeat.record(update + pairs);
        Ok(())
    }

    /// A repeat is over.
    pub(super) fn end_repeat(&mut self) {
        self.medians.extend(self.repeat.summary().p50);
        self.repeat.clear();
    }

    /// What was measured so far.
    pub(super) fn measured(&self) -> Measured {
        let index = self.both.summary();
        let low = self.medians.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.medians.iter().copied().fold(0.0, f64::max);
        let median = index.p50.unwrap_or(0.0);
        Measured {
            update: self.update.summary(),
            pairs: self.pairs.summary(),
            index,
            spread: if median > 0.0 && high >= low { (high - low) / median } else { 0.0 },
            bytes: self.index.memory(),
            growths: self.index.growths() - self.grown,
        }
    }

    fn run(&mut self, discs: &DiscsById<'_>, expected: Digest) -> Result<[Duration; 2]> {
        let start = Instant::now();
        self.index.update(discs)?;
        let updated = Instant::now();
        let mut found = Digest::default();
        self.index.visit_pairs(discs, &mut |a, b| found.add(a, b))?;
        let done = Instant::now();
        if found != expected {
            self.wrong.get_or_insert([found.pairs, expected.pairs]);
        }
        Ok([updated - start, done - updated])
    }
}

#[cfg(test)]
mod tests {
    use crate::{Rect, grid::Disc, index::Naive};

    use super::*;

    /// Finds one pair too few.
    #[derive(Debug)]
    struct Liar;

    impl SpatialIndex for Liar {
        fn update(&mut self, _: &DiscsById<'_>) -> Result<()> {
            Ok(())
        }
        fn insert(&mut self, _: &DiscsById<'_>, _: u32) -> Result<()> {
            Ok(())
        }
        fn remove(&mut self, _: &DiscsById<'_>, _: u32) {}
        fn visit_pairs(
            &mut self,
            discs: &DiscsById<'_>,
            visit: &mut dyn FnMut(u32, u32),
        ) -> Result<()> {
            let mut first = true;
            Naive.visit_pairs(discs, &mut |a, b| {
                if !std::mem::take(&mut first) {
                    visit(a, b);
                }
            })
        }
        fn visit_rect(&mut self, _: &DiscsById<'_>, _: &Rect, _: &mut dyn FnMut(u32)) {}
        fn visit_disc(&mut self, _: &DiscsById<'_>, _: Disc, _: &mut dyn FnMut(u32)) {}
        fn memory(&self) -> usize {
            0
        }
        fn growths(&self) -> u64 {
            0
        }
        fn validate(&self, _: &DiscsById<'_>) -> std::result::Result<(), String> {
            Ok(())
        }
    }

    #[test]
    fn an_index_that_loses_a_pair_is_found_out() {
        let (x, y) = ([0.0, 1.0, 2.0], [0.0; 3]);
        let discs = DiscsById { x: &x, y: &y, radius: &[0.75; 3], alive: &[true; 3] };
        let mut expected = Digest::default();
        Naive.visit_pairs(&discs, &mut |a, b| expected.add(a, b)).expect("nothing grows");
        for (index, wrong) in
            [(Box::new(Naive) as Box<dyn SpatialIndex>, None), (Box::new(Liar), Some([1, 2]))]
        {
            let mut subject = Subject::of(Naive::KIND, index);
            subject.measure(&discs, expected).expect("nothing grows");
            assert_eq!(subject.wrong, wrong);
        }
    }
}
