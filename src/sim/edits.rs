//! Agents that come and go between two steps.
//!
//! Rows of slots are packed, so that nobody can be put between two others, and nobody leaves a gap. Edits come in
//! batches instead: those who come are appended, those who go are marked, and one sort brings all into cell
//! order, leaves out who is gone, and makes grid and index exact for whoever asks next.
//!
//! ```text
//! slots   [ 17 |  4 | 90 |  2 | 55 ]            ids in cell order
//! marked  [ 17 |  ∅ | 90 |  2 | 55 | 91 | 92 ]  4 has left, 91 and 92 are new
//! sorted  [ 17 | 91 | 90 |  2 | 92 | 55 ]
//! ```

use std::ops::Range;

use super::{Sim, check};
use crate::{
    agents::{Agent, Agents, Spawn},
    alloc,
    error::{Adjust, Error, Field, Result, Stored},
    step::regrid::Who,
};

impl Sim {
    /// Adds agents, with the next ids in the order of the list; returns these ids. All of them come, or, if one is
    /// refused, none. It takes about as long as a sort of all agents, however many come.
    ///
    /// # Errors
    /// If one of them can't be: its disc is not in the world; its radius, velocity, side or health is out of range. If there
    /// would be more agents than at the start and [`Setup::room`](crate::Setup::room) together, or no id is left.
    /// Nothing is changed then.
    ///
    /// If the grid or the index must grow and there is not enough memory: they have come then, but the run is to be
    /// dropped, as [`Sim`] says.
    pub fn spawn(&mut self, spawns: &[Spawn]) -> Result<Range<u32>> {
        spawns.iter().try_for_each(|spawn| check::agent(spawn, &self.world()))?;
        let first = self.next_id;
        let [alive, capacity] = [self.agents.len(), self.grid.config().capacity];
        if spawns.len() > capacity - alive {
            return Err(Error::Full {
                stored: Stored::Agents,
                more: spawns.len() as u64,
                len: alive as u64,
                capacity: capacity as u64,
            });
        }
        let end = first.checked_add(spawns.len() as u32).ok_or(Error::IdsUsedUp {
            stored: Stored::Agents,
            more: spawns.len() as u64,
            used: first,
            ids: Agents::GONE,
        })?;
        if spawns.is_empty() {
            return Ok(first..end);
        }
        for (id, spawn) in (first..end).zip(spawns) {
            let Spawn { position, velocity, radius, faction, health } = *spawn;
            self.agents.push(Agent { position, velocity, radius, id });
            if let Some(units) = &mut self.agents.units {
                units.push(faction, health);
            }
        }
        self.next_id = end;
        self.counters.spawned += spawns.len() as u64;
        self.sort_edited()?;
        Ok(first..end)
    }

    /// Takes agents out, by their ids; returns how many there were. An id that nobody has, or has any more, is
    /// nobody's loss. It takes about as long as a sort of all agents, however many leave.
    ///
    /// # Errors
    /// If the list of ids is longer than that of agents, and there is no memory to sort it: nothing is changed then. If
    /// the grid or the index must grow and there is not enough memory: those who were to leave may still be among the
    /// agents, with the id [`Agents::GONE`], and the run is to be dropped, as [`Sim`] says.
    pub fn remove(&mut self, ids: &[u32]) -> Result<usize> {
        let marked = self.regrid.mark_gone(&mut self.agents, ids);
        let gone = alloc::with_remedy(marked, &[Adjust::Lower(Field::Removals)])?;
        if gone > 0 {
            self.counters.removed += gone as u64;
            self.sort_edited()?;
        }
        Ok(gone)
    }

    /// How many more agents could be spawned now.
    pub fn room_left(&self) -> usize {
        self.grid.config().capacity - self.agents.len()
    }

    /// Makes everything exact for the agents that are there now.
    pub(super) fn sort_edited(&mut self) -> Result<()> {
        let Self { agents, grid, motion, regrid, simd, .. } = self;
        regrid.sort(agents, grid, Who::Living, motion.dt, *simd)?;
        self.know_smallest();
        match &mut self.indexed {
            Some(indexed) => indexed.edited(&self.agents),
            None => Ok(()),
        }
    }
}
