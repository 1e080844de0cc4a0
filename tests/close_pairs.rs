//! All close pairs of discs that move, come and go, against the naive search.

use jostle::{ClosePairs, Disc, GridConfig, Rect, Vec2, grid::Shape};
use proptest::prelude::*;

const WORLD: Rect = Rect::new(Vec2::ZERO, Vec2::new(80.0, 60.0));

const CAPACITY: usize = 120;

/// Discs inside and outside of the world, of which some share a center and few are larger than a
/// cell.
fn disc() -> impl Strategy<Value = Disc> {
    let radius = prop_oneof![4 => Just(0.0_f32), 12 => 0.0_f32..1.5, 1 => 0.0_f32..20.0];
    let along = |size: f32| prop_oneof![8 => 0.0..size, 1 => -30.0..size + 30.0, 2 => Just(0.5 * size), 1 => Just(-1e6)];
    (along(WORLD.width()), along(WORLD.height()), radius)
        .prop_map(|(x, y, radius)| Disc::new(Vec2::new(x, y), radius))
}

/// One call: the number of discs, how far they move first, a disc that moves anywhere, and the
/// distance.
fn call() -> impl Strategy<Value = (usize, f32, (usize, Disc), f32)> {
    let within = prop_oneof![Just(0.0_f32), 0.0_f32..3.0, Just(1e-7), Just(-1.0), Just(f32::NAN)];
    (0..=CAPACITY, 0.0_f32..1.0, (0..CAPACITY, disc()), within)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn pairs_are_the_naive_ones(
        mut discs in proptest::collection::vec(disc(), CAPACITY),
        calls in proptest::collection::vec(call(), 1..20),
        cell in 1.0_f32..9.0,
    ) {
        let new = || ClosePairs::new(GridConfig::new(WORLD, cell, CAPACITY)).expect("it fits");
        let mut searches = [1, 3].map(|threads| {
            (rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"), new())
        });
        for (count, motion, (index, moved), within) in calls {
            for (index, disc) in discs.iter_mut().enumerate() {
                let angle = index as f32;
                disc.center += motion * Vec2::new(angle.cos(), angle.sin());
            }
            discs[index] = moved;
            let discs = &discs[..count];
            let distance = within.max(0.0);
            let mut expected = Vec::new();
            for (b, other) in discs.iter().enumerate() {
                for (a, one) in discs[..b].iter().enumerate() {
                    if one.is_within(other, distance) {
                        expected.push([a as u32, b as u32]);
                    }
                }
            }
            expected.sort_unstable();
            let [one, three] = searches.each_mut().map(|(pool, close)| {
                pool.install(|| close.find(discs, within).expect("valid discs").to_vec())
            });
            prop_assert_eq!(&one, &three, "threads change the order");
            let mut found = one;
            found.sort_unstable();
            prop_assert_eq!(found, expected, "{} discs within {}", count, within);
        }
    }
}

#[test]
fn invalid_discs_are_refused_and_leave_the_search_as_it_was() {
    let at = |x| Disc::new(Vec2::new(x, 4.0), 1.0);
    let mut close = ClosePairs::new(GridConfig::new(WORLD, 4.0, 3)).expect("it fits");
    assert_eq!(close.find(&[at(3.0), at(9.0), at(4.0)], 0.0).expect("valid"), [[0, 2]]);
    let error = close.find(&[at(3.0), at(f32::NAN)], 0.0).expect_err("no number").to_string();
    assert!(error.contains('1'), "{error}");
    assert!(close.find(&[Disc::new(Vec2::ONE, -1.0)], 0.0).is_err());
    assert!(close.find(&vec![at(1.0); 4], 0.0).is_err(), "more than the capacity");
    assert_eq!(close.find(&[at(3.0), at(9.0), at(4.0)], 4.5).expect("valid").len(), 3);
}
