//! Walls and statics: when a path reaches one, and how the agent bounces off it.

use glam::Vec2;

use super::{
    notes::{LastHits, Notes},
    path,
};
use crate::{
    agents::{Agent, Agents, AgentsMut},
    exact::ExactSum,
    geometry::{Disc, DiscColumns, Elements, Rect},
    parallel,
    step::travel::{Hit, Surroundings},
};

/// Slots per task: whole words of bits. Few slots have something to do.
const PIECE: usize = 65_536;

/// Bounces off walls and statics, added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounces {
    pub(crate) count: usize,
    /// Momentum that walls took up.
    pub(crate) wall_impulse: ExactSum,
}

impl Bounces {
    /// The bounces of two groups of agents together.
    pub(super) fn merge(self, other: Self) -> Self {
        let wall_impulse = self.wall_impulse.merge(other.wall_impulse);
        Self { count: self.count + other.count, wall_impulse }
    }
}

/// Notes when agents hit walls and statics. `alone` has a bit for each agent, set if it may.
pub(super) fn note_hits(
    agents: &Agents,
    notes: Notes<'_>,
    alone: &[u64],
    around: Surroundings<'_>,
) {
    parallel::pieces(
        notes,
        PIECE,
        &|start, mut notes: Notes<'_>| {
            for slot in path::set_bits(alone, start..start + notes.state.len()) {
                let Agent { position, velocity, radius, .. } = agents.get(slot);
                let (disc, entry) = (Disc::new(position, radius), slot - start);
                if let Some(hit) = next_hit(disc, velocity, notes.last(entry), around) {
                    notes.note(entry, hit.time);
                }
            }
        },
        &|(), ()| (),
    );
}

/// Lets agents bounce off walls and statics if this is their next hit. `alone` has a bit for each
/// agent, set if it may. Adds up the bounces of the first `counted` agents.
pub(super) fn bounce_first(
    agents: &mut Agents,
    notes: Notes<'_>,
    alone: &[u64],
    counted: usize,
    around: Surroundings<'_>,
) -> Bounces {
    parallel::pieces(
        (agents.view_mut(), notes),
        PIECE,
        &|start, (agents, mut notes): (AgentsMut<'_>, Notes<'_>)| {
            let mut bounces = Bounces::default();
            for slot in path::set_bits(alone, start..start + notes.state.len()) {
                let entry = slot - start;
                let center = Vec2::new(agents.x[entry], agents.y[entry]);
                let velocity = Vec2::new(agents.vx[entry], agents.vy[entry]);
                let (disc, last) = (Disc::new(center, agents.radius[entry]), notes.last(entry));
                let hit = next_hit(disc, velocity, last, around);
                if let Some(hit) = hit.filter(|hit| notes.is_next(entry, hit.time)) {
                    let spin = agents.spin.get_mut(entry);
                    let (after, impulse) = hit.bounce(velocity, spin, disc.radius, around.motion);
                    // The new path leads through the place of the bounce.
                    let start = center + (velocity - after) * hit.time;
                    [agents.x[entry], agents.y[entry]] = start.to_array();
                    [agents.vx[entry], agents.vy[entry]] = after.to_array();
                    if slot < counted {
                        bounces.count += 1;
                        bounces.wall_impulse += impulse;
                    }
                    notes.take(entry, hit.time);
                }
            }
            bounces
        },
        &Bounces::merge,
    )
}

/// The bits of a word of slots: all, if one of their paths may reach a static.
pub(super) fn near_statics(word: usize, discs: DiscColumns<'_>, around: Surroundings<'_>) -> u64 {
    let range = word * 64..discs.x.len().min(word * 64 + 64);
    let count = range.len();
    let all = range.fold(Rect::EMPTY, |all, slot| all.union(&discs.shape(slot).bounds()));
    if around.is_clear(all) { 0 } else { u64::MAX >> (64 - count) }
}

/// Sets the bits of the agents that were hit in the step: their new paths may lead anywhere.
pub(super) fn add_hit(alone: &mut [u64], hits: LastHits<'_>) {
    parallel::pieces(
        alone,
        PIECE / 64,
        &|start, words: &mut [u64]| {
            for (word, bits) in (start..).zip(words) {
                *bits |= hits.bits(word);
            }
        },
        &|(), ()| (),
    );
}

/// The first wall or static that a disc reaches after its last hit, on a path that begins where it
/// is.
fn next_hit(disc: Disc, velocity: Vec2, last: f32, around: Surroundings<'_>) -> Option<Hit> {
    around.next_hit(disc, velocity, [last.max(0.0), around.motion.dt])
}
