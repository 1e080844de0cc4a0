//! Timing: one clock for the phases of a step, and one histogram for durations.
//!
//! ```text
//! step ─► StepClock ─┬─► Histogram     all samples of a run, within 0.05 %
//!                    └─► RecentTimes   the last few hundred samples, for charts
//! ```
//!
//! Recording a sample never allocates. A [`Histogram`] counts samples in buckets, so a run of any
//! length needs the same memory. Mean and maximum are exact.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::{
    step::{Phase, Probe},
    trace::{self, Activity},
};

/// Number of phases of a step.
pub(crate) const PHASES: usize = Phase::Forces as usize + 1;

/// Clock for the phases of one step. A phase that recurs in another substep adds to its earlier
/// time. Each phase is a span of the trace, if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepClock {
    /// In the order of [`Phase`].
    spent: [Duration; PHASES],
    open: Option<(Phase, Instant)>,
}

impl StepClock {
    /// Returns the time spent in each phase since the last call, and resets it.
    pub(crate) fn take(&mut self) -> [Duration; PHASES] {
        std::mem::take(&mut self.spent)
    }

    fn close(&mut self, now: Instant) {
        if let Some((phase, since)) = self.open.take() {
            self.spent[phase as usize] += now - since;
            trace::record(Activity::ALL[phase as usize], since, now);
        }
    }
}

impl Probe for StepClock {
    fn begin(&mut self, phase: Phase) {
        let now = Instant::now();
        self.close(now);
        self.open = Some((phase, now));
        trace::enter(Some(Activity::ALL[phase as usize]));
    }

    fn end(&mut self) {
        self.close(Instant::now());
        trace::enter(Some(Activity::Step));
    }
}

/// Summary of many samples, in milliseconds; `None` without samples. Percentiles are by nearest
/// rank: the smallest sample that at least that share of the samples does not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TimeSummary {
    pub(crate) mean: Option<f64>,
    pub(crate) p50: Option<f64>,
    pub(crate) p99: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// Exact mean of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanTime {
    total: Duration,
    count: u64,
}

impl MeanTime {
    /// No samples.
    pub(crate) const EMPTY: Self = Self { total: Duration::ZERO, count: 0 };

    /// Adds a sample.
    pub(crate) fn add(&mut self, took: Duration) {
        self.total += took;
        self.count += 1;
    }

    /// The sum of all samples.
    #[cfg(feature = "window")]
    pub(crate) fn total(self) -> Duration {
        self.total
    }

    /// The number of samples.
    #[cfg(feature = "window")]
    pub(crate) fn count(self) -> u64 {
        self.count
    }

    /// The mean in milliseconds.
    pub(crate) fn milliseconds(self) -> Option<f64> {
        (self.count > 0).then(|| self.total.as_secs_f64() * 1e3 / self.count as f64)
    }
}

/// All samples of a run in a fixed amount of memory.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    /// In nanoseconds.
    counts: hdrhistogram::Histogram<u32>,
    mean: MeanTime,
    longest: Duration,
}

impl Default for Histogram {
    fn default() -> Self {
        /// Nanoseconds that percentiles tell apart: 2.4 hours.
        const LONGEST: u64 = 1 << 43;
        let counts = hdrhistogram::Histogram::new_with_bounds(1, LONGEST, 3);
        Self {
            counts: counts.expect("valid bounds"),
            mean: MeanTime::EMPTY,
            longest: Duration::ZERO,
        }
    }
}

impl Histogram {
    /// Records a sample.
    pub(crate) fn record(&mut self, took: Duration) {
        self.counts.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        self.mean.add(took);
        self.longest = self.longest.max(took);
    }

    /// Removes all samples and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.counts.reset();
        self.mean = MeanTime::EMPTY;
        self.longest = Duration::ZERO;
    }

    /// True without samples.
    pub(crate) fn is_empty(&self) -> bool {
        self.mean.count == 0
    }

    /// Exact mean and maximum, and percentiles within 0.05 %, rounded to nanoseconds.
    pub(crate) fn summary(&self) -> TimeSummary {
        let milliseconds = |nanos: f64| (!self.is_empty()).then_some(nanos.round() / 1e6);
        let longest = self.longest.as_nanos() as f64;
        let percentile = |share| {
            let nanos = self.counts.median_equivalent(self.counts.value_at_quantile(share));
            milliseconds((nanos as f64).min(longest))
        };
        TimeSummary {
            mean: self.mean.milliseconds().and_then(|mean| milliseconds(mean * 1e6)),
            p50: percentile(0.5),
            p99: percentile(0.99),
            max: milliseconds(longest),
        }
    }
}

/// Samples that [`RecentTimes`] keeps.
#[cfg(feature = "window")]
pub(crate) const RECENT: usize = 240;

/// The last [`RECENT`] samples in their order, as milliseconds.
#[cfg(feature = "window")]
#[derive(Clone, Debug)]
pub(crate) struct RecentTimes {
    ring: [f32; RECENT],
    recorded: usize,
}

#[cfg(feature = "window")]
impl RecentTimes {
    /// No samples.
    pub(crate) const EMPTY: Self = Self { ring: [0.0; RECENT], recorded: 0 };

    /// Records a sample in place of the oldest one.
    pub(crate) fn record(&mut self, took: Duration) {
        self.ring[self.recorded % RECENT] = took.as_secs_f32() * 1e3;
        self.recorded += 1;
    }

    /// The samples, oldest first.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = f32> {
        let (kept, first) = (self.recorded.min(RECENT), self.recorded.max(RECENT) - RECENT);
        (0..kept).map(move |n| self.ring[(first + n) % RECENT])
    }

    /// Summary of the samples that are kept.
    pub(crate) fn summary(&self) -> TimeSummary {
        let mut sorted = self.ring;
        let sorted = &mut sorted[..self.recorded.min(RECENT)];
        sorted.sort_unstable_by(f32::total_cmp);
        let rank = |percent: usize| (sorted.len() * percent).div_ceil(100);
        let at = |percent| Some(f64::from(sorted[rank(percent).checked_sub(1)?]));
        let total: f64 = sorted.iter().copied().map(f64::from).sum();
        TimeSummary {
            mean: (!sorted.is_empty()).then(|| total / sorted.len() as f64),
            p50: at(50),
            p99: at(99),
            max: at(100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_summarizes_by_nearest_rank() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.summary(), TimeSummary::default());
        for (nanos, [mean, p50, p99, max]) in [
            ((1..=100).collect::<Vec<_>>(), [51e-6, 50e-6, 99e-6, 100e-6]),
            (vec![5, 2, 2, 2], [3e-6, 2e-6, 5e-6, 5e-6]),
            (vec![123_456_789], [123.456_789; 4]),
            (vec![7_000_019, 1_000_003, 123_456_789], [43.818_937, 7.0, 123.4, 123.456_789]),
        ] {
            histogram.clear();
            for nanos in nanos {
                histogram.record(Duration::from_nanos(nanos));
            }
            let summary = histogram.summary();
            assert_eq!([summary.mean, summary.max], [mean, max].map(Some));
            for (found, expected) in [(summary.p50, p50), (summary.p99, p99)] {
                let found = found.expect("samples");
                assert!((found / expected - 1.0).abs() < 5e-4, "{found} {expected}");
            }
        }
    }

    #[cfg(feature = "window")]
    #[test]
    fn recent_times_keep_the_last_samples_in_order() {
        let mut recent = RecentTimes::EMPTY;
        assert_eq!(recent.summary(), TimeSummary::default());
        for ms in 1..=1000 {
            recent.record(Duration::from_millis(ms));
        }
        assert!(recent.iter().eq((761..=1000_u16).map(f32::from)));
        let TimeSummary { mean, p50, p99, max } = recent.summary();
        assert_eq!([mean, p50, p99, max], [880.5, 880.0, 998.0, 1000.0].map(Some));
    }
}
