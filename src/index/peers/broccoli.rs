//! A k-d tree whose nodes are swept and pruned: broccoli.
//!
//! "Do I have to rebuild the tree every time? Yes." The tree holds the boxes together with their
//! ids. Its documentation asks for small elements, because building swaps them around a lot. A box
//! with an id has 20 bytes; a box with a reference, which it recommends for larger elements, has
//! 24.

use broccoli::{Tree, TreeData, aabb::BBox};

use crate::{
    error::Result,
    geometry::Rect,
    index::{
        discs::DiscsById,
        spatial_index::{IndexKind, SpatialIndex},
    },
};

type TreeBox = BBox<f32, u32>;

/// The tree of broccoli; see the [module](self).
pub(super) struct BroccoliIndex {
    /// In the order of the tree.
    leaves: Vec<TreeBox>,
    /// The tree borrows its leaves, so that only its shape is kept between two calls.
    shape: TreeData<f32>,
    growths: u64,
}

impl BroccoliIndex {
    pub(super) const KIND: IndexKind = IndexKind {
        name: "broccoli",
        summary: "k-d tree with sweep and prune of the crate broccoli, rebuilt",
        build: |config| {
            Ok(Box::new(Self {
                leaves: Vec::with_capacity(config.grid.capacity),
                shape: Tree::<TreeBox>::new(&mut []).get_tree_data(),
                growths: 0,
            }))
        },
    };
}

impl SpatialIndex for BroccoliIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.leaves.clear();
        self.leaves.extend(discs.living().map(|id| leaf(&discs.bounds(id), id)));
        self.shape = Tree::new(&mut self.leaves).get_tree_data();
        self.growths += 1;
        Ok(())
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        Tree::from_tree_data(&mut self.leaves, &self.shape).find_colliding_pairs(|a, b| {
            let (a, b) = (*a.unpack_inner(), *b.unpack_inner());
            if discs.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn memory(&self) -> usize {
        // The shape has two ranges and two numbers per node of 80 leaves, which is negligible.
        self.leaves.capacity() * size_of::<TreeBox>()
    }

    fn growths(&self) -> u64 {
        self.growths
    }
}

/// A slightly larger box: broccoli finds boxes that share an area, and not those that only touch.
fn leaf(rect: &Rect, id: u32) -> TreeBox {
    let more = |x: f32| x + (x.abs() * f32::EPSILON + f32::MIN_POSITIVE);
    let less = |x: f32| -more(-x);
    let (min, max) = (rect.min, rect.max);
    BBox::new(broccoli::rect(less(min.x), more(max.x), less(min.y), more(max.y)), id)
}
