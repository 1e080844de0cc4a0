//! Bonds between discs, for the sixfold order of a crowd.
//!
//! Written with intrinsics, as `fields` and for the same reason.

use std::ops::Range;

use super::{
    InstructionSet, SimdLevel,
    fields::{LANES, total},
};

/// Sums over bonds, in lanes for the two windows of a disc: cos 6θ, sin 6θ and 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BondSums([[f32; 2 * LANES]; 3]);

impl BondSums {
    /// The sums of all lanes.
    #[inline(always)]
    pub(crate) fn totals(self) -> [f32; 3] {
        self.0.map(|lanes| total(std::array::from_fn(|lane| lanes[lane] + lanes[lane + LANES])))
    }
}

/// Adds up the bonds of some discs, from slot `first` on, to discs in two windows each. The columns
/// are position and radius. A bond leads to a disc with another center, less than `longest`
/// times as far away as if the two touched.
///
/// # Panics
/// If a column is shorter than slots and windows.
#[inline(always)]
pub(crate) fn add_bonds(
    simd: SimdLevel,
    columns: [&[f32]; 3],
    first: usize,
    windows: &[[Range<usize>; 2]],
    longest: f32,
    sums: &mut BondSums,
) {
    let discs = columns.map(|column| &column[first..][..windows.len()]);
    match simd.0 {
        // SAFETY: a `SimdLevel` of this set proves AVX-512.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => unsafe {
            x86::add_bonds_wide(columns, discs, windows, longest, sums);
        },
        // SAFETY: a `SimdLevel` of this set proves AVX2.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => unsafe {
            x86::add_bonds(columns, discs, windows, longest, sums);
        },
        _ => plain_bonds(columns, discs, windows, longest, sums),
    }
}

fn plain_bonds(
    columns: [&[f32]; 3],
    discs: [&[f32]; 3],
    windows: &[[Range<usize>; 2]],
    longest: f32,
    BondSums(sums): &mut BondSums,
) {
    for (disc, windows) in windows.iter().enumerate() {
        let [x, y, radius] = discs.map(|column| column[disc]);
        for (half, window) in windows.iter().enumerate() {
            let [xs, ys, radii] = columns.map(|column| &column[window.clone()]);
            for (k, ((xs, ys), radii)) in xs.iter().zip(ys).zip(radii).enumerate() {
                let (dx, dy) = (xs - x, ys - y);
                let reach = (radii + radius) * longest;
                let (xx, yy) = (dx * dx, dy * dy);
                let square = xx + yy;
                if square < reach * reach && square > 0.0 {
                    // The square of the unit vector, as a complex number, and its third power.
                    let scale = 1.0 / square;
                    let (c2, s2) = ((xx - yy) * scale, (dx * dy + dx * dy) * scale);
                    let (c4, s4) = (c2 * c2 - s2 * s2, c2 * s2 + c2 * s2);
                    let terms = [c4 * c2 - s4 * s2, c4 * s2 + s4 * c2, 1.0];
                    for (sum, term) in sums.iter_mut().zip(terms) {
                        sum[half * LANES + k % LANES] += term;
                    }
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m512, _CMP_GT_OQ, _CMP_LT_OQ, _bzhi_u32, _mm256_add_ps, _mm256_and_ps,
        _mm256_blendv_ps, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_div_ps, _mm256_maskload_ps,
        _mm256_maskz_loadu_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_sub_ps,
        _mm512_add_ps, _mm512_castps256_ps512, _mm512_insertf32x8, _mm512_mask_add_ps,
        _mm512_mask_cmp_ps_mask, _mm512_maskz_div_ps, _mm512_mul_ps, _mm512_set1_ps,
        _mm512_setzero_ps, _mm512_sub_ps,
    };
    use std::ops::Range;

    use bytemuck::cast;

    use super::{super::fields::x86::first_lanes, BondSums, LANES};

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn add_bonds(
        columns: [&[f32]; 3],
        discs: [&[f32]; 3],
        windows: &[[Range<usize>; 2]],
        longest: f32,
        BondSums(to): &mut BondSums,
    ) {
        let (one, zero) = (_mm256_set1_ps(1.0), _mm256_setzero_ps());
        let longest = _mm256_set1_ps(longest);
        let mut sums: [[__m256; 2]; 3] = cast(*to);
        for (disc, windows) in windows.iter().enumerate() {
            let [x, y, radius] = discs.map(|column| _mm256_set1_ps(column[disc]));
            for (half, window) in windows.iter().enumerate() {
                let columns = columns.map(|column| &column[window.clone()]);
                let len = window.len();
                let mut first = 0;
                loop {
                    let mask = first_lanes(len - first);
                    let [xs, ys, radii] = columns.map(|column| {
                        // SAFETY: the lanes of the mask are in the slice, and no others are read.
                        unsafe { _mm256_maskload_ps(column.as_ptr().add(first), mask) }
                    });
                    let (dx, dy) = (_mm256_sub_ps(xs, x), _mm256_sub_ps(ys, y));
                    let reach = _mm256_mul_ps(_mm256_add_ps(radii, radius), longest);
                    let (xx, yy) = (_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
                    let square = _mm256_add_ps(xx, yy);
                    let near = _mm256_cmp_ps::<_CMP_LT_OQ>(square, _mm256_mul_ps(reach, reach));
                    let apart = _mm256_cmp_ps::<_CMP_GT_OQ>(square, zero);
                    let bound =
                        _mm256_and_ps(_mm256_and_ps(near, apart), _mm256_castsi256_ps(mask));
                    let ones = _mm256_and_ps(bound, one);
                    let scale = _mm256_div_ps(ones, _mm256_blendv_ps(one, square, bound));
                    let product = _mm256_mul_ps(dx, dy);
                    let c2 = _mm256_mul_ps(_mm256_sub_ps(xx, yy), scale);
                    let s2 = _mm256_mul_ps(_mm256_add_ps(product, product), scale);
                    let product = _mm256_mul_ps(c2, s2);
                    let c4 = _mm256_sub_ps(_mm256_mul_ps(c2, c2), _mm256_mul_ps(s2, s2));
                    let s4 = _mm256_add_ps(product, product);
                    let c6 = _mm256_sub_ps(_mm256_mul_ps(c4, c2), _mm256_mul_ps(s4, s2));
                    let s6 = _mm256_add_ps(_mm256_mul_ps(c4, s2), _mm256_mul_ps(s4, c2));
                    for (sum, term) in sums.iter_mut().zip([c6, s6, ones]) {
                        sum[half] = _mm256_add_ps(sum[half], term);
                    }
                    first += LANES;
                    if first >= len {
                        break;
                    }
                }
            }
        }
        *to = cast(sums);
    }

    /// The same with both windows in one register.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,avx512f,avx512dq,avx512vl")]
    pub(super) fn add_bonds_wide(
        columns: [&[f32]; 3],
        discs: [&[f32]; 3],
        windows: &[[Range<usize>; 2]],
        longest: f32,
        BondSums(to): &mut BondSums,
    ) {
        let (one, zero) = (_mm512_set1_ps(1.0), _mm512_setzero_ps());
        let longest = _mm512_set1_ps(longest);
        let mut sums: [__m512; 3] = cast(*to);
        for (disc, windows) in windows.iter().enumerate() {
            let [x, y, radius] = discs.map(|column| _mm512_set1_ps(column[disc]));
            let columns =
                columns.map(|column| [&column[windows[0].clone()], &column[windows[1].clone()]]);
            let lens = [windows[0].len(), windows[1].len()];
            let mut first = 0;
            loop {
                // The first lanes of either half; past the end of a window, none of it.
                let firsts = lens.map(|len| first.min(len));
                let masks =
                    [0, 1].map(|k| _bzhi_u32(0xff, (lens[k] - firsts[k]).min(LANES) as u32));
                let [xs, ys, radii] = columns.map(|halves| {
                    let [along, below] = [0, 1].map(|k| {
                        // SAFETY: the lanes of the mask are in the slice, and no others are read.
                        unsafe {
                            let at = halves[k].as_ptr().add(firsts[k]);
                            _mm256_maskz_loadu_ps(masks[k] as u8, at)
                        }
                    });
                    _mm512_insertf32x8(_mm512_castps256_ps512(along), below, 1)
                });
                let mask = (masks[0] | masks[1] << LANES) as u16;
                let (dx, dy) = (_mm512_sub_ps(xs, x), _mm512_sub_ps(ys, y));
                let reach = _mm512_mul_ps(_mm512_add_ps(radii, radius), longest);
                let (xx, yy) = (_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
                let square = _mm512_add_ps(xx, yy);
                let near = _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(
                    mask,
                    square,
                    _mm512_mul_ps(reach, reach),
                );
                let bound = _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(near, square, zero);
                let scale = _mm512_maskz_div_ps(bound, one, square);
                let product = _mm512_mul_ps(dx, dy);
                let c2 = _mm512_mul_ps(_mm512_sub_ps(xx, yy), scale);
                let s2 = _mm512_mul_ps(_mm512_add_ps(product, product), scale);
                let product = _mm512_mul_ps(c2, s2);
                let c4 = _mm512_sub_ps(_mm512_mul_ps(c2, c2), _mm512_mul_ps(s2, s2));
                let s4 = _mm512_add_ps(product, product);
                let c6 = _mm512_sub_ps(_mm512_mul_ps(c4, c2), _mm512_mul_ps(s4, s2));
                let s6 = _mm512_add_ps(_mm512_mul_ps(c4, s2), _mm512_mul_ps(s4, c2));
                sums[0] = _mm512_add_ps(sums[0], c6);
                sums[1] = _mm512_add_ps(sums[1], s6);
                sums[2] = _mm512_mask_add_ps(sums[2], bound, sums[2], one);
                first += LANES;
                if first >= lens[0].max(lens[1]) {
                    break;
                }
            }
        }
        *to = cast(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fields::tests::column, *};

    #[test]
    fn all_levels_give_the_same_bits() {
        let columns = [column(0x9e37_79b1), column(0x85eb_ca6b), column(0xc2b2_ae35)];
        let columns: [&[f32]; 3] = [&columns[0], &columns[1], &columns[2]];
        // Windows of any length, up to the end.
        let windows = |slot: usize| {
            let window = |first: usize, len: usize| first.min(199)..(first + len).min(199);
            [window(slot + 1, slot % 21), window(slot + 7, slot * 3 % 19)]
        };
        let all = |simd| {
            let mut bonds = BondSums::default();
            for row in [3..3, 5..12, 20..28, 100..140, 180..199, 199..199] {
                let windows: Vec<_> = row.clone().map(windows).collect();
                add_bonds(simd, columns, row.start, &windows, 0.9, &mut bonds);
            }
            let bonds = bonds.totals();
            assert!(bonds[2] > 100.0, "{bonds:?}");
            bonds.map(f32::to_bits)
        };
        for simd in SimdLevel::available() {
            assert_eq!(all(simd), all(SimdLevel::SCALAR), "{}", simd.name());
        }
    }

    #[test]
    fn a_hexagon_is_in_order() {
        let angles = (0..6).map(|k| (k as f32 * 60.0 + 10.0).to_radians());
        let (x, y): (Vec<_>, Vec<_>) = [(0.0, 0.0)]
            .into_iter()
            .chain(angles.map(|angle| (2.1 * angle.cos(), 2.1 * angle.sin())))
            .unzip();
        let columns: [&[f32]; 3] = [&x, &y, &[1.0; 7]];
        for simd in SimdLevel::available() {
            let bonds = |longest| {
                let mut sums = BondSums::default();
                add_bonds(simd, columns, 0, &[[1..3, 3..7]], longest, &mut sums);
                sums.totals()
            };
            let [c, s, count] = bonds(1.5);
            assert_eq!(count, 6.0);
            assert!((c / count - 0.5).abs() < 1e-5 && (s / count - 0.75_f32.sqrt()).abs() < 1e-5);
            // Longer than the longest bond.
            assert_eq!(bonds(1.0), [0.0; 3]);
        }
    }
}
