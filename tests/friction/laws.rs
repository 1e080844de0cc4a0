//! What slides comes to roll, momentum is kept, energy never grows, and heaps stand.

use std::f32::consts::{PI, TAU};

use jostle::{Boundary, Scene, Setup, Sim, Static, Vec2, rng::Rng, scene::Solver};

use crate::*;

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

/// In the contact solver, an impulse along a normal is shared by the rounds around the contact so that
/// its couple is 0; in many small steps, roundings add up. The impulse solver separates what overlaps
/// while it moves.
#[test]
fn pairs_keep_angular_momentum_and_gain_no_energy() {
    let rough = Setup { rolling: 0.2, ..setup(0.5, 0.0, 0.0) };
    let [contact, impulse, swept] = with_each_solver(&rough);
    for (base, hz, most) in [
        (&contact, 60.0, 2e-6),
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
