//! Room for agents that come back to where others are by now.

use glam::Vec2;

use super::{Sim, check, interact::intersects};
use crate::{agents::Spawn, geometry::Disc};

/// Places that are tried for one agent: the last one is 45 radii away.
const PLACES: u32 = 400;

/// Places that one call tries, so that undo of a large stroke does not hold up the window.
const PLACES_MAX: u32 = 131_072;

/// Distance of the first place from the agent's own, as a share of the radius.
const SPACING: f32 = 0.5;

/// Turn from one place to the next by the golden angle, which spreads them evenly: cosine and sine.
const TURN: Vec2 = Vec2::new(-0.737_368_9, 0.675_490_3);

/// Part of an agent's radius that others must leave free, or it has lost its place. The deepest overlaps of a
/// gas are less.
const KERNEL: f32 = 0.25;

impl Sim {
    /// Moves agents that are to come back to the nearest free places, where others are in theirs by now. One that
    /// has no free place near stays where it was.
    ///
    /// The contact solver pushes agents apart slowly, and needs no help. The others do so at once, so that all of
    /// a crowd would jump.
    pub(crate) fn make_room(&self, spawns: &mut [Spawn]) {
        if self.solver.is_some() || !self.collides() {
            return;
        }
        let (space, mut left) = (self.space(), PLACES_MAX);
        for at in 0..spawns.len() {
            let (placed, others) = spawns.split_at_mut(at);
            let Some(Spawn { position, radius, .. }) = others.first_mut() else { return };
            let is_free = |center: Vec2, radius: f32| {
                let disc = Disc { center, radius };
                self.is_free(disc) && !placed.iter().any(|other| intersects(other, disc, &space))
            };
            if is_free(*position, KERNEL * *radius) {
                continue;
            }
            let mut direction = Vec2::X;
            for place in 1..=PLACES.min(left) {
                left -= 1;
                direction = direction.rotate(TURN);
                // Sparser and sparser: farther away there is more room.
                let root = (place as f32).sqrt();
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
