//! Warnings: a run that does not do what its set-up asks for, as data. Each front end words them with
//! the flags or the labels that mend the run.

use crate::scene::{Collisions, Setup, Solver, coordinate_step};

/// The least mean displacement in a substep, in steps of the coordinates. Rounding by half a step
/// then changes the speed of agents by at most a hundredth.
const MOVES_MIN: f32 = 50.0;

/// Overlap, as a share of the smaller radius, from which on agents that should press on each other
/// seem to lie on each other.
pub(crate) const DEEP: f32 = 0.25;

/// Threads per core above which they hinder each other more than they help.
const CROWD: usize = 8;

/// A warning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Warning {
    /// Agents moved so far in a substep that they may have missed others.
    LongMoves {
        /// The number of these moves, and their share of all.
        count: u64,
        share: f64,
        /// The longest move without that risk, world units, and the end of a sentence: this limit in
        /// words, and the possible effect.
        limit: f32,
        meaning: &'static str,
    },
    /// Displacements are so short that positions round them away.
    ShortMoves {
        /// Mean displacement in a substep, world units.
        moves: f32,
        /// The distance of two neighboring coordinates, world units.
        finest: f32,
        /// The factor by which displacements would have to be larger.
        factor: f32,
    },
    /// Collisions that should lose nothing do: the contact solver resolves them.
    LostEnergy,
    /// Agents that should press on each other overlap by up to this share of the smaller radius.
    DeepOverlap(f32),
    /// Threads share so few cores that they hinder each other.
    CrowdedThreads { threads: usize, cores: usize },
}

impl Warning {
    /// True if long moves are worth a warning: the user changed a value that decides how far agents
    /// move in a substep.
    /// With the scene's own values, some agents may pass through others, as intended.
    pub(crate) fn minds_long_moves(setup: &Setup) -> bool {
        let own = Setup::with_agents(setup.scene, setup.agents);
        let hurry = |it: &Setup| (it.radius, it.speed, it.gravity, it.hz, it.substeps);
        hurry(setup) != hurry(&own)
    }

    /// Long moves, if there were any in `steps` steps of `agents` agents.
    pub(crate) fn long_moves(setup: &Setup, agents: usize, steps: u64, count: u64) -> Option<Self> {
        let substeps = f64::from(setup.substeps_per_step());
        let share = count as f64 / (agents.max(1) as f64 * steps as f64 * substeps);
        let (limit, meaning) = match setup.collisions {
            Collisions::Overlap => {
                let meaning = "the smallest radius and may have passed through another agent";
                (setup.radius[0], meaning)
            }
            Collisions::Swept => {
                (2.0 * setup.radius[1], "the largest diameter and may have missed a collision")
            }
        };
        let minded = count > 0 && Self::minds_long_moves(setup);
        minded.then_some(Self::LongMoves { count, share, limit, meaning })
    }

    /// Short moves, if positions round them away.
    pub(crate) fn short_moves(setup: &Setup) -> Option<Self> {
        let moves = setup.speed / (setup.hz * setup.substeps_per_step() as f32);
        let finest = coordinate_step(&setup.world());
        let enough = setup.speed == 0.0 || setup.gravity != 0.0 || moves >= MOVES_MIN * finest;
        let factor = MOVES_MIN * finest / moves;
        (!enough).then_some(Self::ShortMoves { moves, finest, factor })
    }

    /// Lost energy, if collisions should lose none.
    pub(crate) fn lost_energy(setup: &Setup) -> Option<Self> {
        let elastic = setup.restitution >= 1.0;
        // What rubs loses energy by itself, and has no other solver.
        let smooth = setup.friction == 0.0;
        (elastic && smooth && setup.solver_in_use() == Solver::Contact).then_some(Self::LostEnergy)
    }

    /// A deep overlap, given the largest one. Agents that collide by impulses overlap for a step.
    pub(crate) fn deep_overlap(setup: &Setup, largest: f32) -> Option<Self> {
        let presses = setup.solver_in_use() == Solver::Contact;
        (presses && largest > DEEP).then_some(Self::DeepOverlap(largest))
    }

    /// Crowded threads, if there are that many threads.
    pub(crate) fn crowded_threads(threads: usize) -> Option<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (threads > CROWD * cores).then_some(Self::CrowdedThreads { threads, cores })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    #[test]
    fn only_a_solver_that_was_asked_for_loses_energy() {
        let elastic = Setup { gravity: 10.0, ..Setup::new(Scene::Gas) };
        assert_eq!(Warning::lost_energy(&elastic), None);
        let pressed = Setup { solver: Solver::Contact, ..elastic };
        assert_eq!(Warning::lost_energy(&pressed), Some(Warning::LostEnergy));
        let rough = Setup { friction: 0.5, ..pressed };
        assert_eq!(Warning::lost_energy(&rough), None);
        assert_eq!(Warning::lost_energy(&Setup { restitution: 0.9, ..pressed }), None);
    }

    #[test]
    fn no_scene_rounds_its_own_displacements_away() {
        for scene in Scene::ALL {
            assert_eq!(Warning::short_moves(&Setup::new(scene)), None, "{scene}");
        }
        // Its world is the largest.
        let slower = Setup { speed: 5.0, ..Setup::new(Scene::Sparse) };
        assert!(Warning::short_moves(&slower).is_some());
    }
}
