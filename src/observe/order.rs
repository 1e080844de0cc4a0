//! The order of hexagons.

use glam::DVec2;

use crate::Sim;

/// ψ6 of all agents: |Σ ψ6(i)| / N, where ψ6(i) is the mean of exp(6iθ) over the directions θ to the
/// neighbors of agent i. It is 1 for one crystal of hexagons, and about 1/√N without any order.
/// Neighbors are agents whose centers are closer than `reach` times the sum of their radii; 1.5 is
/// usual. Agents without neighbors count as 0.
pub fn hexagonal_order(sim: &Sim, reach: f32) -> f64 {
    let agents = sim.agents();
    let most = agents.radius.iter().copied().fold(0.0, f32::max);
    let mut sums = vec![(DVec2::ZERO, 0_u32); agents.len()];
    super::near::pairs(sim, 2.0 * most * reach, |slot, other, apart| {
        let limit = reach * (agents.radius[slot] + agents.radius[other]);
        if apart.length_squared() < limit * limit {
            let bond = apart.as_dvec2().normalize_or_zero();
            // The sixth power of a complex number of length 1 has six times its angle.
            let square = bond.rotate(bond);
            sums[slot].0 += square.rotate(square).rotate(square);
            sums[slot].1 += 1;
        }
    });
    let own = sums.iter().filter(|(_, bonds)| *bonds > 0);
    let total: DVec2 = own.map(|&(sum, bonds)| sum / f64::from(bonds)).sum();
    total.length() / agents.len().max(1) as f64
}
