//! Recorded contacts: the impulses that agents exchange, with every solver, at no change of a run.

use std::collections::BTreeMap;

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Vec2,
    index::IndexKind,
    scene::{Collisions, Start},
    sim::{ContactRecording, RecordedContact},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

const GRAVITY: f32 = 10.0;

fn gas(collisions: Collisions) -> Setup {
    Setup { collisions, ..Setup::with_agents(Scene::Gas, 600) }
}

fn setups() -> [(&'static str, Setup); 4] {
    let seam = Setup { boundary: Boundary::Periodic, ..gas(Collisions::Swept) };
    [
        ("impulse", Setup { substeps: Some(2), ..gas(Collisions::Overlap) }),
        ("swept", gas(Collisions::Swept)),
        ("across the seam", seam),
        ("contact", Setup::with_agents(Scene::Pile, 600)),
    ]
}

/// A run of the setup with agents of radius 1 or another at these positions, with these velocities.
fn start(setup: &Setup, side: f32, agents: &[([f32; 2], [f32; 2], f32)]) -> Sim {
    let mut start = Start {
        world: Rect::from_size(side, side),
        agents: Agents::default(),
        statics: Vec::new(),
        populated: f64::from(side * side),
    };
    for (id, &(position, velocity, radius)) in (0..).zip(agents) {
        let (position, velocity) = (position.into(), velocity.into());
        start.agents.push(Agent { position, velocity, radius, id });
    }
    let setup = Setup { agents: agents.len() as u32, ..setup.clone() };
    let mut sim = Sim::from_start(&setup, start).expect("it can be placed");
    sim.record_contacts(ContactRecording::EveryStep);
    sim
}

fn step(sim: &mut Sim) {
    sim.step().expect("there is memory");
}

/// The impulses that each agent received.
fn received(contacts: &[RecordedContact]) -> BTreeMap<u32, Vec2> {
    let mut sums = BTreeMap::new();
    for contact in contacts {
        let push = contact.impulse * contact.normal;
        *sums.entry(contact.ids[0]).or_insert(Vec2::ZERO) -= push;
        *sums.entry(contact.ids[1]).or_insert(Vec2::ZERO) += push;
    }
    sums
}

#[test]
fn recording_changes_no_bit_and_is_the_same_everywhere() {
    for (name, setup) in setups() {
        let run = |records, threads: usize, simd, index| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut sim = Sim::new(&setup).expect("it can be placed");
                sim.set_simd(simd);
                sim.set_index(index).expect("it can be built");
                (0..120).for_each(|_| step(&mut sim));
                sim.record_contacts(records);
                assert!(sim.recorded_contacts().is_empty(), "nothing is recorded yet");
                (0..30).for_each(|_| step(&mut sim));
                (sim.state_hash(), sim.recorded_contacts().to_vec())
            })
        };
        let (best, own) = (SimdLevel::best(), IndexKind::all().next().expect("there is one"));
        let (hash, none) = run(ContactRecording::Off, 1, best, own);
        assert!(none.is_empty());
        let recorded = run(ContactRecording::EveryStep, 1, best, own);
        assert_eq!(recorded.0, hash, "{name}");
        assert!(recorded.1.len() > 5, "{name}: {}", recorded.1.len());
        let ids = recorded.1.iter().map(|contact| contact.ids);
        assert!(ids.clone().is_sorted_by(|a, b| a < b) && ids.clone().all(|[a, b]| a < b));
        for contact in &recorded.1 {
            assert!((contact.normal.length() - 1.0).abs() < 1e-5, "{name}: {contact:?}");
            assert!(contact.impulse >= 0.0, "{name}: {contact:?}");
        }
        for (threads, simd, index) in [(2, best, own), (7, SimdLevel::SCALAR, own)] {
            assert!(run(ContactRecording::EveryStep, threads, simd, index) == recorded, "{name}");
        }
        for index in IndexKind::all() {
            let found = run(ContactRecording::EveryStep, 2, best, index);
            assert!(found == recorded, "{name}: {}", index.name);
        }
    }
}

/// Momentum that an agent gains in a gas is the sum of the impulses that it receives.
#[test]
fn impulses_are_the_momentum_that_agents_gain() {
    for (name, setup) in &setups()[..3] {
        let mut sim = Sim::new(setup).expect("it can be placed");
        (0..50).for_each(|_| step(&mut sim));
        sim.record_contacts(ContactRecording::EveryStep);
        let momenta = |sim: &Sim| -> BTreeMap<u32, Vec2> {
            let agents = (0..sim.agents().len()).map(|slot| sim.agents().get(slot));
            agents.map(|it| (it.id, it.radius * it.radius * it.velocity)).collect()
        };
        let (mut compared, inner) = (0, sim.world().expanded(-6.0));
        for _ in 0..40 {
            let before = momenta(&sim);
            step(&mut sim);
            let after = momenta(&sim);
            let received = received(sim.recorded_contacts());
            for (id, before) in before {
                let gained = after[&id] - before;
                let impulse = received.get(&id).copied().unwrap_or_default();
                let agent = sim.agents().get(sim.slot_of(id).expect("it is alive"));
                // Walls change a momentum, too.
                if inner.contains(agent.position) {
                    let error = gained.distance(impulse);
                    assert!(error < 1e-3 * (1.0 + before.length()), "{name}: {gained} {impulse}");
                    compared += usize::from(impulse != Vec2::ZERO);
                }
            }
        }
        assert!(compared > 100, "{name}: {compared}");
    }
}

#[test]
fn a_hit_has_its_normal_and_impulse_with_every_solver() {
    let (slow, fast) = (5.0, 20.0);
    let contact = Setup { gravity: GRAVITY, restitution: 0.5, ..gas(Collisions::Overlap) };
    let overlap = Setup { restitution: 0.5, ..gas(Collisions::Overlap) };
    let swept = Setup { restitution: 0.5, ..gas(Collisions::Swept) };
    for (name, setup) in [("impulse", overlap), ("swept", swept), ("contact", contact)] {
        let agents = [([30.0, 40.0], [fast, 0.0], 2.0), ([35.0, 40.0], [slow, 0.0], 1.0)];
        let mut sim = start(&setup, 80.0, &agents);
        let mut total = 0.0;
        for _ in 0..60 {
            step(&mut sim);
            for contact in sim.recorded_contacts() {
                assert_eq!(contact.ids, [0, 1]);
                assert!(contact.normal.distance(Vec2::X) < 1e-3, "{name}: {contact:?}");
                assert!(contact.overlap.abs() < 0.3, "{name}: {contact:?}");
                total += contact.impulse;
            }
        }
        let [heavy, light] = [4.0, 1.0];
        let expected = 1.5 * (fast - slow) * heavy * light / (heavy + light);
        assert!((total - expected).abs() < 0.05 * expected, "{name}: {total}, not {expected}");
    }
}

#[test]
fn a_contact_across_the_seam_has_the_normal_across_it() {
    for collisions in Collisions::ALL {
        let setup = Setup { boundary: Boundary::Periodic, ..gas(collisions) };
        let agents = [([1.2, 40.0], [-10.0, 0.0], 1.0), ([78.8, 40.0], [10.0, 0.0], 1.0)];
        let mut sim = start(&setup, 80.0, &agents);
        while sim.recorded_contacts().is_empty() {
            assert!(sim.steps() < 10, "they meet");
            step(&mut sim);
        }
        let contact = sim.recorded_contacts()[0];
        assert!(contact.normal.distance(-Vec2::X) < 1e-3, "{contact:?}");
        assert!((contact.impulse - 20.0).abs() < 0.1, "{contact:?}");
    }
}

/// In a column at rest, each contact carries what lies above it, awake and asleep.
#[test]
fn contacts_of_a_column_carry_its_weight() {
    let setup = Setup { gravity: GRAVITY, restitution: 0.0, ..gas(Collisions::Overlap) };
    let column: Vec<_> = (0..5).map(|n| ([1.05, 1.0 + 2.0 * n as f32], [0.0; 2], 1.0)).collect();
    let mut sim = start(&setup, 20.0, &column);
    let weight = GRAVITY / sim.setup().hz;
    let assert_weights = |sim: &Sim| {
        assert_eq!(sim.recorded_contacts().len(), 4, "step {}", sim.steps());
        for (index, contact) in (0..).zip(sim.recorded_contacts()) {
            assert_eq!(contact.ids, [index, index + 1]);
            assert!(contact.normal.distance(Vec2::Y) < 1e-2, "{contact:?}");
            let expected = weight * (4 - index) as f32;
            let error = (contact.impulse - expected).abs();
            assert!(error < 0.1 * expected, "step {}: {contact:?}, not {expected}", sim.steps());
        }
    };
    let settled = (4.0 * sim.setup().hz) as u64;
    (0..settled).for_each(|_| step(&mut sim));
    assert_weights(&sim);
    while sim.awake() > 0 {
        step(&mut sim);
        assert!(sim.steps() < 10 * settled, "it comes to rest");
        assert_weights(&sim);
    }
    for _ in 0..5 {
        step(&mut sim);
        assert_weights(&sim);
    }
}

#[test]
fn clones_go_on_recording_and_restored_runs_do_not() {
    let mut sim = Sim::new(&gas(Collisions::Overlap)).expect("it can be placed");
    sim.record_contacts(ContactRecording::EveryStep);
    (0..20).for_each(|_| step(&mut sim));
    let mut clone = sim.clone();
    assert_eq!(clone.recorded_contacts(), sim.recorded_contacts());
    let mut restored = Sim::restore(&sim.snapshot().expect("there is memory")).expect("a run");
    for sim in [&mut sim, &mut clone, &mut restored] {
        step(sim);
    }
    assert!(!sim.recorded_contacts().is_empty());
    assert_eq!(clone.recorded_contacts(), sim.recorded_contacts());
    assert!(restored.recorded_contacts().is_empty());
    assert_eq!(restored.state_hash(), sim.state_hash());
    sim.record_contacts(ContactRecording::Off);
    assert!(sim.recorded_contacts().is_empty());
}
