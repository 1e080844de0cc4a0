//! A grid of intrusive doubly linked lists.
//!
//! # The idea
//!
//! The source is *Game Programming Patterns* by Robert Nystrom (2014), "Spatial Partition". A
//! battlefield is cut into cells, and a unit is in the list of the cell of its position. The list
//! runs through the units themselves: each stores the unit before and the unit behind it. A unit
//! that moves is linked again only if it leaves its cell. Units near enough to be struck are in the
//! same cell or next to it. Each cell looks at itself and at *half* of its neighbors, so that no
//! pair is found twice.
//!
//! ```text
//! heads  [ ∅ | 2 | ∅ | 4 | …            first unit of each cell
//! units  [ (prev, next, x, y) | …       16 bytes per unit
//!
//!   ┌───┬───┬───┐     x: a cell        The four of the text: (−1, −1), (−1, 0), (0, −1), (−1, +1).
//!   │ o │   │   │     o: its half of   If the attack distance is larger than a cell, the half
//!   ├───┼───┼───┤        neighbors     covers the cells within it: no unit is missed.
//!   │ o │ x │   │
//!   ├───┼───┼───┤
//!   │ o │ o │   │
//!   └───┴───┴───┘
//! ```
//!
//! # Cost
//!
//! An update reads each position and writes only for units that change cells: few, if units are
//! slow. The search for pairs follows links: one read from anywhere in memory per unit that it
//! meets, in four and a half cells per unit. Units are points: the attack distance is the distance
//! at which the two largest discs touch, so that a single giant makes every cell as large as
//! itself. The grid takes 16 bytes per unit, and 4 per cell of the world.

use glam::Vec2;

use crate::{
    alloc,
    error::Result,
    geometry::{Rect, cells::CellLayout},
    index::{
        discs::DiscsById,
        spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
    },
};

/// The end of a list.
const NONE: u32 = u32::MAX;
/// The previous unit of a unit that is not on the field.
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

/// The grid of linked units from *Game Programming Patterns*, "Spatial Partition".
///
/// Units are ids below a capacity. A unit is in the list of the cell of its position, and it is
/// linked again only when it leaves that cell. As a [`SpatialIndex`], discs are units, and the
/// attack distance is the distance at which the two largest touch.
///
/// ```
/// use jostle::{Rect, Vec2, index::teaching::UnitGrid};
///
/// // The field of the text: 10 × 10 cells of 20.
/// let at = [Vec2::new(19.0, 50.0), Vec2::new(25.0, 50.0), Vec2::new(150.0, 50.0)];
/// let mut grid = UnitGrid::new(Rect::from_size(200.0, 200.0), 20.0, at.len())?;
/// (0..).zip(at).for_each(|(unit, at)| grid.add(unit, at));
/// grid.set_attack_distance(10.0);
///
/// let mut struck = Vec::new();
/// grid.handle_melee(|a, b| struck.push((a, b)));
/// assert_eq!(struck, [(1, 0)]);
/// assert!(!grid.move_to(1, Vec2::new(39.0, 59.0)), "it stays in its cell");
/// assert!(grid.move_to(1, Vec2::new(41.0, 59.0)), "it is linked again");
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct UnitGrid {
    cells: CellLayout,
    heads: Vec<u32>,
    units: Vec<Unit>,
    attack_distance: f32,
    /// The attack distance in cells, rounded up.
    reach: u32,
}

impl UnitGrid {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "unit-grid",
        summary: "cells of intrusive doubly linked lists; relinks units that change cells",
        build: |config: &IndexConfig| {
            let cells = config.cells(CELL_IN_DISCS * 2.0 * config.radius[1]);
            Ok(Box::new(Self::with_cells(cells, config.grid.capacity)?))
        },
    };

    /// An empty field. The attack distance is slightly less than a cell.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(world: Rect, cell_size: f32, capacity: usize) -> Result<Self> {
        Self::with_cells(CellLayout::new(&world, Vec2::splat(cell_size)), capacity)
    }

    fn with_cells(cells: CellLayout, capacity: usize) -> Result<Self> {
        let absent = Unit { prev: ABSENT, next: NONE, at: Vec2::ZERO };
        let mut grid = Self {
            heads: alloc::filled(cells.len(), NONE, "the cells' heads")?,
            units: alloc::filled(capacity, absent, "the units' links")?,
            attack_distance: 0.0,
            reach: 0,
            cells,
        };
        grid.set_attack_distance(cells.size().x * 0.99);
        Ok(grid)
    }

    /// Columns and rows.
    pub fn cells(&self) -> [u32; 2] {
        [self.cells.cols(), self.cells.rows()]
    }

    /// Sets the distance below which two units meet, world units. The larger it is in cells, the
    /// more neighbors each cell looks at. Slightly less than a whole number of cells is best,
    /// because the border of a cell is only known up to rounding.
    pub fn set_attack_distance(&mut self, distance: f32) {
        self.attack_distance = distance;
        let longest = self.cells.cols().max(self.cells.rows());
        // The columns of two positions round by up to two units in their last place each.
        let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(longest);
        let cells = f64::from(distance) / f64::from(self.cells.size().x) + rounding;
        self.reach = (cells.ceil() as u32).min(longest);
    }

    /// Puts a unit on the field, in front of the list of its cell. Constant time.
    ///
    /// # Panics
    /// If the unit is on the field, or not below the capacity.
    pub fn add(&mut self, unit: u32, at: Vec2) {
        assert!(!self.contains(unit), "unit {unit} is on the field already; move it");
        self.link(unit, at);
    }

    /// Moves a unit. Returns true if it had to be linked again. Constant time.
    ///
    /// # Panics
    /// If the unit is not on the field.
    pub fn move_to(&mut self, unit: u32, at: Vec2) -> bool {
        let was_at = self.units[unit as usize].at;
        let leaves = self.cells.cell(was_at) != self.cells.cell(at);
        if leaves {
            self.remove(unit);
            self.link(unit, at);
        }
        self.units[unit as usize].at = at;
        leaves
    }

    /// Removes a unit from the field. Constant time.
    ///
    /// # Panics
    /// If the unit is not on the field.
    pub fn remove(&mut self, unit: u32) {
        assert!(self.contains(unit), "unit {unit} is not on the field");
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

    /// True if the unit is on the field.
    ///
    /// # Panics
    /// If the unit is not below the capacity.
    pub fn contains(&self, unit: u32) -> bool {
        self.units[unit as usize].prev != ABSENT
    }

    /// Calls `meet` once with each two units that are nearer than the attack distance.
    pub fn handle_melee(&self, mut meet: impl FnMut(u32, u32)) {
        for row in 0..self.cells.rows() {
            for col in 0..self.cells.cols() {
                self.handle_cell([col, row], &mut meet);
            }
        }
    }

    /// The pairs of the units of one cell, among themselves and with half of the neighbors.
    fn handle_cell(&self, cell: [u32; 2], mut meet: impl FnMut(u32, u32)) {
        for unit in self.list(self.heads[self.cells.index(cell)]) {
            self.handle_unit(unit, self.units[unit as usize].next, &mut meet);
            for neighbor in self.half_of_neighbors(cell) {
                self.handle_unit(unit, self.heads[self.cells.index(neighbor)], &mut meet);
            }
        }
    }

    /// The pairs of one unit with the rest of a list.
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

    /// The cells to the left of a cell, and the cells straight below it, within the attack
    /// distance.
    fn half_of_neighbors(&self, [col, row]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        let lowest = row.saturating_sub(self.reach);
        let highest = row.saturating_add(self.reach).min(self.cells.rows() - 1);
        (col.saturating_sub(self.reach)..=col).flat_map(move |x| {
            let end = if x < col { highest + 1 } else { row };
            (lowest..end).map(move |y| [x, y])
        })
    }

    fn list(&self, head: u32) -> impl Iterator<Item = u32> {
        let real = |unit| (unit != NONE).then_some(unit);
        std::iter::successors(real(head), move |&unit| real(self.units[unit as usize].next))
    }

    fn link(&mut self, unit: u32, at: Vec2) {
        let cell = self.cells.index(self.cells.cell(at));
        let next = std::mem::replace(&mut self.heads[cell], unit);
        if next != NONE {
            self.units[next as usize].prev = unit;
        }
        self.units[unit as usize] = Unit { prev: NONE, next, at };
    }
}

/// Discs are units, and the attack distance is the distance at which the two largest touch.
impl SpatialIndex for UnitGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        let mut largest = 0.0_f32;
        for (id, &alive) in (0..).zip(discs.alive) {
            match (alive, self.contains(id)) {
                (true, true) => {
                    self.move_to(id, discs.center(id));
                }
                (true, false) => self.add(id, discs.center(id)),
                (false, true) => self.remove(id),
                (false, false) => {}
            }
            if alive {
                largest = largest.max(discs.radius(id));
            }
        }
        // A sum, a difference and a product round by half a unit in the last place each.
        self.set_attack_distance(2.0 * largest * (1.0 + 4.0 * f32::EPSILON));
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        self.handle_melee(|a, b| {
            if discs.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn memory(&self) -> usize {
        self.heads.capacity() * size_of::<u32>() + self.units.capacity() * size_of::<Unit>()
    }
}
