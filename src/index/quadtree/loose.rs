//! The second quadtree: an element is in one leaf, that of its centre, and boxes grow around what is in them.
//!
//! ```text
//! nodes    [ (first, count, l, t, r, b) | …      24 bytes; a leaf: first element; a branch: first child
//! elements [ (next, leaf, x, y, radius) | …      20 bytes; by id
//! ```
//!
//! A quarter decides where a centre goes, and the box of a node says where its elements are: whoever searches
//! goes by the boxes. To put an element in, all boxes on the way down grow. The clean-up after an update
//! tightens all boxes again, from the leaves up, and collapses branches of four empty leaves. An element that
//! stays in its leaf is not touched otherwise, and nobody is met twice.
//!
//! # Cost
//!
//! One descent an element, and one walk over all of the tree, in each update. A search descends wherever boxes
//! overlap, and loose boxes do. One giant makes a chain of boxes large, and not all leaves.

use glam::Vec2;

use super::{
    DEPTH_MAX, ELEMENTS_A_LEAF_MAX, NONE, Quarter, ROOT,
    pool::{Pool, Pooled},
};
use crate::{
    alloc,
    error::Result,
    geometry::{Rect, discs_overlap},
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded},
};

/// The count of a branch.
const BRANCH: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u32,
    aabb: Rect,
}

#[derive(Clone, Copy, Debug)]
struct Element {
    next: u32,
    /// [`NONE`] if it is not in.
    leaf: u32,
    center: Vec2,
    radius: f32,
}

/// A quadtree with each element in one leaf; see `src/index/quadtree/loose.rs`.
#[derive(Debug)]
pub struct LooseQuadtree {
    whole: Quarter,
    nodes: Pool<Node, 4>,
    elements: Vec<Element>,
}

impl LooseQuadtree {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "loose-quadtree",
        summary: "an element in one leaf, by its centre; boxes grow, and clean-up tightens them",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty tree.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let absent = Element { next: NONE, leaf: NONE, center: Vec2::ZERO, radius: 0.0 };
        let mut tree = Self {
            whole: Quarter::whole(&config.grid.bounds),
            nodes: Pool::new(capacity / 2 + 64, "the nodes of the loose quadtree")?,
            elements: alloc::filled(capacity, absent, "the elements of the loose quadtree")?,
        };
        tree.nodes.take([Node::EMPTY; 4])?;
        Ok(tree)
    }

    /// The leaf that a centre belongs to.
    #[inline]
    fn leaf_of(&self, center: Vec2) -> (u32, Quarter) {
        let (mut node, mut quarter) = (ROOT, self.whole);
        while self.nodes[node].count == BRANCH {
            let child = quarter.child_of(center);
            (node, quarter) = (self.nodes[node].first + child, quarter.child(child));
        }
        (node, quarter)
    }

    fn link(&mut self, element: u32, (leaf, quarter): (u32, Quarter)) -> Result<()> {
        let Node { first, count, .. } = self.nodes[leaf];
        let here = &mut self.elements[element as usize];
        (here.next, here.leaf) = (first, leaf);
        self.nodes[leaf].first = element;
        self.nodes[leaf].count = count + 1;
        if count < ELEMENTS_A_LEAF_MAX || quarter.depth == DEPTH_MAX {
            return Ok(());
        }
        let children = self.nodes.take([Node::EMPTY; 4])?;
        self.nodes[leaf].first = children;
        self.nodes[leaf].count = BRANCH;
        let mut element = element;
        while element != NONE {
            let Element { next, center, radius, .. } = self.elements[element as usize];
            let child = quarter.child_of(center);
            self.link(element, (children + child, quarter.child(child)))?;
            // If they were all in one child, that is split already, and its children have their boxes.
            let node = &mut self.nodes[children + child];
            node.aabb = node.aabb.union(&padded(center, radius));
            element = next;
        }
        Ok(())
    }

    fn unlink(&mut self, element: u32) {
        let Element { next, leaf, .. } = self.elements[element as usize];
        self.elements[element as usize].leaf = NONE;
        self.nodes[leaf].count -= 1;
        if self.nodes[leaf].first == element {
            self.nodes[leaf].first = next;
            return;
        }
        let mut before = self.nodes[leaf].first;
        while self.elements[before as usize].next != element {
            before = self.elements[before as usize].next;
        }
        self.elements[before as usize].next = next;
    }

    /// Tightens the boxes and collapses branches of four empty leaves, from the leaves up. Returns the box of
    /// the node.
    fn clean_up(&mut self, node: u32) -> Rect {
        let Node { first, count, .. } = self.nodes[node];
        let mut aabb = Rect::EMPTY;
        if count == BRANCH {
            for child in 0..4 {
                aabb = aabb.union(&self.clean_up(first + child));
            }
            if (0..4).all(|child| self.nodes[first + child].count == 0) {
                self.nodes.give_back(first);
                self.nodes[node] = Node::EMPTY;
            }
        } else {
            let mut element = first;
            while element != NONE {
                let Element { next, center, radius, .. } = self.elements[element as usize];
                aabb = aabb.union(&padded(center, radius));
                element = next;
            }
        }
        self.nodes[node].aabb = aabb;
        aabb
    }

    /// Calls `visit` with each element of the leaves whose boxes meet the area.
    fn search(&self, node: u32, area: &Rect, visit: &mut impl FnMut(u32, &Element)) {
        let Node { first, count, aabb } = self.nodes[node];
        if !aabb.intersects(area) {
            return;
        }
        if count == BRANCH {
            (0..4).for_each(|child| self.search(first + child, area, visit));
            return;
        }
        let mut element = first;
        while element != NONE {
            let here = &self.elements[element as usize];
            visit(element, here);
            element = here.next;
        }
    }
}

impl SpatialIndex for LooseQuadtree {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        for (id, &alive) in (0..).zip(discs.alive) {
            let leaf = self.elements[id as usize].leaf;
            if !alive {
                if leaf != NONE {
                    self.unlink(id);
                }
                continue;
            }
            let (center, radius) = (discs.center(id), discs.radius(id));
            let to = self.leaf_of(center);
            let here = &mut self.elements[id as usize];
            (here.center, here.radius) = (center, radius);
            if leaf == to.0 {
                continue;
            }
            if leaf != NONE {
                self.unlink(id);
            }
            self.link(id, to)?;
        }
        // No box had to grow on the way: all of them are made anew here.
        self.clean_up(ROOT);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        let (center, radius) = (discs.center(id), discs.radius(id));
        let bounds = padded(center, radius);
        let here = &mut self.elements[id as usize];
        (here.center, here.radius) = (center, radius);
        let (mut node, mut quarter) = (ROOT, self.whole);
        loop {
            self.nodes[node].aabb = self.nodes[node].aabb.union(&bounds);
            if self.nodes[node].count != BRANCH {
                return self.link(id, (node, quarter));
            }
            let child = quarter.child_of(center);
            (node, quarter) = (self.nodes[node].first + child, quarter.child(child));
        }
    }

    fn remove(&mut self, _: &DiscsById<'_>, id: u32) {
        self.unlink(id);
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            let here = self.elements[a as usize];
            self.search(ROOT, &padded(here.center, here.radius), &mut |b, there| {
                if a < b && here.overlaps(there) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.search(ROOT, rect, &mut |id, _| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.search(ROOT, &padded(area.center, area.radius), &mut |id, _| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        self.nodes.memory() + self.elements.capacity() * size_of::<Element>()
    }

    fn growths(&self) -> u64 {
        self.nodes.growths
    }

    /// Every living disc is in the leaf of its centre, once, and in all boxes above it.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let mut listed = vec![0; discs.len()];
        self.validate_under(ROOT, self.whole, &mut listed)?;
        for (id, &alive) in (0..).zip(discs.alive) {
            let Element { leaf, center, radius, .. } = self.elements[id as usize];
            if alive != (leaf != NONE) || listed[id as usize] != u32::from(alive) {
                return Err(format!("element {id} is listed {} times", listed[id as usize]));
            }
            if !alive {
                continue;
            }
            if (Disc { center, radius }) != discs.disc(id) || self.leaf_of(center).0 != leaf {
                return Err(format!("element {id} is in leaf {leaf} at {center}"));
            }
            let (mut node, mut quarter) = (ROOT, self.whole);
            loop {
                if !self.nodes[node].aabb.contains_rect(&discs.bounds(id)) {
                    return Err(format!("element {id} sticks out of the box of node {node}"));
                }
                if self.nodes[node].count == BRANCH {
                    let child = quarter.child_of(center);
                    (node, quarter) = (self.nodes[node].first + child, quarter.child(child));
                } else {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl LooseQuadtree {
    fn validate_under(
        &self,
        node: u32,
        quarter: Quarter,
        listed: &mut [u32],
    ) -> std::result::Result<(), String> {
        let Node { first, count, .. } = self.nodes[node];
        if count == BRANCH {
            return (0..4).try_for_each(|child| {
                self.validate_under(first + child, quarter.child(child), listed)
            });
        }
        let (mut met, mut element) = (0, first);
        while element != NONE {
            listed[element as usize] += 1;
            met += 1;
            element = self.elements[element as usize].next;
        }
        if met != count || (count > ELEMENTS_A_LEAF_MAX && quarter.depth < DEPTH_MAX) {
            return Err(format!("a leaf at depth {} counts {count} of {met}", quarter.depth));
        }
        Ok(())
    }
}

impl Element {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        let disc = |element: &Self| [element.center.x, element.center.y, element.radius];
        discs_overlap(disc(self), disc(other))
    }
}

impl Node {
    const EMPTY: Self = Self { first: NONE, count: 0, aabb: Rect::EMPTY };
}

impl Pooled for Node {
    fn next_free(&self) -> u32 {
        self.first
    }
    fn set_next_free(&mut self, next: u32) {
        self.first = next;
    }
}
