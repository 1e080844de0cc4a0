//! Parameters that may change between two steps: restitution, friction, rolling
//! resistance, gravity and all speeds. They are
//! checked as in a set-up.

use super::{Sim, motion};
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

    /// Sets the coefficient of friction between agents, and with statics and walls, 0 to 10.
    ///
    /// The first friction of a run adds the columns `spin` and `angle` to
    /// [`Agents::own`](crate::Agents::own), unless there are such. They stay when the friction goes
    /// back to 0: agents go on turning, and nothing changes their spins. From 0 and to 0, the
    /// contact solver is allocated anew, so that it begins without the impulses of the step before.
    /// Friction 0 sets the rolling resistance to 0, too.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 200, ..Setup::new(Scene::Pile) })?;
    /// assert!(sim.agents().own.is_none());
    /// sim.set_friction(0.5)?;
    /// (0..60).try_for_each(|_| sim.step())?;
    /// let own = sim.agents().own.as_ref().expect("there is friction");
    /// let spins = &own.numbers[own.find("spin").expect("there is friction")].values;
    /// assert!(spins.iter().any(|&spin| spin != 0.0));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the value is out of range, its agents have more than 14 columns of their own, or there is
    /// not enough memory. Nothing is changed then.
    pub fn set_friction(&mut self, friction: f32) -> Result<()> {
        let rolling = if friction > 0.0 { self.setup.rolling } else { 0.0 };
        self.change(Setup { friction, rolling, ..self.setup.clone() })
    }

    /// Sets the coefficient of rolling resistance, 0 to 10.
    ///
    /// # Errors
    /// If the value is out of range, or above 0 in a run without friction. Nothing is changed then.
    pub fn set_rolling(&mut self, rolling: f32) -> Result<()> {
        let setup = Setup { rolling, ..self.setup.clone() };
        setup.check_rolling()?;
        self.change(setup)
    }

    /// Sets the downward acceleration, in world units per second squared; a negative one pulls up.
    ///
    /// # Errors
    /// If the value is beyond 1e9. Nothing is changed then.
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
    /// than 1e9 along x or y. Nothing is changed then.
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
            // Rounded down: the remedy must not be refused again.
            let most = SPEED_MAX / fastest;
            let most = if fastest * most > SPEED_MAX { most.next_down() } else { most };
            let less = Value::Number(most.max(1.0));
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
    /// motion. Where agents begin to press on each other, or friction begins or ends, allocates the
    /// contact solver.
    fn change(&mut self, setup: Setup) -> Result<()> {
        // The agents of the start count, not those that the set-up would have placed.
        let count = self.grid.config().capacity as u32 - setup.spare_agents;
        Setup { agents: count.max(1), ..setup.clone() }.numbers()?;
        let [rough, was_rough] = [&setup, &self.setup].map(|setup| setup.friction > 0.0);
        let presses = setup.uses_contact_solver();
        // A restored run has the solver of its friction alone, so this one may have no other
        // either.
        let fits = self.solver.is_some() && rough == was_rough;
        let solver = (presses && !fits).then(|| self.solver_for(&setup)).transpose()?;
        if rough {
            self.agents.add_spins(self.grid.config().capacity)?;
        }
        if !fits {
            self.claims += u64::from(presses);
            self.solver = solver;
        } else if let Some(solver) = &mut self.solver
            && presses
            && !self.setup.uses_contact_solver()
        {
            // Impulses from before the agents moved without it mean nothing.
            solver.forget(self.agents.len());
        }
        self.wake();
        self.forget_ahead();
        self.motion = motion(&setup, self.motion.world);
        self.setup = setup;
        self.update_radius_min();
        Ok(())
    }
}
