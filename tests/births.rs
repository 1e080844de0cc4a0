//! Births: newborn agents have the values that their formulas say, come in the order of slots, and
//! stop at the capacity without a preferred corner; with the same bits on any threads and after a
//! restore.
#![cfg(feature = "cli")]

use std::{fs, path::Path};

use assert_cmd::cargo::cargo_bin_cmd;
use jostle::{
    Agents, Boundary, OwnColumn, OwnColumns, Rect, Scene, Setup, Sim, Static, Vec2,
    rng::Rng,
    rules::{AgentFormulas, BirthFormulas, Formulas},
    scene,
};
use serde_json::Value;
use tempfile::tempdir;

/// A run of that many agents of species 0 of 2 in a square of 100, with one column.
fn sim(agents: u32, spare: u32, births: Vec<BirthFormulas>, dies: Option<&str>) -> Sim {
    let setup = Setup {
        agents,
        spare_agents: spare,
        world: Some([100.0; 2].into()),
        radius: [0.2; 2],
        ..Setup::new(Scene::Gas)
    };
    let mut start = scene::place(&setup).expect("a start");
    let own = OwnColumns::new().with_species(vec![0; agents as usize]);
    let food = OwnColumn::new("food", 7.0, (0..agents).map(|id| id as f32).collect());
    start.agents.own = Some(Box::new(own.with_numbers(food)));
    let mut formulas = AgentFormulas::new();
    formulas.species = Some(0);
    formulas.births = births;
    formulas.dies = dies.map(Into::into);
    let rules = Formulas {
        species: vec!["red".into(), "blue".into()],
        columns: vec!["food".into()],
        agents: vec![formulas],
        without_collisions: true,
        ..Formulas::new()
    };
    let mut sim = Sim::from_start(&setup, start).expect("a run");
    sim.set_rules(rules.compile().expect("formulas")).expect("rules");
    sim
}

fn births(species: u8, number: &str) -> BirthFormulas {
    BirthFormulas::new(species, number.into())
}

fn food(agents: &Agents) -> &[f32] {
    &agents.own.as_ref().expect("columns").numbers[0].values
}

fn species(agents: &Agents) -> &[u8] {
    agents.own.as_ref().expect("columns").species.as_ref().expect("species")
}

/// Walls that agents crowd let nobody through, also where a place is far beyond them.
#[test]
fn no_agent_is_born_beyond_a_static() {
    let wall = |ends: [[f32; 2]; 2]| Static::capsule(ends.map(Vec2::from), 0.05);
    let boxed = Static::Box(Rect::new([49.9, 0.0].into(), [50.0, 100.0].into()));
    let slanted = vec![wall([[40.0, 0.1], [60.0, 50.0]]), wall([[60.0, 50.0], [45.0, 99.9]])];
    // Where the walls are at a height.
    let middle = |at: Vec2| {
        if at.y < 50.0 { 40.0 + 20.0 * at.y / 50.0 } else { 60.0 - 15.0 * (at.y - 50.0) / 50.0 }
    };
    for (statics, is_slanted) in [(vec![boxed], false), (slanted, true)] {
        for boundary in [Boundary::Walls, Boundary::PeriodicX] {
            let setup = Setup {
                agents: 300,
                spare_agents: 5_000,
                world: Some([100.0; 2].into()),
                radius: [0.2; 2],
                boundary,
                ..Setup::new(Scene::Gas)
            };
            let mut start = scene::place(&setup).expect("a start");
            let mut rng = Rng::new(2);
            for slot in 0..start.agents.len() {
                let y = rng.between(1.0, 99.0);
                let most = if is_slanted { middle(Vec2::new(0.0, y)) - 1.0 } else { 49.0 };
                [start.agents.x[slot], start.agents.y[slot]] = [rng.between(20.0, most), y];
                [start.agents.vx[slot], start.agents.vy[slot]] = [0.0; 2];
            }
            start.statics.clone_from(&statics);
            start.agents.own = Some(Box::new(OwnColumns::new().with_species(vec![0; 300])));
            let mut one = births(0, "random(1) < 0.2");
            one.at = Some(["3 * normal(2)".into(), "2 * normal(3)".into()]);
            let mut formulas = AgentFormulas::new();
            formulas.species = Some(0);
            formulas.births = vec![one, births(0, "random(4) < 0.1")];
            let rules = Formulas {
                species: vec!["red".into()],
                agents: vec![formulas],
                without_collisions: true,
                ..Formulas::new()
            };
            let mut sim = Sim::from_start(&setup, start).expect("a run");
            sim.set_rules(rules.compile().expect("formulas")).expect("rules");
            (0..10).for_each(|_| sim.step().expect("there is memory"));
            let agents = sim.agents();
            assert!(agents.len() > 2_000, "{}", agents.len());
            for slot in 0..agents.len() {
                let at = agents.get(slot).position;
                let limit = if is_slanted { middle(at) } else { 49.95 };
                // In a world that repeats, the other way around is free.
                let is_far = boundary == Boundary::PeriodicX && at.x > 75.0;
                assert!(at.x < limit || is_far, "{boundary:?}: {at} of {limit}");
                let gap = statics.iter().map(|shape| shape.distance(at)).fold(9.0, f32::min);
                assert!(gap > 0.2 - 1e-3, "{boundary:?}: {at}, {gap}");
            }
        }
    }
}

#[test]
fn newborn_units_are_on_the_side_of_their_parents() {
    let setup = Setup { agents: 200, spare_agents: 200, ..Setup::new(Scene::Melee) };
    let mut start = scene::place(&setup).expect("a start");
    start.agents.own = Some(Box::new(OwnColumns::new().with_species(vec![0; 200])));
    let mut formulas = AgentFormulas::new();
    formulas.births = vec![births(0, "step == 0")];
    let species = vec!["unit".into()];
    let rules = Formulas { species, agents: vec![formulas], ..Formulas::new() };
    let mut sim = Sim::from_start(&setup, start).expect("a run");
    sim.set_rules(rules.compile().expect("formulas")).expect("rules");
    sim.step().expect("memory");
    let units = sim.agents().units.as_ref().expect("units");
    let [zero, one] =
        [0, 1].map(|side| units.faction.iter().map(|&it| u32::from(it == side)).sum());
    assert_eq!((units.health.len(), zero, one), (400, 200_u32, 200_u32));
}

#[test]
fn newborn_agents_have_the_values_of_their_formulas() {
    let mut born = births(1, "id < 100 and step == 0");
    born.at = Some(["0.5".into(), "-random(1)".into()]);
    born.velocity = Some(["2*vx".into(), "food".into()]);
    born.set = vec![("food".into(), "food + 1000".into())];
    let mut sim = sim(500, 200, vec![born], None);
    let before = sim.clone();
    sim.step().expect("a step");
    let agents = sim.agents();
    assert_eq!((agents.len(), sim.counters().spawned), (600, 100));
    let (mut places, mut parents) = (Vec::new(), Vec::new());
    for slot in 0..agents.len() {
        let now = agents.get(slot);
        if now.id < 500 {
            assert_eq!(species(agents)[slot], 0);
            continue;
        }
        assert_eq!(species(agents)[slot], 1);
        let parent = food(agents)[slot] as u32 - 1_000;
        let of = before.slot_of(parent).expect("a parent");
        parents.push((now.id, of));
        let was = before.agents().get(of);
        let free = 99.8;
        // It has moved for a step since, and bounced where it met the wall.
        if (5.0..90.0).contains(&was.position.x) && (5.0..90.0).contains(&was.position.y) {
            assert_eq!(now.velocity, [2.0 * was.velocity.x, parent as f32].into());
            let at = now.position - was.position - now.velocity / 60.0;
            assert!((at.x - 0.5).abs() < 1e-4 && (-1.0001..=1e-4).contains(&at.y), "{at}");
            places.push(at.y);
        }
        assert!(now.position.min_element() >= 0.2 - 1e-4 && now.position.max_element() <= free);
    }
    places.sort_by(f32::total_cmp);
    places.dedup();
    assert!(places.len() > 60, "each has a random number of its own: {}", places.len());
    // Ids ascend with the slots of those that they are born of.
    parents.sort_unstable();
    assert!(parents.windows(2).all(|pair| pair[0].1 < pair[1].1));
}

#[test]
fn without_a_place_they_are_born_beside_each_other() {
    let mut sim = sim(2_000, 2_000, vec![births(0, "step == 0")], None);
    let before = sim.clone();
    sim.step().expect("a step");
    let agents = sim.agents();
    assert_eq!(agents.len(), 4_000);
    let mut sum = [0.0_f32; 2];
    let newborn = (0..4_000).filter(|&slot| agents.id[slot] >= 2_000);
    let parents = (0..2_000).map(|slot| before.agents().get(slot));
    let mut newborn: Vec<_> = newborn.map(|slot| agents.get(slot)).collect();
    newborn.sort_by_key(|agent| agent.id);
    for (agent, parent) in newborn.into_iter().zip(parents) {
        let apart = agent.position - parent.position - parent.velocity / 60.0;
        // At a wall, it is moved in.
        assert!(apart.length() < 0.4 + 0.4, "{apart}");
        assert_eq!(agent.radius, parent.radius);
        sum = [sum[0] + apart.x, sum[1] + apart.y];
    }
    assert!(sum.iter().all(|sum| sum.abs() < 100.0), "in all directions: {sum:?}");
    let initial = (0..4_000).filter(|&slot| agents.id[slot] >= 2_000);
    assert!(initial.map(|slot| food(agents)[slot]).all(|food| food == 7.0));
}

#[test]
fn an_expected_number_is_met() {
    for (number, expected) in
        [("0.3", 3_000.0), ("1.25", 12_500.0), ("0 * id - 4", 0.0), ("0", 0.0)]
    {
        let mut sim = sim(10_000, 200_000, vec![births(1, number)], None);
        sim.step().expect("a step");
        let born = sim.counters().spawned as f64;
        assert!((born - expected).abs() < 5.0 * 50.0, "{number}: {born}");
    }
    // At most 15 of each, and none where the number is no number.
    let mut sim =
        sim(100, 10_000, vec![births(1, "0 * id + 1e9"), births(0, "1e30*1e30*id")], None);
    sim.step().expect("a step");
    assert_eq!(sim.counters().spawned, 1_500);
    assert_eq!(sim.unwritten(), 100);
}

#[test]
fn births_beyond_the_capacity_are_refused_everywhere_alike() {
    let mut sim = sim(20_000, 5_000, vec![births(1, "0.5")], Some("random(3) < 0.05"));
    for step in 0..12 {
        let before = sim.counters();
        let dead = before.removed;
        sim.step().expect("a step");
        let after = sim.counters();
        assert!(sim.agents().len() <= 25_000);
        let alive = 20_000 + after.spawned - after.removed;
        assert_eq!(sim.agents().len() as u64, alive);
        assert!(step < 2 || after.removed > dead);
    }
    assert!(sim.refused_births() > 20_000, "{}", sim.refused_births());
    let agents = sim.agents();
    let newborn = (0..agents.len()).filter(|&slot| agents.id[slot] >= 20_000);
    let (mut low, mut all) = ([0.0; 2], 0.0);
    for slot in newborn {
        let Agents { x, y, .. } = agents;
        low[0] += f64::from(u8::from(x[slot] < 50.0));
        low[1] += f64::from(u8::from(y[slot] < 50.0));
        all += 1.0;
    }
    let spread = 5.0 * 0.5 * f64::sqrt(all);
    for low in low {
        assert!((low - 0.5 * all).abs() < spread, "{low} of {all}");
    }
}

#[test]
fn a_clone_goes_on_alike() {
    let mut one = sim(3_000, 300, vec![births(1, "0.2"), births(0, "id < 40")], Some("id < 50"));
    for _ in 0..3 {
        one.step().expect("a step");
    }
    let mut other = one.clone();
    for _ in 0..4 {
        one.step().expect("a step");
        other.step().expect("a step");
    }
    assert_eq!(one.state_hash(), other.state_hash());
    assert_eq!(one.refused_births(), other.refused_births());
    assert!(one.refused_births() > 0);
}

/// The living keep their cells when others come and go, until a sort is due.
#[test]
fn the_grid_is_exact_while_agents_come_and_go() {
    for (collide, dies) in
        [(false, "random(3) < 0.05"), (true, "random(3) < 0.05"), (true, "id < 9")]
    {
        let mut sim = sim(3_000, 900, vec![births(1, "0.05")], Some(dies));
        if collide {
            let mut agents = AgentFormulas::new();
            agents.births = vec![births(0, "0.05")];
            agents.dies = Some(dies.into());
            let columns = vec!["food".to_owned()];
            let species = vec!["red".into(), "blue".into()];
            let formulas = Formulas { species, columns, agents: vec![agents], ..Formulas::new() };
            sim.set_rules(formulas.compile().expect("formulas")).expect("rules");
        }
        let (mut order_kept, mut before) = (0, Vec::new());
        for _ in 0..40 {
            sim.step().expect("a step");
            sim.grid().validate(sim.agents()).expect("a valid grid");
            let ids = &sim.agents().id;
            // Those that stay are in the same order, unless agents were sorted.
            let stay = |one: &[u32], other: &[u32]| -> Vec<u32> {
                one.iter().copied().filter(|id| other.contains(id)).collect()
            };
            order_kept += usize::from(stay(ids, &before) == stay(&before, ids));
            before.clone_from(ids);
        }
        assert!(order_kept > 20, "{order_kept} of 40");
        assert!(sim.counters().spawned > 500 && sim.counters().removed > 5);
    }
}

const WORLD: &str = r#"
world = { size = [150, 100], agents = 3_000, speed = 3, radius = 0.3, seed = 4, capacity = 3_500 }
species = { grass = 2, hare = 1 }
columns = { food = 1 }
[agent.grass]
births.grass = "dt"
dies = "random(1) < 0.5*dt"
[agent.hare]
set.food = "food - dt"
births.hare = { number = "food < 0.9 and random(2) < 0.02", set.food = "food/2", velocity = ["-vx", "vy"] }
births.grass = { number = "0.001", at = ["1", "2"] }
dies = "food < 0.5"
"#;

fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = cargo_bin_cmd!("jostle");
    let output = command.current_dir(folder).args(arguments.split(' ')).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_world_with_births_has_one_hash() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    for text in [WORLD.to_owned(), WORLD.replace("seed = 4", "seed = 4, boundary = \"periodic\"")] {
        fs::write(folder.join("world.toml"), text).expect("a file");
        let report = |more: &str| -> Value {
            let (status, json, errors) = run(folder, &format!("run --json {more}"));
            assert_eq!(status, Some(0), "{errors}");
            serde_json::from_str(&json).expect("JSON")
        };
        let key = |json: &Value| {
            let counts = ["agents", "refused", "spawned", "removed"].map(|key| json[key].clone());
            (json["state_hash"].clone(), counts)
        };
        for agents in ["", "--agents 2k "] {
            let scene = format!("{agents}--scene world.toml");
            let whole = report(&format!("{scene} --steps 90 --threads 1"));
            let [came, left, refused] =
                ["spawned", "removed", "refused"].map(|key| whole[key].as_u64().expect("a count"));
            assert!(came > 50 && left > 50, "{came} {left}");
            assert!(refused > 0 || !agents.is_empty());
            let other = report(&format!("{scene} --steps 90 --threads 2 --simd scalar"));
            assert_eq!(key(&other), key(&whole));
            report(&format!("{scene} --steps 55 --save half.jostle"));
            let rest = report("--load half.jostle --steps 35");
            assert_eq!(key(&rest), key(&whole));
        }
        let (_, checked, _) = run(folder, "check world world.toml");
        assert!(checked.contains("born       up to 3,500 agents\n"), "{checked}");
        assert!(checked.contains("births     grass of hare: 0.001\n"), "{checked}");
    }
}

#[test]
fn wrong_births_are_refused() {
    let folder = tempdir().expect("a folder");
    let base = "world = { size = [60, 60], agents = 50, radius = 0.5 }\nspecies = { hare = 1 }\n";
    for (text, expected) in [
        ("[agent]\nbirths.har = \"1\"\n", "4:8: `har` is no known species; did you mean hare?"),
        ("[agent]\nbirths.hare = \"1 + q\"\n", "4:20: there is no value or function `q`"),
        (
            "[agent]\nbirths.hare = { at = [\"1\", \"2\"] }\n",
            "4:8: the births of `hare` have no number",
        ),
        (
            "[agent]\nbirths.hare = { number = \"1\", att = 1 }\n",
            "4:31: `att` is no known key; did you mean at?",
        ),
        (
            "[agent]\nbirths.hare = { number = \"1\", set.x = \"1\" }\n",
            "4:40: agents have no column `x`",
        ),
        (
            "[agent]\nbirths.hare = { number = \"1\", at = [\"1\", \"x > 1\"] }\n",
            "4:43: `at` takes a number",
        ),
        ("[agent]\nbirths = \"1\"\n", "4:10: births \"1\" can't be used: expected a table"),
    ] {
        let file = folder.path().join("world.toml");
        fs::write(&file, format!("{base}{text}")).expect("a file");
        for command in ["run --scene world.toml --steps 1", "check world world.toml"] {
            let (status, _, errors) = run(folder.path(), command);
            assert_eq!(status, Some(2), "{text}: {errors}");
            assert!(errors.contains(&format!("world.toml:{expected}")), "{text}: {errors}");
        }
    }
    for (world, births, expected) in [
        (
            "agents = 50, capacity = 40",
            "births.hare = \"1\"",
            "1:39: capacity 40 is out of range: expected at least the 50",
        ),
        (
            "agents = 50, capacity = 90",
            "drag = 1",
            "1:39: `capacity` has no effect, as no agent is born",
        ),
        ("agents = 50, capacity = 0", "births.hare = \"1\"", "1:50: capacity 0 can't be used"),
    ] {
        let text = format!(
            "world = {{ size = [9, 9], {world} }}\nspecies = {{ hare = 1 }}\n[agent]\n{births}\n"
        );
        fs::write(folder.path().join("world.toml"), text).expect("a file");
        let (status, _, errors) = run(folder.path(), "check world world.toml");
        assert_eq!(status, Some(2), "{errors}");
        assert!(errors.contains(&format!("world.toml:{expected}")), "{errors}");
    }
    let text = base.replace("agents = 50", "agents = 50, capacity = 60");
    fs::write(folder.path().join("world.toml"), format!("{text}[agent]\nbirths.hare = \"1\"\n"))
        .expect("a file");
    let (status, _, errors) = run(folder.path(), "run --scene world.toml --agents 70 --steps 1");
    assert_eq!(status, Some(2), "{errors}");
    assert!(
        errors.contains("capacity 60 is out of range: expected at least the 70 agents"),
        "{errors}"
    );
    let text = base.replace("agents = 50", "agents = 50, capacity = 1_000_000_000");
    let text = format!("{text}[agent]\nbirths.hare = \"1\"\n");
    fs::write(folder.path().join("world.toml"), text).expect("a file");
    let (status, _, errors) = run(folder.path(), "check world world.toml");
    let is_refused = errors.contains("its 1,000,000,000 agents would take")
        && errors.contains("lower their number by `capacity`");
    // Where there is so much memory, it is no fault.
    assert!(status == Some(0) || is_refused, "{errors}");
}
