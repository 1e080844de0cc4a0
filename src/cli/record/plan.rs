//! Film plan: which frame shows which step. In whole numbers, so errors don't
//! accumulate.
//!
//! ```text
//!  steps    0     1     2     3     4     5     6     7        at --hz
//!  frames   0        1        2        3        4              at --fps
//!           └ shows 0└ shows 1└ shows 3└ shows 4└ shows 6      the last step that is not later
//! ```

use crate::{
    Setup,
    cli::{
        Failure, Outcome,
        args::values::{Rate, grouped},
    },
};

/// The most frames of a film, equal to the most steps.
const FRAMES_MAX: u128 = crate::limits::STEPS_MAX as u128;

/// The frames of a film and the steps that they show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilmPlan {
    pub(super) fps: Rate,
    /// All frames, the first of them before the first step.
    pub(super) frames: u64,
    /// Frames per step, as a fraction.
    frames_per_step: (u128, u128),
}

impl FilmPlan {
    /// A film of floor(steps · fps / hz) + 1 frames of one run.
    ///
    /// # Errors
    /// A usage error if there are too many frames.
    pub(super) fn new(fps: Rate, steps: u64, setup: &Setup) -> Outcome<Self> {
        let hz = Rate::from_hz(setup.hz).ok_or_else(|| {
            Failure::usage(format!(
                "--hz {} has too many digits to count frames with; try 60",
                setup.hz
            ))
        })?;
        let whole = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let (num, den) = (whole(fps.num, hz.den), whole(fps.den, hz.num));
        let frames = u128::from(steps).saturating_mul(num) / den + 1;
        if frames > FRAMES_MAX {
            return Err(Failure::usage(format!(
                "--steps {steps} at --fps {} make more than {} frames; try fewer of one of them",
                fps.decimal(),
                grouped(FRAMES_MAX)
            )));
        }
        Ok(Self { fps, frames: frames as u64, frames_per_step: (num, den) })
    }

    /// The number of frames whose time comes before that step does: they show the steps before it.
    pub(super) fn before(&self, step: u64) -> u64 {
        let (num, den) = self.frames_per_step;
        (u128::from(step) * num).div_ceil(den) as u64
    }

    /// The number of frames of a run that ends with that step.
    pub(super) fn until(&self, step: u64) -> u64 {
        let (num, den) = self.frames_per_step;
        (u128::from(step) * num / den) as u64 + 1
    }
}
