//! A k-d tree of points: kiddo.
//!
//! It knows points and no sizes. A pair is found from its larger disc: the other's centre is nearer than
//! twice the radius of the larger one. So a search reaches as far as its own disc needs, and not as far as
//! the largest of all. Measured: kiddo's join of two trees, with one distance for everybody, takes four times as
//! long for 500,000 agents of `gas`.
//!
//! The tree that can't be changed "offers the best query performance", and the one that can degrades under
//! "heavy churn"; when all points move, it is built anew.

use std::fmt;

use kiddo::{ImmutableKdTree, SquaredEuclidean};

use crate::{
    error::Result,
    geometry::Rect,
    grid::Disc,
    index::{DiscsById, IndexConfig, IndexKind, SpatialIndex},
};

/// What a square of a distance is enlarged by, so that rounding loses nobody.
const ROUNDING: f32 = 1.0 + 16.0 * f32::EPSILON;

/// kiddo's tree; see the [module](super).
pub struct KiddoIndex {
    tree: ImmutableKdTree<f32, 2>,
    /// Centres, and whose they are, in the order of the tree's items.
    points: Vec<[f32; 2]>,
    ids: Vec<u32>,
    radius_max: f32,
    growths: u64,
}

impl KiddoIndex {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "kiddo",
        summary: "k-d tree of points of the crate kiddo, built anew",
        build: |config: &IndexConfig| {
            Ok(Box::new(Self {
                tree: tree(&[]),
                points: Vec::with_capacity(config.grid.capacity),
                ids: Vec::with_capacity(config.grid.capacity),
                radius_max: 0.0,
                growths: 0,
            }))
        },
    };

    fn build(&mut self, discs: &DiscsById<'_>) {
        self.points.clear();
        self.ids.clear();
        self.ids.extend(discs.living());
        self.points.extend(discs.living().map(|id| discs.center(id).to_array()));
        self.radius_max = discs.living().map(|id| discs.radius(id)).fold(0.0, f32::max);
        self.tree = tree(&self.points);
        self.growths += 1;
    }

    /// Everybody whose centre may be as near as that.
    fn search(&self, center: [f32; 2], distance: f32, mut visit: impl FnMut(u32)) {
        if self.points.is_empty() {
            return;
        }
        let square = distance * distance * ROUNDING;
        self.tree
            .query(&center)
            .within::<SquaredEuclidean<f32>>(square)
            .unsorted()
            .without_distances()
            .visit(|found| visit(self.ids[found.item as usize]));
    }
}

impl SpatialIndex for KiddoIndex {
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
        // In the order of the tree, so that one search goes where the last one went.
        for (item, point) in self.tree.iter() {
            let id = self.ids[item as usize];
            let radius = discs.radius(id);
            self.search(point, 2.0 * radius, |other| {
                let smaller = (discs.radius(other), other) < (radius, id);
                if smaller && discs.overlap(id, other) {
                    visit(id, other);
                }
            });
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        let center = rect.center();
        // Far from the origin the middle of a rectangle is not quite in its middle.
        let rounding = (center.abs().element_sum() + self.radius_max) * 4.0 * f32::EPSILON;
        let reach = (rect.max - rect.min).length() * 0.5 + self.radius_max + rounding;
        self.search(center.to_array(), reach, |id| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.search(area.center.to_array(), area.radius + self.radius_max, |id| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        // The tree does not tell; its leaves hold a point and an item each.
        self.points.capacity() * 20 + self.ids.capacity() * 4
    }

    fn growths(&self) -> u64 {
        self.growths
    }

    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let (points, living) = (self.tree.size(), discs.living().count());
        (points == living).then_some(()).ok_or(format!("{points} points for {living} discs"))
    }
}

impl fmt::Debug for KiddoIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KiddoIndex").field("points", &self.points.len()).finish_non_exhaustive()
    }
}

fn tree(points: &[[f32; 2]]) -> ImmutableKdTree<f32, 2> {
    ImmutableKdTree::new_from_slice(points).expect("finite points make a tree")
}
