//! The spatial hash grid as an index: every disc is dynamic, and put in anew each update.

use super::{CELL_IN_OBJECTS, SpatialHash};
use crate::{
    error::Result,
    grid::Disc,
    index::{Bodies, IndexConfig, Kind, SpatialIndex, padded, squares::Squares},
    rect::Rect,
};

/// A [`SpatialHash`] that loses nobody; see the [module](super).
#[derive(Debug)]
pub struct HashIndex {
    grid: SpatialHash,
}

impl HashIndex {
    /// Its name.
    pub const KIND: Kind = Kind {
        name: "spatial-hash",
        summary: "cells with a static and a dynamic list; an object in each that it touches",
        one_size: false,
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
}

impl SpatialIndex for HashIndex {
    fn update(&mut self, bodies: &Bodies<'_>) -> Result<()> {
        self.grid.clear_dynamic();
        bodies.living().try_for_each(|id| self.insert(bodies, id))
    }

    fn insert(&mut self, bodies: &Bodies<'_>, id: u32) -> Result<()> {
        let cells = self.grid.cells_under(&bodies.bounds(id));
        self.grid.insert_dynamic(id, cells.iter())
    }

    fn remove(&mut self, bodies: &Bodies<'_>, id: u32) {
        let cells = self.grid.cells_under(&bodies.bounds(id));
        self.grid.remove(id, cells.iter());
    }

    fn visit_pairs(&mut self, bodies: &Bodies<'_>, visit: &mut dyn FnMut(u32, u32)) -> Result<()> {
        for a in bodies.living() {
            let cells = self.grid.cells_under(&bodies.bounds(a));
            self.grid.potential_colliders(cells.iter(), |b| {
                if a < b && bodies.overlap(a, b) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn visit_rect(&mut self, bodies: &Bodies<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        if rect.is_nothing() {
            return;
        }
        let cells = self.grid.cells_under(rect);
        self.grid.potential_colliders(cells.iter(), |id| {
            if bodies.meets_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, bodies: &Bodies<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        let cells = self.grid.cells_under(&padded(area.center, area.radius));
        self.grid.potential_colliders(cells.iter(), |id| {
            if bodies.meets_disc(id, area) {
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
    fn validate(&self, bodies: &Bodies<'_>) -> std::result::Result<(), String> {
        let mut expected = vec![Vec::new(); self.grid.cells()];
        for id in bodies.living() {
            for cell in self.grid.cells_under(&bodies.bounds(id)).iter() {
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
