//! The parameters of a substep of the contact solver.

use glam::Vec2;

use super::coulomb::Roughness;
use crate::geometry::Rect;

/// Rounds per substep.
pub(crate) const ROUNDS: u32 = 4;

/// Margin of a disc at rest, as a share of its radius.
pub(super) const MARGIN: f32 = 0.06;

/// Share of the margin that bodies may move through until their pairs are searched again.
const SLACK: f32 = 0.7;

/// Largest motion that a disc is enlarged by, as a share of its radius.
pub(super) const MOTION_MAX: f32 = 2.0;

/// A gap of less than this share of the smallest radius counts as touch. Others may have pushed the
/// two that far apart since they met.
const TOUCH: f32 = 0.02;

/// The same for fast agents that are still to meet, and with walls and statics. What passes by at a
/// larger distance changes nothing.
const TOUCH_OF_FAST: f32 = 0.0005;

/// Seconds for which all agents of a band must be slow until they are held.
const REST_SECONDS: f32 = 0.5;

/// Speed of slow agents, as a share of the speed below which nothing bounces.
const SLOW: f32 = 0.04;

/// Largest speed at which springs push overlap out, in smaller radii per second.
const PUSH_RATE: f32 = 3.0;

/// The same where two do not approach each other.
const GENTLE_RATE: f32 = 1.0;

/// Largest speed at which deeper overlap is moved apart, in smaller radii per second.
const MOVE_RATE: f32 = 10.0;

/// Substeps ahead that home cells are chosen for: a disc that is enlarged by its motion may stand out of its
/// cell by little more.
const AHEAD: f32 = 0.5;

/// The parameters of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Physics {
    /// The walls.
    pub(crate) world: Rect,
    /// Seconds per substep.
    pub(crate) dt: f32,
    /// World units per second squared, downwards.
    pub(crate) gravity: f32,
    /// Share of the approach speed that a collision returns.
    pub(crate) restitution: f32,
    pub(crate) roughness: Roughness,
    /// A slower approach returns nothing; world units per second.
    pub(crate) rest_speed: f32,
    /// The smallest radius.
    pub(crate) radius_min: f32,
    /// True if agents at rest are held.
    pub(crate) sleep: bool,
}

impl Physics {
    /// Seconds ahead that home cells are chosen for.
    pub(crate) fn ahead(&self) -> f32 {
        AHEAD * self.dt
    }

    /// Seconds per round.
    pub(super) fn round(&self) -> f32 {
        self.dt / ROUNDS as f32
    }

    /// Largest speed at which overlap is pushed out, per world unit of the smaller radius. Where
    /// gravity is strong for discs so small, they get that deep into each other by themselves.
    pub(super) fn push_rate(&self) -> f32 {
        PUSH_RATE.max(self.rest_speed / self.radius_min)
    }

    /// The same where two do not approach each other.
    pub(super) fn gentle_rate(&self) -> f32 {
        GENTLE_RATE / PUSH_RATE * self.push_rate()
    }

    /// Largest speed at which what is deeper is moved apart, per world unit of the smaller radius.
    pub(super) fn move_rate(&self) -> f32 {
        MOVE_RATE / PUSH_RATE * self.push_rate()
    }

    /// When pairs count as touching at the end of a substep.
    pub(super) fn touch(&self) -> Touch {
        let [gap, gap_of_fast] = [TOUCH, TOUCH_OF_FAST].map(|share| share * self.radius_min);
        Touch { gap, gap_of_fast, fast: self.rest_speed, dt: self.dt }
    }

    /// The path of a body that meets nothing in the substep.
    pub(super) fn path(&self, [vx, vy]: [f32; 2]) -> Vec2 {
        // Gravity is added before each round.
        let share = (ROUNDS + 1) as f32 / (2 * ROUNDS) as f32;
        Vec2::new(vx, vy - self.gravity * self.dt * share) * self.dt
    }

    /// The distance that a body of that speed may move in a substep, without pushes.
    pub(super) fn motion(&self, speed: f32) -> f32 {
        (speed + self.gravity.abs() * self.dt) * self.dt
    }

    /// The distance that bodies may move until their pairs are searched again.
    pub(super) fn slack(&self) -> f32 {
        SLACK * MARGIN * self.radius_min
    }

    /// Substeps for which the agents of a band must be slow until it is held.
    pub(super) fn calm(&self) -> u32 {
        if self.sleep { (REST_SECONDS / self.dt).ceil() as u32 } else { u32::MAX }
    }

    /// The speed below which an agent is slow, squared.
    pub(super) fn slow_square(&self) -> f32 {
        let slow = SLOW * self.rest_speed;
        slow * slow
    }
}

/// When pairs count as touching at the end of a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The largest gap, world units.
    pub(super) gap: f32,
    /// The largest gap of a pair that comes fast and would not have met by now.
    pub(super) gap_of_fast: f32,
    /// A faster approach bounces.
    pub(super) fast: f32,
    /// Seconds per substep.
    pub(super) dt: f32,
}

impl Touch {
    /// The largest gap of a pair with this gap and speed of approach at the start of the substep.
    #[inline(always)]
    pub(super) fn largest(&self, gap: f32, approach: f32) -> f32 {
        let comes = (approach > self.fast) & (gap > approach * self.dt);
        if comes { self.gap_of_fast } else { self.gap }
    }
}
