//! Runs that were changed: agents and statics that came and went, other parameters, tools.

use jostle::{
    Scene, Setup, Sim, Spawn, Static, Vec2,
    rng::Rng,
    scene::{Collisions, Solver},
};

use crate::{advance, change_machine, restored};

/// One change of a run, the n-th of a list, the same for the same state.
fn edit(sim: &mut Sim, n: usize) {
    let world = sim.world();
    let mut rng = Rng::new(n as u64);
    let at = Vec2::new(
        world.min.x + world.width() * rng.between(0.2, 0.8),
        world.min.y + world.height() * rng.between(0.2, 0.8),
    );
    let size = 0.05 * world.height();
    let some = |rng: &mut Rng| sim.agents().id[rng.below(sim.agents().len() as u32) as usize];
    let (id, other) = (some(&mut rng), some(&mut rng));
    let push = Vec2::new(rng.between(-9.0, 9.0), rng.between(-9.0, 9.0));
    match n % 13 {
        0 => {
            let mut spawns: Vec<Spawn> = Vec::new();
            sim.fill(at, 4.0 * size, &mut rng, &mut spawns);
            sim.spawn(&spawns).expect("there is room");
        }
        1 => {
            let ids: Vec<u32> = sim.agents().id.iter().copied().filter(|id| id % 17 == 3).collect();
            sim.remove(&ids).expect("there is memory");
        }
        2 => {
            if sim.statics().len() < sim.statics().capacity() {
                sim.add_statics(&[Static::disc(at, 0.3 * size)]).expect("there is room");
            }
        }
        3 => {
            let first = sim.statics().iter().next().map(|(id, _)| id);
            sim.remove_statics(first.as_slice());
        }
        4 => sim.set_gravity(if sim.setup().gravity == 0.0 { 10.0 } else { 0.0 }).expect("valid"),
        5 => sim.set_restitution(0.4).expect("valid"),
        6 => sim.scale_speeds(0.9).expect("valid"),
        7 => {
            sim.steer(at, 4.0 * size, 3.0).expect("valid");
        }
        8 => {
            sim.measure().expect("there is memory");
        }
        9 => sim.set_position(id, at).expect("it is inside"),
        10 => sim.set_velocity(id, push).expect("in range"),
        // Refused where the run can't have it.
        11 => drop(sim.set_friction(if sim.setup().friction == 0.0 { 0.6 } else { 0.0 })),
        _ => {
            sim.apply_force(id, 60.0 * push).expect("in range");
            sim.apply_force(other, -90.0 * push).expect("in range");
            sim.apply_force(id, 30.0 * push).expect("in range");
        }
    }
}

/// A run is saved right after each change, before any step, and later.
#[test]
fn an_edited_run_continues_bit_for_bit() {
    let scenes = [Scene::Gas, Scene::Mixed, Scene::Pile, Scene::Dam, Scene::Cannon, Scene::Melee];
    let scenes = scenes.map(|scene| (scene, Collisions::Overlap));
    for (scene, collisions) in scenes.into_iter().chain([(Scene::Gas, Collisions::Swept)]) {
        let mut own = Setup { collisions, ..Setup::with_agents(scene, 300) };
        if collisions == Collisions::Swept {
            // With gravity, too.
            own.solver = Solver::Impulse;
        }
        let setup = Setup { spare_agents: 200, spare_statics: 12, ..own };
        let mut sim = Sim::new(&setup).expect("the scene can be placed");
        advance(&mut sim, 40);
        for n in 0..26 {
            edit(&mut sim, n);
            for later in [0, 3] {
                advance(&mut sim, later);
                let mut twin = restored(&sim);
                assert_eq!(twin.counters(), sim.counters(), "{scene}, edit {n}");
                change_machine(&mut twin, n);
                let mut whole = sim.clone();
                for step in 0..25 {
                    if step == 13 {
                        edit(&mut twin, n + 1);
                        edit(&mut whole, n + 1);
                    }
                    advance(&mut twin, 1);
                    advance(&mut whole, 1);
                    let context = format!("{scene}, edit {n}, {later} steps later, step {step}");
                    assert_eq!(twin.state_hash(), whole.state_hash(), "{context}");
                }
                assert_eq!(twin.next_ids(), whole.next_ids(), "{scene}: ids to come");
            }
        }
    }
}

/// Ids that the next agent and the next static would get.
trait NextIds {
    fn next_ids(&mut self) -> [u32; 2];
}

impl NextIds for Sim {
    fn next_ids(&mut self) -> [u32; 2] {
        let none = self.spawn(&[]).expect("none is room for none");
        let no_static = self.add_statics(&[]).expect("none is room for none");
        [none.start, no_static.start]
    }
}

/// A run without agents, and one that all agents have left.
#[test]
fn a_run_without_agents_continues() {
    let setup = Setup { spare_agents: 10, ..Setup::with_agents(Scene::Pile, 50) };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    advance(&mut sim, 5);
    let ids = sim.agents().id.clone();
    sim.remove(&ids).expect("there is memory");
    let mut twin = restored(&sim);
    let spawn = Spawn::new(sim.world().center(), Vec2::ZERO, 0.6);
    for sim in [&mut sim, &mut twin] {
        advance(sim, 2);
        assert_eq!(sim.spawn(&[spawn]).expect("there is room"), 50..51);
        advance(sim, 9);
    }
    assert_eq!(twin.state_hash(), sim.state_hash());
}
