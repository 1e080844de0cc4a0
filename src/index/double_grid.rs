//! The double grid, packed: [`ClosePairs`] over discs by id.
//!
//! The pairs of an update are found on all threads of the pool that the caller runs on.

use super::{
    discs::DiscsById,
    spatial_index::{IndexKind, PairVisitor, SpatialIndex},
};
use crate::{contacts::ClosePairs, error::Result};

/// The loose/tight double grid over discs by id; see the [module](self).
#[derive(Debug)]
pub(crate) struct DoubleGrid(ClosePairs);

impl DoubleGrid {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "double-grid",
        summary: "the loose/tight double grid, packed, in cell order",
        build: |config| Ok(Box::new(Self(ClosePairs::new(config.grid)?))),
    };
}

impl SpatialIndex for DoubleGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.0.follow(discs.len(), |id| discs.alive[id as usize], 0.0, |id| discs.disc(id))
    }

    fn visit_pairs(&mut self, _: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        self.0.find_followed()?;
        self.0.iter().for_each(|[i, j]| visit(i, j));
        Ok(())
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn growths(&self) -> u64 {
        self.0.growths()
    }
}
