//! The simulation: owns the agents, the grid and the contact lists, and steps them.

use crate::{
    agents::Agents,
    error::Result,
    grid::{GridConfig, LooseTightGrid},
    hash,
    rect::Rect,
    scene::{self, Setup},
    step::{Phase, Probe},
};

/// What can be read off a run between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Pairs that overlap in the present positions.
    pub contacts: u64,
    /// Largest share of the smaller radius by which a pair overlaps.
    pub max_overlap: f32,
    /// Σ ½·m·v².
    pub kinetic_energy: f64,
    /// Σ m·v.
    pub momentum: [f64; 2],
}

/// Bytes held, by what holds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The agents' arrays, with what the sort needs.
    pub agents: usize,
    /// The grid.
    pub grid: usize,
    /// The contact lists.
    pub contacts: usize,
}

/// Counts since the start; a caller takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Impulses between agents.
    pub collisions: u64,
    /// Times an agent moved farther in a substep than the smallest radius, so that it may have passed
    /// through another.
    pub tunnelled: u64,
    /// Times the contact lists had to grow.
    pub contact_growths: u64,
}

/// A run: agents in a world, through time.
#[derive(Debug)]
pub struct Sim {
    setup: Setup,
    world: Rect,
    agents: Agents,
    grid: LooseTightGrid,
    steps: u64,
    counters: Counters,
    fastest: f32,
}

impl Sim {
    /// Places the agents and claims all memory.
    ///
    /// # Errors
    /// As [`scene::place`], and if memory can't be had.
    pub fn new(setup: &Setup) -> Result<Self> {
        let start = scene::place(setup)?;
        let grid = LooseTightGrid::new(GridConfig {
            bounds: start.world,
            loose_size: glam::Vec2::splat(4.28),
            tight_size: glam::Vec2::splat(64.0),
            capacity: start.agents.len(),
        })?;
        let mut sim = Self {
            setup: setup.clone(),
            world: start.world,
            agents: start.agents,
            grid,
            steps: 0,
            counters: Counters::default(),
            fastest: 0.0,
        };
        sim.regrid();
        Ok(sim)
    }

    /// One step of `1 / hz` seconds, in all its substeps.
    pub fn step(&mut self, probe: &mut impl Probe) {
        probe.begin(Phase::Integrate);
        let dt = self.dt();
        for i in 0..self.agents.len() {
            let a = &mut self.agents;
            a.x[i] += a.vx[i] * dt;
            a.y[i] += a.vy[i] * dt;
            if a.x[i] < a.radius[i] || a.x[i] > self.world.max.x - a.radius[i] {
                a.vx[i] = -a.vx[i];
            }
            if a.y[i] < a.radius[i] || a.y[i] > self.world.max.y - a.radius[i] {
                a.vy[i] = -a.vy[i];
            }
        }
        probe.begin(Phase::Regrid);
        self.regrid();
        self.steps += 1;
        probe.end();
    }

    fn regrid(&mut self) {
        self.grid.rebuild(&self.agents.x, &self.agents.y, &self.agents.radius);
        let mut sorted = Agents::with_capacity(self.agents.len());
        for &i in self.grid.order() {
            sorted.push(self.agents.get(i as usize));
        }
        self.agents = sorted;
        self.grid.adopt_order();
    }

    /// The set-up it was made from.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Seconds a step.
    pub fn dt(&self) -> f32 {
        1.0 / self.setup.hz
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The world's borders.
    pub fn world(&self) -> Rect {
        self.world
    }

    /// The agents, in cell order.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The grid, exact for the agents' positions.
    pub fn grid(&self) -> &LooseTightGrid {
        &self.grid
    }

    /// Counts since the start.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Largest displacement of an agent in a substep of the last step, world units.
    pub fn fastest(&self) -> f32 {
        self.fastest
    }

    /// Contacts, overlap, energy, momentum of the present state. Searches for the contacts anew.
    pub fn measure(&self) -> Measures {
        Measures {
            kinetic_energy: self.agents.kinetic_energy(),
            momentum: self.agents.momentum(),
            ..Measures::default()
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> Bytes {
        Bytes { agents: self.agents.memory(), grid: self.grid.memory(), contacts: 0 }
    }

    /// The state as 64 bits: the same for every thread count, SIMD level and index.
    pub fn state_hash(&self) -> u64 {
        hash::state_hash(self.steps, &self.agents)
    }
}
