//! Forces on agents, which callers apply through the next step, and which a snapshot keeps until then.

use glam::Vec2;

use super::{Sim, check};
use crate::{
    agents::{Agent, Agents},
    alloc,
    error::Result,
    snapshot::{Snapshot, Writer},
    step::regrid::Regrid,
};

/// The sections with the ids of agents that forces act on, and with these forces; only where there
/// are any.
const FORCES: [&str; 2] = ["force.id", "force"];

impl Sim {
    /// Applies a force to an agent through the next step, in units of mass · length / time², where
    /// the mass of an agent is its radius². For an acceleration, multiply it by that.
    ///
    /// The force acts as gravity does: each substep begins with a change of the velocity by
    /// force / mass · time. Over the whole step of `1 / hz` seconds, an agent that meets nothing
    /// gains the velocity force / mass / hz, with every solver. Forces that are applied to an agent
    /// before the same step add up. The step ends them: apply a lasting force before each step. If
    /// the agent leaves the run during the step, the rest of its forces is lost.
    ///
    /// Takes constant time.
    ///
    /// # Errors
    /// If no agent alive has the id, or the force alone would change the velocity by more than
    /// 1e9 along x or y, or there is not enough memory to keep
    /// it until the step. Nothing is changed then.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Vec2};
    ///
    /// let setup = Setup { agents: 1, ..Setup::new(Scene::Gas) };
    /// let mut sim = Sim::new(&setup)?;
    /// sim.set_position(0, sim.world().center())?;
    /// sim.set_velocity(0, Vec2::ZERO)?;
    /// let mass = sim.agents().radius[0] * sim.agents().radius[0];
    /// let acceleration = Vec2::new(6.0, 0.0);
    /// sim.apply_force(0, mass * acceleration)?;
    /// sim.step()?;
    /// assert!((sim.agents().vx[0] - 6.0 / setup.hz).abs() < 1e-6);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn apply_force(&mut self, id: u32, force: Vec2) -> Result<()> {
        self.apply_forces(&[(id, force)])
    }

    /// Applies a force to each of several agents, to all of them or none, as [`Self::apply_force`].
    ///
    /// # Errors
    /// As [`Self::apply_force`].
    // Public for the Python package.
    #[doc(hidden)]
    pub fn apply_forces(&mut self, forces: &[(u32, Vec2)]) -> Result<()> {
        for &(id, force) in forces {
            let slot = self.living(id)?;
            check::force(force, self.agents.radius[slot], self.dt())?;
        }
        // As many again as there are, so that single forces copy the list now and then only.
        let more = forces.len().max(self.forces.len());
        alloc::reserve(&mut self.forces, more, "the forces on agents")?;
        for &(id, force) in forces {
            self.forces.push((id, force));
            let slot = self.living(id)?;
            self.touch(slot);
        }
        Ok(())
    }

    /// Begins a substep with the changes of velocities by forces.
    ///
    /// # Errors
    /// If there is not enough memory to find the agents.
    #[cold]
    pub(super) fn push_by_forces(&mut self) -> Result<()> {
        self.regrid.prepare_slots(&self.agents)?;
        for index in 0..self.forces.len() {
            let (id, force) = self.forces[index];
            let Some(slot) = self.slot_of(id) else { continue };
            self.touch(slot);
            let Agent { velocity, radius, .. } = self.agents.get(slot);
            let velocity = velocity + force * (self.motion.dt / (radius * radius));
            [self.agents.vx[slot], self.agents.vy[slot]] = velocity.to_array();
        }
        Ok(())
    }

    /// Writes the forces through the next step.
    pub(super) fn save_forces(&self, to: &mut Writer) -> Result<()> {
        if self.forces.is_empty() {
            return Ok(());
        }
        to.values(FORCES[0], self.forces.iter().map(|&(id, _)| id))?;
        to.values(FORCES[1], self.forces.iter().flat_map(|&(_, force)| force.to_array()))
    }
}

/// Reads the forces through the next step; those on agents that have left do nothing.
pub(super) fn load(
    from: &Snapshot,
    agents: &Agents,
    regrid: &Regrid,
    seconds: f32,
) -> Result<Vec<(u32, Vec2)>> {
    if !from.has(FORCES[0]) {
        return Ok(Vec::new());
    }
    let ids: Vec<u32> = from.list(FORCES[0])?;
    let numbers = from.numbers(FORCES[1], 2 * ids.len(), 0)?;
    let mut forces = alloc::with_capacity(ids.len(), "the forces on agents")?;
    regrid.prepare_slots(agents)?;
    for (id, force) in ids.into_iter().zip(numbers.chunks_exact(2)) {
        if let Some(slot) = regrid.slot_of(agents, id) {
            let force = Vec2::from_slice(force);
            check::force(force, agents.radius[slot], seconds)?;
            forces.push((id, force));
        }
    }
    Ok(forces)
}
