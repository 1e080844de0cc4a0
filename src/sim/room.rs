//! Room for agents that come back to where others are by now.

use glam::Vec2;

use super::{Sim, check, interact::intersects};
use crate::{agents::Spawn, geometry::Disc};

/// Candidates that are tried for one agent: the last one is 45 radii away.
const CANDIDATES: u32 = 400;

/// Candidates that one call tries, so that undo of a large stroke does not hold up the window.
const CANDIDATES_MAX: u32 = 131_072;

/// Agents that are compared with each other; more would take time by the square of their number.
const COMPARED: usize = 4_096;

/// Distance of the first candidate from the agent's own position, as a share of the radius.
const SPACING: f32 = 0.5;

/// Turn from one candidate to the next by the golden angle, which spreads them evenly: cosine and sine.
const TURN: Vec2 = Vec2::new(-0.737_368_9, 0.675_490_3);

/// Part of an agent's radius that others must leave free, or its position is taken. The deepest
/// overlaps of a gas are less.
const KERNEL: f32 = 0.25;

impl Sim {
    /// Moves agents that are to come back to the nearest free positions, where others are in theirs by
    /// now. One that has none near stays where it was.
    ///
    /// The contact solver pushes agents apart slowly, and needs no help. The others do so at once, so
    /// that all of a crowd would jump.
    pub(crate) fn make_room(&self, spawns: &mut [Spawn]) {
        if self.solver.is_some() || !self.collides() {
            return;
        }
        let (space, mut left) = (self.space(), CANDIDATES_MAX);
        for at in 0..spawns.len() {
            let (placed, others) = spawns.split_at_mut(at);
            let near = &placed[placed.len().saturating_sub(COMPARED)..];
            let Some(Spawn { position, radius, .. }) = others.first_mut() else { return };
            let is_free = |center: Vec2, radius: f32| {
                let disc = Disc { center, radius };
                self.is_free(disc) && !near.iter().any(|other| intersects(other, disc, &space))
            };
            if is_free(*position, KERNEL * *radius) {
                continue;
            }
            let mut direction = Vec2::X;
            for candidate in 1..=CANDIDATES.min(left) {
                left -= 1;
                direction = direction.rotate(TURN);
                // Sparser and sparser: farther away there is more room.
                let root = (candidate as f32).sqrt();
                let distance = SPACING * *radius * root * root.sqrt();
                let center = space.wrapped(*position + direction * distance);
                if check::position(center, *radius, &space).is_ok() && is_free(center, *radius) {
                    *position = center;
                    break;
                }
            }
        }
    }
}
