//! The unit grid as an index: discs are units, and the attack distance is that of the two largest.

use super::{NONE, UnitGrid};
use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{Bodies, IndexConfig, Kind, SpatialIndex, padded, squares::Squares},
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
    pub const KIND: Kind = Kind {
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
    fn update(&mut self, bodies: &Bodies<'_>) -> Result<()> {
        let mut largest = 0.0_f32;
        for (id, &alive) in (0..).zip(bodies.alive) {
            match (alive, self.grid.contains(id)) {
                (true, true) => {
                    self.grid.move_to(id, bodies.center(id));
                }
                (true, false) => self.grid.add(id, bodies.center(id)),
                (false, true) => self.grid.remove(id),
                (false, false) => {}
            }
            if alive {
                largest = largest.max(bodies.radius(id));
            }
        }
        self.largest = 0.0;
        self.reach(largest);
        Ok(())
    }

    fn insert(&mut self, bodies: &Bodies<'_>, id: u32) -> Result<()> {
        self.grid.add(id, bodies.center(id));
        self.reach(bodies.radius(id));
        Ok(())
    }

    fn remove(&mut self, _: &Bodies<'_>, id: u32) {
        self.grid.remove(id);
    }

    fn visit_pairs(&mut self, bodies: &Bodies<'_>, visit: &mut dyn FnMut(u32, u32)) -> Result<()> {
        self.grid.handle_melee(|a, b| {
            if bodies.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn visit_rect(&mut self, bodies: &Bodies<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        if rect.is_nothing() {
            return;
        }
        // Who is wider than that is not there.
        let (low, high) = (padded(rect.min, self.largest), padded(rect.max, self.largest));
        self.grid.visit_under(&low.union(&high), |id| {
            if bodies.meets_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, bodies: &Bodies<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.grid.visit_under(&padded(area.center, area.radius + self.largest), |id| {
            if bodies.meets_disc(id, area) {
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
    fn validate(&self, bodies: &Bodies<'_>) -> std::result::Result<(), String> {
        let mut listed = 0;
        for (cell, &head) in (0..).zip(&self.grid.heads) {
            let mut before = NONE;
            for id in self.grid.list(head) {
                let unit = self.grid.units[id as usize];
                if unit.prev != before {
                    return Err(format!("unit {id} of cell {cell} behind {before} says {unit:?}"));
                }
                let at = bodies.center(id);
                if unit.at != at || self.grid.squares.cell(at) != cell {
                    return Err(format!("unit {id} at {at} is in cell {cell} at {}", unit.at));
                }
                (before, listed) = (id, listed + 1);
            }
        }
        match bodies.living().filter(|&id| !self.grid.contains(id)).count() {
            0 if listed == bodies.living().count() => {}
            missing => return Err(format!("{listed} units are listed and {missing} are missing")),
        }
        let largest = bodies.living().map(|id| bodies.radius(id)).fold(0.0, f32::max);
        if self.largest < largest {
            return Err(format!("a radius of {largest} is beyond the reach of {}", self.largest));
        }
        Ok(())
    }
}
