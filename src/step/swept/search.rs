//! The search for what an agent hits next on its path.

use std::{cmp::Reverse, collections::BinaryHeap};

use glam::Vec2;

use super::{
    path::touch,
    queue::{self, Event},
};
use crate::{
    agents::Agents,
    error::Result,
    geometry::Rect,
    grid::Grid,
    statics::{Rounded, Statics},
    step::motion::Motion,
};

/// Steps of Newton's method towards a static, and the gap at which it is reached, as a share of the
/// radius.
const NEWTON: usize = 16;
const GAP: f32 = 1e-5;

/// Everything that an agent may hit. The grid is exact for the discs around the paths with which the
/// step began.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) agents: &'a Agents,
    pub(super) since: &'a [f32],
    pub(super) grid: &'a Grid,
    pub(super) motion: &'a Motion,
    pub(super) statics: &'a Statics,
}

impl Search<'_> {
    /// The time of an agent's next event; infinite if there is none.
    pub(super) fn next(&self, slot: usize) -> f32 {
        let mut next = f32::INFINITY;
        self.all(slot, &mut |event: Event| next = next.min(event.time));
        next
    }

    /// Queues all that an agent may hit on its path.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn queue(&self, slot: usize, queue: &mut BinaryHeap<Reverse<Event>>) -> Result<()> {
        let mut kept = Ok(());
        self.all(slot, &mut |event| {
            if kept.is_ok() {
                kept = queue::push(queue, event);
            }
        });
        kept
    }

    fn all(&self, slot: usize, found: &mut impl FnMut(Event)) {
        self.fixed(slot, found);
        self.agents(slot, found);
    }

    fn position(&self, slot: usize) -> Vec2 {
        Vec2::new(self.agents.x[slot], self.agents.y[slot])
    }

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
    #[inline]
    pub(super) fn agents(&self, slot: usize, found: &mut impl FnMut(Event)) {
        let Self { agents, since, grid, motion, .. } = *self;
        let own = since[slot];
        let (at, velocity, radius) =
            (self.position(slot), self.velocity(slot), agents.radius[slot]);
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
                found(Event::new(from + time, [slot as u32, other as u32], stamps, agents));
            }
        };
        let area = self.swept(slot, own.max(0.0));
        let near = motion.world.expanded(grid.search_reach());
        for shift in motion.space.copies(area, near) {
            let area = area.shifted(shift);
            grid.slots_near(&area, |slots| {
                for other in slots {
                    if !grid.is_outlier(other as u32) {
                        test(other);
                    }
                }
            });
            if grid.outlier_count() > 0 {
                let radius = 0.5 * area.size().max_element();
                grid.visit_outliers(area.center(), radius, |other| test(other as usize));
            }
        }
    }

    /// Finds the walls and statics that an agent hits.
    pub(super) fn fixed(&self, slot: usize, found: &mut impl FnMut(Event)) {
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
                found(Event::wall(time, slot, 2 * axis as u32 + upper, own, agents));
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
                    found(Event::fixed(time, slot, index, own, agents));
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
