//! Agents that are added and removed during a run: accepted and rejected input, exact indexes, and
//! the bits afterwards.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Spawn, Units, Vec2,
    index::IndexKind,
    limits,
    raster::{Camera, Frame, Renderer, Style, View},
    rng::Rng,
    scene::Start,
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

fn sim(scene: Scene, agents: u32, room: u32) -> Sim {
    Sim::new(&Setup { spare_agents: room, ..Setup::with_agents(scene, agents) })
        .expect("the scene can be placed")
}

fn step(sim: &mut Sim) {
    sim.step().expect("there is memory");
}

/// `count` agents at random positions in the world, which may overlap others.
fn anywhere(sim: &Sim, count: u32, rng: &mut Rng) -> Vec<Spawn> {
    let world = sim.world();
    let [least, most] = sim.setup().radius;
    let most = most.min(world.height() / 8.0);
    let some = |_| {
        let radius = rng.between(least, most);
        let x = rng.between(world.min.x + radius, world.max.x - radius);
        let y = rng.between(world.min.y + radius, world.max.y - radius);
        let inside = Rect::new(world.min + radius, world.max - radius).nearest(Vec2::new(x, y));
        Spawn::new(inside, rng.direction() * sim.setup().speed, radius)
    };
    (0..count).map(some).collect()
}

/// The ids of some agents alive.
fn some_ids(sim: &Sim, count: usize, rng: &mut Rng) -> Vec<u32> {
    let ids = &sim.agents().id;
    (0..count.min(ids.len())).map(|_| ids[rng.below(ids.len() as u32) as usize]).collect()
}

/// Checks the grid by its own validation, and the contacts by testing every pair.
fn assert_exact(sim: &mut Sim) {
    let agents = sim.agents().clone();
    sim.grid().validate(&agents).expect("the grid is exact");
    assert_eq!(sim.grid().len(), agents.len());
    let mut expected = Vec::new();
    for i in 0..agents.len() {
        for j in i + 1..agents.len() {
            let (dx, dy) = (agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
            let reach = agents.radius[i] + agents.radius[j];
            if dx * dx + dy * dy < reach * reach {
                expected.push([i as u32, j as u32]);
            }
        }
    }
    let mut found: Vec<_> = sim.contacts().expect("there is memory").collect();
    found.sort_unstable();
    assert!(found == expected, "{} pairs, not {}", found.len(), expected.len());
}

#[test]
fn added_agents_are_found_at_once_and_removed_ones_are_not() {
    for scene in [Scene::Gas, Scene::Mixed, Scene::Burst, Scene::Sparse, Scene::Pile] {
        let (mut sim, mut rng) = (sim(scene, 500, 300), Rng::new(7));
        for round in 0..6 {
            let came = sim.spawn(&anywhere(&sim, 60, &mut rng)).expect("there is room");
            assert_eq!(came, 500 + round * 60..560 + round * 60, "ids go on");
            assert!(came.clone().all(|id| sim.agents().id.contains(&id)));
            assert_exact(&mut sim);
            let ids = some_ids(&sim, 70, &mut rng);
            let alive = sim.agents().len();
            let left = sim.remove(&ids).expect("there is memory");
            assert!(left > 50 && alive - left == sim.agents().len());
            assert!(ids.iter().all(|id| !sim.agents().id.contains(id)));
            assert_eq!(sim.remove(&ids).expect("there is memory"), 0, "they are gone already");
            assert_exact(&mut sim);
            (0..7).for_each(|_| step(&mut sim));
            assert_exact(&mut sim);
        }
        let counters = sim.counters();
        assert_eq!(counters.spawned, 360);
        assert_eq!(500 + counters.spawned - counters.removed, sim.agents().len() as u64);
    }
}

#[test]
fn a_picture_shows_added_agents_and_no_removed_ones() {
    let mut sim = sim(Scene::Gas, 1, 1);
    let setup = sim.setup().clone();
    let (world, id) = (sim.world(), sim.agents().id[0]);
    let mut renderer = Renderer::new(160, 90, Style::from_setup(&setup)).unwrap();
    let drawn = |sim: &Sim, renderer: &mut Renderer| {
        let mut frame = Frame::new(160, 90).unwrap();
        let picture = View::from_sim(sim);
        renderer.draw(&mut frame, &Camera::fit(&world, 160, 90), &picture);
        frame.pixels
    };
    let ground = {
        let mut emptied = Sim::new(&setup).expect("it can be placed");
        assert_eq!(emptied.remove(&[id]).expect("there is memory"), 1);
        drawn(&emptied, &mut renderer)
    };
    assert!(drawn(&sim, &mut renderer) != ground);
    sim.remove(&[id]).expect("there is memory");
    assert!(drawn(&sim, &mut renderer) == ground);
    let spawn = Spawn::new(world.center(), Vec2::ZERO, world.height() / 4.0);
    sim.spawn(&[spawn]).expect("there is room");
    let pixels = drawn(&sim, &mut renderer);
    assert!(pixels[45 * 160 + 80] != ground[45 * 160 + 80]);
}

/// A run in which agents are added and removed all the time. Ids go far beyond the capacity, and at
/// one moment no agent is left.
fn run_with_edits(scene: Scene, threads: usize, prepare: impl Fn(&mut Sim) + Sync) -> String {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(|| {
        let (mut sim, mut rng) = (sim(scene, 400, 200), Rng::new(1));
        prepare(&mut sim);
        for round in 0..12 {
            let count = 100.min(sim.capacity_left() as u32);
            sim.spawn(&anywhere(&sim, count, &mut rng)).expect("there is room");
            (0..3).for_each(|_| step(&mut sim));
            let count = if round == 5 { 600 } else { 90 };
            let ids =
                if round == 5 { sim.agents().id.clone() } else { some_ids(&sim, count, &mut rng) };
            sim.remove(&ids).expect("there is memory");
            assert_eq!(round == 5, sim.agents().is_empty());
            (0..2).for_each(|_| step(&mut sim));
        }
        assert!(sim.agents().id.iter().all(|&id| id >= 600), "these came when ids had run over");
        format!("{:016x}, {:?}", sim.state_hash(), sim.counters())
    })
}

#[test]
fn edits_leave_the_same_bits_with_any_index() {
    for scene in [Scene::Gas, Scene::Mixed, Scene::Pile] {
        let expected = run_with_edits(scene, 1, |_| ());
        for kind in IndexKind::all() {
            let hash =
                run_with_edits(scene, 1, |sim| sim.set_index(kind).expect("there is memory"));
            assert_eq!(hash.split(',').next(), expected.split(',').next(), "{kind:?}, {scene}");
        }
        for simd in SimdLevel::available() {
            assert_eq!(run_with_edits(scene, 2, |sim| sim.set_simd(simd)), expected, "{scene}");
        }
    }
}

#[test]
fn an_index_may_be_set_when_ids_exceed_the_capacity() {
    let run = |kind: Option<IndexKind>| {
        let (mut sim, mut rng) = (sim(Scene::Mixed, 100, 0), Rng::new(3));
        for _ in 0..5 {
            let ids = some_ids(&sim, 60, &mut rng);
            let left = sim.remove(&ids).expect("there is memory") as u32;
            sim.spawn(&anywhere(&sim, left, &mut rng)).expect("removed agents made room");
        }
        if let Some(kind) = kind {
            sim.set_index(kind).expect("there is memory");
        }
        (0..20).for_each(|_| step(&mut sim));
        sim.state_hash()
    };
    let expected = run(None);
    for kind in IndexKind::all() {
        assert_eq!(run(Some(kind)), expected, "{kind:?}");
    }
}

#[test]
fn unused_capacity_changes_only_the_memory() {
    for scene in Scene::ALL {
        let [mut without, mut with] = [0, 5_000].map(|room| sim(scene, 1_000, room));
        (0..30).for_each(|_| [&mut without, &mut with].into_iter().for_each(step));
        assert_eq!(without.state_hash(), with.state_hash(), "{scene}");
        assert!(without.memory().agents < with.memory().agents, "{scene}");
    }
}

/// Invalid agents, and the sentences of their errors.
#[test]
fn invalid_agents_are_rejected() {
    let mut sim = sim(Scene::Gas, 100, 2);
    let (hash, world) = (sim.state_hash(), sim.world());
    let (center, still) = (world.center(), Vec2::ZERO);
    let fine = Spawn::new(center, still, 0.5);
    for (spawns, said) in [
        (
            vec![Spawn::new(Vec2::new(f32::NAN, 1.0), still, 0.5)],
            "position (NaN, 1) is out of range",
        ),
        (vec![Spawn::new(Vec2::new(-1.0, 1.0), still, 0.5)], "position (-1, 1) is out of range"),
        (
            vec![fine, Spawn::new(world.max, still, 0.5)],
            "is out of range: expected positions from (0.5, 0.5) to",
        ),
        (vec![Spawn::new(center, still, 1e5)], "radius 100000 is out of range"),
        (vec![Spawn::new(center, still, 0.0)], "radius 0 is out of range"),
        (vec![Spawn::new(center, still, f32::INFINITY)], "radius inf is out of range"),
        (vec![Spawn::new(center, still, f32::NAN)], "radius NaN is out of range"),
        (
            vec![Spawn::new(center, Vec2::new(0.0, f32::NAN), 0.5)],
            "velocity (0, NaN) is out of range: expected -1e9 to 1e9",
        ),
        (
            vec![Spawn::new(center, Vec2::new(-1e10, 0.0), 0.5)],
            "velocity (-1e10, 0) is out of range",
        ),
        (vec![fine; 3], "add at most 2, or remove some first"),
    ] {
        let error = sim.spawn(&spawns).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(sim.state_hash(), hash, "all of them come, or none");
    }
    assert_eq!(sim.spawn(&[fine; 2]).expect("there is room"), 100..102);
    assert!(sim.spawn(&[]).expect("an empty list fits").is_empty());
    assert_eq!([sim.capacity_left(), sim.counters().spawned as usize], [0, 2]);
}

#[test]
fn filled_and_removed_agents_may_be_spawned_at_any_limit() {
    let fast = Setup { speed: limits::MEAN_SPEED_MAX, ..Setup::with_agents(Scene::Gas, 100) };
    let large =
        Setup { radius: [5e5, 5.7e5], density: 0.1, ..Setup::with_agents(Scene::Giants, 4) };
    for setup in [fast, large] {
        let mut sim = Sim::new(&Setup { spare_agents: 500, ..setup }).expect("it can be placed");
        let (center, mut found) = (sim.world().center(), 0);
        let radius = sim.world().height() / 2.0;
        for seed in 0..20 {
            let mut spawns = Vec::new();
            sim.fill(center, radius, &mut Rng::new(seed), &mut spawns);
            found += sim.spawn(&spawns).expect("it is all that can come").len();
            step(&mut sim);
        }
        assert!(found > 0, "{:?}", sim.setup().scene);
        let again: Vec<Spawn> =
            (0..sim.agents().len()).map(|slot| sim.agents().respawn(slot)).collect();
        sim.remove(&sim.agents().id.clone()).expect("there is memory");
        sim.spawn(&again).expect("they come again");
    }
}

#[test]
fn respawned_units_are_as_they_were() {
    let mut sim = sim(Scene::Melee, 500, 0);
    let all = |sim: &Sim| {
        let slots = 0..sim.agents().len();
        let mut all: Vec<_> =
            slots.map(|slot| format!("{:?}", sim.agents().respawn(slot))).collect();
        all.sort();
        all
    };
    while !all(&sim).iter().any(|unit| !unit.contains(&format!("health: {}", Units::HEALTH))) {
        step(&mut sim);
    }
    let before = all(&sim);
    let (ids, agents) = (sim.agents().id.clone(), sim.agents());
    let units: Vec<Spawn> = (0..agents.len()).map(|slot| agents.respawn(slot)).collect();
    sim.remove(&ids).expect("there is memory");
    sim.spawn(&units).expect("there is room");
    assert_eq!(all(&sim), before);
}

#[test]
fn an_agent_that_became_too_fast_respawns_at_the_limit() {
    let mut agents = Agents::default();
    let velocity = Vec2::new(-3.0 * limits::SPEED_MAX, 7.0);
    agents.push(Agent { position: Vec2::ONE, velocity, radius: 0.5, id: 0 });
    assert_eq!(agents.respawn(0).velocity, Vec2::new(-limits::SPEED_MAX, 7.0));
}

#[test]
fn an_empty_world_is_filled_as_any_other() {
    let mut sim = sim(Scene::Gas, 300, 0);
    sim.remove(&sim.agents().id.clone()).expect("there is memory");
    let mut spawns = Vec::new();
    sim.fill(sim.world().center(), 9.0, &mut Rng::new(1), &mut spawns);
    assert!(spawns.len() > 30, "{}", spawns.len());
    sim.spawn(&spawns).expect("they have room");
    step(&mut sim);
}

#[test]
fn used_up_ids_are_rejected() {
    let (world, last) = (Rect::from_size(40.0, 30.0), Agents::GONE - 2);
    let mut agents = Agents::with_capacity(1);
    agents.push(Agent { position: world.center(), velocity: Vec2::ONE, radius: 0.5, id: last });
    let setup = Setup { agents: 1, spare_agents: 9, ..Setup::new(Scene::Gas) };
    let mut sim =
        Sim::from_start(&setup, Start { world, agents, statics: Vec::new(), populated: 1_200.0 })
            .expect("the grid fits");
    let spawn = Spawn::new(Vec2::ONE, Vec2::ZERO, 0.5);
    assert_eq!(sim.spawn(&[spawn]).expect("one is left"), last + 1..last + 2);
    let error = sim.spawn(&[spawn]).expect_err("none is left").to_string();
    assert!(error.contains("are used, each at most once; start a new run"), "{error}");
    step(&mut sim);
    assert_eq!(sim.agents().len(), 2);
}
