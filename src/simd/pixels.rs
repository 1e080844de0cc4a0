//! Weighted means of pixels, with the widest integers of the machine.
//!
//! The one operation is `a + (b - a)·w`, with weights of 0 to 256, so that both ends are exact and
//! a shift divides. It is integer arithmetic in lanes of 16 bits, so every level gives the same
//! bytes. Where one instruction multiplies, rounds and shifts by 15, the mean is a difference, that
//! product and a sum. The weight is then scaled by -128: 256 · 128 = 2¹⁵ doesn't fit into 16 signed
//! bits, but -2¹⁵ does.
//!
//! ```text
//! pixels   │r g b a r g b a│r g b a r g b a│ 128 bits each  unpack: halves, 16 bits per lane
//! weights  │ w0 w1 w2 w3   │ w0 w1 w2 w3   │ broadcast      shuffle: w0 w0 w0 w0 w1 w1 w1 w1 …
//! ```
//!
//! The loops for x86-64 are written with intrinsics. Compilers find the shuffles for four pixels, but
//! for more pixels they extract the weights one by one. Unpacking, shuffling and packing stay within
//! 128 bits, where they are cheap.

use super::SimdLevel;

/// Red, green, blue, alpha.
pub(crate) type Pixel = [u8; 4];

/// A color widened to 16 bits per channel, for mixing into many pixels.
pub(crate) type Lanes = [u16; 4];

/// Pixels per instruction of the widest level.
pub(crate) const BLOCK: usize = 16;

/// Mixes the mean of two colors into pixels, by weights of 0 to 256. The mean is the first color at
/// share 0, and the second at 256; without shares, it is the first color.
#[inline(always)]
pub(crate) fn tint<const LEN: usize>(
    simd: SimdLevel,
    pixels: &mut [Pixel; LEN],
    colors: [Lanes; 2],
    shares: Option<&[u16; LEN]>,
    weights: &[u16; LEN],
) {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of this set proves AVX-512 BW.
        Avx512 if LEN.is_multiple_of(BLOCK) => unsafe {
            x86::tint_wide(pixels, colors, shares, weights);
        },
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        Avx2 | Avx512 if LEN.is_multiple_of(8) => unsafe {
            x86::tint(pixels, colors, shares, weights);
        },
        _ => {
            let [first, second] = colors;
            for (k, pixel) in pixels.iter_mut().enumerate() {
                let color = shares.map_or(first, |shares| {
                    std::array::from_fn(|c| lane(first[c], second[c], shares[k]))
                });
                *pixel = mix(*pixel, color, weights[k]);
            }
        },
    });
}

/// The weighted mean of two colors: the pixel at weight 0, the color at 256.
#[inline(always)]
pub(crate) fn mix(pixel: Pixel, color: Lanes, weight: u16) -> Pixel {
    std::array::from_fn(|channel| lane(u16::from(pixel[channel]), color[channel], weight) as u8)
}

/// The weighted mean of two numbers of 0 to 255, by a weight of 0 to 256.
#[inline(always)]
pub(crate) fn lane(a: u16, b: u16, weight: u16) -> u16 {
    // Modulo 2¹⁶ throughout: the sum itself is at most 255·256 + 128.
    let scaled = (a << 8).wrapping_add(b.wrapping_sub(a).wrapping_mul(weight));
    scaled.wrapping_add(128) >> 8
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
pub(super) mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_mullo_epi16, _mm_set1_epi16, _mm256_add_epi16,
        _mm256_broadcastsi128_si256, _mm256_mulhrs_epi16, _mm256_mullo_epi16, _mm256_packus_epi16,
        _mm256_set1_epi16, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
        _mm256_sub_epi16, _mm256_unpackhi_epi8, _mm256_unpacklo_epi8, _mm512_add_epi16,
        _mm512_castsi256_si512, _mm512_mulhrs_epi16, _mm512_packus_epi16, _mm512_permutexvar_epi16,
        _mm512_set1_epi64, _mm512_setzero_si512, _mm512_sub_epi16, _mm512_unpackhi_epi8,
        _mm512_unpacklo_epi8,
    };

    use bytemuck::cast;

    use super::{BLOCK, Lanes, Pixel};

    /// Byte indices of the weights for the lower two pixels of each 128 bits: of the first four
    /// weights in the lower 128 bits, of the other four in the upper.
    pub(in crate::simd) const LOW: [i8; 32] = spread([0, 1, 4, 5]);
    pub(in crate::simd) const HIGH: [i8; 32] = spread([2, 3, 6, 7]);

    /// The byte indices of four 16-bit weights, each repeated for four channels.
    pub(in crate::simd) const fn spread(weights: [i8; 4]) -> [i8; 32] {
        let mut bytes = [0; 32];
        let mut byte = 0;
        while byte < 32 {
            bytes[byte] = weights[byte / 8] * 2 + (byte % 2) as i8;
            byte += 1;
        }
        bytes
    }

    /// Indices into sixteen weights, each repeated for four channels, in the order in which
    /// unpacking leaves the pixels of a block.
    const fn indices(half: u16) -> [u16; 32] {
        let mut indices = [0; 32];
        let mut lane = 0;
        while lane < 32 {
            indices[lane as usize] = lane / 8 * 4 + half * 2 + lane % 8 / 4;
            lane += 1;
        }
        indices
    }

    const LOW_WIDE: [u16; 32] = indices(0);
    const HIGH_WIDE: [u16; 32] = indices(1);

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::simd) fn splat(color: Lanes) -> __m256i {
        _mm256_set1_epi64x(cast(color))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::simd) fn lane(a: __m256i, b: __m256i, prepared: __m256i) -> __m256i {
        _mm256_add_epi16(a, _mm256_mulhrs_epi16(_mm256_sub_epi16(a, b), prepared))
    }

    /// Mixes colors into eight pixels; `low` and `high` are the halves that unpacking gives.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mix(pixels: __m256i, [low, high]: [__m256i; 2], weights: [__m256i; 2]) -> __m256i {
        let zero = _mm256_setzero_si256();
        _mm256_packus_epi16(
            lane(_mm256_unpacklo_epi8(pixels, zero), low, weights[0]),
            lane(_mm256_unpackhi_epi8(pixels, zero), high, weights[1]),
        )
    }

    /// Eight weights, each repeated for four channels.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn weights(eight: &[u16; 8]) -> [__m256i; 2] {
        let eight =
            _mm256_broadcastsi128_si256(_mm_mullo_epi16(cast(*eight), _mm_set1_epi16(-128)));
        [_mm256_shuffle_epi8(eight, cast(LOW)), _mm256_shuffle_epi8(eight, cast(HIGH))]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn tint<const LEN: usize>(
        pixels: &mut [Pixel; LEN],
        colors: [Lanes; 2],
        shares: Option<&[u16; LEN]>,
        covers: &[u16; LEN],
    ) {
        let [first, second] = [splat(colors[0]), splat(colors[1])];
        let eights = pixels.as_chunks_mut::<8>().0.iter_mut().zip(covers.as_chunks().0);
        for (index, (eight, covers)) in eights.enumerate() {
            let mut colors = [first; 2];
            if let Some(shares) = shares {
                let [low, high] = weights(&shares.as_chunks().0[index]);
                colors = [lane(first, second, low), lane(first, second, high)];
            }
            *eight = cast(mix(cast(*eight), colors, weights(covers)));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn splat_wide(color: Lanes) -> __m512i {
        _mm512_set1_epi64(cast(color))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn lane_wide(a: __m512i, b: __m512i, prepared: __m512i) -> __m512i {
        _mm512_add_epi16(a, _mm512_mulhrs_epi16(_mm512_sub_epi16(a, b), prepared))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn weights_wide(sixteen: &[u16; BLOCK]) -> [__m512i; 2] {
        let prepared = _mm256_mullo_epi16(cast(*sixteen), _mm256_set1_epi16(-128));
        let sixteen = _mm512_castsi256_si512(prepared);
        [LOW_WIDE, HIGH_WIDE].map(|indices| _mm512_permutexvar_epi16(cast(indices), sixteen))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    pub(super) fn tint_wide<const LEN: usize>(
        pixels: &mut [Pixel; LEN],
        colors: [Lanes; 2],
        shares: Option<&[u16; LEN]>,
        covers: &[u16; LEN],
    ) {
        let [first, second] = [splat_wide(colors[0]), splat_wide(colors[1])];
        let blocks = pixels.as_chunks_mut::<BLOCK>().0.iter_mut().zip(covers.as_chunks().0);
        for (index, (pixels, covers)) in blocks.enumerate() {
            let mut colors = [first; 2];
            if let Some(shares) = shares {
                let [low, high] = weights_wide(&shares.as_chunks().0[index]);
                colors = [lane_wide(first, second, low), lane_wide(first, second, high)];
            }
            let (zero, all, [low, high]) =
                (_mm512_setzero_si512(), cast(*pixels), weights_wide(covers));
            let low = lane_wide(_mm512_unpacklo_epi8(all, zero), colors[0], low);
            let high = lane_wide(_mm512_unpackhi_epi8(all, zero), colors[1], high);
            *pixels = cast(_mm512_packus_epi16(low, high));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_exact_at_both_ends_and_rounded_between() {
        for a in 0..=255 {
            for b in [0, 1, 77, 128, 254, 255] {
                assert_eq!([lane(a, b, 0), lane(a, b, 256)], [a, b]);
                for weight in 0..=256 {
                    let share = f32::from(weight) / 256.0;
                    let exact = f32::from(a) + (f32::from(b) - f32::from(a)) * share;
                    assert!((f32::from(lane(a, b, weight)) - exact).abs() <= 0.5);
                }
            }
        }
    }
}
