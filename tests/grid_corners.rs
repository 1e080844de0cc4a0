//! Corner cases of the double grid, and the input that it rejects.

use std::collections::BTreeSet;

use jostle::{
    Disc, Error, Grid, GridConfig, Rect, Result, Vec2,
    grid::{Mapped, Ray, RayEntry, Shape},
    rng::Rng,
};

/// A cell that grows is listed in every tight cell that its new AABB intersects, not only in the
/// cells under the new element. Else a search that touches only the older elements would miss them.
#[test]
fn a_grown_cell_is_listed_everywhere_it_reaches() {
    let bounds = Rect::from_size(100.0, 50.0);
    let config =
        GridConfig::new(bounds, 20.0, 4).with_tight_size(Vec2::new(5.0, 3.0)).with_edits(4);
    let mut grid = Grid::new(config).expect("it fits");
    let at = |x, y, radius| Disc { center: Vec2::new(x, y), radius };
    let mut discs = [at(50.0, 25.0, 10.0), at(45.0, 25.0, 1.0), at(58.0, 22.0, 15.0)];
    for element in 0..3 {
        grid.insert(&discs, element).expect("it is valid");
    }
    discs[1] = at(42.0, 30.0, 30.0);
    grid.relocate(&discs, 1).expect("it is valid");
    grid.validate(&discs).expect("the grid is exact");
    let mut found = Vec::new();
    grid.visit_disc(&discs, Vec2::new(13.0, 30.0), 0.0, |element| found.push(element));
    assert_eq!(found, [1]);
}

/// A disc that just overlaps another is found however far out they are, where a box and a distance
/// round differently.
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
        grid.rebuild(&discs).expect("there is memory");
        let mut found = BTreeSet::new();
        grid.visit_pairs(&discs, 0.0, |a, b| assert!(found.insert((a, b))));
        for pair in (0..4_000).step_by(2) {
            let touch = discs[pair].is_within(&discs[pair + 1], 0.0);
            let pair = (pair as u32, pair as u32 + 1);
            assert_eq!(found.contains(&pair), touch, "{pair:?}");
        }
    }
}

/// Searches of any size find all elements, and lists grow without reserved room.
#[test]
fn searches_beyond_the_world_find_everything() {
    let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, 3)).expect("it fits");
    let discs = [(1.0, 0.5), (9.0, 0.5), (4.0, 1.5)]
        .map(|(x, radius)| Disc::new(Vec2::new(x, 4.0), radius));
    for element in 0..3 {
        grid.insert(&discs, element).expect("it is valid");
    }
    grid.validate(&discs).expect("the grid is exact");
    for radius in [100.0, 1e19, f32::MAX, f32::INFINITY] {
        let mut found: Vec<u32> = grid.in_disc(&discs, Vec2::splat(5.0), radius).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2], "within {radius}");
    }
}

/// An element that no search would find is an error, and so is one beyond the capacity. The grid
/// stays as it was.
#[test]
fn rejects_elements_that_no_search_would_find() {
    let world = Rect::from_size(16.0, 9.0);
    let at = |x, radius| Disc::new(Vec2::new(x, 4.0), radius);
    let good = [at(1.0, 0.5), at(9.0, 0.5), at(4.0, 1.5)];
    let mut grid = Grid::new(GridConfig::new(world, 2.0, 3)).expect("it fits");
    grid.rebuild(&good).expect("they are valid");
    grid.remove(&good, 2);
    let refused = |result: Result<()>, part: &str| {
        let message = result.expect_err(part).to_string();
        assert!(message.contains(part), "{message}");
    };
    for (bad, field) in [
        (at(f32::NAN, 0.5), "center"),
        (at(f32::INFINITY, 0.5), "center"),
        (at(1e19, 0.5), "center"),
        (at(4.0, -0.5), "radius"),
        (at(4.0, f32::NAN), "radius"),
        (at(4.0, f32::INFINITY), "radius"),
    ] {
        let mut discs = good;
        discs[2] = bad;
        let about = format!("{field} of element 2");
        refused(grid.rebuild(&discs), &about);
        refused(grid.sort(&discs).map(|_| ()), &about);
        refused(grid.insert(&discs, 2).map(|_| ()), &about);
        discs.swap(1, 2);
        let about = format!("{field} of element 1");
        refused(grid.relocate(&discs, 1).map(|_| ()), &about);
        refused(grid.update(&discs), &about);
    }
    let inverted = [Rect::new(Vec2::new(3.0, 3.0), Vec2::new(2.0, 5.0)); 3];
    refused(grid.rebuild(&inverted), "radius of element 0 -0.5");
    refused(grid.insert(&good[..2], 2).map(|_| ()), "element 2 is out of range: expected 0 to 1");
    refused(grid.update(&good[..1]), "element 1 is out of range");
    let more = [good, good].concat();
    refused(grid.insert(&more, 3).map(|_| ()), "3");
    let full = grid.rebuild(&more).expect_err("there is room for 3");
    let counts = (4, 2, 3);
    assert!(
        matches!(full, Error::Full { more, len, capacity, .. } if (more, len, capacity) == counts),
        "{full:?}"
    );
    assert!(!grid.remove(&good, 2) && !grid.remove(&good, u32::MAX), "they are not in the grid");
    assert!(!grid.relocate(&good, 2).expect("nothing to do"), "it is not in the grid");
    assert!(!grid.insert(&good, 1).expect("it is valid"), "it is in the grid");

    grid.validate(&good).expect("the grid is exact");
    assert_eq!(grid.in_rect(&good, world).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1]));
    grid.reserve(6).expect("there is memory");
    grid.insert(&more, 3).expect("there is room now");
    grid.rebuild(&more).expect("there is room now");
    grid.validate(&more).expect("the grid is exact");
    assert_eq!(grid.len(), 6);
}

#[test]
fn a_closure_makes_elements_of_any_data() {
    let towers = [("north", 8.0_f32), ("south", 1.0)];
    let ranges = Mapped::new(&towers, |&(_, y)| Disc::new(Vec2::new(8.0, y), 2.0));
    let config = GridConfig::new(Rect::from_size(16.0, 9.0), 4.0, towers.len());
    let mut grid = Grid::new(config).expect("it fits");
    grid.rebuild(&ranges).expect("they are valid");
    let covering = grid.in_disc(&ranges, Vec2::new(8.0, 6.5), 0.0);
    assert_eq!(covering.map(|i| towers[i as usize].0).collect::<Vec<_>>(), ["north"]);
}

/// The memory of a huge world depends on the elements in it, wherever they are.
#[test]
fn memory_is_proportional_to_occupied_space() {
    let cluster = |at: Vec2| -> Vec<Disc> {
        let cell = |i: usize| Vec2::new((i % 50) as f32, (i / 50) as f32);
        (0..2_500).map(|i| Disc { center: at + cell(i), radius: 0.4 }).collect()
    };
    let memory = |side: f32, at: Vec2| {
        let discs = cluster(at);
        let config = GridConfig::new(Rect::from_size(side, side), 2.0, discs.len())
            .with_tight_size(Vec2::splat(side / 10.0))
            .with_cells(3_000);
        let mut grid = Grid::new(config).expect("it fits");
        grid.rebuild(&discs).expect("there is memory");
        grid.validate(&discs).expect("the grid is exact");
        grid.memory()
    };
    let (small, large) = (memory(60.0, Vec2::splat(5.0)), memory(6_000.0, Vec2::splat(4_321.0)));
    // Two bits per page of 8 × 8 cells of 2 × 2, rounded up to words.
    let pages = (6_000 / 16_usize).pow(2);
    assert!(large < small * 3 / 2 + pages * 3 / 8, "{large} bytes, {small} in a full world");
}

#[test]
#[should_panic(expected = "gathered by the order")]
fn set_sorted_rejects_elements_that_were_not_gathered() {
    let mut grid = Grid::new(GridConfig::new(Rect::from_size(100.0, 50.0), 5.0, 3));
    let grid = grid.as_mut().expect("it fits");
    let discs = [Disc { center: Vec2::ONE, radius: 1.0 }; 3];
    grid.sort(&discs[..2]).expect("there is memory");
    let _ = grid.set_sorted(&discs);
}

#[test]
fn rejects_configurations_out_of_range() {
    let world = Rect::from_size(100.0, 50.0);
    let good = GridConfig::new(world, 5.0, 10);
    for (config, part) in [
        (good.with_loose_size(Vec2::new(0.0, 1.0)), "loose cell 0x1 has no extent"),
        (good.with_tight_size(Vec2::splat(f32::NAN)), "tight cell NaNxNaN has no extent"),
        (GridConfig::new(Rect::from_size(-1.0, 1.0), 5.0, 10), "grid bounds -1x1 has no extent"),
        (
            good.with_loose_size(Vec2::splat(1e-6)),
            "at most 32767 cells per side; try a larger loose cell",
        ),
        (
            GridConfig::new(Rect::from_size(3e18, 1.0), 5.0, 10),
            "expected positions from (-1e18, -1e18) to (1e18, 1e18)",
        ),
        (good.with_loose_size(Vec2::new(5.0, 1e-20)), "5x1e-20 is out of range: expected 1e-18 to"),
        (GridConfig::new(world, 5.0, usize::MAX / 4), "capacity"),
        (good.with_edits(usize::MAX), "edits 18446744073709551615 is out of range"),
    ] {
        let message = Grid::new(config).expect_err(part).to_string();
        assert!(message.contains(part), "{message}");
    }
}

/// A rebuilt grid holds the bytes that its configuration says, before and after its elements are
/// sorted.
#[test]
fn bytes_for_a_configuration_are_those_of_its_grid() {
    let discs: Vec<Disc> = (0..5_000)
        .map(|n| Vec2::new((n * n % 9_973) as f32 / 10.0, (n * 71 % 4_999) as f32 / 5.0))
        .map(|center| Disc::new(center, 0.5))
        .collect();
    for (side, loose, cells, edits) in
        [(1_000.0, 20.0, 10_000, 0), (1_000.0, 5.0, 50_000, 700), (30_000.0, 4.0, 400_000, 3)]
    {
        let config = GridConfig::new(Rect::from_size(side, side), loose, discs.len())
            .with_cells(cells)
            .with_edits(edits);
        let mut grid = Grid::new(config).expect("it fits");
        let order = grid.sort(&discs).expect("there is memory").to_vec();
        let sorted: Vec<Disc> = order.iter().map(|&from| discs[from as usize]).collect();
        grid.set_sorted(&sorted).expect("there is memory");
        let (bytes, held) = (Grid::memory_for(&config), grid.memory());
        assert!(held <= bytes && bytes - held <= 20 * edits, "{held} held, {bytes} expected");
    }
}

/// A game drops its last unit: nothing reads the shape of a removed element.
#[test]
fn the_slice_may_end_before_a_removed_element() {
    let mut discs: Vec<_> = [2.0, 2.5, 3.0].map(|x| Disc::new(Vec2::new(x, 2.0), 0.5)).into();
    let config = GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, discs.len());
    let mut grid = Grid::new(config).expect("it fits");
    grid.rebuild(&discs).expect("there is memory");
    assert!(grid.remove(&discs, 2));
    discs.pop();
    let all = Rect::from_size(16.0, 9.0);
    let mut found = Vec::new();
    grid.visit_rect(&discs, &all, |element| found.push(element));
    found.sort_unstable();
    assert_eq!(found, [0, 1]);
    assert_eq!(
        grid.nearest(&discs, Vec2::new(9.0, 2.0), |_| true).map(|near| near.element),
        Some(1)
    );
    let hit = grid.raycast(&discs, Vec2::new(9.0, 2.0), Vec2::NEG_X, 20.0, |_| true);
    assert_eq!(hit.map(|hit| hit.element), Some(1));
    let mut pairs = 0;
    grid.visit_pairs(&discs, 0.0, |_, _| pairs += 1);
    assert_eq!(pairs, 1);
    grid.validate(&discs).expect("the grid is exact");
    grid.update(&discs).expect("there is memory");
    assert_eq!(grid.len(), 2);
}

/// A square that stands on a corner: the points at most `radius` away in |x| + |y|.
#[derive(Clone, Copy, Debug)]
struct Diamond {
    center: Vec2,
    radius: f32,
}

/// Turned by 45 degrees and √2 as long, in which a diamond is a box.
fn turned(point: Vec2) -> Vec2 {
    Vec2::new(point.x + point.y, point.x - point.y)
}

impl Diamond {
    fn as_box(&self) -> Rect {
        let (center, half) = (turned(self.center), Vec2::splat(self.radius));
        Rect { min: center - half, max: center + half }
    }
}

impl Shape for Diamond {
    fn center(&self) -> Vec2 {
        self.center
    }
    fn bounds(&self) -> Rect {
        Rect { min: self.center - self.radius, max: self.center + self.radius }
    }
    fn extent(&self) -> f32 {
        self.radius
    }
    fn intersects_rect(&self, rect: &Rect) -> bool {
        let apart = (self.center - self.center.clamp(rect.min, rect.max)).abs();
        apart.x + apart.y <= self.radius
    }
    fn intersects_disc(&self, center: Vec2, radius: f32) -> bool {
        self.distance(center) <= radius
    }
    fn intersects_segment(&self, a: Vec2, b: Vec2) -> bool {
        self.as_box().intersects_segment(turned(a), turned(b))
    }
    fn raycast(&self, ray: &Ray) -> Option<RayEntry> {
        let (origin, direction) = (ray.origin().as_vec2(), ray.direction().as_vec2());
        let entry = self.as_box().raycast(&Ray::new(turned(origin), turned(direction))?)?;
        let scale = 2.0_f64.sqrt();
        let normal = turned(entry.normal) / scale as f32;
        Some(RayEntry { distance: entry.distance / scale, normal })
    }
    fn distance(&self, point: Vec2) -> f32 {
        self.as_box().distance(turned(point)) / 2.0_f32.sqrt()
    }
    fn is_within(&self, other: &Self, distance: f32) -> bool {
        self.as_box().is_within(&other.as_box(), distance * 2.0_f32.sqrt())
    }
}

/// The grid takes shapes that it does not know.
#[test]
fn a_shape_of_the_caller_is_found_by_every_search() {
    let mut rng = Rng::new(3);
    let mut point = |max: f32| Vec2::new(rng.between(0.0, max), rng.between(0.0, max));
    let diamonds: Vec<Diamond> =
        (0..500).map(|_| Diamond { center: point(100.0), radius: 0.2 + point(3.0).x }).collect();
    let world = Rect::from_size(100.0, 100.0);
    let mut grid = Grid::new(GridConfig::new(world, 2.0, diamonds.len())).expect("it fits");
    let elements = Mapped::new(&diamonds, |&diamond| diamond);
    grid.rebuild(&elements).expect("there is memory");
    let naive = |hit: &dyn Fn(&Diamond) -> bool| -> BTreeSet<u32> {
        (0..500).filter(|&element| hit(&diamonds[element as usize])).collect()
    };
    let (mut hits, mut pairs) = (0, 0);
    for _ in 0..200 {
        let (at, size) = (point(100.0), point(10.0));
        let rect = Rect { min: at, max: at + size };
        let found: BTreeSet<u32> = grid.in_rect(&elements, rect).collect();
        assert_eq!(found, naive(&|diamond| diamond.intersects_rect(&rect)));
        let found: BTreeSet<u32> = grid.in_disc(&elements, at, size.x).collect();
        assert_eq!(found, naive(&|diamond| diamond.intersects_disc(at, size.x)));
        hits += found.len();

        let direction = turned(size) - 5.0;
        let ray = Ray::new(at, direction).expect("it has a direction");
        let nearest = diamonds.iter().filter_map(|diamond| diamond.raycast(&ray));
        let nearest = nearest.map(|entry| entry.distance).reduce(f64::min);
        let hit = grid.raycast(&elements, at, direction, f32::INFINITY, |_| true);
        assert_eq!(hit.map(|hit| hit.distance), nearest.map(|distance| distance as f32));
        let nearest = diamonds.iter().map(|diamond| diamond.distance(at)).reduce(f32::min);
        let near = grid.nearest(&elements, at, |_| true).map(|near| near.distance);
        assert_eq!(near, nearest);
    }
    assert!(hits > 200);
    let within = |a: usize, b: usize| diamonds[a].is_within(&diamonds[b], 0.5);
    grid.visit_pairs(&elements, 0.5, |a, b| pairs += usize::from(within(a as usize, b as usize)));
    let expected = (0..500).flat_map(|a| (0..a).map(move |b| (a, b)));
    assert_eq!(pairs, expected.filter(|&(a, b)| within(a, b)).count());
}

/// Also where an element reaches so far beyond the point that the sum of the radii is positive.
#[test]
fn a_disc_of_negative_radius_finds_nothing() {
    let discs = [Disc { center: Vec2::new(50.0, 25.0), radius: 3.0 }];
    let config = GridConfig::new(Rect::from_size(100.0, 50.0), 10.0, 1);
    let mut grid = Grid::new(config).expect("it fits");
    grid.rebuild(&discs).expect("there is memory");
    for radius in [-0.5, -1.0, -10.0, f32::NEG_INFINITY] {
        let mut found = 0;
        grid.visit_disc(&discs, discs[0].center, radius, |_| found += 1);
        found += grid.in_disc(&discs, discs[0].center, radius).count();
        assert_eq!(found, 0, "{radius}");
    }
    assert_eq!(grid.in_disc(&discs, discs[0].center, 0.0).count(), 1);
}
