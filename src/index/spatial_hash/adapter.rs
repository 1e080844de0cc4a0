//! The spatial hash grid as an index: every disc is dynamic, and put in anew each update. Its static
//! lists stay empty: those who never move are the simulation's to know, and no index is told of them.

use super::{CELL_IN_OBJECTS, SpatialHash, collide};
use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded, squares::Squares},
};

/// A [`SpatialHash`] that loses nobody; see the [module](super).
#[derive(Debug)]
pub struct HashIndex {
    grid: SpatialHash,
}

impl HashIndex {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "spatial-hash",
        summary: "cells with a static and a dynamic list; an object in each that it touches",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty index; cells are five times the biggest disc.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let side = CELL_IN_OBJECTS * 2.0 * config.radius[1];
        let squares = Squares::affordable(config, side);
        Ok(Self { grid: SpatialHash::of(squares, config.grid.capacity)? })
    }

    /// Calls `visit` once with each disc in the cells under a box.
    fn visit_dynamic(&mut self, area: &Rect, visit: impl FnMut(u32)) {
        let cells = self.grid.cells_under(area);
        let SpatialHash { dynamic, met, .. } = &mut self.grid;
        collide(met, [dynamic], cells.iter(), visit);
    }
}

impl SpatialIndex for HashIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.grid.clear_dynamic();
        discs.living().try_for_each(|id| self.insert(discs, id))
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        let cells = self.grid.cells_under(&discs.bounds(id));
        self.grid.insert_dynamic(id, cells.iter())
    }

    fn remove(&mut self, discs: &DiscsById<'_>, id: u32) {
        for cell in self.grid.cells_under(&discs.bounds(id)).iter() {
            self.grid.dynamic.remove(cell, id);
        }
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            self.visit_dynamic(&discs.bounds(a), |b| {
                if a < b && discs.overlap(a, b) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        if rect.is_empty() {
            return;
        }
        self.visit_dynamic(rect, |id| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.visit_dynamic(&padded(area.center, area.radius), |id| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        self.grid.memory()
    }

    fn growths(&self) -> u64 {
        self.grid.dynamic.growths + self.grid.fixed.growths
    }

    /// Every living disc is in the list of each cell under it, once, and nobody is anywhere else.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let mut expected = vec![Vec::new(); self.grid.cells()];
        for id in discs.living() {
            for cell in self.grid.cells_under(&discs.bounds(id)).iter() {
                expected[cell as usize].push(id);
            }
        }
        for (cell, expected) in (0..).zip(&expected) {
            let mut found = Vec::new();
            self.grid.dynamic.visit(cell, |id| found.push(id));
            found.sort_unstable();
            if found != *expected {
                return Err(format!("cell {cell} lists {found:?}, and {expected:?} touch it"));
            }
        }
        Ok(())
    }
}
