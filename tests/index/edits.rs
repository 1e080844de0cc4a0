//! Any sequence of insertions, removals and updates of the published structures finds what a search
//! of every pair and every box finds.

use std::collections::BTreeSet;

use jostle::{
    Rect, Vec2,
    grid::Disc,
    index::{LinkedDoubleGrid, LooseQuadtree, Quadtree, SpatialHash, SpatialIndex, UnitGrid},
    rng::Rng,
};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::moving_discs::{MovingDiscs, check};

pub(crate) const CAPACITY: u32 = 40;
/// The largest radius of [`disc`].
const RADIUS_MAX: f32 = 40.0;

/// A change of an index.
#[derive(Clone, Debug)]
enum Edit {
    /// Inserts a disc if its id is free.
    Insert(u32, [f32; 3]),
    /// Removes a disc if its id is in use.
    Remove(u32),
    /// Moves, removes and inserts discs at once.
    Update(Vec<(u32, [f32; 3], bool)>),
}

/// Position as shares of the world, slightly beyond it too, often the same; radius from small to
/// giant.
pub(crate) fn disc() -> impl Strategy<Value = [f32; 3]> {
    let share = || prop_oneof![4 => -0.1_f32..1.1, 1 => Just(0.5_f32), 1 => Just(0.25_f32)];
    let radius = prop_oneof![6 => 0.05_f32..1.5, 1 => Just(1.0_f32), 1 => 5.0_f32..RADIUS_MAX];
    (share(), share(), radius).prop_map(|(x, y, radius)| [x, y, radius])
}

/// The disc in a world.
pub(crate) fn disc_at(world: Rect, [x, y, radius]: [f32; 3]) -> [f32; 3] {
    let at = world.min + world.size() * Vec2::new(x, y);
    [at.x, at.y, radius]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let id = || 0..CAPACITY;
    let update =
        proptest::collection::vec((id(), disc(), prop::bool::weighted(0.8)), 0..CAPACITY as usize);
    let edit = prop_oneof![
        4 => (id(), disc()).prop_map(|(id, disc)| Edit::Insert(id, disc)),
        2 => id().prop_map(Edit::Remove),
        2 => update.prop_map(Edit::Update),
    ];
    proptest::collection::vec(edit, 1..60)
}

/// An index whose discs can be changed one by one.
trait Editable: SpatialIndex {
    fn insert(&mut self, id: u32, disc: Disc);
    fn remove(&mut self, id: u32);
    /// The discs whose boxes intersect a rectangle, if it can be searched for them.
    fn found(&mut self, area: &Rect) -> Option<Vec<u32>>;
}

macro_rules! editable {
    ($($index:ty),*) => {
        $(impl Editable for $index {
            fn insert(&mut self, id: u32, disc: Disc) {
                self.insert(id, disc).expect("there is memory");
            }
            fn remove(&mut self, id: u32) {
                self.remove(id);
            }
            fn found(&mut self, area: &Rect) -> Option<Vec<u32>> {
                let mut found = Vec::new();
                self.visit_rect(area, |id| found.push(id));
                Some(found)
            }
        })*
    };
}
editable!(Quadtree, LooseQuadtree, LinkedDoubleGrid);

impl Editable for UnitGrid {
    fn insert(&mut self, id: u32, disc: Disc) {
        self.add(id, disc.center);
        self.set_attack_distance(2.001 * RADIUS_MAX);
    }
    fn remove(&mut self, id: u32) {
        self.remove(id);
    }
    fn found(&mut self, _: &Rect) -> Option<Vec<u32>> {
        None
    }
}

/// Asserts that a search of an area finds the discs whose boxes intersect it, and none far away
/// from it.
fn check_search(index: &mut impl Editable, discs: &MovingDiscs, area: &Rect, what: &str) {
    let Some(found) = index.found(area) else { return };
    let found_once: BTreeSet<u32> = found.iter().copied().collect();
    assert_eq!(found.len(), found_once.len(), "{what}: a disc is found twice");
    for id in 0..CAPACITY as usize {
        let center = Vec2::new(discs.x[id], discs.y[id]);
        let bounds = Rect::around(center, discs.radius[id]);
        let is_found = found_once.contains(&(id as u32));
        if !discs.alive[id] || !bounds.expanded(0.01).intersects(area) {
            assert!(!is_found, "{what}: disc {id} is found in {area:?}");
        } else if bounds.intersects(area) {
            assert!(is_found, "{what}: disc {id} is not found in {area:?}");
        }
    }
}

/// Compares an index with every pair and every box after each edit.
fn any_edits<I: Editable>(build: impl Fn(&MovingDiscs, Rect, f32) -> I) {
    let cases = ProptestConfig { cases: 96, failure_persistence: None, ..Default::default() };
    let shape = (prop_oneof![Just(1.3_f32), Just(6.0), Just(90.0)], any::<bool>());
    TestRunner::new(cases)
        .run(&(shape, edits(), disc()), |((cell, wide), edits, probe)| {
            let size = if wide { Vec2::new(90.0, 35.0) } else { Vec2::new(12.0, 60.0) };
            let world = Rect::new(Vec2::new(-17.0, 30.0), Vec2::new(-17.0, 30.0) + size);
            let mut discs = MovingDiscs::new([(0.0, 0.0, 1.0); CAPACITY as usize]);
            discs.alive.fill(false);
            let mut index = build(&discs, world, cell);
            for edit in &edits {
                match edit {
                    &Edit::Insert(id, disc) if !discs.alive[id as usize] => {
                        let [x, y, radius] = disc_at(world, disc);
                        discs.set(id, [x, y, radius]);
                        discs.alive[id as usize] = true;
                        index.insert(id, Disc { center: Vec2::new(x, y), radius });
                    }
                    &Edit::Remove(id) if discs.alive[id as usize] => {
                        discs.alive[id as usize] = false;
                        index.remove(id);
                    }
                    Edit::Update(changes) => {
                        for &(id, disc, alive) in changes {
                            discs.set(id, disc_at(world, disc));
                            discs.alive[id as usize] = alive;
                        }
                        index.update(&discs.by_id()).expect("there is memory");
                    }
                    _ => {}
                }
                let what = format!("after {edit:?}");
                check(&mut index, &discs, &what);
                let [x, y, radius] = disc_at(world, probe);
                for half in [radius, 0.0] {
                    let area = Rect::around(Vec2::new(x, y), half);
                    check_search(&mut index, &discs, &area, &what);
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_quadtree_follows_any_edits() {
    any_edits(|discs, world, cell| Quadtree::new(&discs.config(world, cell)).expect("it fits"));
}

#[test]
fn a_loose_quadtree_follows_any_edits() {
    any_edits(|discs, world, cell| {
        LooseQuadtree::new(&discs.config(world, cell)).expect("it fits")
    });
}

#[test]
fn a_linked_double_grid_follows_any_edits() {
    any_edits(|discs, world, cell| {
        LinkedDoubleGrid::new(&discs.config(world, cell)).expect("it fits")
    });
}

#[test]
fn a_unit_grid_follows_any_edits() {
    any_edits(|discs, world, cell| UnitGrid::new(world, cell, discs.x.len()).expect("it fits"));
}

/// Objects anywhere in the world, most of them in several cells.
#[test]
fn a_spatial_hash_follows_any_edits() {
    let mut grid = SpatialHash::new(Rect::from_size(40.0, 30.0), 5.0, 100).expect("it fits");
    let mut held: [Option<(Rect, bool)>; 100] = [None; 100];
    let mut rng = Rng::new(4);
    let mut found_in_all = 0;
    for round in 0..2_000 {
        let id = rng.below(100);
        let center = Vec2::new(rng.between(2.0, 38.0), rng.between(2.0, 28.0));
        let bounds = Rect::around(center, rng.between(0.1, 2.0));
        held[id as usize] = match held[id as usize] {
            Some((bounds, _)) => {
                grid.remove(id, grid.cell_ids(&bounds));
                None
            }
            None if rng.below(3) == 0 => {
                grid.insert_static(id, grid.cell_ids(&bounds)).expect("there is memory");
                Some((bounds, true))
            }
            None => {
                grid.insert_dynamic(id, grid.cell_ids(&bounds)).expect("there is memory");
                Some((bounds, false))
            }
        };
        if round % 500 == 499 {
            grid.clear_dynamic();
            for object in &mut held {
                *object = object.filter(|&(_, fixed)| fixed);
            }
        }
        let area = Rect::around(center, 1.0);
        let cells = |bounds: &Rect| grid.cell_ids(bounds).into_iter().collect::<BTreeSet<_>>();
        let shares_a_cell =
            |bounds: &Rect| cells(bounds).intersection(&cells(&area)).next().is_some();
        let expected: Vec<u32> = (0..100)
            .filter(|&id| held[id as usize].is_some_and(|(bounds, _)| shares_a_cell(&bounds)))
            .collect();
        let mut found = Vec::new();
        grid.potential_colliders(grid.cell_ids(&area), |id| found.push(id));
        found.sort_unstable();
        assert_eq!(found, expected, "in round {round}");
        found_in_all += found.len();
    }
    assert!(found_in_all > 2_000, "{found_in_all} objects are found");
}
