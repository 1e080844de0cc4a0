//! Accuracy: set-ups with steps that are too short or too long for the speed of their agents.

use super::{Collisions, Setup, coordinate_step};

/// The least mean displacement in a substep, in steps of the coordinates. Rounding by half a step
/// then changes the speed of agents by at most a hundredth.
const MOVES_MIN: f32 = 50.0;

/// Displacements that rounding changes noticeably, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RoundedMoves {
    /// Mean displacement in a substep.
    pub(crate) moves: f32,
    /// The distance of two neighboring coordinates.
    pub(crate) finest: f32,
    /// The factor by which displacements would have to be larger.
    pub(crate) factor: f32,
}

impl Setup {
    /// The displacements of the set-up, if they are so short that positions round them away.
    pub(crate) fn rounded_moves(&self) -> Option<RoundedMoves> {
        let moves = self.speed / (self.hz * self.substeps_per_step() as f32);
        let finest = coordinate_step(&self.world());
        let enough = self.speed == 0.0 || self.gravity != 0.0 || moves >= MOVES_MIN * finest;
        (!enough).then(|| RoundedMoves { moves, finest, factor: MOVES_MIN * finest / moves })
    }

    /// The longest displacement in a substep with which no agent misses another, world units.
    pub(crate) fn free_move(&self) -> f32 {
        match self.collisions {
            Collisions::Overlap => self.radius[0],
            Collisions::Swept => 2.0 * self.radius[1],
        }
    }

    /// The end of a sentence about agents with longer displacements: the limit, and the possible
    /// effect.
    pub(crate) fn long_moves(&self) -> &'static str {
        match self.collisions {
            Collisions::Overlap => "the smallest radius and may have passed through another agent",
            Collisions::Swept => "the largest diameter and may have missed a collision",
        }
    }

    /// True if the user changed a value that decides how far agents move in a substep. With the
    /// scene's own values, some agents may pass through others, as intended.
    pub(crate) fn is_hurried(&self) -> bool {
        let own = Self::with_agents(self.scene, self.agents);
        let hurry = |it: &Self| (it.radius, it.speed, it.gravity, it.hz, it.substeps);
        hurry(self) != hurry(&own)
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Scene, Setup};

    #[test]
    fn no_scene_rounds_its_own_displacements_away() {
        for scene in Scene::ALL {
            assert_eq!(Setup::new(scene).rounded_moves(), None, "{scene}");
        }
        // Its world is the largest.
        let slower = Setup { speed: 5.0, ..Setup::new(Scene::Sparse) };
        assert!(slower.rounded_moves().is_some());
    }
}
