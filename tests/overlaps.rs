//! Overlap that a run did not make, but that a user did: it is pushed out gently, and throws nothing.

use jostle::{
    Agent, Agents, Rect, Scene, Setup, Sim, Spawn, Static, Vec2,
    scene::{Collisions, Solver, Start},
};

const RADIUS: f32 = 0.5;

/// Solvers, and how they find collisions.
const SOLVERS: [(Solver, Collisions); 3] = [
    (Solver::Contact, Collisions::Overlap),
    (Solver::Impulse, Collisions::Overlap),
    (Solver::Impulse, Collisions::Swept),
];

fn setup((solver, collisions): (Solver, Collisions), gravity: f32) -> Setup {
    let setup = Setup { agents: 100, solver, collisions, gravity, ..Setup::new(Scene::Gas) };
    Setup { restitution: 0.5, spare_agents: 10, spare_statics: 10, radius: [RADIUS; 2], ..setup }
}

/// A run of discs at rest with these centers.
fn start(setup: &Setup, centers: &[Vec2]) -> Sim {
    let mut agents = Agents::default();
    for (id, &position) in (0..).zip(centers) {
        agents.push(Agent { position, velocity: Vec2::ZERO, radius: RADIUS, id });
    }
    let world = Rect::from_size(40.0, 40.0);
    let start = Start { world, agents, statics: Vec::new(), populated: 1_600.0 };
    Sim::from_start(setup, start).expect("a valid start")
}

/// A block of touching discs on the floor, or in the middle.
fn block(at: Vec2) -> Vec<Vec2> {
    let place = |index: usize| {
        let (row, col) = (index / 20, index % 20);
        let shift = if row % 2 == 0 { 0.0 } else { RADIUS };
        Vec2::new(col as f32 * 2.0 * RADIUS + shift, row as f32 * 1.7321 * RADIUS)
    };
    (0..300).map(|index| at + place(index)).collect()
}

/// The largest speed in some seconds, the largest kinetic energy, and the overlap at the end.
fn watch(sim: &mut Sim, seconds: f32) -> (f32, f64, f32) {
    let (mut fastest, mut energy) = (0.0_f32, 0.0_f64);
    for _ in 0..(seconds / sim.dt()).round() as u32 {
        sim.step().expect("there is memory");
        let Agents { vx, vy, .. } = sim.agents();
        let speeds = vx.iter().zip(vy).map(|(&vx, &vy)| vx.hypot(vy));
        fastest = speeds.fold(fastest, f32::max);
        energy = energy.max(sim.agents().kinetic_energy());
    }
    (fastest, energy, sim.measure().expect("there is memory").max_overlap)
}

fn cases() -> Vec<(&'static str, (Solver, Collisions), f32, Sim)> {
    let mut cases = Vec::new();
    let mut add = |name, solver, gravity, sim| cases.push((name, solver, gravity, sim));
    for solver in SOLVERS {
        let free = setup(solver, 0.0);
        let middle = Vec2::new(10.0, 10.0);
        let half = Vec2::new(1.5 * RADIUS, 0.0);
        add("pair", solver, 0.0, start(&free, &[middle, middle + half]));
        let mut spawned = start(&free, &block(middle));
        let inside = middle + Vec2::new(9.3, 6.2);
        spawned.spawn(&[Spawn::new(inside, Vec2::ZERO, RADIUS)]).expect("there is room");
        add("spawned", solver, 0.0, spawned);
        let mut giant = start(&free, &block(middle));
        giant.spawn(&[Spawn::new(inside, Vec2::ZERO, 3.0)]).expect("there is room");
        add("giant", solver, 0.0, giant);
        let mut walled = start(&free, &block(middle));
        let wall = Rect::around(inside, 2.0);
        walled.add_statics(&[Static::Box(wall)]).expect("there is room");
        add("wall", solver, 0.0, walled);
    }
    let solver = SOLVERS[0];
    let heavy = setup(solver, 10.0);
    let floor = Vec2::new(0.5, 0.5);
    let settled = || {
        let mut sim = start(&heavy, &block(floor));
        watch(&mut sim, 10.0);
        sim
    };
    let inside = floor + Vec2::new(9.3, 5.0);
    let mut spawned = settled();
    spawned.spawn(&[Spawn::new(inside, Vec2::ZERO, RADIUS)]).expect("there is room");
    add("heap, spawned", solver, 10.0, spawned);
    let mut walled = settled();
    walled.add_statics(&[Static::Box(Rect::around(inside, 2.0))]).expect("there is room");
    add("heap, wall", solver, 10.0, walled);
    let mut stroke = settled();
    let place = |n| inside + Vec2::new(n as f32 * 0.7, 0.3);
    let spawns = [0, 1, 2, 3, 4, 5, 6, 7].map(|n| Spawn::new(place(n), Vec2::ZERO, RADIUS));
    stroke.spawn(&spawns).expect("there is room");
    add("heap, stroke", solver, 10.0, stroke);
    cases
}

/// Solvers that move positions alone give no speed; in a crowd, the springs of the contact solver
/// leave some. With gravity, agents fall as well.
#[test]
fn overlap_that_a_user_made_throws_nothing() {
    for (name, solver, gravity, mut sim) in cases() {
        let mass: f32 = sim.agents().radius.iter().map(|radius| radius * radius).sum();
        let (fastest, energy, overlap) = watch(&mut sim, 4.0);
        let context = format!("{name}, {solver:?}: {fastest}, {energy}, overlap {overlap}");
        println!("{context}");
        let moves = solver.0 == Solver::Contact && name != "pair";
        let radii = if moves { 20.0 } else { 1e-4 };
        assert!(fastest <= radii * RADIUS, "{context}");
        if gravity == 0.0 {
            // As if all moved at some radii per second.
            let most = if moves { 5.0 * RADIUS } else { 1e-4 };
            assert!(energy <= f64::from(0.5 * mass * most * most), "{context}");
        }
        assert!(overlap <= 0.06 || solver.1 == Collisions::Swept, "{context}");
    }
}

/// Discs of a lattice that overlap their neighbors by a share of the diameter.
fn squeezed([columns, rows]: [u32; 2], at: Vec2, share: f32) -> Vec<Vec2> {
    let pitch = 2.0 * RADIUS * (1.0 - share);
    let place = |index: u32| Vec2::new((index % columns) as f32, (index / columns) as f32) * pitch;
    (0..columns * rows).map(|index| at + place(index)).collect()
}

/// A run of such discs, alone in a large world or on its floor.
fn crowd(size: [u32; 2], share: f32, gravity: f32, friction: f32) -> Sim {
    let setup = Setup { friction, restitution: 0.1, ..setup(SOLVERS[0], gravity) };
    let setup = Setup { substeps: Some(if gravity > 0.0 { 3 } else { 1 }), ..setup };
    let at = Vec2::new(100.0, if gravity > 0.0 { RADIUS } else { 100.0 });
    let mut agents = Agents::default();
    for (id, position) in (0..).zip(squeezed(size, at, share)) {
        agents.push(Agent { position, velocity: Vec2::ZERO, radius: RADIUS, id });
    }
    let world = Rect::from_size(250.0, 250.0);
    let start = Start { world, agents, statics: Vec::new(), populated: 1_600.0 };
    Sim::from_start(&setup, start).expect("a valid start")
}

/// The speeds at which the pairs of a row part add up, unless what is deep is moved.
#[test]
fn a_crowd_that_overlaps_is_not_thrown() {
    for (size, share) in [([2, 1], 0.3), ([60, 1], 0.3), ([40, 40], 0.3), ([40, 40], 0.1)] {
        let mut sim = crowd(size, share, 0.0, 0.0);
        let (fastest, _, overlap) = watch(&mut sim, 4.0);
        let context = format!("{size:?} by {share}: {fastest}, overlap {overlap}");
        println!("{context}");
        assert!(fastest <= 25.0 * RADIUS && overlap <= 1e-3, "{context}");
    }
}

/// A column has to become higher, and must not gain more energy than that takes.
#[test]
fn a_column_that_overlaps_gains_the_height_that_it_lacks() {
    let gravity = 20.0;
    let energy = |sim: &Sim| {
        let Agents { y, radius, .. } = sim.agents();
        let heights = y.iter().zip(radius).map(|(y, radius)| radius * radius * gravity * y);
        f64::from(heights.sum::<f32>()) + sim.agents().kinetic_energy()
    };
    for (share, friction) in [(0.3, 0.0), (0.3, 0.5), (0.1, 0.5), (0.0, 0.5)] {
        let mut sim = crowd([40, 60], share, gravity, friction);
        let (first, mut most) = (energy(&sim), 0.0);
        for _ in 0..240 {
            sim.step().expect("there is memory");
            most = f64::max(most, energy(&sim) / first);
        }
        let overlap = sim.measure().expect("there is memory").max_overlap;
        let context = format!("{share}, friction {friction}: {most} times, overlap {overlap}");
        println!("{context}");
        assert!(most <= 1.001 + 2.5 * f64::from(share), "{context}");
        assert!(overlap <= 0.15, "{context}");
    }
}
