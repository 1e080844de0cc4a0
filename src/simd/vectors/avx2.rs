//! Vectors of 256 bits. Sixteen lanes of AVX-512 would need gathers for bodies, which cost more
//! than they save.

use std::{
    arch::x86_64::{
        __m256, __m256i, _CMP_GT_OQ, _CMP_NEQ_UQ, _mm_add_ps, _mm_loadu_ps, _mm_movehl_ps,
        _mm_movelh_ps, _mm_storeu_ps, _mm_unpackhi_ps, _mm_unpacklo_ps, _mm256_add_ps,
        _mm256_and_ps, _mm256_and_si256, _mm256_blendv_ps, _mm256_castps128_ps256,
        _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpeq_epi32,
        _mm256_cmpgt_epi32, _mm256_div_ps, _mm256_extractf128_ps, _mm256_i32gather_epi32,
        _mm256_i32gather_ps, _mm256_insertf128_ps, _mm256_loadu_ps, _mm256_loadu_si256,
        _mm256_maskload_ps, _mm256_max_epu32, _mm256_max_ps, _mm256_min_epu32, _mm256_min_ps,
        _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_set1_epi32,
        _mm256_set1_ps, _mm256_setr_epi32, _mm256_shuffle_ps, _mm256_sqrt_ps, _mm256_storeu_ps,
        _mm256_sub_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm256_xor_ps,
    },
    ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub},
};

use bytemuck::cast;

use super::{LANES, LaneKernel, LaneMask, Numbers, Slots, Vectors};

/// Runs a kernel with AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn run<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Proves that AVX2 is there, as do the other types.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

#[derive(Clone, Copy)]
pub(super) struct Avx2Numbers(__m256);

/// All bits of a lane where it is true.
#[derive(Clone, Copy)]
pub(super) struct Avx2Mask(__m256);

macro_rules! operator {
    ($of:ident, $trait:ident, $method:ident, $operation:ident) => {
        impl $trait for $of {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the value proves AVX2.
                Self(unsafe { $operation(self.0, other.0) })
            }
        }
    };
}

operator!(Avx2Numbers, Add, add, _mm256_add_ps);
operator!(Avx2Numbers, Sub, sub, _mm256_sub_ps);
operator!(Avx2Numbers, Mul, mul, _mm256_mul_ps);
operator!(Avx2Numbers, Div, div, _mm256_div_ps);
operator!(Avx2Mask, BitAnd, bitand, _mm256_and_ps);
operator!(Avx2Mask, BitOr, bitor, _mm256_or_ps);

impl Not for Avx2Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: the value proves AVX2.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) })
    }
}

impl Numbers for Avx2Numbers {
    type Mask = Avx2Mask;

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        // SAFETY: the value proves AVX2, and there is room for eight numbers.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the value proves AVX2.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the value proves AVX2.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the value proves AVX2.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn above(self, other: Self) -> Avx2Mask {
        // SAFETY: the value proves AVX2.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn differs(self, other: Self) -> Avx2Mask {
        // SAFETY: the value proves AVX2.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0, other.0) })
    }
}

impl LaneMask for Avx2Mask {
    type Numbers = Avx2Numbers;

    #[inline(always)]
    fn select(self, yes: Avx2Numbers, no: Avx2Numbers) -> Avx2Numbers {
        // SAFETY: the value proves AVX2.
        Avx2Numbers(unsafe { _mm256_blendv_ps(no.0, yes.0, self.0) })
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: the value proves AVX2.
        unsafe { _mm256_movemask_ps(self.0) }.cast_unsigned()
    }
}

impl Vectors for Avx2 {
    type Numbers = Avx2Numbers;

    #[inline(always)]
    fn splat(self, number: f32) -> Avx2Numbers {
        // SAFETY: the value proves AVX2.
        Avx2Numbers(unsafe { _mm256_set1_ps(number) })
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Avx2Numbers {
        // SAFETY: the value proves AVX2, and there are eight numbers.
        Avx2Numbers(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn load_first(self, from: &[f32]) -> Avx2Numbers {
        // SAFETY: the value proves AVX2, and only lanes in the slice are read.
        Avx2Numbers(unsafe { _mm256_maskload_ps(from.as_ptr(), first_lanes(from.len())) })
    }

    #[inline(always)]
    fn equal(self, numbers: &[u32; LANES], value: u32) -> Avx2Mask {
        // SAFETY: the value proves AVX2, and there are eight numbers.
        Avx2Mask(unsafe {
            let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
            let value = _mm256_set1_epi32(value.cast_signed());
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(numbers, value))
        })
    }

    #[inline(always)]
    fn totals(self, sums: [Avx2Numbers; 4]) -> [f32; 4] {
        // SAFETY: the value proves AVX2.
        unsafe { totals(sums) }
    }

    #[inline(always)]
    fn look_up(self, numbers: &[u16], indices: &[u32; LANES]) -> [u32; LANES] {
        // Gathers take signed indices.
        let last = numbers.len().checked_sub(2).expect("two numbers").min(i32::MAX as usize) as u32;
        // SAFETY: the value proves AVX2. Each lane reads a number and the next, of which there is
        // one.
        unsafe {
            let last = _mm256_set1_epi32(last.cast_signed());
            let indices = _mm256_min_epu32(cast(*indices), last);
            let pairs = _mm256_i32gather_epi32::<2>(numbers.as_ptr().cast(), indices);
            cast(_mm256_and_si256(pairs, _mm256_set1_epi32(0xffff)))
        }
    }

    #[inline(always)]
    fn read_bodies(
        self,
        bodies: &[[f32; 4]],
        numbers: &[f32],
        slots: [&Slots; 2],
    ) -> [([Avx2Numbers; 4], Avx2Numbers); 2] {
        assert_eq!(bodies.len(), numbers.len(), "a number per body");
        // SAFETY: the value proves AVX2. All slots are checked, and there is a number per body.
        unsafe {
            let [i, j] = checked(slots, bodies.len());
            let gather = |slots| Avx2Numbers(_mm256_i32gather_ps::<4>(numbers.as_ptr(), slots));
            let columns = |slots| columns(rows(bodies.as_ptr(), slots)).map(Avx2Numbers);
            [(columns(slots[0]), gather(i)), (columns(slots[1]), gather(j))]
        }
    }

    #[inline(always)]
    fn update_bodies(
        self,
        bodies: &mut [[f32; 4]],
        slots: [&Slots; 2],
        update: impl FnOnce([[Avx2Numbers; 4]; 2]) -> [[Avx2Numbers; 2]; 2],
    ) {
        // SAFETY: the value proves AVX2, and all slots are checked.
        unsafe {
            checked(slots, bodies.len());
            let bodies = bodies.as_mut_ptr();
            let (a, b) = (rows(bodies, slots[0]), rows(bodies, slots[1]));
            let [va, vb] = update([columns(a).map(Avx2Numbers), columns(b).map(Avx2Numbers)]);
            store(bodies, slots[0], a, va);
            store(bodies, slots[1], b, vb);
        }
    }

    #[inline(always)]
    fn gather(self, numbers: &[f32], slots: [&Slots; 2]) -> [Avx2Numbers; 2] {
        // SAFETY: the value proves AVX2, and all slots are checked.
        unsafe {
            checked(slots, numbers.len())
                .map(|slots| Avx2Numbers(_mm256_i32gather_ps::<4>(numbers.as_ptr(), slots)))
        }
    }

    #[inline(always)]
    fn scatter(self, numbers: &mut [f32], slots: [&Slots; 2], to: [Avx2Numbers; 2]) {
        // SAFETY: the value proves AVX2, and all slots are checked.
        unsafe {
            checked(slots, numbers.len());
            for (slots, to) in slots.into_iter().zip(to) {
                let to: [f32; LANES] = cast(to.0);
                for lane in (0..LANES).rev() {
                    *numbers.get_unchecked_mut(slot(slots, lane)) = to[lane];
                }
            }
        }
    }
}

/// All bits of the first `count` lanes.
#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::simd) fn first_lanes(count: usize) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_cmpgt_epi32(_mm256_set1_epi32((count.min(LANES) as u32).cast_signed()), lanes)
}

/// The sums of all lanes, as [`total`](super::total) adds them.
#[target_feature(enable = "avx2")]
#[inline]
fn totals(sums: [Avx2Numbers; 4]) -> [f32; 4] {
    let [a, b, c, d] = sums.map(|Avx2Numbers(sum)| {
        _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum))
    });
    let ab = _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
    let cd = _mm_add_ps(_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
    cast(_mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab)))
}

/// Checks that all slots are below a length, and returns them.
#[target_feature(enable = "avx2")]
#[inline]
fn checked(slots: [&Slots; 2], len: usize) -> [__m256i; 2] {
    // SAFETY: eight numbers.
    let [i, j] = slots.map(|slots| unsafe { _mm256_loadu_si256(slots.as_ptr().cast()) });
    let most = _mm256_max_epu32(i, j);
    let len = _mm256_set1_epi32((len.min(u32::MAX as usize) as u32).cast_signed());
    let outside = _mm256_cmpeq_epi32(_mm256_max_epu32(most, len), most);
    assert!(_mm256_movemask_epi8(outside) == 0, "a block contains a body that is not there");
    [i, j]
}

/// The slot of a lane, read from memory. An ordinary read becomes an extraction from the vector that
/// [`checked`] has loaded, which occupies the unit that transposes bodies.
#[inline(always)]
fn slot(slots: &Slots, lane: usize) -> usize {
    // SAFETY: a reference is valid.
    unsafe { std::ptr::read_volatile(&raw const slots[lane]) as usize }
}

/// The bodies of the lanes, two in each register: lanes 0 and 4, 1 and 5, …
///
/// # Safety
/// There is a body at every slot.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn rows(bodies: *const [f32; 4], slots: &Slots) -> [__m256; 4] {
    // SAFETY: the caller's.
    let row = |lane| unsafe { _mm_loadu_ps(bodies.add(slot(slots, lane)).cast()) };
    let two =
        |lane: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(row(lane)), row(lane + 4));
    [two(0), two(1), two(2), two(3)]
}

/// The columns of all lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn columns(rows: [__m256; 4]) -> [__m256; 4] {
    let [v01, v23] = [_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpacklo_ps(rows[2], rows[3])];
    let [d01, d23] = [_mm256_unpackhi_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[2], rows[3])];
    [
        _mm256_shuffle_ps::<0x44>(v01, v23),
        _mm256_shuffle_ps::<0xee>(v01, v23),
        _mm256_shuffle_ps::<0x44>(d01, d23),
        _mm256_shuffle_ps::<0xee>(d01, d23),
    ]
}

/// Stores bodies with new first columns, the first lane last.
///
/// # Safety
/// There is a body at every slot.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store(
    bodies: *mut [f32; 4],
    slots: &Slots,
    rows: [__m256; 4],
    [vx, vy]: [Avx2Numbers; 2],
) {
    let (v01, v23) = (_mm256_unpacklo_ps(vx.0, vy.0), _mm256_unpackhi_ps(vx.0, vy.0));
    let rows = [
        _mm256_shuffle_ps::<0xe4>(v01, rows[0]),
        _mm256_shuffle_ps::<0xee>(v01, rows[1]),
        _mm256_shuffle_ps::<0xe4>(v23, rows[2]),
        _mm256_shuffle_ps::<0xee>(v23, rows[3]),
    ];
    for lane in (0..4).rev() {
        // SAFETY: the caller's; a body is four numbers.
        unsafe {
            let to = bodies.add(slot(slots, lane + 4)).cast();
            _mm_storeu_ps(to, _mm256_extractf128_ps::<1>(rows[lane]));
        }
    }
    for lane in (0..4).rev() {
        // SAFETY: as above.
        unsafe {
            let to = bodies.add(slot(slots, lane)).cast();
            _mm_storeu_ps(to, _mm256_castps256_ps128(rows[lane]));
        }
    }
}
