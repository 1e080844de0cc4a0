//! Friction and spin: what slides comes to roll, momentum is kept, energy never grows, heaps stand,
//! and the bits are the same however a run goes.

use std::f32::consts::{PI, TAU};

use jostle::{
    Agent, Agents, Boundary, OwnColumn, OwnColumns, Rect, Scene, Setup, Sim, Snapshot, Static,
    Vec2,
    rng::Rng,
    scene::{self, Collisions, Solver, Start},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

const GRAVITY: f32 = 10.0;
const RADIUS: f32 = 0.5;

/// A disc: center, velocity, radius, spin.
type Disc = (Vec2, Vec2, f32, f32);

fn setup(friction: f32, restitution: f32, gravity: f32) -> Setup {
    let gas = Setup::new(Scene::Gas);
    Setup { agents: 2, friction, restitution, gravity, hz: 60.0, substeps: Some(1), ..gas }
}

/// The set-up with each solver.
fn with_each_solver(setup: &Setup) -> [Setup; 3] {
    let with = |solver, collisions| Setup { solver, collisions, ..setup.clone() };
    [
        with(Solver::Contact, Collisions::Overlap),
        with(Solver::Impulse, Collisions::Overlap),
        with(Solver::Impulse, Collisions::Swept),
    ]
}

/// A run of discs in a world of that size.
fn start(setup: &Setup, size: Vec2, discs: &[Disc], statics: Vec<Static>) -> Sim {
    let mut agents = Agents::default();
    for (id, &(position, velocity, radius, _)) in (0..).zip(discs) {
        agents.push(Agent { position, velocity, radius, id });
    }
    let spins = discs.iter().map(|&(.., spin)| spin).collect();
    let own = OwnColumns::new().with_numbers(OwnColumn::new("spin", 0.0, spins));
    agents.own = Some(Box::new(own));
    let world = Rect::new(Vec2::ZERO, size);
    let populated = f64::from(size.x) * f64::from(size.y);
    Sim::from_start(setup, Start { world, agents, statics, populated }).expect("a valid start")
}

/// The agent and its spin.
fn disc(sim: &Sim, id: u32) -> (Agent, f32) {
    let slot = sim.slot_of(id).expect("it is there");
    (sim.agents().get(slot), own(sim, "spin")[slot])
}

/// A column of the agents' own.
fn own<'a>(sim: &'a Sim, name: &str) -> &'a [f32] {
    let own = sim.agents().own.as_ref().expect("columns");
    &own.numbers[own.find(name).expect(name)].values
}

fn run(sim: &mut Sim, steps: u32) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

/// Kinetic energy, of the spins too, and potential energy.
fn energy(sim: &Sim, gravity: f32) -> f64 {
    let ids = sim.agents().id.iter();
    let all = ids.map(|&id| {
        let (Agent { position, velocity, radius, .. }, spin) = disc(sim, id);
        let [mass, rim] = [radius * radius, spin * radius].map(f64::from);
        let speeds = f64::from(velocity.length_squared()) + 0.5 * rim * rim;
        mass * (0.5 * speeds + f64::from(gravity * position.y))
    });
    all.sum()
}

/// Angular momentum about the origin, and the sum of the sizes of its parts.
fn angular_momentum(sim: &Sim) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for &id in &sim.agents().id {
        let (Agent { position, velocity, radius, .. }, spin) = disc(sim, id);
        let mass = f64::from(radius * radius);
        let orbit = mass
            * (f64::from(position.x) * f64::from(velocity.y)
                - f64::from(position.y) * f64::from(velocity.x));
        let own = 0.5 * mass * mass * f64::from(spin);
        sums = [sums[0] + orbit + own, sums[1] + orbit.abs() + own.abs()];
    }
    sums
}

/// A disc that slides is slowed by μ·g, and rolls at ⅔ of its speed from v/(3·μ·g) on.
#[test]
fn what_slides_comes_to_roll() {
    for friction in [0.05, 0.1, 0.3, 0.5, 1.0] {
        for speed in [3.0, 12.0] {
            for setup in with_each_solver(&setup(friction, 0.0, GRAVITY)) {
                let at = Vec2::new(RADIUS + 1.0, RADIUS);
                let world = Vec2::new(500.0, 20.0);
                let discs = [(at, Vec2::new(speed, 0.0), RADIUS, 0.0)];
                let mut sim = start(&setup, world, &discs, vec![]);
                let until = speed / (3.0 * friction * GRAVITY);
                let half = (0.5 * until * 60.0) as u32;
                run(&mut sim, half);
                let (slides, _) = disc(&sim, 0);
                let expected = speed - friction * GRAVITY * half as f32 / 60.0;
                let share = slides.velocity.x / expected;
                let with = (friction, speed, setup.solver, setup.collisions);
                assert!((share - 1.0).abs() < 0.005, "{with:?}: {share} of theory");
                run(&mut sim, half + 90);
                let (rolls, spin) = disc(&sim, 0);
                let share = rolls.velocity.x / speed;
                assert!((share * 1.5 - 1.0).abs() < 0.005, "{with:?}: {share} stays");
                let slide = (spin * RADIUS + rolls.velocity.x).abs();
                assert!(slide < 1e-3 * speed, "{with:?}: it slides: {spin}");
            }
        }
    }
}

/// What rolls is slowed by ⅔·F·g, and then stands.
#[test]
fn rolling_resistance_stops_what_rolls() {
    for rolling in [0.02, 0.1, 0.3] {
        let rough = Setup { rolling, ..setup(0.8, 0.0, GRAVITY) };
        for setup in with_each_solver(&rough) {
            let (at, speed) = (Vec2::new(5.0, RADIUS), 6.0);
            let discs = [(at, Vec2::new(speed, 0.0), RADIUS, -speed / RADIUS)];
            let mut sim = start(&setup, Vec2::new(500.0, 20.0), &discs, vec![]);
            let slowed = 2.0 / 3.0 * rolling * GRAVITY;
            let half = (0.5 * speed / slowed * 60.0) as u32;
            run(&mut sim, half);
            let (rolls, spin) = disc(&sim, 0);
            // The first or the last step may count for nothing.
            let share = (speed - rolls.velocity.x) / (slowed * half as f32 / 60.0);
            let with = (rolling, setup.solver, setup.collisions);
            assert!((share - 1.0).abs() < 0.015, "{with:?}: slowed by {share} of theory");
            let slide = (spin * RADIUS + rolls.velocity.x).abs();
            assert!(slide < 0.02 * speed, "{with:?}: it slides at {slide}");
            run(&mut sim, half + 60);
            let (stands, _) = disc(&sim, 0);
            assert!(stands.velocity.length() < 0.05, "{with:?}: {}", stands.velocity);
            let way = (stands.position.x - at.x) / (speed * speed / (2.0 * slowed));
            assert!((way - 1.0).abs() < 0.02, "{with:?}: {way} of the way");
        }
    }
}

/// On a slope of the angle θ a disc stands if the resistance is above tan θ.
#[test]
fn rolling_resistance_holds_a_disc_on_a_slope() {
    let below = Static::disc(Vec2::new(50.0, 10.0), 8.0);
    let angle = 0.2_f32;
    let at = Vec2::new(50.0, 10.0) + Vec2::new(angle.sin(), angle.cos()) * (8.0 + RADIUS);
    let way = |rolling: f32| {
        let setup = Setup { rolling, sleep: false, ..setup(0.8, 0.0, GRAVITY) };
        let discs = [(at, Vec2::ZERO, RADIUS, 0.0)];
        let mut sim = start(&setup, Vec2::new(100.0, 60.0), &discs, vec![below]);
        run(&mut sim, 600);
        (disc(&sim, 0).0.position - at).length()
    };
    let tan = angle.tan();
    for rolling in [0.5 * tan, 0.9 * tan] {
        assert!(way(rolling) > 4.0, "{rolling} holds it");
    }
    for rolling in [1.1 * tan, 2.0 * tan] {
        let way = way(rolling);
        assert!(way < 0.02, "{rolling} lets it move by {way}");
    }
}

/// What rolls turns by its way over its radius, and what spins in the air turns on.
#[test]
fn angles_follow_the_spins() {
    let at = Vec2::new(RADIUS + 1.0, RADIUS);
    let discs = [(at, Vec2::new(6.0, 0.0), RADIUS, 0.0)];
    let mut sim = start(&setup(0.5, 0.0, GRAVITY), Vec2::new(500.0, 20.0), &discs, vec![]);
    run(&mut sim, 120);
    let state = |sim: &Sim| (disc(sim, 0).0.position.x, own(sim, "angle")[0]);
    // The difference of two angles and one that is expected, in turns.
    let off = |turned: f32, expected: f32| {
        let turns = (turned - expected) / TAU;
        (turns - turns.round()).abs()
    };
    let (from, before) = state(&sim);
    for step in 1..200 {
        run(&mut sim, 1);
        let (x, angle) = state(&sim);
        assert!(angle.abs() <= PI, "{angle}");
        assert!(off(angle - before, (from - x) / RADIUS) < 0.01, "step {step}: {angle}");
    }
    sim.set_friction(0.0).expect("in range");
    let ((_, before), spin) = (state(&sim), disc(&sim, 0).1);
    run(&mut sim, 90);
    assert!(off(state(&sim).1 - before, spin * 1.5) < 1e-3);
}

#[test]
fn a_disc_rolls_down_a_large_one() {
    // The force along the slope of a fixed disc of angle θ is ⅔·g·sinθ at first.
    let below = Static::disc(Vec2::new(50.0, 10.0), 8.0);
    let angle = 0.3_f32;
    let at = Vec2::new(50.0, 10.0) + Vec2::new(angle.sin(), angle.cos()) * (8.0 + RADIUS);
    let fall = |friction: f32| {
        let setup = setup(friction, 0.0, GRAVITY);
        let discs = [(at, Vec2::ZERO, RADIUS, 0.0)];
        let mut sim = start(&setup, Vec2::new(100.0, 60.0), &discs, vec![below]);
        run(&mut sim, 12);
        disc(&sim, 0).0.velocity.length()
    };
    let free = fall(0.0);
    for friction in [0.3, 1.0] {
        let share = fall(friction) / free;
        assert!((share * 1.5 - 1.0).abs() < 0.03, "μ {friction}: {share} of the speed without");
    }
}

/// Two discs meet in a random way. Returns the change of angular momentum as a share of its parts.
fn meet(rng: &mut Rng, base: &Setup) -> f64 {
    let radii = [rng.between(0.3, 2.0), rng.between(0.3, 2.0)];
    let along = rng.direction();
    let aside = along.perp() * rng.between(-0.8, 0.8) * (radii[0] + radii[1]);
    let speed = rng.between(1.0, 15.0);
    let first = Vec2::splat(30.0);
    let second = first + along * (radii[0] + radii[1] + 1.0) + aside;
    let spins = [rng.between(-9.0, 9.0), rng.between(-9.0, 9.0)];
    let discs =
        [(first, along * speed, radii[0], spins[0]), (second, Vec2::ZERO, radii[1], spins[1])];
    let setup = Setup { restitution: rng.between(0.0, 1.0), ..base.clone() };
    let mut sim = start(&setup, Vec2::splat(60.0), &discs, vec![]);
    let ([before, size], energy_before) = (angular_momentum(&sim), energy(&sim, 0.0));
    run(&mut sim, ((1.5 + radii[0] + radii[1]) / speed * setup.hz) as u32 + 4);
    assert_ne!(disc(&sim, 0).1, spins[0], "the two must meet");
    assert!(energy(&sim, 0.0) < energy_before * (1.0 + 1e-5), "{discs:?} gain energy");
    (angular_momentum(&sim)[0] - before).abs() / size
}

/// In the contact solver, the normal holds for a substep, in which the two move: the error falls
/// with its length. The impulse solver separates what overlaps while it moves.
#[test]
fn pairs_keep_angular_momentum_and_gain_no_energy() {
    let rough = Setup { rolling: 0.2, ..setup(0.5, 0.0, 0.0) };
    let [contact, impulse, swept] = with_each_solver(&rough);
    for (base, hz, most) in [
        (&contact, 60.0, 5e-4),
        (&contact, 3_840.0, 5e-5),
        (&impulse, 3_840.0, 5e-5),
        (&swept, 60.0, 1e-6),
    ] {
        let (mut rng, base) = (Rng::new(5), Setup { hz, ..base.clone() });
        let errors = (0..200).map(|_| meet(&mut rng, &base));
        let mean = errors.sum::<f64>() / 200.0;
        assert!(mean < most, "{:?} {:?} {hz}: {mean}", base.solver, base.collisions);
    }
}

/// A dense gas of rough discs, elastic along the normal, in each world.
#[test]
fn a_rough_gas_loses_energy_alone() {
    for boundary in [Boundary::Walls, Boundary::Periodic] {
        let gas = Setup { agents: 2_000, density: 0.4, friction: 0.3, ..Setup::new(Scene::Mixed) };
        let gas = Setup { restitution: 1.0, boundary, ..gas };
        for setup in &with_each_solver(&gas)[1..] {
            let mut sim = Sim::new(setup).expect("a valid set-up");
            let ([x, y], mut before) = (sim.agents().momentum(), energy(&sim, 0.0));
            for _ in 0..120 {
                run(&mut sim, 1);
                let now = energy(&sim, 0.0);
                assert!(now < before * (1.0 + 1e-6), "{:?}: {before} to {now}", setup.collisions);
                before = now;
            }
            if boundary == Boundary::Periodic {
                let [now_x, now_y] = sim.agents().momentum();
                assert!((now_x - x).hypot(now_y - y) < 1e-6 * f64::from(setup.speed) * 2_000.0);
            }
            let spinning = sim.agents().id.iter().filter(|&&id| disc(&sim, id).1 != 0.0);
            assert!(spinning.count() > 1_500, "{boundary:?} {:?}", setup.collisions);
        }
    }
}

/// Overlaps that are pushed out lift a pile by little.
#[test]
fn energy_never_grows() {
    for restitution in [0.0, 0.5, 1.0] {
        let pile = Setup::new(Scene::Pile);
        let setup = Setup { agents: 300, friction: 0.6, restitution, sleep: false, ..pile };
        let setup = Setup { solver: Solver::Contact, ..setup };
        let mut sim = Sim::new(&setup).expect("a valid set-up");
        let start = energy(&sim, setup.gravity);
        let mut least = start;
        for step in 0..900 {
            run(&mut sim, 1);
            let now = energy(&sim, setup.gravity);
            assert!(now - least < 5e-4 * start, "e {restitution}, step {step}: {least} to {now}");
            least = least.min(now);
        }
    }
}

/// The height of the highest disc of a column that collapsed, after some steps each.
fn heap(friction: f32, steps: [u32; 2]) -> [f32; 2] {
    let (columns, rows) = (10, 20);
    let discs: Vec<Disc> = (0..columns * rows)
        .map(|n| {
            let (column, row) = ((n % columns) as f32, (n / columns) as f32);
            let shift = if n / columns % 2 == 1 { 0.5 } else { 0.0 };
            let at = Vec2::new(95.0 + column * 1.05 + shift, RADIUS + row * 1.02);
            (at, Vec2::ZERO, RADIUS, 0.0)
        })
        .collect();
    let setup = Setup { agents: 200, substeps: Some(4), ..setup(friction, 0.1, GRAVITY) };
    let mut sim = start(&setup, Vec2::new(200.0, 60.0), &discs, vec![]);
    steps.map(|steps| {
        run(&mut sim, steps);
        sim.agents().y.iter().fold(0.0_f32, |most, &y| most.max(y))
    })
}

/// Discs at the foot of a heap roll away from time to time: nothing resists that.
#[test]
fn rough_heaps_stand_and_smooth_ones_run_flat() {
    let [_, smooth] = heap(0.0, [600, 600]);
    let [early, rough] = heap(1.0, [1200, 3600]);
    assert!(smooth < 1.2 * RADIUS, "a heap without friction is {smooth} high");
    assert!(rough > 6.0 * RADIUS && rough > 0.8 * early, "a heap {early} high sinks to {rough}");
}

/// Two discs on the ground that touch, and one on them.
fn three_discs() -> [Disc; 3] {
    let [left, right] = [99.5, 100.5].map(|x| Vec2::new(x, RADIUS));
    let top = Vec2::new(100.0, RADIUS + 0.75_f32.sqrt());
    [left, right, top].map(|at| (at, Vec2::ZERO, RADIUS, 0.0))
}

/// One disc on two that touch each other: it stands if the coefficient is above 2 − √3 = 0.268. In
/// small cells all three are outliers.
#[test]
fn three_discs_stand_from_the_coefficient_of_theory_on() {
    let height = |friction: f32, cell: Option<f32>| {
        let setup = Setup { sleep: false, cell, ..setup(friction, 0.0, GRAVITY) };
        let mut sim = start(&setup, Vec2::new(200.0, 60.0), &three_discs(), vec![]);
        run(&mut sim, 3600);
        disc(&sim, 2).0.position.y
    };
    let stands = RADIUS + 0.75_f32.sqrt();
    for cell in [None, Some(0.5)] {
        for friction in [0.0, 0.1, 0.2, 0.25] {
            let found = height(friction, cell);
            assert!(found < RADIUS * 1.1, "μ {friction} holds a disc {found} high, {cell:?}");
        }
        for friction in [0.29, 0.35, 0.6, 1.0] {
            let found = height(friction, cell);
            let off = (found / stands - 1.0).abs();
            assert!(off < 0.02, "μ {friction} lets a disc sink to {found}, {cell:?}");
        }
    }
}

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
