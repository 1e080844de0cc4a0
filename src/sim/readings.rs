//! What can be read off a run between two steps. Contacts are searched for, into the lists that a step fills;
//! nothing else changes the run.

use super::{Sim, gunner::Gunner};
use crate::{
    agents::Agents, error::Result, geometry::Rect, grid::Grid, scene::Setup, sim::hash,
    step::battle::Battle,
};

/// The present state in a few numbers.
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

/// Bytes held, by what holds them. If another index finds the contacts, the grid only sorts the agents, and
/// counts with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The agents' arrays, with what sorting them needs, and the statics'.
    pub agents: usize,
    /// What finds the contacts.
    pub grid: usize,
    /// The contact lists, with what ordering them needs.
    pub contacts: usize,
}

/// Counts since the start; a caller takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Impulses between agents.
    pub collisions: u64,
    /// Times an agent moved farther in a substep than the smallest radius, so that it may have passed
    /// through another.
    pub tunnelled: u64,
    /// Times the contact lists had to grow.
    pub contact_growths: u64,
    /// Agents that came after the start.
    pub spawned: u64,
    /// Agents that left.
    pub removed: u64,
}

impl Sim {
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
        self.motion.world
    }

    /// The agents, in cell order.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The grid, exact for the agents' positions.
    pub fn grid(&self) -> &Grid {
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

    /// The pairs of slots that overlap now, in canonical order, searched for anew.
    ///
    /// # Errors
    /// If the contact lists must grow and there is not enough memory.
    pub fn contacts(&mut self) -> Result<impl Iterator<Item = [u32; 2]>> {
        self.find_contacts()?;
        Ok(self.contacts.iter())
    }

    /// The pairs that overlapped when contacts were searched for last, which each substep does before it
    /// resolves them: known without another search.
    pub fn last_contacts(&self) -> u64 {
        self.contacts.len() as u64
    }

    /// Contacts, overlap, energy, momentum of the present state. Searches for the contacts anew.
    ///
    /// # Errors
    /// If the contact lists must grow and there is not enough memory.
    pub fn measure(&mut self) -> Result<Measures> {
        self.find_contacts()?;
        let mut measures = Measures {
            kinetic_energy: self.agents.kinetic_energy(),
            momentum: self.agents.momentum(),
            ..Measures::default()
        };
        for [i, j] in self.contacts.iter() {
            let (i, j) = (self.agents.get(i as usize), self.agents.get(j as usize));
            let overlap = i.radius + j.radius - i.position.distance(j.position);
            measures.contacts += 1;
            measures.max_overlap = measures.max_overlap.max(overlap / i.radius.min(j.radius));
        }
        Ok(measures)
    }

    /// Bytes held.
    pub fn bytes(&self) -> Bytes {
        let mut bytes = Bytes {
            agents: self.agents.memory()
                + self.regrid.memory()
                + self.statics.memory()
                + self.gunner.as_ref().map_or(0, Gunner::memory)
                + self.battle.as_ref().map_or(0, Battle::memory),
            grid: self.grid.memory(),
            contacts: self.contacts.memory(),
        };
        if let Some(indexed) = &self.indexed {
            bytes.agents += bytes.grid + indexed.memory_lent();
            bytes.grid = indexed.memory();
            bytes.contacts += indexed.ordered.memory();
        }
        bytes
    }

    /// The state as 64 bits: the same for every thread count, SIMD level and index.
    pub fn state_hash(&self) -> u64 {
        hash::state_hash(self.steps, &self.agents, &self.statics)
    }
}
