//! Agents that come and go by the rule of their scene: units that strike, and balls that are fired.

use jostle::{
    Agent, Agents, Boundary, OwnColumns, Rect, Scene, Setup, Sim, Static, Units, Vec2,
    scene::{self, Collisions},
};

use crate::{continued, lives, placed, resting, same, shaft};

/// Two armies meet; strikes reach across borders, and dead units leave the run.
#[test]
fn armies_have_the_bits_of_one_process() {
    let melee = Setup { speed: 30.0, ..Setup::with_agents(Scene::Melee, 3_000) };
    let mixed = Setup { radius: [0.5, 4.0], world: Some(shaft(240.0, 480.0)), ..melee.clone() };
    let melee = Setup { world: Some(shaft(110.0, 250.0)), ..melee };
    for (name, setup) in [
        ("melee", melee.clone()),
        ("rough melee", Setup { friction: 0.4, ..melee.clone() }),
        ("elastic melee", Setup { restitution: 1.0, ..melee.clone() }),
        ("swept melee", Setup { collisions: Collisions::Swept, restitution: 1.0, ..melee.clone() }),
        ("mixed melee", mixed),
    ] {
        let fewest = placed(name, &setup, 200, &[2, 3, 5]);
        assert!(fewest < 2_950, "{name}: {fewest} are left");
        continued(name, &resting(&setup, 120), 20, false);
    }
}

/// Agents with factions fight in any scene, also in a world that repeats.
#[test]
fn units_of_a_gas_have_the_bits_of_one_process() {
    for (name, boundary, collisions) in [
        ("walls", Boundary::Walls, Collisions::Overlap),
        ("periodic", Boundary::Periodic, Collisions::Overlap),
        ("swept", Boundary::PeriodicX, Collisions::Swept),
    ] {
        let world = Some(shaft(60.0, 240.0));
        let setup = Setup { boundary, collisions, world, ..Setup::with_agents(Scene::Gas, 3_000) };
        let mut start = scene::place(&setup).unwrap();
        let mut units = Units::default();
        (0..start.agents.len()).for_each(|slot| units.push((slot % 2) as u8, 1 + (slot % 9) as u8));
        start.agents.units = Some(units);
        same(name, &setup, &start, 30, &[1, 2, 3]);
        let mut sim = Sim::from_start(&setup, start).unwrap();
        (0..5).for_each(|_| sim.step().unwrap());
        assert!(sim.counters().removed > 100);
        continued(name, &sim, 15, false);
    }
}

/// The rule of the scene and those of formulas, by both of which agents come and go.
#[test]
fn scenes_and_formulas_have_the_bits_of_one_process() {
    let melee =
        Setup { speed: 30.0, spare_agents: 2_000, ..Setup::with_agents(Scene::Melee, 3_000) };
    let melee = Setup { world: Some(shaft(110.0, 250.0)), ..melee };
    let cannon = Setup { spare_agents: 2_000, ..Setup::with_agents(Scene::Cannon, 1_500) };
    for (name, setup, steps) in [("melee", melee, 120), ("cannon", cannon, 40)] {
        let mut start = scene::place(&setup).unwrap();
        let species = vec![0; start.agents.len()];
        start.agents.own = Some(Box::new(OwnColumns::new().with_species(species)));
        let mut sim = Sim::from_start(&setup, start).unwrap();
        (0..steps).for_each(|_| sim.step().unwrap());
        sim.set_rules(lives("random(1) < 0.01", "random(2) < 0.01")).unwrap();
        continued(name, &sim, 30, true);
    }
}

/// Balls are fired from where they rest, on the ground and on a shelf, through a rain of others; targets vanish on
/// all ranks at once.
#[test]
fn cannons_have_the_bits_of_one_process() {
    let cannon = Setup::with_agents(Scene::Cannon, 1_500);
    let rough = Setup { friction: 0.4, ..cannon.clone() };
    for (name, setup) in [("cannon", cannon), ("rough cannon", rough)] {
        let mut start = scene::place(&setup).unwrap();
        let radius = setup.radius[0];
        let mut agents = Agents::default();
        let mut put = |position, velocity| {
            let id = agents.len() as u32;
            agents.push(Agent { position, velocity, radius, id });
        };
        let place = |corner: Vec2, [column, row]: [u16; 2], apart: f32| {
            corner + apart * radius * Vec2::new(column.into(), row.into())
        };
        for n in 0..300 {
            put(place(Vec2::new(3.0, radius), [n % 100, n / 100], 2.4), Vec2::ZERO);
        }
        for n in 0..300 {
            put(place(Vec2::new(5.3, 4.0 + radius), [n % 50, n / 50], 2.05), Vec2::ZERO);
        }
        for n in 0..200 {
            put(place(Vec2::new(1.1, 1.4), [n % 4, n / 4], 2.3), Vec2::new(0.0, -2.0));
        }
        start.agents = agents;
        start.statics.retain(|it| !it.bounds().intersects(&shelf().expanded(0.4)));
        start.statics.push(Static::Box(shelf()));
        same(name, &setup, &start, 800, &[2, 3, 5]);
        let mut sim = Sim::from_start(&setup, start.clone()).unwrap();
        (0..500).for_each(|_| sim.step().unwrap());
        continued(name, &sim, 40, false);
        let vanished = start.statics.len() - sim.statics().len();
        assert!(vanished > 0, "{name}: no target has vanished");
    }
}

/// Above the ground, to the right of the cannon.
const fn shelf() -> Rect {
    Rect::new(Vec2::new(5.0, 3.9), Vec2::new(8.5, 4.0))
}
