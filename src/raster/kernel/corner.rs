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
        band::{self, FrameBand},
        blend::{self, floor, signed},
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
            band::clip_square(band, [left, top], BORDERS, |square: &mut [_; ROWS * BORDERS]| {
                corners::tint_disc(simd, square, 0, BORDERS, &corners, color);
            });
        }
    }
}
