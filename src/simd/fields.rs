//! Fields of the rasterizer: momentum and energy of discs, and the interpolation of sums of cells.
//! Bonds are in `bonds`.
//!
//! Written with intrinsics: in loops over arrays that live in registers, the compiler takes the
//! lanes apart and puts them together again. The twins in plain Rust do the same operations lane by
//! lane.

use super::SimdLevel;

/// Discs that are added at once.
pub(super) const LANES: usize = 8;

/// The sum of all lanes: of halves, quarters and so forth.
#[inline(always)]
pub(super) fn total(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d]: [f32; 4] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + 4]);
    (a + c) + (b + d)
}

/// Adds to the sums of each cell momentum along x and y and mass of its discs. To the last sum it
/// adds mass times the square of the speed, or else the number of discs. The columns are velocities
/// and radius; the mass is the square of the radius.
///
/// The discs of cell `k` have the slots from `starts[k]` to `starts[k + 1]`, in each of some rows.
///
/// # Panics
/// If the columns are shorter than the slots, or the number of starts is wrong.
#[inline(always)]
pub(crate) fn add_momentum<const ENERGY: bool, const ROWS: usize, const STARTS: usize>(
    simd: SimdLevel,
    columns: [&[f32]; 3],
    starts: &[[u32; STARTS]; ROWS],
    sums: &mut [[f32; 4]],
) {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        Avx2 | Avx512 => unsafe {
            x86::add_momentum::<ENERGY, ROWS, STARTS>(columns, starts, sums);
        },
        _ => plain_momentum::<ENERGY, ROWS, STARTS>(columns, starts, sums),
    });
}

/// Four sums at each place: weighted means of three successive cells. The first of the three has
/// the index of the place, or the largest index that leaves three cells.
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
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        Avx2 | Avx512 => unsafe {
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
        },
    })
}

/// The numbers with these indices, or else the last but one, in lanes of their own. The last number
/// only serves as room behind.
///
/// # Panics
/// If there are fewer than two numbers.
#[inline(always)]
pub(crate) fn look_up<const LEN: usize>(
    simd: SimdLevel,
    numbers: &[u16],
    indices: &[u32; LEN],
    to: &mut [u32; LEN],
) {
    const { assert!(LEN.is_multiple_of(16)) };
    // Gathers take signed indices.
    let last = numbers.len().checked_sub(2).expect("two numbers").min(i32::MAX as usize) as u32;
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of this set proves AVX-512.
        Avx512 => unsafe { x86::look_up_wide(numbers, last, indices, to) },
        // SAFETY: a `SimdLevel` of this set proves AVX2.
        Avx2 => unsafe { x86::look_up(numbers, last, indices, to) },
        _ => {
            for (to, index) in to.iter_mut().zip(indices) {
                *to = u32::from(numbers[(*index).min(last) as usize]);
            }
        },
    });
}

/// Three successive cells.
#[inline(always)]
fn three(cells: &[[f32; 4]], first: u32) -> &[[f32; 4]; 3] {
    let last = cells.len() - 3;
    cells[(first as usize).min(last)..].first_chunk().expect("three cells")
}

fn plain_momentum<const ENERGY: bool, const ROWS: usize, const STARTS: usize>(
    columns: [&[f32]; 3],
    starts: &[[u32; STARTS]; ROWS],
    sums: &mut [[f32; 4]],
) {
    for (cell, to) in sums.iter_mut().enumerate() {
        let (mut sums, mut count) = ([[0.0; LANES]; 4], 0);
        for starts in starts {
            let row = starts[cell] as usize..starts[cell + 1] as usize;
            count += row.len() as u32;
            let [vx, vy, radius] = columns.map(|column| &column[row.clone()]);
            for (k, ((vx, vy), radius)) in vx.iter().zip(vy).zip(radius).enumerate() {
                let mass = radius * radius;
                let energy = if ENERGY { mass * (vx * vx + vy * vy) } else { 0.0 };
                let terms = [mass * vx, mass * vy, mass, energy];
                for (sum, term) in sums.iter_mut().zip(terms) {
                    sum[k % LANES] += term;
                }
            }
        }
        let [px, py, mass, energy] = sums.map(total);
        let more = [px, py, mass, if ENERGY { energy } else { count as f32 }];
        *to = std::array::from_fn(|k| to[k] + more[k]);
    }
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
pub(super) mod x86 {
    use bytemuck::cast;
    use std::arch::x86_64::{
        __m128, __m256, __m256i, _mm_add_ps, _mm_insert_ps, _mm_movehl_ps, _mm_movelh_ps,
        _mm_mul_ps, _mm_set_ss, _mm_set1_ps, _mm_unpackhi_ps, _mm_unpacklo_ps, _mm256_add_ps,
        _mm256_and_si256, _mm256_castps256_ps128, _mm256_cmpgt_epi32, _mm256_extractf128_ps,
        _mm256_i32gather_epi32, _mm256_maskload_ps, _mm256_min_epu32, _mm256_mul_ps,
        _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_ps, _mm512_and_si512,
        _mm512_i32gather_epi32, _mm512_min_epu32, _mm512_set1_epi32,
    };

    use super::{LANES, three};

    /// All bits of the first `count` lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::simd) fn first_lanes(count: usize) -> __m256i {
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        _mm256_cmpgt_epi32(_mm256_set1_epi32((count.min(LANES) as u32).cast_signed()), lanes)
    }

    // Loops instead of closures, which are called in a function of this size.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn add_momentum<const ENERGY: bool, const ROWS: usize, const STARTS: usize>(
        [vx, vy, radius]: [&[f32]; 3],
        starts: &[[u32; STARTS]; ROWS],
        sums: &mut [[f32; 4]],
    ) {
        assert!(sums.len() < STARTS, "a start for each cell and one behind");
        let end = vx.len().min(vy.len()).min(radius.len());
        for (cell, to) in sums.iter_mut().enumerate() {
            let mut sums = [_mm256_setzero_ps(); 4];
            let mut count = 0;
            for starts in starts {
                let (mut first, last) = (starts[cell] as usize, starts[cell + 1] as usize);
                assert!(first <= last && last <= end, "the columns end before the slots");
                count += last - first;
                // Rows without discs are a block, too: a branch for them costs more than they do.
                loop {
                    let mask = first_lanes(last - first);
                    // SAFETY: the lanes of the mask are in the columns, and no others are read.
                    let (vx, vy, radius) = unsafe {
                        (
                            _mm256_maskload_ps(vx.as_ptr().add(first), mask),
                            _mm256_maskload_ps(vy.as_ptr().add(first), mask),
                            _mm256_maskload_ps(radius.as_ptr().add(first), mask),
                        )
                    };
                    let mass = _mm256_mul_ps(radius, radius);
                    sums[0] = _mm256_add_ps(sums[0], _mm256_mul_ps(mass, vx));
                    sums[1] = _mm256_add_ps(sums[1], _mm256_mul_ps(mass, vy));
                    sums[2] = _mm256_add_ps(sums[2], mass);
                    if ENERGY {
                        let speed = _mm256_add_ps(_mm256_mul_ps(vx, vx), _mm256_mul_ps(vy, vy));
                        sums[3] = _mm256_add_ps(sums[3], _mm256_mul_ps(mass, speed));
                    }
                    first += LANES;
                    if first >= last {
                        break;
                    }
                }
            }
            let mut more = totals(sums);
            if !ENERGY {
                more = _mm_insert_ps::<0x30>(more, _mm_set_ss(count as f32));
            }
            *to = cast(_mm_add_ps(cast(*to), more));
        }
    }

    /// The sums of all lanes, as [`total`] adds them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn totals([a, b, c, d]: [__m256; 4]) -> __m128 {
        let (a, b, c, d) = (halves(a), halves(b), halves(c), halves(d));
        let (low, high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let ab = _mm_add_ps(low, high);
        let (low, high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        let cd = _mm_add_ps(low, high);
        _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves(sum: __m256) -> __m128 {
        _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn look_up<const LEN: usize>(
        numbers: &[u16],
        last: u32,
        indices: &[u32; LEN],
        to: &mut [u32; LEN],
    ) {
        let (last, low) = (_mm256_set1_epi32(last.cast_signed()), _mm256_set1_epi32(0xffff));
        for (to, indices) in to.as_chunks_mut::<8>().0.iter_mut().zip(indices.as_chunks::<8>().0) {
            let indices = _mm256_min_epu32(cast(*indices), last);
            // SAFETY: each lane reads a number and the next, of which there is one.
            let pairs = unsafe { _mm256_i32gather_epi32::<2>(numbers.as_ptr().cast(), indices) };
            *to = cast(_mm256_and_si256(pairs, low));
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn look_up_wide<const LEN: usize>(
        numbers: &[u16],
        last: u32,
        indices: &[u32; LEN],
        to: &mut [u32; LEN],
    ) {
        let (last, low) = (_mm512_set1_epi32(last.cast_signed()), _mm512_set1_epi32(0xffff));
        for (to, indices) in to.as_chunks_mut::<16>().0.iter_mut().zip(indices.as_chunks::<16>().0)
        {
            let indices = _mm512_min_epu32(cast(*indices), last);
            // SAFETY: each lane reads a number and the next, of which there is one.
            let pairs = unsafe { _mm512_i32gather_epi32::<2>(indices, numbers.as_ptr().cast()) };
            *to = cast(_mm512_and_si512(pairs, low));
        }
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
        let starts = [[3, 3, 5, 12, 20], [20, 28, 31, 31, 40], [40, 140, 140, 160, 199], [199; 5]];
        let all = |simd| {
            let mut sums = [[[1.0; 4]; 4]; 2];
            add_momentum::<true, 4, 5>(simd, columns, &starts, &mut sums[0]);
            add_momentum::<false, 4, 5>(simd, columns, &starts, &mut sums[1]);
            sums
        };
        let plain = all(SimdLevel::SCALAR);
        let counts = plain[1].map(|[.., count]| count);
        assert_eq!(counts, [109.0, 6.0, 28.0, 57.0]);
        let [_, _, mass, energy] = plain[0][0];
        let terms = (20..28).chain(40..140).map(|k| {
            let [vx, vy, radius] = columns.map(|column| column[k]);
            [radius * radius, radius * radius * (vx * vx + vy * vy)]
        });
        let expected = terms.fold([1.0; 2], |[a, b], [c, d]| [a + c, b + d]);
        assert!((mass / expected[0] - 1.0).abs() < 1e-5, "{mass} for {}", expected[0]);
        assert!((energy / expected[1] - 1.0).abs() < 1e-5, "{energy} for {}", expected[1]);
        for simd in SimdLevel::available() {
            let bits = |sums: [[[f32; 4]; 4]; 2]| bytemuck::cast::<_, [u32; 32]>(sums);
            assert_eq!(bits(all(simd)), bits(plain), "{}", simd.name());
        }
    }

    #[test]
    fn numbers_are_looked_up() {
        let numbers: Vec<u16> = (0..500).map(|n| 65_535 - 131 * n).collect();
        let indices: [u32; 32] = std::array::from_fn(|k| k as u32 * 17);
        let indices = indices.map(|index| if index == 17 { u32::MAX } else { index });
        for simd in SimdLevel::available() {
            let mut to = [7; 32];
            look_up(simd, &numbers, &indices, &mut to);
            for (to, index) in to.into_iter().zip(indices) {
                assert_eq!(to, u32::from(numbers[index.min(498) as usize]), "{}", simd.name());
            }
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
