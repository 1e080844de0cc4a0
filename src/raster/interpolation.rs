//! Pictures between two steps: every agent is drawn where it was a moment ago, by its velocity.
//!
//! ```text
//! step n ●────────────○────────● step n+1      ○ is drawn: x − seconds · v
//!                     └seconds─┘
//! ```
//!
//! Positions are not copied: they are moved on their way into a batch. Between two steps an agent may have
//! bounced; then it is off by what it moved since, for one picture.

use glam::Vec2;

use crate::{agents::Agent, geometry::Rect};

/// How long ago, and how far that can have been.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interpolation {
    /// Seconds of simulated time, 0 or more; 0 is now.
    pub seconds: f32,
    /// No agent is moved farther than this along x or y, world units: so far, agents are looked for beyond the
    /// picture's border.
    pub farthest: f32,
}

impl Interpolation {
    /// True if there is none.
    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.seconds == 0.0
    }

    /// Where an agent of a world was.
    pub fn position(self, agent: &Agent, world: &Rect) -> Vec2 {
        let Agent { position, velocity, radius, .. } = *agent;
        if self.is_none() {
            return position;
        }
        let [along, up] = Self::walls(world);
        Vec2::new(
            self.before(position.x, velocity.x, radius, along),
            self.before(position.y, velocity.y, radius, up),
        )
    }

    /// Where a coordinate was, of an agent that is within walls at `low` and `high`.
    #[inline(always)]
    pub(crate) fn before(self, at: f32, speed: f32, radius: f32, [low, high]: [f32; 2]) -> f32 {
        let by = (self.seconds * speed).max(-self.farthest).min(self.farthest);
        (at - by).max(low + radius).min(high - radius)
    }

    /// The walls along x and along y.
    #[inline(always)]
    pub(crate) fn walls(world: &Rect) -> [[f32; 2]; 2] {
        [[world.min.x, world.max.x], [world.min.y, world.max.y]]
    }
}
