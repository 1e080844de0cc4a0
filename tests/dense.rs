//! Dense matter: discs that touch for long come to rest, carry their weight, sleep, and wake.

use std::collections::BTreeMap;

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Spawn, Static, Vec2,
    index::IndexKind,
    scene::{Solver, Start},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

const GRAVITY: f32 = 10.0;

fn run(sim: &mut Sim, steps: u32) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

fn seconds(sim: &mut Sim, seconds: f32) {
    let steps = (seconds / sim.dt()).round() as u32;
    run(sim, steps);
}

/// A run of agents with these centers, velocities and radii.
fn start(setup: &Setup, size: [f32; 2], discs: &[([f32; 2], [f32; 2], f32)]) -> Sim {
    let mut agents = Agents::default();
    for (id, &(position, velocity, radius)) in (0..).zip(discs) {
        let (position, velocity) = (Vec2::from(position), Vec2::from(velocity));
        agents.push(Agent { position, velocity, radius, id });
    }
    let world = Rect::from_size(size[0], size[1]);
    let populated = f64::from(size[0]) * f64::from(size[1]);
    let start = Start { world, agents, statics: Vec::new(), populated };
    Sim::from_start(setup, start).expect("a valid start")
}

fn dense() -> Setup {
    Setup { agents: 100, gravity: GRAVITY, restitution: 0.3, hz: 120.0, ..Setup::new(Scene::Gas) }
}

fn pile(agents: u32) -> Sim {
    Sim::new(&Setup::with_agents(Scene::Pile, agents)).expect("a pile can be placed")
}

fn rms_speed(sim: &Sim) -> f64 {
    let speeds = sim.agents().vx.iter().zip(&sim.agents().vy);
    let sum: f64 = speeds.map(|(&vx, &vy)| f64::from(vx).powi(2) + f64::from(vy).powi(2)).sum();
    (sum / sim.agents().len() as f64).sqrt()
}

/// Kinetic energy and the potential of gravity.
fn energy(sim: &Sim) -> f64 {
    let Agents { y, radius, .. } = sim.agents();
    let masses = radius.iter().map(|&radius| f64::from(radius).powi(2));
    let heights = masses.zip(y).map(|(mass, &y)| mass * f64::from(y)).sum::<f64>();
    sim.agents().kinetic_energy() + f64::from(sim.setup().gravity) * heights
}

fn mass(sim: &Sim) -> f64 {
    sim.agents().radius.iter().map(|&radius| f64::from(radius).powi(2)).sum()
}

#[test]
fn a_pile_comes_to_rest_and_sleeps() {
    let mut sim = pile(2_000);
    let mut deepest = 0.0_f32;
    for _ in 0..60 {
        seconds(&mut sim, 0.5);
        deepest = deepest.max(sim.measure().expect("there is memory").max_overlap);
    }
    let overlap = sim.measure().expect("there is memory").max_overlap;
    assert!(deepest <= 0.25, "while it falls, agents overlap by {deepest} of a radius");
    assert!(overlap <= 0.05, "at rest, agents overlap by {overlap} of a radius");
    assert!(rms_speed(&sim) <= 0.01, "agents move at {}", rms_speed(&sim));
    assert_eq!(sim.awake(), 0, "all of them sleep");
    let (before, steps) = (sim.agents().clone(), sim.steps());
    run(&mut sim, 10);
    assert_eq!((&sim.agents().x, &sim.agents().y), (&before.x, &before.y), "nothing moves");
    assert_eq!(sim.steps(), steps + 10, "but time goes on");
}

#[test]
fn a_pile_that_may_not_sleep_comes_to_rest() {
    let setup = Setup { sleep: false, ..Setup::with_agents(Scene::Pile, 2_000) };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    seconds(&mut sim, 30.0);
    assert!(rms_speed(&sim) <= 0.01, "agents move at {}", rms_speed(&sim));
    assert_eq!(sim.awake(), 2_000);
}

#[test]
fn a_gas_with_gravity_comes_to_rest() {
    let setup = Setup { agents: 5_000, gravity: 10.0, restitution: 0.3, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let mut deepest = 0.0_f32;
    for _ in 0..40 {
        seconds(&mut sim, 1.0);
        deepest = deepest.max(sim.measure().expect("there is memory").max_overlap);
    }
    assert!(deepest <= 0.2, "agents overlap by {deepest} of a radius");
    let overlap = sim.measure().expect("there is memory").max_overlap;
    assert!(overlap <= 0.1, "at rest, agents overlap by {overlap} of a radius");
    assert!(rms_speed(&sim) <= 0.05, "agents move at {}", rms_speed(&sim));
}

/// The force of the floor equals the weight of the agents and the change of their momentum.
#[test]
fn the_floor_carries_the_weight() {
    let setup = Setup { sleep: false, ..Setup::with_agents(Scene::Pile, 2_000) };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    seconds(&mut sim, 12.0);
    let before = sim.agents().momentum()[1];
    run(&mut sim, 1_000);
    let weight = mass(&sim) * f64::from(setup.gravity);
    let gained = (sim.agents().momentum()[1] - before) / (1_000.0 * f64::from(sim.dt()));
    assert!((gained / weight).abs() < 0.01, "the floor misses {gained} of a weight of {weight}");
}

/// Contacts act as springs, and their stress equals the pressure in a fluid: the weight of the
/// agents above.
#[test]
fn pressure_grows_linearly_with_depth() {
    const LAYERS: usize = 8;
    let setup = Setup {
        agents: 4_000,
        world: Some(Vec2::new(200.0, 120.0)),
        ..Setup::with_agents(Scene::Pile, 4_000)
    };
    let setup = Setup { sleep: false, hz: setup.courant_hz(), ..setup };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    seconds(&mut sim, 25.0);
    let pairs: Vec<[u32; 2]> = sim.contacts().expect("there is memory").collect();
    let agents = sim.agents();
    let mut top: Vec<f32> = agents.y.clone();
    top.sort_unstable_by(f32::total_cmp);
    let top = f64::from(top[top.len() * 95 / 100]);
    let height = top / LAYERS as f64;
    let (mut stress, mut weight) = ([0.0; LAYERS], [0.0; LAYERS]);
    let round = f64::from(sim.dt()) / 4.0;
    let stiffness = (std::f64::consts::FRAC_PI_2 / round).powi(2);
    let layer = |y: f32| ((f64::from(y) / height) as usize).min(LAYERS - 1);
    for [i, j] in pairs {
        let (a, b) = (agents.get(i as usize), agents.get(j as usize));
        let delta = (b.position - a.position).as_dvec2();
        let overlap = f64::from(a.radius + b.radius) - delta.length();
        let masses = [a.radius, b.radius].map(|radius| f64::from(radius).powi(2));
        let reduced = masses[0] * masses[1] / (masses[0] + masses[1]);
        let normal = delta / delta.length();
        let force = stiffness * reduced * overlap;
        stress[layer(0.5 * (a.position.y + b.position.y))] += force * normal.y * delta.y;
    }
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        weight[layer(agent.position.y)] +=
            f64::from(agent.radius).powi(2) * f64::from(setup.gravity);
    }
    let width = f64::from(sim.world().width());
    let mut above = 0.0;
    let mut ratios = Vec::new();
    for index in (0..LAYERS).rev() {
        let pressure = stress[index] / (width * height);
        let expected = (above + 0.5 * weight[index]) / width;
        above += weight[index];
        ratios.push(pressure / expected);
    }
    // The topmost layer has a ragged surface, and the lowest one stands on the floor besides.
    for ratio in &ratios[1..LAYERS - 1] {
        let off = (ratio - 1.0).abs();
        assert!(off < 0.05, "pressure over the weight above it, from the top: {ratios:.3?}");
    }
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    for restitution in [1.0_f32, 0.9, 0.7, 0.5] {
        let setup = Setup { restitution, solver: Solver::Contact, hz: 240.0, ..dense() };
        let mut sim = start(&setup, [40.0, 40.0], &[([20.0, 31.0], [0.0, 0.0], 1.0)]);
        let fall = sim.agents().y[0] - 1.0;
        while sim.agents().vy[0] <= 0.0 {
            run(&mut sim, 1);
        }
        let mut apex = 0.0_f32;
        while sim.agents().vy[0] > 0.0 {
            run(&mut sim, 1);
            apex = apex.max(sim.agents().y[0] - 1.0);
        }
        let wanted = restitution * restitution;
        let got = apex / fall;
        assert!((got / wanted - 1.0).abs() < 0.02, "{restitution}: {got} instead of {wanted}");
    }
}

/// A ball hits a row of four, and the last one leaves. The impulse solver passes the whole knock
/// on. Soft constraints with restitution at the end of a step pass on a part of it.
#[test]
fn a_row_of_balls_passes_a_knock_on() {
    let row: Vec<_> = [10.0, 20.0, 22.0, 24.0, 26.0]
        .iter()
        .enumerate()
        .map(|(n, &x)| ([x, 5.0], [if n == 0 { 5.0 } else { 0.0 }, 0.0], 1.0))
        .collect();
    let last_speed = |solver| {
        let setup = Setup { solver, gravity: 0.0, restitution: 1.0, hz: 240.0, ..dense() };
        let mut sim = start(&setup, [60.0, 10.0], &row);
        seconds(&mut sim, 3.0);
        let last = sim.agents().id.iter().position(|&id| id == 4).expect("it is there");
        sim.agents().vx[last]
    };
    let impulse = last_speed(Solver::Impulse);
    assert!(impulse >= 0.95 * 5.0, "with impulses the last ball leaves at {impulse} of 5");
    let contact = last_speed(Solver::Contact);
    assert!(contact >= 0.4 * 5.0, "with contacts the last ball leaves at {contact} of 5");
}

#[test]
fn energy_never_grows() {
    for restitution in [0.0, 0.3, 1.0] {
        let pile = Setup::with_agents(Scene::Pile, 1_000);
        let setup = Setup { restitution, solver: Solver::Contact, ..pile };
        let mut sim = Sim::new(&setup).expect("a pile can be placed");
        let first = energy(&sim);
        let mut least = first;
        for step in 0..1_500 {
            run(&mut sim, 1);
            let now = energy(&sim);
            assert!(now <= least + 1e-3 * first, "step {step}: {least} became {now}");
            least = least.min(now);
        }
    }
}

#[test]
fn contacts_keep_momentum() {
    let setup = Setup {
        agents: 3_000,
        solver: Solver::Contact,
        restitution: 0.5,
        ..Setup::new(Scene::Burst)
    };
    let mut sim = Sim::new(&setup).expect("a burst can be placed");
    let before = sim.agents().momentum();
    run(&mut sim, 60);
    assert!(sim.counters().collisions > 1_000, "they do collide");
    let agents = sim.agents();
    let sum: f64 = (0..agents.len())
        .map(|slot| agents.get(slot))
        .map(|agent| f64::from(agent.radius * agent.radius * agent.velocity.length()))
        .sum();
    let after = agents.momentum();
    let lost = (after[0] - before[0]).hypot(after[1] - before[1]) / sum;
    assert!(lost < 1e-6, "momentum changed by {lost:e} of the sum of |p|");
}

/// A pile of 300 agents that sleeps, with room for more and for statics.
fn asleep() -> Sim {
    let own = Setup::with_agents(Scene::Pile, 300);
    let setup = Setup { spare_agents: 10, spare_statics: 2, ..own };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    seconds(&mut sim, 30.0);
    assert_eq!(sim.awake(), 0, "it sleeps");
    sim
}

/// Heights of the agents by id.
fn heights(sim: &Sim) -> BTreeMap<u32, f32> {
    let Agents { id, y, .. } = sim.agents();
    id.iter().copied().zip(y.iter().copied()).collect()
}

#[test]
fn a_sleeping_pile_wakes() {
    let sleeping = asleep();
    let foot = Vec2::new(sleeping.world().center().x, 0.0);
    let wakes = |what: &str, change: &dyn Fn(&mut Sim)| {
        let mut sim = sleeping.clone();
        assert_eq!(sim.awake(), 0, "a clone sleeps as the original does");
        let before = heights(&sim);
        change(&mut sim);
        run(&mut sim, 2);
        assert!(sim.awake() > 0, "{what} wakes");
        seconds(&mut sim, 20.0);
        let moved = |(id, y): (&u32, &f32)| before.get(id).is_some_and(|before| before != y);
        assert!(heights(&sim).iter().any(moved), "{what} moves what was asleep");
        assert_eq!(sim.awake(), 0, "after {what} it sleeps again");
    };
    wakes("gravity", &|sim| sim.set_gravity(20.0).expect("in range"));
    wakes("a hit", &|sim| {
        let top = sim.world().max.y - 2.0;
        let ball = Spawn::new(Vec2::new(sim.world().center().x, top), Vec2::ZERO, 1.0);
        sim.spawn(&[ball]).expect("there is room");
    });
    wakes("a poke", &|sim| {
        sim.steer(foot, 5.0, 15.0).expect("in range");
    });
    wakes("erasing", &|sim| {
        let mut found = Vec::new();
        sim.grid().visit_disc(sim.agents(), foot, 5.0, |slot| {
            found.push(sim.agents().id[slot as usize]);
        });
        sim.remove(&found).expect("there is memory");
    });
    wakes("a wall", &|sim| {
        let wall = Rect::around(foot + Vec2::new(0.0, 2.0), 1.5);
        sim.add_statics(&[Static::Box(wall)]).expect("there is room");
    });
    let lowest = (0..sleeping.agents().len())
        .min_by(|&a, &b| sleeping.agents().y[a].total_cmp(&sleeping.agents().y[b]))
        .map(|slot| sleeping.agents().get(slot))
        .expect("there are agents");
    let mass = lowest.radius * lowest.radius;
    wakes("another velocity", &|sim| {
        sim.set_velocity(lowest.id, Vec2::new(0.0, 15.0)).expect("it is alive");
    });
    wakes("a force", &|sim| {
        sim.apply_force(lowest.id, Vec2::new(0.0, mass * 2_000.0)).expect("it is alive");
    });
    wakes("another position", &|sim| {
        let above = Vec2::new(sim.world().center().x, sim.world().max.y - 2.0);
        sim.set_position(lowest.id, above).expect("it is alive");
    });
}

/// A knock wakes one band after the other, down to the floor.
#[test]
fn a_hit_goes_through_a_column() {
    let column: Vec<_> = (0..60).map(|n| ([1.05, 1.0 + 2.0 * n as f32], [0.0, 0.0], 1.0)).collect();
    let setup = Setup { spare_agents: 1, ..dense() };
    let mut sim = start(&setup, [2.1, 200.0], &column);
    seconds(&mut sim, 20.0);
    assert_eq!(sim.awake(), 0, "it sleeps");
    let ball = Spawn::new(Vec2::new(1.05, 160.0), Vec2::new(0.0, -20.0), 1.0);
    sim.spawn(&[ball]).expect("there is room");
    let mut awake = 0;
    for _ in 0..2_000 {
        run(&mut sim, 1);
        awake = awake.max(sim.awake());
    }
    assert_eq!(awake, 61, "all of them wake");
}

/// Agents far from a change sleep on.
#[test]
fn a_change_wakes_what_is_near() {
    let own = Setup::with_agents(Scene::Pile, 2_000);
    let mut sleeping = Sim::new(&Setup { spare_agents: 1, spare_statics: 1, ..own })
        .expect("a pile can be placed");
    seconds(&mut sleeping, 30.0);
    let top = sleeping.agents().y.iter().copied().fold(0.0, f32::max);
    let middle = sleeping.world().center().x;
    let near = |what: &str, change: &dyn Fn(&mut Sim)| {
        let mut sim = sleeping.clone();
        assert_eq!(sim.awake(), 0, "it sleeps");
        change(&mut sim);
        run(&mut sim, 1);
        let awake = sim.awake();
        assert!(0 < awake && awake < 2_000, "{what} wakes {awake} of 2,000");
    };
    near("a hit", &|sim| {
        let ball = Spawn::new(Vec2::new(middle, top + 3.0), Vec2::new(0.0, -2.0), 0.7);
        sim.spawn(&[ball]).expect("there is room");
    });
    near("erasing", &|sim| {
        let highest = sim.agents().y.iter().position(|&y| y == top).expect("it is there");
        sim.remove(&[sim.agents().id[highest]]).expect("there is memory");
    });
    let highest = |sim: &Sim| {
        let slot = sim.agents().y.iter().position(|&y| y == top).expect("it is there");
        sim.agents().id[slot]
    };
    near("another velocity", &|sim| {
        sim.set_velocity(highest(sim), Vec2::new(0.0, 3.0)).expect("it is alive");
    });
    near("a force", &|sim| {
        sim.apply_force(highest(sim), Vec2::new(0.0, 50.0)).expect("it is alive");
    });
    near("another position", &|sim| {
        let above = Vec2::new(middle, top + 3.0);
        sim.set_position(highest(sim), above).expect("it is alive");
    });
    near("a wall", &|sim| {
        let wall = Rect::around(Vec2::new(middle, top - 1.0), 1.0);
        sim.add_statics(&[Static::Box(wall)]).expect("there is room");
    });
}

/// With sleep, agents are asleep when another falls onto them.
#[test]
fn a_pile_has_one_hash_with_sleep_and_one_without() {
    let golden = [0xc044_e6d7_ba7d_45e8, 0x4472_2d2e_c8e8_97dc];
    let settled = |sleep, threads, simd, index| {
        let setup = Setup { sleep, spare_agents: 1, ..Setup::with_agents(Scene::Pile, 600) };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut sim = Sim::new(&setup).expect("a pile can be placed");
            sim.set_simd(simd);
            sim.set_index(index).expect("there is memory");
            seconds(&mut sim, 18.0);
            assert_eq!(sim.awake() < 600, sleep, "{} are awake", sim.awake());
            let above = sim.world().center();
            let ball = Spawn::new(above, Vec2::new(0.0, -5.0), 0.7);
            sim.spawn(&[ball]).expect("there is memory");
            seconds(&mut sim, 3.0);
            sim.state_hash()
        })
    };
    let best = SimdLevel::best();
    let own = Sim::new(&dense()).expect("a gas can be placed").index();
    let both = |threads, simd, index| [true, false].map(|it| settled(it, threads, simd, index));
    for (threads, simd) in [(1, SimdLevel::SCALAR), (1, best), (2, best), (3, best), (7, best)] {
        let found = both(threads, simd, own);
        assert_eq!(found, golden, "{threads} threads, {}: {found:x?}", simd.name());
    }
    for index in IndexKind::all() {
        let found = both(1, best, index);
        assert_eq!(found, golden, "{}: {found:x?}", index.name);
    }
}

/// Giants are outliers of the grid, and lie in a pile like dust.
#[test]
fn giants_lie_in_a_pile() {
    let setup = Setup { agents: 1_500, radius: [0.5, 8.0], ..Setup::new(Scene::Mixed) };
    let setup = Setup { gravity: GRAVITY, restitution: 0.2, ..setup };
    let mut sim = Sim::new(&setup).expect("agents can be placed");
    assert!(sim.grid().outlier_count() > 0, "there are outliers");
    seconds(&mut sim, 40.0);
    let overlap = sim.measure().expect("there is memory").max_overlap;
    assert!(overlap <= 0.3, "agents overlap by {overlap} of the smaller radius");
    assert!(rms_speed(&sim) <= 0.1, "agents move at {}", rms_speed(&sim));
}

#[test]
fn gravity_changes_the_solver_in_the_middle_of_a_run() {
    let setup = Setup { agents: 2_000, restitution: 0.3, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let mut gas = sim.clone();
    run(&mut sim, 20);
    let grown = sim.counters().contact_growths;
    sim.set_gravity(GRAVITY).expect("in range");
    assert_eq!(sim.setup().solver_in_use(), Solver::Contact);
    assert_eq!(sim.counters().contact_growths, grown + 1, "its memory is a counted event");
    seconds(&mut sim, 30.0);
    assert!(sim.measure().expect("there is memory").max_overlap <= 0.1);
    assert!(rms_speed(&sim) <= 0.05, "agents move at {}", rms_speed(&sim));
    sim.set_gravity(0.0).expect("in range");
    assert_eq!(sim.setup().solver_in_use(), Solver::Impulse);
    run(&mut sim, 20);
    // Up to the change, it was the same run.
    run(&mut gas, 20);
    assert_eq!(gas.setup().solver_in_use(), Solver::Impulse);
}
