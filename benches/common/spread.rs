//! Samples of a time, and their median and extremes.

use std::time::{Duration, Instant};

/// Samples of a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    /// Adds a sample.
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Milliseconds; none if there is no sample.
    pub(crate) fn spread(&self) -> Option<Spread> {
        let mut sorted: Vec<f64> = self.0.iter().map(|took| took.as_secs_f64() * 1e3).collect();
        sorted.sort_by(f64::total_cmp);
        let (&low, &high) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let median = f64::midpoint(sorted[middle], sorted[(sorted.len() - 1) / 2]);
        Some(Spread { low, median, high })
    }
}

/// A duration in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

/// The time that `work` takes.
pub(crate) fn time<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}
