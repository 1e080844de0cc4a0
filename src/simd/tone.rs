//! Tone mapping of sums of colors onto pixels, eight pixels at a time.
//!
//! ```text
//! sums     │ r0 g0 b0 a0 │ r1 g1 b1 a1 │   256 bits: pixels 0 and 1, then 2 and 3
//! weights  │ a0 a0 a2 a2 │ a1 a1 a3 a3 │   one shuffle of both
//! clear    │ c0 c0 c2 c2 │ c1 c1 c3 c3 │   the series and one division serve four pixels
//! ```
//!
//! 512 bits hold four pixels, then four more, and one division serves all eight.
//!
//! The loops for x86-64 are written with intrinsics, because the compiler gathers the weights from
//! memory one by one.

use super::{SimdLevel, pixels::Pixel};

/// Sums of red, green and blue (0 to 255) times weight, and the sum of the weights.
pub(crate) type Sum = [f32; 4];

/// Pixels per step. Steps without any weight are skipped. With fewer pixels per step, a processor
/// would mispredict more often which steps those are.
const STEP: usize = 8;

/// Mixes the color of each sum into its pixel and clears the sums. The color covers the pixel as
/// many small discs of that total weight would. Alpha becomes 255 where a step has weight.
#[inline(always)]
pub(crate) fn tone_map(simd: SimdLevel, pixels: &mut [Pixel], sums: &mut [Sum]) {
    let (steps, last) = pixels.as_chunks_mut::<STEP>();
    let (step_sums, last_sums) = sums.as_chunks_mut::<STEP>();
    for (pixels, sums) in steps.iter_mut().zip(step_sums) {
        // Comparing floats takes a branch for each; the bits of all channels lie side by side.
        if sums.as_flattened().iter().fold(0, |bits, sum| bits | sum.to_bits()) != 0 {
            map_step(simd, pixels, sums);
            *sums = [[0.0; 4]; STEP];
        }
    }
    for (pixel, sum) in last.iter_mut().zip(last_sums) {
        map_pixel(pixel, *sum);
        *sum = [0.0; 4];
    }
}

#[inline(always)]
fn map_step(simd: SimdLevel, pixels: &mut [Pixel; STEP], sums: &[Sum; STEP]) {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of this set proves AVX-512F.
        Avx512 => unsafe { x86::map_eight(pixels, sums) },
        // SAFETY: a `SimdLevel` of this set proves AVX2.
        Avx2 => unsafe { x86::map_step(pixels, sums) },
        _ => {
            for (pixel, sum) in pixels.iter_mut().zip(sums) {
                map_pixel(pixel, *sum);
            }
        },
    });
}

/// The series 1 + a/2 + a²/6 + a³/24 is (exp(a) - 1) / a, so the reciprocal of 1 + a times it is
/// exp(-a), off by 0.012 at most: no libm. The color's share of the sum, (1 - exp(-a)) / a, follows
/// from the same terms without a division of 0 by 0.
const SERIES: [f32; 4] = [1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0];

#[inline(always)]
fn map_pixel(pixel: &mut Pixel, sum: Sum) {
    let a = sum[3];
    let rest = SERIES[0] + a * (SERIES[1] + a * (SERIES[2] + a * SERIES[3]));
    let clear = 1.0 / (1.0 + a * rest);
    let cover = rest * clear;
    for channel in 0..3 {
        let value = f32::from(pixel[channel]) * clear + sum[channel] * cover;
        // The value is 0 to 255 but for rounding errors. Adding 2²³ leaves no bits for a fraction.
        pixel[channel] = (value + 8_388_608.0).to_bits() as u8;
    }
    pixel[3] = 255;
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m256i, __m512, _mm_loadl_epi64, _mm_loadu_si128, _mm_or_si128, _mm_packus_epi16,
        _mm_set1_epi32, _mm_storeu_si128, _mm_unpacklo_epi32, _mm256_add_ps,
        _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_cvtps_epi32,
        _mm256_div_ps, _mm256_extracti128_si256, _mm256_loadu_ps, _mm256_mul_ps,
        _mm256_packus_epi32, _mm256_permute_ps, _mm256_set1_ps, _mm256_shuffle_ps, _mm512_add_ps,
        _mm512_cvtepi32_epi8, _mm512_cvtepi32_ps, _mm512_cvtepu8_epi32, _mm512_cvtps_epi32,
        _mm512_div_ps, _mm512_loadu_ps, _mm512_mul_ps, _mm512_permute_ps, _mm512_set1_ps,
        _mm512_shuffle_ps,
    };

    use super::{Pixel, SERIES, STEP, Sum};

    /// The operations of [`super::map_pixel`], one by one.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn map_eight(pixels: &mut [Pixel; STEP], sums: &[Sum; STEP]) {
        let one = _mm512_set1_ps(1.0);
        // SAFETY: two times four sums.
        let fours = [0, 4].map(|at| unsafe { _mm512_loadu_ps(sums.as_ptr().add(at).cast()) });
        let a = _mm512_shuffle_ps::<0xff>(fours[0], fours[1]);
        let [s0, s1, s2, s3] = SERIES.map(|term| _mm512_set1_ps(term));
        let rest = _mm512_add_ps(s2, _mm512_mul_ps(a, s3));
        let rest = _mm512_add_ps(s1, _mm512_mul_ps(a, rest));
        let rest = _mm512_add_ps(s0, _mm512_mul_ps(a, rest));
        let clear = _mm512_div_ps(one, _mm512_add_ps(one, _mm512_mul_ps(a, rest)));
        let cover = _mm512_mul_ps(rest, clear);
        let low = [_mm512_permute_ps::<0x00>(clear), _mm512_permute_ps::<0x00>(cover)];
        let high = [_mm512_permute_ps::<0xaa>(clear), _mm512_permute_ps::<0xaa>(cover)];
        let [first, second] = pixels.as_chunks_mut::<4>().0 else { unreachable!() };
        mix_four(first, fours[0], low);
        mix_four(second, fours[1], high);
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn mix_four(pixels: &mut [Pixel; 4], sums: __m512, [clear, cover]: [__m512; 2]) {
        // SAFETY: four pixels are 16 bytes.
        let bytes = unsafe { _mm_loadu_si128(pixels.as_ptr().cast()) };
        let channels = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
        let covered = _mm512_mul_ps(sums, cover);
        let mixed = _mm512_cvtps_epi32(_mm512_add_ps(_mm512_mul_ps(channels, clear), covered));
        let opaque = _mm_set1_epi32(0xff00_0000_u32.cast_signed());
        let bytes = _mm_or_si128(_mm512_cvtepi32_epi8(mixed), opaque);
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(pixels.as_mut_ptr().cast(), bytes) };
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn map_step(pixels: &mut [Pixel; STEP], sums: &[Sum; STEP]) {
        let fours = pixels.as_chunks_mut::<4>().0.iter_mut();
        for (pixels, sums) in fours.zip(sums.as_chunks::<4>().0) {
            map_four(pixels, sums);
        }
    }

    /// The operations of [`super::map_pixel`], one by one.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn map_four(pixels: &mut [Pixel; 4], sums: &[Sum; 4]) {
        let one = _mm256_set1_ps(1.0);
        // SAFETY: two pairs of sums.
        let pairs = [0, 2].map(|at| unsafe { _mm256_loadu_ps(sums.as_ptr().add(at).cast()) });
        let a = _mm256_shuffle_ps::<0xff>(pairs[0], pairs[1]);
        let [s0, s1, s2, s3] = SERIES.map(|term| _mm256_set1_ps(term));
        let rest = _mm256_add_ps(s2, _mm256_mul_ps(a, s3));
        let rest = _mm256_add_ps(s1, _mm256_mul_ps(a, rest));
        let rest = _mm256_add_ps(s0, _mm256_mul_ps(a, rest));
        let clear = _mm256_div_ps(one, _mm256_add_ps(one, _mm256_mul_ps(a, rest)));
        let cover = _mm256_mul_ps(rest, clear);
        let low = [_mm256_permute_ps::<0x00>(clear), _mm256_permute_ps::<0x00>(cover)];
        let high = [_mm256_permute_ps::<0xaa>(clear), _mm256_permute_ps::<0xaa>(cover)];
        let first = mix(&pixels.as_chunks().0[0], pairs[0], low);
        let second = mix(&pixels.as_chunks().0[1], pairs[1], high);
        // Pixels 0 and 2 in the lower half, 1 and 3 in the upper.
        let words = _mm256_packus_epi32(first, second);
        let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        let bytes = _mm_unpacklo_epi32(_mm_packus_epi16(low, low), _mm_packus_epi16(high, high));
        let opaque = _mm_or_si128(bytes, _mm_set1_epi32(0xff00_0000_u32.cast_signed()));
        // SAFETY: four pixels.
        unsafe { _mm_storeu_si128(pixels.as_mut_ptr().cast(), opaque) };
    }

    /// Two pixels after mixing, one channel per lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mix(pixels: &[Pixel; 2], sums: __m256, [clear, cover]: [__m256; 2]) -> __m256i {
        // SAFETY: two pixels are eight bytes.
        let bytes = unsafe { _mm_loadl_epi64(pixels.as_ptr().cast()) };
        let channels = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
        let covered = _mm256_mul_ps(sums, cover);
        _mm256_cvtps_epi32(_mm256_add_ps(_mm256_mul_ps(channels, clear), covered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_billion_agents_have_their_own_color() {
        for simd in SimdLevel::available() {
            let mut pixels = [[10, 20, 30, 255]; 9];
            let mut sums = [[200.0 * 1e9, 100.0 * 1e9, 0.0, 1e9]; 9];
            tone_map(simd, &mut pixels, &mut sums);
            assert_eq!(pixels, [[200, 100, 0, 255]; 9]);
            assert_eq!(sums, [[0.0; 4]; 9]);
        }
    }

    #[test]
    fn all_levels_give_the_same_bytes() {
        let weights = [0.0, 0.001, 0.02, 0.3, 1.0, 3.7, 9.0, 200.0, 0.5, 0.06, 0.11];
        let sums = weights.map(|a| [(255.0 - a) * a, 120.7 * a, 3.1 * a, a]);
        let mapped = |simd| {
            let mut pixels: [Pixel; 11] =
                std::array::from_fn(|index| [11 + index as u8, 130 - index as u8, 250, 255]);
            let mut sums = sums;
            tone_map(simd, &mut pixels, &mut sums);
            pixels
        };
        for simd in SimdLevel::available() {
            assert_eq!(mapped(simd), mapped(SimdLevel::SCALAR));
        }
    }
}
