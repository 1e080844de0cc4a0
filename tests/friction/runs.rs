//! The bits are the same however a run goes; friction begins, ends, and wakes as it was.

use jostle::{
    Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Snapshot, Vec2, scene, simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

use crate::*;

/// What wakes has the forces that it fell asleep with. In small cells all three discs are outliers.
#[test]
fn discs_that_wake_stand_as_before() {
    for cell in [None, Some(0.5)] {
        let setup = Setup { sleep: true, cell, ..setup(0.5, 0.0, GRAVITY) };
        let mut sim = start(&setup, Vec2::new(200.0, 60.0), &three_discs(), vec![]);
        run(&mut sim, 600);
        assert_eq!(sim.awake(), 0, "three discs that stand fall asleep, {cell:?}");
        sim.set_gravity(GRAVITY).expect("a gravity");
        let mut fastest = 0.0_f32;
        for _ in 0..10 {
            run(&mut sim, 1);
            let speeds = (0..3).map(|id| disc(&sim, id).0.velocity.length());
            fastest = speeds.fold(fastest, f32::max);
        }
        assert_eq!(sim.awake(), 3);
        assert!(fastest < 4e-4, "a disc moved at {fastest} when it woke, {cell:?}");
    }
}

#[test]
fn the_bits_are_the_same_however_a_run_goes() {
    let pile = Setup { friction: 0.4, rolling: 0.1, ..Setup::new(Scene::Pile) };
    let pile = Setup { agents: 2_000, ..pile };
    same_bits(&pile, 420, &[1, 60, 61, 200, 333, 400, 419]);
    // Giants are outliers.
    let giants = Setup { friction: 0.4, rolling: 0.1, gravity: 10.0, ..Setup::new(Scene::Giants) };
    same_bits(&Setup { agents: 1_500, ..giants }, 200, &[1, 60, 61, 150]);
    let pegs = Setup { agents: 2_000, friction: 0.4, ..Setup::new(Scene::Pegs) };
    for setup in &with_each_solver(&pegs)[1..] {
        same_bits(setup, 60, &[1, 30, 31]);
    }
    let gas = Setup { friction: 0.4, boundary: Boundary::Periodic, ..Setup::new(Scene::Mixed) };
    for setup in &with_each_solver(&Setup { agents: 2_000, ..gas })[1..] {
        same_bits(setup, 60, &[1, 30, 31]);
    }
}

/// Compares runs of some steps, on other numbers of threads, without SIMD, and restored at times.
fn same_bits(setup: &Setup, steps: u32, saved: &[u32]) {
    let best = SimdLevel::best();
    let hash = |threads, simd, saved: &[u32]| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut sim = Sim::new(setup).expect("a valid set-up");
            sim.set_simd(simd);
            let mut any_spins = false;
            for step in 0..steps {
                if saved.contains(&step) {
                    let snapshot = sim.snapshot().expect("memory");
                    let bytes = snapshot.as_bytes().to_vec();
                    sim =
                        Sim::restore(&Snapshot::from_bytes(bytes).expect("whole")).expect("valid");
                    sim.set_simd(simd);
                }
                run(&mut sim, 1);
                any_spins |=
                    step == 30 && sim.agents().id.iter().any(|&id| disc(&sim, id).1 != 0.0);
            }
            assert!(any_spins, "nothing spins");
            sim.state_hash()
        })
    };
    let own = hash(1, best, &[]);
    for (threads, simd, saved) in
        [(2, best, &[][..]), (7, best, &[]), (1, SimdLevel::SCALAR, &[]), (1, best, saved)]
    {
        let with = (setup.scene.name(), setup.solver, setup.collisions);
        let found = hash(threads, simd, saved);
        assert_eq!(found, own, "{with:?}: {threads} threads, {}, {saved:?}", simd.name());
    }
}

#[test]
fn a_coefficient_is_a_number_from_0_on() {
    let rough = setup(0.5, 0.5, GRAVITY);
    assert!(rough.validate().is_ok());
    assert!(Setup { friction: -0.1, ..rough.clone() }.validate().is_err());
    assert!(Setup { friction: f32::NAN, ..rough.clone() }.validate().is_err());
    assert!(Setup { rolling: 0.1, ..rough.clone() }.validate().is_ok());
    let error = Setup { rolling: 0.1, friction: 0.0, ..rough }.validate().expect_err("smooth");
    assert!(error.to_string().contains("friction"), "{error}");
}

/// Columns of a caller's own may have any name.
#[test]
fn a_column_named_spin_is_only_a_column_without_friction() {
    let setup = Setup::with_agents(Scene::Pile, 10_000);
    let mut start = scene::place(&setup).expect("they can be placed");
    let column = OwnColumn::new("spin", 0.0, vec![3.0; start.agents.id.len()]);
    start.agents.own = Some(Box::new(OwnColumns::new().with_numbers(column)));
    let mut sim = Sim::from_start(&setup, start).expect("a valid start");
    run(&mut sim, 3);
    let own = sim.agents().own.as_ref().expect("it is there");
    assert!(own.numbers[0].values.iter().all(|&value| value == 3.0));
}

/// What is at rest stays so: held agents beside others get no spin.
#[test]
fn agents_at_rest_have_no_spin() {
    let setup = Setup { agents: 1_000, friction: 0.5, ..Setup::new(Scene::Pile) };
    let mut sim = Sim::new(&setup).expect("a valid set-up");
    run(&mut sim, 3_000);
    assert_eq!(sim.awake(), 0);
    let own = sim.agents().own.as_ref().expect("a spin");
    assert!(own.numbers[0].values.iter().all(|&spin| spin == 0.0));
}

/// What spins goes on spinning when friction ends, and there is no spin before friction begins.
#[test]
fn friction_begins_and_ends_in_the_middle_of_a_run() {
    let at = Vec2::new(RADIUS + 1.0, RADIUS);
    let discs = [(at, Vec2::new(6.0, 0.0), RADIUS, 0.0)];
    let mut sim = start(&setup(0.0, 0.0, GRAVITY), Vec2::new(500.0, 20.0), &discs, vec![]);
    sim.set_velocity(0, Vec2::new(6.0, 0.0)).expect("in range");
    run(&mut sim, 30);
    assert_eq!(disc(&sim, 0).1, 0.0);
    sim.set_friction(0.5).expect("in range");
    run(&mut sim, 120);
    let (rolls, _) = disc(&sim, 0);
    assert!((rolls.velocity.x / 4.0 - 1.0).abs() < 0.005, "{}", rolls.velocity);
    sim.set_rolling(0.2).expect("there is friction");
    run(&mut sim, 60);
    let slowed = 2.0 / 3.0 * 0.2 * GRAVITY;
    assert!(((rolls.velocity.x - disc(&sim, 0).0.velocity.x) / slowed - 1.0).abs() < 0.02);
    let spin = disc(&sim, 0).1;
    sim.set_friction(0.0).expect("in range");
    assert_eq!(sim.setup().rolling, 0.0);
    assert!(
        sim.set_rolling(0.2).expect_err("there is no friction").to_string().contains("friction")
    );
    sim.set_velocity(0, Vec2::new(9.0, 0.0)).expect("in range");
    run(&mut sim, 60);
    assert_eq!((disc(&sim, 0).0.velocity.x, disc(&sim, 0).1), (9.0, spin));
}

/// Agents at rest stay where they are when friction begins and ends.
#[test]
fn a_pile_stays_as_it_is_when_friction_begins_and_ends() {
    let pile = Setup { agents: 2_000, sleep: false, ..Setup::new(Scene::Pile) };
    for (before, after) in [(0.0, 0.5), (0.5, 0.0), (0.5, 0.3)] {
        let mut sim = Sim::new(&Setup { friction: before, ..pile.clone() }).expect("valid");
        run(&mut sim, 1_500);
        let mut plain = sim.clone();
        sim.set_friction(after).expect("in range");
        for step in 0..60 {
            let overlaps = [&mut sim, &mut plain].map(|sim| {
                run(sim, 1);
                sim.measure().expect("there is memory").max_overlap
            });
            let [changed, same] = overlaps;
            assert!(changed < same + 0.05, "{before} to {after}, step {step}: {overlaps:?}");
        }
    }
}

/// A run with 15 columns of a caller's own has no room for two others.
#[test]
fn friction_without_room_for_its_columns_is_refused() {
    let mut setup = Setup::with_agents(Scene::Pile, 50);
    let mut placed = scene::place(&setup).expect("they can be placed");
    let column = |n| OwnColumn::new(&format!("own{n}"), 0.0, vec![1.0; placed.agents.id.len()]);
    let own = (0..15).map(column).fold(OwnColumns::new(), OwnColumns::with_numbers);
    placed.agents.own = Some(Box::new(own));
    let mut sim = Sim::from_start(&setup, placed.clone()).expect("a valid start");
    let hash = sim.state_hash();
    let error = sim.set_friction(0.5).expect_err("there is no room").to_string();
    assert!(error.contains("expected 0 to 16"), "{error}");
    assert_eq!((sim.state_hash(), sim.setup().friction), (hash, 0.0));
    run(&mut sim, 3);
    setup.friction = 0.5;
    assert!(Sim::from_start(&setup, placed).is_err());
}

/// A spin of any size stays a number.
#[test]
fn the_largest_spins_stay_finite() {
    for setup in with_each_solver(&setup(0.5, 0.5, GRAVITY)) {
        let at = [Vec2::new(5.0, 1.5), Vec2::new(6.2, 3.9), Vec2::new(9.0, 2.0)];
        let spins = [f32::MAX, f32::MIN, 3e30];
        let discs: Vec<Disc> =
            at.into_iter().zip(spins).map(|(at, spin)| (at, Vec2::ZERO, 1.5, spin)).collect();
        let mut sim = start(&setup, Vec2::splat(40.0), &discs, vec![]);
        run(&mut sim, 60);
        assert!((0..3).all(|id| disc(&sim, id).1.is_finite()), "{:?}", setup.solver);
        assert!(Sim::restore(&sim.snapshot().expect("memory")).is_ok(), "{:?}", setup.solver);
    }
}
