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
    index::{Bodies, IndexConfig, Kind, SpatialIndex, padded},
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
    pub const KIND: Kind = Kind {
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

    fn build(&mut self, bodies: &Bodies<'_>) {
        self.leaves.clear();
        self.leaves.extend(bodies.living().map(|id| leaf(&bodies.bounds(id), id)));
        self.shape = Tree::new(&mut self.leaves).get_tree_data();
        self.growths += 1;
    }

    fn tree(&mut self) -> Tree<'_, Leaf> {
        Tree::from_tree_data(&mut self.leaves, &self.shape)
    }
}

impl SpatialIndex for BroccoliIndex {
    fn update(&mut self, bodies: &Bodies<'_>) -> Result<()> {
        self.build(bodies);
        Ok(())
    }

    fn insert(&mut self, bodies: &Bodies<'_>, _: u32) -> Result<()> {
        self.update(bodies)
    }

    fn remove(&mut self, bodies: &Bodies<'_>, _: u32) {
        self.build(bodies);
    }

    fn visit_pairs(&mut self, bodies: &Bodies<'_>, visit: &mut dyn FnMut(u32, u32)) -> Result<()> {
        self.tree().find_colliding_pairs(|a, b| {
            let (a, b) = (*a.unpack_inner(), *b.unpack_inner());
            if bodies.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn visit_rect(&mut self, bodies: &Bodies<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.tree().find_all_intersect_rect(AabbPin::new(&mut leaf(rect, 0)), |_, found| {
            let id = *found.unpack_inner();
            if bodies.meets_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, bodies: &Bodies<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        let mut search = leaf(&padded(area.center, area.radius), 0);
        self.tree().find_all_intersect_rect(AabbPin::new(&mut search), |_, found| {
            let id = *found.unpack_inner();
            if bodies.meets_disc(id, area) {
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

    fn validate(&self, bodies: &Bodies<'_>) -> std::result::Result<(), String> {
        let (leaves, living) = (self.leaves.len(), bodies.living().count());
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
