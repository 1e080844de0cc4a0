//! Static contacts: agents bounce off statics, each agent on its own.
//!
//! They are resolved with the walls, right after the motion: an agent that ran into a static, or
//! was pushed into one by its neighbors, is out of it at the end of every substep, before the grid
//! tests its position. No agent depends on another one here, so threads and the order of slots
//! change no bit. Walls come last, since a step leaves no agent outside the world; an agent that is
//! wedged between a wall and a static overlaps the static.
//!
//! A world without statics uses `()`, which compiles to nothing in the loops.

use std::slice::from_mut;

use glam::Vec2;

use super::motion::Motion;
use crate::{
    geometry::Rect,
    statics::{Rounded, Statics},
};

/// Times that an agent is pushed out of the statics around it: out of one it may get into the next.
const PASSES: usize = 4;

/// The statics of a world, as far as integration needs them.
pub(crate) trait StaticContacts: Copy + Sync {
    /// Bounces some agents off the statics that they overlap.
    fn bounce(
        self,
        motion: &Motion,
        positions: [&mut [f32]; 2],
        velocities: [&mut [f32]; 2],
        radius: &[f32],
    );
}

/// A world without statics.
impl StaticContacts for () {
    #[inline(always)]
    fn bounce(self, _: &Motion, _: [&mut [f32]; 2], _: [&mut [f32]; 2], _: &[f32]) {}
}

impl StaticContacts for &Statics {
    fn bounce(
        self,
        motion: &Motion,
        positions: [&mut [f32]; 2],
        velocities: [&mut [f32]; 2],
        radius: &[f32],
    ) {
        // These agents are neighbors, so that often no static is near any of them.
        let (bounds, world) = (bounds(&positions, radius), motion.world);
        if motion.space.copies(bounds, world).all(|shift| self.is_clear(&bounds.shifted(shift))) {
            return;
        }
        for_each(positions, velocities, radius, |body| {
            for _ in 0..PASSES {
                if !body.bounce(self, motion) {
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
        let Some(exit) = self.exit(shape, self.position + shift, &motion.world) else {
            return false;
        };
        let approach = exit.approach(self.velocity);
        let bounce = if approach > motion.rest_speed { motion.restitution } else { 0.0 };
        if approach > 0.0 {
            self.velocity += exit.normal * ((1.0 + bounce) * approach);
        }
        self.position += exit.normal * exit.overlap;
        true
    }

    /// The way out of a static, if the agent overlaps it where it is or a copy of it is.
    #[inline]
    fn exit(&self, shape: &Rounded, at: Vec2, world: &Rect) -> Option<Exit> {
        let delta = at - shape.core.nearest(at);
        let reach = shape.radius + self.radius;
        let square = delta.x * delta.x + delta.y * delta.y;
        if square >= reach * reach {
            return None;
        }
        if square > 0.0 {
            let distance = square.sqrt();
            return Some(Exit { normal: delta / distance, overlap: reach - distance });
        }
        Some(self.exit_of_core(&shape.core.expanded(reach), at, world))
    }

    /// The shortest way out of a box that contains the center, one that stays in the world if there
    /// is any.
    #[cold]
    fn exit_of_core(&self, around: &Rect, at: Vec2, world: &Rect) -> Exit {
        let Rect { min, max } = *around;
        let exits = [
            Exit { normal: Vec2::NEG_X, overlap: at.x - min.x },
            Exit { normal: Vec2::X, overlap: max.x - at.x },
            Exit { normal: Vec2::NEG_Y, overlap: at.y - min.y },
            Exit { normal: Vec2::Y, overlap: max.y - at.y },
        ];
        let inner = world.expanded(-self.radius);
        let leaves = |exit: &Exit| !inner.contains(at + exit.normal * exit.overlap);
        let longer =
            |a: &Exit, b: &Exit| leaves(a).cmp(&leaves(b)).then(a.overlap.total_cmp(&b.overlap));
        exits.into_iter().min_by(longer).unwrap_or(exits[0])
    }
}

/// A way out of a static.
#[derive(Clone, Copy, Debug)]
struct Exit {
    /// Unit vector out of the static.
    normal: Vec2,
    /// Distance to be moved, world units.
    overlap: f32,
}

impl Exit {
    /// Speed at which a velocity leads into the static; negative if out of it.
    #[inline]
    fn approach(&self, velocity: Vec2) -> f32 {
        -(velocity.x * self.normal.x + velocity.y * self.normal.y)
    }
}
