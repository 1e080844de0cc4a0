//! The double grid against a naive model: any operations in any order, worlds and cells of any
//! shape.

use std::{collections::BTreeSet, ops::ControlFlow};

use jostle::{
    Disc, Grid, GridConfig, Rect, Vec2,
    grid::{HasShape, Neighbor, Ray, Shape},
};
use proptest::prelude::*;

const CAPACITY: usize = 40;

/// An operation on a grid. Positions and sizes are shares of the world.
#[derive(Clone, Debug)]
enum Edit {
    Put(usize, [f32; 4]),
    Remove(usize),
    Rebuild,
    Update,
}

/// A world at any place, cells of any shape, tight cells smaller or larger than loose ones.
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

/// Places, some of which coincide or lie outside the world; mostly small sizes, some as large as
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
        1 => Just(Edit::Update),
    ];
    proptest::collection::vec(edit, 1..60)
}

/// A disc or a box from a place in a world.
trait Placed: Shape + HasShape<Shape = Self> + Sync + std::fmt::Debug {
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
    GridConfig::new(world.bounds, 1.0, CAPACITY / 2)
        .with_loose_size(world.loose)
        .with_tight_size(world.tight)
        // Few enough that some worlds are stored whole and others page by page.
        .with_cells(600)
        .with_edits(edits)
}

fn run<S: Placed>(
    world: &World,
    room: usize,
    edits: &[Edit],
    probes: &[[f32; 4]],
) -> Result<(), TestCaseError> {
    let mut grid = Grid::new(config(world, room)).expect("the world fits");
    grid.reserve(CAPACITY).expect("there is memory");
    let mut elements: Vec<S> = vec![S::at(world, [0.5, 0.5, 0.0, 0.0]); CAPACITY];
    let mut members = BTreeSet::new();
    for edit in edits {
        match *edit {
            Edit::Put(element, place) => {
                elements[element] = S::at(world, place);
                if members.insert(element as u32) {
                    prop_assert!(grid.insert(&elements, element as u32).expect("it is valid"));
                } else {
                    prop_assert!(grid.relocate(&elements, element as u32).expect("it is valid"));
                }
            }
            Edit::Remove(element) => {
                let present = members.remove(&(element as u32));
                prop_assert_eq!(grid.remove(&elements, element as u32), present);
            }
            Edit::Rebuild => {
                members = (0..CAPACITY as u32).collect();
                grid.rebuild(&elements).expect("there is memory");
            }
            Edit::Update => grid.update(&elements).expect("there is memory"),
        }
        grid.validate(&elements).unwrap_or_else(|error| panic!("after {edit:?}: {error}"));
        prop_assert_eq!(grid.len(), members.len());
    }
    for &probe in probes {
        check(world, &grid, &elements, &members, probe)?;
    }
    Ok(())
}

/// Every query finds the elements that a test of each element finds.
fn check<S: Placed>(
    world: &World,
    grid: &Grid,
    elements: &[S],
    members: &BTreeSet<u32>,
    probe: [f32; 4],
) -> Result<(), TestCaseError> {
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
    let expected = naive(&|shape| shape.intersects_rect(&rect));
    prop_assert_eq!(&sorted(found), &expected, "in {:?}", rect);
    let found: Vec<u32> = grid.in_rect(elements, rect).collect();
    prop_assert_eq!(sorted(found), expected, "in {:?}, as an iterator", rect);

    let mut found = Vec::new();
    grid.visit_disc(elements, disc.center, disc.radius, |element| found.push(element));
    let expected = naive(&|shape| shape.intersects_disc(disc.center, disc.radius));
    prop_assert_eq!(&sorted(found.clone()), &expected, "in {:?}", disc);
    let iterated: Vec<u32> = grid.in_disc(elements, disc.center, disc.radius).collect();
    prop_assert_eq!(sorted(iterated), expected, "in {:?}, as an iterator", disc);

    // A visitor that stops has seen the first results of a visitor that does not stop.
    for stop in 1..=found.len() {
        let mut seen = Vec::new();
        let stopped = grid.visit_disc(elements, disc.center, disc.radius, |element| {
            seen.push(element);
            if seen.len() < stop { ControlFlow::Continue(()) } else { ControlFlow::Break(element) }
        });
        prop_assert_eq!(&seen[..], &found[..stop], "in {:?}", disc);
        prop_assert_eq!(stopped, ControlFlow::Break(found[stop - 1]));
    }

    // Adjacent discs, one of them empty; and discs far apart, which are searched one by one.
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

    let odd = |element: u32| element % 2 == 1;
    check_nearest(grid, elements, members, rect.max, |_| true)?;
    check_nearest(grid, elements, members, rect.max, odd)?;
    for direction in [rect.size(), -rect.size(), disc.center - rect.max, Vec2::X, Vec2::NEG_Y] {
        for max in [0.0, disc.radius, f32::INFINITY] {
            check_ray(grid, elements, members, (rect.min, direction, max), |_| true)?;
            check_ray(grid, elements, members, (rect.min, direction, max), odd)?;
        }
    }

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

/// The elements nearest to a point that pass a filter.
fn check_nearest<S: Placed>(
    grid: &Grid,
    elements: &[S],
    members: &BTreeSet<u32>,
    point: Vec2,
    accept: fn(u32) -> bool,
) -> Result<(), TestCaseError> {
    let mut found = [Neighbor::NONE; 5];
    let count = grid.k_nearest(elements, point, accept, &mut found);
    let mut expected: Vec<_> = members
        .iter()
        .filter(|&&element| accept(element))
        .map(|&element| (elements[element as usize].distance(point), element))
        .collect();
    expected.sort_by(|a, b| a.partial_cmp(b).expect("a distance is a number"));
    expected.truncate(5);
    let found: Vec<_> = found[..count].iter().map(|near| (near.distance, near.element)).collect();
    prop_assert_eq!(&found, &expected, "near {}", point);
    let nearest = grid.nearest(elements, point, accept).map(|near| (near.distance, near.element));
    prop_assert_eq!(nearest, expected.first().copied(), "near {}", point);
    Ok(())
}

/// The first element on a ray that passes a filter.
fn check_ray<S: Placed>(
    grid: &Grid,
    elements: &[S],
    members: &BTreeSet<u32>,
    (origin, direction, max): (Vec2, Vec2, f32),
    accept: fn(u32) -> bool,
) -> Result<(), TestCaseError> {
    let hit = grid.raycast(elements, origin, direction, max, accept);
    let Some(ray) = Ray::new(origin, direction) else {
        prop_assert_eq!(hit, None);
        return Ok(());
    };
    let mut expected: Option<(f64, u32)> = None;
    for &element in members.iter().filter(|&&element| accept(element)) {
        let Some(entry) = elements[element as usize].raycast(&ray) else { continue };
        if entry.distance <= f64::from(max)
            && expected.is_none_or(|(first, _)| entry.distance < first)
        {
            expected = Some((entry.distance, element));
        }
    }
    let found = hit.map(|hit| (hit.distance, hit.element));
    let expected = expected.map(|(distance, element)| (distance as f32, element));
    prop_assert_eq!(found, expected, "from {} to {}, at most {}", origin, direction, max);
    if let Some(hit) = hit {
        let shape = &elements[hit.element as usize];
        let rounding = 1e-5 * (1.0 + hit.point.length() + shape.extent());
        prop_assert!(shape.distance(hit.point) <= rounding, "{:?} is not on {:?}", hit, shape);
        prop_assert!(hit.normal.dot(direction) <= 0.0, "{:?} points away", hit);
        prop_assert_eq!(hit.normal == Vec2::ZERO, hit.distance == 0.0);
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
    fn an_update_follows_elements_that_moved(
        world in worlds(),
        places in proptest::collection::vec((places(), -3.0_f32..3.0, -3.0_f32..3.0), 1..CAPACITY),
        probe in places(),
    ) {
        let mut grid = Grid::new(config(&world, 0)).expect("it fits");
        grid.reserve(CAPACITY).expect("there is memory");
        let mut discs: Vec<_> =
            places.iter().map(|&(place, ..)| Disc::at(&world, place)).collect();
        grid.rebuild(&discs).expect("there is memory");
        let members = (0..discs.len() as u32).collect();
        // A little at first, then out of their cells.
        for _ in 0..3 {
            for (disc, &(_, dx, dy)) in discs.iter_mut().zip(&places) {
                disc.center += Vec2::new(dx, dy) * world.loose * 0.1;
            }
            grid.update(&discs).expect("there is memory");
            grid.validate(&discs).expect("the grid is exact");
            check(&world, &grid, &discs, &members, probe)?;
        }
    }
}
