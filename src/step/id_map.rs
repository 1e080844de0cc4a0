//! The id map: the agents as an index takes them, in the order of their ids.
//!
//! An index knows a fixed number of positions. An id below that number is its own position; an
//! agent that came later takes the position of one that has left.

use crate::{alloc, contacts::Halo, error::Result, geometry::DiscColumns, index::DiscsById};

/// Discs by position, and the maps from id to position and from position to slot.
#[derive(Debug)]
pub(crate) struct IdMap {
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// Positions of agents; those behind them are of copies of agents.
    agents: usize,
    /// Position → slot; meaningless for a position that is not alive.
    slot_of: Vec<u32>,
    /// Id and position of the agents with an id that is not their position, by id.
    late: Vec<[u32; 2]>,
}

impl IdMap {
    /// Creates the map of at most `capacity` agents, of which `late` may have come after the start.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, late: usize) -> Result<Self> {
        let numbers = || alloc::filled(capacity, 0.0, "the agents by id");
        Ok(Self {
            x: numbers()?,
            y: numbers()?,
            radius: numbers()?,
            alive: alloc::filled(capacity, false, "the agents by id")?,
            agents: capacity,
            slot_of: alloc::filled(capacity, 0, "the slots of the agents")?,
            late: alloc::with_capacity(late, "the positions of late ids")?,
        })
    }

    /// Assigns a position to every id, after agents came or went.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn assign(&mut self, ids: &[u32]) -> Result<()> {
        self.alive.fill(false);
        self.late.clear();
        for &id in ids {
            match self.alive[..self.agents].get_mut(id as usize) {
                Some(taken) => *taken = true,
                None => alloc::push(&mut self.late, [id, 0], "the positions of late ids")?,
            }
        }
        self.late.sort_unstable();
        let free = (0..).zip(&self.alive[..self.agents]).filter(|&(_, taken)| !taken);
        for ([_, position], (index, _)) in self.late.iter_mut().zip(free) {
            *position = index;
        }
        Ok(())
    }

    /// Copies the current discs, which have these ids.
    pub(crate) fn update(&mut self, ids: &[u32], discs: DiscColumns<'_>) {
        self.alive.fill(false);
        for (slot, &id) in ids.iter().enumerate() {
            let position = self.position(id);
            self.x[position] = discs.x[slot];
            self.y[position] = discs.y[slot];
            self.radius[position] = discs.radius[slot];
            self.alive[position] = true;
            self.slot_of[position] = slot as u32;
        }
    }

    /// Number of positions of agents; those behind them are of copies of agents.
    pub(crate) fn agents(&self) -> usize {
        self.agents
    }

    /// Number of positions of copies.
    pub(crate) fn room(&self) -> usize {
        self.alive.len() - self.agents
    }

    /// Makes room for that many copies in all.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn grow(&mut self, copies: usize) -> Result<()> {
        let length = self.agents + copies;
        for numbers in [&mut self.x, &mut self.y, &mut self.radius] {
            alloc::grow_to(numbers, length, 0.0, "the agents by id")?;
        }
        alloc::grow_to(&mut self.alive, length, false, "the agents by id")?;
        alloc::grow_to(&mut self.slot_of, length, 0, "the slots of the agents")
    }

    /// Copies the discs beside a world that repeats, after the agents. There must be room for them.
    pub(crate) fn lend(&mut self, halo: &Halo) {
        let DiscColumns { x, y, radius } = halo.discs();
        let range = self.agents..self.agents + halo.len();
        self.x[range.clone()].copy_from_slice(x);
        self.y[range.clone()].copy_from_slice(y);
        self.radius[range.clone()].copy_from_slice(radius);
        self.alive[range.clone()].fill(true);
        self.slot_of[range].copy_from_slice(halo.slots());
    }

    /// The discs for an index, by position.
    pub(crate) fn discs(&self) -> DiscsById<'_> {
        let Self { x, y, radius, alive, .. } = self;
        DiscsById { x, y, radius, alive }
    }

    /// The slot of the agent at a position.
    #[inline]
    pub(crate) fn slot(&self, position: u32) -> u32 {
        self.slot_of[position as usize]
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        let numbers = self.x.capacity() + self.y.capacity() + self.radius.capacity();
        (numbers + self.slot_of.capacity() + 2 * self.late.capacity()) * 4 + self.alive.capacity()
    }

    /// The position of an agent.
    #[inline]
    pub(crate) fn position(&self, id: u32) -> usize {
        if (id as usize) < self.agents {
            return id as usize;
        }
        let entry = self.late.binary_search_by_key(&id, |&[id, _]| id);
        self.late[entry.expect("every agent has a position")][1] as usize
    }
}
