//! The contact solver on several ranks: the bits of one process.

use jostle::{
    Agent, Agents, Boundary, Error, OwnColumns, Rect, Scene, Setup, Sim, Spawn, Static, Units,
    Vec2,
    cluster::{Rank, in_threads},
    rules::{AgentFormulas, BirthFormulas, Formulas, Rules},
    scene::{self, Collisions, Start},
    sim::Counters,
};

/// State hashes after each of some steps, and the fewest agents that were awake.
fn alone(setup: &Setup, start: &Start, steps: usize) -> (Vec<u64>, usize) {
    let mut sim = Sim::from_start(setup, start.clone()).unwrap();
    let mut fewest = sim.agents().len();
    let hashes = (0..steps).map(|_| {
        sim.step().unwrap();
        fewest = fewest.min(sim.awake());
        sim.state_hash()
    });
    (hashes.collect(), fewest)
}

/// The same hashes on several ranks; `None` if there are too few bands for these.
fn split(setup: &Setup, start: &Start, steps: usize, ranks: usize) -> Option<Vec<u64>> {
    let of_ranks: Result<Vec<_>, Error> = in_threads(ranks, |link| {
        let mut rank = Rank::from_start(setup, start.clone(), link)?;
        let step = |_| {
            rank.step().unwrap();
            rank.state_hash()
        };
        Ok((0..steps).map(step).collect::<Vec<_>>())
    })
    .into_iter()
    .collect();
    match of_ranks {
        Ok(hashes) => {
            assert!(hashes.iter().all(|of_rank| *of_rank == hashes[0]), "all ranks have one hash");
            hashes.into_iter().next()
        }
        Err(error) => {
            assert!(error.to_string().starts_with("ranks"), "{error}");
            None
        }
    }
}

/// Compares a run on some ranks with one process. Returns the fewest agents that were awake.
fn same(name: &str, setup: &Setup, start: &Start, steps: usize, ranks: &[usize]) -> usize {
    let (expected, fewest) = alone(setup, start, steps);
    for &ranks in ranks {
        let hashes = split(setup, start, steps, ranks);
        let hashes = hashes.unwrap_or_else(|| panic!("{name} has too few bands for {ranks} ranks"));
        let first = expected.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(first, None, "{name} on {ranks} ranks differs after that step");
    }
    fewest
}

fn placed(name: &str, setup: &Setup, steps: usize, ranks: &[usize]) -> usize {
    same(name, setup, &scene::place(setup).unwrap(), steps, ranks)
}

/// A narrow world has many bands for few agents.
const fn shaft(width: f32, height: f32) -> Vec2 {
    Vec2::new(width, height)
}

/// 1,000 agents that fall and come to rest.
fn pile() -> Setup {
    Setup { world: Some(shaft(21.0, 250.0)), ..Setup::with_agents(Scene::Pile, 1_000) }
}

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

/// A pile at rest.
fn resting(setup: &Setup, steps: usize) -> Sim {
    let mut sim = Sim::new(setup).unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
    }
    sim
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

/// Continues a run on some ranks, gathers it, and continues it in one process and on other ranks.
fn continued(name: &str, begin: &Sim, steps: usize, is_ruled: bool) {
    let on_ranks = |begin: &Sim, ranks: usize| {
        let (hashes, gathered): (Vec<_>, Vec<_>) = in_threads(ranks, |link| {
            let mut rank = Rank::from_sim(begin.clone(), link).unwrap();
            let step = |_| {
                rank.step().unwrap();
                rank.state_hash()
            };
            let hashes: Vec<_> = (0..steps).map(step).collect();
            (hashes, rank.gather().unwrap())
        })
        .into_iter()
        .unzip();
        assert!(hashes.iter().all(|of_rank| *of_rank == hashes[0]), "{name}: one hash");
        let gathered = gathered.into_iter().flatten().next().unwrap();
        (hashes.into_iter().next().unwrap(), gathered)
    };
    let mut one = begin.clone();
    let mut alone = |steps: usize| -> (Vec<u64>, Sim) {
        let hashes = (0..steps).map(|_| {
            one.step().unwrap();
            one.state_hash()
        });
        (hashes.collect(), one.clone())
    };
    let (first, middle) = alone(steps);
    let (second, end) = alone(steps);
    for ranks in [1, 2, 3, 5] {
        let (hashes, whole) = on_ranks(begin, ranks);
        let differs = first.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(differs, None, "{name} on {ranks} ranks differs after that step");
        assert_eq!(counts(&whole), counts(&middle), "{name} on {ranks} ranks");
        assert_eq!(whole.agents().id, middle.agents().id, "{name} on {ranks} ranks");
        assert_eq!(whole.awake(), middle.awake(), "{name} on {ranks} ranks");
        let (hashes, gathered) = on_ranks(&whole, 6 - ranks);
        let differs = second.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(differs, None, "{name} goes on from {ranks} ranks on others");
        assert_eq!(counts(&gathered), counts(&end), "{name} from {ranks} ranks");
        // A snapshot has no rules but those of a world file.
        let saved = (!is_ruled).then(|| Sim::restore(&whole.snapshot().unwrap()).unwrap());
        for mut goes_on in [whole].into_iter().chain(saved) {
            for (step, expected) in second.iter().enumerate() {
                goes_on.step().unwrap();
                assert_eq!(goes_on.state_hash(), *expected, "{name}: {ranks} ranks, step {step}");
            }
        }
    }
}

/// What the run has counted; how often a list has grown is none of it.
fn counts(sim: &Sim) -> Counters {
    Counters { contact_growths: 0, ..sim.counters() }
}

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

/// Rules by which agents are born, die and are pushed to and fro.
fn lives(born: &str, dies: &str) -> Rules {
    let mut agents = AgentFormulas::new();
    agents.births = vec![BirthFormulas::new(0, born.into())];
    agents.dies = Some(dies.into());
    agents.acceleration = Some(["sin(time + y)".into(), "0".into()]);
    let species = vec!["all".into()];
    let formulas = Formulas { species, agents: vec![agents], ..Formulas::new() };
    formulas.compile().unwrap()
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
