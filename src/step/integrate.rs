//! Integrate: gravity, motion, and the world's walls.
//!
//! Semi-implicit Euler. Who would leave the world is mirrored at the wall, with restitution, so that
//! everybody is inside it at the end of every substep.

use crate::{
    agents::Agents,
    par,
    rect::Rect,
    simd::{Kernel, Usable},
};

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
pub fn integrate(agents: &mut Agents, motion: &Motion, simd: Usable) -> Moved {
    let Agents { x, y, vx, vy, radius, .. } = agents;
    pieces([x, y, vx, vy], radius, motion, simd)
}

fn pieces([x, y, vx, vy]: [&mut [f32]; 4], radius: &[f32], motion: &Motion, simd: Usable) -> Moved {
    if radius.len() <= PIECE {
        return simd.run(Piece { columns: [x, y, vx, vy], radius, motion });
    }
    let middle = (radius.len() / 2).next_multiple_of(PIECE);
    let (x, x2) = x.split_at_mut(middle);
    let (y, y2) = y.split_at_mut(middle);
    let (vx, vx2) = vx.split_at_mut(middle);
    let (vy, vy2) = vy.split_at_mut(middle);
    let (radius, radius2) = radius.split_at(middle);
    let (one, other) = par::join(
        || pieces([x, y, vx, vy], radius, motion, simd),
        || pieces([x2, y2, vx2, vy2], radius2, motion, simd),
    );
    Moved {
        farthest_square: one.farthest_square.max(other.farthest_square),
        tunnelled: one.tunnelled + other.tunnelled,
    }
}

/// The motion of some agents.
struct Piece<'a> {
    columns: [&'a mut [f32]; 4],
    radius: &'a [f32],
    motion: &'a Motion,
}

impl Kernel for Piece<'_> {
    type Output = Moved;

    #[inline(always)]
    fn run(self) -> Moved {
        let Self { columns: [x, y, vx, vy], radius, motion } = self;
        let Motion { world, dt, gravity, restitution, rest_speed, radius_min } = *motion;
        let limit = radius_min * radius_min;
        // Floats that aren't negative are in the order of their bits, and integers have a maximum that can
        // be taken of many at once.
        let (mut farthest_bits, mut tunnelled) = (0, 0_u32);
        let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius);
        for (((x, y), (vx, vy)), &radius) in agents {
            *vy -= gravity * dt;
            let (dx, dy) = (*vx * dt, *vy * dt);
            let square = dx * dx + dy * dy;
            farthest_bits = farthest_bits.max(square.to_bits());
            tunnelled += u32::from(square > limit);
            let limits = [world.min.x + radius, world.max.x - radius];
            [*x, *vx] = wall([*x + dx, *vx], limits, restitution, rest_speed);
            let limits = [world.min.y + radius, world.max.y - radius];
            [*y, *vy] = wall([*y + dy, *vy], limits, restitution, rest_speed);
        }
        Moved { farthest_square: f32::from_bits(farthest_bits), tunnelled: u64::from(tunnelled) }
    }
}

/// Mirrors a coordinate that lies beyond one of two limits, and turns the velocity that led it there. No
/// branches, so that it can be done for many at once.
#[inline(always)]
fn wall(
    [position, velocity]: [f32; 2],
    [low, high]: [f32; 2],
    restitution: f32,
    rest_speed: f32,
) -> [f32; 2] {
    let bounce = if velocity.abs() > rest_speed { restitution } else { 0.0 };
    let (below, above) = (position < low, position > high);
    let turned = -bounce * velocity;
    let mirrored_low = clamp(low + bounce * (low - position), low, high);
    let mirrored_high = clamp(high - bounce * (position - high), low, high);
    let position = if below { mirrored_low } else { position };
    let position = if above { mirrored_high } else { position };
    let outwards = (below && velocity < 0.0) || (above && velocity > 0.0);
    [position, if outwards { turned } else { velocity }]
}

/// `value`, but no lower than `low` and no higher than `high`, the lower limit before the upper one.
#[inline(always)]
fn clamp(value: f32, low: f32, high: f32) -> f32 {
    let value = if value > high { high } else { value };
    if value < low { low } else { value }
}
