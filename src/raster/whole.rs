//! Discs of a few pixels: the exact coverage of all their pixels at once.
//!
//! ```text
//!     ┌───┬───┬───┬───┐   The area of a disc left of a column's border and below a row's border takes
//!     │ ░ │ ▒ │ ▒ │ ░ │   an arc sine and a root for the column and the same for the row; what is left
//!     ├───┼───┼───┼───┤   for each crossing is a choice, a product and a sum. A pixel's coverage is the
//!     │ ▒ │ █ │ █ │ ▒ │   sum and difference of its four crossings.
//! ```

use std::ops::Range;

use crate::raster::{
    band::Band,
    blend::{self, Pixel, Weight},
    span::Disc,
    sprite::floor,
};

/// Largest radius of such a disc, pixels.
pub(crate) const RADIUS_MAX: f32 = 6.0;

/// Pixels a row: a disc of [`RADIUS_MAX`] meets 13, and four are drawn at a time.
const SIDE: usize = 16;

/// A column's border or a row's: where it is, and half of the disc's area left of it.
#[derive(Clone, Copy, Debug)]
struct Border {
    at: f32,
    half: f32,
}

/// Draws a disc into a band, clipped to it.
pub(crate) fn draw(band: &mut Band<'_>, disc: Disc) {
    let (left, right) = (floor(disc.x - disc.radius), floor(disc.x + disc.radius));
    let first = floor(disc.y - disc.radius).max(band.top);
    let end = (floor(disc.y + disc.radius) + 1).min(band.top + band.rows);
    if first >= end || right < 0 || left >= band.width {
        return;
    }
    let square = disc.radius * disc.radius;
    let offset = left as f32 - disc.x;
    let columns: [Border; SIDE + 1] = std::array::from_fn(|k| {
        let at = (offset + k as f32).clamp(-disc.radius, disc.radius);
        Border { at, half: half(at, disc.radius) }
    });
    let mut above = areas(first as f32 - disc.y, disc.radius, square, &columns);
    for y in first..end {
        let below = areas((y + 1) as f32 - disc.y, disc.radius, square, &columns);
        let mut weights = [0; SIDE];
        for k in 0..SIDE {
            weights[k] = blend::weight(below[k + 1] - below[k] - above[k + 1] + above[k]);
        }
        let width = band.width;
        draw_row(band.row(y), width, left..right + 1, &weights, disc.color);
        above = below;
    }
}

/// The areas between the disc's upper end and a row's border `y`, left of each column.
fn areas(y: f32, radius: f32, square: f32, columns: &[Border; SIDE + 1]) -> [f32; SIDE + 1] {
    let depth = y.abs().min(radius);
    // The border cuts the disc between -cut and +cut. What it cuts off, on its smaller side:
    let cut = (square - depth * depth).max(0.0).sqrt();
    let ends = [half(-cut, radius), half(cut, radius)];
    std::array::from_fn(|k| {
        let Border { at, half } = columns[k];
        let within = half.clamp(ends[0], ends[1]);
        let off = within - ends[0] - depth * (at.clamp(-cut, cut) + cut);
        if y < 0.0 { off } else { 2.0 * half - off }
    })
}

/// Half of the disc's height, integrated from its left end to `at`.
#[inline]
fn half(at: f32, radius: f32) -> f32 {
    let share = at / radius;
    // Arc sine plus a quarter of a turn; Abramowitz and Stegun 4.4.45, off by 7e-5 at most.
    let x = share.abs();
    let series = 1.570_728_8 + x * (-0.212_114_4 + x * (0.074_261 - x * 0.018_729_3));
    let arc = (1.0 - x).max(0.0).sqrt() * series;
    let turn = if share < 0.0 { arc } else { std::f32::consts::PI - arc };
    let rise = (1.0 - share * share).max(0.0).sqrt();
    0.5 * radius * radius * (share * rise + turn)
}

/// Draws a row of weights that begins at column `left`, clipped to the frame's sides.
fn draw_row(
    row: &mut [Pixel],
    width: i32,
    columns: Range<i32>,
    weights: &[Weight; SIDE],
    color: Pixel,
) {
    // What is drawn four at a time may end behind the last column, but not behind the frame.
    if columns.start >= 0 && columns.end + 3 <= width {
        let fours = row[columns.start as usize..].as_chunks_mut::<4>().0.iter_mut();
        let used = columns.len().div_ceil(4);
        for (four, weights) in fours.zip(weights.as_chunks::<4>().0).take(used) {
            blend::tint_four(four, color.map(u16::from), weights);
        }
    } else {
        for (x, &weight) in columns.zip(weights) {
            if (0..width).contains(&x) {
                let pixel = &mut row[x as usize];
                *pixel = blend::mix(*pixel, color, weight);
            }
        }
    }
}
