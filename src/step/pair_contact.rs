//! The contact of one pair of agents: the normal, the overlap and the mass shares of a pair, and
//! the corrections along the normal.

use std::ops::AddAssign;

use glam::Vec2;

use super::rub;
use crate::{
    agents::AgentsMut,
    contacts::{Pair, RecordedContact},
    geometry::center_line,
    solver::coulomb::Roughness,
};

/// Impulses between agents, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Exchange {
    /// Number of impulses.
    pub collisions: u64,
    /// Σ impulse · distance of the centers: what collisions add to the pressure.
    pub virial: f64,
}

impl AddAssign for Exchange {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.collisions += other.collisions;
        self.virial += other.virial;
    }
}

/// A pair of agents as it is now.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairContact {
    /// Entry of the first agent in the view that the contact was computed from.
    pub(super) i: usize,
    /// Entry of the second agent.
    pub(super) j: usize,
    /// Unit vector from i to j.
    normal: Vec2,
    /// World units; negative if there is a gap.
    pub(super) overlap: f32,
    /// The share of a correction that i takes, and that j takes: the lighter takes more.
    share: [f32; 2],
}

impl PairContact {
    /// The contact of a pair, if the two still overlap. `nearest` turns the displacement
    /// between the two into the displacement between the copies that may touch.
    #[inline(always)]
    pub(super) fn overlapping(
        agents: &AgentsMut<'_>,
        pair: Pair,
        nearest: impl Fn(Vec2) -> Vec2,
    ) -> Option<Self> {
        let contact = Self::new(agents, pair, nearest);
        (contact.overlap > 0.0).then_some(contact)
    }

    /// The contact of a pair, whether the two overlap or not. Mass is radius².
    #[inline(always)]
    pub(super) fn new(agents: &AgentsMut<'_>, pair: Pair, nearest: impl Fn(Vec2) -> Vec2) -> Self {
        let [i, j] = pair.map(|slot| slot as usize - agents.first);
        let (ri, rj) = (agents.radius[i], agents.radius[j]);
        let delta = nearest(Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]));
        let (normal, distance) = center_line(delta, [agents.id[i], agents.id[j]]);
        let (mass_i, mass_j) = (ri * ri, rj * rj);
        let total = mass_i + mass_j;
        Self { i, j, normal, overlap: ri + rj - distance, share: [mass_j / total, mass_i / total] }
    }

    /// Speed at which the two separate along the normal; negative if they approach.
    #[inline(always)]
    pub(super) fn separation_speed(&self, agents: &AgentsMut<'_>) -> f32 {
        let Self { i, j, normal, .. } = *self;
        (agents.vx[j] - agents.vx[i]) * normal.x + (agents.vy[j] - agents.vy[i]) * normal.y
    }

    /// The exchange of an impulse that adds `change` to the separation speed.
    #[inline(always)]
    pub(super) fn exchange(&self, agents: &AgentsMut<'_>, change: f32) -> Exchange {
        let (ri, rj) = (agents.radius[self.i], agents.radius[self.j]);
        let impulse = ri * ri * self.share[0] * change;
        Exchange { collisions: 1, virial: f64::from(impulse * (ri + rj - self.overlap)) }
    }

    /// The contact with the impulse that adds `change` to the separation speed.
    pub(super) fn record(&self, agents: &AgentsMut<'_>, change: f32) -> RecordedContact {
        let Self { i, j, normal, overlap, share } = *self;
        let impulse = agents.radius[i] * agents.radius[i] * share[0] * change;
        RecordedContact::new([agents.id[i], agents.id[j]], normal, overlap, impulse)
    }

    /// Adds `change` to the separation speed.
    #[inline(always)]
    pub(super) fn push_velocities(&self, agents: &mut AgentsMut<'_>, change: f32) {
        let Self { i, j, normal, share, .. } = *self;
        agents.vx[i] -= share[0] * change * normal.x;
        agents.vy[i] -= share[0] * change * normal.y;
        agents.vx[j] += share[1] * change * normal.x;
        agents.vy[j] += share[1] * change * normal.y;
    }

    /// Rubs the two against each other, as an impulse that added `change` to the separation speed
    /// presses them together.
    pub(super) fn rub(&self, agents: &mut AgentsMut<'_>, change: f32, roughness: Roughness) {
        let Self { i, j, normal, overlap, .. } = *self;
        let distance = agents.radius[i] + agents.radius[j] - overlap;
        rub::rub_pair(agents, [i, j], (normal * distance).as_dvec2(), change.into(), roughness);
    }

    /// Moves the two apart by `distance`.
    #[inline(always)]
    pub(super) fn push_positions(&self, agents: &mut AgentsMut<'_>, distance: f32) {
        let Self { i, j, normal, share, .. } = *self;
        agents.x[i] -= share[0] * distance * normal.x;
        agents.y[i] -= share[0] * distance * normal.y;
        agents.x[j] += share[1] * distance * normal.x;
        agents.y[j] += share[1] * distance * normal.y;
    }
}
