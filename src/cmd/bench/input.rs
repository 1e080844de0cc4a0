//! What the indexes are lent: the agents of a running simulation, in the order that was asked for.

use jostle::{Agents, Sim, index::Bodies};

use super::digest::Digest;
use crate::cli::names::Input as Order;

/// Positions of this step, by the ids that the indexes know.
#[derive(Debug)]
pub(super) struct Input {
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// The agents' ids → the indexes' ids.
    names: Vec<u32>,
}

impl Input {
    /// Room for the agents of a simulation, named as they lie there now or as their ids say.
    pub(super) fn new(agents: &Agents, order: Order) -> Self {
        let count = agents.len();
        let mut names: Vec<u32> = (0..count as u32).collect();
        if order == Order::Cell {
            for (slot, &id) in (0..).zip(&agents.id) {
                names[id as usize] = slot;
            }
        }
        let numbers = || vec![0.0; count];
        let [x, y, radius] = [numbers(), numbers(), numbers()];
        Self { x, y, radius, alive: vec![false; count], names }
    }

    /// Takes the present positions.
    pub(super) fn take(&mut self, agents: &Agents) {
        self.alive.fill(false);
        for (slot, &id) in agents.id.iter().enumerate() {
            let name = self.names[id as usize] as usize;
            self.x[name] = agents.x[slot];
            self.y[name] = agents.y[slot];
            self.radius[name] = agents.radius[slot];
            self.alive[name] = true;
        }
    }

    pub(super) fn bodies(&self) -> Bodies<'_> {
        let Self { x, y, radius, alive, .. } = self;
        Bodies { x, y, radius, alive }
    }

    /// The pairs that the simulation's own step finds: what every index is held to.
    pub(super) fn expected(&self, sim: &mut Sim) -> jostle::Result<Digest> {
        let ids = sim.agents().id.clone();
        let mut digest = Digest::default();
        for pair in sim.contacts()? {
            let [a, b] = pair.map(|slot| self.names[ids[slot as usize] as usize]);
            digest.add(a, b);
        }
        Ok(digest)
    }
}
