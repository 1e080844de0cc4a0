//! The order of hexagons.

use glam::DVec2;

use super::near;
use crate::Sim;

/// ψ6 of all agents: |Σ ψ6(i)| / N, where ψ6(i) is the mean of exp(6iθ) over the directions θ to the
/// neighbors of agent i. It is 1 for one crystal of hexagons, and about 1/√N without any order.
/// Neighbors are agents with centers closer than `reach` times the sum of their radii; 1.5 is
/// usual. Agents without neighbors count as 0. In a world that repeats, a copy of an agent is a
/// neighbor as the agent is, and nothing beyond three quarters of a side is one.
pub fn hexagonal_order(sim: &Sim, reach: f32) -> f64 {
    hexagonal_order_of(sim, reach, 1)
}

/// The same of a sample, of which each has all of its neighbors: one of `every` agents, by slots.
pub(crate) fn hexagonal_order_of(sim: &Sim, reach: f32, every: usize) -> f64 {
    let agents = sim.agents();
    let most = agents.radius.iter().copied().fold(0.0, f32::max);
    let sample = (0..agents.len()).step_by(every.max(1));
    let count = sample.len();
    let mut total = DVec2::ZERO;
    for slot in sample {
        let (mut sum, mut bonds) = (DVec2::ZERO, 0_u32);
        let radius = agents.radius[slot];
        near::around(sim, slot, reach * (radius + most), |other, apart| {
            let limit = reach * (radius + agents.radius[other]);
            if apart.length_squared() < limit * limit {
                let bond = apart.as_dvec2().normalize_or_zero();
                // The sixth power of a complex number of length 1 has six times its angle.
                let square = bond.rotate(bond);
                sum += square.rotate(square).rotate(square);
                bonds += 1;
            }
        });
        total += sum / f64::from(bonds.max(1));
    }
    total.length() / count.max(1) as f64
}
