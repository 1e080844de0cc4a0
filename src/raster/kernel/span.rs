//! Spans: large discs, row by row, as an anti-aliased outline and a rim around a filled span.
//!
//! ```text
//!        ░▒▓███▓▒░            ░   outline: sixteen pixels at a time, with coverage and rim
//!      ░▒▓███████▓▒░          ▒▓  rim: the same without coverage
//!     ░▒▓█████████▓▒░         ███ span: one fill
//! ```
//!
//! The computation per disc is proportional to its outline; the span is as fast as memory.

use std::ops::Range;

use super::disc::{PixelDisc, RowColors, Shading};
use crate::{
    raster::{
        band::{self, FrameBand},
        blend::{self, BLOCK, Pixel, floor, signed},
    },
    simd::Kernel,
};

/// Half the diagonal of a pixel, rounded up. A pixel is fully covered if its center lies farther
/// than this inside the edge, and untouched if its center lies farther than this outside.
const HALF_DIAGONAL: f32 = 0.7072;

/// One row of a disc.
struct DiscRow {
    y: i32,
    /// The distance from the center of the disc down to the middle of the row.
    dy: f32,
    body: Pixel,
    rim: Pixel,
}

/// Draws a disc into a band, clipped to it.
pub(super) fn draw(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    let first = floor(disc.y - disc.radius).max(band.top);
    let end = floor(disc.y + disc.radius).saturating_add(1).min(band.top + band.rows);
    let missed = disc.x + disc.radius <= 0.0 || disc.x - disc.radius >= band.width as f32;
    if first < end && !missed {
        band.simd.run(Spans { band, disc, rows: first..end });
    }
}

/// Draws some rows of a disc.
struct Spans<'a, 'b> {
    band: &'a mut FrameBand<'b>,
    disc: &'a PixelDisc,
    rows: Range<i32>,
}

impl Kernel for Spans<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc, rows } = self;
        let shading = Shading::new(disc);
        for block in rows.clone().step_by(BLOCK) {
            let RowColors { body, rim } = shading.rows(block);
            for (y, (body, rim)) in (block..rows.end).zip(body.into_iter().zip(rim)) {
                let row = DiscRow { y, dy: y as f32 + 0.5 - disc.y, body, rim };
                draw_row(band, disc, &shading, &row);
            }
        }
    }
}

/// Draws one row of a disc.
#[inline(always)]
fn draw_row(band: &mut FrameBand<'_>, disc: &PixelDisc, shading: &Shading, row: &DiscRow) {
    let dy = row.dy;
    // The pixels of the row with centers within that distance of the disc's center.
    let nearer = |radius: f32, within: &Range<i32>| {
        let half = (radius * radius - dy * dy).max(0.0).sqrt();
        let half = if radius > dy.abs() { half } else { -1.0 };
        let center = disc.x - 0.5;
        let start = floor(center - half).saturating_add(1).clamp(within.start, within.end);
        start..floor(center + half).saturating_add(1).clamp(start, within.end)
    };
    let all = nearer(disc.radius + HALF_DIAGONAL, &(0..band.width));
    let covered = nearer(disc.radius - HALF_DIAGONAL, &all);
    let filled = nearer(shading.inner.min(disc.radius - HALF_DIAGONAL), &covered);
    draw_edge(band, disc, shading, row, all.start..filled.start, &covered);
    band.row(row.y)[filled.start as usize..filled.end as usize].fill(row.body);
    draw_edge(band, disc, shading, row, filled.end..all.end, &covered);
}

/// Draws pixels of outline and rim. Pixels in `covered` belong to the rim alone.
#[inline(always)]
fn draw_edge(
    band: &mut FrameBand<'_>,
    disc: &PixelDisc,
    shading: &Shading,
    row: &DiscRow,
    xs: Range<i32>,
    covered: &Range<i32>,
) {
    for x in xs.clone().step_by(BLOCK) {
        let end = xs.end.min(x + signed(BLOCK));
        let (mut weights, mut shares) = ([0; BLOCK], [0; BLOCK]);
        for k in 0..BLOCK {
            let column = x + signed(k);
            let dx = column as f32 + 0.5 - disc.x;
            shares[k] = shading.body_share(dx * dx + row.dy * row.dy);
            weights[k] = if column < end { 256 } else { 0 };
        }
        if x < covered.start || end > covered.end {
            for (k, weight) in weights.iter_mut().enumerate() {
                let dx = (x + signed(k)) as f32 + 0.5 - disc.x;
                let share = blend::weight(coverage(dx, row.dy, disc.radius));
                *weight = share.min(*weight);
            }
        }
        let [rim, body] = [row.rim, row.body].map(blend::lanes);
        let simd = band.simd;
        band::tint(simd, band.row(row.y), x, [rim, body], Some(&shares), &weights);
    }
}

/// Coverage of the pixel with its center at `(dx, dy)` from the center of a disc, 0 to 1.
///
/// ```text
///      ┌────────┐   The tangent at the point nearest to the center of the pixel cuts the pixel
///      │   `╲   │   between t1 and t2. The area behind it is a second difference of squares. The
///      │     `╲ │   arc deviates from its tangent by t²/2r, so the area between the two is
///      └───────╲┘   (t2³ - t1³)/6r.
/// ```
///
/// Two divisions, one root and no branch. Larger discs differ from the exact area by less than
/// 2/255.
#[inline(always)]
fn coverage(dx: f32, dy: f32, radius: f32) -> f32 {
    // Avoids a division by zero at an edge that is parallel to an axis.
    const FLAT: f32 = 1e-3;
    let distance = (dx * dx + dy * dy).sqrt().max(1e-6);
    let inside = radius - distance;
    let across = 1.0 / distance;
    // The normal; by symmetry, one quadrant is enough. A unit square seen along the normal is a
    // trapezoid, the convolution of two boxes of these widths.
    let (nx, ny) = ((dx.abs() * across).max(FLAT), (dy.abs() * across).max(FLAT));
    let inverse = 1.0 / (nx * ny);
    let square = |t: f32| t.max(0.0) * t.max(0.0);
    let t = inside + 0.5 * (nx + ny);
    let behind = square(t) - square(t - nx) - square(t - ny) + square(t - nx - ny);
    // The positions on the tangent at which it enters and leaves the square.
    let (per_nx, per_ny) = (ny * inverse, nx * inverse);
    let t1 = ((inside * nx - 0.5) * per_ny).max((-0.5 - inside * ny) * per_nx);
    let t2 = ((inside * nx + 0.5) * per_ny).min((0.5 - inside * ny) * per_nx).max(t1);
    let between = (t2 * t2 * t2 - t1 * t1 * t1) * (1.0 / 6.0);
    (behind * 0.5 * inverse - between / radius).clamp(0.0, 1.0)
}
