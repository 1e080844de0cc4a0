//! Obstacles: statics that agents bounce off, each agent by itself.
//!
//! They are seen to where walls are, right after the motion: an agent that ran into a static, or was pushed into
//! one by its neighbours, is out of it at the end of every substep, and the grid looks where it is only then.
//! Nothing that an agent does here depends on another one, so threads and the order of slots change no bit. Walls
//! come last, since a step leaves nobody outside the world; who is wedged between both overlaps the static.
//!
//! A world without statics has `()` for obstacles, and nothing is compiled into its loops.

use std::slice::from_mut;

use glam::Vec2;

use super::integrate::Motion;
use crate::{
    agents::Agents,
    geometry::Rect,
    parallel,
    statics::{Rounded, Statics},
};

/// Times that an agent is pushed out of the statics around it: out of one it may come into the next.
const PASSES: usize = 4;

/// Slots a piece of work.
const PIECE: usize = 8_192;

/// Share of an agent's radius that [`hold`] pushes at once, at most, as [`resting`](super::resting) does.
const HOLD_MAX: f32 = 0.2;

/// What agents run into.
pub(crate) trait Obstacles: Copy + Sync {
    /// Bounces some agents off what they ran into.
    fn bounce(
        self,
        motion: &Motion,
        positions: [&mut [f32]; 2],
        velocities: [&mut [f32]; 2],
        radius: &[f32],
    );
}

/// Nothing.
impl Obstacles for () {
    #[inline(always)]
    fn bounce(self, _: &Motion, _: [&mut [f32]; 2], _: [&mut [f32]; 2], _: &[f32]) {}
}

impl Obstacles for &Statics {
    fn bounce(
        self,
        motion: &Motion,
        positions: [&mut [f32]; 2],
        velocities: [&mut [f32]; 2],
        radius: &[f32],
    ) {
        // Some agents that are neighbours, so that often nothing is near any of them.
        if self.is_clear(&around(&positions, radius)) {
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
fn around([x, y]: &[&mut [f32]; 2], radius: &[f32]) -> Rect {
    let discs = x.iter().zip(&**y).zip(radius);
    discs.fold(Rect::EMPTY, |around, ((&x, &y), &radius)| {
        around.union(&Rect::around(Vec2::new(x, y), radius))
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

/// An agent, away from its arrays.
#[derive(Clone, Copy, Debug)]
struct Body {
    position: Vec2,
    velocity: Vec2,
    radius: f32,
}

impl Body {
    /// Bounces it off the statics that it overlaps; false if there is none.
    fn bounce(&mut self, statics: &Statics, motion: &Motion) -> bool {
        let mut met = false;
        statics.visit_near(&Rect::around(self.position, self.radius), |place| {
            let Some(way) = self.way_out(&statics.rounded(place), &motion.world) else { return };
            let approach = way.approach(self.velocity);
            let bounce = if approach > motion.rest_speed { motion.restitution } else { 0.0 };
            if approach > 0.0 {
                self.velocity += way.normal * ((1.0 + bounce) * approach);
            }
            self.position += way.normal * way.overlap;
            met = true;
        });
        met
    }

    /// How it comes out of a static, if it is in it.
    #[inline]
    fn way_out(&self, shape: &Rounded, world: &Rect) -> Option<WayOut> {
        let delta = self.position - shape.core.nearest(self.position);
        let reach = shape.radius + self.radius;
        let square = delta.x * delta.x + delta.y * delta.y;
        if square >= reach * reach {
            return None;
        }
        if square > 0.0 {
            let distance = square.sqrt();
            return Some(WayOut { normal: delta / distance, overlap: reach - distance });
        }
        Some(self.way_out_of_core(&shape.core.expanded(reach), world))
    }

    /// The shortest way out of a box that its centre is in, and into the world if there is one.
    #[cold]
    fn way_out_of_core(&self, around: &Rect, world: &Rect) -> WayOut {
        let Rect { min, max } = *around;
        let at = self.position;
        let ways = [
            WayOut { normal: Vec2::NEG_X, overlap: at.x - min.x },
            WayOut { normal: Vec2::X, overlap: max.x - at.x },
            WayOut { normal: Vec2::NEG_Y, overlap: at.y - min.y },
            WayOut { normal: Vec2::Y, overlap: max.y - at.y },
        ];
        let room = world.expanded(-self.radius);
        let leads_out = |way: &WayOut| !room.contains(at + way.normal * way.overlap);
        let longer = |a: &WayOut, b: &WayOut| {
            leads_out(a).cmp(&leads_out(b)).then(a.overlap.total_cmp(&b.overlap))
        };
        ways.into_iter().min_by(longer).unwrap_or(ways[0])
    }
}

/// A way out of a static.
#[derive(Clone, Copy, Debug)]
struct WayOut {
    /// Unit vector out of it.
    normal: Vec2,
    /// How far it is, world units.
    overlap: f32,
}

impl WayOut {
    /// The speed at which a velocity leads into the static; negative if out of it.
    #[inline]
    fn approach(&self, velocity: Vec2) -> f32 {
        -(velocity.x * self.normal.x + velocity.y * self.normal.y)
    }
}

/// What a pass of [`resting`](super::resting) pushed into a static is pushed back: in position, and in velocity as far
/// as that leads into it. So a pile stands on statics as it stands on the ground.
pub(crate) fn hold(agents: &mut Agents, statics: &Statics, world: &Rect, dt: f32) {
    if statics.is_empty() {
        return;
    }
    let Agents { x, y, vx, vy, radius, .. } = agents;
    let columns = ((&mut x[..], &mut y[..]), (&mut vx[..], &mut vy[..]), &radius[..]);
    let push_back = |body: &mut Body| {
        statics.visit_near(&Rect::around(body.position, body.radius), |place| {
            let Some(way) = body.way_out(&statics.rounded(place), world) else { return };
            let push = way.overlap.min(HOLD_MAX * body.radius);
            let change = (push / dt).min(way.approach(body.velocity)).max(0.0);
            body.position += way.normal * push;
            body.velocity += way.normal * change;
        });
    };
    parallel::pieces(
        columns,
        PIECE,
        &|_, ((x, y), (vx, vy), radius): Columns<'_>| {
            for_each([x, y], [vx, vy], radius, push_back);
        },
        &|(), ()| (),
    );
}

/// Positions, velocities and radii of some slots.
type Columns<'a> = ((&'a mut [f32], &'a mut [f32]), (&'a mut [f32], &'a mut [f32]), &'a [f32]);
