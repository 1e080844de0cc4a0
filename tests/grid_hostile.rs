//! The double grid against NaN, infinite, denormal, negative and huge values, in each argument of
//! each operation: they are refused, or harmless to all other elements.

use jostle::{
    Disc, Grid, GridConfig, Rect, Vec2,
    grid::{Neighbor, Shape},
};
use proptest::prelude::*;

const CAPACITY: usize = 24;

const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(80.0, 60.0));

/// An operation on a grid.
#[derive(Clone, Debug)]
enum Edit {
    Insert(usize, Disc),
    Relocate(usize, Disc),
    Remove(u32),
    Rebuild(usize, Disc),
    Sort(usize, Disc),
    Update(usize, Disc),
    Reserve(usize),
}

fn hostile() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(f32::NAN),
        Just(-f32::NAN),
        Just(f32::INFINITY),
        Just(f32::NEG_INFINITY),
        Just(f32::MAX),
        Just(f32::MIN),
        Just(1e18),
        Just(-1e18),
        Just(1.1e18),
        Just(3e9),
        Just(-3e9),
        Just(-1.0),
        Just(f32::MIN_POSITIVE),
        Just(-f32::MIN_POSITIVE),
        Just(1e-40),
        Just(-1e-40),
        Just(-0.0),
        Just(0.0),
        any::<u32>().prop_map(f32::from_bits),
    ]
}

/// Mostly usual numbers.
fn number(usual: std::ops::Range<f32>) -> impl Strategy<Value = f32> {
    prop_oneof![3 => usual, 1 => hostile()]
}

fn disc() -> impl Strategy<Value = Disc> {
    let radius = prop_oneof![Just(0.2_f32), Just(10.0), 0.0_f32..3.0];
    let radius = prop_oneof![3 => radius, 1 => hostile()];
    (number(-5.0..85.0), number(-5.0..65.0), radius)
        .prop_map(|(x, y, radius)| Disc { center: Vec2::new(x, y), radius })
}

fn edit() -> impl Strategy<Value = Edit> {
    let element = 0..CAPACITY;
    let any_element = prop_oneof![4 => 0..CAPACITY as u32, 1 => any::<u32>()];
    let capacity =
        prop_oneof![Just(0_usize), Just(CAPACITY), Just(usize::MAX), Just(usize::MAX / 2)];
    prop_oneof![
        6 => (element.clone(), disc()).prop_map(|(element, disc)| Edit::Insert(element, disc)),
        6 => (element.clone(), disc()).prop_map(|(element, disc)| Edit::Relocate(element, disc)),
        3 => any_element.prop_map(Edit::Remove),
        1 => (element.clone(), disc()).prop_map(|(element, disc)| Edit::Rebuild(element, disc)),
        1 => (element.clone(), disc()).prop_map(|(element, disc)| Edit::Sort(element, disc)),
        1 => (element, disc()).prop_map(|(element, disc)| Edit::Update(element, disc)),
        1 => capacity.prop_map(Edit::Reserve),
    ]
}

/// True if all points of the disc have coordinates below `limit`.
fn is_within(disc: &Disc, limit: f32) -> bool {
    let Rect { min, max } = disc.bounds();
    [min.x, min.y, max.x, max.y].iter().all(|side| side.abs() < limit)
}

/// True if a grid has to take the disc.
fn is_usual(disc: &Disc) -> bool {
    disc.radius >= 0.0 && is_within(disc, 1e17)
}

/// Changes an element by an operation; takes the change back if it is refused. Usual discs are
/// never refused.
fn change(
    grid: &mut Grid,
    discs: &mut [Disc],
    (element, disc): (usize, Disc),
    operation: impl FnOnce(&mut Grid, &[Disc]) -> jostle::Result<bool>,
) -> Result<bool, TestCaseError> {
    let before = std::mem::replace(&mut discs[element], disc);
    match operation(grid, discs) {
        Ok(done) => Ok(done),
        Err(error) => {
            prop_assert!(!discs.iter().all(is_usual), "{error}");
            discs[element] = before;
            Ok(false)
        }
    }
}

fn apply(grid: &mut Grid, discs: &mut [Disc], edit: &Edit) -> Result<(), TestCaseError> {
    match *edit {
        Edit::Insert(element, disc) => {
            change(grid, discs, (element, disc), |grid, discs| grid.insert(discs, element as u32))?;
        }
        Edit::Relocate(element, disc) => {
            if grid.contains(element as u32) {
                change(grid, discs, (element, disc), |grid, discs| {
                    grid.relocate(discs, element as u32)
                })?;
            }
        }
        Edit::Remove(element) => {
            let present = grid.contains(element);
            prop_assert_eq!(grid.remove(discs, element), present);
        }
        Edit::Rebuild(element, disc) => {
            change(grid, discs, (element, disc), |grid, discs| grid.rebuild(discs).map(|()| true))?;
        }
        Edit::Sort(element, disc) => {
            let mut order = Vec::new();
            let sorted = change(grid, discs, (element, disc), |grid, discs| {
                order = grid.sort(discs)?.to_vec();
                Ok(true)
            })?;
            if sorted {
                let gathered: Vec<Disc> = order.iter().map(|&at| discs[at as usize]).collect();
                discs.copy_from_slice(&gathered);
                grid.set_sorted(discs).expect("there is memory");
            }
        }
        Edit::Update(element, disc) => {
            change(grid, discs, (element, disc), |grid, discs| grid.update(discs).map(|()| true))?;
        }
        Edit::Reserve(capacity) => {
            let fits = capacity <= CAPACITY;
            prop_assert_eq!(grid.reserve(capacity).is_ok(), fits, "room for {}", capacity);
        }
    }
    Ok(())
}

/// A search of a usual position finds all elements there. For elements that reach far out of the
/// world, rounding decides.
fn check(grid: &Grid, discs: &[Disc], center: Vec2, radius: f32) -> Result<(), TestCaseError> {
    let near = |element: u32| is_within(&discs[element as usize], 1e4);
    let mut found: Vec<u32> =
        grid.in_disc(discs, center, radius).filter(|&element| near(element)).collect();
    found.sort_unstable();
    let expected: Vec<u32> = (0..CAPACITY as u32)
        .filter(|&element| grid.contains(element) && near(element))
        .filter(|&element| discs[element as usize].intersects_disc(center, radius))
        .collect();
    prop_assert_eq!(found, expected, "around {} by {}", center, radius);
    Ok(())
}

/// Searches of any place end.
fn probe(grid: &Grid, discs: &[Disc], [x, y, z, w]: [f32; 4]) {
    let (a, b) = (Vec2::new(x, y), Vec2::new(z, w));
    grid.visit_rect(discs, &Rect::new(a, b), |_| {});
    grid.visit_disc(discs, a, z, |_| {});
    let packet = [x, y, z, w].map(|radius| Disc { center: b, radius });
    grid.visit_discs(discs, &packet, |_, _| {});
    grid.visit_segment(discs, a, b, |_| {});
    grid.in_rect(discs, Rect::new(b, a)).for_each(drop);
    grid.in_disc(discs, b, x).for_each(drop);
    let _ = grid.raycast(discs, a, b, z, |_| true);
    let _ = grid.nearest(discs, a, |_| true);
    grid.k_nearest(discs, b, |_| true, &mut [Neighbor::NONE; 3]);
    grid.visit_pairs(discs, w, |_, _| {});
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn hostile_elements_are_refused_or_harmless(
        edits in proptest::collection::vec(edit(), 1..40),
        places in proptest::collection::vec((0.0_f32..80.0, 0.0_f32..60.0, 0.0_f32..9.0), 1..6),
    ) {
        let mut grid = Grid::new(GridConfig::new(WORLD, 4.0, CAPACITY)).expect("it fits");
        let mut discs = vec![Disc { center: Vec2::new(40.0, 30.0), radius: 1.0 }; CAPACITY];
        for edit in &edits {
            apply(&mut grid, &mut discs, edit)?;
            grid.validate(&discs).unwrap_or_else(|error| panic!("after {edit:?}: {error}"));
        }
        for (x, y, radius) in places {
            check(&grid, &discs, Vec2::new(x, y), radius)?;
        }
            }

    #[test]
    fn hostile_searches_end(
        discs in proptest::collection::vec(disc(), 1..CAPACITY),
        places in proptest::collection::vec(proptest::array::uniform4(number(-5.0..85.0)), 1..12),
    ) {
        let discs: Vec<Disc> = discs.into_iter().filter(is_usual).collect();
        let mut grid = Grid::new(GridConfig::new(WORLD, 4.0, CAPACITY)).expect("it fits");
        grid.rebuild(&discs).expect("they are valid");
        for place in places {
            probe(&grid, &discs, place);
        }
    }

    #[test]
    fn hostile_configurations_are_refused_or_work(
        [x0, y0, x1, y1] in proptest::array::uniform4(number(-5.0..85.0)),
        [w, h, tight_w, tight_h] in proptest::array::uniform4(number(0.5..20.0)),
        counts in proptest::array::uniform3(prop_oneof![
            4 => 0_usize..40,
            1 => Just(usize::MAX),
            1 => Just(usize::MAX / 2),
            1 => Just(isize::MAX as usize),
        ]),
    ) {
        let [capacity, cells, edits] = counts;
        let config = GridConfig::new(Rect::new(Vec2::new(x0, y0), Vec2::new(x1, y1)), w, capacity)
            .with_loose_size(Vec2::new(w, h))
            .with_tight_size(Vec2::new(tight_w, tight_h))
            .with_cells(cells)
            .with_edits(edits);
        if let Ok(mut grid) = Grid::new(config) {
            let middle = config.bounds.center();
            let disc = [Disc { center: middle, radius: w.min(h) }];
            if capacity > 0 && grid.rebuild(&disc).is_ok() {
                grid.validate(&disc).expect("the grid is exact");
                prop_assert_eq!(grid.in_disc(&disc, middle, 0.0).collect::<Vec<_>>(), vec![0]);
            }
        }
    }
}
