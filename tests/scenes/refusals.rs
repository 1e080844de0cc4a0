//! What scenes refuse: in which words, and that what they suggest works.

use jostle::{Scene, Setup, Vec2, count, limits, scene};

use crate::check::{check, setup, start};

/// A change to the default set-up, and the sentence that refuses it.
type Refusal = (fn(&mut Setup), &'static str);

fn refuse(refusals: &[Refusal]) {
    for (change, sentence) in refusals {
        let mut setup = Setup::new(Scene::Gas);
        change(&mut setup);
        let error = scene::place(&setup).unwrap_err();
        assert!(matches!(error, jostle::Error::Invalid(_)));
        assert_eq!(error.to_string(), *sentence);
    }
}

#[test]
fn agents_and_worlds_that_cannot_be() {
    refuse(&[
        (|s| s.agents = 0, "--agents 0 is too few; the least is 1"),
        (|s| s.agents = 4_000_000_000, "--agents 4000000000 is too many; the most is 1000000000"),
        (|s| s.radius = [0.0, 1.0], "--radius 0 can't be; it goes from 1e-6 to 1000000"),
        (|s| s.radius = [0.5, f32::NAN], "--radius NaN can't be; it goes from 1e-6 to 1000000"),
        (
            |s| s.radius = [0.5, f32::INFINITY],
            "--radius inf can't be; it goes from 1e-6 to 1000000",
        ),
        (|s| s.radius = [-1.0, 1.0], "--radius -1 can't be; it goes from 1e-6 to 1000000"),
        (
            |s| s.radius = [2.0, 1.0],
            "--radius 2..1 runs backwards; the smaller comes first: --radius 1..2",
        ),
        (
            |s| s.density = 0.0,
            "--density 0 leaves no agents in the world; it must be above 0, and 0.3 would do",
        ),
        (
            |s| s.density = f32::NAN,
            "--density NaN leaves no agents in the world; it must be above 0, and 0.3 would do",
        ),
        (
            |s| s.density = 0.99,
            "--density 0.99 is more than can be placed without overlap, 0.9 at the most; 0.5 would do",
        ),
        (
            |s| s.density = f32::INFINITY,
            "--density inf is more than can be placed without overlap, 0.9 at the most; 0.5 would do",
        ),
        (
            |s| s.density = 0.7,
            "--density 0.7 is more than 500000 agents can be placed at without overlap; 0.5 would do",
        ),
        (
            |s| s.density = 1e-4,
            "a world of 127630 x 71793 is too large for agents of radius 0.5: at its far end \
             positions would be rounded by more than 1 % of that; --density 0.00038 would do",
        ),
        (
            |s| s.world = Some(Vec2::new(0.0, 5.0)),
            "--world 0x5 is no size; width and height must be numbers above 0, as in --world 1600x900",
        ),
        (
            |s| s.world = Some(Vec2::new(5.0, f32::NAN)),
            "--world 5xNaN is no size; width and height must be numbers above 0, as in \
             --world 1600x900",
        ),
        (
            |s| s.world = Some(Vec2::new(f32::INFINITY, 5.0)),
            "--world infx5 is no size; width and height must be numbers above 0, as in \
             --world 1600x900",
        ),
        (
            |s| s.world = Some(Vec2::splat(1e9)),
            "a world of 1e9 x 1e9 is too large for agents of radius 0.5: at its far end positions \
             would be rounded by more than 1 % of that; --world may be 65536 a side at the most",
        ),
        (
            |s| (s.agents, s.world) = (1, Some(Vec2::splat(1.0))),
            "--world 1x1 is too small for 1 agent up to 1.5275 wide that cover 1.9 of it; \
             --world 1.6x1.6 would do",
        ),
        (
            |s| (s.agents, s.world) = (20_000, Some(Vec2::splat(200.0))),
            "--world 200x200 is too small for 20000 agents up to 2 wide that cover 0.92 of \
             it; --world 280x280 would do",
        ),
    ]);
}

#[test]
fn numbers_that_cannot_be() {
    refuse(&[
        (|s| s.speed = -1.0, "--speed -1 can't be; it goes from 0 to 5e8"),
        (|s| s.speed = f32::INFINITY, "--speed inf can't be; it goes from 0 to 5e8"),
        (|s| s.restitution = 2.0, "--restitution 2 can't be; it goes from 0 to 1"),
        (|s| s.restitution = -0.1, "--restitution -0.1 can't be; it goes from 0 to 1"),
        (|s| s.restitution = f32::NAN, "--restitution NaN can't be; it goes from 0 to 1"),
        (|s| s.gravity = f32::NEG_INFINITY, "--gravity -inf can't be; it goes from -1e9 to 1e9"),
        (|s| s.gravity = f32::NAN, "--gravity NaN can't be; it goes from -1e9 to 1e9"),
        (|s| s.hz = 0.0, "--hz 0 can't be; it goes from 0.001 to 100000"),
        (|s| s.hz = -60.0, "--hz -60 can't be; it goes from 0.001 to 100000"),
        (|s| s.hz = f32::INFINITY, "--hz inf can't be; it goes from 0.001 to 100000"),
        (|s| s.hz = 1e6, "--hz 1000000 can't be; it goes from 0.001 to 100000"),
        (|s| s.substeps = 0, "--substeps 0 is too few; the least is 1"),
        (|s| s.substeps = 2_000, "--substeps 2000 is too many; the most is 1000"),
        (
            |s| s.spare_statics = u32::MAX,
            "room for 4294967295 statics is too much; 10000000 are the most that can be added",
        ),
        (|s| s.tight = Some(0), "--tight 0 is too few; the least is 1"),
        (
            |s| s.cell = Some(0.0),
            "--cell 0 can't cut a world of 2330.2 x 1310.7 into cells, 32767 a side at the \
             most; --cell 2 would do",
        ),
        (
            |s| s.cell = Some(1e-6),
            "--cell 1e-6 can't cut a world of 2330.2 x 1310.7 into cells, 32767 a side at the \
             most; --cell 2 would do",
        ),
        (
            |s| s.cell = Some(f32::NAN),
            "--cell NaN can't cut a world of 2330.2 x 1310.7 into cells, 32767 a side at the \
             most; --cell 2 would do",
        ),
    ]);
}

#[test]
fn limits_themselves_are_allowed() {
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
fn what_is_suggested_works() {
    // There is nothing to suggest for the world of the cannon.
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
            if let Err(error) = scene::place(&crowded) {
                let message = error.to_string();
                let roomy = roomier(&crowded, &message).expect(&message);
                check(&roomy, &start(&roomy));
            }
            // The same agents in a world that is too small for them.
            for size in [Vec2::new(0.5, 0.75), Vec2::new(20.0, 11.0), Vec2::new(3.0, 2000.0)] {
                let crowded = Setup { world: Some(size), radius, ..setup(scene, agents) };
                if let Err(error) = scene::place(&crowded) {
                    let message = error.to_string();
                    let roomy = roomier(&crowded, &message).expect(&message);
                    check(&roomy, &start(&roomy));
                }
            }
        }
    }
}

/// What the end of a message suggests.
fn roomier(crowded: &Setup, message: &str) -> Option<Setup> {
    let remedy = message.strip_suffix(" would do")?.split("; ").last()?;
    if let Some(size) = remedy.strip_prefix("--world ") {
        let (width, height) = size.split_once('x')?;
        let world = Some(Vec2::new(width.parse().ok()?, height.parse().ok()?));
        return Some(Setup { world, ..crowded.clone() });
    }
    let density = match remedy.strip_suffix(" instead of --world") {
        Some(flag) => flag.strip_prefix("--density ")?,
        None => remedy,
    };
    Some(Setup { density: density.parse().ok()?, world: None, ..crowded.clone() })
}

#[test]
fn the_world_of_the_cannon_is_its_own() {
    for (change, expected) in [
        (
            (|s| s.world = Some(Vec2::new(20.0, 10.0))) as fn(&mut Setup),
            "--world 20x10 can't be used with cannon, whose world is always 9.6x6.4; leave it out",
        ),
        (
            |s| (s.density, s.world) = (0.2, None),
            "--density 0.2 can't be used with cannon, whose world is always 9.6x6.4; leave it out",
        ),
    ] {
        let mut setup = Setup::new(Scene::Cannon);
        change(&mut setup);
        let error = scene::place(&setup).expect_err("there is no other world").to_string();
        assert_eq!(error, expected);
    }
    let large = Setup { radius: [0.3, 0.3], ..Setup::new(Scene::Cannon) };
    let error = scene::place(&large).expect_err("they don't fit").to_string();
    assert!(error.ends_with("fewer agents would do, or smaller ones"), "{error}");
}

/// They may be far larger than the dust, but not than anybody may be who comes.
#[test]
fn giants_that_are_too_large_are_refused_and_what_is_suggested_works() {
    let worlds = [
        Setup { density: 1e-4, ..Setup::new(Scene::Giants) },
        Setup { density: 0.1, ..Setup::new(Scene::Giants) },
        Setup { density: 0.4, cell: Some(1.0), ..Setup::new(Scene::Giants) },
        Setup { density: 0.1, cell: Some(-1.0), ..Setup::new(Scene::Giants) },
        Setup { density: 0.9, ..Setup::new(Scene::Giants) },
        Setup { world: Some(Vec2::splat(100.0)), ..Setup::new(Scene::Giants) },
    ];
    let ranges = [[0.5, 1e6], [1e6, 1e6], [9_999.0, 150_000.0], [260.0, 260.0]];
    let mut refused = 0;
    for world in worlds {
        for (agents, radius) in [4, 2_000, 500_000, 1_000_000_000]
            .into_iter()
            .flat_map(|agents| ranges.map(|radius| (agents, radius)))
        {
            let giants = Setup { agents, radius, ..world.clone() };
            let Err(error) = giants.validate() else { continue };
            let message = error.to_string();
            if !message.contains(" makes giants of radius ") {
                continue;
            }
            refused += 1;
            let less = heeding(&giants, &message);
            less.validate().unwrap_or_else(|other| panic!("{message}, but {other}"));
            if agents <= 2_000 {
                scene::place(&less).unwrap_or_else(|other| panic!("{message}, but {other}"));
            }
        }
    }
    assert!(refused > 40, "{refused}");
    let few = Setup { agents: 4, radius: [5e5, 5.7e5], ..Setup::new(Scene::Giants) };
    let start = start(&few);
    assert!(start.agents.radius.iter().all(|&radius| radius <= limits::RADIUS_MAX));
}

/// The set-up that a sentence suggests, at its end.
fn heeding(setup: &Setup, message: &str) -> Setup {
    let (_, remedy) = message.rsplit_once("at the most; ").expect(message);
    let after = |flag| remedy.split_once(flag).and_then(|(_, rest)| rest.split(' ').next());
    let (low, high) = after("--radius ").and_then(|range| range.split_once("..")).expect(message);
    let number = |text: &str| text.parse().expect(message);
    Setup {
        radius: [number(low), number(high)],
        agents: after("--agents ")
            .map_or(setup.agents, |count| count::agents(count).expect(message)),
        density: after("--density ").map_or(setup.density, number),
        cell: if remedy.contains("without --cell") { None } else { setup.cell },
        world: if remedy.contains("instead of --world") { None } else { setup.world },
        ..setup.clone()
    }
}
