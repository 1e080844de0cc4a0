//! Steering and filling a disc.

use jostle::{Scene, Setup, Sim, Static, Vec2, limits::SPEED_MAX, rng::Rng};

fn sim(scene: Scene) -> Sim {
    let setup = Setup { agents: 600, spare_agents: 300, spare_statics: 4, ..Setup::new(scene) };
    Sim::new(&setup).unwrap()
}

#[test]
fn steering_stays_below_its_speed_and_within_its_disc() {
    let mut sim = sim(Scene::Gas);
    let (center, radius) = (sim.world().center(), 12.0);
    let before = sim.agents().clone();
    for _ in 0..50 {
        assert!(sim.steer(center, radius, 15.0).unwrap() > 10);
    }
    for slot in 0..before.len() {
        let (old, new) = (before.get(slot), sim.agents().get(slot));
        assert_eq!(old.position, new.position);
        let away = old.position - center;
        if away.length() > radius {
            assert_eq!(old.velocity, new.velocity);
        } else {
            assert!(new.velocity.length() <= old.velocity.length().max(15.0) * 1.001);
        }
        if away.length() < 0.5 * radius {
            assert!(new.velocity.dot(away) > 0.0, "away from the centre");
        }
    }
    sim.steer(center, radius, -15.0).unwrap();
    assert_eq!(sim.steer(Vec2::splat(-1e6), 1.0, 1.0).unwrap(), 0);
}

#[test]
fn steering_rejects_values_that_are_not_finite() {
    let mut sim = sim(Scene::Gas);
    let (center, hash) = (sim.world().center(), sim.state_hash());
    for (center, radius, speed) in [
        (center, 9.0, f32::NAN),
        (center, 9.0, 2.0 * SPEED_MAX),
        (center, f32::INFINITY, 1.0),
        (Vec2::splat(f32::INFINITY), 9.0, 1.0),
    ] {
        assert!(sim.steer(center, radius, speed).is_err(), "{center} {radius} {speed}");
    }
    assert_eq!(sim.state_hash(), hash);
}

#[test]
fn filled_agents_lie_in_the_disc_without_overlap() {
    for scene in [Scene::Gas, Scene::Mixed] {
        let mut sim = sim(scene);
        sim.add_statics(&[Static::disc(sim.world().center(), 3.0)]).unwrap();
        // The static may overlap agents, which is not what is counted here.
        let before = sim.measure().unwrap().contacts;
        let (center, mut spawns) = (sim.world().center(), Vec::new());
        sim.fill(center, 40.0, &mut Rng::new(3), &mut spawns);
        assert!(spawns.len() > 3, "{scene}: {}", spawns.len());
        for spawn in &spawns {
            assert!(spawn.position.distance(center) + spawn.radius <= 40.001);
            assert!(spawn.position.distance(center) > 3.0 + spawn.radius);
        }
        sim.spawn(&spawns).unwrap();
        assert_eq!(sim.measure().unwrap().contacts, before, "{scene}");
    }
}

#[test]
fn filled_units_belong_to_either_faction() {
    let (sim, mut spawns) = (sim(Scene::Melee), Vec::new());
    sim.fill(sim.world().center(), 1_000.0, &mut Rng::new(3), &mut spawns);
    for side in [0, 1] {
        assert!(spawns.iter().any(|spawn| spawn.faction == side), "{side}");
    }
}

#[test]
fn filling_stops_at_the_capacity() {
    let mut sim = sim(Scene::Gas);
    let (center, mut spawns) = (sim.world().center(), Vec::new());
    sim.fill(center, 1_000.0, &mut Rng::new(3), &mut spawns);
    assert!(spawns.len() <= sim.capacity_left());
    sim.spawn(&spawns).unwrap();
    let mut rng = Rng::new(4);
    for _ in 0..100 {
        spawns.clear();
        sim.fill(center, 30.0, &mut rng, &mut spawns);
        sim.spawn(&spawns).unwrap();
    }
    assert!(sim.agents().len() <= 900);
}
