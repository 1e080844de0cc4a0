//! Agents that fall, pile up, come to rest and wake, between walls and statics.

use jostle::{
    Agent, Agents, OwnColumns, Rect, Scene, Setup, Sim, Static, Vec2,
    scene::{self, Start},
};

use crate::{continued, lives, pile, placed, resting, same, shaft};

#[test]
fn piles_have_the_bits_of_one_process() {
    let pile = pile();
    let fewest = placed("pile", &pile, 900, &[1, 2, 3, 4, 7, 8]);
    assert!(fewest < 500, "most sleep: {fewest}");
    let rough = Setup { friction: 0.5, rolling: 0.1, ..pile.clone() };
    let fewest = placed("rough pile", &rough, 900, &[2, 3, 7]);
    assert!(fewest < 500, "most sleep: {fewest}");
    placed("awake pile", &Setup { sleep: false, ..pile }, 200, &[2, 5]);
}

#[test]
fn falling_gases_have_the_bits_of_one_process() {
    let world = Some(shaft(40.0, 250.0));
    let gas = Setup { agents: 3_000, gravity: 10.0, restitution: 0.3, ..Setup::new(Scene::Gas) };
    let gas = Setup { world, ..gas };
    placed("gas", &gas, 300, &[2, 3, 7]);
    placed("rough gas", &Setup { friction: 0.4, ..gas.clone() }, 200, &[2, 4, 8]);
    // Fast ones leave their cells, and are sorted in most steps.
    placed("fast gas", &Setup { speed: 60.0, restitution: 0.9, ..gas.clone() }, 60, &[2, 5]);
    placed("upward gas", &Setup { gravity: -10.0, ..gas }, 150, &[3]);
}

#[test]
fn large_and_small_discs_have_the_bits_of_one_process() {
    let mixed = Setup { gravity: 10.0, restitution: 0.3, ..Setup::new(Scene::Mixed) };
    for friction in [0.0, 0.5] {
        let mixed = Setup { agents: 1_500, radius: [0.5, 8.0], friction, ..mixed.clone() };
        placed("mixed", &Setup { world: Some(shaft(150.0, 400.0)), ..mixed }, 400, &[1, 2, 3, 4]);
        let giants = Setup { gravity: 10.0, restitution: 0.3, ..Setup::new(Scene::Giants) };
        placed("giants", &Setup { agents: 3_000, friction, ..giants }, 200, &[2, 3]);
    }
}

/// While all of them fall, the borders of the slabs go with them, past the large ones.
#[test]
fn borders_pass_large_discs() {
    let mixed = Setup { gravity: 30.0, restitution: 0.1, ..Setup::new(Scene::Mixed) };
    let mixed = Setup { agents: 1_200, radius: [0.5, 12.0], density: 0.3, ..mixed };
    for (friction, height) in [(0.0, 900.0), (0.4, 600.0)] {
        let setup = Setup { friction, world: Some(shaft(80.0, height)), ..mixed.clone() };
        placed("large", &setup, 300, &[2, 3, 4]);
    }
}

#[test]
fn scenes_with_statics_have_the_bits_of_one_process() {
    for friction in [0.0, 0.4] {
        let setup = |scene| Setup { friction, ..Setup::with_agents(scene, 3_000) };
        placed("dam", &setup(Scene::Dam), 250, &[2, 3]);
        placed("pegs", &setup(Scene::Pegs), 250, &[2, 3, 4]);
    }
}

/// A funnel of capsules above a tray, and discs of two sizes.
#[test]
fn hoppers_have_the_bits_of_one_process() {
    for friction in [0.0, 0.6] {
        let setup = Setup {
            agents: 1_500,
            radius: [0.4, 1.6],
            gravity: 20.0,
            restitution: 0.2,
            friction,
            density: 0.35,
            world: Some(shaft(40.0, 260.0)),
            ..Setup::new(Scene::Gas)
        };
        let mut start = scene::place(&setup).unwrap();
        let Rect { min, max } = start.world;
        let at = |x: f32, y: f32| min + (max - min) * Vec2::new(x, y);
        start.statics = vec![
            Static::capsule([at(0.05, 0.3), at(0.4, 0.2)], 0.5),
            Static::capsule([at(0.95, 0.3), at(0.6, 0.2)], 0.5),
            Static::disc(at(0.5, 0.1), 4.0),
        ];
        start.agents = outside(&start.agents, &start.statics);
        same("hopper", &setup, &start, 500, &[1, 2, 3, 4]);
    }
}

/// The agents that overlap no static.
fn outside(agents: &Agents, statics: &[Static]) -> Agents {
    let mut kept = Agents::default();
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        let reach = Rect::around(agent.position, agent.radius + 0.1);
        if statics.iter().all(|it| !it.bounds().intersects(&reach)) {
            kept.push(agent);
        }
    }
    kept
}

/// A ball that falls on a pile that sleeps wakes it, also in the slabs of other ranks.
#[test]
fn what_sleeps_wakes_on_all_ranks() {
    for friction in [0.0, 0.5] {
        let setup = Setup { friction, ..pile() };
        let mut agents = resting(&setup, 700).agents().clone();
        agents.own = None;
        let start = scene::place(&setup).unwrap();
        let id = agents.id.iter().max().unwrap() + 1;
        let (position, velocity) = (Vec2::new(10.0, 245.0), Vec2::new(0.0, -5.0));
        agents.push(Agent { position, velocity, radius: 3.0, id });
        let start = Start { agents, ..start };
        let mut sim = Sim::from_start(&setup, start.clone()).unwrap();
        let awake: Vec<_> = (0..600)
            .map(|_| {
                sim.step().unwrap();
                sim.awake()
            })
            .collect();
        let sleeps = awake.iter().position(|&awake| awake < 300).expect("the pile sleeps");
        assert!(awake[sleeps..].iter().any(|&awake| awake > 600), "the ball wakes it");
        same("ball", &setup, &start, 600, &[2, 3, 5]);
    }
}

/// Agents that are born, die and push each other while they fall.
#[test]
fn lives_that_fall_have_the_bits_of_one_process() {
    let gas = Setup { agents: 3_000, gravity: 10.0, restitution: 0.3, ..Setup::new(Scene::Gas) };
    let gas = Setup { spare_agents: 2_000, world: Some(shaft(60.0, 300.0)), ..gas };
    let mixed = Setup {
        radius: [0.5, 3.0],
        agents: 1_500,
        world: Some(shaft(110.0, 540.0)),
        ..gas.clone()
    };
    for (name, setup, born, dies) in [
        ("few", gas.clone(), "random(1) < 0.004", "random(2) < 0.004"),
        ("many", gas.clone(), "random(1) < 0.3", "random(2) < 0.3"),
        ("rough", Setup { friction: 0.4, ..gas.clone() }, "random(1) < 0.01", "id < 90"),
        ("mixed", mixed, "random(1) < 0.01", "random(2) < 0.01"),
        ("rare", Setup { speed: 2.0, ..gas }, "random(1) < 0.0001", "random(2) < 0.0001"),
    ] {
        let mut start = scene::place(&setup).unwrap();
        let species = vec![0; start.agents.len()];
        start.agents.own = Some(Box::new(OwnColumns::new().with_species(species)));
        let mut sim = Sim::from_start(&setup, start).unwrap();
        sim.set_rules(lives(born, dies)).unwrap();
        continued(name, &sim, 40, true);
    }
}
