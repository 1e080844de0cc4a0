//! Which frame shows which step, and for how long: in whole numbers, so that nothing adds up.
//!
//! ```text
//!  steps    0     1     2     3     4     5     6     7        at --hz
//!  frames   0        1        2        3        4              at --fps
//!           └ shows 0└ shows 1└ shows 3└ shows 4└ shows 6      the last step that is not after it
//! ```

use crate::{Error, Result, Setup};

use crate::cli::args::{rate::Rate, record::LengthArgs, values::grouped};

/// Frames of a film, at most: as many as there are steps.
const FRAMES_MAX: u128 = crate::limits::STEPS_MAX as u128;

/// How a film goes with the steps that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) fps: Rate,
    /// Frames in all, the first of them before the first step.
    pub(super) frames: u64,
    /// Frames a step, as a fraction.
    frames_a_step: (u128, u128),
}

impl Plan {
    /// A film of so many steps: floor(steps · fps / hz) + 1 frames.
    ///
    /// # Errors
    /// [`Error::Invalid`] if that is more than anybody can count.
    pub(super) fn new(length: &LengthArgs, setup: &Setup) -> Result<Self> {
        let LengthArgs { steps, fps, .. } = *length;
        let hz = Rate::of_steps(setup.hz).ok_or_else(|| {
            Error::invalid(format!(
                "--hz {} has too many digits to count frames by; try 60",
                setup.hz
            ))
        })?;
        let whole = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let (num, den) = (whole(fps.num, hz.den), whole(fps.den, hz.num));
        let frames = u128::from(steps).saturating_mul(num) / den + 1;
        if frames > FRAMES_MAX {
            return Err(Error::invalid(format!(
                "--steps {steps} at --fps {} make more than {} frames; try fewer of one of them",
                fps.decimal(),
                grouped(FRAMES_MAX)
            )));
        }
        Ok(Self { fps, frames: frames as u64, frames_a_step: (num, den) })
    }

    /// The step that a frame shows.
    pub(super) fn step(&self, frame: u64) -> u64 {
        let (num, den) = self.frames_a_step;
        (u128::from(frame) * den / num) as u64
    }

    /// Seconds that so many frames last.
    pub(super) fn seconds(&self, frames: u64) -> f64 {
        frames as f64 / self.fps.decimal()
    }

    /// Hundredths of a second that a frame stays: the errors of rounding don't add up, since each frame
    /// begins at the hundredth that is nearest to its time.
    pub(super) fn centiseconds(&self, frame: u64) -> u16 {
        let (num, den) = (u128::from(self.fps.num), u128::from(self.fps.den));
        let begins = |frame: u64| (200 * u128::from(frame) * den + num) / (2 * num);
        (begins(frame + 1) - begins(frame)) as u16
    }
}

#[cfg(test)]
mod tests {
    use crate::Scene;

    use super::*;
    use crate::cli::args::rate;

    fn plan(steps: u64, fps: &str, hz: f32) -> Plan {
        let length = LengthArgs { steps, warmup: 0, fps: rate::fps(fps).expect("a rate") };
        Plan::new(&length, &Setup { hz, ..Setup::new(Scene::Gas) }).expect("a film")
    }

    #[test]
    fn frames_are_counted_exactly() {
        for (steps, fps, hz, frames) in [
            (0, "30", 60.0, 1),
            (1, "30", 60.0, 1),
            (2, "30", 60.0, 2),
            (180, "30", 60.0, 91),
            (600, "29.97", 60.0, 300),
            (6000, "29.97", 60.0, 2998),
            (5994, "60", 59.94, 6001),
            (10, "25", 10.0, 26),
            (7, "50", 60.0, 6),
        ] {
            let plan = plan(steps, fps, hz);
            assert_eq!(plan.frames, frames, "{steps} {fps} {hz}");
            assert!(plan.step(frames - 1) <= steps, "no frame is after the last step");
            assert_eq!(plan.step(0), 0);
        }
        assert_eq!(
            (0..5).map(|frame| plan(7, "40", 60.0).step(frame)).collect::<Vec<_>>(),
            [0, 1, 3, 4, 6]
        );
    }

    #[test]
    fn centiseconds_add_up() {
        for fps in ["30", "29.97", "24", "50", "7", "0.01", "30000/1001"] {
            let plan = plan(1000, fps, 60.0);
            let sum: u64 = (0..700).map(|frame| u64::from(plan.centiseconds(frame))).sum();
            assert!((sum as f64 / 100.0 - plan.seconds(700)).abs() <= 0.005, "{fps}: {sum}");
            assert!((0..700).all(|frame| plan.centiseconds(frame) >= 2), "{fps}");
        }
        let delays: Vec<u16> =
            (0..4).map(|frame| plan(9, "30", 60.0).centiseconds(frame)).collect();
        assert_eq!(delays, [3, 4, 3, 3]);
    }
}
