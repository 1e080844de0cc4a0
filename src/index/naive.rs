//! Every pair: the oracle.
//!
//! No structure, no memory, nothing to keep up to date and nothing that could be wrong: the loop that opens
//! "Spatial Partition" in Robert Nystrom's *Game Programming Patterns*, with overlap instead of equality. An
//! update costs nothing, the pairs of n discs n²/2 tests, a search n. Every other index is held against it.

use super::{DiscsById, IndexConfig, IndexKind, SpatialIndex};
use crate::{error::Result, geometry::Rect, grid::Disc};

/// Looks at every pair; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Naive {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "naive",
        summary: "every pair: the oracle",
        build: |_: &IndexConfig| Ok(Box::new(Self)),
    };
}

impl SpatialIndex for Naive {
    fn update(&mut self, _: &DiscsById<'_>) -> Result<()> {
        Ok(())
    }

    fn insert(&mut self, _: &DiscsById<'_>, _: u32) -> Result<()> {
        Ok(())
    }

    fn remove(&mut self, _: &DiscsById<'_>, _: u32) {}

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            for b in a + 1..discs.len() as u32 {
                if discs.alive[b as usize] && discs.overlap(a, b) {
                    visit(a, b);
                }
            }
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        discs.living().filter(|&id| discs.intersects_rect(id, rect)).for_each(visit);
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        discs.living().filter(|&id| discs.intersects_disc(id, area)).for_each(visit);
    }

    fn memory(&self) -> usize {
        0
    }

    fn growths(&self) -> u64 {
        0
    }

    fn validate(&self, _: &DiscsById<'_>) -> std::result::Result<(), String> {
        Ok(())
    }
}
