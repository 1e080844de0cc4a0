//! A row of the comparison: one index in one case. Its names are those of JSON and CSV.

use jostle::{Setup, index::Kind};
use serde::Serialize;

use super::{
    super::{format, timing::Spread},
    subject::Measured,
};

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
    pub(super) update_ms: Spread,
    pub(super) pairs_ms: Spread,
    /// Both.
    pub(super) index_ms: Spread,
    /// By how much the medians of the repeats differ, as a share of the median.
    pub(super) spread: Option<f64>,
    pub(super) bytes: Option<usize>,
    pub(super) bytes_per_agent: Option<f64>,
    /// Times it claimed memory while it was measured.
    pub(super) growths: Option<u64>,
    /// Pairs that it found and pairs that there were, where these differed first.
    pub(super) wrong: Option<[u64; 2]>,
}

impl Row {
    /// Nothing is known yet.
    pub(super) fn new(kind: &Kind, setup: &Setup, threads: usize) -> Self {
        Self {
            scene: setup.scene.name(),
            agents: setup.agents,
            threads,
            index: kind.name,
            skipped: None,
            pairs: None,
            update_ms: Spread::default(),
            pairs_ms: Spread::default(),
            index_ms: Spread::default(),
            spread: None,
            bytes: None,
            bytes_per_agent: None,
            growths: None,
            wrong: None,
        }
    }

    /// What came out.
    pub(super) fn measured(&mut self, measured: &Measured) {
        if measured.index.p50.is_none() {
            return;
        }
        self.update_ms = measured.update;
        self.pairs_ms = measured.pairs;
        self.index_ms = measured.index;
        self.spread = Some(measured.spread);
        self.bytes = Some(measured.bytes);
        self.bytes_per_agent = Some(measured.bytes as f64 / f64::from(self.agents));
        self.growths = Some(measured.growths);
    }

    /// The index and its case, as a sentence names them.
    pub(super) fn what(&self) -> String {
        format!("{} at {} agents of {}", self.index, format::short(self.agents), self.scene)
    }
}
