//! Columns of a caller's own stay with their agents, and runs without them are as they were.

use jostle::{
    OwnColumn, OwnColumns, Scene, Setup, Sim, Snapshot, Spawn, Vec2,
    index::IndexKind,
    scene::{self, Start},
};

/// What the columns of an agent hold follows from its id.
fn species(id: u32) -> u8 {
    (id * 7 % 251) as u8
}

fn age(id: u32) -> f32 {
    id as f32 * 0.37 - 5.0
}

fn own(ids: &[u32]) -> OwnColumns {
    let column = |of: fn(u32) -> f32| ids.iter().map(|&id| of(id)).collect();
    OwnColumns::new()
        .with_species(ids.iter().map(|&id| species(id)).collect())
        .with_numbers(OwnColumn::new("age", 0.25, column(age)))
        .with_numbers(OwnColumn::new("heat_2", -1.0, column(|id| 1.0 / (id + 1) as f32)))
}

fn start(setup: &Setup) -> Start {
    let mut start = scene::place(setup).expect("it can be placed");
    start.agents.own = Some(Box::new(own(&start.agents.id)));
    start
}

fn setup(scene: Scene) -> Setup {
    Setup { spare_agents: 20, ..Setup::with_agents(scene, 1_500) }
}

/// Checks the columns of all agents; those from `later` on came later, as species 9.
fn assert_columns(sim: &Sim, later: u32) {
    let (ids, own) = (&sim.agents().id, sim.agents().own.as_ref().expect("there are some"));
    let all = own.species.as_ref().expect("there are species");
    assert_eq!([all.len(), own.numbers[0].values.len()], [ids.len(); 2]);
    for (slot, &id) in ids.iter().enumerate() {
        let found = (all[slot], own.numbers[0].values[slot], own.numbers[1].values[slot]);
        let expected = if id < later {
            (species(id), age(id), 1.0 / (id + 1) as f32)
        } else {
            (9, 0.25, -1.0)
        };
        assert_eq!(found, expected, "agent {id}");
    }
}

#[test]
fn they_stay_with_their_agents() {
    for scene in [Scene::Gas, Scene::Pile, Scene::Melee, Scene::Shear] {
        let setup = setup(scene);
        let mut sim = Sim::from_start(&setup, start(&setup)).expect("it can begin");
        let mut plain = Sim::new(&setup).expect("it can begin");
        let first = setup.agents;
        for step in 0..60 {
            if step == 20 {
                let center = sim.world().center();
                let spawn = |n: u8| Spawn::new(center + f32::from(n), Vec2::X, 0.5).with_species(9);
                let spawns = [spawn(0), spawn(3), spawn(6)];
                for sim in [&mut sim, &mut plain] {
                    sim.spawn(&spawns).expect("there is room");
                    sim.remove(&[4, 90, first + 1]).expect("there is memory");
                }
            }
            sim.step().expect("there is memory");
            plain.step().expect("there is memory");
        }
        assert_columns(&sim, first);
        // They change nothing else.
        assert_ne!(sim.state_hash(), plain.state_hash());
        assert!(sim.agents().x == plain.agents().x && sim.agents().vy == plain.agents().vy);
        // Columns of bytes take turns with a spare one, which the units have already.
        if scene != Scene::Melee {
            let bytes = |sim: &Sim| sim.memory().agents;
            let capacity = (setup.agents + setup.spare_agents) as usize;
            assert_eq!(bytes(&sim) - bytes(&plain), capacity * (1 + 8 + 1), "{scene}");
        }
        let slot = sim.slot_of(17).expect("it is alive");
        assert_eq!(sim.agents().respawn(slot).species, species(17));
    }
}

#[test]
fn clones_and_snapshots_have_them() {
    let setup = setup(Scene::Gas);
    let mut sim = Sim::from_start(&setup, start(&setup)).expect("it can begin");
    (0..13).for_each(|_| sim.step().expect("there is memory"));
    let snapshot = sim.snapshot().expect("there is memory");
    let bytes = snapshot.as_bytes().to_vec();
    let mut restored = Sim::restore(&snapshot).expect("it is its own");
    assert!(Sim::memory_to_restore(&snapshot).unwrap() as usize >= restored.memory().agents);
    let unit = IndexKind::find("unit-grid").expect("the index is there");
    restored.set_index(unit).expect("there is memory");
    let mut clone = sim.clone();
    assert_eq!(restored.snapshot().unwrap().as_bytes(), bytes);
    for _ in 0..40 {
        for sim in [&mut sim, &mut restored, &mut clone] {
            sim.step().expect("there is memory");
        }
    }
    assert_columns(&restored, setup.agents);
    assert_columns(&clone, setup.agents);
    assert_eq!([restored.state_hash(), clone.state_hash()], [sim.state_hash(); 2]);
    let own = restored.agents().own.as_ref().unwrap();
    assert_eq!([own.find("age"), own.find("heat_2"), own.find("x")], [Some(0), Some(1), None]);
    // A run without them has no section of theirs.
    let plain = Sim::new(&setup).unwrap().snapshot().unwrap();
    let tags: Vec<&str> = plain.sections().iter().map(|section| &section.tag[..]).collect();
    assert!(!tags.iter().any(|tag| tag.starts_with("own") || *tag == "species"), "{tags:?}");
}

#[test]
fn what_is_no_column_is_refused() {
    let setup = setup(Scene::Gas);
    let message = |change: &dyn Fn(&mut OwnColumns)| {
        let mut start = start(&setup);
        change(start.agents.own.as_mut().expect("there are some"));
        Sim::from_start(&setup, start).expect_err("it can't begin").to_string()
    };
    for (found, expected) in [
        (
            message(&|own| own.species.as_mut().unwrap().truncate(7)),
            "column species 7 long is not one value per id: expected 1500",
        ),
        (
            message(&|own| own.numbers[1].values.push(0.0)),
            "column own column 1501 long is not one value per id: expected 1500",
        ),
        (
            message(&|own| own.numbers[1].name = "age".to_owned()),
            "name of own column 1 is no new name: expected 1 to 32 letters, digits and _, not \
             beginning with a digit",
        ),
        (
            message(&|own| own.numbers[0].name = "vx".to_owned()),
            "name of own column 0 is no new name: expected 1 to 32 letters, digits and _, not \
             beginning with a digit",
        ),
        (
            message(&|own| own.numbers[0].values[3] = f32::NAN),
            "value of own column NaN is invalid: expected finite numbers",
        ),
        (
            message(&|own| {
                let column = own.numbers[0].clone();
                let named = |n| OwnColumn::new(&format!("c{n}"), 0.0, column.values.clone());
                own.numbers.extend((0..15).map(named));
            }),
            "number of own columns 17 is out of range: expected 0 to 16",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

/// A snapshot whose columns do not fit its agents is refused.
#[test]
fn a_snapshot_with_wrong_columns_is_refused() {
    let setup = setup(Scene::Gas);
    let sim = Sim::from_start(&setup, start(&setup)).expect("it can begin");
    let bytes = sim.snapshot().expect("there is memory").into_bytes();
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(997) {
        let mut cut = bytes.clone();
        cut[at] ^= 0x5a;
        refused += u32::from(Snapshot::from_bytes(cut).is_err());
    }
    assert_eq!(refused as usize, bytes.len().div_ceil(997));
}
