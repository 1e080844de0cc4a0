//! What lies beneath the agents: the ground of the world, a line around it, and the outside.
//!
//! World and frame have parallel axes, so every row consists of the same pieces: outside, line, ground,
//! line, outside. The line lies around the world, so that it is not hidden by agents at a wall.

use std::ops::Range;

use crate::{
    geometry::Rect,
    raster::{
        blend::{self, Pixel, opaque},
        camera::Camera,
        coverage::interval,
        style::Style,
    },
};

/// Width of the line, pixels.
const LINE: f32 = 1.5;

/// The background of a frame, in pixels.
#[derive(Clone, Debug)]
pub(crate) struct Background {
    /// Borders of the world: left, right.
    x: [f32; 2],
    /// Borders of the world: top, bottom.
    y: [f32; 2],
    inside: Pixel,
    outside: Pixel,
    line: Pixel,
}

impl Background {
    /// The background of a world as the camera sees it.
    pub(crate) fn new(world: &Rect, camera: &Camera, style: &Style) -> Self {
        let (low, high) = (camera.to_pixel(world.min), camera.to_pixel(world.max));
        Self {
            x: [low.x, high.x],
            y: [high.y, low.y],
            inside: opaque(style.ground),
            outside: opaque(style.outside),
            line: opaque(style.border),
        }
    }

    /// Fills all pixels of some rows, the first of which is row `top` of the frame.
    pub(crate) fn fill(&self, pixels: &mut [Pixel], width: usize, top: i32) {
        let [left, right] = self.x;
        // Pixels away from both sides of the world equal their neighbors in the row.
        let sides = [edge(left - LINE, left, width), edge(right, right + LINE, width)];
        for (y, row) in (top..).zip(pixels.chunks_exact_mut(width)) {
            let lined = interval(y as f32, [self.y[0] - LINE, self.y[1] + LINE]);
            let within = interval(y as f32, self.y);
            let middle = self.color(lined, within);
            row[..sides[0].start].fill(self.outside);
            row[sides[0].end.min(sides[1].start)..sides[1].start].fill(middle);
            row[sides[1].end..].fill(self.outside);
            for x in sides.iter().flat_map(Range::clone) {
                let x_lined = interval(x as f32, [left - LINE, right + LINE]);
                row[x] = self.color(lined * x_lined, within * interval(x as f32, self.x));
            }
        }
    }

    /// The color of a pixel by its shares inside the line's outer border and inside the world.
    fn color(&self, lined: f32, within: f32) -> Pixel {
        let around = blend::mix(self.outside, self.line, blend::weight(lined));
        blend::mix(around, self.inside, blend::weight(within))
    }
}

/// The columns that meet `from..to`, and one more on each side.
fn edge(from: f32, to: f32, width: usize) -> Range<usize> {
    ((from - 1.0) as usize).min(width)..((to + 2.0) as usize).min(width)
}
