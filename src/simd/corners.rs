//! Discs of at most seven by seven pixels: exact coverage from the areas at the corners of pixels.
//!
//! ```text
//!      x0  x1  x2        area(x, y): of the disc between its axes and the corner at (x, y), with
//!   y0 ┼───┼───┼         the sign of x·y. The coverage of a pixel is the sum and difference of the
//!      │ c │   │         areas at its four corners. The area is what lies beyond the end of the
//!   y1 ┼───┼───┼         row's chord and above it, and the rectangle up to that end:
//!                        max(|half(x)| - end(y), 0) + |y|·min(|x|, cut(y))
//! ```
//!
//! Eight corners of a row fit into 128 bits of 16-bit integers, and two rows into a register. With
//! 11 bits of fraction, a coverage is off by less than half a 255th. Integers, so every level gives
//! the same bytes.

use super::{InstructionSet, SimdLevel, pixels::Lanes, pixels::Pixel};

/// Borders of columns, and of rows: one more than there are pixels.
pub(crate) const BORDERS: usize = 8;

/// Most rows of a disc. As many pixels of each row are mixed as there are borders, the last of them
/// by weight 0.
pub(crate) const ROWS: usize = BORDERS - 1;

/// Units per pixel of a coordinate. The product of two has to be at most 2¹⁵ areas.
const PER_PIXEL: f32 = 8192.0;

/// Units per pixel of an area.
const PER_AREA: f32 = 2048.0;

/// A weight of 0 to 2048 is scaled by this for the rounding product: -2¹⁵ covers all of a pixel.
const WEIGHT_SHIFT: i32 = 4;

/// Weights prepared for the rounding product, 0 to -2¹⁵, by row.
type PreparedWeights = [[i16; BORDERS]; ROWS];

/// Where the borders of columns and rows cut a disc.
#[derive(Clone, Copy)]
pub(crate) struct Corners {
    /// Distance of each column border from the center, signed, at most the radius.
    x: [i16; BORDERS],
    /// Area of the upper half of the disc between the center and that border.
    half: [i16; BORDERS],
    /// The same distance for the row borders.
    y: [i16; BORDERS],
    /// Half the chord that each row border cuts.
    cut: [i16; BORDERS],
    /// Area of the upper half between the center and the end of that chord.
    end: [i16; BORDERS],
}

impl Corners {
    /// The borders of a disc. `x` and `y` are the distances of the first column and of the first
    /// row from its center, and `radius` is at most 3.5 and not 0.
    #[inline(always)]
    pub(crate) fn new([x, y]: [f32; 2], radius: f32) -> Self {
        let none = [0; BORDERS];
        let mut corners = Self { x: none, half: none, y: none, cut: none, end: none };
        let (square, per_radius) = (radius * radius, 1.0 / radius);
        let area_scale = 0.5 * square * PER_AREA;
        for k in 0..BORDERS {
            let (x, y) = (x + k as f32, y + k as f32);
            let (across, down) = (smaller(x.abs(), radius), smaller(y.abs(), radius));
            let cut = (square - down * down).max(0.0).sqrt();
            let [beyond_x, beyond_y] = [across, down].map(|at| area_scale * cap(at * per_radius));
            corners.x[k] = fixed(across.copysign(x) * PER_PIXEL);
            corners.half[k] = fixed(area_scale * std::f32::consts::FRAC_PI_2 - beyond_x);
            corners.y[k] = fixed(down.copysign(y) * PER_PIXEL);
            corners.cut[k] = fixed(cut * PER_PIXEL);
            // At its end, the chord's rectangle and two caps are left of the upper half.
            corners.end[k] = fixed(beyond_y + down * cut * PER_AREA);
        }
        corners
    }

    /// The prepared weights of all pixels.
    #[inline(always)]
    fn weights(&self) -> PreparedWeights {
        let area = |row: usize, k: usize| {
            let beyond =
                (self.half[k].unsigned_abs()).saturating_sub(self.end[row].cast_unsigned());
            let chord = self.x[k].abs().min(self.cut[row]);
            let area = sign(beyond.cast_signed(), self.y[row])
                .wrapping_add(rounding_product(self.y[row], chord));
            sign(area, self.x[k])
        };
        let mut weights = [[0; BORDERS]; ROWS];
        let mut above: [i16; BORDERS] = std::array::from_fn(|k| area(0, k));
        for (row, weights) in weights.iter_mut().enumerate() {
            let below: [i16; BORDERS] = std::array::from_fn(|k| area(row + 1, k));
            let columns: [i16; BORDERS] = std::array::from_fn(|k| below[k].wrapping_sub(above[k]));
            for (weight, pair) in weights.iter_mut().zip(columns.windows(2)) {
                let share = pair[0].wrapping_sub(pair[1]).clamp(-(PER_AREA as i16), 0);
                *weight = share << WEIGHT_SHIFT;
            }
            above = below;
        }
        weights
    }
}

/// Mixes a color into [`ROWS`] rows of [`BORDERS`] pixels, `width` apart, the first of which begins
/// at pixel `at`.
///
/// # Panics
/// If the rows don't lie in the pixels.
#[inline(always)]
pub(crate) fn tint_disc(
    simd: SimdLevel,
    pixels: &mut [Pixel],
    at: usize,
    width: usize,
    corners: &Corners,
    color: Lanes,
) {
    let pixels = &mut pixels[at..][..(ROWS - 1) * width + BORDERS];
    match simd.0 {
        // SAFETY: a `SimdLevel` of these sets proves AVX2, and the slice ends with the last row.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe {
            x86::tint_disc(pixels.as_mut_ptr(), width, corners, color);
        },
        _ => {
            for (row, weights) in corners.weights().iter().enumerate() {
                tint_row(&mut pixels[row * width..][..BORDERS], color, weights);
            }
        }
    }
}

/// Mixes a color into a row, by prepared weights.
#[inline(always)]
fn tint_row(row: &mut [Pixel], color: Lanes, weights: &[i16; BORDERS]) {
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, _mm256_abs_epi16, _mm256_add_epi16, _mm256_broadcastsi128_si256, _mm256_max_epi16,
        _mm256_min_epi16, _mm256_mulhrs_epi16, _mm256_packus_epi16, _mm256_permute2x128_si256,
        _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8,
        _mm256_sign_epi16, _mm256_slli_epi16, _mm256_srli_si256, _mm256_sub_epi16,
        _mm256_subs_epu16, _mm256_unpackhi_epi8, _mm256_unpacklo_epi8,
    };

    use bytemuck::cast;

    use super::{
        super::pixels::x86::{lane, splat},
        BORDERS, Corners, Lanes, PER_AREA, Pixel, ROWS, WEIGHT_SHIFT,
    };

    /// Byte indices of row border 0 in the lower 128 bits, and 1 in the upper; then of 2 and 3.
    const PAIRS: [[i8; 32]; BORDERS / 2] = [pair(0), pair(2), pair(4), pair(6)];

    const fn pair(border: i8) -> [i8; 32] {
        let mut bytes = [0; 32];
        let mut byte = 0;
        while byte < 32 {
            bytes[byte] = (border + (byte / 16) as i8) * 2 + (byte % 2) as i8;
            byte += 1;
        }
        bytes
    }

    /// Byte indices of the weights of pixels 0 and 1, 4 and 5, each for four channels; and of the
    /// other pixels. The last pixel has weight 0.
    const LOW: [i8; 32] = spread([0, 1, 4, 5]);
    const HIGH: [i8; 32] = spread([2, 3, 6, -1]);

    const fn spread(weights: [i8; 4]) -> [i8; 32] {
        let mut bytes = [-1; 32];
        let mut byte = 0;
        while byte < 32 {
            if weights[byte / 8] >= 0 {
                bytes[byte] = weights[byte / 8] * 2 + (byte % 2) as i8;
            }
            byte += 1;
        }
        bytes
    }

    /// # Safety
    /// `pixels` points to [`ROWS`] rows of [`BORDERS`] pixels, `width` apart, that are mutably
    /// borrowed.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn tint_disc(
        pixels: *mut Pixel,
        width: usize,
        corners: &Corners,
        color: Lanes,
    ) {
        let both = |column: [i16; BORDERS]| _mm256_broadcastsi128_si256(cast(column));
        let (x, half) = (both(corners.x), both(corners.half));
        let (y, cut, end) = (both(corners.y), both(corners.cut), both(corners.end));
        let distance = _mm256_abs_epi16(x);
        // The areas at the corners of two row borders, one in each 128 bits.
        let areas = PAIRS.map(|pair| {
            let [y, cut, end] = [y, cut, end].map(|rows| _mm256_shuffle_epi8(rows, cast(pair)));
            let beyond = _mm256_sign_epi16(_mm256_subs_epu16(half, end), y);
            let chord = _mm256_mulhrs_epi16(y, _mm256_min_epi16(distance, cut));
            _mm256_sign_epi16(_mm256_add_epi16(beyond, chord), x)
        });
        let (color, full) = (splat(color), _mm256_set1_epi16(-(PER_AREA as i16)));
        for (index, &above) in areas.iter().enumerate() {
            let next = areas[(index + 1) % areas.len()];
            let below = _mm256_permute2x128_si256::<0x21>(above, next);
            let rows = _mm256_sub_epi16(below, above);
            let weights = _mm256_sub_epi16(rows, _mm256_srli_si256::<2>(rows));
            let weights = _mm256_max_epi16(weights, full);
            let weights = _mm256_min_epi16(weights, _mm256_setzero_si256());
            let weights = _mm256_slli_epi16::<WEIGHT_SHIFT>(weights);
            let first = _mm256_permute4x64_epi64::<0b0100_0100>(weights);
            let second = _mm256_permute4x64_epi64::<0b1110_1110>(weights);
            // SAFETY: the caller guarantees the rows, of which the last pair has only one.
            unsafe {
                tint_row(pixels.add(index * 2 * width).cast(), color, first);
                if index * 2 + 1 < ROWS {
                    tint_row(pixels.add((index * 2 + 1) * width).cast(), color, second);
                }
            }
        }
    }

    /// Mixes a color into a row, by weights that both 128 bits hold.
    ///
    /// # Safety
    /// `row` is mutably borrowed.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn tint_row(row: *mut [Pixel; BORDERS], color: __m256i, weights: __m256i) {
        let zero = _mm256_setzero_si256();
        // SAFETY: the caller guarantees the pixels.
        let before: __m256i = cast(unsafe { row.read() });
        let [low, high] = [LOW, HIGH].map(|spread| _mm256_shuffle_epi8(weights, cast(spread)));
        let mixed = _mm256_packus_epi16(
            lane(_mm256_unpacklo_epi8(before, zero), color, low),
            lane(_mm256_unpackhi_epi8(before, zero), color, high),
        );
        // SAFETY: as above.
        unsafe { row.write(cast(mixed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn all_levels_draw_the_same_disc() {
        const WIDTH: usize = 19;
        let mut rng = Rng::new(5);
        for _ in 0..2_000 {
            let radius = rng.between(0.05, 3.0);
            let corner = [0; 2].map(|_| -radius - rng.between(0.0, 0.99));
            let corners = Corners::new(corner, radius);
            let color = [0; 4].map(|_| rng.between(0.0, 255.9) as u16);
            let before = [0; WIDTH * 12].map(|_| [0; 4].map(|_| rng.between(0.0, 255.9) as u8));
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
}
