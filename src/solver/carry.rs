//! Impulses that agents of a cluster take along when they are sorted: ids in place of slots, since agents go
//! to other ranks.

use super::{
    ContactSolver,
    coulomb::Rub,
    ids::{ImpulseOfIds, SlotsOfIds},
};
use crate::{agents::Agents, contacts::Pair, error::Result};

/// The impulse of a wall or static on an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedImpulse {
    pub(crate) id: u32,
    key: u32,
    impulse: f32,
    rub: Rub,
}

impl FixedImpulse {
    /// Words of a message.
    pub(crate) const WORDS: usize = 5;

    pub(crate) fn words(&self) -> [u32; Self::WORDS] {
        let Self { id, key, impulse, rub: [tangent, roll] } = *self;
        [id, key, impulse.to_bits(), tangent.to_bits(), roll.to_bits()]
    }

    pub(crate) fn from_words(words: &[u32]) -> Self {
        let number = |at: usize| f32::from_bits(words[at]);
        let (impulse, rub) = (number(2), [number(3), number(4)]);
        Self { id: words[0], key: words[1], impulse, rub }
    }
}

/// All impulses that a rank remembers.
#[derive(Debug, Default)]
pub(crate) struct RememberedImpulses {
    /// Of pairs of agents, each with the slots of these.
    pub(crate) pairs: Vec<(Pair, ImpulseOfIds)>,
    /// Of walls and statics on own agents, each with the slot of the agent.
    pub(crate) fixed: Vec<(u32, FixedImpulse)>,
    /// The slots of own agents that have come since.
    pub(crate) newcomers: Vec<u32>,
}

impl ContactSolver {
    /// Takes the impulses of the pairs that begin with the first `own` agents, and of walls and statics on
    /// these. On a rank, agents have the slots that they had when impulses were remembered.
    pub(crate) fn take_impulses(&mut self, agents: &Agents, own: usize) -> RememberedImpulses {
        self.keep_none();
        let mut all = RememberedImpulses::default();
        self.memory.visit_all(0..own, |pair, impulses| {
            let ids = pair.map(|slot| agents.id[slot as usize]);
            all.pairs.push((pair, ImpulseOfIds::new(ids, impulses)));
        });
        for (slot, key, impulse, rub) in self.fixed_memory.parts(own) {
            let id = agents.id[slot as usize];
            all.fixed.push((slot, FixedImpulse { id, key, impulse, rub }));
        }
        all.newcomers.extend((0..own as u32).filter(|&slot| self.memory.is_new(slot as usize)));
        all
    }

    /// Remembers these impulses and no others, after the agents were sorted, some of which have come since.
    /// Those of agents that are not here are left out.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn set_impulses(
        &mut self,
        agents: &Agents,
        pairs: impl Iterator<Item = ImpulseOfIds>,
        fixed: impl Iterator<Item = FixedImpulse>,
        is_new: impl Fn(u32) -> bool,
    ) -> Result<()> {
        let slots = SlotsOfIds::of(&agents.id);
        let here = pairs.filter_map(|pair| pair.at(|id| slots.get(id)));
        self.memory.replace(here, agents.len())?;
        for (slot, _) in agents.id.iter().enumerate().filter(|(_, id)| is_new(**id)) {
            self.memory.forget_agent(slot, agents.len());
        }
        self.fixed_memory.replace(fixed.filter_map(|FixedImpulse { id, key, impulse, rub }| {
            Some((slots.get(id)?, key, impulse, rub))
        }))
    }
}
