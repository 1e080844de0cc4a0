//! The double grid as it was published: linked lists of indices, changed one element at a time.
//!
//! # The idea
//!
//! From "Loose/Tight Double-Grid With 500k Agents" by the user "Dragon Energy" (Stack Overflow,
//! 2018). An element is in the loose cell of its center. The cell has a box that grows around its
//! elements. A coarser tight grid lists, in each of its cells, the loose cells whose boxes
//! intersect it. A search goes through the tight cells under an area, then through the loose cells
//! whose boxes intersect it, then through their elements.
//!
//! ```text
//! tight     [ head | head | …                 4 bytes per tight cell
//! nodes     [ (next, loose cell) | …          8 bytes; a loose cell may be in several tight cells
//! loose     [ (head, l, t, r, b) | …          20 bytes per loose cell
//! elements  [ (next, cell, x, y, radius) | …  20 bytes; by id
//! visited   [ 7 | 6 | …                       per loose cell, the last search that visited it
//! ```
//!
//! An update moves each element: if the element stays in its cell, the cell's box grows; otherwise
//! the element is unlinked and linked again. Boxes only grow until the clean-up at the end, which
//! computes all boxes and all lists of the tight grid again. The pairs come from one search per
//! element. Beside [`crate::grid`], which has the same idea, this index shows what packing is
//! worth.
//!
//! # Differences from the original
//!
//! - The row stride is the number of columns, and positions are relative to the origin of the
//!   world.
//! - A loose cell whose box grows is listed in *every* tight cell that the box intersects, and not
//!   only in those under the new element.
//! - An empty loose cell is listed nowhere.
//! - A search marks the loose cells that it has visited. The original looks through its results.
//!
//! # Cost
//!
//! Each element and each loose cell is reached through an index, anywhere in memory, in the
//! clean-up and in each search.

use glam::Vec2;

use super::{
    disc_lists::{DiscLists, ListedDisc, NONE},
    discs::DiscsById,
    spatial_index::{IndexConfig, IndexKind, SpatialIndex},
    visit_marks::VisitMarks,
};
use crate::{
    alloc,
    error::Result,
    geometry::{Disc, Rect, cells::CellLayout},
};

/// Side of a tight cell, in loose cells. 4 was the fastest in `gas` with 100,000 discs.
const TIGHT_IN_LOOSE: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
struct LooseCell {
    head: u32,
    aabb: Rect,
}

/// A loose cell in the list of a tight one.
#[derive(Clone, Copy, Debug)]
struct ListedCell {
    next: u32,
    cell: u32,
}

/// The loose/tight double grid with linked lists, for discs whose ids are below a capacity.
///
/// [`update`](SpatialIndex::update) moves all discs at once; [`insert`](Self::insert) and
/// [`remove`](Self::remove) change one.
///
/// ```
/// use jostle::{GridConfig, Rect, Vec2, grid::Disc, index::{IndexConfig, LinkedDoubleGrid}};
///
/// let grid = GridConfig::new(Rect::from_size(100.0, 100.0), 4.0, 10);
/// let mut index = LinkedDoubleGrid::new(&IndexConfig { grid, radius: [0.5, 2.0] })?;
/// index.insert(7, Disc { center: Vec2::new(50.0, 50.0), radius: 1.0 })?;
/// let mut found = Vec::new();
/// index.visit_rect(&Rect::around(Vec2::new(52.0, 50.0), 1.5), |id| found.push(id));
/// assert_eq!(found, [7]);
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct LinkedDoubleGrid {
    loose_cells: CellLayout,
    tight_cells: CellLayout,
    loose: Vec<LooseCell>,
    tight: Vec<u32>,
    nodes: Vec<ListedCell>,
    elements: DiscLists,
    visited: VisitMarks,
    growths: u64,
}

impl LinkedDoubleGrid {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "linked-double-grid",
        summary: "the double grid as published, with linked lists and one change at a time",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty grid.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let loose_cells = config.cells(config.grid.loose_size.max_element());
        let tight_size = loose_cells.size() * TIGHT_IN_LOOSE;
        let tight_cells = CellLayout::new(&config.grid.bounds, tight_size);
        let (cells, capacity) = (loose_cells.len(), config.grid.capacity);
        let empty = LooseCell { head: NONE, aabb: Rect::EMPTY };
        Ok(Self {
            loose: alloc::filled(cells, empty, "the loose cells")?,
            tight: alloc::filled(tight_cells.len(), NONE, "the tight cells")?,
            // A loose cell over a border of the tight grid is listed twice.
            nodes: alloc::with_capacity(cells.min(capacity) * 2, "the tight cells' lists")?,
            elements: DiscLists::new(capacity)?,
            visited: VisitMarks::new(cells)?,
            growths: 0,
            loose_cells,
            tight_cells,
        })
    }

    /// Inserts a disc under an id that is not in use. Constant time, unless the box of its cell
    /// grows.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    ///
    /// # Panics
    /// If the id is not below the capacity, or in use.
    pub fn insert(&mut self, id: u32, disc: Disc) -> Result<()> {
        assert_eq!(self.elements.get(id).cell, NONE, "{id} is in the index");
        self.elements.set(id, disc);
        self.link(id, self.home(disc.center))
    }

    /// Removes a disc. O(discs in its cell). The box of the cell shrinks at the next update.
    ///
    /// # Panics
    /// If the id is not in use.
    pub fn remove(&mut self, id: u32) {
        let cell = self.elements.get(id).cell;
        self.elements.remove(&mut self.loose[cell as usize].head, id);
    }

    /// Calls `visit` once with each disc whose box intersects the area, in any order.
    pub fn visit_rect(&mut self, area: &Rect, mut visit: impl FnMut(u32)) {
        self.search(area, |id, disc| {
            if disc.bounds().intersects(area) {
                visit(id);
            }
        });
    }

    /// The loose cell of a center.
    #[inline]
    fn home(&self, center: Vec2) -> u32 {
        self.loose_cells.index(self.loose_cells.cell(center)) as u32
    }

    fn link(&mut self, element: u32, cell: u32) -> Result<()> {
        self.elements.push(&mut self.loose[cell as usize].head, element, cell);
        self.grow(cell, element)
    }

    /// Grows the box of a cell around an element, and lists the cell in each tight cell that the
    /// box now reaches.
    fn grow(&mut self, cell: u32, element: u32) -> Result<()> {
        let old = self.loose[cell as usize].aabb;
        let new = old.union(&self.elements.get(element).bounds());
        if new == old {
            return Ok(());
        }
        self.loose[cell as usize].aabb = new;
        let block = self.tight_cells.block(&new);
        if old.is_empty() {
            return block.iter().try_for_each(|tight| self.list(tight, cell));
        }
        let listed = self.tight_cells.block(&old);
        if block != listed {
            for tight in block.iter().filter(|&tight| !listed.contains(tight)) {
                self.list(tight, cell)?;
            }
        }
        Ok(())
    }

    /// Puts a loose cell in front of the list of a tight one.
    fn list(&mut self, tight: [u32; 2], cell: u32) -> Result<()> {
        let room = self.nodes.capacity();
        let head = &mut self.tight[self.tight_cells.index(tight)];
        let next = std::mem::replace(head, self.nodes.len() as u32);
        alloc::push(&mut self.nodes, ListedCell { next, cell }, "the tight cells' lists")?;
        self.growths += u64::from(self.nodes.capacity() > room);
        Ok(())
    }

    /// Computes all boxes and the lists of the tight grid again.
    fn clean_up(&mut self) -> Result<()> {
        self.tight.fill(NONE);
        self.nodes.clear();
        for cell in 0..self.loose.len() {
            let aabb = self.elements.bounds(self.loose[cell].head);
            self.loose[cell].aabb = aabb;
            if !aabb.is_empty() {
                let block = self.tight_cells.block(&aabb);
                block.iter().try_for_each(|tight| self.list(tight, cell as u32))?;
            }
        }
        Ok(())
    }

    /// Calls `visit` once with each element of the loose cells whose boxes intersect the area.
    fn search(&mut self, area: &Rect, mut visit: impl FnMut(u32, &ListedDisc)) {
        if area.is_empty() {
            return;
        }
        self.visited.begin();
        for tight in self.tight_cells.block(area).iter() {
            let mut node = self.tight[self.tight_cells.index(tight)];
            while node != NONE {
                let ListedCell { next, cell } = self.nodes[node as usize];
                let LooseCell { head, aabb } = self.loose[cell as usize];
                if aabb.intersects(area) && self.visited.visit(cell) {
                    self.elements.iter(head).for_each(|(id, disc)| visit(id, disc));
                }
                node = next;
            }
        }
    }
}

impl SpatialIndex for LinkedDoubleGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        for (id, &alive) in (0..).zip(discs.alive) {
            let old = self.elements.get(id).cell;
            if !alive {
                if old != NONE {
                    self.remove(id);
                }
                continue;
            }
            let disc = discs.disc(id);
            self.elements.set(id, disc);
            let cell = self.home(disc.center);
            if cell == old {
                self.grow(cell, id)?;
                continue;
            }
            if old != NONE {
                self.remove(id);
            }
            self.link(id, cell)?;
        }
        self.clean_up()
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            let disc = *self.elements.get(a);
            self.search(&disc.bounds(), |b, other| {
                if a < b && disc.overlaps(other) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.loose.capacity() * size_of::<LooseCell>()
            + self.tight.capacity() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<ListedCell>()
            + self.elements.memory()
            + self.visited.memory()
    }

    fn growths(&self) -> u64 {
        self.growths
    }

    /// Checks that every living disc is in the cell of its center, once, and in the box of that
    /// cell. Each loose cell that is not empty is listed once in each tight cell under its box; an
    /// empty one has no box, so that it is listed nowhere.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let heads = (0..).zip(self.loose.iter().map(|cell| cell.head));
        self.elements.validate(heads, discs)?;
        for id in discs.living() {
            let (cell, center) = (self.elements.get(id).cell, discs.center(id));
            let inside = self.loose[cell as usize].aabb.contains_rect(&discs.bounds(id));
            if !inside || self.home(center) != cell {
                return Err(format!("disc {id} at {center} is in cell {cell}"));
            }
        }
        let mut expected = vec![Vec::new(); self.tight.len()];
        for (cell, loose) in (0_u32..).zip(&self.loose).filter(|(_, loose)| !loose.aabb.is_empty())
        {
            for tight in self.tight_cells.block(&loose.aabb).iter() {
                expected[self.tight_cells.index(tight)].push(cell);
            }
        }
        for ((tight, &head), expected) in self.tight.iter().enumerate().zip(&expected) {
            let (mut listed, mut node) = (Vec::new(), head);
            while node != NONE {
                listed.push(self.nodes[node as usize].cell);
                node = self.nodes[node as usize].next;
            }
            listed.sort_unstable();
            if listed != *expected {
                return Err(format!("tight cell {tight} lists {listed:?}, not {expected:?}"));
            }
        }
        Ok(())
    }
}

const _: () = assert!(size_of::<LooseCell>() == 20, "a loose cell is as small as published");
