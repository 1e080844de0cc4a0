//! The first quadtree: an element is in every leaf that its box touches.
//!
//! ```text
//! nodes    [ (first, count) | …  a leaf: first entry and their number; a branch: first child, ∞
//! entries  [ (next, element) | … an entry for each leaf that an element is in
//! boxes    [ □ | □ | …           per element, as it was inserted
//! visited  [ 7 | 7 | 6 | …       per element, the last search that visited it
//! ```
//!
//! An element that leaves a leaf is removed from all its leaves and inserted again. An element that
//! touches the same leaves as before only gets another box. Emptied leaves stay until the clean-up
//! after an update, which collapses a branch of four empty ones. A search walks all leaves under a
//! box and skips the elements that it has visited.
//!
//! # Cost
//!
//! 8 bytes per node and per entry, 20 per element. Each change descends from the root. A large
//! element is in many leaves, so that small elements beside it cost more.

use super::quarter::{BRANCH, NONE, Quarter, ROOT};
use crate::{
    alloc,
    error::Result,
    geometry::Rect,
    index::{
        block_pool::{BlockPool, Pooled},
        discs::DiscsById,
        spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
        visit_marks::VisitMarks,
    },
};

#[derive(Clone, Copy, Debug)]
struct TightNode {
    first: u32,
    /// Number of entries, or [`BRANCH`].
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    element: u32,
}

/// A quadtree with elements in every leaf that they touch; see the [module](self).
#[derive(Debug)]
pub(in crate::index) struct Quadtree {
    world: Quarter,
    nodes: BlockPool<TightNode, 4>,
    entries: BlockPool<Entry, 1>,
    /// [`Rect::EMPTY`] for an id that is not in use.
    boxes: Vec<Rect>,
    visited: VisitMarks,
}

impl Quadtree {
    pub(in crate::index) const KIND: IndexKind = IndexKind {
        name: "quadtree",
        summary: "an element in every leaf that it touches; clean-up collapses empty leaves",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let mut tree = Self {
            world: Quarter::world(&config.grid.bounds),
            nodes: BlockPool::new(capacity / 2 + 64, "the nodes of the quadtree")?,
            entries: BlockPool::new(capacity * 2, "the entries of the quadtree")?,
            boxes: alloc::filled(capacity, Rect::EMPTY, "the elements of the quadtree")?,
            visited: VisitMarks::new(capacity)?,
        };
        tree.nodes.insert([TightNode::EMPTY; 4])?;
        Ok(tree)
    }

    fn insert_under(&mut self, node: u32, quarter: Quarter, element: u32) -> Result<()> {
        let TightNode { first, count } = self.nodes[node];
        if count == BRANCH {
            for child in quarter.children_under(&self.boxes[element as usize]) {
                self.insert_under(first + child, quarter.child(child), element)?;
            }
            return Ok(());
        }
        let entry = self.entries.insert([Entry { next: first, element }])?;
        self.nodes[node] = TightNode { first: entry, count: count + 1 };
        if quarter.holds(count + 1) {
            return Ok(());
        }
        let children = self.nodes.insert([TightNode::EMPTY; 4])?;
        self.nodes[node] = TightNode { first: children, count: BRANCH };
        let mut entry = entry;
        while entry != NONE {
            let Entry { next, element } = self.entries[entry];
            self.entries.remove(entry);
            self.insert_under(node, quarter, element)?;
            entry = next;
        }
        Ok(())
    }

    fn remove_under(&mut self, node: u32, quarter: Quarter, element: u32, bounds: &Rect) {
        let TightNode { first, count } = self.nodes[node];
        if count == BRANCH {
            for child in quarter.children_under(bounds) {
                self.remove_under(first + child, quarter.child(child), element, bounds);
            }
            return;
        }
        let (mut before, mut entry) = (NONE, first);
        while entry != NONE && self.entries[entry].element != element {
            (before, entry) = (entry, self.entries[entry].next);
        }
        if entry == NONE {
            return;
        }
        let next = self.entries[entry].next;
        if before == NONE {
            self.nodes[node].first = next;
        } else {
            self.entries[before].next = next;
        }
        self.nodes[node].count -= 1;
        self.entries.remove(entry);
    }

    /// True if two boxes touch the same leaves under a node.
    fn same_leaves(&self, node: u32, quarter: Quarter, old: &Rect, new: &Rect) -> bool {
        let TightNode { first, count } = self.nodes[node];
        count != BRANCH
            || quarter.bits_under(old) == quarter.bits_under(new)
                && quarter
                    .children_under(old)
                    .all(|child| self.same_leaves(first + child, quarter.child(child), old, new))
    }

    /// Collapses branches of four empty leaves, the lowest first. True if the node is then an empty
    /// leaf.
    fn clean_up(&mut self, node: u32) -> bool {
        let TightNode { first, count } = self.nodes[node];
        if count != BRANCH {
            return count == 0;
        }
        let empty = (0..4).filter(|child| self.clean_up(first + child)).count();
        if empty == 4 {
            self.nodes.remove(first);
            self.nodes[node] = TightNode::EMPTY;
        }
        empty == 4
    }

    /// Calls `visit` once with each element with a box that intersects the area.
    fn search(&mut self, node: u32, quarter: Quarter, area: &Rect, visit: &mut impl FnMut(u32)) {
        let TightNode { first, count } = self.nodes[node];
        if count == BRANCH {
            for child in quarter.children_under(area) {
                self.search(first + child, quarter.child(child), area, visit);
            }
            return;
        }
        let mut entry = first;
        while entry != NONE {
            let Entry { next, element } = self.entries[entry];
            if self.boxes[element as usize].intersects(area) && self.visited.visit(element) {
                visit(element);
            }
            entry = next;
        }
    }
}

impl SpatialIndex for Quadtree {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        for (element, &alive) in (0..).zip(discs.alive) {
            let old = self.boxes[element as usize];
            let new = if alive { discs.bounds(element) } else { Rect::EMPTY };
            if old == new {
                continue;
            }
            let held = !old.is_empty();
            let stays = alive && held && self.same_leaves(ROOT, self.world, &old, &new);
            self.boxes[element as usize] = new;
            if held && !stays {
                self.remove_under(ROOT, self.world, element, &old);
            }
            if alive && !stays {
                self.insert_under(ROOT, self.world, element)?;
            }
        }
        self.clean_up(ROOT);
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        for a in discs.living() {
            let area = self.boxes[a as usize];
            self.visited.begin();
            self.search(ROOT, self.world, &area, &mut |b| {
                if a < b && discs.overlap(a, b) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.nodes.memory()
            + self.entries.memory()
            + self.boxes.capacity() * size_of::<Rect>()
            + self.visited.memory()
    }

    fn growths(&self) -> u64 {
        self.nodes.growths + self.entries.growths
    }
}

impl TightNode {
    const EMPTY: Self = Self { first: NONE, count: 0 };
}

impl Pooled for TightNode {
    fn next_free(&mut self) -> &mut u32 {
        &mut self.first
    }
}

impl Pooled for Entry {
    fn next_free(&mut self) -> &mut u32 {
        &mut self.next
    }
}
