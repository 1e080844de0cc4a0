//! Static contacts: agents bounce off statics, each agent on its own.
//!
//! They are resolved with the walls, right after the motion: an agent that ran into a static, or
//! was pushed into one by its neighbors, is out of it at the end of every substep, before the grid
//! tests its position. No agent depends on another one here, so threads and the order of slots
//! change no bit. Walls come last, since a step leaves no agent outside the world; an agent that is
//! wedged between a wall and a static overlaps the static.

use std::slice::from_mut;

use glam::Vec2;

use super::motion::Motion;
use crate::{
    geometry::Rect,
    statics::{Rounded, Statics},
};

/// Times that an agent is pushed out of the statics around it: out of one it may get into the next.
const PASSES: usize = 4;

/// Bounces some agents off the statics that they overlap.
pub(super) fn bounce(
    positions: [&mut [f32]; 2],
    velocities: [&mut [f32]; 2],
    radius: &[f32],
    motion: &Motion,
    statics: &Statics,
) {
    // These agents are neighbors: often no static is near any of them.
    let (bounds, world) = (bounds(&positions, radius), motion.world);
    if motion.space.copies(bounds, world).all(|shift| statics.is_clear(&bounds.shifted(shift))) {
        return;
    }
    for_each(positions, velocities, radius, |body| {
        for _ in 0..PASSES {
            if !body.bounce(statics, motion) {
                break;
            }
            let Body { position, velocity, radius } = body;
            motion.bounce(
                [from_mut(&mut position.x), from_mut(&mut position.y)],
                [from_mut(&mut velocity.x), from_mut(&mut velocity.y)],
                &[*radius],
            );
        }
    });
}

/// The rectangle around some discs.
fn bounds([x, y]: &[&mut [f32]; 2], radius: &[f32]) -> Rect {
    let discs = x.iter().zip(&**y).zip(radius);
    discs.fold(Rect::EMPTY, |bounds, ((&x, &y), &radius)| {
        bounds.union(&Rect::around(Vec2::new(x, y), radius))
    })
}

/// Calls `work` with each of some agents.
fn for_each(
    [x, y]: [&mut [f32]; 2],
    [vx, vy]: [&mut [f32]; 2],
    radius: &[f32],
    work: impl Fn(&mut Body),
) {
    let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius);
    for (((x, y), (vx, vy)), &radius) in agents {
        let (position, velocity) = (Vec2::new(*x, *y), Vec2::new(*vx, *vy));
        let mut body = Body { position, velocity, radius };
        work(&mut body);
        [*x, *y] = body.position.to_array();
        [*vx, *vy] = body.velocity.to_array();
    }
}

/// An agent, gathered from the columns.
#[derive(Clone, Copy, Debug)]
struct Body {
    position: Vec2,
    velocity: Vec2,
    radius: f32,
}

impl Body {
    /// Bounces the agent off the statics that it overlaps; returns false if there is none.
    fn bounce(&mut self, statics: &Statics, motion: &Motion) -> bool {
        let mut overlapped = false;
        let bounds = Rect::around(self.position, self.radius);
        for shift in motion.space.copies(bounds, motion.world) {
            statics.visit_near(&bounds.shifted(shift), |index| {
                overlapped |= self.leave(&statics.rounded(index), shift, motion);
            });
        }
        overlapped
    }

    /// Bounces the copy of the agent that lies `shift` away off a static; returns false if it does
    /// not overlap it.
    #[inline(always)]
    fn leave(&mut self, shape: &Rounded, shift: Vec2, motion: &Motion) -> bool {
        let at = self.position + shift;
        if !shape.overlaps(at, self.radius) {
            return false;
        }
        let (normal, gap) = shape.separation(at, self.radius, &motion.world);
        let approach = -(self.velocity.x * normal.x + self.velocity.y * normal.y);
        let bounce = if approach > motion.rest_speed { motion.restitution } else { 0.0 };
        if approach > 0.0 {
            self.velocity += normal * ((1.0 + bounce) * approach);
        }
        self.position -= normal * gap;
        true
    }
}
