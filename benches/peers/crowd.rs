//! The agents as peers have them: by id.

use jostle::{Agents, Result, Sim, index::DiscsById};

/// Who gets which id.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// Neighbours among the ids were neighbours in the world when the first round began.
    Near,
    /// As the scene deals them: at random.
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

/// Where everybody is, and who overlaps.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// The id here of each id in jostle.
    ids: Vec<u32>,
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// The pairs that jostle finds, the lower id first, in order.
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl Crowd {
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

    /// Takes over where the agents are now, and who overlaps; returns how many pairs do.
    pub(crate) fn follow(&mut self, sim: &mut Sim) -> Result<usize> {
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
        self.pairs.extend(found.into_iter().map(|pair| in_order(pair.map(id))));
        self.pairs.sort_unstable();
        Ok(self.pairs.len())
    }

    pub(crate) fn discs(&self) -> DiscsById<'_> {
        DiscsById { x: &self.x, y: &self.y, radius: &self.radius, alive: &self.alive }
    }
}

/// The lower id first.
pub(crate) fn in_order([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
