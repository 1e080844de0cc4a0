//! Every pair: the oracle.
//!
//! No structure, no memory, nothing to keep up to date and nothing that could be wrong: the loop that opens
//! "Spatial Partition" in Robert Nystrom's *Game Programming Patterns*, with overlap instead of equality. An
//! update costs nothing, the pairs of n discs n²/2 tests, a search n. Every other index is held against it.

use super::{Bodies, IndexConfig, Kind, SpatialIndex};
use crate::{error::Result, geometry::Rect, grid::Disc};

/// Looks at every pair; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Naive {
    /// Its name.
    pub const KIND: Kind = Kind {
        name: "naive",
        summary: "every pair: the oracle",
        build: |_: &IndexConfig| Ok(Box::new(Self)),
    };
}

impl SpatialIndex for Naive {
    fn update(&mut self, _: &Bodies<'_>) -> Result<()> {
        Ok(())
    }

    fn insert(&mut self, _: &Bodies<'_>, _: u32) -> Result<()> {
        Ok(())
    }

    fn remove(&mut self, _: &Bodies<'_>, _: u32) {}

    fn visit_pairs(&mut self, bodies: &Bodies<'_>, visit: &mut dyn FnMut(u32, u32)) -> Result<()> {
        for a in bodies.living() {
            for b in a + 1..bodies.len() as u32 {
                if bodies.alive[b as usize] && bodies.overlap(a, b) {
                    visit(a, b);
                }
            }
        }
        Ok(())
    }

    fn visit_rect(&mut self, bodies: &Bodies<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        bodies.living().filter(|&id| bodies.meets_rect(id, rect)).for_each(visit);
    }

    fn visit_disc(&mut self, bodies: &Bodies<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        bodies.living().filter(|&id| bodies.meets_disc(id, area)).for_each(visit);
    }

    fn memory(&self) -> usize {
        0
    }

    fn growths(&self) -> u64 {
        0
    }

    fn validate(&self, _: &Bodies<'_>) -> std::result::Result<(), String> {
        Ok(())
    }
}
