//! Integrate: gravity, motion, and the world's walls.
//!
//! Semi-implicit Euler. Who would leave the world is mirrored at the wall, with restitution, so that
//! everybody is inside it at the end of every substep.

use crate::{agents::Agents, par, rect::Rect};

/// What decides a motion.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// The walls.
    pub world: Rect,
    /// Seconds.
    pub dt: f32,
    /// World units a second squared, downwards.
    pub gravity: f32,
    /// Share of the speed that a wall gives back.
    pub restitution: f32,
    /// Slower than this, a wall gives nothing back, world units a second.
    pub rest_speed: f32,
    /// The smallest radius: who moves farther in one go may have passed through another agent.
    pub radius_min: f32,
}

/// How far agents moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// The largest displacement, squared.
    pub farthest_square: f32,
    /// How many moved farther than the smallest radius.
    pub tunnelled: u64,
}

/// Slots a piece of work.
const PIECE: usize = 16_384;

/// Moves all agents, on all threads of the crew.
pub fn integrate(agents: &mut Agents, motion: &Motion) -> Moved {
    let Agents { x, y, vx, vy, radius, .. } = agents;
    pieces([x, y, vx, vy], radius, motion)
}

fn pieces([x, y, vx, vy]: [&mut [f32]; 4], radius: &[f32], motion: &Motion) -> Moved {
    if radius.len() <= PIECE {
        return piece([x, y, vx, vy], radius, motion);
    }
    let middle = (radius.len() / 2).next_multiple_of(PIECE);
    let (x, x2) = x.split_at_mut(middle);
    let (y, y2) = y.split_at_mut(middle);
    let (vx, vx2) = vx.split_at_mut(middle);
    let (vy, vy2) = vy.split_at_mut(middle);
    let (radius, radius2) = radius.split_at(middle);
    let (one, other) = par::join(
        || pieces([x, y, vx, vy], radius, motion),
        || pieces([x2, y2, vx2, vy2], radius2, motion),
    );
    Moved {
        farthest_square: one.farthest_square.max(other.farthest_square),
        tunnelled: one.tunnelled + other.tunnelled,
    }
}

fn piece([x, y, vx, vy]: [&mut [f32]; 4], radius: &[f32], motion: &Motion) -> Moved {
    let Motion { world, dt, gravity, restitution, rest_speed, radius_min } = *motion;
    let limit = radius_min * radius_min;
    let mut moved = Moved::default();
    let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius);
    for (((x, y), (vx, vy)), &radius) in agents {
        *vy -= gravity * dt;
        let (dx, dy) = (*vx * dt, *vy * dt);
        let square = dx * dx + dy * dy;
        moved.farthest_square = moved.farthest_square.max(square);
        moved.tunnelled += u64::from(square > limit);
        *x += dx;
        *y += dy;
        wall(x, vx, [world.min.x + radius, world.max.x - radius], restitution, rest_speed);
        wall(y, vy, [world.min.y + radius, world.max.y - radius], restitution, rest_speed);
    }
    moved
}

/// Mirrors a coordinate that lies beyond one of two limits, and turns the velocity that led it there.
#[inline]
fn wall(
    position: &mut f32,
    velocity: &mut f32,
    [low, high]: [f32; 2],
    restitution: f32,
    rest_speed: f32,
) {
    let bounce = if velocity.abs() > rest_speed { restitution } else { 0.0 };
    if *position < low {
        *position = (low + bounce * (low - *position)).min(high);
        *velocity = velocity.max(-bounce * *velocity);
    } else if *position > high {
        *position = (high - bounce * (*position - high)).max(low);
        *velocity = velocity.min(-bounce * *velocity);
    }
}
