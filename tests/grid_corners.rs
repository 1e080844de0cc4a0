//! The double grid's corner cases, one by one: what a search or a list got wrong once, and what is refused.

use std::collections::BTreeSet;

use jostle::{
    Grid, GridConfig, Rect, Vec2,
    grid::{Disc, Shape},
    rng::Rng,
};

/// A cell that grows is listed in every tight cell that its new AABB meets, not only in those under the
/// new element: else a search that meets the old elements from afar loses them.
#[test]
fn a_grown_cell_is_listed_everywhere_it_reaches() {
    let bounds = Rect::from_size(100.0, 50.0);
    let mut grid = Grid::new(GridConfig {
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
        let mut grid = Grid::new(GridConfig::new(world, far / 40.0, 4_000)).expect("it fits");
        grid.rebuild(&discs[..]).expect("there is memory");
        let mut found = BTreeSet::new();
        grid.visit_pairs(&discs[..], 0.0, |a, b| assert!(found.insert((a, b))));
        for pair in (0..4_000).step_by(2) {
            let touch = discs[pair].is_within(&discs[pair + 1], 0.0);
            let pair = (pair as u32, pair as u32 + 1);
            assert_eq!(found.contains(&pair), touch, "{pair:?}");
        }
    }
}

/// A NaN for a moment, a search for everything, and growing without room to spare do no harm.
#[test]
fn odd_elements_do_no_harm() {
    let world = Rect::from_size(16.0, 9.0);
    let mut grid = Grid::new(GridConfig::new(world, 2.0, 3)).expect("it fits");
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
        let mut grid = Grid::new(config).expect("it fits");
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
    let mut grid = Grid::new(GridConfig::new(Rect::from_size(100.0, 50.0), 5.0, 3));
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
    let mut grid = Grid::new(GridConfig::new(Rect::from_size(100.0, 50.0), 5.0, 3));
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
        (GridConfig { loose_size: Vec2::new(0.0, 1.0), ..good }, "loose cell 0x1 has no extent"),
        (
            GridConfig { tight_size: Vec2::splat(f32::NAN), ..good },
            "tight cell NaNxNaN has no extent",
        ),
        (
            GridConfig { bounds: Rect::from_size(-1.0, 1.0), ..good },
            "grid bounds -1x1 has no extent",
        ),
        (
            GridConfig { loose_size: Vec2::splat(1e-6), ..good },
            "at most 32767 cells per side; try a larger loose cell",
        ),
        (
            GridConfig { bounds: Rect::from_size(3e18, 1.0), ..good },
            "expected positions from (-1e18, -1e18) to (1e18, 1e18)",
        ),
        (
            GridConfig { loose_size: Vec2::new(5.0, 1e-20), ..good },
            "5x1e-20 is out of range: expected 1e-18 to",
        ),
    ] {
        let message = Grid::new(config).expect_err(part).to_string();
        assert!(message.contains(part), "{message}");
    }
}
