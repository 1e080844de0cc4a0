//! Peers: well-kept libraries by other authors behind the same trait. Each is used in the way that
//! its own documentation calls fastest when everything moves, on one thread.
//!
//! | index | structure | update | pairs |
//! |---|---|---|---|
//! | [`ParryIndex`] | bounding volume hierarchy | leaves written, refit, a twentieth rebuilt | the tree against itself |
//! | [`BroccoliIndex`] | k-d tree with sweep and prune | rebuilt | the tree against itself |
//! | [`RstarIndex`] | R-tree | loaded again in bulk | the tree against itself |
//! | [`KiddoIndex`] | k-d tree of points | rebuilt | a search around each disc for smaller ones |
//! | [`SortedGrid`] | uniform grid | sorted again by cell | half of the nine cells around each disc |
//!
//! The last one is not a library: it is the grid of the textbooks.
//!
//! [`DiscsById::bounds`](super::discs::DiscsById::bounds) gives the boxes, and
//! [`DiscsById::overlap`](super::discs::DiscsById::overlap) decides which discs overlap, so that
//! all indexes find the same pairs. This costs little compared with finding candidates. The
//! libraries allocate at every update and count it in `growths`.

use broccoli::{Tree, TreeData, aabb::BBox};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use parry2d::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhNodeWide, BvhWorkspace},
};
use rstar::{AABB, RTree, RTreeObject};

use super::{
    discs::DiscsById,
    sorted_grid::SortedGrid,
    spatial_index::{IndexKind, PairVisitor, SpatialIndex},
};
use crate::{error::Result, geometry::Rect};

/// All peers.
pub(super) const KINDS: [IndexKind; 5] =
    [ParryIndex::KIND, BroccoliIndex::KIND, RstarIndex::KIND, KiddoIndex::KIND, SortedGrid::KIND];

/// A bounding volume hierarchy: `Bvh` of parry2d, the broad phase of rapier.
///
/// Its documentation shows the loop of a simulation: write the boxes of the leaves, refit the tree,
/// optimize a part of it, and traverse it against itself. The first update builds the whole tree at
/// once, which makes a better tree than inserting leaf by leaf.
struct ParryIndex {
    tree: Bvh,
    workspace: BvhWorkspace,
    /// Whether an id has a leaf.
    present: Vec<bool>,
    growths: u64,
}

impl ParryIndex {
    const KIND: IndexKind = IndexKind {
        name: "parry2d",
        summary: "bounding volume hierarchy of the crate parry2d, refitted",
        build: |config| {
            Ok(Box::new(Self {
                tree: Bvh::new(),
                workspace: BvhWorkspace::default(),
                present: vec![false; config.grid.capacity],
                growths: 0,
            }))
        },
    };

    fn build(&mut self, discs: &DiscsById<'_>) {
        // `from_iter` of 0.31.1 expects a single leaf to have the number 0, and two to have 0 and
        // 1.
        if discs.living().count() < 3 {
            discs.living().for_each(|id| self.tree.insert(aabb(discs, id), id));
        } else {
            let leaves = discs.living().map(|id| (id as usize, aabb(discs, id)));
            self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
            self.growths += 1;
        }
        discs.living().for_each(|id| self.present[id as usize] = true);
    }
}

impl SpatialIndex for ParryIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        if self.tree.is_empty() {
            self.build(discs);
            return Ok(());
        }
        for (id, present) in (0..).zip(&mut self.present) {
            if *present && !discs.alive.get(id as usize).is_some_and(|&alive| alive) {
                self.tree.remove(id);
                *present = false;
            }
        }
        for id in discs.living() {
            self.tree.insert_or_update_partially(aabb(discs, id), id, 0.0);
            self.present[id as usize] = true;
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            if discs.overlap(a, b) {
                visit(a, b);
            }
        });
        Ok(())
    }

    fn memory(&self) -> usize {
        // The workspace does not report its size. Most of it is a second copy of the nodes.
        let copy = self.tree.leaf_count() as usize * size_of::<BvhNodeWide>();
        self.tree.total_memory_size() + copy + self.present.capacity()
    }

    fn growths(&self) -> u64 {
        self.growths
    }
}

fn aabb(discs: &DiscsById<'_>, id: u32) -> Aabb {
    let rect = discs.bounds(id);
    Aabb::new(Vector::new(rect.min.x, rect.min.y), Vector::new(rect.max.x, rect.max.y))
}

type TreeBox = BBox<f32, u32>;

/// A k-d tree with sweep and prune in each node: broccoli.
///
/// "Do I have to rebuild the tree every time? Yes." The tree holds the boxes together with their
/// ids. Its documentation asks for small elements, because building swaps them around a lot. A box
/// with an id has 20 bytes; a box with a reference, which it recommends for larger elements, has
/// 24.
struct BroccoliIndex {
    /// In the order of the tree.
    leaves: Vec<TreeBox>,
    /// The tree borrows its leaves, so that only its shape is kept between two calls.
    shape: TreeData<f32>,
    growths: u64,
}

impl BroccoliIndex {
    const KIND: IndexKind = IndexKind {
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

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
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

/// An R-tree: rstar.
///
/// Loading in bulk "should be the preferred way for creating r-trees. It both runs faster and
/// yields an r-tree with better internal structure", and when everything moves, the whole tree has
/// to be created. Boxes are computed once, as its documentation asks. For the pairs, the tree is
/// joined with itself: that takes a third of the time of a search per box in `mixed`, and about the
/// same in `gas`.
struct RstarIndex {
    tree: RTree<Leaf>,
    growths: u64,
}

impl RstarIndex {
    const KIND: IndexKind = IndexKind {
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

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
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

/// The factor that a squared distance is multiplied by, so that rounding loses no point.
const ROUNDING: f32 = 1.0 + 16.0 * f32::EPSILON;

/// A k-d tree of points: kiddo.
///
/// The tree has points without sizes. A pair is found from its larger disc: the center of the other
/// disc is nearer than twice the radius of the larger one. So each search extends as far as its own
/// disc needs, and not as far as the largest of all. Measured: kiddo's join of two trees, with one
/// distance for all points, takes four times as long for 500,000 agents of `gas`.
///
/// The immutable tree "offers the best query performance", and the mutable one can degrade under
/// "heavy churn". Since all points move, the tree is rebuilt.
struct KiddoIndex {
    tree: ImmutableKdTree<f32, 2>,
    /// Centers and ids, by the items of the tree.
    points: Vec<[f32; 2]>,
    ids: Vec<u32>,
    growths: u64,
}

impl KiddoIndex {
    const KIND: IndexKind = IndexKind {
        name: "kiddo",
        summary: "k-d tree of points of the crate kiddo, rebuilt",
        build: |config| {
            Ok(Box::new(Self {
                tree: tree(&[]),
                points: Vec::with_capacity(config.grid.capacity),
                ids: Vec::with_capacity(config.grid.capacity),
                growths: 0,
            }))
        },
    };
}

impl SpatialIndex for KiddoIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        self.points.clear();
        self.ids.clear();
        self.ids.extend(discs.living());
        self.points.extend(discs.living().map(|id| discs.center(id).to_array()));
        self.tree = tree(&self.points);
        self.growths += 1;
        Ok(())
    }

    fn visit_pairs(&mut self, discs: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        // In the order of the tree, so that a search goes where the previous one went.
        for (item, point) in self.tree.iter() {
            let id = self.ids[item as usize];
            let radius = discs.radius(id);
            let distance = 2.0 * radius;
            self.tree
                .query(&point)
                .within::<SquaredEuclidean<f32>>(distance * distance * ROUNDING)
                .unsorted()
                .without_distances()
                .visit(|found| {
                    let other = self.ids[found.item as usize];
                    let smaller = (discs.radius(other), other) < (radius, id);
                    if smaller && discs.overlap(id, other) {
                        visit(id, other);
                    }
                });
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        // The tree does not report its size. Its leaves hold a point and an item each.
        let tree = size_of::<[f32; 2]>() + size_of::<u32>();
        self.points.capacity() * (size_of::<[f32; 2]>() + tree)
            + self.ids.capacity() * size_of::<u32>()
    }

    fn growths(&self) -> u64 {
        self.growths
    }
}

fn tree(points: &[[f32; 2]]) -> ImmutableKdTree<f32, 2> {
    ImmutableKdTree::new_from_slice(points).expect("finite points make a tree")
}
