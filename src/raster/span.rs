//! Large discs: row by row, an anti-aliased outline and a rim around a filled span.
//!
//! ```text
//!        ░▒▓███▓▒░            ░   outline: sixteen pixels at a time, coverage and rim computed
//!      ░▒▓███████▓▒░          ▒▓  rim: the same, without coverage
//!     ░▒▓█████████▓▒░         ███ span: one fill
//! ```
//!
//! So a disc costs by its outline, and the span is as fast as memory.

use std::ops::Range;

use crate::{
    raster::{
        band::Band,
        blend::{self, BLOCK, Pixel, signed},
        coverage::{self, REACH},
        disc::{Colors, Disc, Shading},
        sprite::floor,
    },
    simd::Kernel,
};

/// One row of a disc.
struct Row {
    y: i32,
    dy: f32,
    body: Pixel,
    rim: Pixel,
}

/// Draws a disc into a band, clipped to it.
pub(crate) fn draw(band: &mut Band<'_>, disc: &Disc) {
    let first = floor(disc.y - disc.radius).max(band.top);
    let end = floor(disc.y + disc.radius).saturating_add(1).min(band.top + band.rows);
    let missed = disc.x + disc.radius <= 0.0 || disc.x - disc.radius >= band.width as f32;
    if first < end && !missed {
        band.simd.run(Spans { band, disc, rows: first..end });
    }
}

/// Draws some rows of a disc.
struct Spans<'a, 'b> {
    band: &'a mut Band<'b>,
    disc: &'a Disc,
    rows: Range<i32>,
}

impl Kernel for Spans<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc, rows } = self;
        let shading = Shading::new(disc);
        for block in rows.clone().step_by(BLOCK) {
            let Colors { body, rim } = shading.rows(block);
            for (y, (body, rim)) in (block..rows.end).zip(body.into_iter().zip(rim)) {
                let row = Row { y, dy: y as f32 + 0.5 - disc.y, body, rim };
                draw_row(band, disc, &shading, &row);
            }
        }
    }
}

/// Draws the part of a disc that lies in a row.
#[inline(always)]
fn draw_row(band: &mut Band<'_>, disc: &Disc, shading: &Shading, row: &Row) {
    let dy = row.dy;
    // Pixels whose centres are nearer to the disc's than that; the first of them, and the first behind.
    let nearer = |radius: f32, within: &Range<i32>| {
        let half = (radius * radius - dy * dy).max(0.0).sqrt();
        let half = if radius > dy.abs() { half } else { -1.0 };
        let center = disc.x - 0.5;
        let start = floor(center - half).saturating_add(1).clamp(within.start, within.end);
        start..floor(center + half).saturating_add(1).clamp(start, within.end)
    };
    let all = nearer(disc.radius + REACH, &(0..band.width));
    let covered = nearer(disc.radius - REACH, &all);
    let filled = nearer(shading.inner.min(disc.radius - REACH), &covered);
    ring(band, disc, shading, row, all.start..filled.start, &covered);
    band.row(row.y)[filled.start as usize..filled.end as usize].fill(row.body);
    ring(band, disc, shading, row, filled.end..all.end, &covered);
}

/// Draws what is neither filled nor outside; `covered` is what is not outline.
#[inline(always)]
fn ring(
    band: &mut Band<'_>,
    disc: &Disc,
    shading: &Shading,
    row: &Row,
    xs: Range<i32>,
    covered: &Range<i32>,
) {
    for x in xs.clone().step_by(BLOCK) {
        let end = xs.end.min(x + signed(BLOCK));
        let (mut weights, mut inward) = ([0; BLOCK], [0; BLOCK]);
        for k in 0..BLOCK {
            let column = x + signed(k);
            let dx = column as f32 + 0.5 - disc.x;
            inward[k] = shading.inward(dx * dx + row.dy * row.dy);
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
        band.ink([x, row.y], [rim, body], &inward, &weights);
    }
}
