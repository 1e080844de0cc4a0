//! The radial distribution g(r): how much denser than on average agents lie at a distance from one.

use std::f64::consts::PI;

use glam::Vec2;

use super::near;
use crate::Sim;

/// A histogram of distances, added up over some moments.
#[derive(Clone, Debug)]
pub struct RadialDistribution {
    width: f64,
    /// Ordered pairs found per bin, and expected in a gas of points.
    found: Vec<f64>,
    expected: Vec<f64>,
}

impl RadialDistribution {
    /// `bins` bins of `width` world units from a distance of 0 on.
    pub fn new(width: f32, bins: usize) -> Self {
        Self { width: width.into(), found: vec![0.0; bins], expected: vec![0.0; bins] }
    }

    /// Adds the distances of a moment. Where there are walls, only agents that are farther from
    /// them than the last bin look around; so a world has to be wider than twice that. In a world
    /// that repeats, bins beyond three quarters of a side get nothing.
    pub fn add(&mut self, sim: &Sim) {
        self.add_of(sim, 1);
    }

    /// The same of a sample, of which each looks at all agents around it: one of `every` agents, by
    /// slots.
    pub(crate) fn add_of(&mut self, sim: &Sim, every: usize) {
        let (agents, space, world) = (sim.agents(), sim.space(), sim.world());
        let farthest = f64::from(near::farthest(sim));
        let counts = |edge: usize| self.width * edge as f64 <= farthest;
        let bins = (0..self.found.len()).take_while(|bin| counts(bin + 1)).count();
        let reach = self.width * bins as f64;
        let inset = space.repeats().map(|repeats| if repeats { 0.0 } else { reach as f32 });
        let (min, max) = (world.min + Vec2::from(inset), world.max - Vec2::from(inset));
        let is_inner = |slot: usize| {
            let at = space.wrapped(agents.get(slot).position);
            at.cmpge(min).all() && at.cmplt(max).all()
        };
        let count = (0..agents.len()).filter(|&slot| is_inner(slot)).count() as f64;
        let size = (max - min).as_dvec2();
        let density = count / (size.x * size.y);
        let mut sampled = 0.0;
        for slot in (0..agents.len()).step_by(every.max(1)).filter(|&slot| is_inner(slot)) {
            sampled += 1.0;
            near::around(sim, slot, reach as f32, |_, apart| {
                let bin = (apart.as_dvec2().length() / self.width) as usize;
                if bin < bins {
                    self.found[bin] += 1.0;
                }
            });
        }
        // An agent is no neighbor of itself.
        let others = if space.repeats() == [true; 2] { (count - 1.0) / count } else { 1.0 };
        for (bin, expected) in self.expected[..bins].iter_mut().enumerate() {
            let [from, to] = [bin, bin + 1].map(|edge| self.width * edge as f64);
            *expected += sampled * density * others * PI * (to * to - from * from);
        }
    }

    /// Lets what was added before count less.
    #[cfg(feature = "window")]
    pub(crate) fn fade(&mut self, factor: f64) {
        self.found.iter_mut().chain(&mut self.expected).for_each(|sum| *sum *= factor);
    }

    /// The middle of each bin and g there; not a number where nothing could be found.
    pub fn curve(&self) -> impl Iterator<Item = [f64; 2]> {
        let bins = self.found.iter().zip(&self.expected).enumerate();
        bins.map(|(bin, (found, expected))| [(bin as f64 + 0.5) * self.width, found / expected])
    }

    /// g at the distance at which equal discs of that diameter touch: a cubic through the bins from
    /// there to `reach` diameters, taken back to the contact. Bins that begin below are left out.
    pub fn at_contact(&self, diameter: f64, reach: f64) -> f64 {
        const TERMS: usize = 4;
        let mut matrix = [[0.0; TERMS + 1]; TERMS];
        for (bin, [middle, g]) in self.curve().enumerate() {
            let from = bin as f64 * self.width;
            if from < diameter * (1.0 - 1e-9) || middle > diameter * reach || g <= 0.0 {
                continue;
            }
            // The variance of a count is the count: bins weigh as their expectation over g.
            let weight = self.expected[bin] / g;
            let x = (middle / diameter - 1.0) / (reach - 1.0);
            let powers = [1.0, x, x * x, x * x * x];
            for (line, power) in matrix.iter_mut().zip(powers) {
                for (sum, value) in line.iter_mut().zip(powers.into_iter().chain([g])) {
                    *sum += weight * power * value;
                }
            }
        }
        solve(matrix)[0]
    }
}

/// The solution of linear equations, by elimination with the largest pivot.
pub(super) fn solve<const N: usize, const M: usize>(mut matrix: [[f64; M]; N]) -> [f64; N] {
    for at in 0..N {
        let largest = |&one: &usize, &other: &usize| {
            matrix[one][at].abs().total_cmp(&matrix[other][at].abs())
        };
        let pivot = (at..N).max_by(largest).unwrap_or(at);
        matrix.swap(at, pivot);
        for row in 0..N {
            if row != at {
                let factor = matrix[row][at] / matrix[at][at];
                let pivot = matrix[at];
                for (value, own) in matrix[row].iter_mut().zip(pivot).skip(at) {
                    *value -= factor * own;
                }
            }
        }
    }
    std::array::from_fn(|row| matrix[row][M - 1] / matrix[row][row])
}
