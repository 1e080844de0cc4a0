//! An R-tree: rstar.
//!
//! Loading in bulk "should be the preferred way for creating r-trees. It both runs faster and yields an
//! r-tree with better internal structure", and when everything moves, all of it has to be created. Boxes
//! are computed once, as it asks for. For the pairs the tree is joined with itself; that is a third of the
//! time of a search for each box in `mixed`, and about the same in `gas`. Single searches are those that call
//! back, which it says allocate less than its iterators.

use std::ops::ControlFlow;

use rstar::{AABB, RTree, RTreeObject};

use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded},
};

/// A box and whose it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Leaf {
    bounds: AABB<[f32; 2]>,
    id: u32,
}

impl Leaf {
    fn of(discs: &DiscsById<'_>, id: u32) -> Self {
        Self { bounds: aabb(&discs.bounds(id)), id }
    }
}

impl RTreeObject for Leaf {
    type Envelope = AABB<[f32; 2]>;
    #[inline]
    fn envelope(&self) -> Self::Envelope {
        self.bounds
    }
}

/// rstar's tree; see the [module](super).
#[derive(Debug)]
pub struct RstarIndex {
    tree: RTree<Leaf>,
    growths: u64,
}

impl RstarIndex {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "rstar",
        summary: "R-tree of the crate rstar, loaded anew in bulk",
        build: |_: &IndexConfig| Ok(Box::new(Self { tree: RTree::new(), growths: 0 })),
    };

    fn search(&self, rect: &Rect, mut visit: impl FnMut(u32)) {
        let visitor = |leaf: &Leaf| -> ControlFlow<()> {
            visit(leaf.id);
            ControlFlow::Continue(())
        };
        let _: ControlFlow<()> = self.tree.locate_in_envelope_intersecting_int(aabb(rect), visitor);
    }
}

impl SpatialIndex for RstarIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.tree = RTree::bulk_load(discs.living().map(|id| Leaf::of(discs, id)).collect());
        self.growths += 1;
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        self.tree.insert(Leaf::of(discs, id));
        self.growths += 1;
        Ok(())
    }

    fn remove(&mut self, discs: &DiscsById<'_>, id: u32) {
        self.tree.remove(&Leaf::of(discs, id));
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        // With itself: each pair comes twice, and everybody meets itself.
        for (one, other) in self.tree.intersection_candidates_with_other_tree(&self.tree) {
            if one.id < other.id && discs.overlap(one.id, other.id) {
                visit(one.id, other.id);
            }
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.search(rect, |id| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.search(&padded(area.center, area.radius), |id| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        // It does not tell. A leaf is a node too, and there is a parent for at most six.
        self.tree.size() * (size_of::<rstar::RTreeNode<Leaf>>() * 7 / 6)
    }

    fn growths(&self) -> u64 {
        self.growths
    }

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let (leaves, living) = (self.tree.size(), discs.living().count());
        (leaves == living).then_some(()).ok_or(format!("{leaves} leaves for {living} discs"))
    }
}

fn aabb(rect: &Rect) -> AABB<[f32; 2]> {
    AABB::from_corners(rect.min.to_array(), rect.max.to_array())
}
