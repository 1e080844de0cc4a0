//! The background: the ground of the world, a line around it, the outside, and statics. Agents are
//! drawn over it.
//!
//! World and frame have parallel axes, so every row of the ground consists of the same pieces:
//! outside, line, ground, line, outside. The line lies around the world, so that it is not hidden
//! by agents at a wall.
//!
//! Statics are flat and have one quiet color, so that the eye follows what moves. The order in
//! which they are drawn shows only where their anti-aliased borders cross, and must not depend on
//! bands. Each band therefore goes through all statics in view, in the order of the frame's area,
//! and draws those that meet it.

use std::ops::Range;

use crate::{
    geometry::Rect,
    grid,
    raster::{
        band::FrameBand,
        blend::{self, Pixel, interval, opaque},
        canvas::{OverlayCanvas, Stroke},
        context::DrawContext,
        field,
        kernel::{PixelDisc, draw_disc},
    },
    statics::Static,
};

/// Width of the line around the world, pixels.
const LINE: f32 = 1.5;

/// Pixels of ground with haze that are copied at once. One instruction copies 8 kB or more, and
/// does not read the memory that it overwrites, unlike a loop that stores.
const COPIED: usize = field::GROUND_CHUNK;

/// Fills all pixels of a band with ground, line and outside.
pub(crate) fn fill(band: &mut FrameBand<'_>, context: &DrawContext<'_>) {
    if context.prepared.field.ground_row(0).is_none() {
        // A copy stores without reading the overwritten memory before; a fill reads it.
        let width = band.width as usize;
        let (first, rest) = band.pixels.split_at_mut(width);
        first.fill(opaque(context.style.ground));
        rest.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(first));
    } else {
        fill_hazy(band, context);
    }
    cover_outside(band, context);
}

/// Fills a band with ground that has haze.
fn fill_hazy(band: &mut FrameBand<'_>, context: &DrawContext<'_>) {
    let width = band.width as usize;
    let (mut ground, mut spare) = ([[0; 4]; COPIED], field::Spare::new());
    let mut rows = &mut *band.pixels;
    let mut y = band.top.cast_unsigned();
    while !rows.is_empty() {
        // A row of an even number and the next one are the same.
        let count = if y.is_multiple_of(2) && rows.len() > width { 2 } else { 1 };
        let (now, rest) = rows.split_at_mut(count * width);
        let row = context.prepared.field.ground_row(y).expect("the field has a ground");
        if count * width <= COPIED {
            let (first, second) = ground[..count * width].split_at_mut(width);
            band.simd.run(row.pixels(0, first, &mut spare));
            second.copy_from_slice(&first[..second.len()]);
            now.copy_from_slice(&ground[..count * width]);
        } else {
            for from in (0..width).step_by(COPIED) {
                let pixels = &mut ground[..COPIED.min(width - from)];
                band.simd.run(row.pixels(from, pixels, &mut spare));
                for row in now.chunks_exact_mut(width) {
                    row[from..][..pixels.len()].copy_from_slice(pixels);
                }
            }
        }
        (rows, y) = (rest, y + count as u32);
    }
}

/// Draws line and outside over the pixels of a band around the world.
pub(crate) fn cover_outside(band: &mut FrameBand<'_>, context: &DrawContext<'_>) {
    let [outside, line] = [context.style.outside, context.style.border].map(opaque);
    // Covers a pixel by its shares inside the line's outer border and inside the world.
    let cover = |pixel: &mut Pixel, lined: f32, within: f32| {
        let around = blend::mix(outside, line, blend::weight(lined));
        *pixel = blend::mix(around, *pixel, blend::weight(within));
    };
    let [upper, lower] = context.corners(&context.view.space.world());
    let (across, down) = ([upper.x, lower.x], [upper.y, lower.y]);
    let widened = |[from, to]: [f32; 2]| [from - LINE, to + LINE];
    // Pixels away from both sides of the world equal their neighbors in the row.
    let width = band.width as usize;
    let [left, right] = [[across[0] - LINE, across[0]], [across[1], across[1] + LINE]]
        .map(|edge| columns(edge, width));
    for (y, row) in (band.top..).zip(band.pixels.chunks_exact_mut(width)) {
        let lined = interval(y as f32, widened(down));
        let within = interval(y as f32, down);
        row[..left.start].fill(outside);
        if within < 1.0 {
            for pixel in &mut row[left.end.min(right.start)..right.start] {
                cover(pixel, lined, within);
            }
        }
        row[right.end..].fill(outside);
        // The two sides of a very small world may share columns; each is covered once.
        for x in left.clone().chain(right.start.max(left.end)..right.end) {
            let x_lined = interval(x as f32, widened(across));
            cover(&mut row[x], lined * x_lined, within * interval(x as f32, across));
        }
    }
}

/// The columns that overlap an interval, and one more on each side.
fn columns([from, to]: [f32; 2], width: usize) -> Range<usize> {
    ((from - 1.0) as usize).min(width)..((to + 2.0) as usize).min(width)
}

/// Draws the statics in view that meet an area of the world into the band that shows the area.
pub(crate) fn draw_statics(band: &mut FrameBand<'_>, context: &DrawContext<'_>, area: &Rect) {
    let Some(statics) = context.view.statics else { return };
    let (camera, color) = (&context.camera, context.style.statics);
    let [width, height] = camera.size.to_array().map(|side| side as i32);
    statics.visit_near(&context.area(width, 0..height), |index| {
        if !statics.bounds(index).intersects(area) {
            return;
        }
        match statics.get(index) {
            Static::Disc(grid::Disc { center, radius }) => {
                let (center, radius) = (camera.to_pixel(center), radius * camera.scale);
                let color = opaque(color);
                let disc = PixelDisc { x: center.x, y: center.y, radius, color, shading: 0.0 };
                draw_disc(band, &disc);
            }
            Static::Capsule { ends, radius } => {
                let ends = ends.map(|end| camera.to_pixel(end));
                let width = 2.0 * radius * camera.scale;
                OverlayCanvas::from_band(band).line(ends, width, Stroke::new(color));
            }
            Static::Box(rect) => {
                OverlayCanvas::from_band(band).fill(context.corners(&rect), Stroke::new(color));
            }
        }
    });
}
