//! Statistics of the run at one moment: exact figures, and charts of a sample of agents and cells.
//!
//! The figures equal the figures of `jostle run` at the same step. They take a search for contacts
//! and a pass over all agents, so the panel has them a few times per second, with their step. A
//! chart of two hundred pixels does not need half a million agents: some thousand, evenly spaced
//! over the slots and so over the world, show the same.

use std::fmt;

use crate::{
    agents::Agents,
    error::Result,
    grid::Grid,
    sim::{Measures, RunMemory, Sim},
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

/// Exact figures of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StateFigures {
    /// Steps taken by that moment.
    pub(super) steps: u64,
    /// Agents alive.
    pub(super) agents: usize,
    /// Agents that don't sleep.
    pub(super) awake: usize,
    /// Contacts, overlap, energy and momentum.
    pub(super) measures: Measures,
    /// Mean speed of an agent, world units per second.
    pub(super) speed: f64,
    /// Share of a world of a given size that agents cover.
    pub(super) density: f64,
}

/// Statistics of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunStats {
    pub(super) figures: StateFigures,
    /// Memory of the simulation.
    pub(super) memory: RunMemory,
    /// Probability density of energy over mean energy in a sample, from 0 to [`ENERGY_MAX`]. It
    /// integrates to 1 less the share of larger energies.
    pub(super) energies: [f64; ENERGY_BINS],
    /// Share of the stored loose cells that hold 0, 1, 2, … agents, in a sample.
    pub(super) occupancy: [f64; OCCUPANCY_BINS],
    /// Mean number of agents per stored loose cell, in that sample.
    pub(super) mean_occupancy: f64,
}

impl fmt::Display for StateFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, agents, awake, measures, speed, .. } = self;
        let Measures { contacts, max_overlap: overlap, kinetic_energy: energy, .. } = measures;
        write!(f, "steps {steps} agents {agents} awake {awake} contacts {contacts} ")?;
        write!(f, "overlap {overlap} energy {energy} speed {speed}")
    }
}

impl StateFigures {
    /// k·T: the mean kinetic energy of an agent.
    pub(super) fn temperature(&self) -> f64 {
        self.measures.kinetic_energy / self.agents.max(1) as f64
    }
}

impl RunStats {
    /// Measures a simulation, on the threads of the pool that the caller is in.
    ///
    /// # Errors
    /// As [`Sim::measure`].
    pub(super) fn measure(sim: &mut Sim) -> Result<Self> {
        let figures = StateFigures {
            measures: sim.measure()?,
            steps: sim.steps(),
            agents: sim.agents().len(),
            awake: sim.awake(),
            speed: sim.agents().mean_speed(),
            density: sim.setup().world.map_or(0.0, |_| sim.density()),
        };
        let mut stats = Self { figures, memory: sim.memory(), ..Self::default() };
        stats.sample_agents(sim.agents());
        stats.sample_cells(sim.grid());
        Ok(stats)
    }

    fn sample_agents(&mut self, agents: &Agents) {
        let mean = self.figures.temperature();
        if mean == 0.0 {
            return;
        }
        let step = agents.len().div_ceil(AGENTS_MAX).max(1);
        let sample = (0..agents.len()).step_by(step).map(|slot| agents.get(slot));
        let (sampled, bins_per_mean) = (sample.len() as f64, ENERGY_BINS as f64 / ENERGY_MAX);
        for agent in sample {
            let mass = f64::from(agent.radius) * f64::from(agent.radius);
            let energy = 0.5 * mass * f64::from(agent.velocity.length_squared());
            let bin = (energy / mean * bins_per_mean) as usize;
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
        let stats = RunStats::measure(&mut sim).unwrap();
        let width = ENERGY_MAX / ENERGY_BINS as f64;
        for (bin, density) in stats.energies.iter().enumerate() {
            let expected = (-(bin as f64 + 0.5) * width).exp();
            assert!((density - expected).abs() < 0.06, "{bin}: {density}, expected {expected}");
        }
    }

    #[test]
    fn occupancy_sums_to_one_and_agents_at_rest_have_no_energy() {
        for scene in [Scene::Gas, Scene::Sparse, Scene::Pile] {
            let setup = Setup { agents: 5_000, speed: 0.0, ..Setup::new(scene) };
            let stats = RunStats::measure(&mut Sim::new(&setup).unwrap()).unwrap();
            assert!((stats.occupancy.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(stats.mean_occupancy > 0.0);
            assert_eq!(
                (stats.figures.measures.kinetic_energy, stats.energies),
                (0.0, [0.0; ENERGY_BINS])
            );
        }
    }
    /// Few giants have most of the energy, and a sample misses most of them.
    #[test]
    fn figures_are_those_of_all_agents() {
        let setup = Setup { agents: 50_000, ..Setup::new(Scene::Giants) };
        let mut sim = Sim::new(&setup).unwrap();
        (0..5).for_each(|_| sim.step().unwrap());
        let figures = RunStats::measure(&mut sim).unwrap().figures;
        assert_eq!(figures.measures.kinetic_energy, sim.agents().kinetic_energy());
        assert_eq!(figures.measures.contacts, sim.contacts().unwrap().count() as u64);
        let agents = sim.agents();
        let speeds = (0..agents.len()).map(|slot| f64::from(agents.get(slot).velocity.length()));
        let speed = speeds.sum::<f64>() / agents.len() as f64;
        assert!((figures.speed / speed - 1.0).abs() < 1e-6, "{} {speed}", figures.speed);
    }
}
