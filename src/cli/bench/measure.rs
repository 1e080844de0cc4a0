//! Measurements of one index: alone, and as the index of a simulation.

use std::time::{Duration, Instant};

use crate::{
    Agents, Disc, Result, Sim,
    agents::Agent,
    cli::args::names::InputOrder,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex},
    simd::SimdLevel,
    step::id_map::IdMap,
    timing::{Histogram, PHASES, StepClock},
};

use super::{
    super::{interrupt, report::PhaseReport},
    row::BenchRow,
};

/// Fingerprint of a set of pairs, independent of their order: their number and the sum of their
/// hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PairHash {
    pub(super) pairs: u64,
    sum: u64,
}

impl PairHash {
    /// Adds a pair, in either order.
    #[inline]
    pub(super) fn add(&mut self, a: u32, b: u32) {
        // The mixer of SplitMix64: one bit of a pair flips half of the bits of its hash.
        let mut z = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.pairs += 1;
        self.sum = self.sum.wrapping_add(z ^ (z >> 31));
    }
}

/// Input of the measured indexes: the agents of a running simulation, in the requested order.
#[derive(Debug)]
pub(super) struct BenchInput {
    discs: IdMap,
    /// New ids of the agents at the start, by id; empty if all keep their ids.
    renamed: Vec<u32>,
    /// The id of each slot.
    ids: Vec<u32>,
}

impl BenchInput {
    /// Allocates room for the agents of a simulation, which get the ids of their current slots or
    /// keep their own.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(sim: &Sim, order: InputOrder) -> Result<Self> {
        let ids = &sim.agents().id;
        let mut renamed = Vec::new();
        if order == InputOrder::Cell {
            renamed.resize(ids.iter().max().map_or(0, |&id| id as usize + 1), 0);
            for (slot, &id) in (0..).zip(ids) {
                renamed[id as usize] = slot;
            }
        }
        let discs = IdMap::new(sim.index_config().grid.capacity, 0)?;
        Ok(Self { discs, renamed, ids: Vec::new() })
    }

    /// Copies the current positions.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn update(&mut self, agents: &Agents) -> Result<()> {
        self.ids.clear();
        let new = |&id: &u32| self.renamed.get(id as usize).copied().unwrap_or(id);
        self.ids.extend(agents.id.iter().map(new));
        self.discs.assign(&self.ids)?;
        self.discs.update(&self.ids, agents.discs());
        Ok(())
    }

    pub(super) fn discs(&self) -> DiscsById<'_> {
        self.discs.discs()
    }

    /// The pairs that the simulation itself finds, which every index has to find. Pairs across the
    /// seam of a world that repeats are none of an index.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn expected(&self, sim: &mut Sim) -> Result<PairHash> {
        let mut hash = PairHash::default();
        let (agents, repeats) = (sim.agents(), sim.space().is_periodic());
        let disc = |slot: u32| {
            let Agent { position, radius, .. } = agents.get(slot as usize);
            Disc::new(position, radius)
        };
        for pair in sim.contacts()? {
            if repeats && !disc(pair[0]).overlaps(&disc(pair[1])) {
                continue;
            }
            let [a, b] = pair.map(|slot| self.discs.position(self.ids[slot as usize]) as u32);
            hash.add(a, b);
        }
        Ok(hash)
    }
}

/// An index on its own: its update, and all pairs.
#[derive(Debug)]
pub(super) struct IndexBench {
    pub(super) kind: IndexKind,
    index: Box<dyn SpatialIndex>,
    update: Histogram,
    pairs: Histogram,
    both: Histogram,
    /// `both` of the current repeat.
    repeat: Histogram,
    /// The median of `both` in each repeat.
    medians: Vec<f64>,
    /// Growths before the measurement.
    grown: u64,
    /// The first wrong number of pairs, and the right one.
    wrong: Option<[u64; 2]>,
}

impl IndexBench {
    /// An empty index.
    ///
    /// # Errors
    /// If the index is not made for such agents, or there is not enough memory.
    pub(super) fn new(kind: IndexKind, config: &IndexConfig) -> Result<Self> {
        let [update, pairs, both, repeat] = std::array::from_fn(|_| Histogram::default());
        let index = kind.build(config)?;
        let (medians, grown, wrong) = (Vec::new(), 0, None);
        Ok(Self { kind, index, update, pairs, both, repeat, medians, grown, wrong })
    }

    /// Runs and measures one update and all pairs, and returns the time they took.
    pub(super) fn run(&mut self, discs: &DiscsById<'_>, expected: PairHash) -> Result<Duration> {
        let start = Instant::now();
        self.index.update(discs)?;
        let updated = Instant::now();
        let mut found = PairHash::default();
        self.index.visit_pairs(discs, &mut |a, b| found.add(a, b))?;
        let done = Instant::now();
        if found != expected {
            self.wrong.get_or_insert([found.pairs, expected.pairs]);
        }
        self.update.record(updated - start);
        self.pairs.record(done - updated);
        self.both.record(done - start);
        self.repeat.record(done - start);
        Ok(done - start)
    }

    /// Forgets the measurements so far: they filled the index.
    pub(super) fn restart(&mut self) {
        for times in [&mut self.update, &mut self.pairs, &mut self.both, &mut self.repeat] {
            times.clear();
        }
        self.grown = self.index.growths();
    }

    /// Ends a repeat.
    pub(super) fn end_repeat(&mut self) {
        self.medians.extend(self.repeat.summary().p50);
        self.repeat.clear();
    }

    /// Fills in the measurements so far, if there are any, and returns the median in milliseconds.
    pub(super) fn report(&self, row: &mut BenchRow) -> Option<f64> {
        row.wrong = self.wrong;
        let median = self.both.summary().p50?;
        let low = self.medians.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.medians.iter().copied().fold(0.0, f64::max);
        let bytes = self.index.memory();
        row.update_ms = self.update.summary();
        row.pairs_ms = self.pairs.summary();
        row.index_ms = self.both.summary();
        row.spread = Some(if median > 0.0 && high >= low { (high - low) / median } else { 0.0 });
        row.bytes = Some(bytes);
        row.bytes_per_agent = Some(bytes as f64 / f64::from(row.agents));
        row.growths = Some(self.index.growths() - self.grown);
        Some(median)
    }
}

/// A simulation that uses an index: its whole steps.
#[derive(Debug)]
pub(super) struct StepBench {
    pub(super) sim: Sim,
    /// Steps without `order`.
    step: Histogram,
    /// Keeping the agents' order, and bringing the pairs into it.
    order: Histogram,
    phases: [Histogram; PHASES],
}

impl StepBench {
    /// A simulation, which has just begun, after the warm-up, unless it is interrupted. The double grid finds the contacts
    /// of the warm-up: the run is the same, and it takes less time.
    ///
    /// # Errors
    /// If the index is not made for such agents, or there is not enough memory.
    pub(super) fn new(mut sim: Sim, simd: SimdLevel, warmup: u64, kind: IndexKind) -> Result<Self> {
        sim.set_simd(simd);
        while sim.steps() < warmup && interrupt::asked().is_none() {
            sim.step()?;
        }
        sim.set_index(kind)?;
        let [step, order] = std::array::from_fn(|_| Histogram::default());
        Ok(Self { sim, step, order, phases: std::array::from_fn(|_| Histogram::default()) })
    }

    /// Runs and measures a step.
    pub(super) fn run(&mut self) -> Result<()> {
        let mut clock = StepClock::default();
        let start = Instant::now();
        self.sim.step_with(&mut clock)?;
        let took = start.elapsed();
        let phases = clock.take();
        for (samples, took) in self.phases.iter_mut().zip(phases) {
            samples.record(took);
        }
        let [_, order, ..] = phases;
        self.step.record(took.saturating_sub(order));
        if order > Duration::ZERO {
            self.order.record(order);
        }
        Ok(())
    }

    /// Forgets the measurements so far.
    pub(super) fn restart(&mut self) {
        self.step.clear();
        self.order.clear();
        self.phases.iter_mut().for_each(Histogram::clear);
    }

    /// Fills in the measurements so far.
    pub(super) fn report(&self, row: &mut BenchRow) {
        row.step_ms = self.step.summary();
        row.order_ms = self.order.summary();
        row.phases_ms = PhaseReport::new(&self.phases);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Setup, index::Naive};

    #[test]
    fn a_pair_hash_depends_on_the_pairs_and_not_on_their_order() {
        let hash = |pairs: &[(u32, u32)]| {
            let mut hash = PairHash::default();
            for &(a, b) in pairs {
                hash.add(a, b);
            }
            hash
        };
        let expected = hash(&[(1, 2), (3, 4)]);
        assert_eq!(hash(&[(4, 3), (2, 1)]), expected);
        for other in [&[(1, 2)][..], &[(1, 3), (2, 4)], &[(1, 2), (3, 5)], &[(1, 2), (1, 2)]] {
            assert_ne!(hash(other), expected, "{other:?}");
        }
    }

    #[test]
    fn wrong_pairs_are_reported() {
        let mut sim = Sim::new(&Setup::with_agents(Scene::Burst, 200)).expect("a simulation");
        let mut input = BenchInput::new(&sim, InputOrder::Id).expect("memory");
        input.update(sim.agents()).expect("memory");
        let expected = input.expected(&mut sim).expect("memory");
        let mut more = expected;
        more.add(0, 1);
        let mut index = IndexBench::new(Naive::KIND, &sim.index_config()).expect("an index");
        let mut row = BenchRow::default();
        for (expected, wrong) in [(expected, None), (more, Some([more.pairs - 1, more.pairs]))] {
            index.run(&input.discs(), expected).expect("memory");
            index.report(&mut row);
            assert_eq!(row.wrong, wrong);
        }
    }
}
