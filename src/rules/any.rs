//! Pair rules of any type: what a run knows of them.

use super::{
    agent::RuleMoment,
    gather::GatherSums,
    pair::{PairRule, RuleColumn},
    stream::{ColumnValues, PerPair, StreamRule},
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
    pub(super) moment: RuleMoment,
    pub(super) simd: SimdLevel,
}

impl PairTask<'_> {
    /// Computes the sums of a rule in some bands, from the columns that it reads.
    pub(super) fn gather<R: StreamRule<C, K>, const C: usize, const K: usize>(
        self,
        rule: &R,
        range: f32,
        reads: &[RuleColumn],
        bands: &mut [Band],
        sums: &mut [f32],
    ) {
        let Self { agents, grid, space, radius_min, simd, .. } = self;
        let mut sources = [ColumnValues::Numbers(&[]); C];
        for (source, column) in sources.iter_mut().zip(reads) {
            *source = column_values(agents, column)
                .expect("the columns were checked when the rules were set");
        }
        let width = rule.sums();
        parallel::parts(
            bands,
            sums,
            &|sums, lower, upper| {
                sums.split_at_mut((upper.slots.start - lower.slots.start) * width)
            },
            &|band, sums| {
                let (Agents { x, y, .. }, rows) = (agents, band.rows.clone());
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
    rule: PerPair<R>,
    /// What it says of itself, asked for once: checks and walks rely on it.
    range: f32,
    reads: [RuleColumn; C],
}

impl<R: PairRule<C, K>, const C: usize, const K: usize> OfType<R, C, K> {
    pub(super) fn new(rule: R) -> Self {
        Self { range: rule.range(), reads: rule.reads(), rule: PerPair(rule) }
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
        task.gather::<_, C, K>(&self.rule, self.range, &self.reads, bands, sums);
    }
}

/// The column that a rule reads; none if the agents have no such column.
pub(super) fn column_values<'a>(
    agents: &'a Agents,
    column: &RuleColumn,
) -> Option<ColumnValues<'a>> {
    let own = || agents.own.as_ref();
    match column {
        RuleColumn::X => Some(ColumnValues::Numbers(&agents.x)),
        RuleColumn::Y => Some(ColumnValues::Numbers(&agents.y)),
        RuleColumn::IdBits => Some(ColumnValues::Bits(&agents.id)),
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
