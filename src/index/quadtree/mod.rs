//! Two quadtrees, as the author of the double grid describes those that came before it.
//!
//! Both halve a quarter that holds more than 8 elements, down to depth 8. Nodes are a few bytes each, in one
//! flat array; children come in blocks of four, so that a branch knows its first child only; a free list runs
//! through the blocks that are not used. Nobody stores the quarter of a node: whoever descends knows it.
//!
//! ```text
//! nodes [ root | a0 a1 a2 a3 | b0 b1 b2 b3 | … │ 2 3    child 1 is to the right, child 2 above
//!         └─first──┘  └─first──┘               │ 0 1
//! ```
//!
//! - [`Quadtree`] stores an element in every leaf that its box touches.
//! - [`LooseQuadtree`] stores it once, by its centre, and boxes grow around what is in them.
//!
//! Source: the user "Dragon Energy" on Stack Overflow, 2018, "Efficient (and well explained) implementation of
//! a Quadtree for 2D collision detection".

mod loose;
mod pool;
mod tight;

use glam::Vec2;

pub use self::{loose::LooseQuadtree, tight::Quadtree};
use crate::geometry::Rect;

/// A leaf with more elements than this is split.
pub const ELEMENTS_A_LEAF_MAX: u32 = 8;
/// Halvings of the world, at most.
pub const DEPTH_MAX: u32 = 8;

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// The part of the world that belongs to a node.
#[derive(Clone, Copy, Debug)]
struct Quarter {
    middle: Vec2,
    /// From the middle to its borders.
    half: Vec2,
    depth: u32,
}

impl Quarter {
    /// All of the world, and what lies outside.
    fn whole(world: &Rect) -> Self {
        Self { middle: world.center(), half: world.size() * 0.5, depth: 0 }
    }

    fn child(self, index: u32) -> Self {
        let half = self.half * 0.5;
        let to = |far: bool, half: f32| if far { half } else { -half };
        let step = Vec2::new(to(index & 1 != 0, half.x), to(index & 2 != 0, half.y));
        Self { middle: self.middle + step, half, depth: self.depth + 1 }
    }

    /// The child that a point belongs to.
    #[inline]
    fn child_of(&self, point: Vec2) -> u32 {
        u32::from(point.x > self.middle.x) | u32::from(point.y > self.middle.y) << 1
    }

    /// The children that a box touches, a bit each.
    #[inline]
    fn under(&self, rect: &Rect) -> u32 {
        let bits = |low: bool, high: bool| u32::from(low) | u32::from(high) << 1;
        let cols = bits(rect.min.x <= self.middle.x, rect.max.x >= self.middle.x);
        let rows = bits(rect.min.y <= self.middle.y, rect.max.y >= self.middle.y);
        (cols * (rows & 1)) | (cols * (rows & 2)) << 1
    }

    /// The same, one after the other.
    #[inline]
    fn children_under(&self, rect: &Rect) -> impl Iterator<Item = u32> + use<> {
        let mut left = self.under(rect);
        std::iter::from_fn(move || {
            let child = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (child < 4).then_some(child)
        })
    }
}
