//! A k-d tree whose nodes are swept and pruned: broccoli.
//!
//! "Do I have to rebuild the tree every time? Yes." Boxes lie in the tree together with their ids: its
//! documentation asks for elements that are small, since building swaps them around a lot. A box with an id
//! has 20 bytes, a box with a reference, which it advises for larger things, 24.

use std::fmt;

use broccoli::{
    Tree, TreeData,
    aabb::{BBox, pin::AabbPin},
};

use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded},
};

type Leaf = BBox<f32, u32>;

/// broccoli's tree; see the [module](super).
pub struct BroccoliIndex {
    /// In the order of the tree.
    leaves: Vec<Leaf>,
    /// The tree borrows its leaves, so that between two calls there is only its shape.
    shape: TreeData<f32>,
    growths: u64,
}

impl BroccoliIndex {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "broccoli",
        summary: "k-d tree with sweep and prune of the crate broccoli, built anew",
        build: |config: &IndexConfig| {
            Ok(Box::new(Self {
                leaves: Vec::with_capacity(config.grid.capacity),
                shape: Tree::<Leaf>::new(&mut []).get_tree_data(),
                growths: 0,
            }))
        },
    };

    fn build(&mut self, discs: &DiscsById<'_>) {
        self.leaves.clear();
        self.leaves.extend(discs.living().map(|id| leaf(&discs.bounds(id), id)));
        self.shape = Tree::new(&mut self.leaves).get_tree_data();
        self.growths += 1;
    }

    fn tree(&mut self) -> Tree<'_, Leaf> {
        Tree::from_tree_data(&mut self.leaves, &self.shape)
    }
}

impl SpatialIndex for BroccoliIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.build(discs);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, _: u32) -> Result<()> {
        self.update(discs)
    }

    fn remove(&mut self, discs: &DiscsById<'_>, _: u32) {
        self.build(discs);
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        self.tree().find_colliding_pairs(|a, b| {
            let (a, b) = (*a.unpack_inner(), *b.unpack_inner());
            if discs.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.tree().find_all_intersect_rect(AabbPin::new(&mut leaf(rect, 0)), |_, found| {
            let id = *found.unpack_inner();
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        let mut search = leaf(&padded(area.center, area.radius), 0);
        self.tree().find_all_intersect_rect(AabbPin::new(&mut search), |_, found| {
            let id = *found.unpack_inner();
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        // The shape has two ranges and two numbers a node of 80 leaves, which is next to nothing.
        self.leaves.capacity() * size_of::<Leaf>()
    }

    fn growths(&self) -> u64 {
        self.growths
    }

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let (leaves, living) = (self.leaves.len(), discs.living().count());
        (leaves == living).then_some(()).ok_or(format!("{leaves} leaves for {living} discs"))
    }
}

impl fmt::Debug for BroccoliIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroccoliIndex").field("leaves", &self.leaves.len()).finish_non_exhaustive()
    }
}

/// A box that is a little larger: its searches find what they share an area with, and not what they touch.
fn leaf(rect: &Rect, id: u32) -> Leaf {
    let more = |x: f32| x + (x.abs() * f32::EPSILON + f32::MIN_POSITIVE);
    let less = |x: f32| -more(-x);
    let (min, max) = (rect.min, rect.max);
    BBox::new(broccoli::rect(less(min.x), more(max.x), less(min.y), more(max.y)), id)
}
