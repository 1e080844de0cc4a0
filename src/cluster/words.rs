//! Agents as words of messages: the columns that all agents have, and those of a caller's own.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::{Agent, Agents, AgentsMut, OwnColumns},
    step::swept::{NoteColumns, Notes},
};

/// Words of the columns that all agents have.
const COMMON_WORDS: usize = 6;

/// The number of words of an agent with the columns that these have.
pub(super) fn agent_words(agents: &Agents) -> usize {
    let own = agents.own.as_deref().map_or(0, |OwnColumns { species, numbers }| {
        usize::from(species.is_some()) + numbers.len()
    });
    COMMON_WORDS + own
}

/// Appends the words of the agent in a slot.
pub(super) fn push_words(words: &mut Vec<u32>, agents: &Agents, slot: usize) {
    let Agent { position, velocity, radius, id } = agents.get(slot);
    let numbers = [position.x, position.y, velocity.x, velocity.y, radius];
    words.extend(numbers.map(f32::to_bits));
    words.push(id);
    if let Some(OwnColumns { species, numbers }) = agents.own.as_deref() {
        words.extend(species.iter().map(|species| u32::from(species[slot])));
        words.extend(numbers.iter().map(|column| column.values[slot].to_bits()));
    }
}

/// Appends an agent of [`agent_words`] words; what comes after these is left out.
pub(super) fn push_agent(agents: &mut Agents, words: &[u32]) {
    let (common, mut words) = words.split_at(COMMON_WORDS);
    let [x, y, vx, vy, radius] = [0, 1, 2, 3, 4].map(|index: usize| f32::from_bits(common[index]));
    let (position, velocity) = (Vec2::new(x, y), Vec2::new(vx, vy));
    agents.push(Agent { position, velocity, radius, id: common[5] });
    if let Some(OwnColumns { species, numbers }) = agents.own.as_deref_mut() {
        if let Some(species) = species {
            species.push(words[0] as u8);
            words = &words[1..];
        }
        for (column, word) in numbers.iter_mut().zip(words) {
            column.values.push(f32::from_bits(*word));
        }
    }
}

/// Removes all agents, but not their columns.
pub(super) fn clear(agents: &mut Agents) {
    splice(agents, 0..agents.len(), (&agents.none_alike(), 0..0));
}

/// Keeps the agents of the first slots that stay, and none behind these slots.
pub(super) fn retain(agents: &mut Agents, stay: &[bool]) {
    fn keep<T>(column: &mut Vec<T>, stay: &[bool]) {
        column.truncate(stay.len());
        let mut stay = stay.iter();
        column.retain(|_| stay.next() == Some(&true));
    }
    let Agents { x, y, vx, vy, radius, id, own, .. } = agents;
    for column in [x, y, vx, vy, radius] {
        keep(column, stay);
    }
    keep(id, stay);
    if let Some(OwnColumns { species, numbers }) = own.as_deref_mut() {
        if let Some(species) = species {
            keep(species, stay);
        }
        for column in numbers {
            keep(&mut column.values, stay);
        }
    }
}

/// A copy of the agents in some slots.
pub(super) fn copy(agents: &Agents, slots: Range<usize>) -> Agents {
    let mut copy = agents.none_alike();
    splice(&mut copy, 0..0, (agents, slots));
    copy
}

/// Replaces the agents in some slots by those in slots of others, which have the same columns.
pub(super) fn splice(
    agents: &mut Agents,
    slots: Range<usize>,
    (from, by): (&Agents, Range<usize>),
) {
    let Agents { x, y, vx, vy, radius, id, own, .. } = agents;
    let columns = [(x, &from.x), (y, &from.y), (vx, &from.vx), (vy, &from.vy)];
    for (column, from) in columns.into_iter().chain([(radius, &from.radius)]) {
        column.splice(slots.clone(), from[by.clone()].iter().copied());
    }
    id.splice(slots.clone(), from.id[by.clone()].iter().copied());
    if let (Some(own), Some(from)) = (own, &from.own) {
        if let (Some(column), Some(from)) = (&mut own.species, &from.species) {
            column.splice(slots.clone(), from[by.clone()].iter().copied());
        }
        for (column, from) in own.numbers.iter_mut().zip(&from.numbers) {
            column.values.splice(slots.clone(), from.values[by.clone()].iter().copied());
        }
    }
}

/// The agents of some words, of which each agent has `length`; they have the columns of `agents`.
pub(super) fn agents_of(agents: &Agents, words: &[u32], length: usize) -> Agents {
    let mut of_words = agents.none_alike();
    words.chunks_exact(length).for_each(|words| push_agent(&mut of_words, words));
    of_words
}

/// What pairs change of agents: positions, velocities and spins, and with swept collisions the notes.
pub(super) struct Moving<'a> {
    numbers: Vec<&'a mut [f32]>,
    /// None without notes.
    state: Option<&'a mut [u8]>,
}

impl<'a> Moving<'a> {
    pub(super) fn of(agents: &'a mut Agents, notes: Option<&'a mut NoteColumns>) -> Self {
        let has_spins = agents.spins().is_some();
        let AgentsMut { x, y, vx, vy, spin, .. } = agents.view_mut();
        let mut numbers = vec![x, y, vx, vy];
        if has_spins {
            numbers.push(spin);
        }
        let state = notes.map(|notes| {
            let Notes { next, last, state, .. } = notes.notes();
            numbers.extend([next, last]);
            state
        });
        Self { numbers, state }
    }

    /// Words per agent.
    pub(super) fn words(&self) -> usize {
        self.numbers.len() + usize::from(self.state.is_some())
    }

    /// Appends the words of a slot.
    pub(super) fn push(&self, slot: usize, words: &mut Vec<u32>) {
        words.extend(self.numbers.iter().map(|column| column[slot].to_bits()));
        words.extend(self.state.as_ref().map(|state| u32::from(state[slot])));
    }

    /// Sets a slot to these words.
    pub(super) fn set(&mut self, slot: usize, words: &[u32]) {
        for (column, &word) in self.numbers.iter_mut().zip(words) {
            column[slot] = f32::from_bits(word);
        }
        if let Some(state) = &mut self.state {
            state[slot] = words[self.numbers.len()] as u8;
        }
    }
}
