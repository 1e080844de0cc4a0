//! Statics: discs like those of agents, and boxes with the exact coverage of their borders, flat and in one
//! quiet color, so that the eye stays with what moves.
//!
//! Those in view are found in their own cells. One color, and beneath everything else: in which order they are drawn
//! shows only where their anti-aliased borders cross. It must show no band, so each goes through all that is in view,
//! in the order that this has, and draws those that meet it.

use std::ops::Range;

use crate::{
    geometry::Rect,
    grid,
    raster::{
        band::Band, blend, disc::Disc, draw::draw_disc, ground::overlap, shot::DrawContext,
        sprite::floor,
    },
    statics::Static,
};

/// Draws the statics in view that meet an area of the world into the band that shows it.
pub(crate) fn draw(band: &mut Band<'_>, shot: &DrawContext<'_>, area: &Rect) {
    let statics = shot.picture.statics;
    let [width, height] = shot.camera.size.to_array().map(|side| side as i32);
    statics.visit_near(&shot.area(width, 0..height), |place| {
        if !statics.bounds(place).intersects(area) {
            return;
        }
        match statics.get(place) {
            Static::Disc(grid::Disc { center, radius }) => {
                let (center, radius) = (shot.camera.to_pixel(center), radius * shot.camera.scale);
                let disc =
                    Disc { x: center.x, y: center.y, radius, color: shot.fixed, shading: 0.0 };
                draw_disc(band, &disc);
            }
            Static::Box(rect) => draw_box(band, shot, &rect),
        }
    });
}

/// Draws a box: its inside as one fill a row, and its borders pixel by pixel.
fn draw_box(band: &mut Band<'_>, shot: &DrawContext<'_>, rect: &Rect) {
    let (low, high) = (shot.camera.to_pixel(rect.min), shot.camera.to_pixel(rect.max));
    let (across, down) = ([low.x, high.x], [high.y, low.y]);
    let columns = pixels(across, 0..band.width);
    // Those between the two outermost columns are covered from side to side.
    let inner = (columns.start + 1).min(columns.end)..(columns.end - 1).max(columns.start);
    for y in pixels(down, band.top..band.top + band.rows) {
        let covered = overlap(y as f32, down);
        let row = band.row(y);
        let tint = |row: &mut [blend::Pixel], x: i32, share: f32| {
            let pixel = &mut row[x as usize];
            *pixel = blend::mix(*pixel, shot.fixed, blend::weight(share));
        };
        if covered >= 1.0 && inner.start < inner.end {
            row[inner.start as usize..inner.end as usize].fill(shot.fixed);
            for x in [columns.start, columns.end - 1] {
                tint(row, x, overlap(x as f32, across));
            }
        } else {
            for x in columns.clone() {
                tint(row, x, covered * overlap(x as f32, across));
            }
        }
    }
}

/// The pixels of a range that an interval meets.
fn pixels([from, to]: [f32; 2], within: Range<i32>) -> Range<i32> {
    let start = floor(from).clamp(within.start, within.end);
    start..floor(to).saturating_add(1).clamp(start, within.end)
}
