//! What pairs change of agents: positions, velocities and spins, and with swept collisions the notes.

use crate::{
    agents::{Agents, AgentsMut},
    step::swept::NoteColumns,
};

/// The columns that pairs change.
pub(super) struct Moving<'a> {
    numbers: Vec<&'a mut [f32]>,
    notes: Option<&'a mut NoteColumns>,
}

impl<'a> Moving<'a> {
    pub(super) fn of(agents: &'a mut Agents, notes: Option<&'a mut NoteColumns>) -> Self {
        let has_spins = agents.spins().is_some();
        let AgentsMut { x, y, vx, vy, spin, .. } = agents.view_mut();
        let mut numbers = vec![x, y, vx, vy];
        if has_spins {
            numbers.push(spin);
        }
        Self { numbers, notes }
    }

    /// Words per agent.
    pub(super) fn words(&self) -> usize {
        self.numbers.len() + if self.notes.is_some() { NoteColumns::WORDS } else { 0 }
    }

    /// Appends the words of a slot.
    pub(super) fn push(&self, slot: usize, words: &mut Vec<u32>) {
        words.extend(self.numbers.iter().map(|column| column[slot].to_bits()));
        words.extend(self.notes.iter().flat_map(|notes| notes.words(slot)));
    }

    /// Sets a slot to these words.
    pub(super) fn set(&mut self, slot: usize, words: &[u32]) {
        let (numbers, of_notes) = words.split_at(self.numbers.len());
        for (column, &word) in self.numbers.iter_mut().zip(numbers) {
            column[slot] = f32::from_bits(word);
        }
        if let Some(notes) = &mut self.notes {
            notes.set(slot, of_notes);
        }
    }
}
