//! Spin: the column of angular velocities, which runs with friction have.

use super::{Agents, own::OwnColumn};
use crate::{alloc, error::Result};

/// The angular velocities of agents in runs with friction, radians per second, counterclockwise.
const SPIN: &str = "spin";

impl Agents {
    /// The spins, in runs with friction.
    pub(crate) fn spins(&self) -> Option<&[f32]> {
        let own = self.own.as_ref()?;
        own.find(SPIN).map(|index| &own.numbers[index].values[..])
    }

    /// The spins, to be set, and the radii.
    pub(crate) fn spins_mut(&mut self) -> Option<(&mut [f32], &[f32])> {
        let own = self.own.as_mut()?;
        let index = own.find(SPIN)?;
        Some((&mut own.numbers[index].values, &self.radius))
    }

    /// Adds the column of spins with capacity for `capacity` agents, unless there is one.
    ///
    /// # Errors
    /// If there is not enough memory, or no room for a further column. Nothing is changed then.
    pub(crate) fn add_spins(&mut self, capacity: usize) -> Result<()> {
        if self.spins().is_some() {
            return Ok(());
        }
        let count = self.len();
        let mut values = alloc::with_capacity(capacity.max(count), "the agents' spins")?;
        values.resize(count, 0.0);
        let own = self.own.get_or_insert_default();
        own.numbers.push(OwnColumn::new(SPIN, 0.0, values));
        own.check(count).inspect_err(|_| drop(own.numbers.pop()))
    }
}
