//! What has become of agents after a time, again and again: they are followed for a while, then from
//! where they are.

use crate::{observe::Motions, sim::Sim};

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

    /// Seconds after the beginning, square displacement and velocity correlation.
    pub(super) fn means(&self, sim: &Sim) -> impl Iterator<Item = [f64; 3]> {
        let step = self.stride as f64 * f64::from(sim.dt());
        let means = self.sums.iter().zip(1..).take_while(|([.., count], _)| *count > 0.0).map(
            move |([square, left, count], lag)| {
                [f64::from(lag) * step, square / count, left / count]
            },
        );
        std::iter::once([0.0, 0.0, 1.0]).chain(means)
    }
}
