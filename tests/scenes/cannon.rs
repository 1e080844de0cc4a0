//! The cannon: a constant number of balls, and targets that are removed when they are hit and come
//! again.

use jostle::{Scene, Setup, Sim, Static, Vec2, index::IndexKind};

fn shapes(sim: &Sim) -> Vec<Static> {
    sim.statics().iter().map(|(_, shape)| shape).collect()
}

/// Distance from the nearest ball's rim.
fn nearest(sim: &Sim, shape: &Static) -> f32 {
    let agents = sim.agents();
    let rims = (0..agents.len()).map(|slot| {
        let agent = agents.get(slot);
        shape.distance(agent.position) - agent.radius
    });
    rims.fold(f32::INFINITY, f32::min)
}

#[test]
fn targets_that_are_hit_go_away_and_come_again() {
    let setup = Setup::with_agents(Scene::Cannon, 100);
    let mut sim = Sim::new(&setup).expect("it can be placed");
    assert_eq!(sim.world().size(), Vec2::new(9.6, 6.4));
    let all = shapes(&sim);
    let targets = all.len() - 9;
    assert!((15..=20).contains(&targets), "{targets}");
    let [mut hits, mut rounds] = [0, 0];
    while rounds < 2 && sim.steps() < 30_000 {
        let before = shapes(&sim);
        sim.step().expect("there is memory");
        let after = shapes(&sim);
        assert_eq!(sim.agents().len(), 100, "one comes for each that goes");
        assert_eq!(after[..9], all[..9], "the cannon stays");
        if after.len() > before.len() {
            assert_eq!(after.len(), all.len(), "all come again at once");
            rounds += 1;
            continue;
        }
        for gone in before.iter().filter(|shape| !after.contains(shape)) {
            // A ball moves no farther in a step.
            let apart = nearest(&sim, gone);
            assert!(apart < 0.4, "{gone:?} went with the nearest ball {apart} m away");
            hits += 1;
        }
        for shape in &after[9..] {
            assert!(nearest(&sim, shape) > 0.0, "{shape:?} is hit, and still there");
        }
    }
    assert!(rounds == 2 && hits >= targets, "{rounds} rounds, {hits} hits, {} steps", sim.steps());
}

#[test]
fn each_ball_has_its_turn() {
    let mut sim = Sim::new(&Setup { hz: 120.0, ..Setup::new(Scene::Cannon) }).expect("it fits");
    for shots in [30, 100, 250] {
        // 100 shots in 25 seconds.
        while sim.steps() < shots * 30 {
            sim.step().expect("there is memory");
        }
        let (counters, ids) = (sim.counters(), &sim.agents().id);
        assert_eq!([counters.spawned, counters.removed], [shots; 2]);
        assert_eq!(ids.iter().max(), Some(&(99 + shots as u32)), "ids count on");
        let original = ids.iter().filter(|&&id| id < 100).count();
        assert!(original >= 100_usize.saturating_sub(shots as usize));
    }
    assert!(sim.agents().id.iter().all(|&id| id >= 100), "all of the first have been fired");
}

/// Balls of a quarter of the size take steps of a quarter of the length. The rate of shots per ball
/// stays the same.
#[test]
fn small_balls_take_short_steps() {
    let [few, setup] = [100, 1_600].map(|agents| Setup::with_agents(Scene::Cannon, agents));
    assert_eq!(setup.radius[0], few.radius[0] / 4.0);
    assert!((setup.hz / few.hz / 4.0 - 1.0).abs() < 0.1, "{} and {}", few.hz, setup.hz);
    let mut sim = Sim::new(&setup).expect("it fits");
    (0..2 * setup.hz as u32).for_each(|_| sim.step().expect("there is memory"));
    let counters = sim.counters();
    assert_eq!((counters.spawned, counters.tunnelled), (128, 0));
}

/// In the first second all balls fall onto each other.
#[test]
fn small_balls_do_not_fall_into_each_other() {
    let setup = Setup::with_agents(Scene::Cannon, 5_000);
    let mut sim = Sim::new(&setup).expect("it fits");
    (0..setup.hz as u32).for_each(|_| sim.step().expect("there is memory"));
    let overlap = sim.measure().expect("there is memory").max_overlap;
    assert!(overlap < 0.5, "{overlap} of a radius");
}

#[test]
fn it_works_with_any_number_of_balls_and_any_index() {
    for balls in [1, 2, 7, 3_000] {
        let hash = |index: &str| {
            let mut sim =
                Sim::new(&Setup::with_agents(Scene::Cannon, balls)).expect("it can be placed");
            sim.set_index(IndexKind::find(index).expect("it is there")).expect("there is memory");
            (0..60).for_each(|_| sim.step().expect("there is memory"));
            assert_eq!(sim.agents().len(), balls as usize);
            sim.state_hash()
        };
        assert_eq!(hash("spatial-hash"), hash("double-grid"), "{balls} balls");
    }
}
