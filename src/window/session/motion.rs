//! The numbers of the motion, which a user sets while the run goes on: gravity, the coefficients of
//! collisions, and all speeds.

use super::Session;
use crate::{
    error::{Error, Field, Limit, Value},
    limits,
    program::{ProgramError, ProgramResult as Result},
    scene::Setup,
    sim::Edit,
    window::{event::Event, recorded_sim::RecordedSim, tool::ToolStroke},
};

impl Session {
    /// Sets a number of the motion, which undo sets back; `name` is its name for users.
    ///
    /// # Errors
    /// If the number is out of its range, or the run is at rest and can't have another speed.
    pub(super) fn set_motion(
        &mut self,
        name: &'static str,
        field: Field,
        number: f32,
    ) -> Result<Event> {
        let before = self.setup().clone();
        let motion = Some((field, set(&mut self.host.sim, field, number)?));
        let parts = self.host.sim.take_parted();
        let stroke = ToolStroke { motion, parts, ..ToolStroke::default() };
        self.tools.state.add(stroke, self.host.sim.tick());
        self.look_at_motion(&before);
        Ok(Event::set(name, number))
    }

    /// Measures anew what depends on the motion, if that has changed since the run had that set-up.
    pub(super) fn look_at_motion(&mut self, before: &Setup) {
        if self.setup() == before {
            return;
        }
        self.reports.forget_warnings(&self.host);
        if self.setup().speed != before.speed {
            self.reports.plots.forget_temperature();
        }
    }
}

/// Sets a number of the motion of a run. The number before.
///
/// # Errors
/// As [`Session::set_motion`].
pub(super) fn set(sim: &mut RecordedSim, field: Field, number: f32) -> Result<f32> {
    let &Setup { speed, restitution, friction, rolling, gravity, .. } = sim.setup();
    let (before, edit) = match field {
        Field::Restitution => (restitution, Edit::Restitution(number)),
        Field::Friction => (friction, Edit::Friction(number)),
        Field::Rolling => (rolling, Edit::Rolling(number)),
        Field::Gravity => (gravity, Edit::Gravity(number)),
        _ => (speed, Edit::ScaleSpeeds(factor(speed, number)?)),
    };
    sim.apply(edit)?;
    Ok(before)
}

/// The factor from a mean speed to another. Agents at rest have no direction to move in, so
/// neither can a run at rest be made faster nor may one be brought to rest.
///
/// # Errors
/// If the speed is out of range, or the run is at rest.
fn factor(now: f32, speed: f32) -> Result<f32> {
    if !(0.0..=limits::MEAN_SPEED_MAX).contains(&speed) {
        let limit = Limit::Numbers(0.0..=limits::MEAN_SPEED_MAX);
        return Err(Error::invalid(Field::Speed, Value::Number(speed), limit).into());
    }
    if now <= 0.0 {
        return Err(ProgramError::refused(
            "all speeds are a multiple of the mean speed at the start, and the agents began at rest; choose \
             another start",
        ));
    }
    if speed == 0.0 {
        return Err(ProgramError::refused(
            "a speed of 0 would stop the agents permanently; choose one above 0, or pause",
        ));
    }
    Ok(speed / now)
}
