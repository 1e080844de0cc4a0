//! The part of the world that belongs to a node, and the limits at which a leaf is split.

use glam::Vec2;

use crate::geometry::Rect;

/// A leaf with more elements than this is split.
const ELEMENTS_PER_LEAF_MAX: u32 = 8;
/// The largest number of times that the world is halved.
const DEPTH_MAX: u32 = 8;

/// The node that holds the whole world.
pub(super) const ROOT: u32 = 0;
/// The end of a list.
pub(super) const NONE: u32 = u32::MAX;
/// The number of elements that a node has if it is a branch.
pub(super) const BRANCH: u32 = u32::MAX;

/// The part of the world that belongs to a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quarter {
    middle: Vec2,
    /// The distances from the middle to the borders.
    half: Vec2,
    pub(super) depth: u32,
}

impl Quarter {
    /// The whole world. Points outside belong to it as well.
    pub(super) fn world(world: &Rect) -> Self {
        Self { middle: world.center(), half: world.size() * 0.5, depth: 0 }
    }

    /// True if a leaf with that many elements is small enough, or cannot be split.
    #[inline]
    pub(super) fn holds(&self, count: u32) -> bool {
        count <= ELEMENTS_PER_LEAF_MAX || self.depth == DEPTH_MAX
    }

    pub(super) fn child(self, index: u32) -> Self {
        let half = self.half * 0.5;
        let to = |far: bool, half: f32| if far { half } else { -half };
        let step = Vec2::new(to(index & 1 != 0, half.x), to(index & 2 != 0, half.y));
        Self { middle: self.middle + step, half, depth: self.depth + 1 }
    }

    /// The child that a point belongs to.
    #[inline]
    pub(super) fn child_at(&self, point: Vec2) -> u32 {
        u32::from(point.x > self.middle.x) | u32::from(point.y > self.middle.y) << 1
    }

    /// The children that a box touches, one bit each.
    #[inline]
    pub(super) fn bits_under(&self, rect: &Rect) -> u32 {
        let bits = |low: bool, high: bool| u32::from(low) | u32::from(high) << 1;
        let cols = bits(rect.min.x <= self.middle.x, rect.max.x >= self.middle.x);
        let rows = bits(rect.min.y <= self.middle.y, rect.max.y >= self.middle.y);
        (cols * (rows & 1)) | (cols * (rows & 2)) << 1
    }

    /// The children that a box touches.
    #[inline]
    pub(super) fn children_under(&self, rect: &Rect) -> impl Iterator<Item = u32> + use<> {
        let mut left = self.bits_under(rect);
        std::iter::from_fn(move || {
            let child = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (child < 4).then_some(child)
        })
    }
}
