//! The second quadtree: an element is in one leaf, the leaf of its center, and boxes grow around
//! the elements.
//!
//! ```text
//! nodes    [ (first, count, l, t, r, b) | …  24 bytes; first element of a leaf, child of a branch
//! elements [ (next, leaf, x, y, radius) | …  20 bytes; by id
//! ```
//!
//! A quarter decides which leaf a center belongs to, and the box of a node contains its elements:
//! searches go by the boxes. The clean-up after an update computes all boxes, from the leaves up,
//! and collapses branches of four empty leaves. An element that stays in its leaf costs nothing
//! else, and a search visits no element twice.
//!
//! # Cost
//!
//! An update descends once per element and walks the whole tree once. A search descends into all
//! boxes that its area overlaps, and loose boxes overlap each other. A giant enlarges the boxes on
//! one path only.

use glam::Vec2;

use super::quarter::{BRANCH, Quarter, ROOT};
use crate::{
    error::Result,
    geometry::{Disc, Rect},
    index::{
        block_pool::{BlockPool, Pooled},
        disc_lists::{DiscLists, NONE},
        discs::DiscsById,
        spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
    },
};

#[derive(Clone, Copy, Debug)]
struct LooseNode {
    first: u32,
    /// Number of elements, or [`BRANCH`].
    count: u32,
    aabb: Rect,
}

/// A quadtree with each element in one leaf; see the [module](self).
#[derive(Debug)]
pub(in crate::index) struct LooseQuadtree {
    world: Quarter,
    nodes: BlockPool<LooseNode, 4>,
    elements: DiscLists,
}

impl LooseQuadtree {
    pub(in crate::index) const KIND: IndexKind = IndexKind {
        name: "loose-quadtree",
        summary: "an element in one leaf, by its center; boxes grow, and clean-up tightens them",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let mut tree = Self {
            world: Quarter::world(&config.grid.bounds),
            nodes: BlockPool::new(capacity / 2 + 64, "the nodes of the loose quadtree")?,
            elements: DiscLists::new(capacity)?,
        };
        tree.nodes.insert([LooseNode::EMPTY; 4])?;
        Ok(tree)
    }

    /// The leaf that a center belongs to.
    #[inline]
    fn leaf_at(&self, center: Vec2) -> (u32, Quarter) {
        let (mut node, mut quarter) = (ROOT, self.world);
        while self.nodes[node].count == BRANCH {
            let child = quarter.child_at(center);
            (node, quarter) = (self.nodes[node].first + child, quarter.child(child));
        }
        (node, quarter)
    }

    /// Puts an element into a leaf, which is split if it has too many.
    fn link(&mut self, element: u32, (leaf, quarter): (u32, Quarter)) -> Result<()> {
        let node = &mut self.nodes[leaf];
        self.elements.push(&mut node.first, element, leaf);
        node.count += 1;
        if quarter.holds(node.count) {
            return Ok(());
        }
        let children = self.nodes.insert([LooseNode::EMPTY; 4])?;
        self.nodes[leaf].first = children;
        self.nodes[leaf].count = BRANCH;
        let mut element = element;
        while element != NONE {
            let listed = *self.elements.get(element);
            let child = quarter.child_at(listed.disc.center);
            self.link(element, (children + child, quarter.child(child)))?;
            element = listed.next;
        }
        Ok(())
    }

    /// Computes the boxes and collapses branches of four empty leaves, from the leaves up. Returns
    /// the box of the node.
    fn clean_up(&mut self, node: u32) -> Rect {
        let LooseNode { first, count, .. } = self.nodes[node];
        let mut aabb = Rect::EMPTY;
        if count == BRANCH {
            for child in 0..4 {
                aabb = aabb.union(&self.clean_up(first + child));
            }
            if (0..4).all(|child| self.nodes[first + child].count == 0) {
                self.nodes.remove(first);
                self.nodes[node] = LooseNode::EMPTY;
            }
        } else {
            aabb = self.elements.bounds(first);
        }
        self.nodes[node].aabb = aabb;
        aabb
    }

    /// Calls `visit` with each element of the leaves with a box that intersects the area.
    fn search(&self, node: u32, area: &Rect, visit: &mut impl FnMut(u32, &Disc)) {
        let LooseNode { first, count, aabb } = self.nodes[node];
        if !aabb.intersects(area) {
            return;
        }
        if count == BRANCH {
            (0..4).for_each(|child| self.search(first + child, area, visit));
            return;
        }
        self.elements.iter(first).for_each(|(id, disc)| visit(id, disc));
    }
}

impl SpatialIndex for LooseQuadtree {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        for (id, &alive) in (0..).zip(discs.alive) {
            let (old, disc) = (self.elements.get(id).cell, discs.disc(id));
            let to = alive.then(|| self.leaf_at(disc.center));
            self.elements.set(id, disc);
            if to.is_some_and(|(leaf, _)| leaf == old) {
                continue;
            }
            if old != NONE {
                let leaf = &mut self.nodes[old];
                leaf.count -= 1;
                self.elements.remove(&mut leaf.first, id);
            }
            if let Some(to) = to {
                self.link(id, to)?;
            }
        }
        self.clean_up(ROOT);
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        for a in discs.living() {
            let disc = self.elements.get(a).disc;
            self.search(ROOT, &disc.padded(), &mut |b, other| {
                if a < b && disc.overlaps(other) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.nodes.memory() + self.elements.memory()
    }

    fn growths(&self) -> u64 {
        self.nodes.growths
    }
}

impl LooseNode {
    const EMPTY: Self = Self { first: NONE, count: 0, aabb: Rect::EMPTY };
}

impl Pooled for LooseNode {
    fn next_free(&mut self) -> &mut u32 {
        &mut self.first
    }
}

const _: () = assert!(size_of::<LooseNode>() == 24, "see the diagram");
