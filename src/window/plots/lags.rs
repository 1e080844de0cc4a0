//! Means of motions after a time. Agents are followed for a while, then for another one, and so on.

use crate::{
    observe::{Motions, MotionsSince},
    sim::Sim,
};

/// Agents that are followed, at most.
const FOLLOWED: usize = 4_096;

/// Moments of a while.
const LAGS: usize = 60;

/// Mean free times of a while: then little is left of the velocity of an agent.
const FREE_TIMES: f64 = 6.0;

/// Steps from one moment to the next, at most.
const STRIDE_MAX: f64 = 1_000.0;

/// Means over all whiles so far.
#[derive(Clone, Debug)]
pub(super) struct Lags {
    motions: Motions,
    /// Steps from one moment to the next, and the step from which agents are followed.
    stride: u64,
    begun: u64,
    /// Square displacement, velocity correlation and number of the whiles that came to each moment.
    sums: [[f64; 3]; LAGS],
}

impl Lags {
    /// Begins, with moments that suit a rate of collisions per agent and second.
    pub(super) fn new(sim: &Sim, rate: f64) -> Self {
        let stride = FREE_TIMES / (rate * f64::from(sim.dt()) * LAGS as f64);
        // Without collisions any stride will do.
        let stride = stride.clamp(1.0, STRIDE_MAX).round() as u64;
        let motions = Motions::sampled(sim, FOLLOWED);
        Self { motions, stride, begun: sim.steps(), sums: [[0.0; 3]; LAGS] }
    }

    /// Follows the agents after a step.
    pub(super) fn follow(&mut self, sim: &Sim) {
        let steps = sim.steps().saturating_sub(self.begun);
        let due = steps.is_multiple_of(self.stride);
        // Copies of a world that repeats are told apart by short ways.
        if !due && !sim.space().is_periodic() {
            return;
        }
        let since = self.motions.follow(sim);
        if !due {
            return;
        }
        let lag = (steps / self.stride) as usize;
        let values = [since.square_displacement, since.velocity_correlation, 1.0];
        let sums = lag.checked_sub(1).and_then(|at| self.sums.get_mut(at));
        if let Some(sums) = sums.filter(|_| values.iter().all(|value| value.is_finite())) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
        if lag >= LAGS {
            self.motions.restart(sim);
            self.begun = sim.steps();
        }
    }

    /// Means at each moment, with its seconds after the beginning.
    pub(super) fn means(&self, sim: &Sim) -> impl Iterator<Item = (f64, MotionsSince)> {
        let step = self.stride as f64 * f64::from(sim.dt());
        let sums = std::iter::once(&[0.0, 1.0, 1.0]).chain(&self.sums);
        sums.take_while(|[.., count]| *count > 0.0).zip(0..).map(move |(sums, lag)| {
            let [square_displacement, velocity_correlation] =
                [sums[0], sums[1]].map(|sum| sum / sums[2]);
            let agents = FOLLOWED as u64;
            let moved = MotionsSince { agents, square_displacement, velocity_correlation };
            (f64::from(lag) * step, moved)
        })
    }
}
