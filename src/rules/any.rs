//! Pair rules of any type: what a run knows of them.

use super::{
    gather::{ColumnValues, GatherSums},
    pair::{PairRule, RuleColumn},
};
use crate::{
    agents::Agents, contacts::Band, geometry::Space, grid::Grid, parallel, simd::SimdLevel,
};

/// What a pair rule reads of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairTask<'a> {
    pub(super) agents: &'a Agents,
    pub(super) grid: &'a Grid,
    pub(super) space: &'a Space,
    /// No agent is smaller.
    pub(super) radius_min: f32,
    pub(super) simd: SimdLevel,
}

/// A pair rule of any type.
pub(super) trait AnyPairRule: Send + Sync {
    fn range(&self) -> f32;
    fn reads(&self) -> &[RuleColumn];
    /// Sums per agent.
    fn width(&self) -> usize;
    /// Computes the sums of all agents, in some bands.
    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: &mut [f32]);
}

/// A pair rule of a known type.
pub(super) struct OfType<R, const C: usize, const K: usize> {
    rule: R,
    /// What it says of itself, asked for once: checks and walks rely on it.
    range: f32,
    reads: [RuleColumn; C],
}

impl<R: PairRule<C, K>, const C: usize, const K: usize> OfType<R, C, K> {
    pub(super) fn new(rule: R) -> Self {
        Self { range: rule.range(), reads: rule.reads(), rule }
    }
}

impl<R: PairRule<C, K>, const C: usize, const K: usize> AnyPairRule for OfType<R, C, K> {
    fn range(&self) -> f32 {
        self.range
    }

    fn reads(&self) -> &[RuleColumn] {
        &self.reads
    }

    fn width(&self) -> usize {
        K
    }

    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: &mut [f32]) {
        let PairTask { agents, grid, space, radius_min, simd } = task;
        let sources = self.reads.each_ref().map(|column| {
            column_values(agents, column).expect("the columns were checked when the rules were set")
        });
        parallel::parts(
            bands,
            sums.as_chunks_mut::<K>().0,
            &|sums, lower, upper| sums.split_at_mut(upper.slots.start - lower.slots.start),
            &|band, sums| {
                let Agents { x, y, .. } = agents;
                let (rule, range, rows) = (&self.rule, self.range, band.rows.clone());
                simd.run_compact(GatherSums {
                    rule,
                    range,
                    grid,
                    space,
                    x,
                    y,
                    sources,
                    radius_min,
                    rows,
                    sums,
                });
            },
        );
    }
}

/// The column that a rule reads; none if the agents have no such column.
pub(super) fn column_values<'a>(
    agents: &'a Agents,
    column: &RuleColumn,
) -> Option<ColumnValues<'a>> {
    let own = || agents.own.as_ref();
    match column {
        RuleColumn::Vx => Some(ColumnValues::Numbers(&agents.vx)),
        RuleColumn::Vy => Some(ColumnValues::Numbers(&agents.vy)),
        RuleColumn::Radius => Some(ColumnValues::Numbers(&agents.radius)),
        RuleColumn::Species => own()?.species.as_deref().map(ColumnValues::Bytes),
        RuleColumn::Own(name) => {
            let own = own()?;
            Some(ColumnValues::Numbers(&own.numbers[own.find(name)?].values))
        }
    }
}
