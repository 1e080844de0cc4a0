//! A bounding volume hierarchy: `Bvh` of parry2d, the broad phase of rapier.
//!
//! Its documentation shows the loop of a simulation: write the leaves' boxes, refit the tree, optimise a
//! part of it, and traverse it against itself. The first update builds the tree in one go, which makes a
//! better one than inserting leaf by leaf.

use std::fmt;

use parry2d::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhNodeWide, BvhWorkspace},
};

use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex, padded},
};

/// parry2d's tree of boxes; see the [module](super).
pub struct ParryIndex {
    tree: Bvh,
    workspace: BvhWorkspace,
    /// Whether an id has a leaf.
    present: Vec<bool>,
    growths: u64,
}

impl ParryIndex {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "parry2d",
        summary: "bounding volume hierarchy of the crate parry2d, refitted",
        build: |config: &IndexConfig| {
            Ok(Box::new(Self {
                tree: Bvh::new(),
                workspace: BvhWorkspace::default(),
                present: vec![false; config.grid.capacity],
                growths: 0,
            }))
        },
    };

    fn build(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        // `from_iter` of 0.31.1 takes it that one leaf has the number 0, and two have 0 and 1.
        if discs.living().count() < 3 {
            return discs.living().try_for_each(|id| self.insert(discs, id));
        }
        let leaves = discs.living().map(|id| (id as usize, aabb(&discs.bounds(id))));
        self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        discs.living().for_each(|id| self.present[id as usize] = true);
        self.growths += 1;
        Ok(())
    }
}

impl SpatialIndex for ParryIndex {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        if self.tree.is_empty() {
            return self.build(discs);
        }
        for (id, present) in (0..).zip(&mut self.present) {
            if *present && !discs.alive.get(id as usize).is_some_and(|&alive| alive) {
                self.tree.remove(id);
                *present = false;
            }
        }
        for id in discs.living() {
            self.tree.insert_or_update_partially(aabb(&discs.bounds(id)), id, 0.0);
            self.present[id as usize] = true;
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        self.tree.insert(aabb(&discs.bounds(id)), id);
        self.present[id as usize] = true;
        Ok(())
    }

    fn remove(&mut self, _: &DiscsById<'_>, id: u32) {
        self.tree.remove(id);
        self.present[id as usize] = false;
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

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        let search = aabb(rect);
        self.tree
            .intersect_aabb(&search)
            .filter(|&id| discs.intersects_rect(id, rect))
            .for_each(visit);
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        let search = aabb(&padded(area.center, area.radius));
        let found = self.tree.intersect_aabb(&search);
        found.filter(|&id| discs.intersects_disc(id, area)).for_each(visit);
    }

    fn memory(&self) -> usize {
        // The workspace does not tell what it holds; by far the most is a second copy of the nodes.
        let copy = self.tree.leaf_count() as usize * size_of::<BvhNodeWide>();
        self.tree.total_memory_size() + copy + self.present.capacity()
    }

    fn growths(&self) -> u64 {
        self.growths
    }

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        // It does not know trees of one leaf. The other check is about flags too, which only an update sets
        // right.
        if self.tree.leaf_count() > 1 {
            self.tree.assert_well_formed_topology_only();
        }
        let leaves = self.tree.leaf_count() as usize;
        let living = discs.living().count();
        (leaves == living).then_some(()).ok_or(format!("{leaves} leaves for {living} discs"))
    }
}

impl fmt::Debug for ParryIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParryIndex")
            .field("leaves", &self.tree.leaf_count())
            .finish_non_exhaustive()
    }
}

fn aabb(rect: &Rect) -> Aabb {
    Aabb::new(Vector::new(rect.min.x, rect.min.y), Vector::new(rect.max.x, rect.max.y))
}
