//! Observables on states whose answer is known: lattices, two discs, uniform streams.

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Vec2,
    observe::{Axis, Meter, Mixture, Motions, RadialDistribution, hexagonal_order, profile},
    scene::{Collisions, Start},
};

/// Agents of a caller's own start.
fn placed(
    world: Vec2,
    boundary: Boundary,
    collisions: Collisions,
    agents: impl Iterator<Item = (Vec2, Vec2, f32)>,
) -> Sim {
    let mut columns = Agents::with_capacity(16);
    for (id, (position, velocity, radius)) in (0..).zip(agents) {
        columns.push(Agent { position, velocity, radius, id });
    }
    let count = columns.len() as u32;
    let setup =
        Setup { boundary, collisions, radius: [0.5; 2], ..Setup::with_agents(Scene::Gas, count) };
    let (world, statics) = (Rect::from_size(world.x, world.y), Vec::new());
    let populated = f64::from(world.size().x) * f64::from(world.size().y);
    Sim::from_start(&setup, Start { world, agents: columns, statics, populated }).expect("they fit")
}

/// Columns and rows of a crystal.
const CRYSTAL: [u32; 2] = [40, 46];

/// A periodic crystal of hexagons: discs of diameter 1, `spacing` apart, with one velocity.
fn hexagons([cols, rows]: [u32; 2], spacing: f32, velocity: Vec2) -> Sim {
    let height = spacing * 0.75_f32.sqrt();
    let world = Vec2::new(cols as f32 * spacing, rows as f32 * height);
    let places = (0..rows).flat_map(move |row| {
        (0..cols).map(move |col| {
            let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
            Vec2::new((col as f32 + shift) * spacing, (row as f32 + 0.5) * height)
        })
    });
    let agents = places.map(|at| (at, velocity, 0.5));
    placed(world, Boundary::Periodic, Collisions::Overlap, agents)
}

#[test]
fn a_crystal_of_hexagons_has_order_1_and_shells() {
    let sim = hexagons(CRYSTAL, 1.25, Vec2::ZERO);
    assert!((hexagonal_order(&sim, 1.5) - 1.0).abs() < 1e-5);
    // Shells of 6, 6, 6 and 12 neighbors.
    let mut radial = RadialDistribution::new(0.025, 160);
    radial.add(&sim);
    let count = sim.agents().len() as f64;
    let density = 1.0 / (1.25 * 1.25 * 0.75_f64.sqrt()) * (count - 1.0) / count;
    let within = |from: f64, to: f64| -> f64 {
        let annulus = |middle: f64| 2.0 * std::f64::consts::PI * middle * 0.025;
        let bins = radial.curve().filter(|[middle, _]| (from..to).contains(middle));
        bins.map(|[middle, g]| g * density * annulus(middle)).sum()
    };
    for (shell, neighbors) in
        [(1.0, 6.0), (3.0_f64.sqrt(), 6.0), (2.0, 6.0), (7.0_f64.sqrt(), 12.0)]
    {
        let at = 1.25 * shell;
        let found = within(at - 0.1, at + 0.1);
        assert!((found - neighbors).abs() < 1e-3, "{shell}: {found}");
    }
    assert_eq!(within(0.0, 1.2), 0.0, "no neighbor is nearer than the spacing");
}

/// A disc and its neighbors are the same few discs again and again.
#[test]
fn a_crystal_of_four_discs_has_order_1_and_a_shell() {
    let sim = hexagons([2, 2], 1.25, Vec2::ZERO);
    assert!((hexagonal_order(&sim, 1.5) - 1.0).abs() < 1e-5);
    let mut radial = RadialDistribution::new(0.1, 20);
    radial.add(&sim);
    let curve: Vec<[f64; 2]> = radial.curve().collect();
    // Six neighbors, of three that a disc has on average in a place of 3/4.
    let (density, annulus) = (3.0 / (2.5 * 2.5 * 0.75_f64.sqrt()), 1.3 * 1.3 - 1.2 * 1.2);
    let g = 6.0 / (density * std::f64::consts::PI * annulus);
    assert!((curve[12][1] / g - 1.0).abs() < 1e-5, "{:?} {g}", curve[12]);
    // Three quarters of the height are 1.62.
    let beyond = curve.iter().filter(|[_, g]| g.is_nan()).count();
    assert!(beyond == 4 && curve[15][1] == 0.0, "{curve:?}");
}

/// A row between walls: nothing is found beside them, and in a world that is too narrow nothing at
/// all.
#[test]
fn only_discs_far_from_walls_look_around() {
    let row = (0..40).map(|n| (Vec2::new(n as f32 + 0.5, 5.0), Vec2::ZERO, 0.4));
    let sim = placed(Vec2::new(40.0, 10.0), Boundary::Walls, Collisions::Overlap, row);
    let at = |reach: usize| {
        let mut radial = RadialDistribution::new(0.25, 4 * reach);
        radial.add(&sim);
        radial.curve().map(|[_, g]| g).collect::<Vec<f64>>()
    };
    // Discs 3.5 to 36.5 from the left look: they are 34 in 34 × 4, and have two others at 1, 2.
    let g = 2.0 / (0.25 * std::f64::consts::PI * (1.25 * 1.25 - 1.0));
    assert!((at(3)[4] / g - 1.0).abs() < 1e-5, "{:?}", at(3));
    assert_eq!(at(3)[5], 0.0);
    assert!(at(5).iter().all(|g| g.is_nan()), "{:?}", at(5));
}

#[test]
fn squares_and_gases_have_no_order_of_hexagons() {
    let squares = (0..1_600).map(|n| {
        let at = Vec2::new((n % 40) as f32 + 0.5, (n / 40) as f32 + 0.5) * 1.2;
        (at, Vec2::ZERO, 0.5)
    });
    let sim = placed(Vec2::splat(48.0), Boundary::Periodic, Collisions::Overlap, squares);
    // Four neighbors: 1 − 1 + 1 − 1; up to the diagonals, 1.2·√2 away, all eight of them cancel
    // too.
    assert!(hexagonal_order(&sim, 1.5) < 1e-5);
    let gas =
        Sim::new(&Setup { boundary: Boundary::Periodic, ..Setup::with_agents(Scene::Gas, 5_000) });
    let order = hexagonal_order(&gas.expect("it can be placed"), 1.5);
    assert!(order < 0.05, "{order}");
}

#[test]
fn a_stream_moves_as_one() {
    // 4 s with a speed of 10, around a world of 50 × 50 nearly.
    let mut sim = hexagons(CRYSTAL, 1.25, Vec2::new(8.0, 6.0));
    let (mut motions, mut meter) = (Motions::new(&sim), Meter::new(&sim));
    for steps in 1..=240 {
        sim.step().expect("there is memory");
        if steps % 30 == 0 {
            motions.follow(&sim);
        }
    }
    let since = motions.follow(&sim);
    assert_eq!(since.agents, 1_840);
    assert!((since.square_displacement / 1_600.0 - 1.0).abs() < 1e-4, "{since:?}");
    assert!((since.velocity_correlation - 1.0).abs() < 1e-6, "{since:?}");
    let reading = meter.read(&sim);
    assert!((reading.temperature - 0.5 * 0.25 * 100.0).abs() < 1e-3, "{reading:?}");
    assert_eq!((reading.collisions, reading.collision_rate), (0, 0.0));
    assert!(reading.mean_free_path.is_infinite() && reading.pressure_wall.is_none());
    for axis in [Axis::X, Axis::Y] {
        let strips = profile(&sim, axis, 10);
        let count: f64 = strips.iter().map(|strip| strip.density).sum();
        assert!((count / 10.0 * 50.0 * 49.796 - 1_840.0).abs() < 2.0, "{count}");
        for strip in strips {
            let [x, y] = strip.velocity;
            assert!((x - 8.0).abs() < 1e-5 && (y - 6.0).abs() < 1e-5, "{strip:?}");
            assert!(strip.temperature.abs() < 1e-6, "{strip:?}");
        }
    }
}

#[test]
fn two_discs_press_as_they_collide() {
    // One disc at rest, and one that hits it head on after 0.5 s with a speed of 4.
    for collisions in Collisions::ALL {
        let agents = [
            (Vec2::new(3.0, 5.0), Vec2::new(4.0, 0.0), 0.5),
            (Vec2::new(6.0, 5.0), Vec2::ZERO, 0.5),
        ];
        let mut sim = placed(Vec2::splat(10.0), Boundary::Periodic, collisions, agents.into_iter());
        let mut meter = Meter::new(&sim);
        for _ in 0..60 {
            sim.step().expect("there is memory");
        }
        let reading = meter.read(&sim);
        assert_eq!((reading.collisions, reading.collision_rate), (1, 1.0));
        // k·T: m·v²/2 of one of two. The impulse is m·v, at a distance of 1, or less where they
        // overlap.
        let (mass, speed, area) = (0.25, 4.0, 100.0);
        let temperature = 0.5 * mass * speed * speed / 2.0;
        let exact = 2.0 * temperature / area + mass * speed / (2.0 * area);
        let pressure = reading.pressure_virial.expect("impulses");
        let off = pressure / exact - 1.0;
        let most = if collisions == Collisions::Swept { 1e-6 } else { 0.05 };
        assert!(off.abs() < most, "{collisions:?}: {off}");
        assert!((reading.mean_free_path - 2.0).abs() < 1e-6, "half of the two moves, at speed 4");
    }
}

#[test]
fn one_disc_presses_on_two_walls() {
    // 9 s from wall to wall of 10 with a radius of 0.5 and a speed of 9: one hit per second.
    for collisions in Collisions::ALL {
        let agents = [(Vec2::new(5.0, 5.0), Vec2::new(9.0, 0.0), 0.5)];
        let mut sim = placed(Vec2::splat(10.0), Boundary::Walls, collisions, agents.into_iter());
        let mut meter = Meter::new(&sim);
        for _ in 0..600 {
            sim.step().expect("there is memory");
        }
        let reading = meter.read(&sim);
        // 10 hits of 2·m·v in 10 s, on walls of length 40.
        let pressure = reading.pressure_wall.expect("walls");
        assert!((pressure - 10.0 * 2.0 * 0.25 * 9.0 / (40.0 * 10.0)).abs() < 1e-6, "{pressure}");
    }
}

#[test]
fn half_a_world_shows_in_its_profile() {
    let agents = (0..200).map(|n| {
        let at = Vec2::new((n % 10) as f32 + 0.5, (n / 10) as f32 + 0.5);
        let up = if n % 2 == 0 { 1.0 } else { -1.0 };
        (at, Vec2::new(2.0, up), 0.4)
    });
    let sim = placed(Vec2::splat(20.0), Boundary::Walls, Collisions::Overlap, agents);
    let strips = profile(&sim, Axis::X, 4);
    let mass = 0.4 * 0.4;
    for (strip, (at, density, speed, temperature)) in strips.iter().zip([
        (2.5, 1.0, 2.0, 0.5 * mass),
        (7.5, 1.0, 2.0, 0.5 * mass),
        (12.5, 0.0, 0.0, 0.0),
    ]) {
        assert!((strip.at - at).abs() < 1e-9);
        assert!((strip.density - density).abs() < 1e-9, "{strip:?}");
        assert!((strip.covered - density * std::f64::consts::PI * mass).abs() < 1e-6, "{strip:?}");
        assert!((strip.velocity[0] - speed).abs() < 1e-9, "{strip:?}");
        // The two directions of y nearly cancel in strips of five columns.
        assert!((strip.temperature - temperature).abs() < 0.05 * mass, "{strip:?}");
    }
}

/// A thin gas of discs, some of them ten times as heavy: the displacements and velocities follow
/// Enskog's theory.
#[test]
fn discs_of_two_sizes_lose_their_velocity_as_expected() {
    let setup = Setup {
        boundary: Boundary::Periodic,
        collisions: Collisions::Swept,
        radius: [0.3, 1.0],
        density: 0.05,
        hz: 240.0,
        ..Setup::with_agents(Scene::Gas, 3_000)
    };
    let mut sim = Sim::new(&setup).expect("it can be placed");
    let size = sim.world().size().as_dvec2();
    let mixture = Mixture::new(&sim.agents().radius, size.x * size.y);
    let temperature = Meter::new(&sim).read(&sim).temperature;
    // Enskog's exponential is for times in which few discs are hit twice.
    let half_a_hit = 0.5 / mixture.collision_rate(temperature);
    let span = (half_a_hit * 240.0).round() as usize;
    let run = |sim: &mut Sim, steps: usize| {
        (0..steps).for_each(|_| sim.step().expect("there is memory"));
    };
    // Sizes share their energy at first.
    run(&mut sim, 40 * span);
    let mut meter = Meter::new(&sim);
    let [mut displacement, mut correlation] = [0.0; 2];
    for _ in 0..8 {
        let mut motions = Motions::new(&sim);
        run(&mut sim, span);
        let since = motions.follow(&sim);
        displacement += since.square_displacement / 8.0;
        correlation += since.velocity_correlation / 8.0;
        run(&mut sim, 3 * span);
    }
    let reading = meter.read(&sim);
    let time = span as f64 / 240.0;
    let near = |one: f64, other: f64, most: f64| (one / other - 1.0).abs() < most;
    let expected = mixture.velocity_correlation(temperature, time);
    assert!(near(correlation, expected, 0.02), "{correlation} {expected}");
    let expected = mixture.square_displacement(temperature, time);
    assert!(near(displacement, expected, 0.02), "{displacement} {expected}");
    let expected = mixture.collision_rate(temperature);
    assert!(near(reading.collision_rate, expected, 0.02), "{reading:?} {expected}");
    let expected = mixture.mean_speed(temperature) / expected;
    assert!(near(reading.mean_free_path, expected, 0.02), "{reading:?} {expected}");
    let density = sim.agents().len() as f64 / (size.x * size.y);
    let z = reading.pressure_virial.expect("impulses") / (density * temperature);
    let expected = mixture.compressibility();
    assert!(near(z, expected, 0.01), "{z} {expected}");
}
