//! The queue: what happens next, in the order of time.
//!
//! An event was predicted from two paths. It is void if one of the agents has collided since, which
//! its stamps show. Events at the same time come in the order of the agents' ids.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use glam::Vec2;

use super::path;
use crate::{
    agents::Agents,
    alloc,
    contacts::{Exchange, Pair},
    error::Result,
    statics::Statics,
    step::{finder::SPREAD_OUT, motion::Motion},
};

/// What the memory is for, in errors.
pub(super) const PATHS: &str = "the paths of swept collisions";

/// Marks a partner that is no agent: one of the four walls, or a static.
const FIXED: u32 = 1 << 31;
const WALLS: u32 = 4;

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweptMoves {
    /// Impulses between agents.
    pub exchange: Exchange,
    /// Momentum that walls took up.
    pub wall_impulse: f64,
    /// Moves that may have missed a collision: paths too long for their discs, and events that were
    /// left to the next step.
    pub missed: u64,
}

/// Something that happens to an agent, or to two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact {
    /// Seconds since the start of the step.
    pub(super) time: f32,
    slot: u32,
    other: u32,
    /// When the two had last collided when the event was predicted.
    pub(super) stamps: [f32; 2],
    /// The ids, the lower first; of a wall or a static, its number.
    key: [u32; 2],
}

impl Impact {
    /// The collision of a pair.
    #[inline]
    pub(super) fn new(time: f32, [slot, other]: Pair, stamps: [f32; 2], agents: &Agents) -> Self {
        let [one, two] = [slot, other].map(|slot| agents.id[slot as usize]);
        Self { time, slot, other, stamps, key: [one.min(two), one.max(two)] }
    }

    /// The collision of an agent with a wall: along an axis, at its lower or upper end.
    pub(super) fn wall(time: f32, slot: usize, side: u32, stamp: f32, agents: &Agents) -> Self {
        let other = FIXED | side;
        Self { time, slot: slot as u32, other, stamps: [stamp; 2], key: [agents.id[slot], other] }
    }

    /// The collision of an agent with a static.
    pub(super) fn fixed(time: f32, slot: usize, at: usize, stamp: f32, agents: &Agents) -> Self {
        Self::wall(time, slot, WALLS + at as u32, stamp, agents)
    }

    /// The slot of the second agent, if there is one.
    pub(super) fn other_slot(&self) -> Option<usize> {
        (self.other & FIXED == 0).then_some(self.other as usize)
    }

    /// The slots of the agents.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        std::iter::once(self.slot as usize).chain(self.other_slot())
    }
}

impl Ord for Impact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.key.cmp(&other.key))
    }
}

impl PartialOrd for Impact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Impact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Impact {}

/// Queues an event.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn push(queue: &mut BinaryHeap<Reverse<Impact>>, event: Impact) -> Result<()> {
    alloc::with_remedy(alloc::reserve_in_heap(queue, PATHS), SPREAD_OUT)?;
    queue.push(Reverse(event));
    Ok(())
}

/// Lets an event happen.
pub(super) fn happen(
    event: &Impact,
    agents: &mut Agents,
    since: &mut [f32],
    motion: &Motion,
    statics: &Statics,
    moves: &mut SweptMoves,
) {
    let (slot, time) = (event.slot as usize, event.time);
    if event.other & FIXED == 0 {
        let pair = [event.slot, event.other];
        moves.exchange += path::collide(&mut agents.view_mut(), since, pair, time, motion);
        return;
    }
    let before = Vec2::new(agents.vx[slot], agents.vy[slot]);
    let radius = agents.radius[slot];
    let side = event.other & !FIXED;
    let after = if side < WALLS {
        let mut after = before;
        let axis = side as usize / 2;
        after[axis] *= -motion.restitution;
        moves.wall_impulse += f64::from(radius * radius * (before[axis] - after[axis]).abs());
        after
    } else {
        let at = Vec2::new(agents.x[slot], agents.y[slot]) + before * time;
        let shape = statics.rounded((side - WALLS) as usize);
        let nearest = motion
            .space
            .shifts()
            .chain([Vec2::ZERO])
            .map(|shift| shape.separation(at + shift, radius, &motion.world))
            .min_by(|one, other| one.1.total_cmp(&other.1));
        let normal = nearest.map_or(Vec2::ZERO, |(normal, _)| normal);
        let speed = before.dot(normal);
        if speed < 0.0 { before - normal * ((1.0 + motion.restitution) * speed) } else { before }
    };
    [agents.vx[slot], agents.vy[slot]] = after.to_array();
    agents.x[slot] += (before.x - after.x) * time;
    agents.y[slot] += (before.y - after.y) * time;
    since[slot] = path::stamp(since[slot], time);
}
