//! The spatial hash grid, with a static and a dynamic list a cell.
//!
//! # The idea
//!
//! From *Beginning Android Games* by Mario Zechner (2011), chapter 8, "Broad Phase Collision Detection". The
//! world is cut into square cells, numbered from the lower left; the number of a cell is the hash of whoever
//! is in it. An object stands in the list of *each* cell that its box touches: one, two or four, and more
//! if it is larger than a cell. Whoever collides with it stands in one of those lists. What moves is put in
//! anew every frame. What doesn't has lists of its own, which stay.
//!
//! ```text
//! 8 ┌────┬────┬────┬────┐ 11      dynamic [ list | list | …    emptied and filled each step
//!   │    │    │  ■ │    │         static  [ list | list | …    written when an object is made
//! 4 ├────┼────┼────┼────┤ 7       met     [ 7 | 7 | 6 | …      the last search that met an object
//!   │    │ ·  │   ▄▄▄   │
//! 0 ├────┼────┼──▀▀▀────┤ 3       a list is a chain of chunks of 14 ids, a cache line each
//! ```
//!
//! An object in two cells would be found twice. The original looks through all it has found, and calls that
//! the first candidate to optimise; here each object carries the number of the search that met it last.
//!
//! # Cost
//!
//! A step writes an entry for each cell that each disc touches, 1.4 in `gas`. A search reads all lists under a
//! box. Cells are five times as large as the biggest object, as the text recommends, so that a search reads
//! forty objects where there are that many; one giant makes the cells of all others useless. Eight bytes a
//! cell of the world, empty or not, and about five an entry.
//!
//! # Two borders
//!
//! [`SpatialHash::cell_ids`] ignores corners outside the world, as published: *make sure all our objects stay
//! inside*. The index clamps instead, and takes all cells under the box, so that nobody is lost.

mod adapter;
mod lists;

use self::lists::Lists;
pub use adapter::HashIndex;

use super::{
    squares::{Block, Squares},
    stamps::Stamps,
};
use crate::{error::Result, geometry::Rect};

/// Cells are so many times as large as the biggest object.
pub const CELL_IN_OBJECTS: f32 = 5.0;

/// The grid as published; see the [module](self). Objects are ids below a capacity.
///
/// ```
/// use jostle::{Rect, index::SpatialHash, Vec2};
///
/// // The cannon's world: 9.6 × 6.4 m, targets of 0.5 m, so cells of 2.5 m.
/// let mut grid = SpatialHash::new(Rect::from_size(9.6, 6.4), 2.5, 100)?;
/// assert_eq!(grid.cells(), 12);
/// assert_eq!(grid.cell_of(Vec2::new(3.0, 4.0)), Some(5));
///
/// let target = Rect::around(Vec2::new(5.0, 1.0), 0.25);
/// grid.insert_static(7, grid.cell_ids(&target))?;
/// let ball = Rect::around(Vec2::new(5.1, 1.2), 0.1);
/// let mut found = Vec::new();
/// grid.potential_colliders(grid.cell_ids(&ball), |id| found.push(id));
/// assert_eq!(found, [7]);
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct SpatialHash {
    squares: Squares,
    dynamic: Lists,
    fixed: Lists,
    met: Stamps,
}

/// The cells of a box: at most four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellIds {
    ids: [u32; 4],
    len: usize,
}

impl SpatialHash {
    /// An empty grid over a world.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(world: Rect, cell_size: f32, capacity: usize) -> Result<Self> {
        Self::of(Squares::new(&world, cell_size), capacity)
    }

    fn of(squares: Squares, capacity: usize) -> Result<Self> {
        Ok(Self {
            squares,
            // Two of five stand over a border of cells five times as large.
            dynamic: Lists::new(squares.count(), capacity * 3 / 2)?,
            fixed: Lists::new(squares.count(), 0)?,
            met: Stamps::new(capacity)?,
        })
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.dynamic.len()
    }

    /// The cell of a point; none outside the world.
    pub fn cell_of(&self, point: glam::Vec2) -> Option<u32> {
        let [col, row] = self.squares.unbounded(point);
        let inside = |cell: f32, count: u32| cell >= 0.0 && cell < count as f32;
        (inside(col, self.squares.cols) && inside(row, self.squares.rows))
            .then(|| row as u32 * self.squares.cols + col as u32)
    }

    /// The cells of the corners of a box, each once; a corner outside the world has none. Whoever is larger
    /// than a cell touches others, too.
    pub fn cell_ids(&self, bounds: &Rect) -> CellIds {
        let Rect { min, max } = *bounds;
        let mut cells = CellIds { ids: [u32::MAX; 4], len: 0 };
        for corner in [min, glam::Vec2::new(max.x, min.y), max, glam::Vec2::new(min.x, max.y)] {
            if let Some(cell) = self.cell_of(corner)
                && !cells.ids.contains(&cell)
            {
                cells.ids[cells.len] = cell;
                cells.len += 1;
            }
        }
        cells
    }

    /// All cells under a box; what lies outside the world belongs to the border.
    fn cells_under(&self, bounds: &Rect) -> Block {
        self.squares.under(bounds)
    }

    /// Puts in an object that will not move.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub fn insert_static(&mut self, id: u32, cells: impl IntoIterator<Item = u32>) -> Result<()> {
        cells.into_iter().try_for_each(|cell| self.fixed.push(cell, id))
    }

    /// Puts in an object until [`Self::clear_dynamic`].
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub fn insert_dynamic(&mut self, id: u32, cells: impl IntoIterator<Item = u32>) -> Result<()> {
        cells.into_iter().try_for_each(|cell| self.dynamic.push(cell, id))
    }

    /// Takes an object out of those cells, whether it moves or not.
    pub fn remove(&mut self, id: u32, cells: impl IntoIterator<Item = u32>) {
        for cell in cells {
            self.dynamic.remove(cell, id);
            self.fixed.remove(cell, id);
        }
    }

    /// Takes out whatever moves.
    pub fn clear_dynamic(&mut self) {
        self.dynamic.clear();
    }

    /// Calls `visit` once with each object in those cells.
    pub fn potential_colliders(
        &mut self,
        cells: impl IntoIterator<Item = u32>,
        visit: impl FnMut(u32),
    ) {
        let Self { dynamic, fixed, met, .. } = self;
        collide(met, [dynamic, fixed], cells, visit);
    }

    fn memory(&self) -> usize {
        self.dynamic.memory() + self.fixed.memory() + self.met.memory()
    }
}

/// Calls `visit` once with each object in those cells of some lists.
fn collide<const LISTS: usize>(
    met: &mut Stamps,
    lists: [&Lists; LISTS],
    cells: impl IntoIterator<Item = u32>,
    mut visit: impl FnMut(u32),
) {
    met.begin();
    for cell in cells {
        for lists in lists {
            lists.visit(cell, |id| {
                if met.meet(id) {
                    visit(id);
                }
            });
        }
    }
}

impl IntoIterator for CellIds {
    type Item = u32;
    type IntoIter = std::iter::Take<std::array::IntoIter<u32, 4>>;

    fn into_iter(self) -> Self::IntoIter {
        self.ids.into_iter().take(self.len)
    }
}
