//! The search for what an agent hits next on its path.

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

use glam::Vec2;

use super::{
    path::{self, touch},
    queue::{self, Impact},
};
use crate::{
    agents::Agents,
    error::Result,
    geometry::{DiscColumns, Rect},
    grid::Grid,
    simd::lanes::{LANES, LaneKernel, OverlapLanes},
    statics::{Rounded, Statics},
    step::motion::Motion,
};

/// Steps of Newton's method towards a static, and the gap at which it is reached, as a share of the
/// radius.
const NEWTON: usize = 16;
const GAP: f32 = 1e-5;

/// Finds the time of the next event of some agents.
pub(super) struct SearchNext<'a> {
    pub(super) search: Search<'a>,
    /// The agents to search for.
    pub(super) alone: &'a [u64],
    pub(super) start: usize,
    pub(super) first: &'a mut [f32],
}

impl LaneKernel for SearchNext<'_> {
    #[inline(always)]
    fn run(self, lanes: impl OverlapLanes) {
        let Self { search, alone, start, first } = self;
        let words = start / 64..(start + first.len()).div_ceil(64);
        for entry in path::set_bits(&alone[words]) {
            let mut next = f32::INFINITY;
            search.all(lanes, start + entry, &mut |event| next = next.min(event.time));
            first[entry] = next;
        }
    }
}

/// Queues all that an agent may hit on its path.
pub(super) struct SearchAll<'a> {
    pub(super) search: Search<'a>,
    pub(super) slot: usize,
    pub(super) queue: &'a mut BinaryHeap<Reverse<Impact>>,
    /// An error if there is not enough memory.
    pub(super) kept: &'a mut Result<()>,
}

impl LaneKernel for SearchAll<'_> {
    #[inline(always)]
    fn run(self, lanes: impl OverlapLanes) {
        let Self { search, slot, queue, kept } = self;
        search.all(lanes, slot, &mut |event| {
            if kept.is_ok() {
                *kept = queue::push(queue, event);
            }
        });
    }
}

/// Finds the agents that an agent hits.
pub(super) struct SearchAgents<'a, F> {
    pub(super) search: Search<'a>,
    pub(super) slot: usize,
    pub(super) found: &'a mut F,
}

impl<F: FnMut(Impact)> LaneKernel for SearchAgents<'_, F> {
    #[inline(always)]
    fn run(self, lanes: impl OverlapLanes) {
        self.search.agents(lanes, self.slot, self.found);
    }
}

/// Everything that an agent may hit. The grid is exact for the discs around the paths with which the
/// step began.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) agents: &'a Agents,
    pub(super) since: &'a [f32],
    /// Discs around the paths; around what is left of them, where agents have collided.
    pub(super) covers: DiscColumns<'a>,
    pub(super) grid: &'a Grid,
    pub(super) motion: &'a Motion,
    pub(super) statics: &'a Statics,
}

impl Search<'_> {
    #[inline(always)]
    fn all(&self, lanes: impl OverlapLanes, slot: usize, found: &mut impl FnMut(Impact)) {
        self.fixed(slot, found);
        self.agents(lanes, slot, found);
    }

    #[inline(always)]
    fn position(&self, slot: usize) -> Vec2 {
        Vec2::new(self.agents.x[slot], self.agents.y[slot])
    }

    #[inline(always)]
    fn velocity(&self, slot: usize) -> Vec2 {
        Vec2::new(self.agents.vx[slot], self.agents.vy[slot])
    }

    /// Where the path of an agent leads from its last collision on: the rectangle that it sweeps.
    fn swept(&self, slot: usize, from: f32) -> Rect {
        let (at, velocity) = (self.position(slot), self.velocity(slot));
        let [start, end] = [from, self.motion.dt].map(|time| at + velocity * time);
        Rect::new(start.min(end), start.max(end)).expanded(self.agents.radius[slot])
    }

    /// Finds the agents that an agent hits.
    #[inline(always)]
    pub(super) fn agents(
        &self,
        lanes: impl OverlapLanes,
        slot: usize,
        found: &mut impl FnMut(Impact),
    ) {
        let Self { agents, since, grid, motion, .. } = *self;
        let own = since[slot];
        let (at, velocity) = (self.position(slot), self.velocity(slot));
        let radius = agents.radius[slot];
        let mut test = |other: usize| {
            let from = own.max(since[other]).max(0.0);
            let relative = self.velocity(other) - velocity;
            let apart = self.position(other) - at + relative * from;
            let apart = motion.space.minimum_image(apart);
            let reach = radius + agents.radius[other];
            if let Some(time) = touch(apart, relative, reach, motion.dt - from)
                && other != slot
            {
                let stamps = [own, since[other]];
                found(Impact::new(from + time, [slot as u32, other as u32], stamps, agents));
            }
        };
        let rest = path::cover_rest(agents, slot, own.max(0.0), motion.dt);
        let (area, radius) = (rest.bounds(), rest.radius);
        let near = motion.world.expanded(grid.search_reach());
        let outliers = grid.outlier_count() > 0;
        for shift in motion.space.copies(area, near) {
            let (area, at) = (area.shifted(shift), rest.center + shift);
            grid.slots_near(&area, |slots| {
                self.touching(lanes, slots, [at.x, at.y, radius], |other| {
                    if other != slot && !(outliers && grid.is_outlier(other as u32)) {
                        test(other);
                    }
                });
            });
            if outliers {
                grid.visit_outliers(at, radius, |other| test(other as usize));
            }
        }
    }

    /// Calls `visit` with those of some slots whose paths may come near a disc.
    #[inline(always)]
    fn touching(
        &self,
        lanes: impl OverlapLanes,
        slots: Range<usize>,
        disc: [f32; 3],
        mut visit: impl FnMut(usize),
    ) {
        let DiscColumns { x, y, radius } = self.covers;
        let mut first = slots.start;
        while first < slots.end {
            let count = (slots.end - first).min(LANES);
            let block = |column: &'_ [f32]| -> [f32; LANES] {
                let mut block = [f32::NAN; LANES];
                block[..count].copy_from_slice(&column[first..first + count]);
                block
            };
            let chunks = [x, y, radius].map(|column| column[first..].first_chunk());
            let mut bits = if let [Some(x), Some(y), Some(radius)] = chunks {
                lanes.overlap_bits(disc, [x, y, radius])
            } else {
                let [x, y, radius] = [x, y, radius].map(block);
                lanes.overlap_bits(disc, [&x, &y, &radius])
            };
            bits &= u32::MAX >> (32 - count);
            while bits != 0 {
                visit(first + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            first += count;
        }
    }

    /// Finds the walls and statics that an agent hits.
    pub(super) fn fixed(&self, slot: usize, found: &mut impl FnMut(Impact)) {
        let Self { agents, since, motion, statics, .. } = *self;
        let (own, radius) = (since[slot], agents.radius[slot]);
        let from = own.max(0.0);
        let (at, velocity) = (self.position(slot), self.velocity(slot));
        for (axis, repeats) in motion.space.repeats().into_iter().enumerate() {
            let speed = velocity[axis];
            if repeats || speed == 0.0 {
                continue;
            }
            let upper = u32::from(speed > 0.0);
            let limit = if upper == 1 {
                motion.world.max[axis] - radius
            } else {
                motion.world.min[axis] + radius
            };
            let time = ((limit - at[axis]) / speed).max(from);
            if time <= motion.dt {
                found(Impact::wall(time, slot, 2 * axis as u32 + upper, own, agents));
            }
        }
        if statics.is_empty() {
            return;
        }
        let area = self.swept(slot, from);
        for shift in motion.space.copies(area, motion.world) {
            statics.visit_near(&area.shifted(shift), |index| {
                let shape = statics.rounded(index);
                if let Some(time) = self.reach(&shape, at + shift, velocity, radius, from) {
                    found(Impact::fixed(time, slot, index, own, agents));
                }
            });
        }
    }

    /// The time at which a disc on its path reaches a static. The distance from a convex shape is a
    /// convex function of time, so that Newton's method never goes too far.
    fn reach(
        &self,
        shape: &Rounded,
        at: Vec2,
        velocity: Vec2,
        radius: f32,
        from: f32,
    ) -> Option<f32> {
        let mut time = from;
        for _ in 0..NEWTON {
            let (normal, gap) = shape.separation(at + velocity * time, radius, &self.motion.world);
            let approach = -velocity.dot(normal);
            if approach <= 0.0 {
                return None;
            }
            if gap <= GAP * radius {
                return Some(time);
            }
            time += gap / approach;
            if time > self.motion.dt {
                return None;
            }
        }
        Some(time)
    }
}
