//! Every scene, saved after any step, continues as the run that was not interrupted: on other
//! threads, with another SIMD level and another index.

use jostle::{Scene, Sim};

use crate::{advance, change_machine, pool, restored, run};

/// Steps after which a run is saved.
fn saves() -> impl Iterator<Item = u64> {
    (0..=50).chain([500])
}

/// Steps that a restored run is compared for.
const STEPS: u64 = 200;

fn continues(scene: Scene) {
    let mut whole = pool(2).install(|| run(scene, 120));
    let mut saved = Vec::new();
    let mut hashes = Vec::new();
    let last = saves().max().expect("there are saves") + STEPS;
    pool(2).install(|| {
        for step in 0..=last {
            if saves().any(|save| save == step) {
                saved.push(restored(&whole));
            }
            hashes.push((whole.state_hash(), whole.counters().collisions));
            whole.step().expect("there is memory");
        }
    });
    for (n, mut sim) in saved.into_iter().enumerate() {
        let start = sim.steps();
        change_machine(&mut sim, n);
        pool(1 + n % 3).install(|| {
            for step in start..=start + STEPS {
                let found = (sim.state_hash(), sim.counters().collisions);
                let expected = hashes[step as usize];
                assert_eq!(found, expected, "{scene} saved at {start}, step {step}");
                sim.step().expect("there is memory");
            }
        });
        sim.grid()
            .validate(sim.agents())
            .unwrap_or_else(|error| panic!("{scene} saved at {start}: {error}"));
    }
}

macro_rules! scenes {
    ($($name:ident: $scene:ident),* $(,)?) => {
        const SCENES: &[Scene] = &[$(Scene::$scene),*];
        $(#[test]
        fn $name() {
            continues(Scene::$scene);
        })*
    };
}

scenes! {
    gas: Gas,
    mixed: Mixed,
    giants: Giants,
    burst: Burst,
    sparse: Sparse,
    pile: Pile,
    pegs: Pegs,
    cannon: Cannon,
    melee: Melee,
    dam: Dam,
    shear: Shear,
    shock: Shock,
    crystal: Crystal,
    cooling: Cooling,
}

#[test]
fn all_scenes_are_tested() {
    assert_eq!(SCENES, Scene::ALL);
}

/// Asserts that two runs are equal in everything that the library shows.
pub(crate) fn assert_same(sim: &Sim, other: &Sim, context: &str) {
    assert_eq!(sim.state_hash(), other.state_hash(), "{context}");
    assert_eq!(sim.counters(), other.counters(), "{context}");
    assert_eq!(sim.agents().id, other.agents().id, "{context}: order of slots");
    assert_eq!(sim.awake(), other.awake(), "{context}: agents awake");
    assert_eq!(sim.last_contacts(), other.last_contacts(), "{context}");
    assert_eq!(sim.largest_displacement(), other.largest_displacement(), "{context}");
    assert_eq!(sim.setup(), other.setup(), "{context}");
    assert_eq!(sim.grid().max_drift(), other.grid().max_drift(), "{context}");
    assert_eq!(sim.grid().outlier_count(), other.grid().outlier_count(), "{context}");
}

/// Several bands, which come to rest one after the other: some asleep, some held, some that keep
/// their blocks.
#[test]
fn bands_sleep_and_wake_as_in_the_run_that_was_not_interrupted() {
    for scene in [Scene::Pile, Scene::Dam, Scene::Pegs] {
        let mut sim = run(scene, 1_500);
        let mut slept = false;
        for round in 0..30 {
            advance(&mut sim, 60);
            slept |= sim.awake() < sim.agents().len();
            let mut twin = restored(&sim);
            assert_same(&twin, &sim, &format!("{scene}, round {round}"));
            let mut whole = sim.clone();
            for step in 0..16 {
                if step == 8 {
                    // Wakes all agents, so that the remembered impulses of sleeping bands count.
                    let restitution = whole.setup().restitution;
                    for sim in [&mut twin, &mut whole] {
                        sim.set_restitution(restitution).expect("valid");
                    }
                }
                advance(&mut whole, 1);
                advance(&mut twin, 1);
                assert_same(&twin, &whole, &format!("{scene}, round {round}, step {step}"));
            }
        }
        assert!(slept || scene != Scene::Pile, "{scene}: nothing came to rest");
    }
}

/// A band that sleeps while others do not searches no contacts with walls and statics. Its
/// remembered impulses of walls and statics come from the snapshot, and count when it wakes.
#[test]
fn bands_that_sleep_beside_others_remember_the_floor() {
    let mut sim = run(Scene::Pile, 6_000);
    let mut beside = 0;
    for _ in 0..1_000 {
        advance(&mut sim, 4);
        if !(1..sim.agents().len()).contains(&sim.awake()) {
            continue;
        }
        let (mut twin, mut whole) = (restored(&sim), sim.clone());
        for step in 0..8 {
            if step == 3 {
                beside += 1;
                let restitution = whole.setup().restitution;
                for sim in [&mut twin, &mut whole] {
                    sim.set_restitution(restitution).expect("valid");
                }
            }
            advance(&mut whole, 1);
            advance(&mut twin, 1);
            assert_same(&twin, &whole, &format!("from step {}, step {step}", sim.steps()));
        }
        if beside == 8 {
            return;
        }
    }
    panic!("only {beside} times did bands sleep beside others");
}

/// A snapshot of a restored run has the same bytes, and taking one changes no bit of the run.
#[test]
fn the_bytes_of_a_restored_run_are_the_same() {
    for scene in Scene::ALL {
        let mut sim = run(scene, 300);
        for _ in 0..6 {
            advance(&mut sim, 23);
            let before = sim.clone();
            let bytes = sim.snapshot().expect("there is memory").into_bytes();
            assert_same(&sim, &before, "a snapshot changes nothing");
            let again = restored(&sim).snapshot().expect("there is memory").into_bytes();
            assert!(bytes == again, "{scene} after {} steps", sim.steps());
        }
    }
}
