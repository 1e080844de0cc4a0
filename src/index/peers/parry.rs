//! A bounding volume hierarchy: `Bvh` of parry2d, the broad phase of rapier.
//!
//! Its documentation shows the loop of a simulation: write the boxes of the leaves, refit the tree,
//! optimize a part of it, and traverse it against itself. The first update builds the whole tree at
//! once, which makes a better tree than inserting leaf by leaf.

use parry2d::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhNodeWide, BvhWorkspace},
};

use crate::{
    error::Result,
    index::{
        discs::DiscsById,
        spatial_index::{IndexKind, SpatialIndex},
    },
};

/// The tree of parry2d; see the [module](self).
pub(super) struct ParryIndex {
    tree: Bvh,
    workspace: BvhWorkspace,
    /// Whether an id has a leaf.
    present: Vec<bool>,
    growths: u64,
}

impl ParryIndex {
    pub(super) const KIND: IndexKind = IndexKind {
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

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
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

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        // The check does not support trees of one leaf. The other one is about flags as well, which
        // only an update sets right.
        if self.tree.leaf_count() > 1 {
            self.tree.assert_well_formed_topology_only();
        }
        let (leaves, living) = (self.tree.leaf_count() as usize, discs.living().count());
        (leaves == living).then_some(()).ok_or(format!("{leaves} leaves for {living} discs"))
    }
}

fn aabb(discs: &DiscsById<'_>, id: u32) -> Aabb {
    let rect = discs.bounds(id);
    Aabb::new(Vector::new(rect.min.x, rect.min.y), Vector::new(rect.max.x, rect.max.y))
}
