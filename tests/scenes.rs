//! Scenes: what they promise about their starts, at small and at real size.

use jostle::{Agents, Rect, Scene, Setup, Vec2, scene, scene::Start};

/// A scene's own set-up with another number of agents.
fn setup(scene: Scene, agents: u32) -> Setup {
    Setup { agents, ..Setup::new(scene) }
}

fn start(setup: &Setup) -> Start {
    scene::place(setup).unwrap_or_else(|error| panic!("{setup:?}: {error}"))
}

/// Overlap as DESIGN 4 says it.
fn overlap(agents: &Agents, i: usize, j: usize) -> bool {
    let (dx, dy) = (agents.x[i] - agents.x[j], agents.y[i] - agents.y[j]);
    let sum = agents.radius[i] + agents.radius[j];
    dx * dx + dy * dy < sum * sum
}

/// Every pair.
fn overlaps_naive(agents: &Agents) -> usize {
    let pairs = (0..agents.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| overlap(agents, i, j)).count()
}

/// A sweep along x over the discs of about one size, so that giants don't make every window wide: each
/// class with itself and with all larger ones.
fn overlaps_sorted(agents: &Agents) -> usize {
    let largest = agents.radius.iter().copied().fold(0.0, f32::max);
    let class = |i: usize| (0..).find(|&n: &i32| agents.radius[i] > largest / 2_f32.powi(n + 1));
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for i in 0..agents.len() {
        let class = class(i).unwrap_or(0) as usize;
        classes.resize_with(classes.len().max(class + 1), Vec::new);
        classes[class].push(i);
    }
    for class in &mut classes {
        class.sort_unstable_by(|&i, &j| agents.x[i].total_cmp(&agents.x[j]));
    }
    let mut count = 0;
    for (n, larger) in classes.iter().enumerate() {
        let widest = largest / 2_f32.powi(n as i32);
        for (m, smaller) in classes.iter().enumerate().skip(n) {
            for &i in smaller {
                // A little more than the sum of the radii, for what rounding does to the bound.
                let reach = (agents.radius[i] + widest) * 1.02;
                let first = larger.partition_point(|&j| agents.x[j] < agents.x[i] - reach);
                count += larger[first..]
                    .iter()
                    .take_while(|&&j| agents.x[j] <= agents.x[i] + reach)
                    .filter(|&&j| (n != m || j < i) && overlap(agents, i, j))
                    .count();
            }
        }
    }
    count
}

/// All that holds for every start.
fn check(setup: &Setup, start: &Start) {
    let Start { world, agents, .. } = start;
    let about = format!("{} of {}", setup.agents, setup.scene);
    assert_eq!(agents.len(), setup.agents as usize, "{about}");
    assert!(agents.id.iter().copied().eq(0..setup.agents), "{about}");
    assert_eq!(*world, setup.world(), "{about}");
    let [low, high] = setup.radius;
    let largest = if setup.scene == Scene::Giants { f32::INFINITY } else { high };
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        let around = Rect::around(agent.position, agent.radius);
        assert!(world.covers(&around), "{about}: {agent:?} is not in {world:?}");
        assert!(world.expanded(-agent.radius).contains(agent.position), "{about}: {agent:?}");
        assert!((low..=largest).contains(&agent.radius), "{about}: {agent:?}");
        let speed = agent.velocity.length() / setup.speed;
        assert!((0.4999..=1.5001).contains(&speed), "{about}: {agent:?}");
    }
    assert_eq!(overlaps_sorted(agents), 0, "{about}");
    if agents.len() <= 2_000 {
        assert_eq!(overlaps_naive(agents), 0, "{about}");
    }
    // What they cover is what was asked for, of all that is populated.
    let covered = covered(agents);
    let asked = match setup.world {
        Some(size) if !matches!(setup.scene, Scene::Burst | Scene::Sparse) => {
            covered / f64::from(size.x * size.y)
        }
        _ => f64::from(setup.density),
    };
    assert!((covered / start.populated / asked - 1.0).abs() < 1e-3, "{about}");
}

fn covered(agents: &Agents) -> f64 {
    let squares = agents.radius.iter().map(|&r| f64::from(r) * f64::from(r));
    squares.sum::<f64>() * std::f64::consts::PI
}

fn quantile(agents: &Agents, share: f64) -> f32 {
    let mut radii = agents.radius.clone();
    radii.sort_unstable_by(f32::total_cmp);
    radii[(share * radii.len() as f64) as usize]
}

#[test]
fn starts_hold_what_they_promise() {
    for scene in Scene::ALL {
        for agents in [1, 2, 3, 7, 20, 100, 2_000, 60_000] {
            let setup = setup(scene, agents);
            if (scene, agents) == (Scene::Pile, 1) {
                // Half full of one agent, a world of 16:9 is lower than the agent is.
                let error = scene::place(&setup).unwrap_err().to_string();
                assert!(error.ends_with("without overlap; 0.4 would do"), "{error}");
            } else {
                check(&setup, &start(&setup));
            }
        }
    }
}

#[test]
fn same_seed_same_bits_and_others_differ() {
    for scene in Scene::ALL {
        let one = setup(scene, 2_000);
        let other = Setup { seed: 1, ..one.clone() };
        let hash = |setup| jostle::hash::state_hash(0, &start(setup).agents);
        assert_eq!(hash(&one), hash(&one), "{scene}");
        assert_ne!(hash(&one), hash(&other), "{scene}");
        assert_eq!(one.world(), other.world(), "{scene}");
        check(&other, &start(&other));
    }
}

#[test]
fn gas_is_as_large_as_it_should_be() {
    let size = Setup::new(Scene::Gas).world().size();
    assert!((size - Vec2::new(2330.2, 1310.7)).abs().max_element() < 0.1, "{size}");
    assert!((size.x / size.y - 16.0 / 9.0).abs() < 1e-6);
}

#[test]
fn radii_follow_their_laws() {
    let uniform = start(&setup(Scene::Gas, 10_000)).agents;
    for (share, radius) in [(0.1, 0.55), (0.5, 0.75), (0.9, 0.95)] {
        assert!((quantile(&uniform, share) / radius - 1.0).abs() < 1e-3, "{share}");
    }
    let cubic = start(&setup(Scene::Mixed, 10_000)).agents;
    for share in [0.1_f64, 0.5, 0.9, 0.99, 0.998] {
        // The share of agents below r is (a⁻² − r⁻²) / (a⁻² − b⁻²) from 0.5 to 50.
        let expected = (4.0 - share * (4.0 - 0.0004)).sqrt().recip() as f32;
        let radius = quantile(&cubic, share);
        assert!((radius / expected - 1.0).abs() < 0.03, "{share}: {radius} for {expected}");
    }
    let giants = start(&setup(Scene::Giants, 500_000)).agents;
    let large = giants.radius.iter().filter(|&&radius| radius > 150.0).count();
    let small = giants.radius.iter().filter(|&&radius| radius <= 1.0).count();
    assert_eq!((large, small), (12, 499_988), "a dozen, hundreds of times as wide");
}

#[test]
fn ids_say_nothing_about_size_and_place() {
    for scene in [Scene::Mixed, Scene::Sparse] {
        let agents = start(&setup(scene, 20_000)).agents;
        let half = |ids: std::ops::Range<usize>| {
            let mean = |of: &[f32]| of.iter().sum::<f32>() / of.len() as f32;
            [mean(&agents.radius[ids.clone()]), mean(&agents.x[ids])]
        };
        let ([radius, x], [other_radius, other_x]) = (half(0..10_000), half(10_000..20_000));
        assert!((radius / other_radius - 1.0).abs() < 0.1, "{scene}: {radius}, {other_radius}");
        let width = start(&setup(scene, 20_000)).world.width();
        assert!((x - other_x).abs() < width * 0.02, "{scene}: {x}, {other_x}");
    }
}

#[test]
fn dust_lies_as_densely_beside_a_giant_as_far_from_it() {
    // Tiles that a giant covers in part must not crowd the rest of theirs.
    let Start { agents, .. } = start(&setup(Scene::Giants, 100_000));
    let giants: Vec<usize> = (0..agents.len()).filter(|&i| agents.radius[i] > 10.0).collect();
    assert_eq!(giants.len(), 12);
    let ring = |from: f32, to: f32| {
        let mut dust = 0;
        for &giant in &giants {
            let distance = |i: usize| {
                let (dx, dy) = (agents.x[i] - agents.x[giant], agents.y[i] - agents.y[giant]);
                (dx * dx + dy * dy).sqrt() - agents.radius[giant]
            };
            dust += (0..agents.len()).filter(|&i| (from..to).contains(&distance(i))).count();
        }
        let radius = agents.radius[giants[0]];
        f64::from(dust as u32) / f64::from((radius + to).powi(2) - (radius + from).powi(2))
    };
    let ratio = ring(2.0, 12.0) / ring(12.0, 22.0);
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}

#[test]
fn burst_flies_apart() {
    let Start { agents, world, populated } = start(&setup(Scene::Burst, 20_000));
    let outward = (0..agents.len())
        .map(|i| agents.get(i))
        .filter(|agent| agent.velocity.dot(agent.position - world.center()) > 0.0);
    let share = outward.count() as f32 / agents.len() as f32;
    assert!(share > 0.7, "{share}");
    assert!(populated * 15.0 < f64::from(world.width() * world.height()));
}

#[test]
fn the_share_of_sparse_follows_the_world() {
    for (share, world) in [(1e-2, Vec2::new(8000.0, 5725.0)), (1e-3, Vec2::new(4000.0, 114_500.0))]
    {
        let setup = Setup { world: Some(world), ..setup(Scene::Sparse, 100_000) };
        let start = start(&setup);
        check(&setup, &start);
        let populated = start.populated / (f64::from(world.x) * f64::from(world.y));
        assert!((populated / share - 1.0).abs() < 0.01, "{populated}");
    }
}

#[test]
fn worlds_of_any_shape() {
    let world = |scene, agents, radius: [f32; 2], width, height| Setup {
        radius,
        world: Some(Vec2::new(width, height)),
        ..setup(scene, agents)
    };
    for setup in [
        // As large as the world, to the last bit.
        world(Scene::Gas, 1, [0.7, 0.7], 1.4, 1.4),
        world(Scene::Gas, 1, [1.0, 1.0], 2.0, 300.0),
        world(Scene::Gas, 2, [1.0, 1.0], 4.0, 2.0),
        world(Scene::Gas, 4, [1.0, 1.0], 4.0, 4.0),
        world(Scene::Gas, 3, [1.0, 1.0], 4.1, 3.9),
        // Narrow, tall, nearly empty.
        world(Scene::Gas, 500, [0.5, 1.0], 1000.0, 2.0),
        world(Scene::Mixed, 3_000, [0.5, 5.0], 11.0, 5000.0),
        world(Scene::Gas, 10, [0.5, 1.0], 60_000.0, 60_000.0),
        world(Scene::Burst, 1, [0.5, 1.0], 4.0, 3.0),
        world(Scene::Burst, 3_000, [0.5, 1.0], 125.0, 5000.0),
        world(Scene::Pile, 3_000, [0.5, 1.0], 70.0, 400.0),
    ] {
        check(&setup, &start(&setup));
    }
}

#[test]
fn densities_of_every_kind() {
    for (radius, density) in [
        ([1.0, 1.0], 0.46),
        ([1.0, 1.0], 0.5),
        ([0.9, 1.0], 0.65),
        ([1.0, 1.0], 0.85),
        ([0.5, 1.0], 0.55),
        ([0.1, 1.0], 0.5),
        ([2e5, 2e5], 0.8),
        ([1e-6, 2e-6], 0.01),
    ] {
        for scene in [Scene::Gas, Scene::Burst, Scene::Sparse] {
            let setup = Setup { radius, density, ..setup(scene, 5_000) };
            match scene::place(&setup) {
                Ok(start) => check(&setup, &start),
                // Clumps are small and round: a lattice fills them less well.
                Err(error) => assert!(scene != Scene::Gas && density > 0.6, "{error}"),
            }
        }
    }
}

#[test]
fn what_is_suggested_works() {
    for scene in Scene::ALL {
        for (agents, density, radius) in [
            (1, 0.89, [0.5, 1.0]),
            (2, 0.7, [1.0, 1.0]),
            (3, 0.9, [0.5, 50.0]),
            (40, 0.85, [0.5, 1.0]),
            (2_000, 0.99, [0.5, 1.0]),
            (2_000, 0.9, [1.0, 1.0]),
            (50_000, 0.7, [0.5, 1.0]),
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

/// Refusals: a change to the default set-up, and the whole sentence.
#[test]
fn bad_values_are_refused_in_a_sentence() {
    type Change = fn(&mut Setup);
    let cases: [(Change, &str); 36] = [
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
        (|s| s.speed = -1.0, "--speed -1 can't be; it goes from 0 to 1e9"),
        (|s| s.speed = f32::INFINITY, "--speed inf can't be; it goes from 0 to 1e9"),
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
        (|s| s.tight = Some(0), "--tight 0 is too few; the least is 1"),
        (
            |s| s.cell = Some(0.0),
            "--cell 0 can't cut a world of 2330.2 x 1310.7 into cells, 65536 a side at the \
             most; --cell 2 would do",
        ),
        (
            |s| s.cell = Some(1e-6),
            "--cell 1e-6 can't cut a world of 2330.2 x 1310.7 into cells, 65536 a side at the \
             most; --cell 2 would do",
        ),
        (
            |s| s.cell = Some(f32::NAN),
            "--cell NaN can't cut a world of 2330.2 x 1310.7 into cells, 65536 a side at the \
             most; --cell 2 would do",
        ),
    ];
    for (change, sentence) in cases {
        let mut setup = Setup::new(Scene::Gas);
        change(&mut setup);
        let error = scene::place(&setup).unwrap_err();
        assert!(matches!(error, jostle::Error::Invalid(_)));
        assert_eq!(error.to_string(), sentence);
    }
}

#[test]
fn limits_themselves_are_allowed() {
    let change: [fn(&mut Setup); 6] = [
        |s| s.hz = 100_000.0,
        |s| s.speed = 0.0,
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
fn scenes_are_found_by_name() {
    for scene in Scene::ALL {
        assert_eq!(Scene::find(scene.name()).unwrap(), scene);
        assert_eq!(format!("{scene:>8}").trim(), scene.name());
        assert!(!scene.summary().is_empty() && !scene.summary().ends_with('.'));
        assert!(Setup::new(scene).validate().is_ok(), "{scene}");
    }
    for (name, nearest) in
        [("gass", "gas"), ("Giant", "giants"), ("spares", "sparse"), ("", "gas"), ("plie", "pile")]
    {
        let error = Scene::find(name).unwrap_err().to_string();
        assert!(error.contains(&format!("the nearest is {nearest},")), "{error}");
    }
}

#[test]
#[ignore = "a measurement: cargo test --release --test scenes -- --ignored --nocapture"]
fn time_to_place() {
    for scene in Scene::ALL {
        let setup = setup(scene, 500_000);
        let clock = std::time::Instant::now();
        let start = start(&setup);
        println!(
            "{scene:8} {:7.1} ms, world {}",
            clock.elapsed().as_secs_f64() * 1e3,
            start.world.size()
        );
        check(&setup, &start);
    }
}
