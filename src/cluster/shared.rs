//! Agents that all ranks know: those in pairs that all ranks resolve alike, with their states.

use super::{
    Link,
    moving::Moving,
    words::{agent_words, push_agent, push_words},
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

    /// Does work on the states of these agents, which all ranks do alike.
    pub(super) fn work<T>(
        &mut self,
        link: &mut impl Link,
        (agents, own): (&mut Agents, usize),
        notes: Option<&mut NoteColumns>,
        work: impl FnOnce(&mut Agents, &mut NoteColumns) -> T,
    ) -> T {
        self.gather(link, agents, notes.as_deref(), false);
        let result = work(&mut self.table, &mut self.notes);
        self.give_back(link, (agents, own), notes);
        result
    }

    /// Gathers the states of these agents from the ranks that own them; `flag` goes with them. Returns true
    /// if one of the ranks has set it.
    pub(super) fn gather(
        &mut self,
        link: &mut impl Link,
        agents: &Agents,
        notes: Option<&NoteColumns>,
        flag: bool,
    ) -> bool {
        let Self { places, table, notes: table_notes } = self;
        let rank = link.rank() as u32;
        let mut words = vec![u32::from(flag)];
        for slot in places.iter().filter(|(of, _)| *of == rank).map(|&(_, slot)| slot as usize) {
            push_words(&mut words, agents, slot);
            words.extend(notes.iter().flat_map(|notes| notes.words(slot)));
        }
        table.clear();
        if let Some(notes) = notes {
            table_notes.resize(places.len());
            table_notes.follow(notes);
        }
        let (mut any, agent) = (false, agent_words(agents));
        let length = agent + if notes.is_some() { NoteColumns::WORDS } else { 0 };
        // Ranks and slots ascend, and so do the agents that are told.
        for told in link.all_gather(&words) {
            any |= told[0] != 0;
            for words in told[1..].chunks_exact(length) {
                if notes.is_some() {
                    table_notes.set(table.len(), &words[agent..]);
                }
                push_agent(table, words);
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
        (agents, own): (&mut Agents, usize),
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
