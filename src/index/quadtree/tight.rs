//! The first quadtree: an element is in every leaf that its box touches.
//!
//! ```text
//! nodes    [ (first, count) | …          a leaf: first entry and how many; a branch: first child, ∞
//! entries  [ (next, element) | …         an entry for each leaf that an element is in
//! boxes    [ □ | □ | …                   an element each, as it was put in
//! met      [ 7 | 7 | 6 | …               the last search that met an element
//! ```
//!
//! To move out of a leaf is to be removed from all leaves and put in anew; who touches the same leaves as before
//! only gets another box. Emptied leaves stay until the clean-up after an update,
//! which collapses a branch of four empty ones. A search walks all leaves under a box and drops whom it has met.
//!
//! # Cost
//!
//! 8 bytes a node and an entry, 20 an element. Each change descends from the root. A large element is in many
//! leaves: dust pays for the giants.

use super::{
    DEPTH_MAX, ELEMENTS_A_LEAF_MAX, NONE, Quarter, ROOT,
    pool::{Pool, Pooled},
};
use crate::{
    alloc,
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded, stamps::Stamps},
};

/// The count of a branch.
const BRANCH: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    element: u32,
}

/// A quadtree with elements in every leaf that they touch; see `src/index/quadtree/tight.rs`.
#[derive(Debug)]
pub struct Quadtree {
    whole: Quarter,
    nodes: Pool<Node, 4>,
    entries: Pool<Entry, 1>,
    /// [`Rect::EMPTY`] for who is not in.
    boxes: Vec<Rect>,
    met: Stamps,
}

impl Quadtree {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "quadtree",
        summary: "an element in every leaf that it touches; clean-up collapses empty leaves",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty tree.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let mut tree = Self {
            whole: Quarter::whole(&config.grid.bounds),
            nodes: Pool::new(capacity / 2 + 64, "the nodes of the quadtree")?,
            entries: Pool::new(capacity * 2, "the entries of the quadtree")?,
            boxes: alloc::filled(capacity, Rect::EMPTY, "the elements of the quadtree")?,
            met: Stamps::new(capacity)?,
        };
        tree.nodes.take([Node::EMPTY; 4])?;
        Ok(tree)
    }

    fn put(&mut self, element: u32, bounds: Rect) -> Result<()> {
        self.boxes[element as usize] = bounds;
        self.put_under(ROOT, self.whole, element)
    }

    fn put_under(&mut self, node: u32, quarter: Quarter, element: u32) -> Result<()> {
        let Node { first, count } = self.nodes[node];
        if count == BRANCH {
            for child in quarter.children_under(&self.boxes[element as usize]) {
                self.put_under(first + child, quarter.child(child), element)?;
            }
            return Ok(());
        }
        let entry = self.entries.take([Entry { next: first, element }])?;
        self.nodes[node] = Node { first: entry, count: count + 1 };
        if count < ELEMENTS_A_LEAF_MAX || quarter.depth == DEPTH_MAX {
            return Ok(());
        }
        let children = self.nodes.take([Node::EMPTY; 4])?;
        self.nodes[node] = Node { first: children, count: BRANCH };
        let mut entry = entry;
        while entry != NONE {
            let Entry { next, element } = self.entries[entry];
            self.entries.give_back(entry);
            self.put_under(node, quarter, element)?;
            entry = next;
        }
        Ok(())
    }

    fn take_out(&mut self, element: u32) {
        let bounds = std::mem::replace(&mut self.boxes[element as usize], Rect::EMPTY);
        self.take_from(ROOT, self.whole, element, &bounds);
    }

    fn take_from(&mut self, node: u32, quarter: Quarter, element: u32, bounds: &Rect) {
        let Node { first, count } = self.nodes[node];
        if count == BRANCH {
            for child in quarter.children_under(bounds) {
                self.take_from(first + child, quarter.child(child), element, bounds);
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
        self.entries.give_back(entry);
    }

    /// True if two boxes touch the same leaves under a node.
    fn same_leaves(&self, node: u32, quarter: Quarter, old: &Rect, new: &Rect) -> bool {
        let Node { first, count } = self.nodes[node];
        count != BRANCH
            || quarter.under(old) == quarter.under(new)
                && quarter
                    .children_under(old)
                    .all(|child| self.same_leaves(first + child, quarter.child(child), old, new))
    }

    /// Collapses branches of four empty leaves, the lowest first; true if the node is an empty leaf then.
    fn clean_up(&mut self, node: u32) -> bool {
        let Node { first, count } = self.nodes[node];
        if count != BRANCH {
            return count == 0;
        }
        let empty = (0..4).filter(|child| self.clean_up(first + child)).count();
        if empty == 4 {
            self.nodes.give_back(first);
            self.nodes[node] = Node::EMPTY;
        }
        empty == 4
    }

    /// Calls `visit` once with each element whose box meets the area, and some that are near.
    fn search(&mut self, area: &Rect, visit: &mut impl FnMut(u32)) {
        self.met.begin();
        self.search_under(ROOT, self.whole, area, visit);
    }

    fn search_under(
        &mut self,
        node: u32,
        quarter: Quarter,
        area: &Rect,
        visit: &mut impl FnMut(u32),
    ) {
        let Node { first, count } = self.nodes[node];
        if count == BRANCH {
            for child in quarter.children_under(area) {
                self.search_under(first + child, quarter.child(child), area, visit);
            }
            return;
        }
        let mut entry = first;
        while entry != NONE {
            let Entry { next, element } = self.entries[entry];
            if self.boxes[element as usize].intersects(area) && self.met.meet(element) {
                visit(element);
            }
            entry = next;
        }
    }

    /// The leaves with their elements, for [`SpatialIndex::validate`]: each element is in each leaf under
    /// its box and in no other.
    fn validate_under(
        &self,
        node: u32,
        quarter: Quarter,
        under: &[u32],
    ) -> std::result::Result<(), String> {
        let Node { first, count } = self.nodes[node];
        if count == BRANCH {
            return (0..4).try_for_each(|child| {
                let touches = |element: &&u32| {
                    let bounds = &self.boxes[**element as usize];
                    quarter.children_under(bounds).any(|one| one == child)
                };
                let under: Vec<u32> = under.iter().filter(touches).copied().collect();
                self.validate_under(first + child, quarter.child(child), &under)
            });
        }
        let (mut found, mut entry) = (Vec::new(), first);
        while entry != NONE {
            found.push(self.entries[entry].element);
            entry = self.entries[entry].next;
        }
        found.sort_unstable();
        if found != under || found.len() != count as usize {
            return Err(format!("a leaf counts {count} and lists {found:?} for {under:?}"));
        }
        if count > ELEMENTS_A_LEAF_MAX && quarter.depth < DEPTH_MAX {
            return Err(format!("a leaf of {count} at depth {} is not split", quarter.depth));
        }
        Ok(())
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
            let both = alive && !old.is_empty();
            if both && self.same_leaves(ROOT, self.whole, &old, &new) {
                self.boxes[element as usize] = new;
                continue;
            }
            if !old.is_empty() {
                self.take_out(element);
            }
            if alive {
                self.put(element, new)?;
            }
        }
        self.clean_up(ROOT);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        self.put(id, discs.bounds(id))
    }

    fn remove(&mut self, _: &DiscsById<'_>, id: u32) {
        self.take_out(id);
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            let area = self.boxes[a as usize];
            self.search(&area, &mut |b| {
                if a < b && discs.overlap(a, b) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.search(rect, &mut |id| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.search(&padded(area.center, area.radius), &mut |id| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        self.nodes.memory()
            + self.entries.memory()
            + self.boxes.capacity() * size_of::<Rect>()
            + self.met.memory()
    }

    fn growths(&self) -> u64 {
        self.nodes.growths + self.entries.growths
    }

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        for (element, &alive) in (0..).zip(discs.alive) {
            let held = self.boxes[element as usize];
            let bounds = if alive { discs.bounds(element) } else { Rect::EMPTY };
            if held != bounds {
                return Err(format!("element {element} is held as {held:?}, and is {bounds:?}"));
            }
        }
        let living: Vec<u32> = discs.living().collect();
        self.validate_under(ROOT, self.whole, &living)
    }
}

impl Node {
    const EMPTY: Self = Self { first: NONE, count: 0 };
}

impl Pooled for Node {
    fn next_free(&self) -> u32 {
        self.first
    }
    fn set_next_free(&mut self, next: u32) {
        self.first = next;
    }
}

impl Pooled for Entry {
    fn next_free(&self) -> u32 {
        self.next
    }
    fn set_next_free(&mut self, next: u32) {
        self.next = next;
    }
}
