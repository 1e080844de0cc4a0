//! Set-ups that are rejected: the error's data, its message, and that its suggestions are accepted.

use jostle::{
    Boundary, Error, Scene, Setup, Vec2,
    error::{Adjust, Field, Limit, Remedy, Value},
    limits,
    scene::{self, Solver},
};

use crate::check::{check, setup, start};

/// A change to the default set-up, and the outline of the error's message.
type Rejection = (fn(&mut Setup), &'static str);

/// Asserts that a sentence names the value, the limits and the remedy of an outline, in this order: the
/// words between them are free to change.
#[track_caller]
fn assert_says(sentence: &str, outline: &str) {
    let mut rest = sentence;
    for part in outline.split(" … ") {
        let Some((_, behind)) = rest.split_once(part) else {
            panic!("`{sentence}` does not name {part} of `{outline}`");
        };
        rest = behind;
    }
}

fn reject(rejections: &[Rejection]) {
    for (change, outline) in rejections {
        let mut setup = Setup::new(Scene::Gas);
        change(&mut setup);
        let error = scene::place(&setup).unwrap_err();
        assert!(matches!(error, Error::Invalid(_)));
        assert_says(&error.to_string(), outline);
    }
}

#[test]
fn rejects_what_needs_walls_where_there_are_none() {
    reject(&[
        (
            |s| *s = Setup { boundary: Boundary::PeriodicX, ..Setup::new(Scene::Pegs) },
            "boundary periodic-x … pegs … try boundary walls",
        ),
        (
            |s| (s.gravity, s.boundary) = (10.0, Boundary::Periodic),
            "gravity 10 … repeats … try gravity 0",
        ),
        (
            |s| (s.gravity, s.restitution, s.boundary) = (10.0, 0.5, Boundary::PeriodicX),
            "boundary periodic-x … solver … try solver impulse",
        ),
        (
            |s| (s.solver, s.boundary) = (Solver::Contact, Boundary::Periodic),
            "boundary periodic … solver … try solver impulse",
        ),
        (
            |s| {
                (s.agents, s.world) = (3, Some(Vec2::new(60.0, 3.5)));
                s.boundary = Boundary::Periodic;
            },
            "world 60x3.5 … repeat … 0.91793 … 3.7 … try world 60x3.7",
        ),
        (
            |s| (s.agents, s.density, s.boundary) = (2, 0.4, Boundary::Periodic),
            "density 0.4 … 4.0361x2.2703 … repeat … 0.87797 … 3.6 … try density 0.1",
        ),
    ]);
}

#[test]
fn rejects_impossible_agents_and_worlds() {
    reject(&[
        (|s| s.agents = 0, "agents 0 … 1 … 1000000000"),
        (|s| s.agents = 4_000_000_000, "agents 4000000000 … 1 … 1000000000"),
        (|s| s.radius = [0.0, 1.0], "radius 0 … 1e-6 … 1000000"),
        (|s| s.radius = [0.5, f32::NAN], "radius NaN … 1e-6 … 1000000"),
        (|s| s.radius = [0.5, f32::INFINITY], "radius inf … 1e-6 … 1000000"),
        (|s| s.radius = [-1.0, 1.0], "radius -1 … 1e-6 … 1000000"),
        (|s| s.radius = [2.0, 1.0], "radius 2..1 … try radius 1..2"),
        (|s| s.density = 0.0, "density 0 … 0 … 0.9 … try density 0.3"),
        (|s| s.density = f32::NAN, "density NaN … 0 … 0.9 … try density 0.3"),
        (|s| s.density = 0.99, "density 0.99 … 0 … 0.9 … try density 0.5"),
        (|s| s.density = f32::INFINITY, "density inf … 0 … 0.9 … try density 0.5"),
        (|s| s.density = 0.7, "density 0.7 … 500000 … try density 0.5"),
        (|s| s.density = 1e-4, "density 0.0001 … 127630x71793 … 0.5 … 1 … try density 0.00038"),
        (
            |s| (s.agents, s.density, s.radius) = (300, 0.0, [1.0, 1e6]),
            "density 0 … 0 … 0.9 … try density 0.3",
        ),
        (
            |s| (s.agents, s.density, s.radius) = (300, 0.5, [1.0, 1e6]),
            "radius 1..1000000 … 3.3422e7x1.88e7 … 1 … 1 … try a narrower range of radius",
        ),
        (|s| s.world = Some(Vec2::new(0.0, 5.0)), "world 0x5 … 0 … try world 1600x900"),
        (
            |s| (s.agents, s.world) = (1_500_000, Some(Vec2::new(0.0, 5.0))),
            "world 0x5 … 0 … try world 3200x1800",
        ),
        (
            |s| (s.agents, s.radius) = (300, [1e6, 1.0]),
            "radius 1000000..1 … try a narrower range of radius",
        ),
        (|s| s.world = Some(Vec2::new(5.0, f32::NAN)), "world 5xNaN … 0 … try world 1600x900"),
        (|s| s.world = Some(Vec2::new(f32::INFINITY, 5.0)), "world infx5 … 0 … try world 1600x900"),
        (|s| s.world = Some(Vec2::splat(1e9)), "world 1e9x1e9 … 0.5 … 1 … try world 65536x65536"),
        (
            |s| (s.agents, s.world) = (1, Some(Vec2::splat(1.0))),
            "world 1x1 … 1 … 1.5275 … 1.9 … try world 1.6x1.6",
        ),
        (
            |s| (s.agents, s.world) = (20_000, Some(Vec2::splat(200.0))),
            "world 200x200 … 20000 … 2 … 0.92 … try world 280x280",
        ),
    ]);
}

#[test]
fn rejects_numbers_out_of_range() {
    reject(&[
        (|s| s.speed = -1.0, "speed -1 … 0 … 5e8"),
        (|s| s.speed = f32::INFINITY, "speed inf … 0 … 5e8"),
        (|s| s.restitution = 2.0, "restitution 2 … 0 … 1"),
        (|s| s.restitution = -0.1, "restitution -0.1 … 0 … 1"),
        (|s| s.restitution = f32::NAN, "restitution NaN … 0 … 1"),
        (|s| s.gravity = f32::NEG_INFINITY, "gravity -inf … -1e9 … 1e9"),
        (|s| s.gravity = f32::NAN, "gravity NaN … -1e9 … 1e9"),
        (|s| s.hz = 0.0, "hz 0 … 0.001 … 100000"),
        (|s| s.hz = -60.0, "hz -60 … 0.001 … 100000"),
        (|s| s.hz = f32::INFINITY, "hz inf … 0.001 … 100000"),
        (|s| s.hz = 1e6, "hz 1000000 … 0.001 … 100000"),
        (|s| s.substeps = Some(0), "substeps 0 … 1 … 1000"),
        (|s| s.substeps = Some(2_000), "substeps 2000 … 1 … 1000"),
        (|s| s.spare_agents = u32::MAX, "spare_agents 4294967295 … 0 … 999500000"),
        (|s| s.spare_statics = u32::MAX, "spare_statics 4294967295 … 0 … 10000000"),
        (|s| s.tight = Some(0), "tight 0 … 1 … 32767"),
        (|s| s.cell = Some(0.0), "cell 0 … 2330.2x1310.7 … 32767 … try cell 2"),
        (|s| s.cell = Some(1e-6), "cell 1e-6 … 2330.2x1310.7 … 32767 … try cell 2"),
        (|s| s.cell = Some(f32::NAN), "cell NaN … 2330.2x1310.7 … 32767 … try cell 2"),
    ]);
}

#[test]
fn accepts_the_limits_themselves() {
    let change: [fn(&mut Setup); 8] = [
        |s| s.hz = 100_000.0,
        |s| s.speed = 0.0,
        |s| s.speed = limits::MEAN_SPEED_MAX,
        |s| s.spare_statics = limits::STATICS_MAX,
        |s| s.restitution = 0.0,
        |s| s.gravity = -10.0,
        |s| (s.cell, s.tight) = (Some(1e9), Some(1)),
        |s| s.world = Some(Vec2::splat(65_536.0)),
    ];
    for change in change {
        let mut setup = setup(Scene::Gas, 10);
        change(&mut setup);
        setup.validate().unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(Setup { agents: 100_000_000, ..Setup::new(Scene::Gas) }.validate().is_ok());
}

#[test]
fn suggestions_for_crowded_worlds_are_accepted() {
    // The world of the cannon is fixed, so there is nothing to suggest.
    for scene in Scene::ALL.into_iter().filter(|&scene| scene != Scene::Cannon) {
        for (agents, density, radius) in [
            (1, 0.89, [0.5, 1.0]),
            (2, 0.7, [1.0, 1.0]),
            (3, 0.9, [0.5, 50.0]),
            (40, 0.85, [0.5, 1.0]),
            (2_000, 0.99, [0.5, 1.0]),
            (2_000, 0.9, [1.0, 1.0]),
            (25_000, 0.7, [0.5, 1.0]),
        ] {
            let crowded = Setup { density, radius, ..setup(scene, agents) };
            let small = [Vec2::new(0.5, 0.75), Vec2::new(20.0, 11.0), Vec2::new(3.0, 2000.0)];
            let worlds =
                small.map(|size| Setup { world: Some(size), radius, ..setup(scene, agents) });
            for crowded in worlds.into_iter().chain([crowded]) {
                if let Err(error) = scene::place(&crowded) {
                    let roomy = follow(&crowded, &error);
                    check(&roomy, &start(&roomy));
                }
            }
        }
    }
}

/// The set-up that an error suggests.
fn follow(rejected: &Setup, error: &Error) -> Setup {
    let Error::Invalid(invalid) = error else { panic!("{error}") };
    let Remedy::Set(settings) = &invalid.remedy else { panic!("{error}: {rejected:?}") };
    let mut setup = rejected.clone();
    for &setting in settings {
        match setting {
            (Field::Agents, Value::Count(agents)) => setup.agents = agents as u32,
            (Field::Density, Value::Number(density)) => setup.density = density,
            (Field::Radius, Value::Span(radius)) => setup.radius = radius,
            (Field::World, Value::Size(world)) => setup.world = Some(world),
            (Field::World, Value::Missing) => setup.world = None,
            (Field::Cell, Value::Missing) => setup.cell = None,
            (Field::Cell, Value::Number(cell)) => setup.cell = Some(cell),
            other => panic!("{error}: {other:?}"),
        }
    }
    setup
}

#[test]
fn suggestions_for_coarse_worlds_and_cells_are_accepted() {
    for wrong in [
        Setup { density: 1e-6, ..setup(Scene::Gas, 2_000_000) },
        Setup { density: 1e-5, ..setup(Scene::Sparse, 500_000) },
        Setup { world: Some(Vec2::new(1e9, 900.0)), ..setup(Scene::Gas, 2_000) },
        Setup { world: Some(Vec2::splat(1e8)), ..setup(Scene::Sparse, 2_000) },
        Setup { agents: 1_000_000_000, radius: [0.01, 1.0], ..setup(Scene::Gas, 1) },
        Setup { cell: Some(1e-6), ..setup(Scene::Gas, 2_000) },
        Setup { radius: [1.0, 0.5], ..setup(Scene::Gas, 2_000) },
    ] {
        let error = wrong.validate().unwrap_err();
        let right = follow(&wrong, &error);
        right.validate().unwrap_or_else(|other| panic!("{error}, but {other}"));
    }
}

#[test]
fn the_cannon_has_a_fixed_world() {
    for (density, world, expected) in [
        (0.3, Some(Vec2::new(20.0, 10.0)), "world 20x10 … cannon … 9.6x6.4 … try world 9.6x6.4"),
        (0.2, None, "density 0.2 … cannon … 9.6x6.4 … try world 9.6x6.4 without density"),
    ] {
        let setup = Setup { density, world, ..Setup::new(Scene::Cannon) };
        let error = scene::place(&setup).expect_err("there is no other world").to_string();
        assert_says(&error, expected);
    }
    let large = Setup { radius: [0.3, 0.3], ..Setup::new(Scene::Cannon) };
    let error = scene::place(&large).expect_err("the balls don't fit");
    let Error::Invalid(invalid) = &error else { panic!("{error}") };
    let fewer = Remedy::Adjust(&[Adjust::Lower(Field::Agents), Adjust::Lower(Field::Radius)]);
    assert_eq!(invalid.remedy, fewer);
}

/// Giants may be far larger than the dust, but no larger than [`limits::RADIUS_MAX`].
#[test]
fn suggestions_for_giants_that_are_too_large_are_accepted() {
    let worlds = [
        Setup { density: 1e-4, ..Setup::new(Scene::Giants) },
        Setup { density: 0.1, ..Setup::new(Scene::Giants) },
        Setup { density: 0.4, cell: Some(1.0), ..Setup::new(Scene::Giants) },
        Setup { density: 0.1, cell: Some(-1.0), ..Setup::new(Scene::Giants) },
        Setup { density: 0.9, ..Setup::new(Scene::Giants) },
        Setup { world: Some(Vec2::splat(100.0)), ..Setup::new(Scene::Giants) },
    ];
    let ranges = [[0.5, 1e6], [1e6, 1e6], [9_999.0, 150_000.0], [260.0, 260.0]];
    let mut rejected = 0;
    for world in worlds {
        for (agents, radius) in [4, 2_000, 500_000, 1_000_000_000]
            .into_iter()
            .flat_map(|agents| ranges.map(|radius| (agents, radius)))
        {
            let giants = Setup { agents, radius, ..world.clone() };
            let Err(error) = giants.validate() else { continue };
            let Error::Invalid(invalid) = &error else { panic!("{error}") };
            if !matches!(invalid.limit, Limit::Giants { .. }) {
                continue;
            }
            rejected += 1;
            let less = follow(&giants, &error);
            less.validate().unwrap_or_else(|other| panic!("{error}, but {other}"));
            if agents <= 2_000 {
                scene::place(&less).unwrap_or_else(|other| panic!("{error}, but {other}"));
            }
        }
    }
    assert!(rejected > 40, "{rejected}");
    let few = Setup { agents: 4, radius: [5e5, 5.7e5], ..Setup::new(Scene::Giants) };
    let start = start(&few);
    assert!(start.agents.radius.iter().all(|&radius| radius <= limits::RADIUS_MAX));
}
