//! What scenes promise, at small and at real size.

use jostle::{Agents, Scene, Setup, Vec2, scene, scene::Start};

use crate::check::{check, setup, start};

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
            let setup = Setup { radius, density, ..setup(scene, 3_000) };
            match scene::place(&setup) {
                Ok(start) => check(&setup, &start),
                // Clumps are small and round: a lattice fills them less well.
                Err(error) => assert!(scene != Scene::Gas && density > 0.6, "{error}"),
            }
        }
    }
}
