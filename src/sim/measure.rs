//! Values of a run between two steps. The searches for contacts overwrite the list that a step
//! fills; nothing else changes the run.

use super::Sim;
use crate::{
    agents::Agents,
    alloc,
    error::Result,
    geometry::{Rect, Space},
    grid::Grid,
    scene::Setup,
    sim::hash,
};

/// The current state in a few numbers, in world units and seconds; the mass of an agent is radius².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Pairs that overlap at the current positions.
    pub contacts: u64,
    /// Largest overlap of a pair, as a share of the smaller radius.
    pub max_overlap: f32,
    /// Kinetic energy Σ ½·m·v².
    pub kinetic_energy: f64,
    /// Momentum Σ m·v along x and y.
    pub momentum: [f64; 2],
}

/// Counts since the start; a caller takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Impulses between agents.
    pub collisions: u64,
    /// Times that an agent moved farther in a substep than the smallest radius, and may have passed
    /// through another; with swept collisions, than the largest diameter.
    pub tunnelled: u64,
    /// Times that the contact list or the lists of the contact solver had to grow, and that the
    /// contact solver was allocated in the middle of a run.
    pub contact_growths: u64,
    /// Agents that came after the start.
    pub spawned: u64,
    /// Agents that left.
    pub removed: u64,
}

/// Momentum that collisions have passed on since the start, or since the run was restored; a caller
/// takes differences. Substeps of the contact solver add nothing: its contacts last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
// `Meter` has the pressures. Public for the tests.
#[doc(hidden)]
pub struct Transfer {
    /// Σ δp·d over all collisions of two agents: the impulse along the line between the centers,
    /// times their distance. With the kinetic energy it gives the pressure.
    pub virial: f64,
    /// Σ |δp| over all collisions with walls. Divided by the time and by the length of the walls it
    /// is the pressure on them.
    pub wall_impulse: f64,
}

impl Sim {
    /// Momentum that collisions have passed on.
    // `Meter` has the pressures. Public for the tests.
    #[doc(hidden)]
    pub fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The set-up of the run, with the changes made since.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Seconds per step.
    // `Setup::hz` says it. Public for the program, tests and benches.
    #[doc(hidden)]
    pub fn dt(&self) -> f32 {
        1.0 / self.setup.hz
    }

    /// Number of steps completed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The world's borders.
    pub fn world(&self) -> Rect {
        self.motion.world
    }

    /// The share of the world that agents cover.
    #[cfg(feature = "cli")]
    pub(crate) fn density(&self) -> f64 {
        let square = |&radius: &f32| f64::from(radius) * f64::from(radius);
        let covered = self.agents().radius.iter().map(square).sum::<f64>() * std::f64::consts::PI;
        covered / (f64::from(self.world().width()) * f64::from(self.world().height()))
    }

    /// The world, and the axes along which it repeats.
    pub fn space(&self) -> Space {
        self.motion.space
    }

    /// The agents, in cell order. Where the world repeats, positions may lie beyond its border by up
    /// to a quarter of its side; [`Space::wrapped`] gives the place in the world.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The slot of the agent with this id in [`Self::agents`] and [`Self::grid`], until the next
    /// step or edit; `None` if no agent alive has it.
    ///
    /// Takes constant time, whatever the number of agents. Only the first call takes O(n), and the first
    /// after a step that sorted all agents or after some steps without a call: it builds a table of 16 to
    /// 32 bytes per agent, which steps keep up to date while slots are asked for.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 100, ..Setup::new(Scene::Gas) })?;
    /// sim.step()?;
    /// let slot = sim.slot_of(42).expect("all agents of the start are alive");
    /// assert_eq!(sim.agents().get(slot).id, 42);
    /// sim.remove(&[42])?;
    /// assert_eq!(sim.slot_of(42), None);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is not enough memory for the table.
    pub fn slot_of(&self, id: u32) -> Option<usize> {
        self.regrid.slot_of(&self.agents, id)
    }

    /// The grid, exact for the agents' positions, after an edit too. Its elements are the agents' slots:
    /// a query gets [`Self::agents`], as in `sim.grid().nearest(sim.agents(), point, |_| true)`, and
    /// `sim.agents().id[slot]` is the id of a found one. In a world that repeats, queries of the grid do
    /// not look across the seam; [`Self::visit_disc`] does.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Counts since the start.
    pub fn counters(&self) -> Counters {
        let solver = self.solver.as_ref().map_or(0, |solver| solver.growths());
        Counters {
            contact_growths: self.contacts.growths() + solver + self.claims,
            ..self.counters
        }
    }

    /// Largest displacement of an agent in a substep of the last step, world units.
    #[doc(hidden)]
    pub fn largest_displacement(&self) -> f32 {
        self.largest_displacement
    }

    /// Finds the pairs of slots that overlap now; returns them in canonical order. Allocates a list
    /// of the length of the run's own.
    ///
    /// # Errors
    /// If there is not enough memory for the list.
    pub fn contacts(&self) -> Result<impl Iterator<Item = [u32; 2]> + use<>> {
        let mut contacts = self.contacts.like(&self.grid)?.with_seam(self.motion.space)?;
        contacts.find(self.agents.discs().into(), &self.grid, self.simd)?;
        Ok(alloc::collected(contacts.iter(), "the contacts")?.into_iter())
    }

    /// Number of pairs that the last search for contacts found, without another search. Each
    /// substep searches before it resolves; a swept one leaves those that have not collided in it.
    #[doc(hidden)]
    pub fn last_contacts(&self) -> u64 {
        self.contacts.len() as u64
    }

    /// Measures the current state. Searches for the contacts.
    ///
    /// # Errors
    /// If the contact list must grow and there is not enough memory.
    pub fn measure(&mut self) -> Result<Measures> {
        self.search_grid()?;
        let mut measures = Measures {
            kinetic_energy: self.agents.kinetic_energy(),
            momentum: self.agents.momentum(),
            ..Measures::default()
        };
        for [i, j] in self.contacts.iter() {
            measures.contacts += 1;
            measures.max_overlap = measures.max_overlap.max(self.overlap([i, j]));
        }
        Ok(measures)
    }

    /// How far two agents overlap, as a share of the smaller radius.
    pub(crate) fn overlap(&self, [i, j]: [u32; 2]) -> f32 {
        let (i, j) = (self.agents.get(i as usize), self.agents.get(j as usize));
        let apart = self.motion.space.minimum_image(j.position - i.position);
        (i.radius + j.radius - apart.length()) / i.radius.min(j.radius)
    }

    /// The state as 64 bits: the same for every thread count, SIMD level and index. O(n), on all
    /// threads of the pool that the caller is in; allocates nothing.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let wrapped = |position| self.motion.space.wrapped(position);
        hash::state_hash_in(self.steps, &self.agents, &self.statics, wrapped)
    }
}
