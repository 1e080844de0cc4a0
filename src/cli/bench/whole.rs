//! A whole simulation on one index: what the index is worth to who has everything else to do as well.

use std::time::{Duration, Instant};

use crate::{
    Result, Setup, Sim,
    index::IndexKind,
    simd::SimdLevel,
    timing::{Histogram, StepClock, TimeSummary},
};

use super::super::interrupt;

/// A run that an index finds the contacts of, and how long its steps took.
#[derive(Debug)]
pub(super) struct Whole {
    sim: Sim,
    step: Histogram,
    order: Histogram,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeSteps {
    /// A step without `order`.
    pub(super) step: TimeSummary,
    /// What it took to keep the agents' order, and to bring the pairs into it.
    pub(super) order: TimeSummary,
}

impl Whole {
    /// A run that has come as far as the warm-up goes, unless somebody interrupts. Until there the double grid
    /// finds the contacts: that is the same run, and quicker.
    ///
    /// # Errors
    /// If the index is not made for such agents, or there is no memory.
    pub(super) fn new(
        setup: &Setup,
        simd: SimdLevel,
        warmup: u64,
        kind: IndexKind,
    ) -> Result<Self> {
        let mut sim = Sim::new(setup)?;
        sim.set_simd(simd);
        while sim.steps() < warmup && interrupt::asked().is_none() {
            sim.step()?;
        }
        sim.set_index(kind)?;
        Ok(Self { sim, step: Histogram::new(), order: Histogram::new() })
    }

    /// A step that is not measured.
    pub(super) fn try_out(&mut self) -> Result<()> {
        self.sim.step()
    }

    /// A step.
    pub(super) fn measure(&mut self) -> Result<()> {
        let mut clock = StepClock::default();
        let start = Instant::now();
        self.sim.step_with(&mut clock)?;
        let took = start.elapsed();
        let [.., order] = clock.take();
        self.step.record(took.saturating_sub(order));
        if order > Duration::ZERO {
            self.order.record(order);
        }
        Ok(())
    }

    /// What was measured so far.
    pub(super) fn measured(&self) -> WholeSteps {
        WholeSteps { step: self.step.summary(), order: self.order.summary() }
    }

    /// The state that it has come to.
    pub(super) fn hash(&self) -> u64 {
        self.sim.state_hash()
    }
}
