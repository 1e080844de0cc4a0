//! Timing: one clock for the phases of a step, and one histogram for how long something took.
//!
//! ```text
//! step ─► StepClock ─► PhaseTimes ─┬─► Histogram     all samples of a run, within 0.05 %
//!                                  └─► RecentTimes   the last few hundred samples, for charts
//! ```
//!
//! Recording a sample never allocates. A [`Histogram`] counts samples in buckets that are at most a
//! 1024th of their value wide, so a run of any length needs the same memory, and mean and maximum
//! are exact all the same.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::step::{Phase, Probe};

/// The phases of a step, in the order in which they are reported.
pub(crate) const PHASES: [Phase; 5] =
    [Phase::Contacts, Phase::Resolve, Phase::Integrate, Phase::Regrid, Phase::Order];

/// Time spent in each of the [`PHASES`] of one step.
pub(crate) type PhaseTimes = [Duration; PHASES.len()];

/// Clock for the phases of one step. A phase that recurs in another substep adds to its earlier
/// time.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepClock {
    spent: PhaseTimes,
    open: Option<(Phase, Instant)>,
}

impl StepClock {
    /// Returns the time spent in each phase since the last call, and resets it.
    pub(crate) fn take(&mut self) -> PhaseTimes {
        std::mem::take(&mut self.spent)
    }

    fn close(&mut self, now: Instant) {
        if let Some((phase, since)) = self.open.take()
            && let Some(position) = PHASES.iter().position(|&known| known == phase)
        {
            self.spent[position] += now - since;
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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanTime {
    total: Duration,
    count: u64,
}

impl MeanTime {
    /// No samples.
    #[cfg(feature = "window")]
    pub(crate) const EMPTY: Self = Self { total: Duration::ZERO, count: 0 };

    /// Adds a sample.
    pub(crate) fn add(&mut self, took: Duration) {
        self.total += took;
        self.count += 1;
    }

    /// The mean in milliseconds.
    pub(crate) fn milliseconds(self) -> Option<f64> {
        (self.count > 0).then(|| self.total.as_secs_f64() * 1e3 / self.count as f64)
    }
}

/// Significant bits that decide a sample's bucket.
#[cfg(feature = "cli")]
const BUCKET_BITS: u32 = 11;

/// Bits of the longest sample with a bucket of its own size, in nanoseconds: 2.4 hours. Longer ones
/// share the last bucket.
#[cfg(feature = "cli")]
const SAMPLE_BITS: u32 = 43;

/// Buckets of a histogram.
#[cfg(feature = "cli")]
const BUCKETS: usize = ((SAMPLE_BITS - BUCKET_BITS + 2) as usize) << (BUCKET_BITS - 1);

/// All samples of a run in a fixed number of buckets.
#[cfg(feature = "cli")]
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    /// Samples per [`bucket`].
    counts: Box<[u32]>,
    mean: MeanTime,
    /// The shortest and the longest sample, in nanoseconds.
    range: [u64; 2],
}

#[cfg(feature = "cli")]
impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "cli")]
impl Histogram {
    /// Allocates an empty histogram.
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; BUCKETS].into(), mean: MeanTime::default(), range: [u64::MAX, 0] }
    }

    /// Records a sample.
    pub(crate) fn record(&mut self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let count = &mut self.counts[bucket(nanos)];
        *count = count.saturating_add(1);
        self.mean.add(took);
        self.range = [self.range[0].min(nanos), self.range[1].max(nanos)];
    }

    /// Removes all samples and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
        self.mean = MeanTime::default();
        self.range = [u64::MAX, 0];
    }

    /// True without samples.
    pub(crate) fn is_empty(&self) -> bool {
        self.mean.count == 0
    }

    /// Exact mean and maximum, and percentiles within 0.05 %.
    pub(crate) fn summary(&self) -> TimeSummary {
        TimeSummary {
            mean: self.mean.milliseconds().map(to_nanosecond),
            p50: self.percentile(50),
            p99: self.percentile(99),
            max: (!self.is_empty()).then(|| to_nanosecond(self.range[1] as f64 / 1e6)),
        }
    }

    fn percentile(&self, percent: u64) -> Option<f64> {
        let rank = nearest_rank(self.mean.count, percent)?;
        let mut passed = 0;
        let reached = |&count: &u32| {
            passed += u64::from(count);
            passed >= rank
        };
        let [shortest, longest] = self.range;
        let nanos = match self.counts.iter().position(reached) {
            // The last rank is the maximum, which is known exactly.
            Some(bucket) if rank < self.mean.count => middle(bucket).clamp(shortest, longest),
            _ => longest,
        };
        Some(to_nanosecond(nanos as f64 / 1e6))
    }
}

/// The bucket of a sample: its leading bits after their exponent, so that neighboring buckets are
/// neighbors in time.
#[cfg(feature = "cli")]
fn bucket(nanos: u64) -> usize {
    let nanos = nanos.min((1 << SAMPLE_BITS) - 1);
    let shift = (u64::BITS - nanos.leading_zeros()).saturating_sub(BUCKET_BITS);
    ((shift as usize) << (BUCKET_BITS - 1)) + (nanos >> shift) as usize
}

/// The sample in the middle of a bucket, in nanoseconds.
#[cfg(feature = "cli")]
fn middle(bucket: usize) -> u64 {
    let shift = (bucket >> (BUCKET_BITS - 1)).saturating_sub(1);
    let lowest = ((bucket - (shift << (BUCKET_BITS - 1))) as u64) << shift;
    lowest + ((1 << shift) >> 1)
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
        let count = sorted.len() as u64;
        let at = |percent| Some(f64::from(sorted[nearest_rank(count, percent)? as usize - 1]));
        let total: f64 = sorted.iter().copied().map(f64::from).sum();
        TimeSummary {
            mean: (count > 0).then(|| total / count as f64),
            p50: at(50),
            p99: at(99),
            max: at(100),
        }
    }
}

/// Rank of a percentile among `count` sorted samples, from 1; `None` without samples.
fn nearest_rank(count: u64, percent: u64) -> Option<u64> {
    let rank = (u128::from(count) * u128::from(percent)).div_ceil(100) as u64;
    (rank > 0).then_some(rank)
}

/// Rounds milliseconds to whole nanoseconds, the resolution of the clock.
#[cfg(feature = "cli")]
fn to_nanosecond(milliseconds: f64) -> f64 {
    (milliseconds * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "cli")]
    fn summary_of(samples: impl Iterator<Item = Duration>) -> TimeSummary {
        let mut histogram = Histogram::new();
        samples.for_each(|took| histogram.record(took));
        histogram.summary()
    }

    #[cfg(feature = "cli")]
    #[test]
    fn percentiles_are_by_nearest_rank() {
        let micros =
            |samples: &[u64]| summary_of(samples.iter().copied().map(Duration::from_micros));
        // Samples below 2048 ns have a bucket each.
        let summary = summary_of((1..=100).rev().map(Duration::from_nanos));
        assert_eq!(summary.p50, Some(50e-6));
        assert_eq!(summary.p99, Some(99e-6));
        assert_eq!(summary.max, Some(100e-6));
        assert_eq!(summary.mean, Some(51e-6), "50.5, rounded to a nanosecond");
        assert_eq!(micros(&[2]).p50, micros(&[2]).max, "a single sample is exact");
        assert_eq!(micros(&[2, 2, 2, 5]).p50, Some(0.002));
    }

    #[cfg(feature = "cli")]
    #[test]
    fn a_bucket_is_within_a_twentieth_of_a_percent_of_its_samples() {
        let mut last = 0;
        for exponent in 0..SAMPLE_BITS {
            for step in 0..1_000 {
                let nanos = (1 << exponent) + ((step << exponent) / 1_000);
                assert!(bucket(nanos) >= last && bucket(nanos) < BUCKETS, "{nanos}");
                last = bucket(nanos);
                let off = middle(last).abs_diff(nanos);
                assert!(off * 2_000 <= nanos, "{nanos}: {off}");
            }
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn mean_and_maximum_are_exact() {
        let samples = [1_000_003, 7_000_019, 123_456_789].map(Duration::from_nanos);
        let summary = summary_of(samples.into_iter());
        assert_eq!(summary.max, Some(123.456_789));
        assert_eq!(summary.mean, Some(43.818_937));
        let p50 = summary.p50.expect("samples");
        assert!((p50 / 7.000_019 - 1.0).abs() < 5e-4, "{p50}");
        assert_eq!(summary.p99, summary.max);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn no_samples_have_no_summary() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.summary(), TimeSummary::default());
        histogram.record(Duration::from_secs(1));
        assert!(!histogram.is_empty());
        histogram.clear();
        assert_eq!(histogram.summary(), TimeSummary::default());
    }

    #[cfg(feature = "window")]
    #[test]
    fn recent_times_keep_the_last_samples_in_order() {
        let mut recent = RecentTimes::EMPTY;
        assert_eq!(recent.summary(), TimeSummary::default());
        for ms in 1..=1000 {
            recent.record(Duration::from_millis(ms));
        }
        let kept: Vec<f32> = recent.iter().collect();
        let expected: Vec<f32> = (761..=1000_u16).map(f32::from).collect();
        assert_eq!(kept, expected);
        let TimeSummary { mean, p50, p99, max } = recent.summary();
        assert_eq!([mean, p50, p99, max], [880.5, 880.0, 998.0, 1000.0].map(Some));
    }

    #[test]
    fn a_phase_that_recurs_in_a_substep_adds_up() {
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
