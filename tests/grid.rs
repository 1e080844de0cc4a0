//! The double grid against a naive model: any operations in any order, any shape of world and cells.

use std::collections::BTreeSet;

use jostle::{
    Grid, GridConfig, Rect, Vec2,
    grid::{Disc, Elements, Neighbour, Shape, Trace},
};
use proptest::prelude::*;

const CAPACITY: usize = 40;

/// What can happen to a grid between two looks at it. Positions and sizes are shares of the world.
#[derive(Clone, Debug)]
enum Edit {
    Put(usize, [f32; 4]),
    Remove(usize),
    Rebuild,
    Fold,
}

/// A world somewhere, cells of any shape, tight cells smaller or larger than loose ones.
#[derive(Clone, Copy, Debug)]
struct World {
    bounds: Rect,
    loose: Vec2,
    tight: Vec2,
}

fn worlds() -> impl Strategy<Value = World> {
    let origin = (-1e3_f32..1e3, -1e3_f32..1e3);
    let size = (1.0_f32..300.0, 1.0_f32..300.0);
    // Cells from a 40th of the world to larger than it.
    let cell = (0.025_f32..1.5, 0.025_f32..1.5);
    (origin, size, cell.clone(), cell).prop_map(|(origin, size, loose, tight)| {
        let (origin, size) = (Vec2::from(origin), Vec2::from(size));
        World {
            bounds: Rect::new(origin, origin + size),
            loose: size * Vec2::from(loose),
            tight: size * Vec2::from(tight),
        }
    })
}

/// Places of which some coincide and some lie outside the world; mostly small sizes, some as large as
/// the world and some 0.
fn places() -> impl Strategy<Value = [f32; 4]> {
    let along = prop_oneof![6 => -0.2_f32..1.2, 1 => Just(0.5_f32), 1 => Just(0.0_f32)];
    let extent = prop_oneof![5 => 0.0_f32..0.05, 2 => 0.0_f32..0.7, 1 => Just(0.0_f32)];
    (along.clone(), along, extent.clone(), extent).prop_map(|(x, y, w, h)| [x, y, w, h])
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        8 => (0..CAPACITY, places()).prop_map(|(element, place)| Edit::Put(element, place)),
        4 => (0..CAPACITY).prop_map(Edit::Remove),
        1 => Just(Edit::Rebuild),
        1 => Just(Edit::Fold),
    ];
    proptest::collection::vec(edit, 1..60)
}

/// Whom a search looks at, and whom it finds.
#[derive(Default)]
struct Way {
    tested: BTreeSet<u32>,
    found: Vec<u32>,
}

impl Trace for Way {
    fn tested(&mut self, element: u32) {
        self.tested.insert(element);
    }
    fn found(&mut self, element: u32) {
        self.found.push(element);
    }
}

/// An element of either kind from a place in a world.
trait Placed: Shape + std::fmt::Debug {
    fn at(world: &World, place: [f32; 4]) -> Self;
}

impl Placed for Disc {
    fn at(world: &World, [x, y, w, _]: [f32; 4]) -> Self {
        let size = world.bounds.size();
        Self { center: world.bounds.min + Vec2::new(x, y) * size, radius: w * size.min_element() }
    }
}

impl Placed for Rect {
    fn at(world: &World, [x, y, w, h]: [f32; 4]) -> Self {
        let size = world.bounds.size();
        let min = world.bounds.min + Vec2::new(x, y) * size;
        Self::new(min, min + Vec2::new(w, h) * size)
    }
}

fn config(world: &World, edits: usize) -> GridConfig {
    GridConfig {
        loose_size: world.loose,
        tight_size: world.tight,
        // Few enough that some worlds are stored whole and others page by page.
        cells: 600,
        edits,
        ..GridConfig::new(world.bounds, 1.0, CAPACITY)
    }
}

fn run<S: Placed>(
    world: &World,
    room: usize,
    edits: &[Edit],
    probes: &[[f32; 4]],
) -> Result<(), TestCaseError>
where
    [S]: Elements<Shape = S>,
{
    let mut grid = Grid::new(config(world, room)).expect("the world fits");
    let mut elements: Vec<S> = vec![S::at(world, [0.5, 0.5, 0.0, 0.0]); CAPACITY];
    let mut members = BTreeSet::new();
    for edit in edits {
        match *edit {
            Edit::Put(element, place) => {
                elements[element] = S::at(world, place);
                if members.insert(element as u32) {
                    grid.insert(&elements[..], element as u32);
                } else {
                    grid.relocate(&elements[..], element as u32);
                }
            }
            Edit::Remove(element) => {
                if members.remove(&(element as u32)) {
                    grid.remove(&elements[..], element as u32);
                }
            }
            Edit::Rebuild => {
                members = (0..CAPACITY as u32).collect();
                grid.rebuild(&elements[..]).expect("there is memory");
            }
            Edit::Fold => grid.fold(&elements[..]).expect("there is memory"),
        }
        prop_assert_eq!(grid.validate(&elements[..]), Ok(()), "after {:?}", edit);
        prop_assert_eq!(grid.len(), members.len());
    }
    for &probe in probes {
        look(world, &grid, &elements, &members, probe)?;
    }
    Ok(())
}

/// Every kind of search gives what a look at each element gives.
fn look<S: Placed>(
    world: &World,
    grid: &Grid,
    elements: &[S],
    members: &BTreeSet<u32>,
    probe: [f32; 4],
) -> Result<(), TestCaseError>
where
    [S]: Elements<Shape = S>,
{
    let naive = |hit: &dyn Fn(&S) -> bool| -> Vec<u32> {
        members.iter().copied().filter(|&element| hit(&elements[element as usize])).collect()
    };
    let sorted = |mut found: Vec<u32>| {
        found.sort_unstable();
        found
    };
    let rect = Rect::at(world, probe);
    let disc = Disc::at(world, probe);

    let mut found = Vec::new();
    grid.visit_rect(elements, &rect, |element| found.push(element));
    prop_assert_eq!(sorted(found), naive(&|shape| shape.intersects_rect(&rect)), "in {:?}", rect);

    let mut found = Vec::new();
    grid.visit_disc(elements, disc.center, disc.radius, |element| found.push(element));
    let expected = naive(&|shape| shape.intersects_disc(disc.center, disc.radius));
    prop_assert_eq!(sorted(found), expected, "in {:?}", disc);

    // Whoever watches the search sees the same found, each looked at before.
    let mut way = Way::default();
    grid.trace_disc(elements, disc.center, disc.radius, &mut way);
    prop_assert!(way.found.iter().all(|element| way.tested.contains(element)), "in {:?}", disc);
    let expected = naive(&|shape| shape.intersects_disc(disc.center, disc.radius));
    prop_assert_eq!(sorted(way.found), expected, "in {:?}", disc);

    // Side by side, one of them nothing; and one far from the others, so that they are searched one by one.
    let row = |step: f32| {
        let place = |index: f32| disc.center + Vec2::new(step * index * disc.radius, disc.radius);
        [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, 9.0]
            .map(|index| Disc { center: place(index), radius: disc.radius.copysign(8.5 - index) })
    };
    for packet in [row(0.25), row(40.0)] {
        let mut found = Vec::new();
        grid.visit_discs(elements, &packet, |disc, element| found.push((disc, element)));
        found.sort_unstable();
        let expected: Vec<_> = packet
            .iter()
            .enumerate()
            .filter(|(_, disc)| disc.radius >= 0.0)
            .flat_map(|(index, disc)| {
                let hits = naive(&|shape| shape.intersects_disc(disc.center, disc.radius));
                hits.into_iter().map(move |element| (index, element))
            })
            .collect();
        prop_assert_eq!(found, expected, "in {:?}", packet);
    }

    let mut found = Vec::new();
    grid.visit_segment(elements, rect.min, rect.max, |element| found.push(element));
    let expected = naive(&|shape| shape.intersects_segment(rect.min, rect.max));
    prop_assert_eq!(sorted(found), expected, "on {:?}", rect);

    let mut found = [Neighbour::NONE; 5];
    let count = grid.nearest(elements, rect.max, &mut found);
    let mut expected: Vec<_> = members
        .iter()
        .map(|&element| (elements[element as usize].distance(rect.max), element))
        .collect();
    expected.sort_by(|a, b| a.partial_cmp(b).expect("a distance is a number"));
    expected.truncate(5);
    let found: Vec<_> = found[..count].iter().map(|near| (near.distance, near.element)).collect();
    prop_assert_eq!(found, expected, "near {}", rect.max);

    for within in [0.0, rect.width()] {
        let mut found = Vec::new();
        grid.visit_pairs(elements, within, |a, b| found.push((a, b)));
        found.sort_unstable();
        let near = |a: u32, b: u32| elements[a as usize].is_within(&elements[b as usize], within);
        let expected: Vec<_> = members
            .iter()
            .flat_map(|&a| members.range(a + 1..).map(move |&b| (a, b)))
            .filter(|&(a, b)| near(a, b))
            .collect();
        prop_assert_eq!(found, expected, "within {}", within);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn discs_are_found_after_any_edits(
        world in worlds(),
        room in prop_oneof![Just(0_usize), Just(1), Just(8)],
        edits in edits(),
        probes in proptest::collection::vec(places(), 1..6),
    ) {
        run::<Disc>(&world, room, &edits, &probes)?;
    }

    #[test]
    fn boxes_are_found_after_any_edits(
        world in worlds(),
        room in prop_oneof![Just(0_usize), Just(1), Just(8)],
        edits in edits(),
        probes in proptest::collection::vec(places(), 1..6),
    ) {
        run::<Rect>(&world, room, &edits, &probes)?;
    }

    #[test]
    fn drift_needs_a_refit_only(
        world in worlds(),
        places in proptest::collection::vec((places(), -3.0_f32..3.0, -3.0_f32..3.0), 1..CAPACITY),
        probe in places(),
    ) {
        let mut grid = Grid::new(config(&world, 0)).expect("it fits");
        let mut discs: Vec<Disc> = places.iter().map(|&(place, ..)| Disc::at(&world, place)).collect();
        grid.rebuild(&discs[..]).expect("there is memory");
        let members = (0..discs.len() as u32).collect();
        // A little at first, then out of their cells.
        for _ in 0..3 {
            for (disc, &(_, dx, dy)) in discs.iter_mut().zip(&places) {
                disc.center += Vec2::new(dx, dy) * world.loose * 0.1;
            }
            grid.refit(&discs[..]).expect("there is memory");
            prop_assert_eq!(grid.validate(&discs[..]), Ok(()));
            look(&world, &grid, &discs, &members, probe)?;
        }
    }

    #[test]
    fn a_sorted_grid_has_all_pairs_in_its_windows(
        world in worlds(),
        places in proptest::collection::vec(places(), 1..CAPACITY),
        drift in proptest::collection::vec((-0.3_f32..0.3, -0.3_f32..0.3), CAPACITY),
    ) {
        let mut grid = Grid::new(config(&world, 0)).expect("it fits");
        let discs: Vec<Disc> = places.iter().map(|&place| Disc::at(&world, place)).collect();
        let order = grid.sort(&discs[..]).expect("there is memory").to_vec();
        let mut discs: Vec<Disc> = order.iter().map(|&index| discs[index as usize]).collect();
        grid.adopt(&discs[..]).expect("there is memory");
        for (disc, &(dx, dy)) in discs.iter_mut().zip(&drift) {
            disc.center += Vec2::new(dx, dy) * world.loose;
        }
        grid.refit(&discs[..]).expect("there is memory");
        prop_assert_eq!(grid.validate(&discs[..]), Ok(()));
        for i in 0..discs.len() {
            let windows = grid.windows(i);
            for j in 0..discs.len() {
                let met = windows.along.contains(&j) || windows.below.contains(&j);
                let twice = windows.along.contains(&j) && windows.below.contains(&j);
                prop_assert!(!twice, "{i} meets {j} twice");
                prop_assert!(!met || j > i, "{i} meets {j} behind it");
                let near = !grid.is_far(i as u32) && !grid.is_far(j as u32);
                if i < j && near && discs[i].is_within(&discs[j], 0.0) {
                    prop_assert!(met, "{i} misses {j}");
                }
            }
        }
    }
}
