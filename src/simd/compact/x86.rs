//! Sixteen numbers in one register of AVX-512, or in two of AVX2.

use std::{
    arch::x86_64::{
        __m256, __m512, _CMP_GT_OQ, _CMP_LT_OQ, _mm_loadl_epi64, _mm256_add_ps, _mm256_and_ps,
        _mm256_blendv_ps, _mm256_cmp_ps, _mm256_cvtepu8_epi32, _mm256_loadu_ps, _mm256_max_ps,
        _mm256_movemask_ps, _mm256_mul_ps, _mm256_permutevar8x32_ps, _mm256_set1_ps,
        _mm256_setzero_ps, _mm256_storeu_ps, _mm256_sub_ps, _mm512_add_ps, _mm512_cmp_ps_mask,
        _mm512_loadu_ps, _mm512_mask_add_ps, _mm512_mask_sub_ps, _mm512_maskz_compress_ps,
        _mm512_maskz_mov_ps, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_setzero_ps,
        _mm512_storeu_ps, _mm512_sub_ps,
    },
    ops::{Add, Mul, Sub},
};

use super::{Compact, CompactKernel, WIDTH, Wide};

/// Runs a kernel with AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn run_avx2<K: CompactKernel>(kernel: K) -> K::Output {
    kernel.run(Avx2Level(()))
}

/// Runs a kernel with AVX-512.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn run_avx512<K: CompactKernel>(kernel: K) -> K::Output {
    kernel.run(Avx512Level(()))
}

/// The numbers of AVX2. Only [`run_avx2`] makes a value, so its instructions may run.
#[derive(Clone, Copy)]
struct Avx2Level(());

/// The numbers of AVX-512. Only [`run_avx512`] makes a value, so its instructions may run.
#[derive(Clone, Copy)]
struct Avx512Level(());

#[derive(Clone, Copy)]
struct TwoHalves([__m256; 2]);

#[derive(Clone, Copy)]
struct Whole(__m512);

/// An operation of two registers. SAFETY of its uses: the values exist only where the instructions
/// may run.
macro_rules! operation {
    ($trait:ident, $method:ident, $half:ident, $whole:ident) => {
        impl $trait for TwoHalves {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ([a, b], [c, d]) = (self.0, other.0);
                // SAFETY: see the macro.
                Self(unsafe { [$half(a, c), $half(b, d)] })
            }
        }

        impl $trait for Whole {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the macro.
                Self(unsafe { $whole(self.0, other.0) })
            }
        }
    };
}

operation!(Add, add, _mm256_add_ps, _mm512_add_ps);
operation!(Sub, sub, _mm256_sub_ps, _mm512_sub_ps);
operation!(Mul, mul, _mm256_mul_ps, _mm512_mul_ps);

/// For each mask of eight lanes: the lanes whose bits are set, one byte each from the lowest on.
static PACKING: [u64; 256] = {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask] |= lane << (8 * count);
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// Lanes with all bits, then lanes without any.
static KEPT: [f32; 2 * WIDTH] = {
    let mut lanes = [0.0; 2 * WIDTH];
    let mut lane = 0;
    while lane < WIDTH {
        lanes[lane] = f32::from_bits(u32::MAX);
        lane += 1;
    }
    lanes
};

impl Wide for TwoHalves {
    #[inline(always)]
    fn nearest(self, period: Self, half: Self) -> Self {
        Self(std::array::from_fn(|at| {
            let (d, period, half) = (self.0[at], period.0[at], half.0[at]);
            // SAFETY: a value exists only where AVX2 may run.
            unsafe {
                let above = _mm256_cmp_ps::<_CMP_GT_OQ>(d, half);
                let d = _mm256_blendv_ps(d, _mm256_sub_ps(d, period), above);
                let least = _mm256_sub_ps(_mm256_setzero_ps(), half);
                let below = _mm256_cmp_ps::<_CMP_LT_OQ>(d, least);
                _mm256_blendv_ps(d, _mm256_add_ps(d, period), below)
            }
        }))
    }

    #[inline(always)]
    fn below(self, other: Self) -> u32 {
        let bits = |at: usize| {
            // SAFETY: a value exists only where AVX2 may run.
            unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0[at], other.0[at])) }
                .cast_unsigned()
        };
        bits(0) | bits(1) << 8
    }

    #[inline(always)]
    fn largest(self, other: Self, third: Self) -> Self {
        Self(std::array::from_fn(|at| {
            // SAFETY: a value exists only where AVX2 may run.
            unsafe { _mm256_max_ps(_mm256_max_ps(self.0[at], other.0[at]), third.0[at]) }
        }))
    }

    #[inline(always)]
    fn keep_first(self, count: usize) -> Self {
        // Sixteen times all bits, sixteen times none.
        let kept = &KEPT[WIDTH - count..][..WIDTH];
        let half = |at: usize| {
            let kept: &[f32; WIDTH / 2] = kept[at * WIDTH / 2..].first_chunk().expect("a half");
            // SAFETY: a value exists only where AVX2 may run, and eight numbers are read.
            unsafe { _mm256_and_ps(self.0[at], _mm256_loadu_ps(kept.as_ptr())) }
        };
        Self([half(0), half(1)])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        let ([low, high], to) = (self.0, to.as_mut_ptr());
        // SAFETY: a value exists only where AVX2 may run, and sixteen numbers are written.
        unsafe {
            _mm256_storeu_ps(to, low);
            _mm256_storeu_ps(to.add(WIDTH / 2), high);
        }
    }

    #[inline(always)]
    fn pack(self, mask: u32, to: &mut [f32; WIDTH]) {
        let packed = |at: usize, mask: u32| {
            let lanes = PACKING[(mask & 0xff) as usize];
            // SAFETY: a value exists only where AVX2 may run, and eight bytes are read.
            unsafe {
                let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((&raw const lanes).cast()));
                _mm256_permutevar8x32_ps(self.0[at], lanes)
            }
        };
        let [low, high] = [packed(0, mask), packed(1, mask >> 8)];
        let count = (mask & 0xff).count_ones() as usize;
        let to = to.as_mut_ptr();
        // SAFETY: eight numbers are written to each place, and `count` is at most eight. The
        // numbers of the second half replace the arbitrary ones of the first.
        unsafe {
            _mm256_storeu_ps(to, low);
            _mm256_storeu_ps(to.add(count), high);
        }
    }
}

impl Compact for Avx2Level {
    type Wide = TwoHalves;

    #[inline(always)]
    fn splat(self, number: f32) -> TwoHalves {
        // SAFETY: a value of `Avx2Level` exists only where AVX2 may run.
        TwoHalves([unsafe { _mm256_set1_ps(number) }; 2])
    }

    #[inline(always)]
    fn load(self, from: &[f32; WIDTH]) -> TwoHalves {
        let from = from.as_ptr();
        // SAFETY: as above, and sixteen numbers are read.
        TwoHalves(unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(WIDTH / 2))] })
    }
}

impl Wide for Whole {
    #[inline(always)]
    fn nearest(self, period: Self, half: Self) -> Self {
        // SAFETY: a value exists only where AVX-512 may run.
        unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, half.0);
            let d = _mm512_mask_sub_ps(self.0, above, self.0, period.0);
            let least = _mm512_sub_ps(_mm512_setzero_ps(), half.0);
            let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(d, least);
            Self(_mm512_mask_add_ps(d, below, d, period.0))
        }
    }

    #[inline(always)]
    fn below(self, other: Self) -> u32 {
        // SAFETY: a value exists only where AVX-512 may run.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) }.into()
    }

    #[inline(always)]
    fn largest(self, other: Self, third: Self) -> Self {
        // SAFETY: a value exists only where AVX-512 may run.
        Self(unsafe { _mm512_max_ps(_mm512_max_ps(self.0, other.0), third.0) })
    }

    #[inline(always)]
    fn keep_first(self, count: usize) -> Self {
        let mask = ((1_u32 << count) - 1) as u16;
        // SAFETY: a value exists only where AVX-512 may run.
        Self(unsafe { _mm512_maskz_mov_ps(mask, self.0) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        // SAFETY: a value exists only where AVX-512 may run, and sixteen numbers are written.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn pack(self, mask: u32, to: &mut [f32; WIDTH]) {
        // Through a register: to memory, the instruction is slow on some processors.
        // SAFETY: a value exists only where AVX-512 may run, and sixteen numbers are written.
        unsafe {
            let packed = _mm512_maskz_compress_ps(mask as u16, self.0);
            _mm512_storeu_ps(to.as_mut_ptr(), packed);
        }
    }
}

impl Compact for Avx512Level {
    type Wide = Whole;

    #[inline(always)]
    fn splat(self, number: f32) -> Whole {
        // SAFETY: a value of `Avx512Level` exists only where AVX-512 may run.
        Whole(unsafe { _mm512_set1_ps(number) })
    }

    #[inline(always)]
    fn load(self, from: &[f32; WIDTH]) -> Whole {
        // SAFETY: as above, and sixteen numbers are read.
        Whole(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }
}
