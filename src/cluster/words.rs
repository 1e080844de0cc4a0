//! Agents as words of messages: the columns that all agents have, and those of a caller's own.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::{Agent, Agents, OwnColumns},
    step::swept::Noted,
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
    splice(agents, 0..agents.len(), &agents.none_alike());
}

/// Appends the agents in some slots of others, with the same columns.
pub(super) fn append(agents: &mut Agents, from: &Agents, slots: impl Iterator<Item = usize>) {
    let mut words = Vec::new();
    for slot in slots {
        words.clear();
        push_words(&mut words, from, slot);
        push_agent(agents, &words);
    }
}

/// Replaces the agents in some slots by others with the same columns.
pub(super) fn splice(agents: &mut Agents, slots: Range<usize>, by: &Agents) {
    let Agents { x, y, vx, vy, radius, id, own, .. } = agents;
    let columns = [(x, &by.x), (y, &by.y), (vx, &by.vx), (vy, &by.vy), (radius, &by.radius)];
    for (column, by) in columns {
        column.splice(slots.clone(), by.iter().copied());
    }
    id.splice(slots.clone(), by.id.iter().copied());
    if let (Some(own), Some(by)) = (own, &by.own) {
        if let (Some(column), Some(by)) = (&mut own.species, &by.species) {
            column.splice(slots.clone(), by.iter().copied());
        }
        for (column, by) in own.numbers.iter_mut().zip(&by.numbers) {
            column.values.splice(slots.clone(), by.values.iter().copied());
        }
    }
}

/// The number of words of a slot in [`Moving`], with or without notes.
pub(super) fn moving_words(agents: &Agents, noted: bool) -> usize {
    4 + usize::from(agents.spins().is_some()) + if noted { 3 } else { 0 }
}

/// What pairs change of agents: positions, velocities and spins, and with swept collisions the notes.
pub(super) struct Moving<'a> {
    numbers: Vec<&'a mut [f32]>,
    /// Empty without notes.
    state: &'a mut [u8],
}

impl<'a> Moving<'a> {
    pub(super) fn of(agents: &'a mut Agents, noted: Option<&'a mut Noted>) -> Self {
        let view = agents.view_mut();
        let mut numbers = vec![view.x, view.y, view.vx, view.vy];
        if !view.spin.is_empty() {
            numbers.push(view.spin);
        }
        let Some(noted) = noted else { return Self { numbers, state: &mut [] } };
        let notes = noted.notes();
        numbers.extend([notes.next, notes.last]);
        Self { numbers, state: notes.state }
    }

    /// Appends the words of a slot.
    pub(super) fn push(&self, slot: usize, words: &mut Vec<u32>) {
        words.extend(self.numbers.iter().map(|column| column[slot].to_bits()));
        words.extend(self.state.get(slot).map(|&state| u32::from(state)));
    }

    /// Sets a slot to these words.
    pub(super) fn set(&mut self, slot: usize, words: &[u32]) {
        for (column, &word) in self.numbers.iter_mut().zip(words) {
            column[slot] = f32::from_bits(word);
        }
        if let Some(state) = self.state.get_mut(slot) {
            *state = words[self.numbers.len()] as u8;
        }
    }
}
