//! What the indexes are lent: the agents of a running simulation, in the order that was asked for.

use crate::{Agents, Sim, index::DiscsById};

use super::digest::Digest;
use crate::cli::args::names::InputOrder as Order;

/// Positions of this step, by the ids that the indexes know.
#[derive(Debug)]
pub(super) struct Input {
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// The agents' ids → the indexes' ids, which stay below how many there may be at a time.
    names: Vec<u32>,
}

/// An agent that has no name yet.
const NONE: u32 = u32::MAX;

impl Input {
    /// Room for so many agents at a time. Those of a simulation are named as they lie there now or as their ids say,
    /// and whoever comes later by who is gone.
    pub(super) fn new(agents: &Agents, capacity: usize, order: Order) -> Self {
        let mut names = match order {
            Order::Id => (0..capacity as u32).collect(),
            Order::Cell => Vec::new(),
        };
        reach(&mut names, agents);
        if order == Order::Cell {
            for (slot, &id) in (0..).zip(&agents.id) {
                names[id as usize] = slot;
            }
        }
        let numbers = || vec![0.0; capacity];
        let [x, y, radius] = [numbers(), numbers(), numbers()];
        Self { x, y, radius, alive: vec![false; capacity], names }
    }

    /// Takes the present positions.
    pub(super) fn take(&mut self, agents: &Agents) {
        reach(&mut self.names, agents);
        self.alive.fill(false);
        for &id in &agents.id {
            if let Some(alive) = self.alive.get_mut(self.names[id as usize] as usize) {
                *alive = true;
            }
        }
        let mut free = (0..).zip(&self.alive).filter(|(_, taken)| !**taken).map(|(name, _)| name);
        for &id in &agents.id {
            let name = &mut self.names[id as usize];
            if *name == NONE {
                *name = free.next().expect("no more agents than there may be at a time");
            }
        }
        for (slot, &id) in agents.id.iter().enumerate() {
            let name = self.names[id as usize] as usize;
            self.x[name] = agents.x[slot];
            self.y[name] = agents.y[slot];
            self.radius[name] = agents.radius[slot];
            self.alive[name] = true;
        }
    }

    pub(super) fn discs(&self) -> DiscsById<'_> {
        let Self { x, y, radius, alive, .. } = self;
        DiscsById { x, y, radius, alive }
    }

    /// The pairs that the simulation's own step finds: what every index is held to.
    pub(super) fn expected(&self, sim: &mut Sim) -> crate::Result<Digest> {
        let ids = sim.agents().id.clone();
        let mut digest = Digest::default();
        for pair in sim.contacts()? {
            let [a, b] = pair.map(|slot| self.names[ids[slot as usize] as usize]);
            digest.add(a, b);
        }
        Ok(digest)
    }
}

/// Lengthens the list of names up to the last of the agents' ids.
fn reach(names: &mut Vec<u32>, agents: &Agents) {
    let end = agents.id.iter().max().map_or(0, |&id| id as usize + 1);
    names.resize(end.max(names.len()), NONE);
}
