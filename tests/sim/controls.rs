//! Parameters that change during a run.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Vec2,
    limits::{MEAN_SPEED_MAX, SPEED_MAX},
    scene::{self, Start},
};

fn sim(scene: Scene) -> Sim {
    Sim::new(&Setup { agents: 300, ..Setup::new(scene) }).unwrap()
}

#[test]
fn setting_a_value_to_itself_changes_no_bit() {
    for scene in [Scene::Gas, Scene::Pile] {
        let (mut plain, mut changed) = (sim(scene), sim(scene));
        let Setup { restitution, friction, gravity, .. } = *plain.setup();
        for _ in 0..30 {
            plain.step().unwrap();
            changed.set_restitution(restitution).unwrap();
            changed.set_friction(friction).unwrap();
            changed.set_gravity(gravity).unwrap();
            changed.scale_speeds(1.0).unwrap();
            changed.step().unwrap();
        }
        assert_eq!(plain.state_hash(), changed.state_hash());
    }
}

#[test]
fn a_change_takes_effect_in_the_next_step() {
    let mut sim = sim(Scene::Gas);
    let before = sim.measure().unwrap();
    sim.set_gravity(10.0).unwrap();
    sim.step().unwrap();
    assert!(sim.measure().unwrap().momentum[1] < before.momentum[1]);
    sim.set_gravity(0.0).unwrap();
    sim.set_restitution(0.0).unwrap();
    let before = sim.measure().unwrap().kinetic_energy;
    (0..60).for_each(|_| sim.step().unwrap());
    assert!(sim.measure().unwrap().kinetic_energy < before);
    assert_eq!((sim.setup().gravity, sim.setup().restitution), (0.0, 0.0));
}

/// A collision with a heavier agent can make an agent faster than any that may be spawned.
#[test]
fn speeds_above_the_limit_may_stay_or_shrink() {
    let setup = Setup { speed: MEAN_SPEED_MAX, ..Setup::new(Scene::Gas) };
    let mut start = Start {
        world: Rect::from_size(100.0, 100.0),
        agents: Agents::default(),
        statics: Vec::new(),
        populated: 10_000.0,
    };
    for (id, x, radius, vx) in [(0, 50.0, 10.0, SPEED_MAX), (1, 60.05, 0.1, -SPEED_MAX)] {
        let (position, velocity) = (Vec2::new(x, 50.0), Vec2::new(vx, 0.0));
        start.agents.push(Agent { position, velocity, radius, id });
    }
    let mut sim = Sim::from_start(&setup, start).unwrap();
    sim.step().unwrap();
    let fastest = |sim: &Sim| sim.agents().vx.iter().fold(0.0_f32, |most, vx| most.max(vx.abs()));
    let before = fastest(&sim);
    assert!(before > 2.9 * SPEED_MAX, "{before}");
    let hash = sim.state_hash();
    let error = sim.scale_speeds(1.1).unwrap_err().to_string();
    assert!(error.ends_with("expected at most 1e9; try speed factor 1"), "{error}");
    sim.scale_speeds(1.0).unwrap();
    assert_eq!(sim.state_hash(), hash);
    sim.scale_speeds(0.5).unwrap();
    assert_eq!(fastest(&sim), 0.5 * before);
    assert_eq!(sim.setup().speed, 0.5 * MEAN_SPEED_MAX);
}

/// The set-up of a start of a caller's own may name no agents at all.
#[test]
fn parameters_change_whatever_number_the_set_up_names() {
    let mut setup = Setup { agents: 30, ..Setup::new(Scene::Gas) };
    let start = scene::place(&setup).unwrap();
    setup.agents = 0;
    let mut sim = Sim::from_start(&setup, start).unwrap();
    sim.set_gravity(5.0).unwrap();
    sim.set_restitution(0.5).unwrap();
    sim.set_friction(0.5).unwrap();
    sim.scale_speeds(2.0).unwrap();
    sim.step().unwrap();
}

#[test]
fn a_rejected_value_changes_nothing() {
    let mut sim = sim(Scene::Gas);
    let (setup, hash) = (sim.setup().clone(), sim.state_hash());
    for restitution in [-0.1, 1.1, f32::NAN] {
        let error = sim.set_restitution(restitution).unwrap_err().to_string();
        assert!(error.contains("expected 0 to 1"), "{error}");
    }
    for friction in [-0.1, 10.1, f32::NAN] {
        let error = sim.set_friction(friction).unwrap_err().to_string();
        assert!(error.contains("expected 0 to 10"), "{error}");
    }
    assert!(sim.set_gravity(f32::INFINITY).is_err());
    for factor in [-1.0, f32::NAN, f32::INFINITY, 1e9] {
        assert!(sim.scale_speeds(factor).is_err(), "{factor}");
    }
    assert_eq!((sim.setup(), sim.state_hash()), (&setup, hash));
}
