//! Sums over all agents: the same for any order of slots and any split of them.

use super::Agents;
use crate::{exact::ExactSum, parallel};

/// Slots per task.
const PIECE: usize = 8_192;

impl Agents {
    /// Kinetic energy Σ ½·m·v² with m = radius²: a sum of f64 that is rounded once.
    #[must_use]
    // `Measures` has it. Public for the program and the tests.
    #[doc(hidden)]
    pub fn kinetic_energy(&self) -> f64 {
        self.sum(|slot| {
            let (vx, vy) = (f64::from(self.vx[slot]), f64::from(self.vy[slot]));
            0.5 * self.mass(slot) * (vx * vx + vy * vy)
        })
    }

    /// Mean speed; 0 without agents.
    pub(crate) fn mean_speed(&self) -> f64 {
        let speed = |slot: usize| {
            let (vx, vy) = (self.vx[slot], self.vy[slot]);
            f64::from((vx * vx + vy * vy).sqrt())
        };
        self.sum(speed) / self.len().max(1) as f64
    }

    /// Momentum Σ m·v along x and y with m = radius²: sums of f64 that are rounded once.
    #[must_use]
    // `Measures` has it. Public for the program and the tests.
    #[doc(hidden)]
    pub fn momentum(&self) -> [f64; 2] {
        [&self.vx, &self.vy]
            .map(|speeds| self.sum(|slot| self.mass(slot) * f64::from(speeds[slot])))
    }

    /// The sum of a number per slot, on all threads: the same for any order and split of the slots.
    pub(crate) fn sum(&self, number: impl Fn(usize) -> f64 + Sync) -> f64 {
        let piece = |first, ids: &[u32]| {
            let mut sum = ExactSum::default();
            (first..first + ids.len()).for_each(|slot| sum += number(slot));
            sum
        };
        parallel::pieces(&self.id[..], PIECE, &piece, &ExactSum::merge).total()
    }

    fn mass(&self, slot: usize) -> f64 {
        let radius = f64::from(self.radius[slot]);
        radius * radius
    }
}
