//! The agents as peers receive them: by id.

use jostle::{Agents, Result, Sim, index::DiscsById};

/// How ids are given to the agents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// Neighboring ids were neighbors in the world when the first round began.
    Near,
    /// At random, as the scene gives them.
    Random,
}

impl Order {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Near => "ids near",
            Self::Random => "ids random",
        }
    }
}

/// The present positions, and the pairs that overlap.
#[derive(Debug)]
pub(crate) struct Input {
    /// The id here of each id in jostle.
    ids: Vec<u32>,
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// The pairs that jostle finds, in ascending order, the lower id of each first.
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl Input {
    pub(crate) fn new(agents: &Agents, order: Order) -> Self {
        let mut ids: Vec<u32> = (0..agents.len() as u32).collect();
        if let Order::Near = order {
            for (slot, &id) in (0..).zip(&agents.id) {
                ids[id as usize] = slot;
            }
        }
        let none = vec![0.0; agents.len()];
        Self {
            ids,
            x: none.clone(),
            y: none.clone(),
            radius: none,
            alive: vec![true; agents.len()],
            pairs: Vec::new(),
        }
    }

    /// Copies the present positions and pairs. Returns the number of pairs.
    pub(crate) fn update(&mut self, sim: &mut Sim) -> Result<usize> {
        let agents = sim.agents();
        for slot in 0..agents.len() {
            let id = self.ids[agents.id[slot] as usize] as usize;
            self.x[id] = agents.x[slot];
            self.y[id] = agents.y[slot];
            self.radius[id] = agents.radius[slot];
        }
        let found: Vec<[u32; 2]> = sim.contacts()?.collect();
        let id = |slot: u32| self.ids[sim.agents().id[slot as usize] as usize];
        self.pairs.clear();
        self.pairs.extend(found.into_iter().map(|pair| ascending(pair.map(id))));
        self.pairs.sort_unstable();
        Ok(self.pairs.len())
    }

    pub(crate) fn discs(&self) -> DiscsById<'_> {
        DiscsById { x: &self.x, y: &self.y, radius: &self.radius, alive: &self.alive }
    }
}

/// The lower id first.
pub(crate) fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
