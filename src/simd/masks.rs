//! Which lanes of a batch hold a value, as bits: compilers find no use for the bit mask of a
//! comparison.

use super::SimdLevel;

/// One bit per lane, set if the lane differs from `value`.
#[inline(always)]
pub(crate) fn lanes_other_than(simd: SimdLevel, lanes: &[u32; 64], value: u32) -> u64 {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        Avx2 | Avx512 => unsafe {
            avx2_lanes_other_than(lanes, value)
        },
        _ => lanes.iter().rev().fold(0, |bits, &lane| (bits << 1) | u64::from(lane != value)),
    })
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2_lanes_other_than(lanes: &[u32; 64], value: u32) -> u64 {
    use std::arch::x86_64::{
        __m256i, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_movemask_ps, _mm256_set1_epi32,
    };
    let value = _mm256_set1_epi32(value.cast_signed());
    let mut equal = 0;
    for (index, eight) in lanes.as_chunks::<8>().0.iter().enumerate() {
        let eight: __m256i = bytemuck::cast(*eight);
        let bits = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(eight, value)));
        equal |= u64::from(bits.cast_unsigned()) << (index * 8);
    }
    !equal
}

/// One bit per lane, set if the lane is larger than `limit`; not if either is not a number.
#[inline(always)]
pub(crate) fn lanes_above(simd: SimdLevel, lanes: &[f32; 64], limit: f32) -> u64 {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        Avx2 | Avx512 => unsafe { avx2_lanes_above(lanes, limit) },
        _ => lanes.iter().rev().fold(0, |bits, &lane| (bits << 1) | u64::from(lane > limit)),
    })
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2_lanes_above(lanes: &[f32; 64], limit: f32) -> u64 {
    use std::arch::x86_64::{
        __m256, _CMP_GT_OQ, _mm256_cmp_ps, _mm256_movemask_ps, _mm256_set1_ps,
    };
    let limit = _mm256_set1_ps(limit);
    let mut above = 0;
    for (index, eight) in lanes.as_chunks::<8>().0.iter().enumerate() {
        let eight: __m256 = bytemuck::cast(*eight);
        let bits = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(eight, limit));
        above |= u64::from(bits.cast_unsigned()) << (index * 8);
    }
    above
}

/// The bits as a matrix of eight rows of eight, mirrored at its diagonal: bit `8 i + j` becomes bit
/// `8 j + i`.
#[inline(always)]
pub(crate) fn transposed(bits: u64) -> u64 {
    // Hacker's Delight, 7-3: swaps single bits, then squares of 2 × 2, then of 4 × 4.
    let swap = |bits: u64, mask: u64, by: u32| {
        let differ = (bits ^ (bits >> by)) & mask;
        bits ^ differ ^ (differ << by)
    };
    let bits = swap(bits, 0x00aa_00aa_00aa_00aa, 7);
    let bits = swap(bits, 0x0000_cccc_0000_cccc, 14);
    swap(bits, 0x0000_0000_f0f0_f0f0, 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_become_bits() {
        let lanes: [u32; 64] = std::array::from_fn(|k| if k % 7 == 3 { u32::MAX } else { 5 });
        for simd in SimdLevel::available() {
            let bits = lanes_other_than(simd, &lanes, u32::MAX);
            assert!((0..64).all(|k| (bits >> k & 1 == 0) == (k % 7 == 3)));
        }
    }

    #[test]
    fn larger_lanes_become_bits() {
        let mut lanes: [f32; 64] = std::array::from_fn(|k| (k * 37 % 64) as f32);
        lanes[9] = f32::NAN;
        for simd in SimdLevel::available() {
            let bits = lanes_above(simd, &lanes, 20.0);
            assert!((0..64).all(|k| (bits >> k & 1 == 1) == (k * 37 % 64 > 20 && k != 9)));
        }
    }

    #[test]
    fn rows_become_columns() {
        for (row, column) in [(0, 0), (0, 7), (3, 5), (6, 1), (7, 7)] {
            assert_eq!(transposed(1 << (8 * row + column)), 1 << (8 * column + row));
        }
    }
}
