//! What may be changed while a run goes on: each checked as in a set-up, and in force from the next step.
//!
//! A run that was changed is no longer that of the set-up it began with; with the same changes before the
//! same steps it is the same bits again.

use super::{Sim, rest_speed};
use crate::{
    error::{Error, Field, Limit, Remedy, Result, Value},
    limits::{MEAN_SPEED_MAX, SPEED_MAX},
    scene::{Setup, Solver},
};

impl Sim {
    /// Share of the approach speed that a collision gives back from now on, 0 to 1; walls too.
    ///
    /// # Errors
    /// If it is not in that range; nothing is changed then.
    pub fn set_restitution(&mut self, restitution: f32) -> Result<()> {
        self.change(Setup { restitution, ..self.setup.clone() })
    }

    /// Downward acceleration from now on, world units a second squared; below 0 it pulls up.
    ///
    /// # Errors
    /// If it is beyond [`GRAVITY_MAX`](crate::limits::GRAVITY_MAX); nothing is changed then.
    pub fn set_gravity(&mut self, gravity: f32) -> Result<()> {
        self.change(Setup { gravity, ..self.setup.clone() })
    }

    /// Makes every agent `factor` times as fast, 0 or more, and the set-up's mean speed with them.
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
    /// If the factor is no number of 0 or more, or it is above 1 and an agent would be faster than [`SPEED_MAX`] along
    /// x or y; nothing is changed then.
    pub fn scale_speeds(&mut self, factor: f32) -> Result<()> {
        if !(factor.is_finite() && factor >= 0.0) {
            let limit = Limit::Numbers { min: 0.0, max: f32::MAX };
            return Err(Error::invalid(Field::SpeedFactor, Value::Number(factor), limit));
        }
        let components = self.agents.vx.iter().chain(&self.agents.vy);
        let fastest = components.fold(0.0_f32, |most, speed| most.max(speed.abs()));
        // Gravity and collisions may have made somebody faster than that: then, too, it may become slower.
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

    /// Takes over what a checked set-up says of motion.
    fn change(&mut self, setup: Setup) -> Result<()> {
        setup.numbers()?;
        self.motion.restitution = setup.restitution;
        self.motion.gravity = setup.gravity;
        if setup.solver == Solver::Resting {
            self.motion.rest_speed = rest_speed(setup.gravity, self.motion.radius_min);
        }
        self.setup = setup;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    fn sim(scene: Scene) -> Sim {
        Sim::new(&Setup { agents: 300, ..Setup::new(scene) }).unwrap()
    }

    #[test]
    fn setting_a_value_to_itself_changes_no_bit() {
        for scene in [Scene::Gas, Scene::Pile] {
            let (mut plain, mut changed) = (sim(scene), sim(scene));
            let Setup { restitution, gravity, .. } = *plain.setup();
            for _ in 0..30 {
                plain.step().unwrap();
                changed.set_restitution(restitution).unwrap();
                changed.set_gravity(gravity).unwrap();
                changed.scale_speeds(1.0).unwrap();
                changed.step().unwrap();
            }
            assert_eq!(plain.state_hash(), changed.state_hash());
        }
    }

    #[test]
    fn a_change_takes_effect_in_the_next_step() {
        let mut sim = sim(Scene::Gas);
        let before = sim.measure().unwrap();
        sim.set_gravity(10.0).unwrap();
        sim.step().unwrap();
        assert!(sim.measure().unwrap().momentum[1] < before.momentum[1]);
        sim.set_gravity(0.0).unwrap();
        sim.set_restitution(0.0).unwrap();
        let before = sim.measure().unwrap().kinetic_energy;
        (0..60).for_each(|_| sim.step().unwrap());
        assert!(sim.measure().unwrap().kinetic_energy < before);
        assert_eq!((sim.setup().gravity, sim.setup().restitution), (0.0, 0.0));
    }

    #[test]
    fn speeds_may_stay_or_shrink_at_any_speed() {
        let fast = Setup { agents: 300, speed: MEAN_SPEED_MAX, ..Setup::new(Scene::Gas) };
        let mut sim = Sim::new(&fast).unwrap();
        sim.scale_speeds(1.0).unwrap();
        sim.agents.vx[7] = 3.0 * SPEED_MAX;
        let hash = sim.state_hash();
        let refusal = sim.scale_speeds(1.1).unwrap_err().to_string();
        assert!(refusal.ends_with("expected at most 1e9; try speed factor 1"), "{refusal}");
        sim.scale_speeds(1.0).unwrap();
        assert_eq!(sim.state_hash(), hash);
        sim.scale_speeds(0.5).unwrap();
        assert_eq!(sim.agents.vx[7], 1.5 * SPEED_MAX);
        assert_eq!(sim.setup().speed, 0.5 * MEAN_SPEED_MAX);
    }

    #[test]
    fn a_rejected_value_changes_nothing() {
        let mut sim = sim(Scene::Gas);
        let (setup, hash) = (sim.setup().clone(), sim.state_hash());
        for restitution in [-0.1, 1.1, f32::NAN] {
            let refusal = sim.set_restitution(restitution).unwrap_err().to_string();
            assert!(refusal.contains("expected 0 to 1"), "{refusal}");
        }
        assert!(sim.set_gravity(f32::INFINITY).is_err());
        for factor in [-1.0, f32::NAN, f32::INFINITY, 1e9] {
            assert!(sim.scale_speeds(factor).is_err(), "{factor}");
        }
        assert_eq!((sim.setup(), sim.state_hash()), (&setup, hash));
    }
}
