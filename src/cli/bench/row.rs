//! A row of the comparison: one index in one case. JSON and CSV have its field names.

use crate::{cli::format::short, index::IndexKind, timing::TimeSummary};
use serde::Serialize;

use super::super::{hashes::StateHashes, report::PhaseReport};

/// Why an index was not measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Skipped {
    /// It is predicted to take too long.
    Slow {
        /// Seconds per step.
        #[serde(rename = "foretold_s")]
        predicted_s: f64,
    },
    /// It is not made for such agents, or there is not enough memory.
    Refused(String),
}

/// One index in one case; unknown values are null.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct BenchRow {
    pub(super) scene: String,
    pub(super) agents: u32,
    pub(super) threads: usize,
    pub(super) index: &'static str,
    /// Why it was not measured.
    pub(super) skipped: Option<Skipped>,
    /// Overlapping pairs at the end.
    pub(super) pairs: Option<u64>,
    pub(super) update_ms: TimeSummary,
    pub(super) pairs_ms: TimeSummary,
    /// Update and pairs.
    pub(super) index_ms: TimeSummary,
    /// A step of a simulation with this index, without `order_ms`.
    pub(super) step_ms: TimeSummary,
    /// Keeping the agents' order in that step, and bringing the pairs into it; null if the index
    /// does that itself.
    pub(super) order_ms: TimeSummary,
    /// The phases of that step; of each, null without a sample.
    pub(super) phases_ms: PhaseReport,
    /// Range of the repeats' medians, as a share of the median.
    pub(super) spread: Option<f64>,
    pub(super) bytes: Option<usize>,
    pub(super) bytes_per_agent: Option<f64>,
    /// Allocations during the measurement.
    pub(super) growths: Option<u64>,
    /// The first wrong number of pairs, and the right one.
    pub(super) wrong: Option<[u64; 2]>,
    /// Final state of the simulation with this index.
    pub(super) state_hash: Option<String>,
    /// The right final state, if it is another one.
    pub(super) expected_hash: Option<String>,
    /// State hashes of that simulation on its way.
    pub(super) hashes: StateHashes,
    /// The first step of those after which the state is wrong.
    pub(super) differs_after: Option<u64>,
}

impl BenchRow {
    /// A row without results.
    pub(super) fn new(kind: &IndexKind, scene: String, agents: u32, threads: usize) -> Self {
        Self { scene, agents, threads, index: kind.name, ..Self::default() }
    }

    /// Fills in the final state and, if it is wrong, the right one.
    pub(super) fn set_hashes(&mut self, hash: u64, expected: u64) {
        self.state_hash = Some(format!("{hash:016x}"));
        self.expected_hash = (hash != expected).then(|| format!("{expected:016x}"));
    }

    /// Fills in the hashes on the way, beside the right ones.
    pub(super) fn set_way(&mut self, hashes: StateHashes, expected: &StateHashes) {
        self.differs_after = hashes.first_difference(expected);
        self.hashes = hashes;
    }

    /// Index and case, as messages name them.
    pub(super) fn name(&self) -> String {
        format!("{} at {} agents of {}", self.index, short(self.agents), self.scene)
    }
}
