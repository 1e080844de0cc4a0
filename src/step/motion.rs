//! Motion: gravity, velocity and the walls of the world, for some agents at a time.
//!
//! Semi-implicit Euler. An agent that would leave the world is mirrored at the wall, with
//! restitution, so that all of them are inside at the end of every substep. Where the world repeats
//! there is no wall: coordinates go on into an apron around the world, and an agent that comes to
//! the end of the apron asks for a sort, which wraps all of them.

use glam::Vec2;

use crate::{
    exact::ExactSum,
    geometry::{Rect, Space},
    grid::OutlierScan,
    solver::{ROUNDS, coulomb::Roughness},
};

/// Parameters of the motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// The world.
    pub world: Rect,
    /// The world with its borders, which may be joined.
    pub space: Space,
    /// No disc may reach out of this rectangle: the world, and its apron where it repeats.
    pub limits: Rect,
    /// Seconds per substep.
    pub dt: f32,
    /// World units per second squared, downwards.
    pub gravity: f32,
    /// Share of the speed that a wall returns.
    pub restitution: f32,
    /// What walls and statics resist with.
    pub roughness: Roughness,
    /// A slower agent gets nothing back from a wall, world units per second.
    pub rest_speed: f32,
    /// The smallest radius: an agent that moves farther in a substep may have passed through
    /// another.
    pub radius_min: f32,
}

/// Displacements of agents in a substep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moved {
    /// The largest displacement, squared.
    pub farthest_square: f32,
    /// Number of agents that moved farther than the smallest radius.
    pub tunnelled: u64,
    /// Number of outliers of the grid afterwards.
    pub outliers: usize,
    /// True if an agent came to the end of the apron of a world that repeats.
    pub strayed: bool,
    /// Momentum that walls took up: the same for any split of the agents.
    pub wall_impulse: ExactSum,
}

impl Moved {
    /// The movements of two groups of agents together.
    pub(super) fn merge(self, other: Self) -> Self {
        Self {
            farthest_square: self.farthest_square.max(other.farthest_square),
            tunnelled: self.tunnelled + other.tunnelled,
            outliers: self.outliers + other.outliers,
            strayed: self.strayed | other.strayed,
            wall_impulse: self.wall_impulse.merge(other.wall_impulse),
        }
    }
}

/// Two columns of a word of agents before they change.
pub(super) struct Before([[f32; OutlierScan::WORD]; 2]);

impl Before {
    #[inline(always)]
    pub(super) fn new(columns: [&[f32]; 2]) -> Self {
        let mut before = [[0.0; OutlierScan::WORD]; 2];
        for (before, now) in before.iter_mut().zip(columns) {
            before[..now.len()].copy_from_slice(now);
        }
        Self(before)
    }

    pub(super) fn get(&self, entry: usize) -> Vec2 {
        let [x, y] = &self.0;
        Vec2::new(x[entry], y[entry])
    }

    /// Adds the momentum that walls have taken up, along their normals, if these were the velocities.
    #[inline(always)]
    fn add_impulse(&self, velocities: [&[f32]; 2], radius: &[f32], to: &mut ExactSum) {
        for (before, now) in self.0.iter().zip(velocities) {
            for ((before, now), radius) in before.iter().zip(now).zip(radius) {
                if before != now {
                    *to += f64::from(radius * radius * (now - before).abs());
                }
            }
        }
    }
}

impl Motion {
    /// Moves some agents as if there were no walls; returns true if one of them then reaches out of
    /// the limits.
    #[inline(always)]
    pub(super) fn advance(
        &self,
        [x, y]: [&mut [f32]; 2],
        [vx, vy]: [&mut [f32]; 2],
        radius: &[f32],
        moved: &mut Moved,
    ) -> bool {
        let Self { limits: Rect { min, max }, dt, gravity, radius_min, .. } = *self;
        let limit = radius_min * radius_min;
        // Floats that are not negative are ordered like their bits, and integers have a maximum
        // that vectorizes.
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
            outside |= (*x < min.x + radius) | (*x > max.x - radius);
            outside |= (*y < min.y + radius) | (*y > max.y - radius);
        }
        moved.farthest_square = moved.farthest_square.max(f32::from_bits(farthest_bits));
        moved.tunnelled += u64::from(tunnelled);
        outside
    }

    /// Moves some agents as the contact solver moved their bodies, and keeps them inside the walls.
    #[inline(always)]
    pub(super) fn take_over(
        &self,
        [x, y]: [&mut [f32]; 2],
        [vx, vy]: [&mut [f32]; 2],
        radius: &[f32],
        bodies: &[[f32; 4]],
        moved: &mut Moved,
    ) {
        let Self { world, radius_min, .. } = *self;
        // An agent may move as far in each round.
        let limit = radius_min * radius_min * (ROUNDS * ROUNDS) as f32;
        let (mut farthest_bits, mut tunnelled) = (0, 0_u32);
        let rows = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius).zip(bodies);
        for ((((x, y), (vx, vy)), &radius), body) in rows {
            let [speed_x, speed_y, dx, dy] = *body;
            (*vx, *vy) = (speed_x, speed_y);
            *x = (*x + dx).min(world.max.x - radius).max(world.min.x + radius);
            *y = (*y + dy).min(world.max.y - radius).max(world.min.y + radius);
            let square = dx * dx + dy * dy;
            farthest_bits = farthest_bits.max(square.to_bits());
            tunnelled += u32::from(square > limit);
        }
        moved.farthest_square = moved.farthest_square.max(f32::from_bits(farthest_bits));
        moved.tunnelled += u64::from(tunnelled);
    }

    /// Mirrors the agents that reach out of the limits, where these are walls, and notes the
    /// momentum that walls took up, and whether an agent reaches out where the world repeats.
    #[inline(always)]
    pub(super) fn bounce(
        &self,
        [x, y]: [&mut [f32]; 2],
        [vx, vy]: [&mut [f32]; 2],
        radius: &[f32],
        moved: &mut Moved,
    ) {
        let before = Before::new([vx, vy]);
        moved.strayed |= self.turn_back([x, y], [vx, vy], radius);
        before.add_impulse([vx, vy], radius, &mut moved.wall_impulse);
    }

    /// Mirrors the agents that reach out of the limits, where these are walls; returns true if one
    /// reaches out of them where the world repeats.
    #[inline(always)]
    fn turn_back(
        &self,
        [x, y]: [&mut [f32]; 2],
        [vx, vy]: [&mut [f32]; 2],
        radius: &[f32],
    ) -> bool {
        match self.space.repeats() {
            [false, false] => {
                self.mirror([x, y], [vx, vy], radius);
                false
            }
            repeats => self.mirror_along([x, y], [vx, vy], radius, repeats),
        }
    }

    /// The same for a world that repeats.
    #[inline(never)]
    fn mirror_along(
        &self,
        positions: [&mut [f32]; 2],
        velocities: [&mut [f32]; 2],
        radius: &[f32],
        repeats: [bool; 2],
    ) -> bool {
        let Self { limits, restitution, rest_speed, .. } = *self;
        let mut strayed = false;
        for (axis, (at, speed)) in positions.into_iter().zip(velocities).enumerate() {
            for ((at, speed), &radius) in at.iter_mut().zip(speed).zip(radius) {
                let limits = [limits.min[axis] + radius, limits.max[axis] - radius];
                if repeats[axis] {
                    strayed |= (*at < limits[0]) | (*at > limits[1]);
                } else {
                    [*at, *speed] = mirror([*at, *speed], limits, restitution, rest_speed);
                }
            }
        }
        strayed
    }

    /// Mirrors the agents that reach out of the world.
    #[inline(always)]
    fn mirror(&self, [x, y]: [&mut [f32]; 2], [vx, vy]: [&mut [f32]; 2], radius: &[f32]) {
        let Self { world, restitution, rest_speed, .. } = *self;
        let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius);
        for (((x, y), (vx, vy)), &radius) in agents {
            let limits = [world.min.x + radius, world.max.x - radius];
            [*x, *vx] = mirror([*x, *vx], limits, restitution, rest_speed);
            let limits = [world.min.y + radius, world.max.y - radius];
            [*y, *vy] = mirror([*y, *vy], limits, restitution, rest_speed);
        }
    }
}

/// Mirrors a coordinate that lies beyond one of two limits, and reverses the velocity that led
/// there. Free of branches, so that it vectorizes.
#[inline(always)]
fn mirror(
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

/// Limits a value to `low..=high`; `low` wins if the two cross.
#[inline(always)]
fn clamp(value: f32, low: f32, high: f32) -> f32 {
    let value = if value > high { high } else { value };
    if value < low { low } else { value }
}
