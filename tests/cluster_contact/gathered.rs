//! Runs that are gathered, saved and gone on from: what the solver remembers goes along.

use jostle::{
    Agent, Scene, Setup, Sim, Spawn, Vec2,
    rules::Rules,
    scene::{self, Start},
};

use crate::{continued, pile, resting, shaft};

#[test]
fn runs_go_on_with_what_they_remember() {
    for friction in [0.0, 0.5] {
        let pile = Setup { friction, ..pile() };
        for steps in [0, 90, 200, 330, 400, 470, 600] {
            continued(&format!("pile {friction} {steps}"), &resting(&pile, steps), 40, false);
        }
        let mixed = Setup { gravity: 10.0, restitution: 0.3, ..Setup::new(Scene::Mixed) };
        let mixed = Setup { agents: 1_500, radius: [0.5, 8.0], friction, ..mixed };
        let mixed = Setup { world: Some(shaft(150.0, 600.0)), ..mixed };
        for steps in [20, 211, 400] {
            continued(&format!("mixed {friction} {steps}"), &resting(&mixed, steps), 30, false);
        }
    }
}

/// A run that is gathered sleeps as it did, also where rules are set that do nothing.
#[test]
fn rules_that_do_nothing_wake_nothing() {
    let mut sim = Sim::new(&pile()).unwrap();
    sim.set_rules(Rules::new()).unwrap();
    for _ in 0..600 {
        sim.step().unwrap();
    }
    assert!(sim.awake() < sim.agents().len());
    continued("idle rules", &sim, 40, true);
}

/// Large discs in a pile that keeps its blocks touch others beyond the borders of slabs.
#[test]
fn large_discs_at_rest_go_on() {
    for friction in [0.0, 0.5] {
        let setup = Setup { friction, ..pile() };
        let mut agents = resting(&setup, 600).agents().clone();
        agents.own = None;
        for (id, y) in [(5_000, 150.0), (5_001, 170.0), (5_002, 190.0)] {
            let (position, velocity) = (Vec2::new(10.0, y), Vec2::new(0.0, -5.0));
            agents.push(Agent { position, velocity, radius: 6.0, id });
        }
        let setup = Setup { sleep: false, ..setup };
        let start = Start { agents, ..scene::place(&setup).unwrap() };
        let mut sim = Sim::from_start(&setup, start).unwrap();
        (0..400).for_each(|_| sim.step().unwrap());
        continued("balls", &sim, 20, false);
    }
}

/// Agents that were removed and added, so that others have been sorted since the last substep.
#[test]
fn edited_runs_go_on() {
    let pile = Setup { friction: 0.4, spare_agents: 50, ..pile() };
    for steps in [150, 500] {
        let mut sim = resting(&pile, steps);
        let gone: Vec<_> = sim.agents().id.iter().copied().filter(|id| id % 37 == 5).collect();
        sim.remove(&gone).unwrap();
        continued("removed", &sim, 40, false);
        let falls = Vec2::new(1.0, -3.0);
        let spawns = [200.0, 210.0, 220.0].map(|y| Spawn::new(Vec2::new(10.0, y), falls, 1.0));
        sim.spawn(&spawns).unwrap();
        continued("spawned", &sim, 40, false);
    }
}

/// An agent that is put above a pile that sleeps has to fall, though it begins without a speed, and though all are
/// sorted at once, since others fly fast.
#[test]
fn what_comes_to_a_pile_that_sleeps_falls() {
    let mut sim = resting(&Setup { spare_agents: 400, ..pile() }, 700);
    assert!(sim.awake() < 900, "{} are awake", sim.awake());
    let top = sim.agents().y.iter().copied().fold(f32::MIN, f32::max);
    let still = Spawn::new(Vec2::new(10.0, top + 3.0), Vec2::ZERO, 0.6);
    // With their motion, the largest stand out of their cells.
    let flies = |n: u16| {
        let place = Vec2::new(1.2 + 2.2 * f32::from(n % 9), 150.0 + 2.2 * f32::from(n / 9));
        Spawn::new(place, Vec2::new(0.0, 60.0), 1.0)
    };
    let spawns: Vec<_> = [still].into_iter().chain((0..300).map(flies)).collect();
    sim.spawn(&spawns).unwrap();
    continued("newcomers", &sim, 30, false);
}
