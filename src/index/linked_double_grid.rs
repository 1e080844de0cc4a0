//! The double grid as it was published: linked lists of indices, changed one element at a time.
//!
//! # The idea
//!
//! The source is "Loose/Tight Double-Grid With 500k Agents" by the user "Dragon Energy" (Stack
//! Overflow, 2018). An element is in the loose cell of its center. The cell has a box around its
//! elements. A coarser tight grid lists, in each of its cells, the loose cells with a box that
//! intersects it. A search goes through the tight cells under an area, then through the loose cells
//! with a box that intersects it, then through their elements.
//!
//! ```text
//! tight     [ head | head | …                 4 bytes per tight cell
//! nodes     [ (next, loose cell) | …          8 bytes; a loose cell may be in several tight cells
//! loose     [ (head, l, t, r, b) | …          20 bytes per loose cell
//! elements  [ (next, cell, x, y, radius) | …  20 bytes; by id
//! visited   [ 7 | 6 | …                       per loose cell, the last search that visited it
//! ```
//!
//! An update moves each element: an element that has left its cell is unlinked and linked again.
//! The clean-up at the end of the update computes all boxes and all lists of the tight grid again.
//! The pairs come from one search per element. A comparison with [`crate::grid`], which packs the
//! same structure into arrays, shows the gain of packing.
//!
//! # Differences from the original
//!
//! - The row stride is the number of columns, and positions are relative to the origin of the
//!   world.
//! - Boxes are computed once per update, in the clean-up. The original also grows them with each
//!   element that moves.
//! - A loose cell is listed in *every* tight cell that its box intersects. The original lists a box
//!   that grows only in the cells under the new element.
//! - An empty loose cell is listed nowhere.
//! - A search marks the loose cells that it has visited. The original looks through its results.
//!
//! # Cost
//!
//! Each element and each loose cell is reached through an index, anywhere in memory, in the
//! clean-up and in each search.

use super::{
    disc_lists::{DiscLists, NONE},
    discs::DiscsById,
    spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
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

/// The loose/tight double grid with linked lists; see the [module](self).
#[derive(Debug)]
pub(super) struct LinkedDoubleGrid {
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
    pub(super) const KIND: IndexKind = IndexKind {
        name: "linked-double-grid",
        summary: "the double grid as published, with linked lists and one change at a time",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    fn new(config: &IndexConfig) -> Result<Self> {
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

    /// Computes all boxes and the lists of the tight grid again.
    fn clean_up(&mut self) -> Result<()> {
        self.tight.fill(NONE);
        self.nodes.clear();
        for (cell, loose) in (0..).zip(&mut self.loose) {
            loose.aabb = self.elements.bounds(loose.head);
            if loose.aabb.is_empty() {
                continue;
            }
            for tight in self.tight_cells.block(&loose.aabb).iter() {
                let room = self.nodes.capacity();
                let head = &mut self.tight[self.tight_cells.index(tight)];
                let next = std::mem::replace(head, self.nodes.len() as u32);
                let node = ListedCell { next, cell };
                alloc::push(&mut self.nodes, node, "the tight cells' lists")?;
                self.growths += u64::from(self.nodes.capacity() > room);
            }
        }
        Ok(())
    }

    /// Calls `visit` once with each element of the loose cells with a box that intersects the area.
    fn search(&mut self, area: &Rect, mut visit: impl FnMut(u32, &Disc)) {
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
        let Self { loose_cells, loose, elements, .. } = self;
        for (id, &alive) in (0..).zip(discs.alive) {
            let (old, disc) = (elements.get(id).cell, discs.disc(id));
            let home = loose_cells.index(loose_cells.cell(disc.center)) as u32;
            let cell = if alive { home } else { NONE };
            if old != cell && old != NONE {
                elements.remove(&mut loose[old as usize].head, id);
            }
            if old != cell && alive {
                elements.push(&mut loose[cell as usize].head, id, cell);
            }
            elements.set(id, disc);
        }
        self.clean_up()
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        for a in discs.living() {
            let disc = self.elements.get(a).disc;
            self.search(&disc.padded(), |b, other| {
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
}

const _: () = assert!(size_of::<LooseCell>() == 20, "a loose cell is as small as published");
