//! Swept collisions: each pair collides at the moment when it touches, with the same bits on any
//! machine.

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Spawn, Static, Vec2,
    index::IndexKind,
    scene::{Collisions, Solver, Start},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

fn setup(scene: Scene, agents: u32, boundary: Boundary) -> Setup {
    Setup { boundary, collisions: Collisions::Swept, ..Setup::with_agents(scene, agents) }
}

fn advance(sim: &mut Sim, steps: u64) {
    while sim.steps() < steps {
        sim.step().expect("there is memory");
    }
}

/// Agents of a caller's own start, in a world of 40 × 30.
fn placed(setup: &Setup, agents: &[([f32; 2], [f32; 2], f32)], statics: &[Static]) -> Sim {
    let mut columns = Agents::with_capacity(agents.len());
    for (id, &(position, velocity, radius)) in (0..).zip(agents) {
        let [position, velocity] = [position, velocity].map(Vec2::from_array);
        columns.push(Agent { position, velocity, radius, id });
    }
    let world = Rect::from_size(40.0, 30.0);
    let statics = statics.to_vec();
    let start = Start { world, agents: columns, statics, populated: 1_200.0 };
    Sim::from_start(setup, start).expect("the agents fit")
}

fn by_id(sim: &Sim, id: u32) -> Agent {
    let slot = sim.agents().id.iter().position(|&other| other == id).expect("it is there");
    sim.agents().get(slot)
}

#[test]
fn two_agents_collide_where_they_touch() {
    // The gap of 0.7 closes after 0.7 s, in the middle of a step of 1 s.
    for boundary in Boundary::ALL {
        for shift in [0.0, 17.0] {
            let setup = Setup { hz: 1.0, ..setup(Scene::Gas, 2, boundary) };
            let wrap = |x: f32| if x + shift > 39.0 { x + shift - 40.0 } else { x + shift };
            if boundary == Boundary::Walls && shift > 0.0 {
                continue;
            }
            let agents =
                [([wrap(21.3), 10.0], [1.0, 0.0], 1.0), ([wrap(24.0), 10.0], [0.0, 0.0], 1.0)];
            let mut sim = placed(&setup, &agents, &[]);
            advance(&mut sim, 1);
            let [one, two] = [0, 1].map(|id| by_id(&sim, id));
            let space = sim.space();
            let off = |agent: &Agent, x: f32| {
                space.minimum_image(agent.position - Vec2::new(wrap(x), 10.0)).length()
            };
            let name = boundary.name();
            assert!(off(&one, 22.0) < 1e-4, "{name}: {}", one.position);
            assert!(off(&two, 24.3) < 1e-4, "{name}: {}", two.position);
            assert_eq!((one.velocity, two.velocity), (Vec2::ZERO, Vec2::X), "{name}");
            assert_eq!(sim.counters().collisions, 1);
            // Equal masses of 1: half of the impulse of 1 · 2 at a distance of 2.
            assert!((sim.transfer().virial - 2.0).abs() < 1e-4, "{:?}", sim.transfer());
        }
    }
}

/// 0 hits 1 after 0.2 s, and 1 hits 2 another 0.2 s later: in the same step if the paths of the two
/// meet in any case, otherwise in the next one, in which they overlap.
#[test]
fn what_follows_within_the_step_happens_at_its_own_time() {
    let setup = setup(Scene::Gas, 3, Boundary::Walls);
    let check = |sim: &Sim, expected: [f32; 3]| {
        for (id, expected) in (0..).zip(expected) {
            let at = by_id(sim, id).position.x;
            assert!((at - expected).abs() < 1e-4, "{id} at {at} instead of {expected}");
        }
        assert_eq!(sim.counters().collisions, 2);
    };
    let moving = ([29.0, 10.0], [1.0, 0.0], 1.0);
    let resting = |x: f32| ([x, 10.0], [0.0; 2], 1.0);

    let light = ([33.1, 10.0], [-0.5, 0.0], 0.5);
    let together = Setup { hz: 1.0, ..setup.clone() };
    let mut sim = placed(&together, &[moving, resting(31.2), light], &[]);
    advance(&mut sim, 1);
    check(&sim, [29.2, 31.4 + 0.4 * 0.6, 32.9 + 1.9 * 0.6]);

    let late = Setup { hz: 1.0 / 0.7, ..setup };
    let mut sim = placed(&late, &[moving, resting(31.2), resting(33.4)], &[]);
    advance(&mut sim, 1);
    assert_eq!(sim.counters().collisions, 1);
    advance(&mut sim, 2);
    check(&sim, [29.2, 31.4, 33.4 + 1.0]);
}

#[test]
fn an_agent_hits_another_and_then_the_wall() {
    // 0 hits 1 after 0.2 s, 1 the wall 0.3 s later.
    let agents = [([36.5, 10.0], [1.0, 0.0], 1.0), ([38.7, 10.0], [0.0, 0.0], 1.0)];
    let setup = Setup { hz: 1.0, ..setup(Scene::Gas, 2, Boundary::Walls) };
    let mut sim = placed(&setup, &agents, &[]);
    advance(&mut sim, 1);
    let [one, two] = [0, 1].map(|id| by_id(&sim, id));
    assert!((one.position.x - 36.7).abs() < 1e-4, "{}", one.position);
    assert!((two.position.x - 38.5).abs() < 1e-4, "{}", two.position);
    assert_eq!(two.velocity.x, -1.0);
    assert!((sim.transfer().wall_impulse - 2.0).abs() < 1e-4, "{:?}", sim.transfer());
}

#[test]
fn an_agent_bounces_off_statics_at_their_own_time() {
    let disc = Static::disc(Vec2::new(30.0, 10.0), 2.0);
    let shelf = Static::Box(Rect::new(Vec2::new(28.0, 0.0), Vec2::new(30.0, 20.0)));
    for fixed in [disc, shelf] {
        // The gap of 7 closes after 0.7 s.
        let setup = Setup { hz: 1.0, ..setup(Scene::Gas, 1, Boundary::Walls) };
        let mut sim = placed(&setup, &[([20.0, 10.0], [10.0, 0.0], 1.0)], &[fixed]);
        advance(&mut sim, 1);
        let agent = by_id(&sim, 0);
        assert!((agent.position.x - 24.0).abs() < 1e-3, "{fixed:?}: {}", agent.position);
        assert!((agent.velocity.x + 10.0).abs() < 1e-4, "{fixed:?}: {}", agent.velocity);
    }
}

/// An agent may overlap another only where it has collided before within the same step.
#[test]
fn little_overlaps_and_nothing_is_lost() {
    for boundary in Boundary::ALL {
        for (scene, density, hz) in
            [(Scene::Gas, 0.3, 60.0), (Scene::Mixed, 0.3, 60.0), (Scene::Gas, 0.6, 480.0)]
        {
            let setup = Setup { density, hz, ..setup(scene, 3_000, boundary) };
            let mut sim = Sim::new(&setup).expect("it can be placed");
            let before = sim.measure().expect("there is memory");
            advance(&mut sim, 300);
            let after = sim.measure().expect("there is memory");
            let name = format!("{scene} {density} {}", boundary.name());
            let lost = after.kinetic_energy / before.kinetic_energy - 1.0;
            assert!(lost.abs() < 2e-6, "{name}: {lost}");
            assert!(after.contacts < 30, "{name}: {} overlaps of 3,000 agents", after.contacts);
            sim.grid().validate(sim.agents()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let missed = sim.counters().tunnelled;
            assert!(missed == 0 || scene == Scene::Mixed, "{name}: {missed} paths are too long");
        }
    }
}

/// The error falls with the square of the step: few agents collide twice in a step, and the second
/// collision is nearly at the right time.
#[test]
fn the_error_is_of_second_order_in_the_step() {
    let run = |hz: f32| {
        let gas = Setup { density: 0.3, ..setup(Scene::Gas, 4_000, Boundary::Periodic) };
        let mut sim = Sim::new(&Setup { hz, ..gas }).expect("it can be placed");
        advance(&mut sim, (hz * 0.1).round() as u64);
        sim
    };
    // With more steps, rounding would exceed the rest of the error.
    let exact = run(1_920.0);
    let error = |hz: f32| {
        let sim = run(hz);
        let off = |id: u32| {
            let apart = by_id(&sim, id).position - by_id(&exact, id).position;
            f64::from(sim.space().minimum_image(apart).length())
        };
        (0..4_000).map(off).sum::<f64>() / 4_000.0
    };
    let [long, short] = [20.0, 60.0].map(error);
    let order = (long / short).ln() / 3.0_f64.ln();
    assert!(order > 1.8, "of order {order}: {long} and {short}");
    assert!(short < 2e-3, "{short}");
}

/// Only the beginning of a path that is longer than the largest diameter is searched.
#[test]
fn paths_that_may_miss_a_collision_are_counted() {
    let missed = |hz: f32| {
        let setup = Setup { hz, speed: 60.0, ..setup(Scene::Gas, 500, Boundary::Periodic) };
        let mut sim = Sim::new(&setup).expect("it can be placed");
        advance(&mut sim, 20);
        sim.counters().tunnelled
    };
    assert_eq!(missed(240.0), 0, "no agent moves farther than 2 in a step");
    assert!(missed(20.0) > 20 * 250, "most agents do");
}

/// State hashes of `gas`, 2,000 agents, 100 steps around two statics. A change that moves one of them
/// says so in CHANGELOG.md.
const GOLDEN_GAS: [(Boundary, u64); 2] =
    [(Boundary::Periodic, 0x0de3_77dc_321e_2bd1), (Boundary::Walls, 0x2721_f411_92c7_2122)];

#[test]
fn one_hash_for_threads_simd_and_indexes() {
    for (boundary, golden) in GOLDEN_GAS {
        for scene in [Scene::Gas, Scene::Mixed, Scene::Burst] {
            let setup = Setup { hz: 30.0, spare_statics: 2, ..setup(scene, 2_000, boundary) };
            let hash = |threads: usize, simd: SimdLevel, index: IndexKind| {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| {
                    let mut sim = Sim::new(&setup).expect("it can be placed");
                    let middle = 0.5 * sim.world().size();
                    let walls = [
                        Static::disc(middle, 0.1 * middle.y),
                        Static::Box(Rect::new(0.2 * middle, Vec2::new(1.8, 0.3) * middle)),
                    ];
                    sim.add_statics(&walls).expect("there is memory");
                    sim.set_simd(simd);
                    sim.set_index(index).expect("there is memory");
                    advance(&mut sim, 100);
                    sim.state_hash()
                })
            };
            let grid = IndexKind::all().next().expect("there is one");
            let expected = hash(1, SimdLevel::SCALAR, grid);
            if scene == Scene::Gas {
                assert_eq!(expected, golden, "{}: {expected:#x}", boundary.name());
            }
            for threads in [2, 3, 7] {
                assert_eq!(hash(threads, SimdLevel::best(), grid), expected, "{scene} {threads}");
            }
            for index in IndexKind::all().filter(|index| index.name != "naive") {
                let name = (scene, boundary.name(), index.name);
                assert_eq!(hash(2, SimdLevel::best(), index), expected, "{name:?}");
            }
        }
    }
}

/// Of more agents than a task has.
#[test]
fn walls_and_statics_are_hit_alike_on_any_threads() {
    let setup = Setup { spare_statics: 2, ..setup(Scene::Gas, 20_000, Boundary::Walls) };
    let run = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut sim = Sim::new(&setup).expect("it can be placed");
            let size = sim.world().size();
            let pillars =
                [0.25, 0.75].map(|x| Static::disc(Vec2::new(x, 0.5) * size, 0.2 * size.y));
            sim.add_statics(&pillars).expect("there is memory");
            advance(&mut sim, 40);
            (sim.state_hash(), sim.transfer().wall_impulse.to_bits())
        })
    };
    let expected = run(1);
    assert_eq!(run(2), expected);
    assert_eq!(run(3), expected);
}

#[test]
fn a_restored_run_continues_with_the_same_bits() {
    let mut sim =
        Sim::new(&setup(Scene::Gas, 1_500, Boundary::Periodic)).expect("it can be placed");
    advance(&mut sim, 37);
    let mut restored = Sim::restore(&sim.snapshot().expect("there is memory")).expect("a run");
    advance(&mut sim, 90);
    advance(&mut restored, 90);
    assert_eq!(sim.state_hash(), restored.state_hash());
}

/// The discs around the paths of a step are computed at the end of the step before. A restored run
/// has no such discs, and computes them from its agents.
#[test]
fn what_changes_between_steps_is_in_the_next_step() {
    let setup = Setup {
        solver: Solver::Impulse,
        spare_agents: 8,
        spare_statics: 2,
        ..setup(Scene::Gas, 1_500, Boundary::Walls)
    };
    let mut sim = Sim::new(&setup).expect("it can be placed");
    let bounds = sim.world();
    let spawn = Spawn::new(bounds.min + Vec2::splat(3.0), Vec2::new(9.0, 4.0), 0.5);
    let changes: [fn(&mut Sim, Spawn, Vec2); 9] = [
        |sim, _, center| assert!(sim.steer(center, 30.0, -40.0).expect("a brush") > 0),
        |sim, _, _| sim.scale_speeds(1.5).expect("a factor"),
        |sim, spawn, _| assert!(sim.spawn(&[spawn]).expect("there is room").len() == 1),
        |sim, _, _| assert!(sim.remove(&[3, 70, 500]).expect("there is memory") == 3),
        |sim, _, center| {
            let shapes = [Static::disc(center, 4.0)];
            assert!(sim.add_statics(&shapes).expect("there is room").len() == 1);
        },
        |sim, _, center| sim.set_position(17, center).expect("it is alive"),
        |sim, _, _| sim.set_velocity(17, Vec2::new(30.0, 20.0)).expect("it is alive"),
        |sim, _, _| sim.apply_force(17, Vec2::new(300.0, 500.0)).expect("it is alive"),
        |sim, _, _| sim.set_gravity(3.0).expect("a number"),
    ];
    for (round, change) in (1..).zip(changes) {
        advance(&mut sim, round * 11);
        change(&mut sim, spawn, bounds.center());
        let mut restored = Sim::restore(&sim.snapshot().expect("there is memory")).expect("a run");
        advance(&mut sim, round * 11 + 5);
        advance(&mut restored, round * 11 + 5);
        assert_eq!(sim.state_hash(), restored.state_hash(), "after change {round}");
    }
}
