//! Scenes: what they promise about their starts, at small and at real size.

use std::collections::HashSet;

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
            match scene::place(&setup) {
                Ok(start) => check(&setup, &start),
                // A world as full as a pile's may be smaller than its only agents.
                Err(error) => assert!(agents < 7, "{agents} of {scene}: {error}"),
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
