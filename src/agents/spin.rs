//! Spin: the columns of angular velocities and angles, which runs with friction have.
//!
//! Friction changes the spins, and a step turns the angles by them. No physics depends on an angle: a
//! picture shows it.

use std::f32::consts::{PI, TAU};

use super::{
    Agents,
    own::{OwnColumn, OwnColumns},
};
use crate::{alloc, error::Result, parallel};

/// Slots per task.
const PIECE: usize = 8_192;

/// The angular velocities of agents in runs with friction, radians per second, counterclockwise.
const SPIN: &str = "spin";

/// Their angles, radians, counterclockwise, between -π and π. What spins by more than half a turn per step
/// turns by half a turn.
const ANGLE: &str = "angle";

/// Bytes per agent of both.
pub(crate) const SPIN_BYTES: usize = 2 * size_of::<f32>();

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

    /// The angles, in runs that have or had friction; or a caller's own, which are drawn alike.
    pub(crate) fn angles(&self) -> Option<&[f32]> {
        let own = self.own.as_ref()?;
        own.find(ANGLE).map(|index| &own.numbers[index].values[..])
    }

    /// Turns agents that have a spin and an angle for some seconds.
    pub(crate) fn turn(&mut self, seconds: f32) {
        let Some(own) = &mut self.own else { return };
        let (Some(spin), Some(angle)) = (own.find(SPIN), own.find(ANGLE)) else { return };
        let Ok([spins, angles]) = own.numbers.get_disjoint_mut([spin, angle]) else { return };
        let turn = |_, (angles, spins): (&mut [f32], &[f32])| {
            for (angle, spin) in angles.iter_mut().zip(spins) {
                let turned = *angle + (spin * seconds).clamp(-PI, PI);
                let back = if turned > PI { TAU } else { 0.0 };
                let on = if turned < -PI { TAU } else { 0.0 };
                *angle = turned - back + on;
            }
        };
        parallel::pieces((&mut angles.values[..], &spins.values[..]), PIECE, &turn, &|(), ()| ());
    }

    /// Adds the columns of spins and angles with capacity for `capacity` agents, unless there are
    /// such.
    ///
    /// # Errors
    /// If there is not enough memory, or no room for further columns. Nothing is changed then.
    pub(crate) fn add_spins(&mut self, capacity: usize) -> Result<()> {
        let count = self.len();
        let own = self.own.get_or_insert_default();
        let before = own.numbers.len();
        let mut add = || {
            for name in [SPIN, ANGLE] {
                if own.find(name).is_none() {
                    let mut values =
                        alloc::with_capacity(capacity.max(count), "the agents' spins")?;
                    values.resize(count, 0.0);
                    own.numbers.push(OwnColumn::new(name, 0.0, values));
                }
            }
            own.check(count)
        };
        let added = add();
        if added.is_err() {
            own.numbers.truncate(before);
        }
        added
    }
}

impl OwnColumns {
    /// The column of spins, if there is one.
    pub(super) fn spins_mut(&mut self) -> Option<&mut [f32]> {
        let index = self.find(SPIN)?;
        Some(&mut self.numbers[index].values)
    }
}
