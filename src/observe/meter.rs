//! The meter: averages between two moments of a run, from its counters.

use crate::{Sim, scene::Solver, sim::Transfer};

/// The counters of a run at the last moment at which it was read.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    time: f64,
    collisions: u64,
    transfer: Transfer,
    temperature: f64,
    mean_speed: f64,
}

/// Averages between two moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Simulated seconds between the two.
    pub seconds: f64,
    /// k·T: the mean kinetic energy of an agent, at the end.
    pub temperature: f64,
    /// Impulses between agents.
    pub collisions: u64,
    /// Collisions of an agent per second.
    pub collision_rate: f64,
    /// Distance between two collisions of an agent, world units; infinite without collisions.
    pub mean_free_path: f64,
    /// The pressure in the bulk, force per length, by the virial theorem:
    /// P = N·kT/A + Σ δp·d / (2·A·Δt). None without time, and with the contact solver, in which
    /// contacts last.
    pub pressure_virial: Option<f64>,
    /// The pressure on the walls, force per length. None where there is no wall, too.
    pub pressure_wall: Option<f64>,
}

impl Meter {
    /// Begins to measure now.
    pub fn new(sim: &Sim) -> Self {
        let count = sim.agents().len().max(1) as f64;
        Self {
            time: time(sim),
            collisions: sim.counters().collisions,
            transfer: sim.transfer(),
            temperature: sim.agents().kinetic_energy() / count,
            mean_speed: sim.agents().mean_speed(),
        }
    }

    /// Reads the averages since the last reading of the same run, and begins the next. Of a run that
    /// was restored or went back since, they have no meaning.
    pub fn read(&mut self, sim: &Sim) -> Reading {
        let before = *self;
        *self = Self::new(sim);
        let seconds = self.time - before.time;
        let count = sim.agents().len() as f64;
        let collisions = self.collisions.saturating_sub(before.collisions);
        // Each collision is one of two agents.
        let collision_rate = 2.0 * collisions as f64 / (count * seconds);
        let impulses = sim.setup().solver_in_use() == Solver::Impulse && seconds > 0.0;
        let size = sim.world().size().as_dvec2();
        let area = size.x * size.y;
        let virial = self.transfer.virial - before.transfer.virial;
        let temperature = 0.5 * (before.temperature + self.temperature);
        let virial = count * temperature / area + virial / (2.0 * area * seconds);
        let [repeats_x, repeats_y] = sim.space().repeats();
        let wall = |repeats: bool, length: f64| if repeats { 0.0 } else { 2.0 * length };
        let length = wall(repeats_y, size.x) + wall(repeats_x, size.y);
        let on_walls = self.transfer.wall_impulse - before.transfer.wall_impulse;
        Reading {
            seconds,
            temperature: self.temperature,
            collisions,
            collision_rate,
            mean_free_path: 0.5 * (before.mean_speed + self.mean_speed) / collision_rate,
            pressure_virial: impulses.then_some(virial),
            pressure_wall: (impulses && length > 0.0).then_some(on_walls / (length * seconds)),
        }
    }
}

/// Simulated seconds since the start.
fn time(sim: &Sim) -> f64 {
    sim.steps() as f64 / f64::from(sim.setup().hz)
}
