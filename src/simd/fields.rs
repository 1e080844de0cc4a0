//! Fields of the rasterizer: momentum and energy of discs, and the interpolation of sums of cells.
//! Bonds are in `bonds`.
//!
//! Written with intrinsics: in loops over arrays that live in registers, the compiler takes the
//! lanes apart and puts them together again. The twins in plain Rust do the same operations lane by
//! lane.

use std::ops::Range;

use super::{InstructionSet, SimdLevel};

/// Discs that are added at once.
pub(super) const LANES: usize = 8;

/// The sum of all lanes: of halves, quarters and so forth.
#[inline(always)]
pub(super) fn total(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d]: [f32; 4] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + 4]);
    (a + c) + (b + d)
}

/// Momentum along x and y, mass, and mass times the square of the speed of the discs in some rows of
/// slots. The columns are velocities and radius; the mass is the square of the radius.
///
/// # Panics
/// If a column is shorter than the rows.
#[inline(always)]
pub(crate) fn momentum(simd: SimdLevel, columns: [&[f32]; 3], rows: &[Range<usize>]) -> [f32; 4] {
    match simd.0 {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe { x86::momentum(columns, rows) },
        _ => plain_momentum(columns, rows),
    }
}

/// Four sums at each place: those of three successive cells, by their weights. The first of the three
/// is the one with the number of the place, or else as far behind as there are cells.
///
/// # Panics
/// If there are fewer than three cells.
#[inline(always)]
pub(crate) fn interpolate<const LEN: usize>(
    simd: SimdLevel,
    cells: &[[f32; 4]],
    firsts: &[u32; LEN],
    weights: &[[f32; LEN]; 3],
) -> [[f32; LEN]; 4] {
    const { assert!(LEN.is_multiple_of(4)) };
    match simd.0 {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe {
            x86::interpolate(cells, firsts, weights)
        },
        _ => {
            let mut values = [[0.0; LEN]; 4];
            for k in 0..LEN {
                let [a, b, c] = three(cells, firsts[k]);
                for (lane, values) in values.iter_mut().enumerate() {
                    let first = weights[0][k] * a[lane] + weights[1][k] * b[lane];
                    values[k] = first + weights[2][k] * c[lane];
                }
            }
            values
        }
    }
}

/// Three successive cells.
#[inline(always)]
fn three(cells: &[[f32; 4]], first: u32) -> &[[f32; 4]; 3] {
    let last = cells.len() - 3;
    cells[(first as usize).min(last)..].first_chunk().expect("three cells")
}

fn plain_momentum(columns: [&[f32]; 3], rows: &[Range<usize>]) -> [f32; 4] {
    let mut sums = [[0.0; LANES]; 4];
    for row in rows {
        let [vx, vy, radius] = columns.map(|column| &column[row.clone()]);
        for (k, ((vx, vy), radius)) in vx.iter().zip(vy).zip(radius).enumerate() {
            let mass = radius * radius;
            let terms = [mass * vx, mass * vy, mass, mass * (vx * vx + vy * vy)];
            for (sum, term) in sums.iter_mut().zip(terms) {
                sum[k % LANES] += term;
            }
        }
    }
    sums.map(total)
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::{
        __m128, __m256, __m256i, _mm_add_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_mul_ps, _mm_set1_ps,
        _mm_unpackhi_ps, _mm_unpacklo_ps, _mm256_add_ps, _mm256_castps256_ps128,
        _mm256_cmpgt_epi32, _mm256_extractf128_ps, _mm256_maskload_ps, _mm256_mul_ps,
        _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_ps,
    };
    use std::ops::Range;

    use bytemuck::cast;

    use super::{LANES, three};

    /// All bits of the first `count` lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::simd) fn first_lanes(count: usize) -> __m256i {
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        _mm256_cmpgt_epi32(_mm256_set1_epi32((count.min(LANES) as u32).cast_signed()), lanes)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn momentum(columns: [&[f32]; 3], rows: &[Range<usize>]) -> [f32; 4] {
        let mut sums = [_mm256_setzero_ps(); 4];
        for row in rows {
            let columns = columns.map(|column| &column[row.clone()]);
            let len = row.len();
            let mut first = 0;
            // Rows without discs are a block, too: a branch for them costs more than they do.
            loop {
                let mask = first_lanes(len - first);
                let [vx, vy, radius] = columns.map(|column| {
                    // SAFETY: the lanes of the mask are in the slice, and no others are read.
                    unsafe { _mm256_maskload_ps(column.as_ptr().add(first), mask) }
                });
                let mass = _mm256_mul_ps(radius, radius);
                let speed = _mm256_add_ps(_mm256_mul_ps(vx, vx), _mm256_mul_ps(vy, vy));
                sums[0] = _mm256_add_ps(sums[0], _mm256_mul_ps(mass, vx));
                sums[1] = _mm256_add_ps(sums[1], _mm256_mul_ps(mass, vy));
                sums[2] = _mm256_add_ps(sums[2], mass);
                sums[3] = _mm256_add_ps(sums[3], _mm256_mul_ps(mass, speed));
                first += LANES;
                if first >= len {
                    break;
                }
            }
        }
        totals(sums)
    }

    /// The sums of all lanes, as [`total`] adds them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn totals(sums: [__m256; 4]) -> [f32; 4] {
        let [a, b, c, d] =
            sums.map(|sum| _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1)));
        let (low, high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let ab = _mm_add_ps(low, high);
        let (low, high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        let cd = _mm_add_ps(low, high);
        cast(_mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn interpolate<const LEN: usize>(
        cells: &[[f32; 4]],
        firsts: &[u32; LEN],
        weights: &[[f32; LEN]; 3],
    ) -> [[f32; LEN]; 4] {
        let mut values = [[0.0; LEN]; 4];
        let places = firsts.as_chunks::<4>().0;
        for (block, firsts) in places.iter().enumerate() {
            let sum = |k: usize| -> __m128 {
                let [a, b, c] = three(cells, firsts[k]);
                let weighted = |index: usize, cell: &[f32; 4]| {
                    let weight = _mm_set1_ps(weights[index][4 * block + k]);
                    _mm_mul_ps(weight, cast(*cell))
                };
                let first = _mm_add_ps(weighted(0, a), weighted(1, b));
                _mm_add_ps(first, weighted(2, c))
            };
            let [a, b, c, d] = [sum(0), sum(1), sum(2), sum(3)];
            let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
            let (ab_high, cd_high) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
            let lanes = [
                _mm_movelh_ps(ab, cd),
                _mm_movehl_ps(cd, ab),
                _mm_movelh_ps(ab_high, cd_high),
                _mm_movehl_ps(cd_high, ab_high),
            ];
            for (values, lane) in values.iter_mut().zip(lanes) {
                values.as_chunks_mut::<4>().0[block] = cast(lane);
            }
        }
        values
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Numbers from -2 to 2.
    pub(in crate::simd) fn column(factor: u32) -> Vec<f32> {
        let step = |n: u32| (n.wrapping_mul(factor) >> 8) as f32;
        (1..200).map(|n| step(n) / (1 << 22) as f32 - 2.0).collect()
    }

    #[test]
    fn all_levels_give_the_same_bits() {
        let columns = [column(0x9e37_79b1), column(0x85eb_ca6b), column(0xc2b2_ae35)];
        let columns: [&[f32]; 3] = [&columns[0], &columns[1], &columns[2]];
        // Rows of any length, up to the end.
        let rows = [3..3, 5..12, 20..28, 30..31, 100..140, 180..199, 199..199];
        let all = |simd| momentum(simd, columns, &rows).map(f32::to_bits);
        for simd in SimdLevel::available() {
            assert_eq!(all(simd), all(SimdLevel::SCALAR), "{}", simd.name());
        }
    }

    #[test]
    fn places_are_means_of_three_cells() {
        let cells: Vec<[f32; 4]> = (0..9).map(|k| [1.0, k as f32, 0.1 * k as f32, -0.3]).collect();
        let firsts = [0, 1, 1, 2, 5, 6, 7, 99];
        let shares = column(0x9e37_79b1);
        let weights = [0, 1, 2].map(|row| std::array::from_fn(|k| 0.5 * shares[8 * row + k]));
        let all = SimdLevel::available().map(|simd| interpolate(simd, &cells, &firsts, &weights));
        for values in all {
            assert_eq!(values, interpolate(SimdLevel::SCALAR, &cells, &firsts, &weights));
            for (k, first) in firsts.into_iter().enumerate() {
                let [a, b, c] = weights.map(|weights| weights[k]);
                let first = first.min(6) as f32;
                assert!((values[0][k] - (a + b + c)).abs() < 1e-5);
                let expected = a * first + b * (first + 1.0) + c * (first + 2.0);
                assert!((values[1][k] - expected).abs() < 1e-4);
            }
        }
    }
}
