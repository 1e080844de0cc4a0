//! Static contacts: agents that overlap statics at the end of a substep leave them.
//!
//! Agents bounce off statics on their way (`travel`). An agent that overlaps a static nevertheless
//! was there at the start, was pushed into it by its neighbors or by the contact solver, or is
//! wedged. It is out of it at the end of every substep, before the grid tests its position. No
//! agent depends on another one here, so threads and the order of slots change no bit. Walls come
//! last, since a step leaves no agent outside the world; an agent that is wedged between a wall and
//! a static overlaps the static.

use std::slice::from_mut;

use glam::Vec2;

use super::{
    motion::{Motion, Moved},
    rub,
    travel::Surroundings,
};
use crate::geometry::Rect;

/// Times that an agent is pushed out of the statics around it: out of one it may get into the next.
const PASSES: usize = 4;

/// Pushes some agents out of the statics that they overlap.
pub(super) fn leave(
    [x, y]: [&mut [f32]; 2],
    [vx, vy]: [&mut [f32]; 2],
    radius: &[f32],
    spin: &mut [f32],
    around: Surroundings<'_>,
    moved: &mut Moved,
) {
    // These agents are neighbors: often no static is near any of them.
    let bounds = x.iter().zip(&*y).zip(radius).fold(Rect::EMPTY, |bounds, ((&x, &y), &radius)| {
        bounds.union(&Rect::around(Vec2::new(x, y), radius))
    });
    if around.is_clear(bounds) {
        return;
    }
    let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius);
    for (entry, (((x, y), (vx, vy)), &radius)) in agents.enumerate() {
        for _ in 0..PASSES {
            let (position, velocity) = (Vec2::new(*x, *y), Vec2::new(*vx, *vy));
            let mut body = Body { position, velocity, radius };
            if !body.leave(around, spin.get_mut(entry)) {
                break;
            }
            [*x, *y] = body.position.to_array();
            [*vx, *vy] = body.velocity.to_array();
            let [position, velocity] = [[&mut *x, y], [&mut *vx, vy]].map(|of| of.map(from_mut));
            around.motion.bounce(position, velocity, &[radius], moved);
        }
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
    /// Pushes the agent out of the statics that it overlaps; returns false if there is none.
    fn leave(
        &mut self,
        Surroundings { motion, statics }: Surroundings<'_>,
        mut spin: Option<&mut f32>,
    ) -> bool {
        let Motion { world, space, restitution, roughness, .. } = *motion;
        let mut overlapped = false;
        let bounds = Rect::around(self.position, self.radius);
        for shift in space.copies(bounds, world) {
            statics.visit_near(&bounds.shifted(shift), |index| {
                let (shape, at) = (statics.rounded(index), self.position + shift);
                if !shape.overlaps(at, self.radius) || statics.is_covered(index, at, &space) {
                    return;
                }
                overlapped = true;
                let (normal, gap) = shape.separation(at, self.radius, &world);
                let approach = -(self.velocity.x * normal.x + self.velocity.y * normal.y);
                if approach > 0.0 {
                    let change = (1.0 + restitution) * approach;
                    self.velocity += normal * change;
                    if let Some(spin) = spin.as_deref_mut().filter(|_| roughness.friction > 0.0) {
                        let Self { velocity, radius, .. } = self;
                        rub::rub_fixed(velocity, spin, *radius, normal, change, roughness);
                    }
                }
                self.position -= normal * gap;
            });
        }
        overlapped
    }
}
