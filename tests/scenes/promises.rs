//! The described properties of scenes, at small and at real size.

use jostle::{Agent, Agents, Rect, Scene, Setup, Sim, Statics, Vec2, scene, scene::Start};

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
            if agents == 1 && matches!(scene, Scene::Pile | Scene::Shock) {
                // About half full of one agent, a world of 16:9 is lower than the agent is.
                let error = scene::place(&setup).unwrap_err().to_string();
                assert!(error.ends_with("agent without overlap; try density 0.4"), "{error}");
            } else if let Some(density) = match (scene, agents) {
                // An agent would touch another one, or itself, on both sides.
                (Scene::Shear, 1) => Some("0.3"),
                (Scene::Cooling, 1) => Some("0.1"),
                (Scene::Cooling, 2) => Some("0.2"),
                _ => None,
            } {
                let error = scene::place(&setup).unwrap_err().to_string();
                assert!(error.ends_with(&format!("try density {density}")), "{error}");
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
        let (a, again, b) = (start(&one), start(&one), start(&other));
        let hash = |start: &Start| jostle::sim::state_hash(0, &start.agents, &Statics::default());
        assert_eq!(hash(&a), hash(&again), "{scene}");
        check(&other, &b);
        assert_eq!(a.world, b.world, "{scene}");
        let same = |of: fn(&Agents) -> &Vec<f32>| {
            of(&a.agents).iter().zip(of(&b.agents)).filter(|(a, b)| a == b).count()
        };
        // The positions are equal as a set, too, whichever agents have them.
        let sorted = |start: &Start| {
            let mut x = start.agents.x.clone();
            x.sort_unstable_by(f32::total_cmp);
            x
        };
        let places = sorted(&a).iter().zip(sorted(&b)).filter(|(a, b)| **a == *b).count();
        let at_rest = a.agents.vx.iter().all(|&vx| vx == 0.0);
        let velocities = if at_rest { 0 } else { same(|a| &a.vx).max(same(|a| &a.vy)) };
        for same in [same(|a| &a.x), same(|a| &a.y), velocities, places] {
            assert!(same < 20, "{scene}: {same} of 2000 are the same");
        }
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
    let equal = start(&Setup { radius: [0.7; 2], ..setup(Scene::Mixed, 7) }).agents;
    assert_eq!(equal.radius, [0.7; 7]);
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
fn dust_lies_as_densely_beside_a_giant_as_everywhere() {
    // Tiles that a giant covers in part must not crowd the rest of theirs.
    let Start { agents, world, .. } = start(&setup(Scene::Giants, 100_000));
    let (giants, dust): (Vec<Agent>, Vec<Agent>) =
        (0..agents.len()).map(|slot| agents.get(slot)).partition(|agent| agent.radius > 10.0);
    let disc = |radius: f32| radius * radius * std::f32::consts::PI;
    let (giant, ring) = (giants[0].radius, giants[0].radius + 20.0);
    let free = world.width() * world.height() - giants.len() as f32 * disc(giant + 0.75);
    // Only giants that have all of the ring around them to themselves.
    let alone = giants.iter().filter(|one| {
        let apart = |other: &&Agent| one.position.distance(other.position) < ring + giant;
        world.contains_rect(&Rect::around(one.position, ring + 1.0))
            && giants.iter().filter(apart).count() == 1
    });
    let mut rings = 0;
    let mut beside = 0;
    for one in alone {
        rings += 1;
        let near = |grain: &&Agent| grain.position.distance(one.position) < ring;
        beside += dust.iter().filter(near).count();
    }
    assert!(rings >= 4, "{rings}");
    let density = beside as f32 / rings as f32 / (disc(ring) - disc(giant + 0.75));
    let ratio = density / (dust.len() as f32 / free);
    assert!((0.96..1.04).contains(&ratio), "{ratio} around {rings}");
}

#[test]
fn burst_flies_apart() {
    let Start { agents, world, populated, .. } = start(&setup(Scene::Burst, 20_000));
    let outward = (0..agents.len())
        .map(|i| agents.get(i))
        .filter(|agent| agent.velocity.dot(agent.position - world.center()) > 0.0);
    let share = outward.count() as f32 / agents.len() as f32;
    assert!(share > 0.7, "{share}");
    assert!(populated * 15.0 < f64::from(world.width() * world.height()));
}

#[test]
fn dam_is_a_dense_column_beside_its_obstacles() {
    for radius in [[0.5, 1.0], [1.0, 1.0], [0.79, 1.0], [0.7, 1.0], [0.5, 50.0]] {
        for agents in [20, 2_000, 20_000] {
            let setup = Setup { radius, ..setup(Scene::Dam, agents) };
            let start = start(&setup);
            check(&setup, &start);
            let Start { world, agents, statics, populated } = start;
            let right = agents.x.iter().zip(&agents.radius).map(|(x, radius)| x + radius);
            let gate = right.fold(world.min.x, f32::max);
            let obstacles = statics.iter().map(|shape| shape.bounds().min.x);
            assert!(statics.len() > 3 && obstacles.fold(world.max.x, f32::min) > gate, "{setup:?}");
            let share = setup.world().width() * world.height() * setup.density / populated as f32;
            assert!((share / 0.54 - 1.0).abs() < 0.01, "{share}: {setup:?}");
        }
    }
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

/// Mean velocity of the agents in a part of the world, given as shares of it.
fn mean_velocity(agents: &Agents, world: &Rect, part: [Vec2; 2]) -> Vec2 {
    let part = Rect::new(world.min + part[0] * world.size(), world.min + part[1] * world.size());
    let inside: Vec<Agent> = (0..agents.len())
        .map(|slot| agents.get(slot))
        .filter(|agent| part.contains(agent.position))
        .collect();
    inside.iter().map(|agent| agent.velocity).sum::<Vec2>() / inside.len() as f32
}

#[test]
fn shear_has_streams_that_roll_up() {
    let setup = setup(Scene::Shear, 20_000);
    let mut sim = Sim::new(&setup).expect("it can be placed");
    let world = sim.world();
    let stream = |sim: &Sim, low: f32, high: f32| {
        let part = [Vec2::new(0.0, low), Vec2::new(1.0, high)];
        mean_velocity(sim.agents(), &world, part) / setup.speed
    };
    for (low, high, way) in [(0.0, 0.18, -1.0), (0.32, 0.68, 1.0), (0.82, 1.0, -1.0)] {
        let mean = stream(&sim, low, high);
        assert!((0.8..0.95).contains(&(way * mean.x)) && mean.y.abs() < 0.02, "{mean}");
    }
    // Eddies lift agents out of the band, and others into it: along each border, the mean vertical
    // velocity goes up and down.
    let swing = |sim: &Sim| {
        let columns = (0..12).map(|n| {
            let [left, right] = [n, n + 1].map(|n| n as f32 / 12.0);
            let part = [Vec2::new(left, 0.65), Vec2::new(right, 0.85)];
            mean_velocity(sim.agents(), &world, part).y / setup.speed
        });
        columns.fold(0.0_f32, |most, mean| most.max(mean.abs()))
    };
    let before = swing(&sim);
    for _ in 0..100 {
        sim.step().expect("there is memory");
    }
    let after = swing(&sim);
    assert!(before < 0.1 && after > 0.2, "{before}, then {after}");
}

#[test]
fn shock_drives_a_front_that_is_faster_than_the_piston() {
    let setup = setup(Scene::Shock, 20_000);
    let mut sim = Sim::new(&setup).expect("it can be placed");
    let world = sim.world();
    let piston = |sim: &Sim| sim.statics().get(0).bounds();
    let still = piston(&sim);
    // A stroke is 0.12 of the world's width at four mean speeds.
    let stroke = (0.12 * world.width() / (4.0 * setup.speed) * setup.hz) as u32;
    for _ in 0..stroke {
        sim.step().expect("there is memory");
    }
    let moved = piston(&sim);
    assert!((moved.max.x - still.max.x) / world.width() > 0.11, "{moved:?}");
    assert_eq!([moved.min, Vec2::new(0.0, moved.max.y)], [still.min, Vec2::new(0.0, still.max.y)]);
    let share = moved.max.x / world.width();
    let ahead = |from: f32, to: f32| {
        let part = [Vec2::new(share + from, 0.4), Vec2::new(share + to, 0.6)];
        mean_velocity(sim.agents(), &world, part) / setup.speed
    };
    // Agents behind the front move with the piston; agents far ahead are not affected.
    let (near, far) = (ahead(0.01, 0.06), ahead(0.5, 0.8));
    assert!(near.x > 2.0 && far.x.abs() < 0.2, "{near}, {far}");
    // No agent is inside the piston.
    let inner = moved.expanded(-0.1);
    let inside = |slot: &usize| inner.contains(sim.agents().get(*slot).position);
    assert_eq!((0..sim.agents().len()).filter(inside).count(), 0);
    // A cycle later, it is where it began.
    for _ in stroke..3 * stroke {
        sim.step().expect("there is memory");
    }
    assert!((piston(&sim).max.x - still.max.x) / world.width() < 0.01, "{:?}", piston(&sim));
    // Without it, the gas goes on alone.
    assert_eq!(sim.remove_statics(&[0]), 1);
    sim.step().expect("there is memory");
}

#[test]
fn cooling_gathers_a_gas_in_filaments() {
    let mut sim = Sim::new(&setup(Scene::Cooling, 20_000)).expect("it can be placed");
    // The variance of the number of agents in a tile, over its mean: 1 where each lies at random.
    let clumping = |sim: &Sim| {
        let (agents, world) = (sim.agents(), sim.world());
        let mut tiles = [0.0_f32; 24 * 24];
        for slot in 0..agents.len() {
            let at = (Vec2::new(agents.x[slot], agents.y[slot]) - world.min) / world.size() * 24.0;
            let [col, row] = at.to_array().map(|at| (at as usize).min(23));
            tiles[row * 24 + col] += 1.0;
        }
        let mean = agents.len() as f32 / tiles.len() as f32;
        tiles.iter().map(|count| (count - mean).powi(2)).sum::<f32>() / agents.len() as f32
    };
    let (even, hot) = (clumping(&sim), sim.agents().kinetic_energy());
    for _ in 0..600 {
        sim.step().expect("there is memory");
    }
    let (web, cold) = (clumping(&sim), sim.agents().kinetic_energy());
    assert!(even < 1.0 && web > 5.0, "{even}, then {web}");
    assert!(cold < 0.01 * hot, "{hot}, then {cold}");
}

/// The pegs of a flat world are large: none reaches into the hopper.
#[test]
fn agents_of_a_flat_board_start_beside_its_statics() {
    for size in [Vec2::new(290.4564, 12.838_289), Vec2::new(900.0, 12.0), Vec2::new(150.0, 12.0)] {
        let world = Some(size);
        let setup = Setup { world, seed: 8_331_021_254_565_926_068, ..setup(Scene::Pegs, 51) };
        let Start { agents, statics, .. } = start(&setup);
        for shape in &statics {
            let into = |slot: usize| {
                let at = Vec2::new(agents.x[slot], agents.y[slot]);
                agents.radius[slot] - shape.distance(at)
            };
            let deepest = (0..agents.len()).map(into).fold(0.0, f32::max);
            assert!(deepest < 1e-3, "{size}: {deepest} in {shape:?}");
        }
    }
}

/// Discs at the left border, whose centers are rounded: the placement finds them a position.
#[test]
fn a_lattice_beside_a_border_that_is_not_0_is_placed() {
    for seed in 0..20 {
        let world = Some(Vec2::new(3.5, 6.3));
        let radius = [0.260_223_78; 2];
        let setup = Setup { world, radius, seed, ..setup(Scene::Shock, 71) };
        check(&setup, &start(&setup));
    }
}
