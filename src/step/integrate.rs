//! Integrate: gravity, motion, and the world's walls.
//!
//! Semi-implicit Euler. Who would leave the world is mirrored at the wall, with restitution, so that everybody is
//! inside it at the end of every substep; then come the [`Obstacles`] in it. The grid looks who has left their
//! cell while the positions are at hand.

use glam::Vec2;

use super::obstacles::Obstacles;
use crate::{
    agents::Agents,
    geometry::Rect,
    grid::{Grid, OutlierScan},
    parallel,
    simd::{Kernel, SimdLevel},
};

/// What decides a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
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
pub(crate) struct Moved {
    /// The largest displacement, squared.
    pub farthest_square: f32,
    /// How many moved farther than the smallest radius.
    pub tunnelled: u64,
    /// How many are far from their homes now.
    pub far: usize,
}

/// Slots a piece of work.
const PIECE: usize = 8_192;

/// Moves all agents, on all threads of the pool, and records which become outliers of the grid.
pub(crate) fn integrate(
    agents: &mut Agents,
    grid: &mut Grid,
    motion: &Motion,
    obstacles: impl Obstacles,
    simd: SimdLevel,
) -> Moved {
    let scan = grid.outlier_scan(agents.len());
    let Agents { x, y, vx, vy, radius, .. } = agents;
    let columns = ((&mut x[..], &mut y[..]), (&mut vx[..], &mut vy[..]), &radius[..]);
    parallel::pieces(
        (columns, scan),
        PIECE,
        &|_, (((x, y), (vx, vy), radius), scan)| {
            simd.run(Piece { columns: [x, y, vx, vy], radius, scan, motion, obstacles })
        },
        &|one: Moved, other: Moved| Moved {
            farthest_square: one.farthest_square.max(other.farthest_square),
            tunnelled: one.tunnelled + other.tunnelled,
            far: one.far + other.far,
        },
    )
}

/// The motion of some agents.
struct Piece<'a, O> {
    columns: [&'a mut [f32]; 4],
    radius: &'a [f32],
    scan: OutlierScan<'a>,
    motion: &'a Motion,
    obstacles: O,
}

impl<O: Obstacles> Kernel for Piece<'_, O> {
    type Output = Moved;

    #[inline(always)]
    fn run(self) -> Moved {
        let Self { columns: [x, y, vx, vy], radius, mut scan, motion, obstacles } = self;
        let mut moved = Moved::default();
        // Some at a time: few of them ever touch a wall or leave their cells.
        for (word, start) in (0..radius.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = start..radius.len().min(start + OutlierScan::WORD);
            let (x, y) = (&mut x[range.clone()], &mut y[range.clone()]);
            let (vx, vy) = (&mut vx[range.clone()], &mut vy[range.clone()]);
            let radius = &radius[range];
            if motion.advance([x, y], [vx, vy], radius, &mut moved) {
                motion.bounce([x, y], [vx, vy], radius);
            }
            obstacles.bounce(motion, [x, y], [vx, vy], radius);
            let centers = || x.iter().zip(&*y).map(|(&x, &y)| Vec2::new(x, y));
            moved.far += scan.record(word, || centers().zip(radius.iter().copied()));
        }
        moved
    }
}

impl Motion {
    /// Moves some agents as if there were no walls; true if one of them stands out.
    #[inline(always)]
    fn advance(
        &self,
        [x, y]: [&mut [f32]; 2],
        [vx, vy]: [&mut [f32]; 2],
        radius: &[f32],
        moved: &mut Moved,
    ) -> bool {
        let Self { world, dt, gravity, radius_min, .. } = *self;
        let limit = radius_min * radius_min;
        // Floats that aren't negative are in the order of their bits, and integers have a maximum that can
        // be taken of many at once.
        let (mut farthest_bits, mut tunnelled, mut outside) = (0, 0_u32, false);
        let agents = x.iter_mut().zip(y).zip(vx.iter().zip(vy)).zip(radius);
        for (((x, y), (&vx, vy)), &radius) in agents {
            *vy -= gravity * dt;
            let (dx, dy) = (vx * dt, *vy * dt);
            let square = dx * dx + dy * dy;
            farthest_bits = farthest_bits.max(square.to_bits());
            tunnelled += u32::from(square > limit);
            *x += dx;
            *y += dy;
            outside |= (*x < world.min.x + radius) | (*x > world.max.x - radius);
            outside |= (*y < world.min.y + radius) | (*y > world.max.y - radius);
        }
        moved.farthest_square = moved.farthest_square.max(f32::from_bits(farthest_bits));
        moved.tunnelled += u64::from(tunnelled);
        outside
    }

    /// Brings back those who stand out of the world.
    #[inline(always)]
    pub(super) fn bounce(
        &self,
        [x, y]: [&mut [f32]; 2],
        [vx, vy]: [&mut [f32]; 2],
        radius: &[f32],
    ) {
        let Self { world, restitution, rest_speed, .. } = *self;
        let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius);
        for (((x, y), (vx, vy)), &radius) in agents {
            let limits = [world.min.x + radius, world.max.x - radius];
            [*x, *vx] = wall([*x, *vx], limits, restitution, rest_speed);
            let limits = [world.min.y + radius, world.max.y - radius];
            [*y, *vy] = wall([*y, *vy], limits, restitution, rest_speed);
        }
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
