//! What the agents are like, from a sample of them: cheap enough to be asked a few times a second.
//!
//! Half a million agents are not looked at one by one for a picture of two hundred pixels: some thousand,
//! evenly spread over the slots and so over the world, show the same. What is exact is the number of
//! contacts, and what memory there is.

use crate::{
    agents::Agents,
    grid::Grid,
    sim::{Bytes, Sim},
};

/// Agents that are asked, at most.
const ASKED: usize = 16_384;

/// Cells that are asked, about.
const CELLS: usize = 16_384;

/// Parts of the range of energies, and the range: times the mean.
pub(super) const ENERGIES: usize = 30;
pub(super) const ENERGY_MAX: f64 = 6.0;

/// Agents a cell that are told apart; the last stands for all above it.
pub(super) const OCCUPANTS: usize = 9;

/// The answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Survey {
    /// Steps done at that time.
    pub(super) steps: u64,
    /// Agents alive.
    pub(super) agents: usize,
    /// Mean speed of an agent, world units a second.
    pub(super) mean_speed: f64,
    /// Mean kinetic energy of an agent; mass is radius².
    pub(super) mean_energy: f64,
    /// Density of the agents' energies over their mean, in parts of [`ENERGY_MAX`]; integrates to 1, less
    /// those beyond.
    pub(super) energies: [f64; ENERGIES],
    /// Share of the loose cells that hold 0, 1, 2, … agents.
    pub(super) occupancy: [f64; OCCUPANTS],
    /// Mean agents a loose cell.
    pub(super) mean_occupancy: f64,
    /// Pairs that overlapped when the last step looked.
    pub(super) contacts: u64,
    /// Bytes held.
    pub(super) bytes: Bytes,
}

impl Survey {
    /// Asks a simulation.
    pub(super) fn of(sim: &Sim) -> Self {
        let mut survey = Self {
            steps: sim.steps(),
            agents: sim.agents().len(),
            contacts: sim.last_contacts(),
            bytes: sim.bytes(),
            ..Self::default()
        };
        survey.ask_agents(sim.agents());
        survey.ask_cells(sim.grid());
        survey
    }

    fn ask_agents(&mut self, agents: &Agents) {
        let step = agents.len().div_ceil(ASKED).max(1);
        let energies = || {
            (0..agents.len()).step_by(step).map(|slot| {
                let agent = agents.get(slot);
                let mass = f64::from(agent.radius) * f64::from(agent.radius);
                0.5 * mass * f64::from(agent.velocity.length_squared())
            })
        };
        let speeds = (0..agents.len()).step_by(step).map(|slot| agents.get(slot).velocity.length());
        let asked = energies().len().max(1) as f64;
        self.mean_speed = speeds.map(f64::from).sum::<f64>() / asked;
        self.mean_energy = energies().sum::<f64>() / asked;
        if self.mean_energy == 0.0 {
            return;
        }
        let parts_a_mean = ENERGIES as f64 / ENERGY_MAX;
        for energy in energies() {
            let part = (energy / self.mean_energy * parts_a_mean) as usize;
            if let Some(share) = self.energies.get_mut(part) {
                *share += parts_a_mean / asked;
            }
        }
    }

    fn ask_cells(&mut self, grid: &Grid) {
        let [_, rows] = grid.loose_cells();
        let step = grid.stored_cells().div_ceil(CELLS).max(1);
        let (mut cells, mut agents) = (0_u64, 0_u64);
        let mut counts = [0_u64; OCCUPANTS];
        // Whole rows: a few of them have cells enough.
        for row in (0..rows).step_by(step) {
            grid.visit_occupancy(row, |count| {
                cells += 1;
                agents += u64::from(count);
                counts[(count as usize).min(OCCUPANTS - 1)] += 1;
            });
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
    fn a_gas_has_the_energies_of_one() {
        let setup = Setup { agents: 20_000, density: 0.45, ..Setup::new(Scene::Gas) };
        let mut sim = Sim::new(&setup).unwrap();
        (0..400).for_each(|_| sim.step().unwrap());
        let survey = Survey::of(&sim);
        let width = ENERGY_MAX / ENERGIES as f64;
        for (part, density) in survey.energies.iter().enumerate() {
            let expected = (-(part as f64 + 0.5) * width).exp();
            assert!((density - expected).abs() < 0.06, "{part}: {density} and {expected}");
        }
        let exact = sim.agents().kinetic_energy() / sim.agents().len() as f64;
        assert!((survey.mean_energy / exact - 1.0).abs() < 0.03, "{exact} {}", survey.mean_energy);
    }

    #[test]
    fn cells_are_counted_and_contacts_are_those_of_the_step() {
        for scene in [Scene::Gas, Scene::Sparse, Scene::Pile] {
            let setup = Setup { agents: 5_000, ..Setup::new(scene) };
            let mut sim = Sim::new(&setup).unwrap();
            sim.step().unwrap();
            let survey = Survey::of(&sim);
            assert!((survey.occupancy.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(survey.mean_occupancy > 0.0);
            assert_eq!((survey.steps, survey.agents), (1, 5_000));
            let contacts = sim.contacts().unwrap().count() as u64;
            assert_eq!(Survey::of(&sim).contacts, contacts);
        }
    }

    #[test]
    fn a_world_at_rest_is_surveyed_too() {
        let setup = Setup { agents: 10, speed: 0.0, ..Setup::new(Scene::Gas) };
        let survey = Survey::of(&Sim::new(&setup).unwrap());
        assert_eq!((survey.mean_energy, survey.energies), (0.0, [0.0; ENERGIES]));
    }
}
