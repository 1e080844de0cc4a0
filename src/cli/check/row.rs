//! The results of a case: rows of the table, and curves of the chart.

use serde::Serialize;

/// A measured value beside the prediction of theory.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CheckRow {
    pub(super) case: String,
    pub(super) measured: f64,
    pub(super) expected: f64,
    /// Standard deviation of the measured value, as a share of it, from averages over blocks of the
    /// run; none if it is no average.
    pub(super) sigma: Option<f64>,
    /// The largest deviation with which the case holds, as a share of the expected value, or of 1 if
    /// that is 0; none if the case only shows a value.
    pub(super) tolerance: Option<f64>,
    pub(super) source: &'static str,
}

/// The row of a value that is no average.
pub(super) fn row(
    case: String,
    measured: f64,
    expected: f64,
    within: f64,
    source: &'static str,
) -> CheckRow {
    CheckRow { case, measured, expected, sigma: None, tolerance: Some(within), source }
}

impl CheckRow {
    /// The deviation as a share of the expected value, or of 1 if that is 0.
    pub(super) fn error(&self) -> f64 {
        let unit = if self.expected == 0.0 { 1.0 } else { self.expected };
        (self.measured - self.expected) / unit
    }

    /// True unless the case fails.
    pub(super) fn holds(&self) -> bool {
        self.tolerance.is_none_or(|most| self.error().abs() <= most)
    }
}

/// A mean over blocks of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) mean: f64,
    /// Standard deviation of the mean, as a share of it.
    pub(super) sigma: f64,
}

impl Estimate {
    /// The estimate of the means of some blocks.
    pub(super) fn of(blocks: &[f64]) -> Self {
        let count = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / count;
        let square = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>();
        Self { mean, sigma: (square / (count * (count - 1.0).max(1.0))).sqrt() / mean.abs() }
    }

    /// The row of the estimate.
    pub(super) fn row(
        self,
        case: String,
        expected: f64,
        tolerance: f64,
        source: &'static str,
    ) -> CheckRow {
        CheckRow { sigma: Some(self.sigma), ..row(case, self.mean, expected, tolerance, source) }
    }
}

/// A curve of the chart: points of a measured value.
#[derive(Clone, Debug)]
pub(super) struct CheckCurve {
    pub(super) name: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}
