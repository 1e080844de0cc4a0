//! The clock of a run: how long each phase of each step took, and what became of the many figures.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crate::step::{Phase, Probe};
use serde::Serialize;

/// The phases, in the order in which they are reported.
pub(super) const PHASES: [Phase; 5] =
    [Phase::Contacts, Phase::Resolve, Phase::Integrate, Phase::Regrid, Phase::Order];

/// Adds up the phases of one step; a phase that comes again in the next substep counts on.
#[derive(Debug, Default)]
pub(super) struct StepClock {
    spent: [Duration; PHASES.len()],
    open: Option<(Phase, Instant)>,
}

impl StepClock {
    /// What each phase took since it was asked last.
    pub(super) fn take(&mut self) -> [Duration; PHASES.len()] {
        std::mem::take(&mut self.spent)
    }

    fn close(&mut self, now: Instant) {
        if let Some((phase, since)) = self.open.take()
            && let Some(place) = PHASES.iter().position(|&known| known == phase)
        {
            self.spent[place] += now - since;
        }
    }
}

impl Probe for StepClock {
    fn begin(&mut self, phase: Phase) {
        let now = Instant::now();
        self.close(now);
        self.open = Some((phase, now));
    }

    fn end(&mut self) {
        self.close(Instant::now());
    }
}

/// How long something took, each time it was done: exact, and no larger than the clock's readings
/// differ, so that a run over night needs no more memory than a short one.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// How often it took that many nanoseconds.
    counts: BTreeMap<u64, u64>,
    times: u64,
    total: Duration,
}

/// Milliseconds; none if it was never done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) mean: Option<f64>,
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
    pub(super) max: Option<f64>,
}

impl Samples {
    /// Once more.
    pub(super) fn push(&mut self, took: Duration) {
        *self.counts.entry(took.as_nanos() as u64).or_default() += 1;
        self.times += 1;
        self.total += took;
    }

    /// True if it was never done.
    pub(super) fn is_empty(&self) -> bool {
        self.times == 0
    }

    /// The mean, and percentiles by nearest rank: the smallest sample that as many are not above.
    pub(super) fn spread(&self) -> Spread {
        let mean = || self.total.as_secs_f64() * 1e3 / self.times as f64;
        Spread {
            mean: (!self.is_empty()).then(mean).map(to_nanosecond),
            p50: self.percentile(50),
            p99: self.percentile(99),
            max: self.percentile(100),
        }
    }

    fn percentile(&self, percent: u64) -> Option<f64> {
        let rank = (u128::from(self.times) * u128::from(percent)).div_ceil(100);
        let mut passed = 0;
        let reached = |(_, times): &(&u64, &u64)| {
            passed += u128::from(**times);
            passed >= rank
        };
        self.counts.iter().find(reached).map(|(nanos, _)| to_nanosecond(*nanos as f64 / 1e6))
    }
}

/// Milliseconds with as many digits as the clock has.
fn to_nanosecond(milliseconds: f64) -> f64 {
    (milliseconds * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(milliseconds: impl Iterator<Item = u64>) -> Spread {
        let mut samples = Samples::default();
        milliseconds.map(Duration::from_millis).for_each(|took| samples.push(took));
        samples.spread()
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let spread = of((1..=100).rev());
        assert_eq!(spread.p50, Some(50.0));
        assert_eq!(spread.p99, Some(99.0));
        assert_eq!(spread.max, Some(100.0));
        assert_eq!(spread.mean, Some(50.5));
        assert_eq!(of([3, 1].into_iter()).p50, Some(1.0));
        assert_eq!(of([3, 1].into_iter()).p99, Some(3.0));
        assert_eq!(of([2, 2, 2, 5].into_iter()).p50, Some(2.0));
    }

    #[test]
    fn nothing_measured_is_nothing_known() {
        assert_eq!(Samples::default().spread(), Spread::default());
    }

    #[test]
    fn a_phase_of_two_substeps_counts_twice() {
        let mut clock = StepClock::default();
        for _ in 0..2 {
            clock.begin(Phase::Resolve);
            std::thread::sleep(Duration::from_millis(1));
            clock.begin(Phase::Regrid);
        }
        clock.end();
        let spent = clock.take();
        assert!(spent[1] >= Duration::from_millis(2));
        assert_eq!(spent[0], Duration::ZERO);
        assert_eq!(clock.take(), [Duration::ZERO; 5]);
    }
}
