//! The loops over bonds with AVX2 and with AVX-512.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_GT_OQ, _CMP_LT_OQ, _bzhi_u32, _mm_loadl_epi64, _mm256_add_ps,
    _mm256_and_ps, _mm256_andnot_si256, _mm256_blendv_ps, _mm256_castsi256_ps, _mm256_cmp_ps,
    _mm256_cvtepu8_epi32, _mm256_div_ps, _mm256_maskload_ps, _mm256_movemask_ps, _mm256_mul_ps,
    _mm256_or_ps, _mm256_permutevar8x32_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    _mm256_sub_ps, _mm512_add_ps, _mm512_loadu_ps, _mm512_mask_cmp_ps_mask, _mm512_mask_loadu_ps,
    _mm512_maskz_compress_ps, _mm512_maskz_div_ps, _mm512_maskz_loadu_ps, _mm512_mul_ps,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

use bytemuck::cast;

use super::{BondSums, DiscWindows, LANES, WAITING};
use crate::simd::vectors::avx2::first_lanes;

/// Lanes of a narrow register.
const NARROW: usize = 8;

/// For each set of lanes, their numbers, the lowest first.
static LANES_OF: [[u8; NARROW]; 256] = {
    let mut lanes = [[0; NARROW]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < NARROW {
            if set >> lane & 1 == 1 {
                lanes[set][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    lanes
};

#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn add(
    to: &mut BondSums,
    [x, y, radius]: [&[f32]; 3],
    discs: &[DiscWindows],
    longest: f32,
) {
    let end = x.len().min(y.len()).min(radius.len());
    let longest = _mm256_set1_ps(longest);
    let mut len = to.len;
    for disc in discs {
        let (all, own) = (disc.count(end), disc.lens[0] as usize);
        let [slot, along, below] =
            [disc.slot, disc.firsts[0], disc.firsts[1]].map(|slot| slot as usize);
        let (x1, y1, radius1) =
            (_mm256_set1_ps(x[slot]), _mm256_set1_ps(y[slot]), _mm256_set1_ps(radius[slot]));
        let mut first = 0;
        loop {
            // The second window follows the first.
            let mask = first_lanes(all - first);
            let masks = first_lanes(own.saturating_sub(first));
            let masks = [masks, _mm256_andnot_si256(masks, mask)];
            let firsts = [along + first, below.wrapping_add(first).wrapping_sub(own)];
            // SAFETY: the lanes of the masks are in the columns, and no others are read.
            let (xs, ys, radii) = unsafe {
                (load(x, firsts, masks), load(y, firsts, masks), load(radius, firsts, masks))
            };
            let (dx, dy) = (_mm256_sub_ps(xs, x1), _mm256_sub_ps(ys, y1));
            let reach = _mm256_mul_ps(_mm256_add_ps(radii, radius1), longest);
            let square = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let near = _mm256_cmp_ps::<_CMP_LT_OQ>(square, _mm256_mul_ps(reach, reach));
            let apart = _mm256_cmp_ps::<_CMP_GT_OQ>(square, _mm256_setzero_ps());
            let bound = _mm256_and_ps(_mm256_and_ps(near, apart), _mm256_castsi256_ps(mask));
            let bound = _mm256_movemask_ps(bound) as usize;
            // SAFETY: eight numbers are read. The lanes are stored where there is room for
            // LANES, since fewer than WAITING wait.
            unsafe {
                let lanes = _mm_loadl_epi64(LANES_OF[bound].as_ptr().cast());
                let lanes = _mm256_cvtepu8_epi32(lanes);
                debug_assert!(len < WAITING);
                let [to_x, to_y] = &mut to.waiting;
                let dx = _mm256_permutevar8x32_ps(dx, lanes);
                _mm256_storeu_ps(to_x.as_mut_ptr().add(len), dx);
                let dy = _mm256_permutevar8x32_ps(dy, lanes);
                _mm256_storeu_ps(to_y.as_mut_ptr().add(len), dy);
            }
            len += bound.count_ones() as usize;
            if len >= WAITING {
                to.len = len;
                add_waiting(to, LANES);
                len = to.len;
            }
            first += NARROW;
            if first >= all {
                break;
            }
        }
    }
    to.len = len;
}

/// The lanes of two masks, from two places.
///
/// # Safety
/// The lanes of the masks have to lie in the column.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(column: &[f32], firsts: [usize; 2], masks: [__m256i; 2]) -> __m256 {
    let at = |first: usize| column.as_ptr().wrapping_add(first);
    // SAFETY: the caller's.
    let (one, other) = unsafe {
        (_mm256_maskload_ps(at(firsts[0]), masks[0]), _mm256_maskload_ps(at(firsts[1]), masks[1]))
    };
    _mm256_or_ps(one, other)
}

/// Adds up what waits, as far as there are `least` bonds for a block of [`LANES`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add_waiting(to: &mut BondSums, least: usize) {
    let one = _mm256_set1_ps(1.0);
    let [mut cosines, mut sines]: [[__m256; 2]; 2] = cast(to.sums);
    let mut first = 0;
    while first + least <= to.len {
        for (half, (c, s)) in cosines.iter_mut().zip(&mut sines).enumerate() {
            let mask = first_lanes((to.len - first).saturating_sub(half * NARROW));
            let at = first + half * NARROW;
            // SAFETY: the lanes of the mask wait, and no others are read.
            let (dx, dy) = unsafe {
                (
                    _mm256_maskload_ps(to.waiting[0].as_ptr().add(at), mask),
                    _mm256_maskload_ps(to.waiting[1].as_ptr().add(at), mask),
                )
            };
            let mask = _mm256_castsi256_ps(mask);
            let (xx, yy) = (_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let square = _mm256_blendv_ps(one, _mm256_add_ps(xx, yy), mask);
            let scale = _mm256_div_ps(one, square);
            let product = _mm256_mul_ps(dx, dy);
            let c2 = _mm256_mul_ps(_mm256_sub_ps(xx, yy), scale);
            let s2 = _mm256_mul_ps(_mm256_add_ps(product, product), scale);
            let product = _mm256_mul_ps(c2, s2);
            let c4 = _mm256_sub_ps(_mm256_mul_ps(c2, c2), _mm256_mul_ps(s2, s2));
            let s4 = _mm256_add_ps(product, product);
            let c6 = _mm256_sub_ps(_mm256_mul_ps(c4, c2), _mm256_mul_ps(s4, s2));
            let s6 = _mm256_add_ps(_mm256_mul_ps(c4, s2), _mm256_mul_ps(s4, c2));
            *c = _mm256_add_ps(*c, c6);
            *s = _mm256_add_ps(*s, s6);
        }
        first += LANES;
    }
    to.sums = cast([cosines, sines]);
    to.move_up(first.min(to.len));
}

/// Adds bonds as [`add`] does, with 16 candidates at once.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt,avx512f,avx512dq,avx512vl")]
pub(super) fn add_wide(
    to: &mut BondSums,
    [x, y, radius]: [&[f32]; 3],
    discs: &[DiscWindows],
    longest: f32,
) {
    let end = x.len().min(y.len()).min(radius.len());
    let (longest, zero) = (_mm512_set1_ps(longest), _mm512_setzero_ps());
    let mut len = to.len;
    for disc in discs {
        let (all, own) = (disc.count(end), disc.lens[0] as usize);
        let [slot, along, below] =
            [disc.slot, disc.firsts[0], disc.firsts[1]].map(|slot| slot as usize);
        let (x1, y1, radius1) =
            (_mm512_set1_ps(x[slot]), _mm512_set1_ps(y[slot]), _mm512_set1_ps(radius[slot]));
        let mut first = 0;
        loop {
            // The second window follows the first.
            let lanes = |count: usize| _bzhi_u32(0xffff, count.min(LANES) as u32) as u16;
            let mask = lanes(all - first);
            let masks = lanes(own.saturating_sub(first));
            let masks = [masks, mask & !masks];
            let firsts = [along + first, below.wrapping_add(first).wrapping_sub(own)];
            let at = |column: &[f32], k: usize| column.as_ptr().wrapping_add(firsts[k]);
            // SAFETY: the lanes of the masks are in the columns, and no others are read.
            let (xs, ys, radii) = unsafe {
                let xs = _mm512_maskz_loadu_ps(masks[0], at(x, 0));
                let ys = _mm512_maskz_loadu_ps(masks[0], at(y, 0));
                let radii = _mm512_maskz_loadu_ps(masks[0], at(radius, 0));
                (
                    _mm512_mask_loadu_ps(xs, masks[1], at(x, 1)),
                    _mm512_mask_loadu_ps(ys, masks[1], at(y, 1)),
                    _mm512_mask_loadu_ps(radii, masks[1], at(radius, 1)),
                )
            };
            let (dx, dy) = (_mm512_sub_ps(xs, x1), _mm512_sub_ps(ys, y1));
            let reach = _mm512_mul_ps(_mm512_add_ps(radii, radius1), longest);
            let square = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
            let reach = _mm512_mul_ps(reach, reach);
            let near = _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(mask, square, reach);
            let bound = _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(near, square, zero);
            // SAFETY: there is room for LANES, since fewer than WAITING wait.
            unsafe {
                debug_assert!(len < WAITING);
                let [to_x, to_y] = &mut to.waiting;
                let dx = _mm512_maskz_compress_ps(bound, dx);
                _mm512_storeu_ps(to_x.as_mut_ptr().add(len), dx);
                let dy = _mm512_maskz_compress_ps(bound, dy);
                _mm512_storeu_ps(to_y.as_mut_ptr().add(len), dy);
            }
            len += bound.count_ones() as usize;
            if len >= WAITING {
                to.len = len;
                add_waiting_wide(to, LANES);
                len = to.len;
            }
            first += LANES;
            if first >= all {
                break;
            }
        }
    }
    to.len = len;
}

/// Adds waiting bonds as [`add_waiting`] does, with 16 lanes in a register.
#[inline]
#[target_feature(enable = "avx2,bmi2,avx512f,avx512dq,avx512vl")]
pub(super) fn add_waiting_wide(to: &mut BondSums, least: usize) {
    let one = _mm512_set1_ps(1.0);
    // SAFETY: there is a number per lane.
    let [mut c, mut s] = unsafe { [0, 1].map(|k| _mm512_loadu_ps(to.sums[k].as_ptr())) };
    let mut first = 0;
    while first + least <= to.len {
        let mask = _bzhi_u32(0xffff, (to.len - first).min(LANES) as u32) as u16;
        // SAFETY: the lanes of the mask wait, and no others are read.
        let (dx, dy) = unsafe {
            (
                _mm512_maskz_loadu_ps(mask, to.waiting[0].as_ptr().add(first)),
                _mm512_maskz_loadu_ps(mask, to.waiting[1].as_ptr().add(first)),
            )
        };
        let (xx, yy) = (_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
        let scale = _mm512_maskz_div_ps(mask, one, _mm512_add_ps(xx, yy));
        let product = _mm512_mul_ps(dx, dy);
        let c2 = _mm512_mul_ps(_mm512_sub_ps(xx, yy), scale);
        let s2 = _mm512_mul_ps(_mm512_add_ps(product, product), scale);
        let product = _mm512_mul_ps(c2, s2);
        let c4 = _mm512_sub_ps(_mm512_mul_ps(c2, c2), _mm512_mul_ps(s2, s2));
        let s4 = _mm512_add_ps(product, product);
        let c6 = _mm512_sub_ps(_mm512_mul_ps(c4, c2), _mm512_mul_ps(s4, s2));
        let s6 = _mm512_add_ps(_mm512_mul_ps(c4, s2), _mm512_mul_ps(s4, c2));
        c = _mm512_add_ps(c, c6);
        s = _mm512_add_ps(s, s6);
        first += LANES;
    }
    // SAFETY: as above.
    unsafe {
        _mm512_storeu_ps(to.sums[0].as_mut_ptr(), c);
        _mm512_storeu_ps(to.sums[1].as_mut_ptr(), s);
    }
    to.move_up(first.min(to.len));
}
