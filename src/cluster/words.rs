//! Agents as words of messages: the columns that all agents have, and those that only some runs have.

use glam::Vec2;

use crate::agents::{Agent, Agents, OwnColumns, Units};

/// Words of the columns that all agents have.
const COMMON_WORDS: usize = 6;

/// The number of words of an agent with the columns that these have.
pub(super) fn agent_words(agents: &Agents) -> usize {
    let own = agents.own.as_deref().map_or(0, |OwnColumns { species, numbers }| {
        usize::from(species.is_some()) + numbers.len()
    });
    COMMON_WORDS + usize::from(agents.units.is_some()) + own
}

/// Appends the words of the agent in a slot.
pub(super) fn push_words(words: &mut Vec<u32>, agents: &Agents, slot: usize) {
    let Agent { position, velocity, radius, id } = agents.get(slot);
    let numbers = [position.x, position.y, velocity.x, velocity.y, radius];
    words.extend(numbers.map(f32::to_bits));
    words.push(id);
    if let Some(Units { faction, health }) = &agents.units {
        words.push(u32::from_le_bytes([faction[slot], health[slot], 0, 0]));
    }
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
    if let Some(units) = &mut agents.units {
        let [faction, health, ..] = words[0].to_le_bytes();
        units.push(faction, health);
        words = &words[1..];
    }
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

/// The agents of some words, of which each agent has `length`; they have the columns of `agents`.
pub(super) fn agents_of(agents: &Agents, words: &[u32], length: usize) -> Agents {
    let mut of_words = agents.none_alike();
    words.chunks_exact(length).for_each(|words| push_agent(&mut of_words, words));
    of_words
}
