//! Pair rules of any type: what a run knows of them.

use super::{
    agent::RuleMoment,
    gather::GatherSums,
    pair::{PairRule, PickRule, RuleColumn},
    picks::PICKS,
    stream::{ColumnValues, PerPair, PerPick, StreamRule},
    sums::{PairSums, SumsMut},
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
    /// What earlier rules have added up and picked.
    pub(super) before: &'a [PairSums],
}

impl PairTask<'_> {
    /// Computes the sums of a rule in some bands, from the columns that it reads.
    pub(super) fn gather<R: StreamRule<C, K>, const C: usize, const K: usize>(
        self,
        rule: &R,
        range: f32,
        reads: &[RuleColumn],
        bands: &mut [Band],
        sums: SumsMut<'_>,
    ) {
        let Self { agents, grid, space, radius_min, simd, before, .. } = self;
        let mut sources = [ColumnValues::Numbers(&[]); C];
        for (source, column) in sources.iter_mut().zip(reads) {
            *source = column_values(agents, before, column)
                .expect("the columns were checked when the rules were set");
        }
        let width = rule.sums();
        parallel::parts(
            bands,
            sums,
            &|sums: SumsMut<'_>, lower, upper| {
                sums.split_at(upper.slots.start - lower.slots.start, width)
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
    /// True if agents pick one of their neighbors.
    fn picks(&self) -> bool {
        false
    }
    /// Computes the sums of all agents, in some bands.
    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: SumsMut<'_>);
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

    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: SumsMut<'_>) {
        task.gather::<_, C, K>(&self.rule, self.range, &self.reads, bands, sums);
    }
}

/// Columns that a rule by which agents pick may read, with the ids.
pub(super) const PICK_COLUMNS: usize = 8;

/// A rule by which agents pick, of a known type.
pub(super) struct OfPick<R, const C: usize> {
    rule: R,
    range: f32,
    /// Those of the rule, and the ids.
    reads: Vec<RuleColumn>,
    /// Its number among the rules.
    number: u64,
}

impl<R: PickRule<C>, const C: usize> OfPick<R, C> {
    pub(super) fn new(rule: R, number: usize) -> Self {
        let reads = rule.reads().into_iter().chain([RuleColumn::IdBits]).collect();
        Self { range: rule.range(), reads, rule, number: number as u64 }
    }
}

impl<R: PickRule<C>, const C: usize> AnyPairRule for OfPick<R, C> {
    fn range(&self) -> f32 {
        self.range
    }

    fn reads(&self) -> &[RuleColumn] {
        &self.reads
    }

    fn width(&self) -> usize {
        0
    }

    fn picks(&self) -> bool {
        true
    }

    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: SumsMut<'_>) {
        let rule = PerPick::<_, C> { rule: &self.rule, key: task.moment.key(PICKS + self.number) };
        task.gather::<_, PICK_COLUMNS, 1>(&rule, self.range, &self.reads, bands, sums);
    }
}

/// The column that a rule reads; none if the agents have no such column, or no rule before it
/// picks.
pub(super) fn column_values<'a>(
    agents: &'a Agents,
    before: &'a [PairSums],
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
        RuleColumn::Picked(rule) => {
            let picked = &before.get(*rule)?.picked;
            (!picked.is_empty()).then(|| ColumnValues::Bits(picked))
        }
        RuleColumn::Species => own()?.species.as_deref().map(ColumnValues::Bytes),
        RuleColumn::Own(name) => {
            let own = own()?;
            Some(ColumnValues::Numbers(&own.numbers[own.find(name)?].values))
        }
    }
}
