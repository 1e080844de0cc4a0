//! Spin: the column of angular velocities, which runs with friction have.

use super::{
    Agents,
    own::{OwnColumn, OwnColumns},
};
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
        let spins = self.own.as_mut()?.spins_mut()?;
        Some((spins, &self.radius))
    }

    /// Adds the column of spins, unless there is one.
    ///
    /// # Errors
    /// If there is not enough memory, or no room for a further column.
    pub(crate) fn add_spins(&mut self) -> Result<()> {
        if self.spins().is_none() {
            let values = alloc::filled(self.len(), 0.0, "the agents' spins")?;
            let own = self.own.get_or_insert_default();
            own.numbers.push(OwnColumn::new(SPIN, 0.0, values));
            own.check(self.id.len())?;
        }
        Ok(())
    }
}

impl OwnColumns {
    /// The column of spins, if there is one.
    pub(super) fn spins_mut(&mut self) -> Option<&mut [f32]> {
        let index = self.find(SPIN)?;
        Some(&mut self.numbers[index].values)
    }
}
