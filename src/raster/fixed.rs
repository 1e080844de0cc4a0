//! Statics: discs like those of agents, and boxes with the exact coverage of their borders, flat and in one
//! quiet color, so that the eye follows what moves.
//!
//! The statics in view are found through their own cells. The order in which they are drawn shows only
//! where their anti-aliased borders cross, and must not depend on bands. Each band therefore goes through
//! all statics in view, in the order of the frame's area, and draws those that meet it.

use std::ops::Range;

use crate::{
    geometry::Rect,
    grid,
    raster::{
        band::FrameBand,
        blend::{self, floor},
        context::DrawContext,
        coverage::interval,
        kernel::{PixelDisc, draw_disc},
    },
    statics::Static,
};

/// Draws the statics in view that meet an area of the world into the band that shows the area.
pub(crate) fn draw(band: &mut FrameBand<'_>, context: &DrawContext<'_>, area: &Rect) {
    let Some(statics) = context.view.statics else { return };
    let camera = &context.camera;
    let [width, height] = camera.size.to_array().map(|side| side as i32);
    statics.visit_near(&context.area(width, 0..height), |index| {
        if !statics.bounds(index).intersects(area) {
            return;
        }
        match statics.get(index) {
            Static::Disc(grid::Disc { center, radius }) => {
                let (center, radius) = (camera.to_pixel(center), radius * camera.scale);
                let color = context.statics_color;
                let disc = PixelDisc { x: center.x, y: center.y, radius, color, shading: 0.0 };
                draw_disc(band, &disc);
            }
            Static::Box(rect) => draw_box(band, context, &rect),
        }
    });
}

/// Draws a box: its inside as one fill per row, and its borders pixel by pixel.
fn draw_box(band: &mut FrameBand<'_>, context: &DrawContext<'_>, rect: &Rect) {
    let color = context.statics_color;
    let (low, high) = (context.camera.to_pixel(rect.min), context.camera.to_pixel(rect.max));
    let (across, down) = ([low.x, high.x], [high.y, low.y]);
    let columns = pixels(across, 0..band.width);
    // The columns between the two outermost ones are covered over their whole width.
    let inner = (columns.start + 1).min(columns.end)..(columns.end - 1).max(columns.start);
    for y in pixels(down, band.top..band.top + band.rows) {
        let covered = interval(y as f32, down);
        let row = band.row(y);
        let tint = |row: &mut [blend::Pixel], x: i32, share: f32| {
            let pixel = &mut row[x as usize];
            *pixel = blend::mix(*pixel, color, blend::weight(share));
        };
        if covered >= 1.0 && inner.start < inner.end {
            row[inner.start as usize..inner.end as usize].fill(color);
            for x in [columns.start, columns.end - 1] {
                tint(row, x, interval(x as f32, across));
            }
        } else {
            for x in columns.clone() {
                tint(row, x, covered * interval(x as f32, across));
            }
        }
    }
}

/// The pixels of a range that an interval meets.
fn pixels([from, to]: [f32; 2], within: Range<i32>) -> Range<i32> {
    let start = floor(from).clamp(within.start, within.end);
    start..floor(to).saturating_add(1).clamp(start, within.end)
}
