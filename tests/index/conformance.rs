//! The suite: every index finds the pairs of the naive search, in any scene and at every edge.

use jostle::{Rect, Scene, Setup, Sim, Vec2, rng::Rng};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::moving_discs::{MovingDiscs, build, check, kind, pairs};

/// The number of ids in a random sequence of updates.
const CAPACITY: u32 = 40;

/// Position as shares of the world, slightly beyond it too, often the same; radius from small to
/// giant.
fn disc() -> impl Strategy<Value = [f32; 3]> {
    let share = || prop_oneof![4 => -0.1_f32..1.1, 1 => Just(0.5_f32), 1 => Just(0.25_f32)];
    let radius = prop_oneof![6 => 0.05_f32..1.5, 1 => Just(1.0_f32), 1 => 5.0_f32..40.0];
    (share(), share(), radius).prop_map(|(x, y, radius)| [x, y, radius])
}

/// The disc in a world.
fn disc_at(world: Rect, [x, y, radius]: [f32; 3]) -> [f32; 3] {
    let at = world.min + world.size() * Vec2::new(x, y);
    [at.x, at.y, radius]
}

/// Several updates in every scene.
pub(crate) fn every_scene(name: &str) {
    let kind = kind(name);
    for scene in Scene::ALL {
        let setup = Setup::with_agents(scene, 2_000);
        let mut sim = Sim::new(&setup).expect("the scene can be placed");
        let grid = *sim.grid().config();
        let discs = MovingDiscs::from_agents(sim.agents(), sim.setup().agents);
        let mut index = build(kind, &discs.config(sim.world(), grid.loose_size.x));
        let mut found = 0;
        for steps in [0, 1, 2, 20, 100] {
            while sim.steps() < steps {
                sim.step().expect("there is memory");
            }
            let discs = MovingDiscs::from_agents(sim.agents(), sim.setup().agents);
            index.update(&discs.by_id()).expect("there is memory");
            found += check(&mut *index, &discs, format_args!("{scene}, {steps} steps"));
        }
        assert!(found > 0, "{scene}: some agents overlap");
    }
}

/// No disc, one disc, many at one point, some outside the world, some larger than it, rows that
/// touch and rows that overlap slightly.
pub(crate) fn edge_cases(name: &str) {
    let kind = kind(name);
    let world = Rect::from_size(40.0, 30.0);
    let one_point = |count| MovingDiscs::new(vec![(5.0, 20.0, 0.25); count]);
    let outside = [(-300.0, 15.0, 2.0), (-301.0, 15.5, 1.0), (20.0, 1e5, 3.0), (21.0, 1e5, 3.0)];
    let larger = [(20.0, 15.0, 60.0), (1.0, 1.0, 0.5), (39.0, 29.0, 0.5), (-20.0, 15.0, 30.0)];
    let touching = (0..8).map(|i| (4.0 * i as f32, 10.0, 2.0));
    let grazing = (0..8).map(|i| (3.999_999 * i as f32, 10.0, 2.0));
    let corners = [(0.0, 0.0, 1.0), (40.0, 0.0, 1.0), (40.0, 30.0, 1.0), (0.0, 30.0, 1.0)];
    let points = [(3.0, 3.0, 0.0), (3.0, 3.0, 0.0), (3.5, 3.0, 1.0)];
    for (what, discs) in [
        ("no disc", MovingDiscs::default()),
        ("one", MovingDiscs::new([(3.0, 4.0, 1.0)])),
        ("two at one point", one_point(2)),
        ("300 at one point", one_point(300)),
        ("some outside", MovingDiscs::new(outside.into_iter().chain([(0.0, 15.0, 1.0)]))),
        ("some larger than the world", MovingDiscs::new(larger)),
        ("a row that touches", MovingDiscs::new(touching)),
        ("a row that grazes", MovingDiscs::new(grazing)),
        ("corners", MovingDiscs::new(corners)),
        ("points", MovingDiscs::new(points)),
    ] {
        for cell in [0.7, 5.0, 100.0] {
            let mut index = build(kind, &discs.config(world, cell));
            check(&mut *index, &MovingDiscs::default(), "before the first update");
            index.update(&discs.by_id()).expect("there is memory");
            check(&mut *index, &discs, what);
            let mut gone = discs.clone();
            gone.alive.fill(false);
            index.update(&gone.by_id()).expect("there is memory");
            check(&mut *index, &gone, format_args!("{what}, none alive"));
            index.update(&discs.by_id()).expect("there is memory");
            check(&mut *index, &discs, format_args!("{what}, alive again"));
        }
    }
}

/// Sizes over three decades, in worlds that are not square and have any origin, with cells far too
/// small and far too large.
pub(crate) fn any_world(name: &str) {
    let (kind, mut rng) = (kind(name), Rng::new(2));
    for (origin, size) in [
        (Vec2::ZERO, Vec2::new(160.0, 90.0)),
        (Vec2::new(-731.5, 1_212.25), Vec2::new(400.0, 7.0)),
        (Vec2::new(60_000.0, -30_000.0), Vec2::new(30.0, 300.0)),
    ] {
        let world = Rect::new(origin, origin + size);
        let mut discs = Vec::new();
        for i in 0..600 {
            let share = Vec2::new(rng.between(-0.05, 1.05), rng.between(-0.05, 1.05));
            let at = origin + size * share;
            let radius = if i % 100 == 0 { 20.0 } else { rng.between(0.02, 1.5) };
            discs.push((at.x, at.y, radius));
            // And one that grazes it.
            let (other, apart) = (rng.between(0.1, 0.5), rng.between(0.999_9, 1.000_01));
            let direction = [rng.direction(), Vec2::X, Vec2::Y][rng.below(3) as usize];
            let beside = at + direction * (radius + other) * apart;
            discs.push((beside.x, beside.y, other));
        }
        let mut discs = MovingDiscs::new(discs);
        for cell in [0.5, 4.0, 70.0] {
            let mut index = build(kind, &discs.config(world, cell));
            for round in 0..3 {
                index.update(&discs.by_id()).expect("there is memory");
                check(&mut *index, &discs, format_args!("{world:?}, round {round}"));
                discs.x.iter_mut().for_each(|x| *x += rng.between(-2.0, 2.0));
                discs.y.reverse();
            }
        }
    }
}

/// Two discs of any two sizes and at any position that overlap or miss each other by a rounding
/// error. A box and a distance round differently, and the index must still find the pair.
pub(crate) fn grazing(name: &str) {
    let (kind, mut rng) = (kind(name), Rng::new(3));
    let world = Rect::new(Vec2::splat(-100.0), Vec2::splat(60_000.0));
    let sizes = MovingDiscs::new([(0.0, 0.0, 1_000.0), (0.0, 0.0, 0.001)]);
    let mut index = build(kind, &sizes.config(world, 30.0));
    let mut found = 0;
    for round in 0..3_000 {
        let decades = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0];
        let [one, other] =
            [5, 6].map(|most| decades[rng.below(most) as usize] * rng.between(1.0, 10.0));
        let far = [1.0, 50.0, 50_000.0][rng.below(3) as usize];
        let at = Vec2::new(rng.between(-1.0, 1.0), rng.between(0.0, 1.0)) * far;
        let direction = [rng.direction(), Vec2::X, -Vec2::Y][rng.below(3) as usize];
        let beside = at + direction * (one + other);
        let nudged = |value: f32| f32::from_bits(value.to_bits() ^ (round & 3));
        let beside = Vec2::new(nudged(beside.x), nudged(beside.y));
        let discs = MovingDiscs::new([(at.x, at.y, one), (beside.x, beside.y, other)]);
        index.update(&discs.by_id()).expect("there is memory");
        found += check(&mut *index, &discs, format_args!("{discs:?}"));
    }
    assert!((500..2_500).contains(&found), "{found} of 3,000 overlap");
}

/// Discs that move, die and come to life, any number of them at once.
pub(crate) fn any_updates(name: &str) {
    let kind = kind(name);
    let change = (0..CAPACITY, disc(), prop::bool::weighted(0.8));
    let update = proptest::collection::vec(change, 0..CAPACITY as usize);
    let updates = proptest::collection::vec(update, 1..30);
    let shape = (prop_oneof![Just(1.3_f32), Just(6.0), Just(90.0)], any::<bool>());
    let cases = ProptestConfig { cases: 96, failure_persistence: None, ..Default::default() };
    TestRunner::new(cases)
        .run(&(shape, updates), |((cell, wide), updates)| {
            let size = if wide { Vec2::new(90.0, 35.0) } else { Vec2::new(12.0, 60.0) };
            let world = Rect::new(Vec2::new(-17.0, 30.0), Vec2::new(-17.0, 30.0) + size);
            let mut discs = MovingDiscs::new([(0.0, 0.0, 1.0); CAPACITY as usize]);
            discs.alive.fill(false);
            let mut index = build(kind, &discs.config(world, cell));
            for update in &updates {
                for &(id, disc, alive) in update {
                    discs.set(id, disc_at(world, disc));
                    discs.alive[id as usize] = alive;
                }
                index.update(&discs.by_id()).expect("there is memory");
                // Twice: a search may mark what it has visited.
                check(&mut *index, &discs, format_args!("after {update:?}"));
                check(&mut *index, &discs, format_args!("again after {update:?}"));
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// An index that has held some discs holds them again without more memory.
pub(crate) fn steady(name: &str) {
    let mut sim = Sim::new(&Setup { agents: 2_000, ..Setup::new(Scene::Gas) }).expect("it fits");
    let loose = sim.grid().config().loose_size.x;
    let start = MovingDiscs::from_agents(sim.agents(), sim.setup().agents);
    let mut index = build(kind(name), &start.config(sim.world(), loose));
    for _ in 0..5 {
        sim.step().expect("there is memory");
    }
    let states = [start, MovingDiscs::from_agents(sim.agents(), sim.setup().agents)];
    let mut held = Vec::new();
    for _ in 0..4 {
        for discs in &states {
            index.update(&discs.by_id()).expect("there is memory");
            pairs(&mut *index, discs);
        }
        held.push((index.memory(), index.growths()));
    }
    assert!(held[1..].iter().all(|&now| now == held[1]), "{held:?}");
}
