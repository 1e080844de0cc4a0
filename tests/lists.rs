//! Lists of contacts: bands that need more room than others get it alone, what a run saves can be
//! loaded, and asleep agents are counted as they are.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Spawn, Vec2,
    scene::{Solver, Start},
};

/// A run of agents with these centers and radii, at rest.
fn start(setup: &Setup, size: [f32; 2], discs: &[([f32; 2], f32)]) -> Sim {
    let mut agents = Agents::default();
    for (id, &(position, radius)) in (0..).zip(discs) {
        let (position, velocity) = (Vec2::from(position), Vec2::ZERO);
        agents.push(Agent { position, velocity, radius, id });
    }
    let world = Rect::from_size(size[0], size[1]);
    let populated = f64::from(size[0]) * f64::from(size[1]);
    let start = Start { world, agents, statics: Vec::new(), populated };
    Sim::from_start(setup, start).expect("a valid start")
}

fn run(sim: &mut Sim, steps: u32) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

/// Solvers, with the gravity at which they run.
const SOLVERS: [(Solver, f32); 2] = [(Solver::Impulse, 0.0), (Solver::Contact, 10.0)];

/// A giant above dust touches as many discs as thousands of others.
#[test]
fn a_giant_takes_no_room_for_others() {
    const DUST: usize = 60_000;
    let setup = Setup { agents: DUST as u32 + 1, gravity: 10.0, ..Setup::new(Scene::Gas) };
    let place = |index: usize| [(index % 300) as f32 * 1.01 + 0.6, (index / 300) as f32 + 0.5];
    let mut discs: Vec<_> = (0..DUST).map(|index| (place(index), 0.5)).collect();
    let bytes = |discs: &[_]| {
        let mut sim = start(&setup, [304.0, 1_000.0], discs);
        run(&mut sim, 10);
        sim.memory().contacts
    };
    let without = bytes(&discs);
    discs.push(([152.0, 350.5], 150.0));
    let with = bytes(&discs);
    assert!(with < without + without / 2, "{with} bytes with the giant, {without} without it");
}

/// Long steps enlarge the discs, so that each may touch dozens.
#[test]
fn long_steps_take_the_room_that_they_need() {
    let setup = Setup { hz: 1.0, substeps: Some(1), ..Setup::with_agents(Scene::Pile, 1_500) };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    run(&mut sim, 20);
    let (bytes, most) = (sim.memory().contacts, 1_500 * 45_000);
    assert!(bytes < most, "{bytes} bytes");
}

#[test]
fn a_run_with_many_contacts_can_be_loaded() {
    for (solver, gravity) in SOLVERS {
        let many = |agents| {
            let setup = Setup { agents, solver, gravity, ..Setup::new(Scene::Gas) };
            start(&setup, [200.0; 2], &vec![([100.0; 2], 1.0); agents as usize])
        };
        let mut sim = many(2_000);
        let contacts = sim.measure().expect("there is memory").contacts;
        assert_eq!(contacts, 2_000 * 1_999 / 2);
        let snapshot = sim.snapshot().expect("there is memory");
        assert!(Sim::restore(&snapshot).is_ok(), "a run that was saved");
        let mut sim = many(300);
        for steps in [0, 1, 2] {
            run(&mut sim, steps);
            let snapshot = sim.snapshot().expect("there is memory");
            let mut restored = Sim::restore(&snapshot).expect("a run that was saved");
            let mut other = sim.clone();
            run(&mut restored, 2);
            run(&mut other, 2);
            assert_eq!(restored.state_hash(), other.state_hash(), "{solver:?}, {steps} steps");
            assert_eq!(restored.counters(), other.counters(), "{solver:?}, {steps} steps");
        }
    }
}

/// Room that a search between two steps claims changes no bit.
#[test]
fn lists_that_grow_change_no_bit() {
    let mut sim = Sim::new(&Setup::with_agents(Scene::Pile, 600)).expect("it can be placed");
    run(&mut sim, 60);
    for _ in 0..10 {
        let mut other = sim.clone();
        other.record_contacts(jostle::sim::ContactRecording::EveryStep);
        let spare = other.measure().expect("there is memory");
        assert!(spare.contacts > 0);
        run(&mut sim, 7);
        run(&mut other, 7);
        assert_eq!(sim.state_hash(), other.state_hash());
    }
}

#[test]
fn awake_counts_the_present_agents() {
    let setup = Setup { spare_agents: 10, ..Setup::with_agents(Scene::Pile, 500) };
    let mut sim = Sim::new(&setup).expect("a pile can be placed");
    assert_eq!(sim.awake(), 500, "all are awake before the first step");
    while sim.awake() > 0 {
        run(&mut sim, 60);
    }
    let snapshot = sim.snapshot().expect("there is memory");
    assert_eq!(Sim::restore(&snapshot).expect("it was saved").awake(), 0);
    let above = sim.world().center();
    sim.spawn(&[Spawn::new(above, Vec2::ZERO, sim.agents().radius[0])]).expect("there is room");
    assert!((1..=501).contains(&sim.awake()), "{} are awake", sim.awake());
    sim.remove(&(100..=500).collect::<Vec<_>>()).expect("there is memory");
    assert!((1..=100).contains(&sim.awake()), "{} of 100 are awake", sim.awake());
    run(&mut sim, 1);
    assert!((1..=100).contains(&sim.awake()), "{} of 100 are awake", sim.awake());
}
