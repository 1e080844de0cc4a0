//! A clone continues bit for bit as the original.

use jostle::{Scene, Setup, Sim, Spawn, Vec2, index::IndexKind};

/// Steps a run and its clone side by side. The clone is taken `steps` steps after the start.
fn assert_clone_continues(mut sim: Sim, steps: u32, context: &str) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
    let mut clone = sim.clone();
    for step in 0..40 {
        assert_eq!(clone.state_hash(), sim.state_hash(), "{context}, {step} steps after the clone");
        assert_eq!(clone.counters(), sim.counters(), "{context}, {step} steps after the clone");
        sim.step().expect("there is memory");
        clone.step().expect("there is memory");
    }
    clone.grid().validate(clone.agents()).expect(context);
}

#[test]
fn a_clone_of_any_scene_continues_bit_for_bit() {
    for scene in Scene::ALL {
        for steps in [0, 1, 33] {
            let setup = Setup { spare_agents: 50, ..Setup::with_agents(scene, 1_000) };
            let sim = Sim::new(&setup).expect("the scene can be placed");
            assert_clone_continues(sim, steps, &format!("{scene} after {steps} steps"));
        }
    }
}

#[test]
fn a_clone_with_any_index_continues_bit_for_bit() {
    for kind in IndexKind::all() {
        for scene in [Scene::Mixed, Scene::Cannon] {
            let mut sim = Sim::new(&Setup::with_agents(scene, 500)).expect("it can be placed");
            sim.set_index(kind).expect("the index can be built");
            assert_clone_continues(sim, 20, &format!("{scene} with {}", kind.name));
        }
    }
}

/// Changing one of the two leaves the other as it is, and the clone keeps its spare capacity.
#[test]
fn a_clone_shares_nothing_with_the_original() {
    let setup = Setup { spare_agents: 10, ..Setup::with_agents(Scene::Gas, 300) };
    let mut sim = Sim::new(&setup).expect("a gas can be placed");
    let mut clone = sim.clone();
    let before = sim.state_hash();
    let spawn = Spawn::new(clone.world().center(), Vec2::ZERO, 0.5);
    assert_eq!(clone.spawn(&[spawn; 10]).expect("the capacity is cloned"), 300..310);
    clone.step().expect("there is memory");
    assert_eq!(sim.state_hash(), before);
    sim.step().expect("there is memory");
    assert_ne!(sim.state_hash(), clone.state_hash());
}
