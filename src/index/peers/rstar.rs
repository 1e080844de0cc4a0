//! An R-tree: rstar.
//!
//! Loading in bulk "should be the preferred way for creating r-trees. It both runs faster and
//! yields an r-tree with better internal structure", and when everything moves, the whole tree has
//! to be created. Boxes are computed once, as its documentation asks. For the pairs, the tree is
//! joined with itself: that takes a third of the time of a search per box in `mixed`, and about the
//! same in `gas`.

use rstar::{AABB, RTree, RTreeObject};

use crate::{
    error::Result,
    index::{
        discs::DiscsById,
        spatial_index::{IndexKind, SpatialIndex},
    },
};

/// A box and the id of its disc.
#[derive(Clone, Copy)]
struct Leaf {
    bounds: AABB<[f32; 2]>,
    id: u32,
}

impl RTreeObject for Leaf {
    type Envelope = AABB<[f32; 2]>;
    #[inline]
    fn envelope(&self) -> Self::Envelope {
        self.bounds
    }
}

/// The tree of rstar; see the [module](self).
pub(super) struct RstarIndex {
    tree: RTree<Leaf>,
    growths: u64,
}

impl RstarIndex {
    pub(super) const KIND: IndexKind = IndexKind {
        name: "rstar",
        summary: "R-tree of the crate rstar, loaded again in bulk",
        build: |_| Ok(Box::new(Self { tree: RTree::new(), growths: 0 })),
    };
}

impl SpatialIndex for RstarIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        let leaf = |id| {
            let rect = discs.bounds(id);
            Leaf { bounds: AABB::from_corners(rect.min.to_array(), rect.max.to_array()), id }
        };
        self.tree = RTree::bulk_load(discs.living().map(leaf).collect());
        self.growths += 1;
        Ok(())
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        // The join reports each pair twice, and each disc with itself.
        for (one, other) in self.tree.intersection_candidates_with_other_tree(&self.tree) {
            if one.id < other.id && discs.overlap(one.id, other.id) {
                visit(one.id, other.id);
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        // The tree does not report its size. A leaf is a node too, and there is a parent for at
        // most six.
        self.tree.size() * (size_of::<rstar::RTreeNode<Leaf>>() * 7 / 6)
    }

    fn growths(&self) -> u64 {
        self.growths
    }
}
