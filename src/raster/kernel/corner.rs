//! Small analytic discs: up to seven by seven pixels, all of them at once.
//!
//! ```text
//!      ┌──┬──┬──┬──┐    Pixels inside the band are found, prefetched and tinted as one square. A
//!      │  │▒▒│▒▒│  │    disc that the border of the band cuts is tinted in a copy.
//!      ├──┼──┼──┼──┤
//!      │▒▒│██│██│▒▒│    The areas are those of `simd::corners`.
//! ```

use super::disc::PixelDisc;
use crate::{
    raster::{
        band::FrameBand,
        blend::{self, Pixel, floor, signed},
    },
    simd::{
        self, Kernel,
        corners::{self, BORDERS, Corners, ROWS},
    },
};

/// Largest radius of a disc that never reaches into more columns or rows, pixels.
pub(super) const CORNER_RADIUS_MAX: f32 = (ROWS - 1) as f32 / 2.0;

/// Draws a disc into a band, clipped to it.
#[inline(always)]
pub(super) fn draw(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    band.simd.run(CornerDisc { band, disc });
}

/// A disc of at most [`CORNER_RADIUS_MAX`].
struct CornerDisc<'a, 'b> {
    band: &'a mut FrameBand<'b>,
    disc: &'a PixelDisc,
}

impl Kernel for CornerDisc<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc } = self;
        let [left, top] = [disc.x, disc.y].map(|at| floor(at - disc.radius));
        let (simd, width) = (band.simd, band.width as usize);
        let row = top.saturating_sub(band.top);
        let inside = (0..=band.width - signed(BORDERS)).contains(&left)
            && (0..=band.rows - signed(ROWS)).contains(&row);
        let at = row.wrapping_mul(band.width).wrapping_add(left) as usize;
        if inside {
            // The pixels arrive while the areas are computed.
            for row in 0..ROWS {
                simd::prefetch_item(band.pixels, at + row * width);
            }
        }
        let corners = Corners::new([left as f32 - disc.x, top as f32 - disc.y], disc.radius);
        let color = blend::lanes(disc.color);
        if inside {
            corners::tint_disc(simd, band.pixels, at, width, &corners, color);
        } else {
            let mut square = [[0; 4]; ROWS * BORDERS];
            both(band, [left, top], &mut square, |inside, copy| copy.copy_from_slice(inside));
            corners::tint_disc(simd, &mut square, 0, BORDERS, &corners, color);
            both(band, [left, top], &mut square, |inside, copy| inside.copy_from_slice(copy));
        }
    }
}

/// For each row, the pixels that lie both in the band and in a square whose first pixel this is: in
/// the band, and in the square.
fn both(
    band: &mut FrameBand<'_>,
    [left, top]: [i32; 2],
    square: &mut [Pixel; ROWS * BORDERS],
    copy: impl Fn(&mut [Pixel], &mut [Pixel]),
) {
    let columns = left.max(0)..left.saturating_add(signed(BORDERS)).min(band.width);
    if columns.is_empty() {
        return;
    }
    let skipped = (columns.start - left) as usize;
    let columns = columns.start as usize..columns.end as usize;
    let rows = band.top..band.top + band.rows;
    for (k, row) in square.chunks_exact_mut(BORDERS).enumerate() {
        let y = top.saturating_add(signed(k));
        if rows.contains(&y) {
            copy(&mut band.row(y)[columns.clone()], &mut row[skipped..][..columns.len()]);
        }
    }
}
