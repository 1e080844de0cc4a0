//! Friction and spin: the laws of one contact and of heaps, and runs that have friction.

mod laws;
mod runs;

use jostle::{
    Agent, Agents, OwnColumn, OwnColumns, Rect, Scene, Setup, Sim, Static, Vec2,
    scene::{Collisions, Solver, Start},
};

pub(crate) const GRAVITY: f32 = 10.0;
pub(crate) const RADIUS: f32 = 0.5;

/// A disc: center, velocity, radius, spin.
pub(crate) type Disc = (Vec2, Vec2, f32, f32);

pub(crate) fn setup(friction: f32, restitution: f32, gravity: f32) -> Setup {
    let gas = Setup::new(Scene::Gas);
    Setup { agents: 2, friction, restitution, gravity, hz: 60.0, substeps: Some(1), ..gas }
}

/// The set-up with each solver.
pub(crate) fn with_each_solver(setup: &Setup) -> [Setup; 3] {
    let with = |solver, collisions| Setup { solver, collisions, ..setup.clone() };
    [
        with(Solver::Contact, Collisions::Overlap),
        with(Solver::Impulse, Collisions::Overlap),
        with(Solver::Impulse, Collisions::Swept),
    ]
}

/// A run of discs in a world of that size.
pub(crate) fn start(setup: &Setup, size: Vec2, discs: &[Disc], statics: Vec<Static>) -> Sim {
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
pub(crate) fn disc(sim: &Sim, id: u32) -> (Agent, f32) {
    let slot = sim.slot_of(id).expect("it is there");
    (sim.agents().get(slot), own(sim, "spin")[slot])
}

/// A column of the agents' own.
pub(crate) fn own<'a>(sim: &'a Sim, name: &str) -> &'a [f32] {
    let own = sim.agents().own.as_ref().expect("columns");
    &own.numbers[own.find(name).expect(name)].values
}

pub(crate) fn run(sim: &mut Sim, steps: u32) {
    (0..steps).for_each(|_| sim.step().expect("there is memory"));
}

/// Kinetic energy, of the spins too, and potential energy.
pub(crate) fn energy(sim: &Sim, gravity: f32) -> f64 {
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
pub(crate) fn angular_momentum(sim: &Sim) -> [f64; 2] {
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

/// Two discs on the ground that touch, and one on them.
pub(crate) fn three_discs() -> [Disc; 3] {
    let [left, right] = [99.5, 100.5].map(|x| Vec2::new(x, RADIUS));
    let top = Vec2::new(100.0, RADIUS + 0.75_f32.sqrt());
    [left, right, top].map(|at| (at, Vec2::ZERO, RADIUS, 0.0))
}
