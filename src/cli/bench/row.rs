//! A row of the comparison: one index in one case. Its names are those of JSON and CSV.

use crate::{Setup, index::IndexKind, timing::TimeSummary};
use serde::Serialize;

use super::{super::format, subject::Measured, whole::WholeSteps};

/// Why an index was not measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Skipped {
    /// It is foretold to take too long.
    Slow {
        /// Seconds a step.
        foretold_s: f64,
    },
    /// It can't hold such agents, or there is no memory for it.
    Refused(String),
}

/// One index in one case; what is not known is null.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) scene: &'static str,
    pub(super) agents: u32,
    pub(super) threads: usize,
    pub(super) index: &'static str,
    /// Why it was not measured.
    pub(super) skipped: Option<Skipped>,
    /// Pairs that overlap at the end.
    pub(super) pairs: Option<u64>,
    pub(super) update_ms: TimeSummary,
    pub(super) pairs_ms: TimeSummary,
    /// Both.
    pub(super) index_ms: TimeSummary,
    /// A whole step of a simulation on this index, but for `order_ms`.
    pub(super) step_ms: TimeSummary,
    /// Keeping the agents' order in that step, and bringing the pairs into it; null where that is the index's own.
    pub(super) order_ms: TimeSummary,
    /// By how much the medians of the repeats differ, as a share of the median.
    pub(super) spread: Option<f64>,
    pub(super) bytes: Option<usize>,
    pub(super) bytes_per_agent: Option<f64>,
    /// Times it claimed memory while it was measured.
    pub(super) growths: Option<u64>,
    /// Pairs that it found and pairs that there were, where these differed first.
    pub(super) wrong: Option<[u64; 2]>,
    /// The state that the simulation on this index came to.
    pub(super) state_hash: Option<String>,
    /// The state that there should have been, if that is another.
    pub(super) expected_hash: Option<String>,
}

impl Row {
    /// Nothing is known yet.
    pub(super) fn new(kind: &IndexKind, setup: &Setup, threads: usize) -> Self {
        Self {
            scene: setup.scene.name(),
            agents: setup.agents,
            threads,
            index: kind.name,
            skipped: None,
            pairs: None,
            update_ms: TimeSummary::default(),
            pairs_ms: TimeSummary::default(),
            index_ms: TimeSummary::default(),
            step_ms: TimeSummary::default(),
            order_ms: TimeSummary::default(),
            spread: None,
            bytes: None,
            bytes_per_agent: None,
            growths: None,
            wrong: None,
            state_hash: None,
            expected_hash: None,
        }
    }

    /// What came out.
    pub(super) fn measured(&mut self, measured: &Measured, whole: &WholeSteps) {
        if measured.index.p50.is_none() {
            return;
        }
        self.update_ms = measured.update;
        self.pairs_ms = measured.pairs;
        self.index_ms = measured.index;
        self.step_ms = whole.step;
        self.order_ms = whole.order;
        self.spread = Some(measured.spread);
        self.bytes = Some(measured.bytes);
        self.bytes_per_agent = Some(measured.bytes as f64 / f64::from(self.agents));
        self.growths = Some(measured.growths);
    }

    /// The state that it came to, and that it should have come to.
    pub(super) fn came_to(&mut self, hash: u64, expected: u64) {
        self.state_hash = Some(format!("{hash:016x}"));
        self.expected_hash = (hash != expected).then(|| format!("{expected:016x}"));
    }

    /// The index and its case, as a sentence names them.
    pub(super) fn what(&self) -> String {
        format!("{} at {} agents of {}", self.index, format::short(self.agents), self.scene)
    }
}
