//! The double grid against a naive model: any operations in any order, any shape of world and cells.

use std::collections::BTreeSet;

use jostle::{
    GridConfig, LooseTightGrid, Rect, Vec2,
    grid::{Disc, Elements, Neighbour, Shape, Trace},
    rng::Rng,
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
    let mut grid = LooseTightGrid::new(config(world, room)).expect("the world fits");
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
    grid: &LooseTightGrid,
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
    prop_assert_eq!(sorted(found), naive(&|shape| shape.meets_rect(&rect)), "in {:?}", rect);

    let mut found = Vec::new();
    grid.visit_disc(elements, disc.center, disc.radius, |element| found.push(element));
    let expected = naive(&|shape| shape.meets_disc(disc.center, disc.radius));
    prop_assert_eq!(sorted(found), expected, "in {:?}", disc);

    // Whoever watches the search sees the same found, each looked at before.
    let mut way = Way::default();
    grid.trace_disc(elements, disc.center, disc.radius, &mut way);
    prop_assert!(way.found.iter().all(|element| way.tested.contains(element)), "in {:?}", disc);
    let expected = naive(&|shape| shape.meets_disc(disc.center, disc.radius));
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
                let hits = naive(&|shape| shape.meets_disc(disc.center, disc.radius));
                hits.into_iter().map(move |element| (index, element))
            })
            .collect();
        prop_assert_eq!(found, expected, "in {:?}", packet);
    }

    let mut found = Vec::new();
    grid.visit_segment(elements, rect.min, rect.max, |element| found.push(element));
    let expected = naive(&|shape| shape.meets_segment(rect.min, rect.max));
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
        let near = |a: u32, b: u32| elements[a as usize].nearer(&elements[b as usize], within);
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
        let mut grid = LooseTightGrid::new(config(&world, 0)).expect("it fits");
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
        let mut grid = LooseTightGrid::new(config(&world, 0)).expect("it fits");
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
                if i < j && near && discs[i].nearer(&discs[j], 0.0) {
                    prop_assert!(met, "{i} misses {j}");
                }
            }
        }
    }
}

/// A cell that grows is listed in every tight cell that its new AABB meets, not only in those under the
/// new element: else a search that meets the old elements from afar loses them.
#[test]
fn a_grown_cell_is_listed_everywhere_it_reaches() {
    let bounds = Rect::from_size(100.0, 50.0);
    let mut grid = LooseTightGrid::new(GridConfig {
        tight_size: Vec2::new(5.0, 3.0),
        edits: 4,
        ..GridConfig::new(bounds, 20.0, 4)
    })
    .expect("it fits");
    let at = |x, y, radius| Disc { center: Vec2::new(x, y), radius };
    let mut discs = [at(50.0, 25.0, 10.0), at(45.0, 25.0, 1.0), at(58.0, 22.0, 15.0)];
    for element in 0..3 {
        grid.insert(&discs[..], element);
    }
    discs[1] = at(42.0, 30.0, 30.0);
    grid.relocate(&discs[..], 1);
    assert_eq!(grid.validate(&discs[..]), Ok(()));
    let mut found = Vec::new();
    grid.visit_disc(&discs[..], Vec2::new(13.0, 30.0), 0.0, |element| found.push(element));
    assert_eq!(found, [1]);
}

/// A disc that just overlaps another is found however far out they are, where a box and a distance round
/// differently.
#[test]
fn grazing_pairs_are_found_at_large_coordinates() {
    let mut rng = Rng::new(7);
    for far in [100.0_f32, 2_000.0, 60_000.0] {
        let world = Rect::from_size(far, far);
        let mut discs = Vec::new();
        for _ in 0..2_000 {
            let center = Vec2::new(rng.between(0.0, far), rng.between(0.0, far));
            let (radius, other) = (rng.between(0.5, 9.0), rng.between(0.5, 1.0));
            let direction = [rng.direction(), Vec2::X, Vec2::Y][rng.below(3) as usize];
            let apart = direction * (radius + other) * rng.between(0.9999, 1.0);
            discs.push(Disc { center, radius });
            discs.push(Disc { center: center + apart, radius: other });
        }
        let mut grid =
            LooseTightGrid::new(GridConfig::new(world, far / 40.0, 4_000)).expect("it fits");
        grid.rebuild(&discs[..]).expect("there is memory");
        let mut found = BTreeSet::new();
        grid.visit_pairs(&discs[..], 0.0, |a, b| assert!(found.insert((a, b))));
        for pair in (0..4_000).step_by(2) {
            let touch = discs[pair].nearer(&discs[pair + 1], 0.0);
            let pair = (pair as u32, pair as u32 + 1);
            assert_eq!(found.contains(&pair), touch, "{pair:?}");
        }
    }
}

/// A NaN for a moment, a search for everything, and growing without room to spare do no harm.
#[test]
fn odd_elements_do_no_harm() {
    let world = Rect::from_size(16.0, 9.0);
    let mut grid = LooseTightGrid::new(GridConfig::new(world, 2.0, 3)).expect("it fits");
    let at = |x, radius| Disc { center: Vec2::new(x, 4.0), radius };
    let mut discs = [at(f32::NAN, 0.5), at(9.0, 0.5), at(4.0, 1.5)];
    for element in 0..2 {
        grid.insert(&discs[..], element);
    }
    discs[0] = at(1.0, 0.5);
    grid.relocate(&discs[..], 0);
    grid.insert(&discs[..], 2);
    assert_eq!(grid.validate(&discs[..]), Ok(()));
    for radius in [100.0, 1e19, f32::MAX, f32::INFINITY] {
        let mut found = Vec::new();
        grid.visit_disc(&discs[..], Vec2::new(5.0, 5.0), radius, |element| found.push(element));
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2], "within {radius}");
    }
}

/// A huge world costs by what is in it, wherever that is.
#[test]
fn memory_goes_with_occupied_space() {
    let clump = |at: Vec2| -> Vec<Disc> {
        let cell = |i: usize| Vec2::new((i % 50) as f32, (i / 50) as f32);
        (0..2_500).map(|i| Disc { center: at + cell(i), radius: 0.4 }).collect()
    };
    let memory = |side: f32, at: Vec2| {
        let discs = clump(at);
        let config = GridConfig {
            tight_size: Vec2::splat(side / 10.0),
            cells: 3_000,
            ..GridConfig::new(Rect::from_size(side, side), 2.0, discs.len())
        };
        let mut grid = LooseTightGrid::new(config).expect("it fits");
        grid.rebuild(&discs[..]).expect("there is memory");
        assert_eq!(grid.validate(&discs[..]), Ok(()));
        grid.memory()
    };
    let (small, large) = (memory(60.0, Vec2::splat(5.0)), memory(6_000.0, Vec2::splat(4_321.0)));
    // Two bits a page of 8 × 8 cells of 2 × 2, and the words that they are rounded up to.
    let pages = (6_000 / 16_usize).pow(2);
    assert!(large < small * 3 / 2 + pages * 3 / 8, "{large} bytes, {small} in a full world");
}

/// A ray is a segment whose end lies far beyond the world.
#[test]
fn a_segment_of_any_length_finds_what_is_on_it() {
    let mut grid = LooseTightGrid::new(GridConfig::new(Rect::from_size(100.0, 50.0), 5.0, 3));
    let grid = grid.as_mut().expect("it fits");
    let discs = [(10.0, 5.0), (90.0, 5.0), (50.0, 40.0)]
        .map(|(x, y)| Disc { center: Vec2::new(x, y), radius: 1.0 });
    grid.rebuild(&discs[..]).expect("there is memory");
    for length in [200.0, 1e10, 1e19, 1e30] {
        let mut found = Vec::new();
        let from = Vec2::new(0.0, 5.0);
        grid.visit_segment(&discs[..], from, from + Vec2::X * length, |disc| found.push(disc));
        found.sort_unstable();
        assert_eq!(found, [0, 1], "{length}");
    }
}

#[test]
#[should_panic(expected = "gathered by the order")]
fn elements_that_were_not_gathered_are_not_adopted() {
    let mut grid = LooseTightGrid::new(GridConfig::new(Rect::from_size(100.0, 50.0), 5.0, 3));
    let grid = grid.as_mut().expect("it fits");
    let discs = [Disc { center: Vec2::ONE, radius: 1.0 }; 3];
    grid.sort_those(&discs[..], |disc| disc != 1).expect("there is memory");
    let _ = grid.adopt(&discs[..]);
}

#[test]
fn nonsense_is_refused_in_a_sentence() {
    let world = Rect::from_size(100.0, 50.0);
    let good = GridConfig::new(world, 5.0, 10);
    for (config, part) in [
        (GridConfig { loose_size: Vec2::new(0.0, 1.0), ..good }, "a loose cell of 0 x 1"),
        (GridConfig { tight_size: Vec2::splat(f32::NAN), ..good }, "a tight cell of NaN"),
        (GridConfig { bounds: Rect::from_size(-1.0, 1.0), ..good }, "a world of -1 x 1"),
        (GridConfig { loose_size: Vec2::splat(1e-6), ..good }, "32767 a side are the most"),
        (
            GridConfig { bounds: Rect::from_size(3e18, 1.0), ..good },
            "3e18 can't be: 1e18 is the most",
        ),
        (GridConfig { loose_size: Vec2::new(5.0, 1e-20), ..good }, "of 5e0 x 1e-20 can't be"),
    ] {
        let message = LooseTightGrid::new(config).expect_err(part).to_string();
        assert!(message.contains(part), "{message}");
    }
}
