//! Agents that all ranks know: those in pairs that all ranks resolve alike, with their states.

use super::{
    Link,
    words::{self, Moving, agent_words, moving_words, push_agent, push_words},
};
use crate::{agents::Agents, step::swept::Noted};

/// A rank and a slot there. They ascend as the slots of one process do.
pub(super) type RankSlot = (u32, u32);

/// The agents in the pairs that all ranks know.
#[derive(Debug, Default)]
pub(super) struct SharedAgents {
    /// Where they are, ascending: the same on all ranks.
    places: Vec<RankSlot>,
    /// Their states since these were gathered.
    pub(super) table: Agents,
    /// Notes of swept collisions.
    pub(super) noted: Noted,
}

impl SharedAgents {
    /// Shares the agents in these places from now on. `like` has the columns of the agents.
    pub(super) fn share(&mut self, places: impl Iterator<Item = RankSlot>, like: &Agents) {
        self.places.clear();
        self.places.extend(places);
        self.places.sort_unstable();
        self.places.dedup();
        if self.table.own.is_none() {
            self.table = like.none_alike();
        }
    }

    /// Gathers the states of these agents from the ranks that own them; `flag` goes with them. Returns true
    /// if one of the ranks has set it.
    pub(super) fn gather(
        &mut self,
        link: &mut impl Link,
        agents: &mut Agents,
        mut noted: Option<&mut Noted>,
        flag: bool,
    ) -> bool {
        let Self { places, table, noted: of_table } = self;
        let rank = link.rank() as u32;
        let mut words = vec![u32::from(flag)];
        for &(_, slot) in places.iter().filter(|(of, _)| *of == rank) {
            push_words(&mut words, agents, slot as usize);
            if noted.is_some() {
                Moving::of(agents, noted.as_deref_mut()).push(slot as usize, &mut words);
            }
        }
        words::clear(table);
        let mut moved = Vec::new();
        let (mut any, agent) = (false, agent_words(agents));
        let length = agent + if noted.is_some() { moving_words(agents, true) } else { 0 };
        // Ranks and slots ascend, and so do the agents that are told.
        for told in link.all_gather(&words) {
            any |= told[0] != 0;
            for words in told[1..].chunks_exact(length) {
                push_agent(table, words);
                moved.extend_from_slice(&words[agent..]);
            }
        }
        if let Some(noted) = noted {
            of_table.resize(table.len());
            of_table.follow(noted);
            let mut moving = Moving::of(table, Some(of_table));
            for (entry, words) in moved.chunks_exact(length - agent).enumerate() {
                moving.set(entry, words);
            }
        }
        any
    }

    /// The entry of an agent in the table.
    ///
    /// # Panics
    /// If the agent is not shared.
    pub(super) fn entry(&self, place: RankSlot) -> u32 {
        self.places.binary_search(&place).expect("the agent is shared") as u32
    }

    /// Sets the own agents and the ghosts among the shared agents to the states in the table.
    pub(super) fn give_back(
        &mut self,
        link: &impl Link,
        agents: &mut Agents,
        own: usize,
        noted: Option<&mut Noted>,
    ) {
        let Self { places, table, noted: of_table } = self;
        let (rank, count) = (link.rank() as u32, agents.len());
        let from = Moving::of(table, noted.is_some().then_some(of_table));
        let mut to = Moving::of(agents, noted);
        let mut words = Vec::new();
        for (entry, &place) in places.iter().enumerate() {
            if let Some(slot) = slot_here(place, rank, own, count) {
                words.clear();
                from.push(entry, &mut words);
                to.set(slot, &words);
            }
        }
    }
}

/// The slot that an agent has on a rank with that many own agents and agents: one of its own, or a ghost.
fn slot_here((of, slot): RankSlot, rank: u32, own: usize, agents: usize) -> Option<usize> {
    let slot = match of.checked_sub(rank)? {
        0 => slot as usize,
        1 => own + slot as usize,
        _ => return None,
    };
    (slot < agents).then_some(slot)
}
