//! One agent by its id: its slot, and changes of its position and velocity, with every solver.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Spawn, Vec2,
    index::IndexKind,
    limits::SPEED_MAX,
    scene::{Collisions, Start},
    sim::{Applied, Edit},
};

/// One set-up per solver, all with several substeps.
fn setups() -> [(&'static str, Setup); 3] {
    let gas = Setup { spare_agents: 50, ..Setup::with_agents(Scene::Gas, 400) };
    let pile = Setup { spare_agents: 50, ..Setup::with_agents(Scene::Pile, 400) };
    [
        ("impulse", Setup { substeps: Some(3), ..gas.clone() }),
        ("swept", Setup { substeps: Some(2), collisions: Collisions::Swept, ..gas }),
        ("contact", Setup { substeps: Some(2), ..pile }),
    ]
}

fn advance(sim: &mut Sim, steps: u64) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

fn agent(sim: &Sim, id: u32) -> Agent {
    sim.agents().get(sim.slot_of(id).expect("it is alive"))
}

#[test]
fn the_slot_of_an_id_follows_steps_and_edits() {
    for (name, setup) in setups() {
        let mut sim = Sim::new(&setup).expect("it can be placed");
        let assert_slots = |sim: &Sim| {
            for (slot, &id) in sim.agents().id.iter().enumerate() {
                assert_eq!(sim.slot_of(id), Some(slot), "{name}, step {}", sim.steps());
            }
        };
        assert_slots(&sim);
        let start = sim.agents().id.clone();
        for _ in 0..60 {
            advance(&mut sim, 1);
            assert_slots(&sim);
        }
        assert_ne!(sim.agents().id, start, "agents were sorted");
        sim.remove(&[7, 100, 399]).expect("there is memory");
        assert_slots(&sim);
        let center = sim.world().center();
        let came = sim.spawn(&[Spawn::new(center, Vec2::ZERO, 0.5)]).expect("there is room");
        assert_slots(&sim);
        assert!(sim.slot_of(came.start).is_some());
        for id in [7, 100, 399, came.end, Agents::GONE] {
            assert_eq!(sim.slot_of(id), None, "{id}");
        }
        assert_slots(&sim.clone());
    }
}

#[test]
fn slots_are_found_among_any_ids() {
    let setup = Setup::with_agents(Scene::Gas, 3);
    let mut start = Start {
        world: Rect::from_size(40.0, 40.0),
        agents: Agents::default(),
        statics: Vec::new(),
        populated: 1_600.0,
    };
    for (id, x) in [(Agents::GONE - 1, 5.0), (0, 15.0), (1 << 31, 25.0)] {
        let (position, velocity) = (Vec2::new(x, 20.0), Vec2::ZERO);
        start.agents.push(Agent { position, velocity, radius: 1.0, id });
    }
    let sim = Sim::from_start(&setup, start).expect("ids may be any");
    for (slot, &id) in sim.agents().id.iter().enumerate() {
        assert_eq!(sim.slot_of(id), Some(slot));
    }
    assert_eq!(sim.slot_of(1), None);
}

#[test]
fn a_moved_agent_is_found_where_it_is() {
    for (name, setup) in setups() {
        let mut sim = Sim::new(&setup).expect("it can be placed");
        advance(&mut sim, 20);
        let world = sim.world();
        for (id, share) in [(3, 0.1), (200, 0.5), (3, 0.9), (399, 0.9)] {
            let position = world.min + share * world.size();
            let before = agent(&sim, id);
            sim.set_position(id, position).expect("it is inside");
            assert_eq!(agent(&sim, id), Agent { position, ..before }, "{name}");
            sim.grid().validate(sim.agents()).expect("the grid is exact");
            let mut found = Vec::new();
            sim.visit_disc(position, 0.01, |slot| found.push(sim.agents().id[slot as usize]));
            assert!(found.contains(&id), "{name}: {found:?}");
        }
        // The last two lie on each other.
        let slots = [3, 399].map(|id| sim.slot_of(id).expect("it is alive") as u32);
        let overlap = |pair: [u32; 2]| pair.iter().all(|slot| slots.contains(slot));
        assert!(sim.contacts().expect("there is memory").any(overlap), "{name}");
        advance(&mut sim, 20);
        sim.grid().validate(sim.agents()).expect("the grid is exact");
    }
}

#[test]
fn a_set_velocity_is_that_of_the_next_step() {
    for (name, setup) in setups() {
        let mut sim = alone(&setup);
        advance(&mut sim, 3);
        let before = agent(&sim, 0);
        sim.set_velocity(0, Vec2::new(6.0, -3.0)).expect("it is alive");
        assert_eq!(agent(&sim, 0), Agent { velocity: Vec2::new(6.0, -3.0), ..before });
        advance(&mut sim, 1);
        let moved = (agent(&sim, 0).position.x - before.position.x) * sim.setup().hz;
        assert!((moved - 6.0).abs() < 1e-3, "{name}: {moved}");
    }
}

/// A run of one agent at rest in the middle of its world.
fn alone(setup: &Setup) -> Sim {
    let mut start = Start {
        world: Rect::from_size(80.0, 80.0),
        agents: Agents::default(),
        statics: Vec::new(),
        populated: 6_400.0,
    };
    let (position, velocity) = (Vec2::splat(40.0), Vec2::ZERO);
    start.agents.push(Agent { position, velocity, radius: 2.0, id: 0 });
    Sim::from_start(&Setup { agents: 1, ..setup.clone() }, start).expect("it can be placed")
}

#[test]
fn a_force_acts_through_the_next_step_alone() {
    for (name, setup) in setups() {
        let (mut plain, mut pushed) = (alone(&setup), alone(&setup));
        let gained =
            |plain: &Sim, pushed: &Sim| agent(pushed, 0).velocity - agent(plain, 0).velocity;
        let (hz, mass) = (setup.hz, 4.0);
        // Two forces add up.
        pushed.apply_force(0, mass * Vec2::new(20.0, 0.0)).expect("in range");
        pushed.apply_force(0, mass * Vec2::new(10.0, 60.0)).expect("in range");
        assert_eq!(gained(&plain, &pushed), Vec2::ZERO, "before the step");
        advance(&mut plain, 1);
        advance(&mut pushed, 1);
        let expected = Vec2::new(30.0, 60.0) / hz;
        let gain = gained(&plain, &pushed);
        assert!(gain.distance(expected) < 1e-4, "{name}: {gain}, not {expected}");
        // Each substep begins with its share, as with gravity.
        let substeps = pushed.setup().substeps_per_step() as f32;
        let way = agent(&pushed, 0).position - agent(&plain, 0).position;
        let expected = expected / hz * (substeps + 1.0) / (2.0 * substeps);
        assert!(way.distance(expected) < 1e-4, "{name}: {way}, not {expected}");
        advance(&mut plain, 1);
        advance(&mut pushed, 1);
        assert!((gained(&plain, &pushed) - gain).length() < 1e-5, "{name}: it lasts one step");
    }
}

#[test]
fn a_force_on_an_agent_that_leaves_is_lost() {
    for (name, setup) in setups() {
        let mut sim = Sim::new(&setup).expect("it can be placed");
        advance(&mut sim, 5);
        let mut plain = sim.clone();
        sim.apply_force(9, Vec2::new(500.0, 500.0)).expect("in range");
        for sim in [&mut sim, &mut plain] {
            sim.remove(&[9]).expect("there is memory");
        }
        let mut restored = restored(&sim);
        for sim in [&mut sim, &mut plain, &mut restored] {
            advance(sim, 10);
        }
        assert_eq!(sim.state_hash(), restored.state_hash(), "{name}");
        if name != "contact" {
            // There the force has woken what lies around the agent.
            assert_eq!(sim.state_hash(), plain.state_hash(), "{name}");
        }
    }
}

#[test]
fn rejected_changes_of_an_agent_change_nothing() {
    for (name, setup) in setups() {
        let mut sim = Sim::new(&setup).expect("it can be placed");
        advance(&mut sim, 5);
        sim.remove(&[8]).expect("there is memory");
        let (mut plain, center) = (sim.clone(), sim.world().center());
        for id in [8, 400, Agents::GONE] {
            let errors = [
                sim.set_velocity(id, Vec2::ZERO),
                sim.set_position(id, center),
                sim.apply_force(id, Vec2::ZERO),
            ];
            for error in errors.map(|result| result.expect_err("no agent has this id")) {
                let expected =
                    format!("agent id {id} is unknown: expected the id of an agent alive");
                assert_eq!(error.to_string(), expected);
            }
        }
        let (nan, infinite) = (Vec2::new(0.0, f32::NAN), Vec2::new(f32::INFINITY, 0.0));
        let fast = Vec2::new(0.0, -1.01 * SPEED_MAX);
        for velocity in [nan, infinite, fast] {
            let error = sim.set_velocity(3, velocity).expect_err("too fast").to_string();
            assert!(error.contains("agent velocity") && error.contains("1e9"), "{error}");
        }
        // The agents are wider than what is left beside this border.
        let border = Vec2::new(sim.world().min.x + 0.01, center.y);
        for position in [nan, infinite, sim.world().max + 1.0, border] {
            let error = sim.set_position(3, position).expect_err("not inside").to_string();
            assert!(error.contains("agent position"), "{error}");
        }
        for force in [nan, infinite, Vec2::splat(f32::MAX)] {
            let error = sim.apply_force(3, force).expect_err("too strong").to_string();
            assert!(error.starts_with("force ("), "{error}");
        }
        assert_eq!(sim.state_hash(), plain.state_hash());
        advance(&mut sim, 20);
        advance(&mut plain, 20);
        assert_eq!(sim.state_hash(), plain.state_hash(), "{name}");
    }
}

fn restored(sim: &Sim) -> Sim {
    Sim::restore(&sim.snapshot().expect("there is memory")).expect("a run")
}

/// Changes of single agents, and others between them.
fn edits(sim: &Sim) -> Vec<Edit> {
    let (world, size) = (sim.world(), sim.world().size());
    let at = |x: f32, y: f32| world.min + Vec2::new(x, y) * size;
    vec![
        Edit::Velocity(5, Vec2::new(8.0, -2.0)),
        Edit::Force(6, Vec2::new(-90.0, 200.0)),
        Edit::Position(7, at(0.3, 0.7)),
        Edit::Force(7, Vec2::new(400.0, 0.0)),
        Edit::Force(8, Vec2::new(1.0, 2.0)),
        Edit::Remove(vec![8, 20]),
        Edit::Position(9, at(0.8, 0.5)),
        Edit::Velocity(9, Vec2::ZERO),
        Edit::Spawn(vec![Spawn::new(at(0.5, 0.5), Vec2::ZERO, 0.5)]),
        Edit::Force(400, Vec2::new(0.0, 300.0)),
    ]
}

/// With every solver and index: measured and not, cloned, restored, and repeated from the start.
#[test]
fn the_same_changes_lead_to_the_same_bits() {
    for (name, setup) in setups() {
        let start = || Sim::new(&setup).expect("it can be placed");
        let edits = edits(&start());
        let run = |mut sim: Sim, between: &mut dyn FnMut(&mut Sim)| {
            advance(&mut sim, 30);
            for edit in &edits {
                let applied = sim.apply(edit).expect("it is in range");
                assert!(!applied.is_nothing(), "{name}: {edit:?}");
                between(&mut sim);
                let steps = if matches!(edit, Edit::Force(..)) { 0 } else { 4 };
                advance(&mut sim, steps);
            }
            advance(&mut sim, 20);
            sim.state_hash()
        };
        let expected = run(start(), &mut |_| ());
        let found = run(start(), &mut |sim| _ = sim.measure().expect("there is memory"));
        assert_eq!(found, expected, "{name}: measured");
        assert_eq!(run(start(), &mut |sim| *sim = sim.clone()), expected, "{name}: cloned");
        assert_eq!(run(start(), &mut |sim| *sim = restored(sim)), expected, "{name}: restored");
        for index in IndexKind::all() {
            let mut sim = start();
            sim.set_index(index).expect("it can be built");
            assert_eq!(run(sim, &mut |_| ()), expected, "{name}: {}", index.name);
        }
    }
}

#[test]
fn applied_edits_say_what_came_of_them() {
    let setup = Setup { spare_agents: 9, spare_statics: 2, ..Setup::with_agents(Scene::Gas, 50) };
    let mut sim = Sim::new(&setup).expect("it can be placed");
    let center = sim.world().center();
    let spawn = Spawn::new(center, Vec2::ZERO, 0.5);
    let mut apply = |edit: Edit| sim.apply(&edit).expect("in range");
    assert_eq!(apply(Edit::Gravity(0.0)), Applied::Parameter);
    assert_eq!(apply(Edit::Spawn(vec![spawn; 2])), Applied::Ids(50..52));
    assert_eq!(apply(Edit::Spawn(Vec::new())), Applied::Ids(52..52));
    let removed = apply(Edit::Remove(vec![50, 51, 70]));
    assert_eq!((removed.count(), removed.ids(), removed.is_nothing()), (2, 0..0, false));
    assert!(apply(Edit::Remove(vec![50])).is_nothing());
    assert!(apply(Edit::Steer(center - 1e6, 1.0, 1.0)).is_nothing());
    assert_eq!(apply(Edit::Velocity(3, Vec2::X)), Applied::Count(1));
    assert!(sim.apply(&Edit::Velocity(50, Vec2::X)).is_err());
}
