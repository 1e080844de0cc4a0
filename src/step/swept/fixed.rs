//! Walls and statics: when a path reaches one, and how the agent bounces off it.

use glam::Vec2;

use super::{notes::Notes, path};
use crate::{
    agents::{Agents, AgentsMut},
    geometry::{Disc, DiscColumns, Elements, Rect},
    parallel,
    statics::{Rounded, Statics},
    step::motion::Motion,
};

/// Slots per task: whole words of bits. Few slots have something to do.
const PIECE: usize = 65_536;

/// Steps of Newton's method towards a static, and the gap at which it is reached, as a share of the
/// radius.
const NEWTON: usize = 16;
const GAP: f32 = 1e-5;

/// A wall or static that an agent reaches on its path.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// Seconds since the start of the step.
    time: f32,
    /// The unit vector out of the wall or static.
    normal: Vec2,
    is_wall: bool,
}

/// Bounces off walls and statics, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounces {
    pub(super) count: usize,
    /// Momentum that walls took up.
    pub(super) wall_impulse: f64,
}

impl Bounces {
    /// The bounces of two groups of agents together.
    pub(super) fn merge(self, other: Self) -> Self {
        let wall_impulse = self.wall_impulse + other.wall_impulse;
        Self { count: self.count + other.count, wall_impulse }
    }
}

/// Notes when agents hit walls and statics. `alone` has a bit for each agent, set if it may.
pub(super) fn note_hits(
    agents: &Agents,
    notes: Notes<'_>,
    alone: &[u64],
    motion: &Motion,
    statics: &Statics,
) {
    parallel::pieces(
        notes,
        PIECE,
        &|start, mut notes: Notes<'_>| {
            for slot in path::set_bits(alone, start..start + notes.state.len()) {
                let entry = slot - start;
                let velocity = Vec2::new(agents.vx[slot], agents.vy[slot]);
                let (disc, last) = (agents.shape(slot), notes.last(entry));
                if let Some(hit) = next_hit(disc, velocity, last, motion, statics) {
                    notes.note(entry, hit.time);
                }
            }
        },
        &|(), ()| (),
    );
}

/// Lets agents bounce off walls and statics if this is their next hit. `alone` has a bit for each
/// agent, set if it may.
pub(super) fn bounce_first(
    agents: &mut Agents,
    notes: Notes<'_>,
    alone: &[u64],
    motion: &Motion,
    statics: &Statics,
) -> Bounces {
    parallel::pieces(
        (agents.view_mut(), notes),
        PIECE,
        &|start, (mut agents, mut notes): (AgentsMut<'_>, Notes<'_>)| {
            let mut bounces = Bounces::default();
            for slot in path::set_bits(alone, start..start + notes.state.len()) {
                let entry = slot - start;
                let center = Vec2::new(agents.x[entry], agents.y[entry]);
                let velocity = Vec2::new(agents.vx[entry], agents.vy[entry]);
                let (disc, last) = (Disc::new(center, agents.radius[entry]), notes.last(entry));
                let hit = next_hit(disc, velocity, last, motion, statics);
                if let Some(hit) = hit.filter(|hit| notes.is_next(entry, hit.time)) {
                    bounces.count += 1;
                    bounces.wall_impulse += bounce(&mut agents, entry, &hit, motion);
                    notes.take(entry, hit.time);
                }
            }
            bounces
        },
        &Bounces::merge,
    )
}

/// The bits of a word of slots: all, if one of their paths may reach a static.
pub(super) fn near_statics(
    word: usize,
    discs: DiscColumns<'_>,
    motion: &Motion,
    statics: &Statics,
) -> u64 {
    let range = word * 64..discs.x.len().min(word * 64 + 64);
    let count = range.len();
    let all = range.fold(Rect::EMPTY, |all, slot| all.union(&discs.shape(slot).bounds()));
    let clear = |shift| statics.is_clear(&all.shifted(shift));
    if motion.space.copies(all, motion.world).all(clear) { 0 } else { u64::MAX >> (64 - count) }
}

/// The first wall or static that a disc reaches after its last collision, on a path that begins
/// where it is.
fn next_hit(
    disc: Disc,
    velocity: Vec2,
    since: f32,
    motion: &Motion,
    statics: &Statics,
) -> Option<Hit> {
    let Disc { center: at, radius } = disc;
    let from = since.max(0.0);
    let mut next: Option<Hit> = None;
    let mut offer = |hit: Hit| {
        if next.is_none_or(|next| hit.time < next.time) {
            next = Some(hit);
        }
    };
    for (axis, repeats) in motion.space.repeats().into_iter().enumerate() {
        let speed = velocity[axis];
        if repeats || speed == 0.0 {
            continue;
        }
        let limit = if speed > 0.0 {
            motion.world.max[axis] - radius
        } else {
            motion.world.min[axis] + radius
        };
        let time = ((limit - at[axis]) / speed).max(from);
        if time <= motion.dt {
            let mut normal = Vec2::ZERO;
            normal[axis] = -speed.signum();
            offer(Hit { time, normal, is_wall: true });
        }
    }
    if !statics.is_empty() {
        let [start, end] = [from, motion.dt].map(|time| at + velocity * time);
        let area = Rect::new(start.min(end), start.max(end)).expanded(radius);
        for shift in motion.space.copies(area, motion.world) {
            statics.visit_near(&area.shifted(shift), |index| {
                let shape = statics.rounded(index);
                let reached = reach(&shape, at + shift, velocity, radius, from, motion);
                if let Some((time, normal)) = reached {
                    offer(Hit { time, normal, is_wall: false });
                }
            });
        }
    }
    next
}

/// The time at which a disc on its path reaches a static, and the normal there. The distance from a
/// convex shape is a convex function of time, so that Newton's method never goes too far.
fn reach(
    shape: &Rounded,
    at: Vec2,
    velocity: Vec2,
    radius: f32,
    from: f32,
    motion: &Motion,
) -> Option<(f32, Vec2)> {
    let mut time = from;
    for _ in 0..NEWTON {
        let (normal, gap) = shape.separation(at + velocity * time, radius, &motion.world);
        let approach = -velocity.dot(normal);
        if approach <= 0.0 {
            return None;
        }
        if gap <= GAP * radius {
            return Some((time, normal));
        }
        time += gap / approach;
        if time > motion.dt {
            return None;
        }
    }
    let (normal, _) = shape.separation(at + velocity * time, radius, &motion.world);
    Some((time, normal))
}

/// Lets an entry of a view bounce; returns the momentum that a wall has taken up.
fn bounce(agents: &mut AgentsMut<'_>, entry: usize, hit: &Hit, motion: &Motion) -> f64 {
    let before = Vec2::new(agents.vx[entry], agents.vy[entry]);
    let radius = agents.radius[entry];
    let speed = before.dot(hit.normal);
    let after = before - hit.normal * ((1.0 + motion.restitution) * speed);
    [agents.vx[entry], agents.vy[entry]] = after.to_array();
    // The new path leads through the place of the bounce.
    agents.x[entry] += (before.x - after.x) * hit.time;
    agents.y[entry] += (before.y - after.y) * hit.time;
    let impulse = (1.0 + motion.restitution) * speed.abs();
    if hit.is_wall { f64::from(radius * radius * impulse) } else { 0.0 }
}
