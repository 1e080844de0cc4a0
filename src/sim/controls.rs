//! Parameters that may change during a run: checked as in a set-up, and in force from the next
//! step.
//!
//! A changed run is no longer determined by the set-up that it began with. The same changes before
//! the same steps give the same bits.

use super::{Sim, substep};
use crate::{
    error::{Error, Field, Limit, Remedy, Result, Value},
    limits::{MEAN_SPEED_MAX, SPEED_MAX},
    scene::Setup,
};

impl Sim {
    /// Sets the coefficient of restitution, of walls too: the share of the approach speed that a
    /// collision returns, 0 to 1.
    ///
    /// # Errors
    /// If the value is out of range. Nothing is changed then.
    pub fn set_restitution(&mut self, restitution: f32) -> Result<()> {
        self.change(Setup { restitution, ..self.setup.clone() })
    }

    /// Sets the downward acceleration, in world units per second squared; a negative one pulls up.
    ///
    /// # Errors
    /// If the value is beyond [`GRAVITY_MAX`](crate::limits::GRAVITY_MAX). Nothing is changed then.
    pub fn set_gravity(&mut self, gravity: f32) -> Result<()> {
        self.change(Setup { gravity, ..self.setup.clone() })
    }

    /// Multiplies the velocity of every agent, and the set-up's mean speed, by `factor`, 0 or more.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 100, ..Setup::new(Scene::Gas) })?;
    /// let before = sim.measure()?.kinetic_energy;
    /// sim.scale_speeds(2.0)?;
    /// assert_eq!(sim.measure()?.kinetic_energy, 4.0 * before);
    /// assert!(sim.scale_speeds(f32::NAN).is_err());
    /// # Ok::<(), jostle::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the factor is negative or not finite, or if it is above 1 and an agent would be faster
    /// than [`SPEED_MAX`] along x or y. Nothing is changed then.
    pub fn scale_speeds(&mut self, factor: f32) -> Result<()> {
        if !(factor.is_finite() && factor >= 0.0) {
            let limit = Limit::Numbers(0.0..=f32::MAX);
            return Err(Error::invalid(Field::SpeedFactor, Value::Number(factor), limit));
        }
        let components = self.agents.vx.iter().chain(&self.agents.vy);
        let fastest = components.fold(0.0_f32, |most, speed| most.max(speed.abs()));
        // Gravity and collisions may have made an agent faster than that; it may still become
        // slower.
        if factor > 1.0 && fastest * factor > SPEED_MAX {
            let limit = Limit::Reaches { value: fastest * factor, max: SPEED_MAX };
            let less = Value::Number((SPEED_MAX / fastest).max(1.0));
            return Err(Error::invalid(Field::SpeedFactor, Value::Number(factor), limit)
                .with_remedy(Remedy::set(Field::SpeedFactor, less)));
        }
        self.change(Setup {
            speed: (self.setup.speed * factor).min(MEAN_SPEED_MAX),
            ..self.setup.clone()
        })?;
        for speed in self.agents.vx.iter_mut().chain(&mut self.agents.vy) {
            *speed *= factor;
        }
        Ok(())
    }

    /// Takes over the parameters of a set-up that differs from the current one in parameters of
    /// motion. Where agents begin to press on each other, allocates the contact solver.
    fn change(&mut self, setup: Setup) -> Result<()> {
        setup.numbers()?;
        let presses = setup.uses_contact_solver();
        if presses && !self.setup.uses_contact_solver() {
            // Impulses from before the agents moved without it mean nothing.
            if let Some(solver) = &mut self.solver {
                solver.forget(self.agents.len());
            } else {
                self.claim_solver()?;
                self.claims += 1;
            }
        }
        self.wake();
        self.forget_ahead();
        self.motion.restitution = setup.restitution;
        self.motion.gravity = setup.gravity;
        self.motion.dt = substep(&setup);
        self.setup = setup;
        self.update_radius_min();
        Ok(())
    }
}
