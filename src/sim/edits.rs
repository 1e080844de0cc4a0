//! Edits: what may change between two steps, as [`Edit`]s or by a method for each: the parameters
//! of the run (`parameters`), agents and statics that come and go, and single agents.
//!
//! A changed run is no longer determined by the set-up that it began with. The same changes before
//! the same steps give the same bits.
//!
//! Rows of slots are packed, so an agent can't be inserted between two others, and none leaves a
//! gap. Edits come in batches instead: agents to be added are appended, agents to be removed are
//! marked, and one sort brings all into cell order, drops the marked ones, and makes grid and index
//! exact.
//!
//! ```text
//! slots   [ 17 |  4 | 90 |  2 | 55 ]            ids in cell order
//! marked  [ 17 |  ∅ | 90 |  2 | 55 | 91 | 92 ]  4 has left, 91 and 92 are new
//! sorted  [ 17 | 91 | 90 |  2 | 92 | 55 ]
//! ```

use std::ops::Range;

use glam::Vec2;

use super::{
    Sim, check,
    edit::{Applied, Edit},
};
use crate::{
    agents::{Agent, Agents, Spawn},
    alloc,
    error::{Adjust, Error, Field, Limit, Result, Stored, Value},
    geometry::Rect,
    statics::{Static, Statics},
    step::regrid::{Retain, SUBSTEPS_AHEAD},
};

impl Sim {
    /// Makes a change that is given as data, by the method that the [`Edit`] names.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, sim::Edit};
    ///
    /// let setup = Setup { agents: 100, ..Setup::new(Scene::Gas) };
    /// let edits = [Edit::Gravity(5.0), Edit::Remove(vec![3, 7])];
    /// let run = || {
    ///     let mut sim = Sim::new(&setup)?;
    ///     for edit in &edits {
    ///         sim.apply(edit)?;
    ///         sim.step()?;
    ///     }
    ///     Ok::<u64, jostle::Error>(sim.state_hash())
    /// };
    /// assert_eq!(run()?, run()?);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    ///
    /// # Errors
    /// As the method.
    // The methods of `Sim` do the same. Public for journals and their tests.
    #[doc(hidden)]
    pub fn apply(&mut self, edit: &Edit) -> Result<Applied> {
        let parameter = |()| Applied::Parameter;
        let one = |()| Applied::Count(1);
        match edit {
            &Edit::Restitution(restitution) => self.set_restitution(restitution).map(parameter),
            &Edit::Friction(friction) => self.set_friction(friction).map(parameter),
            &Edit::Rolling(rolling) => self.set_rolling(rolling).map(parameter),
            &Edit::Gravity(gravity) => self.set_gravity(gravity).map(parameter),
            &Edit::ScaleSpeeds(factor) => self.scale_speeds(factor).map(parameter),
            &Edit::Steer(center, radius, speed) => {
                self.steer(center, radius, speed).map(Applied::Count)
            }
            Edit::Spawn(spawns) => self.spawn(spawns).map(Applied::Ids),
            Edit::Remove(ids) => self.remove(ids).map(Applied::Count),
            Edit::AddStatics(shapes) => self.add_statics(shapes).map(Applied::Ids),
            Edit::RemoveStatics(ids) => Ok(Applied::Count(self.remove_statics(ids))),
            &Edit::Position(id, position) => self.set_position(id, position).map(one),
            &Edit::Velocity(id, velocity) => self.set_velocity(id, velocity).map(one),
            &Edit::Force(id, force) => self.apply_force(id, force).map(one),
            #[cfg(feature = "cli")]
            Edit::Values(values) => self.set_values(values).map(parameter),
            #[cfg(feature = "cli")]
            Edit::World(name, text, values) => self.set_world(name, text, values).map(parameter),
        }
    }

    /// Adds agents and returns their ids: the next unused ones, in the order of the list. Adds all
    /// of them or, if one is rejected, none.
    ///
    /// Takes about as long as a sort of all agents, however many are added.
    ///
    /// # Errors
    /// If an agent's disc is not in the world, or its radius, velocity, faction or health is out of
    /// range; if there would be more agents than at the start and
    /// [`Setup::spare_agents`](crate::Setup::spare_agents) together, or ids run out. Nothing is
    /// changed then.
    ///
    /// If the grid or the index must grow and there is not enough memory: the agents are added, but
    /// the run must be dropped, as [`Sim`] says.
    pub fn spawn(&mut self, spawns: &[Spawn]) -> Result<Range<u32>> {
        let ids = check::added(spawns, &self.motion.space, self.next_id)?;
        let [alive, capacity] = [self.agents.len(), self.grid.config().capacity];
        if spawns.len() > capacity - alive {
            return Err(Error::Full {
                stored: Stored::Agents,
                more: spawns.len() as u64,
                len: alive as u64,
                capacity: capacity as u64,
            });
        }
        if spawns.is_empty() {
            return Ok(ids);
        }
        for (id, spawn) in ids.clone().zip(spawns) {
            self.agents.push_spawn(spawn, id);
        }
        self.next_id = ids.end;
        self.counters.spawned += spawns.len() as u64;
        self.sort_edited()?;
        Ok(ids)
    }

    /// Removes agents by their ids and returns the number removed. Ids that no agent has are
    /// ignored.
    ///
    /// Takes about as long as a sort of all agents, however many are removed.
    ///
    /// # Errors
    /// If the list of ids is longer than the number of agents, and there is no memory to sort it:
    /// nothing is changed then. If the grid or the index must grow and there is not enough memory:
    /// removed agents may still be in the columns, with the id [`Agents::GONE`], and the run must
    /// be dropped, as [`Sim`] says.
    pub fn remove(&mut self, ids: &[u32]) -> Result<usize> {
        let marked = self.regrid.mark_gone(&mut self.agents, ids);
        let gone = alloc::with_remedy(marked, &[Adjust::Lower(Field::Removals)])?;
        if gone > 0 {
            self.counters.removed += gone as u64;
            self.sort_edited()?;
        }
        Ok(gone)
    }

    /// Number of agents that can still be added.
    pub fn capacity_left(&self) -> usize {
        self.grid.config().capacity - self.agents.len()
    }

    /// The statics.
    pub fn statics(&self) -> &Statics {
        &self.statics
    }

    /// Adds statics and returns their ids: the next unused ones, in the order of the list. Adds all
    /// of them or none. The capacity is the number of the scene's own statics and
    /// [`Setup::spare_statics`](crate::Setup::spare_statics) more. The next step pushes agents out
    /// of a new static, unless they are wedged.
    ///
    /// O(n) in the number of all statics, however many are added.
    ///
    /// # Errors
    /// If a static has no size or does not lie in the world whole, there is no capacity for all, or
    /// not enough memory.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Static, Vec2};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 100, spare_statics: 8, ..Setup::new(Scene::Gas) })?;
    /// let middle = sim.world().center();
    /// let pillars = [-5.0, 5.0].map(|x| Static::disc(middle + Vec2::new(x, 0.0), 2.0));
    /// let ids = sim.add_statics(&pillars)?;
    /// sim.step()?;
    /// assert_eq!(sim.remove_statics(&[ids.start]), 1);
    /// assert!(sim.statics().iter().eq([(ids.start + 1, pillars[1])]));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn add_statics(&mut self, shapes: &[Static]) -> Result<Range<u32>> {
        let ids = self.statics.add(shapes)?;
        for shape in shapes {
            self.wake_near(&shape.bounds());
        }
        Ok(ids)
    }

    /// Removes statics by their ids and returns the number removed. Ids that no static has are
    /// ignored.
    ///
    /// O(n) in the number of all statics, however many are removed.
    pub fn remove_statics(&mut self, ids: &[u32]) -> usize {
        for &id in ids {
            if let Some(shape) = self.statics.find(id) {
                self.wake_near(&shape.bounds());
            }
        }
        self.statics.remove(ids)
    }

    /// Sets the velocity of an agent, in world units per second. Takes constant time.
    ///
    /// # Errors
    /// If no agent alive has the id, or the velocity is beyond
    /// 1e9 along x or y. Nothing is changed then.
    pub fn set_velocity(&mut self, id: u32, velocity: Vec2) -> Result<()> {
        self.set_velocities(&[(id, velocity)])
    }

    /// Sets the velocities of several agents, all of them or none, as [`Self::set_velocity`].
    ///
    /// # Errors
    /// As [`Self::set_velocity`].
    // Public for the Python package.
    #[doc(hidden)]
    pub fn set_velocities(&mut self, velocities: &[(u32, Vec2)]) -> Result<()> {
        for &(id, velocity) in velocities {
            check::velocity(velocity)?;
            self.living(id)?;
        }
        for &(id, velocity) in velocities {
            let slot = self.living(id)?;
            self.touch(slot);
            [self.agents.vx[slot], self.agents.vy[slot]] = velocity.to_array();
        }
        Ok(())
    }

    /// Moves an agent to another position, its center, in world units. It keeps its velocity. As
    /// with [`Self::spawn`], the agent may overlap others and statics there; the next steps push it
    /// out of them.
    ///
    /// Takes about as long as a sort of all agents.
    ///
    /// # Errors
    /// If no agent alive has the id, or its disc would not lie in the world. Nothing is changed
    /// then.
    ///
    /// If the grid or the index must grow and there is not enough memory: the agent is moved, but
    /// the run must be dropped, as [`Sim`] says.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Vec2};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 100, ..Setup::new(Scene::Gas) })?;
    /// let center = sim.world().center();
    /// sim.set_position(42, center)?;
    /// sim.set_velocity(42, Vec2::new(0.0, 3.0))?;
    /// let agent = sim.agents().get(sim.slot_of(42).expect("it is alive"));
    /// assert_eq!((agent.position, agent.velocity), (center, Vec2::new(0.0, 3.0)));
    /// assert!(sim.set_position(42, Vec2::NAN).is_err());
    /// assert!(sim.set_velocity(100, Vec2::ZERO).is_err(), "there is no agent 100");
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn set_position(&mut self, id: u32, position: Vec2) -> Result<()> {
        self.set_positions(&[(id, position)])
    }

    /// Moves several agents as [`Self::set_position`] does, in the order of the list, all of them or
    /// none. Takes about as long as a sort of all agents, however many are moved.
    ///
    /// # Errors
    /// As [`Self::set_position`].
    // Public for the Python package.
    #[doc(hidden)]
    pub fn set_positions(&mut self, places: &[(u32, Vec2)]) -> Result<()> {
        for &(id, position) in places {
            let slot = self.living(id)?;
            check::position(position, self.agents.radius[slot], &self.motion.space)?;
        }
        if places.is_empty() {
            return Ok(());
        }
        for &(id, position) in places {
            let slot = self.living(id)?;
            self.touch(slot);
            [self.agents.x[slot], self.agents.y[slot]] = position.to_array();
            if let Some(solver) = &mut self.solver {
                solver.forget_agent(slot, self.agents.len());
            }
        }
        self.sort_edited()
    }

    /// Makes everything exact after agents were appended or marked as gone.
    pub(super) fn sort_edited(&mut self) -> Result<()> {
        self.forget_ahead();
        for slot in 0..self.agents.len() {
            // New agents are found by those that they meet.
            if self.agents.id[slot] == Agents::GONE {
                let Agent { position, radius, .. } = self.agents.get(slot);
                self.wake_near(&Rect::around(position, radius));
            }
        }
        let Self { agents, grid, motion, regrid, simd, solver, .. } = self;
        let origin = solver.as_mut().map(|solver| solver.origin_mut(agents.len()));
        regrid.sort(agents, origin, grid, Retain::Living, SUBSTEPS_AHEAD * motion.dt, *simd)?;
        self.update_radius_min();
        self.finder.rebuild(&self.agents)
    }

    /// The slot of an agent alive.
    pub(super) fn living(&self, id: u32) -> Result<usize> {
        let unknown = || Error::invalid(Field::Id, Value::Count(id.into()), Limit::Alive);
        self.slot_of(id).ok_or_else(unknown)
    }

    /// Prepares solvers for a change of one agent.
    pub(super) fn touch(&mut self, slot: usize) {
        self.forget_ahead();
        let Agent { position, radius, .. } = self.agents.get(slot);
        self.wake_near(&Rect::around(position, radius));
    }
}
