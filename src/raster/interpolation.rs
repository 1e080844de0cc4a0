//! Frames between two steps: each agent is drawn where it was a moment ago, by its velocity.
//!
//! ```text
//! step n ●────────────○────────● step n+1      ○ is drawn: x − seconds · v
//!                     └seconds─┘
//! ```
//!
//! Positions are shifted while they are loaded into a batch, so nothing is copied. An agent that bounced
//! between the two steps is drawn off its path, by at most its way in one step, for one frame.

use glam::Vec2;

use crate::{agents::Agent, geometry::Rect};

/// How long before the present state agents are drawn, and how far that may move them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interpolation {
    /// Simulated seconds before the present state, 0 or more; 0 draws the present state.
    pub seconds: f32,
    /// Largest shift of an agent along x or y, world units. Agents are searched for this far beyond the
    /// border of the frame.
    pub farthest: f32,
}

impl Interpolation {
    /// True if agents are drawn as they are now.
    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.seconds == 0.0
    }

    /// The position at which an agent is drawn, inside the walls of `world`.
    pub fn position(self, agent: &Agent, world: &Rect) -> Vec2 {
        let Agent { position, velocity, radius, .. } = *agent;
        if self.is_none() {
            return position;
        }
        let [along, up] = Self::walls(world);
        Vec2::new(
            self.coordinate(position.x, velocity.x, radius, along),
            self.coordinate(position.y, velocity.y, radius, up),
        )
    }

    /// The earlier coordinate of an agent between walls at `low` and `high`.
    #[inline(always)]
    pub(crate) fn coordinate(self, at: f32, speed: f32, radius: f32, [low, high]: [f32; 2]) -> f32 {
        let by = (self.seconds * speed).max(-self.farthest).min(self.farthest);
        (at - by).max(low + radius).min(high - radius)
    }

    /// The walls along x and along y.
    #[inline(always)]
    pub(crate) fn walls(world: &Rect) -> [[f32; 2]; 2] {
        [[world.min.x, world.max.x], [world.min.y, world.max.y]]
    }
}
