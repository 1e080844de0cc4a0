//! The unit grid as an index: discs are units, and the attack distance is that of the two largest.

use super::{NONE, UnitGrid};
use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded, squares::Squares},
};

/// A cell is so many times as wide as the biggest disc: a hair more than its attack distance, so that the
/// nearest neighbours are enough however a border is rounded.
const CELL_IN_DISCS: f32 = 1.02;

/// A [`UnitGrid`] of discs; see the [module](super).
#[derive(Debug)]
pub struct UnitIndex {
    grid: UnitGrid,
    /// Radius of the largest disc since the last update, world units.
    largest: f32,
}

impl UnitIndex {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "unit-grid",
        summary: "cells of intrusive doubly linked lists; relinks who changes cells",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty index; a cell is as wide as the biggest disc.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let side = CELL_IN_DISCS * 2.0 * config.radius[1];
        let squares = Squares::affordable(config, side);
        let grid = UnitGrid::of(squares, config.grid.capacity)?;
        Ok(Self { grid, largest: 0.0 })
    }

    /// Makes sure that discs of that radius are met.
    fn reach(&mut self, radius: f32) {
        if radius > self.largest {
            self.largest = radius;
            // A sum, a difference and a product round by half a unit in the last place each.
            self.grid.set_attack_distance(2.0 * radius * (1.0 + 4.0 * f32::EPSILON));
        }
    }
}

impl SpatialIndex for UnitIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        let mut largest = 0.0_f32;
        for (id, &alive) in (0..).zip(discs.alive) {
            match (alive, self.grid.contains(id)) {
                (true, true) => {
                    self.grid.move_to(id, discs.center(id));
                }
                (true, false) => self.grid.add(id, discs.center(id)),
                (false, true) => self.grid.remove(id),
                (false, false) => {}
            }
            if alive {
                largest = largest.max(discs.radius(id));
            }
        }
        self.largest = 0.0;
        self.reach(largest);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        self.grid.add(id, discs.center(id));
        self.reach(discs.radius(id));
        Ok(())
    }

    fn remove(&mut self, _: &DiscsById<'_>, id: u32) {
        self.grid.remove(id);
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        self.grid.handle_melee(|a, b| {
            if discs.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        if rect.is_empty() {
            return;
        }
        // Who is wider than that is not there.
        let (low, high) = (padded(rect.min, self.largest), padded(rect.max, self.largest));
        self.grid.visit_under(&low.union(&high), |id| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.grid.visit_under(&padded(area.center, area.radius + self.largest), |id| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        self.grid.memory()
    }

    fn growths(&self) -> u64 {
        0
    }

    /// Every living disc is in the list of the cell that it is in, and links lead both ways.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let mut listed = 0;
        for (cell, &head) in (0..).zip(&self.grid.heads) {
            let mut before = NONE;
            for id in self.grid.list(head) {
                let unit = self.grid.units[id as usize];
                if unit.prev != before {
                    return Err(format!("unit {id} of cell {cell} behind {before} says {unit:?}"));
                }
                let at = discs.center(id);
                if unit.at != at || self.grid.squares.cell(at) != cell {
                    return Err(format!("unit {id} at {at} is in cell {cell} at {}", unit.at));
                }
                (before, listed) = (id, listed + 1);
            }
        }
        match discs.living().filter(|&id| !self.grid.contains(id)).count() {
            0 if listed == discs.living().count() => {}
            missing => return Err(format!("{listed} units are listed and {missing} are missing")),
        }
        let largest = discs.living().map(|id| discs.radius(id)).fold(0.0, f32::max);
        if self.largest < largest {
            return Err(format!("a radius of {largest} is beyond the reach of {}", self.largest));
        }
        Ok(())
    }
}
