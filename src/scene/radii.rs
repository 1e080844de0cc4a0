//! Radii by rank: one agent for each n-th of the distribution, the largest first.
//!
//! The distribution is divided into n equal parts. The radius of rank k has the mean square of the
//! k-th part, counted from the top. The squares of all radii add up to n times the mean of the
//! distribution: discs cover the given share, and the size of the world depends on no draw, which
//! matters where one boulder weighs as much as all the dust. No sort is needed to place the largest
//! first.

use super::{Setup, kind::RadiusLaw};

/// Number of giants in the scene of that name. There are at least three grains of dust per giant,
/// which makes giants the largest: the mean square of a grain is at least a third of the square of
/// the largest grain.
const GIANTS: u32 = 12;

/// The radii of a set-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Radii {
    low: f64,
    high: f64,
    /// The number of agents distributed between `low` and `high`.
    dust: u32,
    giants: u32,
    /// Distributed as r⁻³, so that each doubling of the radius covers the same area. If false, all
    /// radii are equally likely.
    is_cubic: bool,
}

impl Radii {
    /// The radii of a set-up with valid bounds.
    pub(super) fn new(setup: &Setup) -> Self {
        let law = setup.scene.traits().radii;
        let giants = if law == RadiusLaw::Giants { GIANTS.min(setup.agents / 4) } else { 0 };
        let [low, high] = setup.radius.map(f64::from);
        let is_cubic = law == RadiusLaw::Cubic;
        Self { low, high, dust: setup.agents - giants, giants, is_cubic }
    }

    /// The radius of a rank, 0 being the largest, world units.
    pub(super) fn radius(&self, rank: u32) -> f32 {
        if rank < self.giants {
            return (self.sum_of_dust() / f64::from(self.giants)).sqrt() as f32;
        }
        let (low, high) = (self.low as f32, self.high as f32);
        let rank = f64::from(rank - self.giants);
        (self.mean_square(rank, rank + 1.0).sqrt() as f32).clamp(low, high)
    }

    /// The largest radius, world units.
    pub(super) fn largest(&self) -> f32 {
        self.radius(0)
    }

    /// Sum of the squares of all radii.
    pub(super) fn sum_of_squares(&self) -> f64 {
        self.sum_of_dust() * if self.giants > 0 { 2.0 } else { 1.0 }
    }

    /// The mean of the squares of the radii, without giants.
    pub(super) fn mean_square_of_dust(&self) -> f32 {
        (self.sum_of_dust() / f64::from(self.dust.max(1))) as f32
    }

    fn sum_of_dust(&self) -> f64 {
        let all = f64::from(self.dust);
        self.mean_square(0.0, all) * all
    }

    /// Mean of r² over the ranks from `first` up to `end`.
    fn mean_square(&self, first: f64, end: f64) -> f64 {
        let all = f64::from(self.dust);
        if self.is_cubic {
            // r⁻² is uniform, from high⁻² at the top to low⁻².
            let top = 1.0 / (self.high * self.high);
            let range = 1.0 / (self.low * self.low) - top;
            return mean_inverse(top + range * (first / all), top + range * (end / all));
        }
        let at = |rank: f64| self.high - (self.high - self.low) * (rank / all);
        let (r0, r1) = (at(first), at(end));
        (r0 * r0 + r0 * r1 + r1 * r1) / 3.0
    }
}

/// Mean of 1/q for q uniform between two bounds: ln(q1 / q0) / (q1 − q0), without a logarithm of
/// the platform. A wide range is cut at its geometric mean, both halves of which have the same
/// logarithm; a narrow one is a series in t = (q1 − q0) / (q1 + q0), which is exact for q0 = q1
/// too.
fn mean_inverse(q0: f64, q1: f64) -> f64 {
    let t = (q1 - q0) / (q1 + q0);
    if t > 0.2 {
        let middle = (q0 * q1).sqrt();
        return 2.0 * (middle - q0) / (q1 - q0) * mean_inverse(q0, middle);
    }
    let tt = t * t;
    let series =
        [13.0, 11.0, 9.0, 7.0, 5.0, 3.0].iter().fold(1.0 / 15.0, |sum, n| sum * tt + 1.0 / n);
    2.0 / (q0 + q1) * (series * tt + 1.0)
}
