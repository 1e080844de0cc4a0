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
        band::FrameBand,
        blend::{self, BLOCK, Pixel, floor, signed},
        coverage::{self, HALF_DIAGONAL},
    },
    simd::Kernel,
};

/// One row of a disc.
struct DiscRow {
    y: i32,
    /// From the center of the disc to the middle of the row.
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

/// Draws pixels of outline and rim; those in `covered` are not outline.
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
                let share = blend::weight(coverage::outline(dx, row.dy, disc.radius));
                *weight = share.min(*weight);
            }
        }
        let [rim, body] = [row.rim, row.body].map(blend::lanes);
        band.tint_mean([x, row.y], [rim, body], &shares, &weights);
    }
}
