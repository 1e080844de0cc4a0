//! Statistics of the agents and cells from a sample, cheap enough to compute a few times per
//! second.
//!
//! A chart of two hundred pixels does not need half a million agents. Some thousand agents, evenly
//! spaced over the slots and so over the world, show the same. The number of contacts and the
//! memory are exact.

use crate::{
    agents::Agents,
    grid::Grid,
    sim::{Bytes, Sim},
};

/// Largest number of agents in a sample.
const AGENTS_MAX: usize = 16_384;

/// Approximate number of loose cells in a sample.
const CELLS: usize = 16_384;

/// Bins of the histogram of energies.
pub(super) const ENERGY_BINS: usize = 30;

/// Upper end of the histogram of energies, in multiples of the mean energy.
pub(super) const ENERGY_MAX: f64 = 6.0;

/// Bins of the histogram of agents per cell; the last bin counts all larger numbers too.
pub(super) const OCCUPANCY_BINS: usize = 9;

/// Statistics of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SampledStats {
    /// Steps taken by that moment.
    pub(super) steps: u64,
    /// Agents alive.
    pub(super) agents: usize,
    /// Mean speed of an agent, world units per second.
    pub(super) mean_speed: f64,
    /// Mean kinetic energy of an agent; mass is radius².
    pub(super) mean_energy: f64,
    /// Probability density of energy over mean energy, from 0 to [`ENERGY_MAX`]. It integrates to 1
    /// less the share of larger energies.
    pub(super) energies: [f64; ENERGY_BINS],
    /// Share of the stored loose cells that hold 0, 1, 2, … agents.
    pub(super) occupancy: [f64; OCCUPANCY_BINS],
    /// Mean number of agents per stored loose cell.
    pub(super) mean_occupancy: f64,
    /// Overlapping pairs found by the last step.
    pub(super) contacts: u64,
    /// Memory of the simulation.
    pub(super) bytes: Bytes,
}

impl SampledStats {
    /// Samples a simulation.
    pub(super) fn from_sim(sim: &Sim) -> Self {
        let mut stats = Self {
            steps: sim.steps(),
            agents: sim.agents().len(),
            contacts: sim.last_contacts(),
            bytes: sim.bytes(),
            ..Self::default()
        };
        stats.sample_agents(sim.agents());
        stats.sample_cells(sim.grid());
        stats
    }

    fn sample_agents(&mut self, agents: &Agents) {
        let step = agents.len().div_ceil(AGENTS_MAX).max(1);
        let sample = || (0..agents.len()).step_by(step).map(|slot| agents.get(slot));
        let energies = || {
            sample().map(|agent| {
                let mass = f64::from(agent.radius) * f64::from(agent.radius);
                0.5 * mass * f64::from(agent.velocity.length_squared())
            })
        };
        let sampled = sample().len().max(1) as f64;
        let speeds = sample().map(|agent| f64::from(agent.velocity.length()));
        self.mean_speed = speeds.sum::<f64>() / sampled;
        self.mean_energy = energies().sum::<f64>() / sampled;
        if self.mean_energy == 0.0 {
            return;
        }
        let bins_per_mean = ENERGY_BINS as f64 / ENERGY_MAX;
        for energy in energies() {
            let bin = (energy / self.mean_energy * bins_per_mean) as usize;
            if let Some(density) = self.energies.get_mut(bin) {
                *density += bins_per_mean / sampled;
            }
        }
    }

    fn sample_cells(&mut self, grid: &Grid) {
        let [_, rows] = grid.loose_cells();
        let step = grid.stored_cells().div_ceil(CELLS).max(1);
        let (mut cells, mut agents) = (0_u64, 0_u64);
        let mut counts = [0_u64; OCCUPANCY_BINS];
        // Rows are sampled whole: a few of them have enough cells.
        for row in (0..rows).step_by(step) {
            for count in grid.occupancy(row) {
                cells += 1;
                agents += u64::from(count);
                counts[(count as usize).min(OCCUPANCY_BINS - 1)] += 1;
            }
        }
        let all = cells.max(1) as f64;
        self.occupancy = counts.map(|count| count as f64 / all);
        self.mean_occupancy = agents as f64 / all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, Setup};

    #[test]
    fn energies_of_a_gas_follow_the_boltzmann_distribution() {
        let setup = Setup { agents: 20_000, density: 0.45, ..Setup::new(Scene::Gas) };
        let mut sim = Sim::new(&setup).unwrap();
        (0..400).for_each(|_| sim.step().unwrap());
        let stats = SampledStats::from_sim(&sim);
        let width = ENERGY_MAX / ENERGY_BINS as f64;
        for (bin, density) in stats.energies.iter().enumerate() {
            let expected = (-(bin as f64 + 0.5) * width).exp();
            assert!((density - expected).abs() < 0.06, "{bin}: {density}, expected {expected}");
        }
        let exact = sim.agents().kinetic_energy() / sim.agents().len() as f64;
        assert!((stats.mean_energy / exact - 1.0).abs() < 0.03, "{exact} {}", stats.mean_energy);
    }

    #[test]
    fn occupancy_sums_to_one_and_agents_at_rest_have_no_energy() {
        for scene in [Scene::Gas, Scene::Sparse, Scene::Pile] {
            let setup = Setup { agents: 5_000, speed: 0.0, ..Setup::new(scene) };
            let stats = SampledStats::from_sim(&Sim::new(&setup).unwrap());
            assert!((stats.occupancy.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(stats.mean_occupancy > 0.0);
            assert_eq!((stats.mean_energy, stats.energies), (0.0, [0.0; ENERGY_BINS]));
        }
    }
}
