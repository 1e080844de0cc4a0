//! Rays and segments: where they enter a shape, and what they meet in the grid.

use jostle::{
    Disc, Grid, GridConfig, Rect, Vec2,
    grid::{Ray, Shape},
};

/// Checks where a ray enters a shape: the distance and the normal.
fn check_entry(
    shape: &impl Shape,
    (origin, direction): ([f32; 2], [f32; 2]),
    expected: Option<(f64, [f32; 2])>,
) {
    let ray = Ray::new(origin.into(), direction.into()).expect("the direction is not zero");
    let entry = shape.raycast(&ray).map(|entry| (entry.distance, entry.normal.to_array()));
    assert_eq!(entry, expected, "from {origin:?} to {direction:?}");
}

#[test]
fn rays_enter_discs() {
    let disc = Disc::new(Vec2::new(5.0, 0.0), 1.0);
    let point = Disc::new(Vec2::new(3.0, 7.0), 0.0);
    let slanted = Disc::new(Vec2::new(3.0, 4.0), 1.0);
    for (shape, ray, expected) in [
        (disc, ([0.0, 0.0], [2.0, 0.0]), Some((4.0, [-1.0, 0.0]))),
        (disc, ([0.0, 0.0], [-1.0, 0.0]), None),
        // It grazes the disc, just misses it, starts in it, on its border, and far away.
        (disc, ([0.0, 1.0], [1e-30, 0.0]), Some((5.0, [0.0, 1.0]))),
        (disc, ([0.0, 1.0 + f32::EPSILON], [1.0, 0.0]), None),
        (disc, ([5.5, 0.5], [1.0, 0.0]), Some((0.0, [0.0, 0.0]))),
        (disc, ([6.0, 0.0], [1.0, 0.0]), Some((0.0, [0.0, 0.0]))),
        (disc, ([-1e6, 0.0], [1e30, 0.0]), Some((1_000_004.0, [-1.0, 0.0]))),
        (point, ([3.0, 0.0], [0.0, 2.0]), Some((7.0, [0.0, -1.0]))),
        (slanted, ([0.0, 0.0], [3.0, 4.0]), Some((4.0, [-0.6, -0.8]))),
    ] {
        check_entry(&shape, ray, expected);
    }
    let through = Ray::new(Vec2::ZERO, Vec2::new(3.0, 7.0)).expect("it has a direction");
    assert!(point.raycast(&through).is_some(), "through a point");
}

#[test]
fn rays_enter_boxes() {
    let block = Rect::new(Vec2::new(3.0, -1.0), Vec2::new(5.0, 7.0));
    for (ray, expected) in [
        (([0.0, 0.0], [1.0, 0.0]), Some((3.0, [-1.0, 0.0]))),
        (([4.0, 9.0], [0.0, -3.0]), Some((2.0, [0.0, 1.0]))),
        // It grazes the box, hits a corner, passes it, starts in the box, and behind it.
        (([0.0, -1.0], [1.0, 0.0]), Some((3.0, [-1.0, 0.0]))),
        (([0.0, 0.0], [3.0, 7.0]), Some((58_f64.sqrt(), [-1.0, 0.0]))),
        (([0.0, 0.01], [3.0, 7.0]), None),
        (([4.0, 0.0], [0.0, 1.0]), Some((0.0, [0.0, 0.0]))),
        (([6.0, 0.0], [1.0, 0.0]), None),
    ] {
        check_entry(&block, ray, expected);
    }
    check_entry(&Rect::EMPTY, ([0.0, 0.0], [1.0, 0.0]), None);
}

#[test]
fn rays_need_a_direction() {
    for (origin, direction) in [
        ([0.0, 0.0], [0.0, 0.0]),
        ([f32::NAN, 0.0], [1.0, 0.0]),
        ([0.0, 0.0], [0.0, f32::INFINITY]),
    ] {
        assert!(Ray::new(origin.into(), direction.into()).is_none());
    }
}

/// A ray hits the first element, wherever it starts and however far that is.
#[test]
fn rays_hit_the_first_element_on_the_way() {
    let at = |x, y, radius| Disc::new(Vec2::new(x, y), radius);
    // The last two are outside the world, the very last one far away.
    let discs = [at(3.0, 4.0, 1.0), at(12.0, 4.0, 3.0), at(-40.0, 4.5, 1.0), at(9e5, 4.0, 2.0)];
    let config = GridConfig::new(Rect::from_size(16.0, 9.0), 1.0, discs.len());
    let mut grid = Grid::new(config).expect("it fits");
    grid.rebuild(&discs).expect("they are valid");
    let from = |x, y| Vec2::new(x, y);
    for (origin, direction, max, expected) in [
        (from(0.0, 4.0), Vec2::X, f32::INFINITY, Some((0, 2.0))),
        (from(0.0, 4.0), Vec2::X * 1e-20, 2.0, Some((0, 2.0))),
        (from(0.0, 4.0), Vec2::X, 1.99, None),
        (from(0.0, 5.0), Vec2::X, 5.0, Some((0, 3.0))),
        (from(5.0, 4.0), Vec2::X * 1e20, 1e9, Some((1, 4.0))),
        (from(3.5, 4.0), Vec2::X, 0.0, Some((0, 0.0))),
        (from(16.0, 4.0), Vec2::X, f32::INFINITY, Some((3, 899_982.0))),
        (from(0.0, 4.5), Vec2::NEG_X, f32::INFINITY, Some((2, 39.0))),
        (from(-1e6, 4.0), Vec2::X, f32::INFINITY, Some((2, 999_959.1))),
        (from(0.0, 4.0), Vec2::NEG_Y, f32::INFINITY, None),
        (from(0.0, 4.0), Vec2::ZERO, f32::INFINITY, None),
        (from(0.0, f32::NAN), Vec2::X, f32::INFINITY, None),
        (from(0.0, 4.0), Vec2::X, f32::NAN, None),
        (from(3.0, 4.0), Vec2::X, -1.0, None),
    ] {
        let hit = grid.raycast(&discs, origin, direction, max, |_| true);
        let found = hit.map(|hit| (hit.element, hit.distance));
        let matches = match (found, expected) {
            (Some((one, near)), Some((other, distance))) => {
                one == other && f32::abs(near - distance) <= 1e-6 * distance
            }
            (found, expected) => found == expected,
        };
        assert!(matches, "{found:?} from {origin} to {direction}, at most {max}");
    }
}

/// One grid serves data with a closure, without a type for it.
/// A segment may end far beyond the world.
#[test]
fn segments_of_any_length_find_the_elements_on_them() {
    let mut grid = Grid::new(GridConfig::new(Rect::from_size(100.0, 50.0), 5.0, 3));
    let grid = grid.as_mut().expect("it fits");
    let discs = [(10.0, 5.0), (90.0, 5.0), (50.0, 40.0)]
        .map(|(x, y)| Disc { center: Vec2::new(x, y), radius: 1.0 });
    grid.rebuild(&discs).expect("there is memory");
    for length in [200.0, 1e10, 1e19, 1e30] {
        let mut found = Vec::new();
        let from = Vec2::new(0.0, 5.0);
        grid.visit_segment(&discs, from, from + Vec2::X * length, |disc| found.push(disc));
        found.sort_unstable();
        assert_eq!(found, [0, 1], "{length}");
    }
}
