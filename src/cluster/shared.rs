//! Agents that all ranks know: those in pairs that all ranks resolve alike, with their states.

use super::{
    Link,
    moving::Moving,
    words::{agent_words, push_agent, push_words},
};
use crate::{
    agents::Agents,
    solver::{BodyPart, LateContacts},
    step::swept::NoteColumns,
};

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
        let here = SlotsHere { rank: link.rank() as u32, own, count: agents.len() };
        let from = Moving::of(table, notes.is_some().then_some(table_notes));
        give_back(places, here, &from, &mut Moving::of(agents, notes));
    }

    /// True if no agents are shared.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The slots of these agents on a rank, which has some of them.
    pub(super) fn slots(&self, here: SlotsHere) -> impl Iterator<Item = Option<usize>> {
        self.places.iter().map(move |&place| here.slot(place))
    }

    /// Words of these agents, in their order; each rank tells those of its own agents.
    pub(super) fn told(
        &self,
        link: &mut impl Link,
        mut push: impl FnMut(usize, &mut Vec<u32>),
    ) -> Vec<u32> {
        let (rank, mut words) = (link.rank() as u32, Vec::new());
        let own = self.places.iter().filter(|(of, _)| *of == rank);
        own.for_each(|&(_, slot)| push(slot as usize, &mut words));
        link.all_gather(&words).concat()
    }

    /// Does work on these columns of the bodies of these agents, which all ranks do alike.
    pub(super) fn work_on_bodies(
        &self,
        link: &mut impl Link,
        here: SlotsHere,
        (part, bodies): (BodyPart, &mut Moving<'_>),
        table: &mut LateContacts,
        work: impl FnOnce(&mut LateContacts) -> u64,
    ) -> u64 {
        let length = bodies.words();
        let words = self.told(link, |slot, words| bodies.push(slot, words));
        let mut gathered = Moving::of_bodies(table.columns(part));
        for (entry, words) in words.chunks_exact(length).enumerate() {
            gathered.set(entry, words);
        }
        let result = work(table);
        give_back(&self.places, here, &Moving::of_bodies(table.columns(part)), bodies);
        result
    }
}

/// Sets the agents that are here to their states in the table.
fn give_back(places: &[RankSlot], here: SlotsHere, from: &Moving<'_>, to: &mut Moving<'_>) {
    let mut words = Vec::new();
    for (entry, &place) in places.iter().enumerate() {
        if let Some(slot) = here.slot(place) {
            words.clear();
            from.push(entry, &mut words);
            to.set(slot, &words);
        }
    }
}

/// The slots of a rank: those of its own agents, then those of ghosts.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotsHere {
    pub(super) rank: u32,
    pub(super) own: usize,
    /// All of them.
    pub(super) count: usize,
}

impl SlotsHere {
    /// The slot that an agent has here.
    fn slot(self, (of, slot): RankSlot) -> Option<usize> {
        let slot = match of.checked_sub(self.rank)? {
            0 => slot as usize,
            1 => self.own + slot as usize,
            _ => return None,
        };
        (slot < self.count).then_some(slot)
    }
}
