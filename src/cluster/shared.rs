//! Agents that all ranks know: those in pairs that all ranks resolve alike, with their states.

use super::{
    Link,
    words::{self, Moving, agent_words, push_agent, push_words},
};
use crate::{agents::Agents, step::swept::NoteColumns};

/// A rank and a slot there. They ascend as the slots of one process do.
pub(super) type RankSlot = (u32, u32);

/// The agents in the pairs that all ranks know.
#[derive(Debug)]
pub(super) struct SharedAgents {
    /// Where they are, ascending: the same on all ranks.
    places: Vec<RankSlot>,
    /// Their states since these were gathered.
    pub(super) table: Agents,
    /// Notes of swept collisions.
    pub(super) notes: NoteColumns,
}

impl SharedAgents {
    /// None yet, of agents with the columns of `agents`.
    pub(super) fn of(agents: &Agents) -> Self {
        let table = agents.none_alike();
        Self { places: Vec::new(), table, notes: NoteColumns::default() }
    }

    /// Shares the agents in these places from now on.
    pub(super) fn share(&mut self, places: impl Iterator<Item = RankSlot>) {
        self.places.clear();
        self.places.extend(places);
        self.places.sort_unstable();
        self.places.dedup();
    }

    /// Gathers the states of these agents from the ranks that own them; `flag` goes with them. Returns true
    /// if one of the ranks has set it.
    pub(super) fn gather(
        &mut self,
        link: &mut impl Link,
        agents: &mut Agents,
        mut notes: Option<&mut NoteColumns>,
        flag: bool,
    ) -> bool {
        let Self { places, table, notes: table_notes } = self;
        let rank = link.rank() as u32;
        let mut words = vec![u32::from(flag)];
        for &(_, slot) in places.iter().filter(|(of, _)| *of == rank) {
            push_words(&mut words, agents, slot as usize);
            if notes.is_some() {
                Moving::of(agents, notes.as_deref_mut()).push(slot as usize, &mut words);
            }
        }
        words::clear(table);
        let mut moved = Vec::new();
        let (mut any, agent) = (false, agent_words(agents));
        let length = agent
            + if notes.is_some() { Moving::of(agents, notes.as_deref_mut()).words() } else { 0 };
        // Ranks and slots ascend, and so do the agents that are told.
        for told in link.all_gather(&words) {
            any |= told[0] != 0;
            for words in told[1..].chunks_exact(length) {
                push_agent(table, words);
                moved.extend_from_slice(&words[agent..]);
            }
        }
        if let Some(notes) = notes {
            table_notes.resize(table.len());
            table_notes.follow(notes);
            let mut moving = Moving::of(table, Some(table_notes));
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
        notes: Option<&mut NoteColumns>,
    ) {
        let Self { places, table, notes: table_notes } = self;
        let (rank, count) = (link.rank() as u32, agents.len());
        let from = Moving::of(table, notes.is_some().then_some(table_notes));
        let mut to = Moving::of(agents, notes);
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
