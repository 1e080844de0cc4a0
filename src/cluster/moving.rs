//! What pairs change of agents: positions, velocities and spins, and with swept collisions the notes.

use crate::{
    agents::{Agents, AgentsMut},
    solver::NumberColumn,
    step::swept::NoteColumns,
};

/// The columns that pairs change, each with how many numbers it has for an agent.
pub(super) struct Moving<'a> {
    numbers: Vec<NumberColumn<'a>>,
    notes: Option<&'a mut NoteColumns>,
}

impl<'a> Moving<'a> {
    pub(super) fn of(agents: &'a mut Agents, notes: Option<&'a mut NoteColumns>) -> Self {
        let has_spins = agents.spins().is_some();
        let AgentsMut { x, y, vx, vy, spin, .. } = agents.view_mut();
        let mut numbers: Vec<_> = [x, y, vx, vy].map(|column| (column, 1)).into();
        if has_spins {
            numbers.push((spin, 1));
        }
        Self { numbers, notes }
    }

    /// Columns of the bodies of the contact solver.
    pub(super) fn of_bodies(columns: [NumberColumn<'a>; 2]) -> Self {
        Self { numbers: columns.into(), notes: None }
    }

    /// Words per agent.
    pub(super) fn words(&self) -> usize {
        self.numbers_per_agent() + if self.notes.is_some() { NoteColumns::WORDS } else { 0 }
    }

    /// Those of them that ranks which have the agent have alike: notes of former rounds are not.
    pub(super) fn numbers_per_agent(&self) -> usize {
        self.numbers.iter().map(|(_, width)| width).sum()
    }

    /// Appends the words of a slot.
    pub(super) fn push(&self, slot: usize, words: &mut Vec<u32>) {
        let numbers =
            self.numbers.iter().flat_map(|(column, width)| &column[slot * width..][..*width]);
        words.extend(numbers.map(|number| number.to_bits()));
        words.extend(self.notes.iter().flat_map(|notes| notes.words(slot)));
    }

    /// Sets a slot to these words.
    pub(super) fn set(&mut self, slot: usize, words: &[u32]) {
        let (numbers, of_notes) = words.split_at(self.numbers_per_agent());
        let columns = self.numbers.iter_mut();
        let columns = columns.flat_map(|(column, width)| &mut column[slot * *width..][..*width]);
        for (number, &word) in columns.zip(numbers) {
            *number = f32::from_bits(word);
        }
        if let Some(notes) = &mut self.notes {
            notes.set(slot, of_notes);
        }
    }
}
