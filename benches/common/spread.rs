//! Samples of a time, and what became of them.

use std::time::{Duration, Instant};

/// How long something took, each time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    /// Once more.
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

/// Milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

/// What `work` took.
pub(crate) fn time<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}
