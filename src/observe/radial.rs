//! The radial distribution g(r): how much denser than on average agents lie at a distance from one.

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
    /// them than the last bin look around. In a world that repeats, the last bin is at most a third
    /// of each side that does.
    pub fn add(&mut self, sim: &Sim) {
        let reach = self.width * self.found.len() as f64;
        let (agents, space, world) = (sim.agents(), sim.space(), sim.world());
        let inset = space.repeats().map(|repeats| if repeats { 0.0 } else { reach as f32 });
        let (min, max) = (world.min + glam::Vec2::from(inset), world.max - glam::Vec2::from(inset));
        let inner: Vec<bool> = (0..agents.len())
            .map(|slot| {
                let at = space.wrapped(agents.get(slot).position);
                at.cmpge(min).all() && at.cmplt(max).all()
            })
            .collect();
        let count = inner.iter().filter(|&&inside| inside).count() as f64;
        let size = (max - min).as_dvec2();
        let density = count / (size.x * size.y);
        super::near::pairs(sim, reach as f32, |slot, _, apart| {
            let bin = (apart.as_dvec2().length() / self.width) as usize;
            if inner[slot] && bin < self.found.len() {
                self.found[bin] += 1.0;
            }
        });
        // An agent is no neighbor of itself.
        let others = if space.repeats() == [true; 2] { (count - 1.0) / count } else { 1.0 };
        for (bin, expected) in self.expected.iter_mut().enumerate() {
            let [from, to] = [bin, bin + 1].map(|edge| self.width * edge as f64);
            *expected += count * density * others * std::f64::consts::PI * (to * to - from * from);
        }
    }

    /// The middle of each bin and g there.
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
