//! The borders of the world, as boxes for engines that know no borders.

use jostle::{Rect, Vec2};

/// Thickness of a wall, world units.
const THICKNESS: f32 = 20.0;

/// Four boxes around the world. They overlap at its corners.
pub(crate) fn walls(world: &Rect) -> [Rect; 4] {
    let outer = world.expanded(THICKNESS);
    [
        Rect::new(outer.min, Vec2::new(outer.max.x, world.min.y)),
        Rect::new(Vec2::new(outer.min.x, world.max.y), outer.max),
        Rect::new(outer.min, Vec2::new(world.min.x, outer.max.y)),
        Rect::new(Vec2::new(world.max.x, outer.min.y), outer.max),
    ]
}
