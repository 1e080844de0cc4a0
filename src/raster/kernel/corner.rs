//! Small discs: up to 7 × 7 or 15 × 15 pixels, with the exact coverage of every pixel.
//!
//! ```text
//!      ┌──┬──┬──┬──┐    The pixels of a disc inside the band are prefetched and tinted as one
//!      │  │▒▒│▒▒│  │    square. A disc that a border of the band cuts is tinted in a copy.
//!      ├──┼──┼──┼──┤
//!      │▒▒│██│██│▒▒│    `simd::corners` computes the areas.
//! ```

use super::{disc::PixelDisc, draw_agent};
use crate::{
    raster::{
        band::{self, FrameBand},
        batch::Batch,
        blend::{self, signed},
        color_table::TONES,
        context::DrawContext,
        culling::BATCH_LEN,
    },
    simd::{
        self, Kernel,
        corners::{self, Corners},
        masks,
    },
};

/// Largest radius of a disc of at most 15 × 15 pixels, pixels.
pub(super) const CORNER_RADIUS_MAX: f32 = Corners::<16>::RADIUS_MAX;

/// Largest radius of a disc of at most 7 × 7 pixels, pixels.
pub(super) const SMALL_RADIUS_MAX: f32 = Corners::<8>::RADIUS_MAX;

/// Number of discs by which prefetching of pixels is ahead of drawing.
const PREFETCH_DISTANCE: usize = 4;

/// The first column or row of a disc.
#[inline(always)]
fn first(center: f32, radius: f32) -> i32 {
    // Rounding half less is rounding down; at a tie, either pixel will do.
    blend::round(blend::clamp_coordinate(center - radius) - 0.5)
}

/// Draws the discs of a batch with a bit, of at most 7 × 7 pixels each: first the discs of at most
/// 5 × 5 pixels, then the others.
#[inline(always)]
pub(crate) fn draw_small(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &Batch,
    bits: u64,
) {
    if bits == 0 {
        return;
    }
    let simd = band.simd;
    let taller = bits & masks::lanes_above(simd, &batch.radius, 2.0);
    if bits & !taller != 0 {
        simd.run(CornerDiscs::<5> { band, context, batch, bits: bits & !taller });
    }
    if taller != 0 {
        simd.run(CornerDiscs::<7> { band, context, batch, bits: taller });
    }
}

/// Some discs of a batch that overlap at most `ROWS` rows.
struct CornerDiscs<'a, 'b, 'c, const ROWS: usize> {
    band: &'a mut FrameBand<'b>,
    context: &'a DrawContext<'c>,
    batch: &'a Batch,
    bits: u64,
}

impl<const ROWS: usize> Kernel for CornerDiscs<'_, '_, '_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        const SIDE: i32 = 8;
        let Self { band, context, batch, bits } = self;
        let (simd, width) = (band.simd, band.width as usize);
        let (mut at, mut x, mut y) = ([0; BATCH_LEN], [0.0; BATCH_LEN], [0.0; BATCH_LEN]);
        let [columns, rows] = [band.width - SIDE, band.rows - (SIDE - 1)];
        for k in 0..BATCH_LEN {
            let [left, top] = [batch.x[k], batch.y[k]].map(|at| first(at, batch.radius[k]));
            let row = top - band.top;
            let inside = (left >= 0) & (left <= columns) & (row >= 0) & (row <= rows);
            at[k] = if inside { row * band.width + left } else { -1 };
            (x[k], y[k]) = (left as f32 - batch.x[k], top as f32 - batch.y[k]);
        }
        let drawn = batch.select(bits);
        let list = drawn.list();
        let prefetch = |pixels: &[_], k: u8| {
            let at = at[usize::from(k) % BATCH_LEN].max(0) as usize;
            for row in 0..ROWS {
                simd::prefetch_item(pixels, at + row * width);
            }
        };
        list.iter().take(PREFETCH_DISTANCE).for_each(|&k| prefetch(band.pixels, k));
        for (index, &k) in list.iter().enumerate() {
            if let Some(&ahead) = list.get(index + PREFETCH_DISTANCE) {
                prefetch(band.pixels, ahead);
            }
            let k = usize::from(k) % BATCH_LEN;
            let Ok(at) = usize::try_from(at[k]) else {
                draw_agent(band, context, batch, k);
                continue;
            };
            let corners = Corners::<8>::new([x[k], y[k]], batch.radius[k]).with_rows(ROWS);
            let color = context.colors.lanes[batch.tone[k] as usize % TONES];
            corners::tint_disc(simd, band.pixels, at, width, &corners, color);
        }
    }
}

/// Draws a disc into a band, clipped to it.
#[inline(always)]
pub(super) fn draw(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    let simd = band.simd;
    if disc.radius > SMALL_RADIUS_MAX {
        simd.run(CornerDisc::<16, { 16 * 16 }> { band, disc });
    } else {
        simd.run(CornerDisc::<8, { 8 * 8 }> { band, disc });
    }
}

/// A disc with `N` borders, in a square of `LEN` pixels.
struct CornerDisc<'a, 'b, const N: usize, const LEN: usize> {
    band: &'a mut FrameBand<'b>,
    disc: &'a PixelDisc,
}

impl<const N: usize, const LEN: usize> Kernel for CornerDisc<'_, '_, N, LEN> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc } = self;
        let [left, top] = [disc.x, disc.y].map(|at| first(at, disc.radius));
        let (simd, width) = (band.simd, band.width as usize);
        let row = top.saturating_sub(band.top);
        let inside = (0..=band.width - signed(N)).contains(&left)
            && (0..=band.rows - signed(N - 1)).contains(&row);
        let at = row.wrapping_mul(band.width).wrapping_add(left) as usize;
        if inside {
            // The pixels arrive while the areas are computed.
            for row in 0..N - 1 {
                simd::prefetch_item(band.pixels, at + row * width);
            }
        }
        let first = [left as f32 - disc.x, top as f32 - disc.y];
        let mut corners = Corners::<N>::new(first, disc.radius);
        if N == 8 {
            corners = corners.with_rows(N - 1);
        }
        let color = blend::lanes(disc.color);
        if inside {
            corners::tint_disc(simd, band.pixels, at, width, &corners, color);
        } else {
            band::clip_square(band, [left, top], N, |square: &mut [_; LEN]| {
                corners::tint_disc(simd, square, 0, N, &corners, color);
            });
        }
    }
}
