//! The rules that several ranks can have, and what a rank runs them on; see `around`.

use crate::{
    agents::Agents,
    error::{Error, Field, Limit, Result, Value},
    geometry::Space,
    grid::{Grid, GridConfig},
    rules::{ActiveRules, Rules},
    simd::SimdLevel,
};

/// The rules of a run, and what they are run on.
#[derive(Debug)]
pub(super) struct SharedRules {
    pub(super) active: ActiveRules,
    /// The own agents among those of other ranks, and their home cells.
    pub(super) around: Agents,
    pub(super) homes: Vec<u32>,
    /// The number of agents of lower ranks among them.
    pub(super) below: usize,
    pub(super) grid: Grid,
}

impl SharedRules {
    /// The rules of a run. Its agents have the columns of `agents`.
    ///
    /// # Errors
    /// As [`check_rules`] and [`ActiveRules::new`], and if there is not enough memory.
    pub(super) fn new(
        rules: &Rules,
        agents: &Agents,
        config: GridConfig,
        space: &Space,
    ) -> Result<Self> {
        check_rules(rules)?;
        let grid = Grid::new(config)?;
        let active = ActiveRules::new(rules.clone(), agents, &grid, space, config.capacity)?;
        Ok(Self { active, around: agents.none_alike(), homes: Vec::new(), below: 0, grid })
    }

    pub(super) fn set_simd(&mut self, simd: SimdLevel) {
        self.grid.set_simd(simd);
    }
}

/// Refuses rules that several ranks can't have.
///
/// # Errors
/// If agents come or go by them, or pick others.
pub(crate) fn check_rules(rules: &Rules) -> Result<()> {
    let refused = |name| Error::invalid(Field::RuleKind, Value::Name(name), Limit::OneRank);
    rules.of_one_rank().map_or(Ok(()), |name| Err(refused(name)))
}
