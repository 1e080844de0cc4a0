//! Every pair: the reference that every other index is compared with.
//!
//! This is the loop that opens "Spatial Partition" in Robert Nystrom's *Game Programming Patterns*,
//! with overlap instead of equality. It has no structure, no memory and nothing to update. The
//! pairs of n discs take n²/2 tests.

use super::{
    discs::DiscsById,
    spatial_index::{IndexKind, PairVisitor, SpatialIndex},
};
use crate::error::Result;

/// Tests every pair; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Naive;

impl Naive {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "naive",
        summary: "every pair: the reference",
        build: |_| Ok(Box::new(Self)),
    };
}

impl SpatialIndex for Naive {
    fn update(&mut self, _: &DiscsById<'_>) -> Result<()> {
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        for a in discs.living() {
            for b in a + 1..discs.len() as u32 {
                if discs.alive[b as usize] && discs.overlap(a, b) {
                    visit(a, b);
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        0
    }
}
