//! Input of the measured indexes: the agents of a running simulation, in the requested order.

use crate::{Agents, Result, Sim, cli::args::names::InputOrder, index::DiscsById};

use super::measure::PairHash;

/// Current positions, by the ids that the indexes use.
#[derive(Debug)]
pub(super) struct BenchInput {
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// From the ids of agents to those of the indexes, which stay below the capacity.
    ids: Vec<u32>,
}

/// Mark for an agent without an id of the indexes.
const NONE: u32 = u32::MAX;

impl BenchInput {
    /// Allocates room for that many agents at a time. The current agents are numbered by their
    /// slots or by their ids; later ones reuse the ids of removed ones.
    pub(super) fn new(agents: &Agents, capacity: usize, order: InputOrder) -> Self {
        let mut ids = match order {
            InputOrder::Id => (0..capacity as u32).collect(),
            InputOrder::Cell => Vec::new(),
        };
        extend(&mut ids, agents);
        if order == InputOrder::Cell {
            for (slot, &id) in (0..).zip(&agents.id) {
                ids[id as usize] = slot;
            }
        }
        let numbers = || vec![0.0; capacity];
        let [x, y, radius] = [numbers(), numbers(), numbers()];
        Self { x, y, radius, alive: vec![false; capacity], ids }
    }

    /// Copies the current positions.
    pub(super) fn update(&mut self, agents: &Agents) {
        extend(&mut self.ids, agents);
        self.alive.fill(false);
        for &id in &agents.id {
            if let Some(alive) = self.alive.get_mut(self.ids[id as usize] as usize) {
                *alive = true;
            }
        }
        let mut free = (0..).zip(&self.alive).filter(|(_, taken)| !**taken).map(|(id, _)| id);
        for &id in &agents.id {
            let id = &mut self.ids[id as usize];
            if *id == NONE {
                *id = free.next().expect("no more agents than the capacity");
            }
        }
        for (slot, &id) in agents.id.iter().enumerate() {
            let id = self.ids[id as usize] as usize;
            self.x[id] = agents.x[slot];
            self.y[id] = agents.y[slot];
            self.radius[id] = agents.radius[slot];
            self.alive[id] = true;
        }
    }

    pub(super) fn discs(&self) -> DiscsById<'_> {
        let Self { x, y, radius, alive, .. } = self;
        DiscsById { x, y, radius, alive }
    }

    /// The pairs that the simulation itself finds, which every index has to find.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn expected(&self, sim: &mut Sim) -> Result<PairHash> {
        let agents = sim.agents().id.clone();
        let mut hash = PairHash::default();
        for pair in sim.contacts()? {
            let [a, b] = pair.map(|slot| self.ids[agents[slot as usize] as usize]);
            hash.add(a, b);
        }
        Ok(hash)
    }
}

/// Extends the id map to the last id of the agents.
fn extend(ids: &mut Vec<u32>, agents: &Agents) {
    let end = agents.id.iter().max().map_or(0, |&id| id as usize + 1);
    ids.resize(end.max(ids.len()), NONE);
}
