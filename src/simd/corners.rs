//! Exact coverage of small discs, from the areas at the corners of pixels.
//!
//! ```text
//!      x0  x1  x2        area(x, y): of the disc between its axes and the corner at (x, y), with
//!   y0 ┼───┼───┼         the sign of x·y. The coverage of a pixel is the sum and difference of the
//!      │ c │   │         areas at its four corners. The area is what lies beyond the end of the
//!   y1 ┼───┼───┼         row's chord and above it, and the rectangle up to that end:
//!                        max(|half(x)| - end(y), 0) + |y|·min(|x|, cut(y))
//! ```
//!
//! Areas are 16-bit integers, so every level gives the same bytes. The `N` corners of a row are 8 or
//! 16: in 256 bits, these are two rows of a disc of at most seven by seven pixels, or one row of a
//! disc of at most fifteen by fifteen.
//!
//! | `N` | radius | units per area | a coverage is off by at most |
//! |---|---|---|---|
//! | 8 | up to 3 | 2048 | half a 255th |
//! | 16 | up to 6 | 512 | two 255ths |

use super::{SimdLevel, pixels::Lanes, pixels::Pixel};

/// The cuts through a disc at the borders of columns and rows. There is one border more than pixels.
#[derive(Clone, Copy)]
pub(crate) struct Corners<const N: usize> {
    /// Rows of the disc that are drawn. In each, `N` pixels are mixed, the last of them by weight 0.
    rows: usize,
    /// Distance of each column border from the center, signed, at most the radius.
    x: [i16; N],
    /// Area of the upper half of the disc between the center and that border.
    half: [i16; N],
    /// Distance of each row border from the center, in the same way.
    y: [i16; N],
    /// Half the chord that each row border cuts.
    cut: [i16; N],
    /// Area of the upper half between the center and the end of that chord.
    end: [i16; N],
}

impl<const N: usize> Corners<N> {
    /// Largest radius, pixels. Such a disc never reaches into more than `N - 1` columns or rows.
    pub(crate) const RADIUS_MAX: f32 = if N == 8 { 3.0 } else { 6.0 };

    /// Units per area, as a number of bits, and per pixel of a coordinate. The product of two
    /// coordinates is divided by 2¹⁵.
    const AREA_BITS: i32 = if N == 8 { 11 } else { 9 };
    const PER_AREA: i16 = 1 << Self::AREA_BITS;
    const PER_PIXEL: f32 = if N == 8 { 8192.0 } else { 4096.0 };

    /// Scales weights for the rounding product: -2¹⁵ covers all of a pixel.
    const WEIGHT_SHIFT: i32 = 15 - Self::AREA_BITS;

    /// The borders of a disc. `x` and `y` are the distances of the first column and of the first
    /// row from its center, and `radius` is at most [`Self::RADIUS_MAX`] and not 0.
    #[inline(always)]
    pub(crate) fn new([x, y]: [f32; 2], radius: f32) -> Self {
        let none = [0; N];
        let rows = ((radius - y) as usize + 1).min(N - 1);
        let mut corners = Self { rows, x: none, half: none, y: none, cut: none, end: none };
        let (square, per_radius) = (radius * radius, 1.0 / radius);
        let per_area = f32::from(Self::PER_AREA);
        let area_scale = 0.5 * square * per_area;
        for k in 0..N {
            let (x, y) = (x + k as f32, y + k as f32);
            let (across, down) = (smaller(x.abs(), radius), smaller(y.abs(), radius));
            let cut = (square - down * down).max(0.0).sqrt();
            let [beyond_x, beyond_y] = [across, down].map(|at| area_scale * cap(at * per_radius));
            corners.x[k] = fixed(across.copysign(x) * Self::PER_PIXEL);
            corners.half[k] = fixed(area_scale * std::f32::consts::FRAC_PI_2 - beyond_x);
            corners.y[k] = fixed(down.copysign(y) * Self::PER_PIXEL);
            corners.cut[k] = fixed(cut * Self::PER_PIXEL);
            // At its end, the chord's rectangle and two caps are left of the upper half.
            corners.end[k] = fixed(beyond_y + down * cut * per_area);
        }
        corners
    }

    /// Draws only the first rows, which makes a loop of constant length. The other rows have to be
    /// beyond the disc.
    #[inline(always)]
    pub(crate) fn with_rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    /// The areas at the corners on a row border.
    #[inline(always)]
    fn areas(&self, row: usize) -> [i16; N] {
        std::array::from_fn(|k| {
            let beyond =
                (self.half[k].unsigned_abs()).saturating_sub(self.end[row].cast_unsigned());
            let chord = self.x[k].abs().min(self.cut[row]);
            let area = sign(beyond.cast_signed(), self.y[row])
                .wrapping_add(rounding_product(self.y[row], chord));
            sign(area, self.x[k])
        })
    }

    /// The weights between two row borders, for the rounding product: 0 to -2¹⁵.
    #[inline(always)]
    fn weights(above: &[i16; N], below: &[i16; N]) -> [i16; N] {
        let columns: [i16; N] = std::array::from_fn(|k| below[k].wrapping_sub(above[k]));
        let mut weights = [0; N];
        for (weight, pair) in weights.iter_mut().zip(columns.windows(2)) {
            let share = pair[0].wrapping_sub(pair[1]).clamp(-Self::PER_AREA, 0);
            *weight = share << Self::WEIGHT_SHIFT;
        }
        weights
    }
}

/// Mixes a color into the rows of a disc, `N` pixels of each, `width` apart, the first of which
/// begins at pixel `at`.
///
/// # Panics
/// If `N - 1` rows don't lie in the pixels.
#[inline(always)]
pub(crate) fn tint_disc<const N: usize>(
    simd: SimdLevel,
    pixels: &mut [Pixel],
    at: usize,
    width: usize,
    corners: &Corners<N>,
    color: Lanes,
) {
    let pixels = &mut pixels[at..][..(N - 2) * width + N];
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2, and the slice ends with the last row.
        Avx2 | Avx512 => unsafe {
            corners.tint(pixels.as_mut_ptr(), width, color);
        },
        _ => {
            let mut above = corners.areas(0);
            for row in 0..corners.rows {
                let below = corners.areas(row + 1);
                let weights = Corners::weights(&above, &below);
                tint_row(&mut pixels[row * width..][..N], color, &weights);
                above = below;
            }
        },
    });
}

/// Mixes a color into a row, by prepared weights.
#[inline(always)]
fn tint_row(row: &mut [Pixel], color: Lanes, weights: &[i16]) {
    for (pixel, &weight) in row.iter_mut().zip(weights) {
        for (channel, &color) in pixel.iter_mut().zip(&color) {
            let before = i16::from(*channel);
            *channel = (before + rounding_product(before - color.cast_signed(), weight)) as u8;
        }
    }
}

/// The product of two numbers, the first of which isn't -2¹⁵, divided by 2¹⁵ and rounded.
#[inline(always)]
fn rounding_product(a: i16, b: i16) -> i16 {
    ((i32::from(a) * i32::from(b) + (1 << 14)) >> 15) as i16
}

/// A number times the sign of another: 1, 0 or -1.
#[inline(always)]
fn sign(number: i16, of: i16) -> i16 {
    number.wrapping_mul(of.signum())
}

/// Twice the area that a line cuts off the unit disc on its upper side; `at` is the distance of the
/// line from the center, 0 to 1.
#[inline(always)]
fn cap(at: f32) -> f32 {
    // acos(at) - at·√(1 - at²), divided by (1 - at)^1.5, is nearly a straight line. Interpolated in
    // Chebyshev's points; error at most 4e-6.
    const SERIES: [f32; 5] =
        [1.570_799_3, 0.356_041_76, -0.053_460_9, 0.015_317_534, -0.003_081_587];
    let [s0, s1, s2, s3, s4] = SERIES;
    let rest = (1.0 - at).max(0.0);
    let square = at * at;
    let series = (s0 + s1 * at) + ((s2 + s3 * at) + s4 * square) * square;
    rest * rest.sqrt() * series
}

#[inline(always)]
fn smaller(value: f32, limit: f32) -> f32 {
    if value < limit { value } else { limit }
}

/// Rounds to the nearest integer; the value must be one of 16 bits.
#[inline(always)]
fn fixed(value: f32) -> i16 {
    // The sum has no bits for a fraction, and the low 16 bits of the shift itself are 0.
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT).to_bits() as i16
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
mod x86 {
    use std::arch::x86_64::{
        __m256i, _mm256_abs_epi16, _mm256_add_epi16, _mm256_alignr_epi8, _mm256_and_si256,
        _mm256_broadcastsi128_si256, _mm256_max_epi16, _mm256_min_epi16, _mm256_mulhrs_epi16,
        _mm256_packus_epi16, _mm256_permute2x128_si256, _mm256_permute4x64_epi64,
        _mm256_set1_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sign_epi16,
        _mm256_slli_epi16, _mm256_srli_si256, _mm256_sub_epi16, _mm256_subs_epu16,
        _mm256_unpackhi_epi8, _mm256_unpacklo_epi8,
    };

    use bytemuck::cast;

    use super::{
        super::pixels::x86::{HIGH, LOW, lane, splat, spread},
        Corners, Lanes, Pixel,
    };

    /// Byte indices of row border 0 in the lower 128 bits, and 1 in the upper; then of 2 and 3.
    const PAIRS: [[i8; 32]; 4] =
        [spread([0, 0, 1, 1]), spread([2, 2, 3, 3]), spread([4, 4, 5, 5]), spread([6, 6, 7, 7])];

    /// Keeps all weights of a row but the last, which belongs to no pixel.
    const INNER: [[i16; 8]; 2] = [[-1; 8], [-1, -1, -1, -1, -1, -1, -1, 0]];

    impl<const N: usize> Corners<N> {
        /// Mixes a color into the rows of the disc, which begin at `pixels` and are `width` apart.
        ///
        /// # Safety
        /// `N - 1` rows of `N` pixels are mutably borrowed.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn tint(&self, pixels: *mut Pixel, width: usize, color: Lanes) {
            const { assert!(N == 8 || N == 16) };
            // SAFETY: the caller guarantees the rows.
            unsafe {
                if N == 16 {
                    self.tint_rows(pixels, width, color);
                } else if self.rows <= 5 {
                    self.tint_pairs::<3>(pixels, width, color);
                } else {
                    self.tint_pairs::<4>(pixels, width, color);
                }
            }
        }

        /// Mixes a color into the rows above `P` pairs of row borders. The last border is the end of
        /// the disc.
        ///
        /// # Safety
        /// `2 P - 1` rows of eight pixels are mutably borrowed.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn tint_pairs<const P: usize>(
            &self,
            pixels: *mut Pixel,
            width: usize,
            color: Lanes,
        ) {
            let columns = [both(&self.x), both(&self.half)];
            let rows = [both(&self.y), both(&self.cut), both(&self.end)];
            // The areas at the corners on two row borders, one in each 128 bits.
            let (color, mut above) = (splat(color), pair_areas(columns, rows, cast(PAIRS[0])));
            for pair in 0..P {
                let next = pair_areas(columns, rows, cast(PAIRS[(pair + 1) % P]));
                let below = _mm256_permute2x128_si256::<0x21>(above, next);
                let areas = _mm256_sub_epi16(below, above);
                let weights = weights::<8>(areas, _mm256_srli_si256::<2>(areas), [INNER[1]; 2]);
                above = next;
                // SAFETY: the caller guarantees the rows, of which the last pair has only one.
                unsafe {
                    tint_eight(pixels.add(pair * 2 * width).cast(), color, weights[0]);
                    if pair + 1 < P {
                        tint_eight(pixels.add((pair * 2 + 1) * width).cast(), color, weights[1]);
                    }
                }
            }
        }

        /// Mixes a color into one row after the other.
        ///
        /// # Safety
        /// 15 rows of 16 pixels are mutably borrowed.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn tint_rows(&self, pixels: *mut Pixel, width: usize, color: Lanes) {
            let columns = [sixteen(&self.x), sixteen(&self.half)];
            let border = |k: usize| {
                let [y, cut, end] = [self.y[k], self.cut[k], self.end[k]];
                let row = [_mm256_set1_epi16(y), _mm256_set1_epi16(cut), _mm256_set1_epi16(end)];
                areas(columns, row)
            };
            let (color, mut above) = (splat(color), border(0));
            for row in 0..self.rows.min(15) {
                let below = border(row + 1);
                let columns = _mm256_sub_epi16(below, above);
                let high = _mm256_permute2x128_si256::<0x81>(columns, columns);
                let next = _mm256_alignr_epi8::<2>(high, columns);
                let weights = weights::<16>(columns, next, INNER);
                above = below;
                // SAFETY: the caller guarantees the rows.
                unsafe {
                    let pixels = pixels.add(row * width);
                    tint_eight(pixels.cast(), color, weights[0]);
                    tint_eight(pixels.add(8).cast(), color, weights[1]);
                }
            }
        }
    }

    /// The first eight numbers, twice.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn both(numbers: &[i16]) -> __m256i {
        let eight: [i16; 8] = *numbers.first_chunk().expect("eight numbers");
        _mm256_broadcastsi128_si256(cast(eight))
    }

    /// The first sixteen numbers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sixteen(numbers: &[i16]) -> __m256i {
        let sixteen: [i16; 16] = *numbers.first_chunk().expect("sixteen numbers");
        cast(sixteen)
    }

    /// The areas at the corners on two of eight row borders. A closure would not be inlined: the
    /// function that calls it lacks these instructions.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn pair_areas(columns: [__m256i; 2], [y, cut, end]: [__m256i; 3], pair: __m256i) -> __m256i {
        let row = [
            _mm256_shuffle_epi8(y, pair),
            _mm256_shuffle_epi8(cut, pair),
            _mm256_shuffle_epi8(end, pair),
        ];
        areas(columns, row)
    }

    /// The areas at corners, by their column borders and by their row borders.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn areas([x, half]: [__m256i; 2], [y, cut, end]: [__m256i; 3]) -> __m256i {
        let beyond = _mm256_sign_epi16(_mm256_subs_epu16(half, end), y);
        let chord = _mm256_mulhrs_epi16(y, _mm256_min_epi16(_mm256_abs_epi16(x), cut));
        _mm256_sign_epi16(_mm256_add_epi16(beyond, chord), x)
    }

    /// The weights from the areas right of column borders and right of the next ones. Each result
    /// has the weights of one half, twice.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn weights<const N: usize>(
        areas: __m256i,
        next: __m256i,
        inner: [[i16; 8]; 2],
    ) -> [__m256i; 2] {
        let weights = _mm256_and_si256(_mm256_sub_epi16(areas, next), cast(inner));
        let weights = _mm256_max_epi16(weights, _mm256_set1_epi16(-Corners::<N>::PER_AREA));
        let weights = _mm256_min_epi16(weights, _mm256_setzero_si256());
        let weights = if N == 8 {
            _mm256_slli_epi16::<{ Corners::<8>::WEIGHT_SHIFT }>(weights)
        } else {
            _mm256_slli_epi16::<{ Corners::<16>::WEIGHT_SHIFT }>(weights)
        };
        [
            _mm256_permute4x64_epi64::<0b0100_0100>(weights),
            _mm256_permute4x64_epi64::<0b1110_1110>(weights),
        ]
    }

    /// Mixes a color into eight pixels, by weights that both 128 bits hold.
    ///
    /// # Safety
    /// `pixels` is mutably borrowed.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn tint_eight(pixels: *mut [Pixel; 8], color: __m256i, weights: __m256i) {
        let zero = _mm256_setzero_si256();
        // SAFETY: the caller guarantees the pixels.
        let before: __m256i = cast(unsafe { pixels.read() });
        let low = _mm256_shuffle_epi8(weights, cast(LOW));
        let high = _mm256_shuffle_epi8(weights, cast(HIGH));
        let mixed = _mm256_packus_epi16(
            lane(_mm256_unpacklo_epi8(before, zero), color, low),
            lane(_mm256_unpackhi_epi8(before, zero), color, high),
        );
        // SAFETY: as above.
        unsafe { pixels.write(cast(mixed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn check<const N: usize>() {
        const WIDTH: usize = 29;
        let mut rng = Rng::new(5);
        for _ in 0..2_000 {
            let radius = rng.between(0.05, Corners::<N>::RADIUS_MAX);
            let corner = [0; 2].map(|_| -radius - rng.between(0.0, 0.99));
            let corners = Corners::<N>::new(corner, radius);
            let color = [0; 4].map(|_| rng.between(0.0, 255.9) as u16);
            let before = [0; WIDTH * 20].map(|_| [0; 4].map(|_| rng.between(0.0, 255.9) as u8));
            let draw = |simd| {
                let mut drawn = before;
                tint_disc(simd, &mut drawn, 2 * WIDTH + 3, WIDTH, &corners, color);
                drawn
            };
            let expected = draw(SimdLevel::SCALAR);
            assert!(radius < 0.5 || before != expected);
            for simd in SimdLevel::available() {
                assert_eq!(draw(simd), expected, "{}, radius {radius}", simd.name());
            }
        }
    }

    #[test]
    fn all_levels_draw_the_same_disc() {
        check::<8>();
        check::<16>();
    }
}
