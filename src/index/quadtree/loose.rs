//! The second quadtree: an element is in one leaf, that of its center, and boxes grow around the
//! elements.
//!
//! ```text
//! nodes    [ (first, count, l, t, r, b) | …      24 bytes; a leaf: first element; a branch: first child
//! elements [ (next, leaf, x, y, radius) | …      20 bytes; by id
//! ```
//!
//! A quarter decides which leaf a center belongs to, and the box of a node contains its elements:
//! searches go by the boxes. An insertion grows all boxes on the way down. The clean-up after an
//! update tightens all boxes again, from the leaves up, and collapses branches of four empty
//! leaves. An element that stays in its leaf costs nothing else, and a search visits no element
//! twice.
//!
//! # Cost
//!
//! An update descends once per element and walks the whole tree once. A search descends wherever
//! boxes overlap, and loose boxes do. A giant enlarges the boxes on one path, and not those of all
//! leaves.

use super::quarter::{BRANCH, Quarter, ROOT};
use crate::{
    error::Result,
    geometry::{Disc, Rect},
    index::{
        block_pool::{BlockPool, Pooled},
        disc_lists::{DiscLists, ListedDisc, NONE},
        discs::DiscsById,
        spatial_index::{IndexConfig, IndexKind, SpatialIndex},
    },
};

#[derive(Clone, Copy, Debug)]
struct LooseNode {
    first: u32,
    /// Number of elements, or [`BRANCH`].
    count: u32,
    aabb: Rect,
}

/// A quadtree with each element in one leaf, for discs whose ids are below a capacity.
///
/// [`update`](SpatialIndex::update) moves all discs at once; [`insert`](Self::insert) and
/// [`remove`](Self::remove) change one.
#[derive(Debug)]
pub struct LooseQuadtree {
    world: Quarter,
    nodes: BlockPool<LooseNode, 4>,
    elements: DiscLists,
}

impl LooseQuadtree {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "loose-quadtree",
        summary: "an element in one leaf, by its center; boxes grow, and clean-up tightens them",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty tree.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let mut tree = Self {
            world: Quarter::world(&config.grid.bounds),
            nodes: BlockPool::new(capacity / 2 + 64, "the nodes of the loose quadtree")?,
            elements: DiscLists::new(capacity)?,
        };
        tree.nodes.insert([LooseNode::EMPTY; 4])?;
        Ok(tree)
    }

    /// Inserts a disc under an id that is not in use. O(depth).
    ///
    /// # Errors
    /// If the tree must grow and there is not enough memory.
    ///
    /// # Panics
    /// If the id is not below the capacity, or in use.
    pub fn insert(&mut self, id: u32, disc: Disc) -> Result<()> {
        assert_eq!(self.elements.get(id).cell, NONE, "{id} is in the index");
        self.elements.set(id, disc);
        let bounds = self.elements.get(id).bounds();
        let (mut node, mut quarter) = (ROOT, self.world);
        loop {
            self.nodes[node].aabb = self.nodes[node].aabb.union(&bounds);
            if self.nodes[node].count != BRANCH {
                return self.link(id, (node, quarter));
            }
            let child = quarter.child_at(disc.center);
            (node, quarter) = (self.nodes[node].first + child, quarter.child(child));
        }
    }

    /// Removes a disc. O(discs in its leaf). Boxes shrink at the next update.
    ///
    /// # Panics
    /// If the id is not in use.
    pub fn remove(&mut self, id: u32) {
        let leaf = &mut self.nodes[self.elements.get(id).cell];
        leaf.count -= 1;
        self.elements.remove(&mut leaf.first, id);
    }

    /// Calls `visit` once with each disc whose box intersects the area, in any order.
    pub fn visit_rect(&self, area: &Rect, mut visit: impl FnMut(u32)) {
        self.search(ROOT, area, &mut |id, disc| {
            if disc.bounds().intersects(area) {
                visit(id);
            }
        });
    }

    /// The leaf that a center belongs to.
    #[inline]
    fn leaf_at(&self, center: glam::Vec2) -> (u32, Quarter) {
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
            let disc = *self.elements.get(element);
            let child = quarter.child_at(disc.center);
            self.link(element, (children + child, quarter.child(child)))?;
            // If that was the last of too many in one child, the child has been split, and the
            // boxes of its children are complete.
            let node = &mut self.nodes[children + child];
            node.aabb = node.aabb.union(&disc.bounds());
            element = disc.next();
        }
        Ok(())
    }

    /// Tightens the boxes and collapses branches of four empty leaves, from the leaves up. Returns
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

    /// Calls `visit` with each element of the leaves whose boxes intersect the area.
    fn search(&self, node: u32, area: &Rect, visit: &mut impl FnMut(u32, &ListedDisc)) {
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

    /// The leaves with their lists, and whether each counts right.
    fn leaves(&self, node: u32, quarter: Quarter, found: &mut Vec<(u32, u32)>) -> bool {
        let LooseNode { first, count, .. } = self.nodes[node];
        if count == BRANCH {
            return (0..4).all(|child| self.leaves(first + child, quarter.child(child), found));
        }
        found.push((node, first));
        self.elements.iter(first).count() == count as usize && quarter.holds(count)
    }
}

impl SpatialIndex for LooseQuadtree {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        for (id, &alive) in (0..).zip(discs.alive) {
            let leaf = self.elements.get(id).cell;
            if !alive {
                if leaf != NONE {
                    self.remove(id);
                }
                continue;
            }
            let disc = discs.disc(id);
            let to = self.leaf_at(disc.center);
            self.elements.set(id, disc);
            if leaf == to.0 {
                continue;
            }
            if leaf != NONE {
                self.remove(id);
            }
            self.link(id, to)?;
        }
        // No box had to grow on the way: all of them are computed here.
        self.clean_up(ROOT);
        Ok(())
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            let disc = *self.elements.get(a);
            self.search(ROOT, &disc.bounds(), &mut |b, other| {
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

    /// Checks that every living disc is in the leaf of its center, once, and in all boxes above it.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let mut leaves = Vec::new();
        if !self.leaves(ROOT, self.world, &mut leaves) {
            return Err("a leaf has too many elements, or a wrong count".into());
        }
        self.elements.validate(leaves.into_iter(), discs)?;
        for id in discs.living() {
            let (center, bounds) = (discs.center(id), discs.bounds(id));
            let (mut node, mut quarter) = (ROOT, self.world);
            while self.nodes[node].aabb.contains_rect(&bounds) && self.nodes[node].count == BRANCH {
                let child = quarter.child_at(center);
                (node, quarter) = (self.nodes[node].first + child, quarter.child(child));
            }
            let leaf = self.elements.get(id).cell;
            if node != leaf || !self.nodes[node].aabb.contains_rect(&bounds) {
                return Err(format!("disc {id} in leaf {leaf} is not in the box of node {node}"));
            }
        }
        Ok(())
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
