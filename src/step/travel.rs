//! Travel: the way of an agent in a step, from one wall or static to the next.
//!
//! An agent that meets a static within the step bounces off it where and when it touches it, and
//! goes on from there. So it stays on its side of a static, however thin that is and however fast
//! the agent, and what it only passes by changes nothing. Walls of the world are met in the same
//! order of time. Agents that are near no static take a shorter way: [`Motion`] moves many of them
//! at once and mirrors them at walls, which comes to the same.

use glam::Vec2;

use super::{
    motion::{Before, Motion},
    rub,
};
use crate::{
    exact::ExactSum,
    geometry::{Disc, Rect},
    statics::Statics,
};

/// Bounces of an agent in a step. It then stays where it is until the next step: between two
/// statics that are hardly farther apart than it is wide, there is no end of them.
const BOUNCES: usize = 16;

/// What surrounds the agents.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) motion: &'a Motion,
    pub(crate) statics: &'a Statics,
}

/// A wall or static that an agent reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Seconds since the start of the path.
    pub(super) time: f32,
    /// The unit vector out of the wall or static.
    pub(super) normal: Vec2,
    pub(super) is_wall: bool,
}

impl Hit {
    /// The velocity after the hit, and the momentum that a wall has taken up. `spin` is that of the
    /// agent, if it has one.
    #[inline(always)]
    pub(super) fn bounce(
        &self,
        velocity: Vec2,
        spin: Option<&mut f32>,
        radius: f32,
        motion: &Motion,
    ) -> (Vec2, f64) {
        let change = (1.0 + motion.restitution) * -velocity.dot(self.normal);
        let impulse = if self.is_wall { f64::from(radius * radius * change) } else { 0.0 };
        let mut after = velocity + self.normal * change;
        if let Some(spin) = spin.filter(|_| motion.roughness.friction > 0.0) {
            rub::rub_fixed(&mut after, spin, radius, self.normal, change, motion.roughness);
        }
        (after, impulse)
    }
}

impl Surroundings<'_> {
    /// The first wall or static that a disc reaches between two times of a path that begins where it
    /// is.
    pub(super) fn next_hit(&self, disc: Disc, velocity: Vec2, [from, to]: [f32; 2]) -> Option<Hit> {
        let wall = self.next_wall(disc, velocity, [from, to]);
        if self.statics.is_empty() {
            return wall;
        }
        let to = wall.map_or(to, |wall| wall.time);
        let place = Disc::new(disc.center + velocity * from, disc.radius);
        let hit = self.next_static(place, velocity, to - from);
        hit.map(|hit| Hit { time: from + hit.time, ..hit }).or(wall)
    }

    fn next_wall(&self, disc: Disc, velocity: Vec2, [from, to]: [f32; 2]) -> Option<Hit> {
        let Motion { world, space, .. } = self.motion;
        let mut next: Option<Hit> = None;
        for (axis, repeats) in space.repeats().into_iter().enumerate() {
            let speed = velocity[axis];
            if repeats || speed == 0.0 {
                continue;
            }
            let limit = if speed > 0.0 {
                world.max[axis] - disc.radius
            } else {
                world.min[axis] + disc.radius
            };
            let time = ((limit - disc.center[axis]) / speed).max(from);
            if is_next(time, next, to) {
                let mut normal = Vec2::ZERO;
                normal[axis] = -speed.signum();
                next = Some(Hit { time, normal, is_wall: true });
            }
        }
        next
    }

    fn next_static(&self, disc: Disc, velocity: Vec2, seconds: f32) -> Option<Hit> {
        let Self { motion: Motion { world, space, .. }, statics } = self;
        let mut next: Option<Hit> = None;
        let area = path_bounds(disc, velocity * seconds);
        for shift in space.copies(area, *world) {
            let disc = Disc::new(disc.center + shift, disc.radius);
            statics.visit_near(&area.shifted(shift), |index| {
                let Some((time, normal)) = statics.rounded(index).reach(disc, velocity, world)
                else {
                    return;
                };
                if is_next(time, next, seconds)
                    && !statics.is_covered(index, disc.center + velocity * time, space)
                {
                    next = Some(Hit { time, normal, is_wall: false });
                }
            });
        }
        next
    }

    /// The place that a disc gets to if it is moved to another: where it first touches a wall or a
    /// static.
    #[cold]
    pub(super) fn stopped(&self, disc: Disc, to: Vec2) -> Vec2 {
        let way = to - disc.center;
        self.next_hit(disc, way, [0.0, 1.0]).map_or(to, |hit| disc.center + way * hit.time)
    }

    /// True if some agents may touch a static on their paths to where they are now.
    pub(super) fn is_near(&self, starts: &Before, [x, y]: [&[f32]; 2], radius: &[f32]) -> bool {
        let ends = x.iter().zip(y).map(|(&x, &y)| Vec2::new(x, y)).zip(radius);
        let area = ends.enumerate().fold(Rect::EMPTY, |area, (entry, (end, &radius))| {
            let disc = Disc::new(starts.get(entry), radius);
            area.union(&path_bounds(disc, end - disc.center))
        });
        !self.is_clear(area)
    }

    /// True if no static is near a rectangle or its copies.
    pub(super) fn is_clear(&self, area: Rect) -> bool {
        let Motion { world, space, .. } = self.motion;
        space.copies(area, *world).all(|shift| self.statics.is_clear(&area.shifted(shift)))
    }

    /// Moves an agent for some seconds, and adds the momentum that walls took up. Returns false if it met
    /// nothing; then it has not moved.
    fn travel(
        &self,
        disc: &mut Disc,
        velocity: &mut Vec2,
        mut spin: Option<&mut f32>,
        seconds: f32,
        impulse: &mut ExactSum,
    ) -> bool {
        let Some(mut hit) = self.next_hit(*disc, *velocity, [0.0, seconds]) else { return false };
        let mut left = seconds;
        for _ in 0..BOUNCES {
            disc.center += *velocity * hit.time;
            left -= hit.time;
            let (after, taken) =
                hit.bounce(*velocity, spin.as_deref_mut(), disc.radius, self.motion);
            *velocity = after;
            *impulse += taken;
            let Some(next) = self.next_hit(*disc, *velocity, [0.0, left]) else {
                disc.center += *velocity * left;
                break;
            };
            hit = next;
        }
        true
    }

    /// Takes agents that have moved straight on, in a word of agents near a static, to where they
    /// get, and adds the momentum that walls took up. `since` is the time from which on their paths are
    /// as they are now.
    #[inline(never)]
    pub(super) fn travel_all(
        &self,
        starts: &Before,
        [[x, y], [vx, vy]]: [[&mut [f32]; 2]; 2],
        radius: &[f32],
        spin: &mut [f32],
        since: impl Fn(usize) -> f32,
        impulse: &mut ExactSum,
    ) {
        let agents = x.iter_mut().zip(y).zip(vx.iter_mut().zip(vy)).zip(radius).enumerate();
        for (entry, (((x, y), (vx, vy)), &radius)) in agents {
            let (mut velocity, since) = (Vec2::new(*vx, *vy), since(entry));
            let mut disc = Disc::new(starts.get(entry) + velocity * since, radius);
            let seconds = self.motion.dt - since;
            let spin = spin.get_mut(entry);
            if self.travel(&mut disc, &mut velocity, spin, seconds, impulse) {
                [*x, *y] = disc.center.to_array();
                [*vx, *vy] = velocity.to_array();
            }
        }
    }
}

/// True if a hit comes within some seconds, and before another one.
fn is_next(time: f32, other: Option<Hit>, seconds: f32) -> bool {
    other.map_or(time <= seconds, |other| time < other.time)
}

/// The rectangle around the path of a disc.
fn path_bounds(disc: Disc, way: Vec2) -> Rect {
    let end = disc.center + way;
    Rect::new(disc.center.min(end), disc.center.max(end)).expanded(disc.radius)
}
