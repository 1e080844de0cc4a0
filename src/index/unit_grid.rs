//! A grid of intrusive doubly linked lists.
//!
//! # The idea
//!
//! From *Game Programming Patterns* by Robert Nystrom (2014), "Spatial Partition". A battlefield is
//! cut into cells, and a unit is in the list of the cell of its position. The list runs through the
//! units themselves: each stores the unit before and the unit behind it. A unit that moves is
//! linked again only if it leaves its cell. Units near enough to be struck are in the same cell or
//! next to it. Each cell looks at itself and at *half* of its neighbors, so that no pair is found
//! twice.
//!
//! ```text
//! heads  [ ∅ | 2 | ∅ | 4 | …            first unit of each cell
//! units  [ (prev, next, x, y) | …       16 bytes per unit
//!
//!   ┌───┬───┬───┐     x: a cell        The four of the text: (−1, −1), (−1, 0), (0, −1), (−1, +1).
//!   │ o │   │   │     o: its half of   If the attack distance is larger than a cell, the half
//!   ├───┼───┼───┤        neighbors     covers as many cells as needed: no unit is missed.
//!   │ o │ x │   │
//!   ├───┼───┼───┤
//!   │ o │ o │   │
//!   └───┴───┴───┘
//! ```
//!
//! # Cost
//!
//! An update reads each position and writes only for units that change cells: few, if units are
//! slow. Pairs follow links, one read from anywhere in memory per unit met, in four and a half
//! cells per unit. Units are points: the attack distance is that of the two largest discs, so that
//! a single giant makes every cell as large as itself. 16 bytes per unit, and 4 per cell of the
//! world.

use glam::Vec2;

use super::{
    discs::DiscsById,
    spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
};
use crate::{alloc, error::Result, geometry::cells::CellLayout};

/// The end of a list.
const NONE: u32 = u32::MAX;
/// Takes the place of the previous unit in a unit that is not on the field.
const ABSENT: u32 = u32::MAX - 1;

/// Side of a cell, in diameters of the largest disc: slightly more than the attack distance, so
/// that the adjacent cells are enough however a border is rounded.
const CELL_IN_DISCS: f32 = 1.02;

/// A unit: its position, and its place in the list of the cell there.
#[derive(Clone, Copy, Debug)]
struct Unit {
    prev: u32,
    next: u32,
    at: Vec2,
}

/// The grid of linked units; see the [module](self). Discs are units, and the attack distance is
/// that of the two largest.
#[derive(Debug)]
pub(super) struct UnitGrid {
    cells: CellLayout,
    heads: Vec<u32>,
    units: Vec<Unit>,
    attack_distance: f32,
    /// The attack distance in cells, rounded up.
    reach: u32,
}

impl UnitGrid {
    pub(super) const KIND: IndexKind = IndexKind {
        name: "unit-grid",
        summary: "cells of intrusive doubly linked lists; relinks units that change cells",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    fn new(config: &IndexConfig) -> Result<Self> {
        let cells = config.cells(CELL_IN_DISCS * 2.0 * config.radius[1]);
        let absent = Unit { prev: ABSENT, next: NONE, at: Vec2::ZERO };
        Ok(Self {
            heads: alloc::filled(cells.len(), NONE, "the cells' heads")?,
            units: alloc::filled(config.grid.capacity, absent, "the units' links")?,
            attack_distance: 0.0,
            reach: 0,
            cells,
        })
    }

    /// Sets the distance below which two units meet. The larger it is in cells, the more neighbors
    /// each cell looks at.
    fn set_attack_distance(&mut self, distance: f32) {
        self.attack_distance = distance;
        let longest = self.cells.cols().max(self.cells.rows());
        // The columns of two positions round by up to two units in their last place each.
        let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(longest);
        let cells = f64::from(distance) / f64::from(self.cells.size().x) + rounding;
        self.reach = (cells.ceil() as u32).min(longest);
    }

    /// Puts a unit in front of the list of its cell. Constant time.
    fn link(&mut self, unit: u32, at: Vec2) {
        let cell = self.cells.index(self.cells.cell(at));
        let next = std::mem::replace(&mut self.heads[cell], unit);
        if next != NONE {
            self.units[next as usize].prev = unit;
        }
        self.units[unit as usize] = Unit { prev: NONE, next, at };
    }

    /// Removes a unit from its list. Constant time.
    fn unlink(&mut self, unit: u32) {
        let Unit { prev, next, at } = self.units[unit as usize];
        if prev == NONE {
            self.heads[self.cells.index(self.cells.cell(at))] = next;
        } else {
            self.units[prev as usize].next = next;
        }
        if next != NONE {
            self.units[next as usize].prev = prev;
        }
        self.units[unit as usize].prev = ABSENT;
    }

    fn list(&self, head: u32) -> impl Iterator<Item = u32> {
        let real = |unit| (unit != NONE).then_some(unit);
        std::iter::successors(real(head), move |&unit| real(self.units[unit as usize].next))
    }

    /// The cells to the left of a cell, and those straight below it, within the attack distance.
    fn half_of_neighbors(&self, [col, row]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        let lowest = row.saturating_sub(self.reach);
        let highest = row.saturating_add(self.reach).min(self.cells.rows() - 1);
        (col.saturating_sub(self.reach)..=col).flat_map(move |x| {
            let end = if x < col { highest + 1 } else { row };
            (lowest..end).map(move |y| [x, y])
        })
    }

    /// Calls `meet` with the pairs of the units of one cell, among themselves and with half of the
    /// neighbors.
    fn handle_cell(&self, cell: [u32; 2], mut meet: impl FnMut(u32, u32)) {
        for unit in self.list(self.heads[self.cells.index(cell)]) {
            self.handle_unit(unit, self.units[unit as usize].next, &mut meet);
            for neighbor in self.half_of_neighbors(cell) {
                self.handle_unit(unit, self.heads[self.cells.index(neighbor)], &mut meet);
            }
        }
    }

    /// Calls `meet` with the pairs of one unit with the rest of a list.
    #[inline]
    fn handle_unit(&self, unit: u32, rest: u32, meet: &mut impl FnMut(u32, u32)) {
        let at = self.units[unit as usize].at;
        for other in self.list(rest) {
            let apart = self.units[other as usize].at - at;
            let square = apart.x * apart.x + apart.y * apart.y;
            if square < self.attack_distance * self.attack_distance {
                meet(unit, other);
            }
        }
    }
}

impl SpatialIndex for UnitGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        let mut largest = 0.0_f32;
        for (id, &alive) in (0..).zip(discs.alive) {
            let Unit { prev, at: old, .. } = self.units[id as usize];
            let at = discs.center(id);
            let held = prev != ABSENT;
            let stays = held && alive && self.cells.cell(old) == self.cells.cell(at);
            if held && !stays {
                self.unlink(id);
            }
            if alive {
                largest = largest.max(discs.radius(id));
                if stays {
                    self.units[id as usize].at = at;
                } else {
                    self.link(id, at);
                }
            }
        }
        // A sum, a difference and a product round by half a unit in the last place each.
        self.set_attack_distance(2.0 * largest * (1.0 + 4.0 * f32::EPSILON));
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        for row in 0..self.cells.rows() {
            for col in 0..self.cells.cols() {
                self.handle_cell([col, row], |a, b| {
                    if discs.overlap(a, b) {
                        visit(a, b);
                    }
                });
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.heads.capacity() * size_of::<u32>() + self.units.capacity() * size_of::<Unit>()
    }
}
