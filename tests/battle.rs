//! The scene `melee`: the two armies, the strikes of their units, and the units that leave.

use jostle::{
    Scene, Setup, Sim, Spawn, Units, Vec2,
    raster::{ColorBy, Style},
};

fn sim(agents: u32, room: u32) -> Sim {
    Sim::new(&Setup { agents, spare_agents: room, ..Setup::new(Scene::Melee) })
        .expect("it can be placed")
}

fn units(sim: &Sim) -> &Units {
    sim.agents().units.as_ref().expect("a melee has sides")
}

fn counts(sim: &Sim) -> [usize; 2] {
    let faction = &units(sim).faction;
    let right = faction.iter().map(|&side| usize::from(side)).sum();
    [faction.len() - right, right]
}

fn steps(sim: &mut Sim, count: u32) {
    (0..count).for_each(|_| sim.step().expect("there is memory"));
}

#[test]
fn two_equal_armies_start_apart_and_march_at_each_other() {
    for agents in [2, 101, 2_000, 50_000] {
        let sim = sim(agents, 0);
        let (agents, middle) = (sim.agents(), sim.world().center().x);
        let [left, right] = counts(&sim);
        assert!(left.abs_diff(right) <= 10 && left + right == agents.len(), "{left}, {right}");
        for slot in 0..agents.len() {
            let agent = agents.get(slot);
            let side = if units(&sim).faction[slot] == 0 { 1.0 } else { -1.0 };
            assert!((middle - agent.position.x) * side > agent.radius, "{agent:?}");
            assert!(agent.velocity.x * side > 0.0, "{agent:?}");
            assert_eq!(units(&sim).health[slot], Units::HEALTH);
        }
    }
}

/// The oracle: the strikes that each slot takes, found by testing every pair.
fn strikes(sim: &Sim) -> Vec<u8> {
    const RANGE: f32 = 2.0;
    let (agents, faction) = (sim.agents(), &units(sim).faction);
    let mut strikes = vec![0; agents.len()];
    for i in 0..agents.len() {
        let nearest = (0..agents.len())
            .filter(|&j| faction[j] != faction[i])
            .filter_map(|j| {
                let (dx, dy) = (agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
                let (square, reach) =
                    (dx * dx + dy * dy, agents.radius[i] + RANGE + agents.radius[j]);
                (square <= reach * reach).then_some((square, agents.id[j], j))
            })
            .min_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        if let Some((.., target)) = nearest {
            strikes[target] += 1;
        }
    }
    strikes
}

/// The health of every unit by its id; 0 for one that has left.
fn health_by_id(sim: &Sim) -> Vec<u8> {
    let mut health = vec![0; sim.setup().agents as usize];
    for (&id, &own) in sim.agents().id.iter().zip(&units(sim).health) {
        health[id as usize] = own;
    }
    health
}

#[test]
fn a_unit_strikes_the_nearest_enemy_in_reach() {
    // With giants, too, which are found through the tight grid.
    for radius in [[0.5, 1.0], [0.5, 6.0]] {
        let setup = Setup { agents: 1_500, radius, ..Setup::new(Scene::Melee) };
        let mut sim = Sim::new(&setup).expect("it can be placed");
        let mut all = 0;
        for _ in 0..160 {
            let (before, removed) = (health_by_id(&sim), sim.counters().removed);
            steps(&mut sim, 1);
            // Units that die in a step have struck in it, and can't be asked any more.
            if sim.counters().removed > removed {
                continue;
            }
            let after = &units(&sim).health;
            let ids = sim.agents().id.iter().zip(after);
            let found: Vec<u8> = ids.map(|(&id, after)| before[id as usize] - after).collect();
            all += found.iter().map(|&n| u32::from(n)).sum::<u32>();
            assert_eq!(found, strikes(&sim), "in step {}", sim.steps());
        }
        assert!(all > 100, "{all} strikes");
    }
}

#[test]
fn the_dead_leave_agents_and_grid() {
    let mut sim = sim(3_000, 0);
    let mut alive = sim.agents().len();
    for _ in 0..20 {
        steps(&mut sim, 20);
        let now = sim.agents().len();
        assert!(now <= alive);
        alive = now;
        assert_eq!(
            [sim.grid().len(), units(&sim).health.len(), counts(&sim).iter().sum()],
            [now; 3]
        );
        assert_eq!(3_000 - sim.counters().removed, now as u64);
        assert!(units(&sim).health.iter().all(|&health| health > 0));
        sim.grid().validate(sim.agents()).expect("the grid is exact");
    }
    assert!(alive < 2_500, "{alive} are left of 3000");
    let world = sim.world();
    assert!((0..alive).all(|slot| world.contains(sim.agents().get(slot).position)));
}

/// Far less than it could last: the last ones must find each other.
#[test]
fn a_battle_ends() {
    let mut sim = sim(300, 0);
    while sim.steps() < 20_000 && counts(&sim).iter().all(|&count| count > 0) {
        steps(&mut sim, 100);
    }
    assert!(counts(&sim).contains(&0), "{:?} after {} steps", counts(&sim), sim.steps());
    steps(&mut sim, 200);
    let fastest = sim.largest_displacement();
    assert!(fastest < 0.01, "the winners do not rest: {fastest}");
}

#[test]
fn reinforcements_join_their_side() {
    let mut sim = sim(200, 2);
    let [left, right] = counts(&sim);
    let at = |x: f32| Spawn::new(Vec2::new(x, 2.0), Vec2::ZERO, 0.5);
    sim.spawn(&[at(3.0).with_faction(0), at(6.0).with_faction(1)]).expect("there is room");
    assert_eq!(counts(&sim), [left + 1, right + 1]);
    let error = sim.spawn(&[at(3.0).with_faction(2)]).expect_err("there are two sides").to_string();
    assert!(error.contains("faction 2 is out of range: expected 0 to 1"), "{error}");
    for health in [0, Units::HEALTH + 1] {
        let spawn = at(3.0).with_health(health);
        let error = sim.spawn(&[spawn]).expect_err("the health is out of range").to_string();
        assert!(error.contains("is out of range: expected 1 to "), "{error}");
    }
    steps(&mut sim, 10);
}

#[test]
fn sides_have_colors_of_their_own() {
    let look = Style::from_setup(&Setup::new(Scene::Melee));
    assert_eq!(look.color_by, ColorBy::Faction);
    assert_ne!(look.colors()[0], look.colors()[1]);
    assert_eq!(Style::from_setup(&Setup::new(Scene::Gas)).color_by, ColorBy::Speed);
}
