//! Eight discs at once, for loops that the compiler does not vectorize: it finds no use for the bit
//! mask of a comparison.

use super::SimdLevel;
use crate::geometry::discs_overlap;

/// Discs that are tested at once.
pub(crate) const LANES: usize = 8;

/// The operations on eight discs. A value exists only where their instructions may run.
pub(crate) trait OverlapLanes: Copy {
    /// Tests a disc against eight others, each x, y and radius; bit n is set if it overlaps the one
    /// in lane n.
    fn overlap_bits(self, disc: [f32; 3], others: [&[f32; LANES]; 3]) -> u32;
}

/// A hot loop that uses [`OverlapLanes`]; see [`Kernel`](super::Kernel).
pub(crate) trait LaneKernel {
    /// The loop.
    fn run(self, lanes: impl OverlapLanes);
}

impl SimdLevel {
    /// Runs a kernel with the instructions of this level.
    #[inline]
    pub(crate) fn run_lanes(self, kernel: impl LaneKernel) {
        by_level!(self, {
            // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its
            // features.
            Avx2 | Avx512 => unsafe { avx2(kernel) },
            _ => kernel.run(Plain),
        })
    }
}

/// The operations in plain Rust.
#[derive(Clone, Copy)]
struct Plain;

impl OverlapLanes for Plain {
    #[inline(always)]
    fn overlap_bits(self, disc: [f32; 3], [x, y, radius]: [&[f32; LANES]; 3]) -> u32 {
        (0..LANES).fold(0, |bits, lane| {
            bits | u32::from(discs_overlap(disc, [x[lane], y[lane], radius[lane]])) << lane
        })
    }
}

/// The operations in AVX2.
#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[derive(Clone, Copy)]
struct Avx2(());

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
impl OverlapLanes for Avx2 {
    #[inline(always)]
    fn overlap_bits(self, disc: [f32; 3], others: [&[f32; LANES]; 3]) -> u32 {
        // SAFETY: a value of this type is made only where the instructions may run.
        unsafe { avx2_overlap_bits(disc, others) }
    }
}

/// The operations of [`discs_overlap`], one by one.
#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[target_feature(enable = "avx2")]
#[inline]
fn avx2_overlap_bits([xi, yi, ri]: [f32; 3], others: [&[f32; LANES]; 3]) -> u32 {
    use std::arch::x86_64::{
        _CMP_LT_OQ, _mm256_add_ps, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_movemask_ps,
        _mm256_mul_ps, _mm256_set1_ps, _mm256_sub_ps,
    };
    // SAFETY: eight numbers each.
    let [x, y, radius] = others.map(|column| unsafe { _mm256_loadu_ps(column.as_ptr()) });
    let dx = _mm256_sub_ps(x, _mm256_set1_ps(xi));
    let dy = _mm256_sub_ps(y, _mm256_set1_ps(yi));
    let reach = _mm256_add_ps(_mm256_set1_ps(ri), radius);
    let square = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
    let overlaps = _mm256_cmp_ps::<_CMP_LT_OQ>(square, _mm256_mul_ps(reach, reach));
    _mm256_movemask_ps(overlaps).cast_unsigned()
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn avx2(kernel: impl LaneKernel) {
    kernel.run(Avx2(()));
}
