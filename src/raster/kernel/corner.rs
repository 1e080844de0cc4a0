//! Small discs: up to 7 × 7 or 15 × 15 pixels, with the exact coverage of every pixel.
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
        corners::{self, Corners, Tint},
    },
};

/// Largest radius of such a disc, pixels.
pub(super) const CORNER_RADIUS_MAX: f32 = Corners::<16>::RADIUS_MAX;

/// Draws a disc into a band, clipped to it.
#[inline(always)]
pub(super) fn draw(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    let simd = band.simd;
    if disc.radius > Corners::<8>::RADIUS_MAX {
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

impl<const N: usize, const LEN: usize> Kernel for CornerDisc<'_, '_, N, LEN>
where
    Corners<N>: Tint,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc } = self;
        let [left, top] = [disc.x, disc.y].map(|at| floor(at - disc.radius));
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
        let corners = Corners::<N>::new(first, disc.radius);
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
