//! The spatial hash grid, with a static and a dynamic list per cell.
//!
//! # The idea
//!
//! The source is *Beginning Android Games* by Mario Zechner (2011), chapter 8, "Broad Phase
//! Collision Detection". The world is cut into square cells, numbered from the lower left. The
//! number of a cell is the hash of the objects in it. An object is in the list of *each* cell that
//! its box touches: one, two or four, and more if it is larger than a cell. Everything that it may
//! collide with is in one of those lists. Objects that move are inserted again every frame. Static
//! objects have lists of their own, which stay.
//!
//! ```text
//! 8 ┌────┬────┬────┬────┐ 11      dynamic [ list | list | …    emptied and filled in each step
//!   │    │    │  ■ │    │         fixed   [ list | list | …    written when an object is created
//! 4 ├────┼────┼────┼────┤ 7       visited [ 7 | 7 | 6 | …      per object, the last search that
//!   │    │ ·  │   ▄▄▄   │                                      visited it
//! 0 ├────┼────┼──▀▀▀────┤ 3       a list is a chain of chunks of 14 ids, a cache line each
//! ```
//!
//! An object in two cells would be found twice. The original looks through its results, and calls
//! that the first candidate for optimization. Here each object carries the number of the search
//! that visited it last.
//!
//! # Cost
//!
//! A step writes an entry for each cell that each disc touches, 1.4 of them in `gas`. A search
//! reads all lists under a box. Cells are five times as large as the largest object, as the text
//! recommends, so that a search in a dense world reads forty objects. A single giant makes the
//! cells useless for all others. The cells of the world take eight bytes each, empty or not, and an
//! entry takes about five.
//!
//! # As a `SpatialIndex`
//!
//! Every disc is a dynamic object, and an update inserts all of them again. Static objects do not
//! take part in pairs.
//!
//! [`SpatialHash::cell_ids`] ignores corners outside the world, as published: *make sure all our
//! objects stay inside*. The index takes all cells under the box of a disc, and the cells at the
//! border of the world stand for everything outside, so that every disc is found.

mod lists;

use glam::Vec2;

use self::lists::CellLists;
use crate::{
    error::Result,
    geometry::{Rect, cells::CellLayout},
    index::{
        discs::DiscsById,
        spatial_index::{IndexKind, PairVisitor, SpatialIndex},
        visit_marks::VisitMarks,
    },
};

/// Side of a cell, in diameters of the largest object.
const CELL_IN_OBJECTS: f32 = 5.0;

/// The spatial hash grid from *Beginning Android Games*, chapter 8.
///
/// Objects are ids below a capacity. An object is in the list of each cell that it touches. Objects
/// that move are inserted again every frame, after [`Self::clear_dynamic`]; static objects stay. As
/// a [`SpatialIndex`], every disc is an object that moves.
///
/// ```
/// use jostle::{Rect, Vec2, index::teaching::SpatialHash};
///
/// // The world of the book: 9.6 × 6.4 m, targets of 0.5 m, so cells of 2.5 m.
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
    cells: CellLayout,
    dynamic: CellLists,
    fixed: CellLists,
    visited: VisitMarks,
}

impl SpatialHash {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "spatial-hash",
        summary: "cells with a static and a dynamic list; an object in each that it touches",
        build: |config| {
            let cells = config.cells(CELL_IN_OBJECTS * 2.0 * config.radius[1]);
            Ok(Box::new(Self::with_cells(cells, config.grid.capacity)?))
        },
    };

    /// An empty grid over a world.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(world: Rect, cell_size: f32, capacity: usize) -> Result<Self> {
        Self::with_cells(CellLayout::new(&world, Vec2::splat(cell_size)), capacity)
    }

    fn with_cells(cells: CellLayout, capacity: usize) -> Result<Self> {
        Ok(Self {
            cells,
            // Two of five objects touch a border of cells five times as large.
            dynamic: CellLists::new(cells.len(), capacity * 3 / 2)?,
            fixed: CellLists::new(cells.len(), 0)?,
            visited: VisitMarks::new(capacity)?,
        })
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The cell of a point, or `None` outside the world.
    pub fn cell_of(&self, point: Vec2) -> Option<u32> {
        let at = self.cells.relative(point);
        let inside = |at: f32, count: u32| at >= 0.0 && at < count as f32;
        (inside(at.x, self.cells.cols()) && inside(at.y, self.cells.rows()))
            .then(|| self.cells.index(self.cells.cell(point)) as u32)
    }

    /// The cells of the corners of a box, each once: at most four. A corner outside the world has no
    /// cell. A box larger than a cell also touches cells that have none of its corners.
    pub fn cell_ids(&self, bounds: &Rect) -> impl Iterator<Item = u32> + use<> {
        let Rect { min, max } = *bounds;
        let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
        let cells = corners.map(|corner| self.cell_of(corner));
        let first = move |&at: &usize| !cells[..at].contains(&cells[at]);
        (0..4).filter(first).filter_map(move |at| cells[at])
    }

    /// Inserts an object that will not move. Constant time per cell.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    ///
    /// # Panics
    /// If a cell is not one of the hash.
    pub fn insert_static(&mut self, id: u32, cells: impl IntoIterator<Item = u32>) -> Result<()> {
        cells.into_iter().try_for_each(|cell| self.fixed.push(cell, id))
    }

    /// Inserts an object that stays until [`Self::clear_dynamic`]. Constant time per cell.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    ///
    /// # Panics
    /// If a cell is not one of the hash.
    pub fn insert_dynamic(&mut self, id: u32, cells: impl IntoIterator<Item = u32>) -> Result<()> {
        cells.into_iter().try_for_each(|cell| self.dynamic.push(cell, id))
    }

    /// Removes an object from those cells, whether it moves or not. O(objects in the cells).
    ///
    /// # Panics
    /// If a cell is not one of the hash.
    pub fn remove(&mut self, id: u32, cells: impl IntoIterator<Item = u32>) {
        for cell in cells {
            self.dynamic.remove(cell, id);
            self.fixed.remove(cell, id);
        }
    }

    /// Removes all objects that move. O(cells).
    pub fn clear_dynamic(&mut self) {
        self.dynamic.clear();
    }

    /// Calls `visit` once with each object in those cells.
    ///
    /// # Panics
    /// If a cell is not one of the hash, or if the id of an object there is not below the capacity.
    pub fn potential_colliders(
        &mut self,
        cells: impl IntoIterator<Item = u32>,
        visit: impl FnMut(u32),
    ) {
        let Self { dynamic, fixed, visited, .. } = self;
        collide(visited, [dynamic, fixed], cells, visit);
    }
}

/// Calls `visit` once with each object of some lists in some cells.
fn collide<const LISTS: usize>(
    visited: &mut VisitMarks,
    lists: [&CellLists; LISTS],
    cells: impl IntoIterator<Item = u32>,
    mut visit: impl FnMut(u32),
) {
    visited.begin();
    for cell in cells {
        for lists in lists {
            lists.visit(cell, |id| {
                if visited.visit(id) {
                    visit(id);
                }
            });
        }
    }
}

/// All cells under a box. The cells at the border stand for everything outside the world.
fn touched(cells: &CellLayout, bounds: &Rect) -> impl Iterator<Item = u32> {
    cells.block(bounds).iter().map(|cell| cells.index(cell) as u32)
}

impl SpatialIndex for SpatialHash {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.clear_dynamic();
        discs.living().try_for_each(|id| {
            let Self { cells, dynamic, .. } = self;
            touched(cells, &discs.bounds(id)).try_for_each(|cell| dynamic.push(cell, id))
        })
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        let Self { cells, dynamic, visited, .. } = self;
        for a in discs.living() {
            collide(visited, [&*dynamic], touched(cells, &discs.bounds(a)), |b| {
                if a < b && discs.overlap(a, b) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.dynamic.memory() + self.fixed.memory() + self.visited.memory()
    }

    fn growths(&self) -> u64 {
        self.dynamic.growths() + self.fixed.growths()
    }
}
