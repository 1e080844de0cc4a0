//! What is beneath the agents: the ground of the world, a line around it, and the outside.
//!
//! World and frame have parallel axes, so all rows are of one kind: outside, line, ground, line,
//! outside. The line lies around the world, so that agents at a wall touch it and don't hide it.

use std::ops::Range;

use crate::{
    geometry::Rect,
    raster::Camera,
    raster::{
        blend::{self, Pixel, opaque},
        style::Style,
    },
};

/// Width of the line, pixels.
const LINE: f32 = 1.5;

/// The ground of a frame, in pixels.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// The world's borders: left, right.
    x: [f32; 2],
    /// The world's borders: top, bottom.
    y: [f32; 2],
    inside: Pixel,
    outside: Pixel,
    line: Pixel,
}

impl Ground {
    /// The ground of a world as the camera sees it.
    pub(crate) fn new(world: &Rect, camera: &Camera, look: &Style) -> Self {
        let (low, high) = (camera.to_pixel(world.min), camera.to_pixel(world.max));
        Self {
            x: [low.x, high.x],
            y: [high.y, low.y],
            inside: opaque(look.ground),
            outside: opaque(look.outside),
            line: opaque(look.border),
        }
    }

    /// Paints all pixels of some rows, the first of which is row `top` of the frame.
    pub(crate) fn fill(&self, pixels: &mut [Pixel], width: usize, top: i32) {
        let [left, right] = self.x;
        // Whatever is farther from both of the world's sides is like its neighbours in the row.
        let sides = [edge(left - LINE, left, width), edge(right, right + LINE, width)];
        for (y, row) in (top..).zip(pixels.chunks_exact_mut(width)) {
            let lined = overlap(y as f32, [self.y[0] - LINE, self.y[1] + LINE]);
            let within = overlap(y as f32, self.y);
            let middle = self.color(lined, within);
            row[..sides[0].start].fill(self.outside);
            row[sides[0].end.min(sides[1].start)..sides[1].start].fill(middle);
            row[sides[1].end..].fill(self.outside);
            for x in sides.iter().flat_map(Range::clone) {
                let x_lined = overlap(x as f32, [left - LINE, right + LINE]);
                row[x] = self.color(lined * x_lined, within * overlap(x as f32, self.x));
            }
        }
    }

    /// The color of a pixel by the shares of it that lie in the line's outer border and in the world.
    fn color(&self, lined: f32, within: f32) -> Pixel {
        let around = blend::mix(self.outside, self.line, blend::weight(lined));
        blend::mix(around, self.inside, blend::weight(within))
    }
}

/// The columns that meet `from..to`, and one more on both sides.
fn edge(from: f32, to: f32, width: usize) -> Range<usize> {
    ((from - 1.0) as usize).min(width)..((to + 2.0) as usize).min(width)
}

/// Share of the pixel that begins at `pixel` and lies in an interval.
pub(crate) fn overlap(pixel: f32, [from, to]: [f32; 2]) -> f32 {
    ((pixel + 1.0).min(to) - pixel.max(from)).clamp(0.0, 1.0)
}
