//! A grid of intrusive doubly linked lists.
//!
//! # The idea
//!
//! From *Game Programming Patterns* by Robert Nystrom (2014), "Spatial Partition". A battlefield is cut into
//! cells; a unit stands in the list of the one cell that its position is in. The list runs through the units
//! themselves: each knows who stands before and behind it. A unit that moves is linked anew only if it leaves
//! its cell. Who is near enough to be struck is in the same cell or next to it; each cell looks at itself and
//! at *half* of its neighbours, so that nobody strikes twice.
//!
//! ```text
//! heads  [ ∅ | 2 | ∅ | 4 | …            first unit of each cell
//! units  [ (prev, next, x, y) | …       a unit each: 16 bytes
//!
//!   ┌───┬───┬───┐     x: a cell        The text's four: (−1, −1), (−1, 0), (0, −1), (−1, +1).
//!   │ o │   │   │     o: its half of   If the attack distance is more than a cell, the half
//!   ├───┼───┼───┤        neighbours    grows to as many cells as it takes: nobody is missed.
//!   │ o │ x │   │
//!   ├───┼───┼───┤
//!   │ o │ o │   │
//!   └───┴───┴───┘
//! ```
//!
//! # Cost
//!
//! An update reads each position and writes only for who changes cells: with slow units hardly anybody. Pairs
//! follow links, one read from anywhere in memory for each unit met, four and a half cells for each unit.
//! Units are points: the attack distance is that of the two largest, so that one giant makes every cell as
//! large as itself. 16 bytes a unit, and 4 a cell of the world.

mod adapter;

pub use adapter::UnitIndex;
use glam::Vec2;

use super::squares::Squares;
use crate::{alloc, error::Result, geometry::Rect};

const NONE: u32 = u32::MAX;
/// Before a unit that is not on the field.
const ABSENT: u32 = u32::MAX - 1;

/// A unit: where it is, and its place in the list of the cell there.
#[derive(Clone, Copy, Debug)]
struct Unit {
    prev: u32,
    next: u32,
    at: Vec2,
}

/// The grid as published; see the [module](self). Units are ids below a capacity.
///
/// ```
/// use jostle::{Rect, Vec2, index::UnitGrid};
///
/// // The text's field: 10 × 10 cells of 20.
/// let at = [Vec2::new(19.0, 50.0), Vec2::new(25.0, 50.0), Vec2::new(150.0, 50.0)];
/// let mut grid = UnitGrid::new(Rect::from_size(200.0, 200.0), 20.0, at.len())?;
/// (0..).zip(at).for_each(|(unit, at)| grid.add(unit, at));
/// grid.set_attack_distance(10.0);
///
/// let mut struck = Vec::new();
/// grid.handle_melee(|a, b| struck.push((a, b)));
/// assert_eq!(struck, [(1, 0)]);
/// assert!(!grid.move_to(1, Vec2::new(39.0, 59.0)), "it stays in its cell");
/// assert!(grid.move_to(1, Vec2::new(41.0, 59.0)), "it is linked anew");
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct UnitGrid {
    squares: Squares,
    heads: Vec<u32>,
    units: Vec<Unit>,
    attack_distance: f32,
    /// The attack distance in cells, rounded up.
    reach: i64,
}

impl UnitGrid {
    /// An empty field. The attack distance is a cell at first.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(world: Rect, cell_size: f32, capacity: usize) -> Result<Self> {
        Self::of(Squares::new(&world, cell_size), capacity)
    }

    fn of(squares: Squares, capacity: usize) -> Result<Self> {
        let absent = Unit { prev: ABSENT, next: NONE, at: Vec2::ZERO };
        let mut grid = Self {
            heads: alloc::filled(squares.count(), NONE, "the cells' heads")?,
            units: alloc::filled(capacity, absent, "the units' links")?,
            attack_distance: 0.0,
            reach: 0,
            squares,
        };
        grid.set_attack_distance(squares.side * 0.99);
        Ok(grid)
    }

    /// Columns and rows.
    pub fn cells(&self) -> [u32; 2] {
        [self.squares.cols, self.squares.rows]
    }

    /// How near a unit must be to be met, world units: whoever is nearer than that is.
    pub fn attack_distance(&self) -> f32 {
        self.attack_distance
    }

    /// Changes how near a unit must be to be met. More than a cell, and more neighbours are looked at; a
    /// hair less than a whole number of cells is best, since a cell's border is only known to a rounding.
    pub fn set_attack_distance(&mut self, distance: f32) {
        self.attack_distance = distance;
        let Squares { side, cols, rows, .. } = self.squares;
        // A column rounds by a unit in its last place, and so does the distance.
        let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(cols.max(rows));
        let cells = f64::from(distance) / f64::from(side) + rounding;
        self.reach = (cells.ceil() as i64).clamp(0, i64::from(cols.max(rows)));
    }

    /// Puts a unit on the field, in front of the list of its cell.
    ///
    /// # Panics
    /// If it is there already.
    pub fn add(&mut self, unit: u32, at: Vec2) {
        assert!(!self.contains(unit), "unit {unit} is on the field already; move it");
        self.link(unit, at);
    }

    /// Tells the grid where a unit is now; true if it had to be linked anew.
    ///
    /// # Panics
    /// If it is not on the field.
    pub fn move_to(&mut self, unit: u32, at: Vec2) -> bool {
        let was_at = self.units[unit as usize].at;
        let leaves = self.squares.cell(was_at) != self.squares.cell(at);
        if leaves {
            self.remove(unit);
            self.link(unit, at);
        }
        self.units[unit as usize].at = at;
        leaves
    }

    /// Takes a unit off the field: the dead leave, and are no longer heard.
    ///
    /// # Panics
    /// If it is not on the field.
    pub fn remove(&mut self, unit: u32) {
        assert!(self.contains(unit), "unit {unit} is not on the field");
        let Unit { prev, next, at } = self.units[unit as usize];
        if prev == NONE {
            self.heads[self.squares.cell(at) as usize] = next;
        } else {
            self.units[prev as usize].next = next;
        }
        if next != NONE {
            self.units[next as usize].prev = prev;
        }
        self.units[unit as usize].prev = ABSENT;
    }

    /// True if the unit is on the field.
    pub fn contains(&self, unit: u32) -> bool {
        self.units[unit as usize].prev != ABSENT
    }

    /// Calls `meet` once with each two units that are nearer than the attack distance.
    pub fn handle_melee(&self, mut meet: impl FnMut(u32, u32)) {
        for row in 0..self.squares.rows {
            for col in 0..self.squares.cols {
                self.handle_cell(col, row, &mut meet);
            }
        }
    }

    /// The same for the units of one cell, among themselves and with those in half of the neighbours.
    pub fn handle_cell(&self, col: u32, row: u32, mut meet: impl FnMut(u32, u32)) {
        let cell = row * self.squares.cols + col;
        for unit in self.list(self.heads[cell as usize]) {
            self.handle_unit(unit, self.units[unit as usize].next, &mut meet);
            for neighbour in self.half_of_neighbours(col, row) {
                self.handle_unit(unit, self.heads[neighbour as usize], &mut meet);
            }
        }
    }

    /// The same for one unit and the rest of a list.
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

    /// Calls `visit` with each unit in the cells under a rectangle.
    pub fn visit_under(&self, area: &Rect, mut visit: impl FnMut(u32)) {
        for cell in self.squares.under(area).iter() {
            self.list(self.heads[cell as usize]).for_each(&mut visit);
        }
    }

    /// The cells to the left of a cell, and those straight below it, as far as the attack distance reaches.
    fn half_of_neighbours(&self, col: u32, row: u32) -> impl Iterator<Item = u32> {
        let Squares { cols, rows, .. } = self.squares;
        let (col, row) = (i64::from(col), i64::from(row));
        let lowest = (row - self.reach).max(0);
        let highest = (row + self.reach).min(i64::from(rows) - 1);
        ((col - self.reach).max(0)..=col).flat_map(move |x| {
            let end = if x < col { highest + 1 } else { row };
            (lowest..end).map(move |y| (y * i64::from(cols) + x) as u32)
        })
    }

    fn list(&self, head: u32) -> impl Iterator<Item = u32> {
        let real = |unit| (unit != NONE).then_some(unit);
        std::iter::successors(real(head), move |&unit| real(self.units[unit as usize].next))
    }

    fn link(&mut self, unit: u32, at: Vec2) {
        let cell = self.squares.cell(at) as usize;
        let next = std::mem::replace(&mut self.heads[cell], unit);
        if next != NONE {
            self.units[next as usize].prev = unit;
        }
        self.units[unit as usize] = Unit { prev: NONE, next, at };
    }

    fn memory(&self) -> usize {
        self.heads.capacity() * 4 + self.units.capacity() * size_of::<Unit>()
    }
}
