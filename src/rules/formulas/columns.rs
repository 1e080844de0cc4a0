//! The columns of agents as programs read them, and the inputs that are taken from them.

use crate::{
    agents::{Agents, AgentsMut},
    limits::OWN_COLUMNS_MAX,
    rules::{agent::RuledColumns, sums::PairSums},
};

/// An input of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AgentInput {
    X,
    Y,
    Vx,
    Vy,
    Radius,
    Id,
    /// A number with the bits of the id.
    IdBits,
    Species,
    Own(usize),
    /// A sum of a pair rule.
    Sum {
        pair: usize,
        sum: usize,
    },
    /// A number with the bits of the id of what a pair rule has picked.
    Picked(usize),
}

/// The columns of some slots, to be read.
#[derive(Clone, Copy)]
pub(super) struct ReadColumns<'a> {
    /// The first slot.
    first: usize,
    x: &'a [f32],
    y: &'a [f32],
    vx: &'a [f32],
    vy: &'a [f32],
    radius: &'a [f32],
    pub(super) id: &'a [u32],
    /// Empty in a run without species.
    pub(super) species: &'a [u8],
    numbers: [&'a [f32]; OWN_COLUMNS_MAX],
}

impl<'a> ReadColumns<'a> {
    /// The columns of all agents.
    pub(super) fn of(agents: &'a Agents) -> Self {
        let Agents { x, y, vx, vy, radius, id, own, .. } = agents;
        let mut numbers: [&[f32]; OWN_COLUMNS_MAX] = Default::default();
        let all = own.iter().flat_map(|own| &own.numbers);
        numbers.iter_mut().zip(all).for_each(|(to, column)| *to = &column.values);
        let species = own.as_ref().and_then(|own| own.species.as_deref()).unwrap_or_default();
        Self { first: 0, x, y, vx, vy, radius, id, species, numbers }
    }

    /// The columns that a rule may change, as they are now.
    pub(super) fn before(columns: &'a RuledColumns<'_>) -> Self {
        let RuledColumns { agents, species, numbers, .. } = columns;
        let AgentsMut { first, x, y, vx, vy, radius, id, spin: _ } = agents;
        let numbers = numbers.each_ref().map(|column| &**column);
        Self { first: *first, x, y, vx, vy, radius, id, species, numbers }
    }

    /// The columns of some of the slots, counted from the first.
    #[cfg(feature = "cli")]
    pub(super) fn range(&self, slots: std::ops::Range<usize>) -> Self {
        let Self { first, x, y, vx, vy, radius, id, species, numbers } = *self;
        let part = |column: &'a [f32]| column.get(slots.clone()).unwrap_or_default();
        Self {
            first: first + slots.start,
            x: part(x),
            y: part(y),
            vx: part(vx),
            vy: part(vy),
            radius: part(radius),
            id: &id[slots.clone()],
            species: species.get(slots.clone()).unwrap_or_default(),
            numbers: numbers.map(part),
        }
    }

    /// An input of a slot.
    pub(super) fn get(&self, input: AgentInput, sums: &[PairSums], slot: usize) -> f32 {
        match input {
            AgentInput::X => self.x[slot],
            AgentInput::Y => self.y[slot],
            AgentInput::Vx => self.vx[slot],
            AgentInput::Vy => self.vy[slot],
            AgentInput::Radius => self.radius[slot],
            AgentInput::Id => self.id[slot] as f32,
            AgentInput::IdBits => f32::from_bits(self.id[slot]),
            AgentInput::Species => self.species[slot].into(),
            AgentInput::Own(column) => self.numbers[column][slot],
            AgentInput::Sum { pair, sum } => sums[pair].of(self.first + slot)[sum],
            AgentInput::Picked(pair) => f32::from_bits(sums[pair].picked(self.first + slot)),
        }
    }

    /// Copies an input of all the slots.
    pub(super) fn copy(&self, input: AgentInput, sums: &[PairSums], to: &mut [f32]) {
        match input {
            AgentInput::X => to.copy_from_slice(self.x),
            AgentInput::Y => to.copy_from_slice(self.y),
            AgentInput::Vx => to.copy_from_slice(self.vx),
            AgentInput::Vy => to.copy_from_slice(self.vy),
            AgentInput::Radius => to.copy_from_slice(self.radius),
            AgentInput::Id => to.iter_mut().zip(self.id).for_each(|(to, &id)| *to = id as f32),
            AgentInput::IdBits => {
                to.iter_mut().zip(self.id).for_each(|(to, &id)| *to = f32::from_bits(id));
            }
            AgentInput::Species => {
                to.iter_mut().zip(self.species).for_each(|(to, &of)| *to = of.into());
            }
            AgentInput::Own(column) => to.copy_from_slice(self.numbers[column]),
            AgentInput::Sum { pair, sum } => {
                let PairSums { width, numbers, .. } = &sums[pair];
                let from = numbers[self.first * width..].iter().skip(sum).step_by(*width);
                to.iter_mut().zip(from).for_each(|(to, &number)| *to = number);
            }
            AgentInput::Picked(pair) => {
                let from = &sums[pair].picked[self.first..];
                to.iter_mut().zip(from).for_each(|(to, &id)| *to = f32::from_bits(id));
            }
        }
    }
}
