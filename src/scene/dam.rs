//! The basin of `dam`: a column of agents without its gate, and the obstacles that it floods.
//!
//! ```text
//!  height
//!   0.85  ┌─────┐                          column    agents start here
//!         │▒▒▒▒▒│
//!         │▒▒▒▒▒│
//!   0.40  │▒▒▒▒▒│         ●  ●  ●          pillars   staggered; agents pass between any two
//!         │▒▒▒▒▒│          ●  ●  ●   ▌
//!         │▒▒▒▒▒│   ▄█    ●  ●  ●    ▌     steps, wall: the flow jumps, climbs and spills
//!   0.00  └─────┴───██───────────────▌───
//! ```
//!
//! Lengths are shares of the world. Where large agents would jam, pillars are fewer and farther
//! apart.

use glam::Vec2;

use crate::{geometry::Rect, statics::Static};

/// Width and height of the column, as shares of the width and height of the world.
const COLUMN: Vec2 = Vec2::new(0.35, 0.85);

/// The boxes: left and right end as shares of the world's width, and top as a share of its height.
const BOXES: [[f32; 3]; 3] = [[0.43, 0.47, 0.05], [0.47, 0.51, 0.1], [0.81, 0.825, 0.18]];

/// The rectangle of the middles of pillars, as shares of the world's width and height.
const PILLARS: Rect = Rect::new(Vec2::new(0.565, 0.1), Vec2::new(0.755, 0.4));

/// Radius of a pillar and distance of two in a row, as shares of the height of a world of 16:9.
const RADIUS: f32 = 0.022;
const PITCH: f32 = 0.1;

/// Least gap between two pillars, in radii of the largest agent: agents would bridge a narrower
/// one.
const GAP_IN_RADII: f32 = 4.5;

/// Distance of two rows, in distances of pillars: the height of an equilateral triangle.
const ROW: f32 = 0.866;

/// The rectangle that agents start in.
pub(super) fn column(world: &Rect) -> Rect {
    Rect::new(world.min, world.min + COLUMN * world.size())
}

/// The obstacles of a world in which the largest agent has the radius `largest`.
pub(super) fn statics(world: &Rect, largest: f32) -> Vec<Static> {
    let at = |x: f32, y: f32| world.min + Vec2::new(x, y) * world.size();
    let boxes =
        BOXES.map(|[left, right, height]| Static::Box(Rect::new(at(left, 0.0), at(right, height))));
    let unit = world.height().min(world.width() * (9.0 / 16.0));
    let radius = RADIUS * unit;
    let pitch = (PITCH * unit).max(2.0 * radius + GAP_IN_RADII * largest);
    let (min, max) = (at(PILLARS.min.x, PILLARS.min.y), at(PILLARS.max.x, PILLARS.max.y));
    let count = |length: f32, pitch: f32| (length / pitch + 1.001) as u32;
    let pillars = (0..count(max.y - min.y, ROW * pitch)).flat_map(|row| {
        let shift = if row.is_multiple_of(2) { 0.0 } else { 0.5 * pitch };
        let y = min.y + row as f32 * ROW * pitch;
        (0..count(max.x - min.x - shift, pitch))
            .map(move |n| Static::disc(Vec2::new(min.x + shift + n as f32 * pitch, y), radius))
    });
    let mut statics: Vec<Static> = boxes.into_iter().chain(pillars).collect();
    statics.retain(|shape| shape.check(world).is_ok());
    statics
}
