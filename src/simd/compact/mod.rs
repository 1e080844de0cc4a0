//! Sixteen numbers at once, and those of them that pass a test, packed: for loops that collect what
//! lies within a range. The compiler does not find the instructions for it.
//!
//! ```text
//! numbers   [ 0.3 | 7.1 | 0.4 | 9.0 | 0.1 | …      mask   1 0 1 0 1 …
//! packed    [ 0.3 | 0.4 | 0.1 | ~ | …              in their order; what is behind them is arbitrary
//! ```
//!
//! A [`CompactKernel`] is one loop over [`Compact`], whose operations `plain` and `x86` implement.
//! All of them do the same IEEE operations in each lane, so all levels give the same bits.

mod plain;
#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
mod x86;

use std::ops::{Add, Mul, Sub};

use super::SimdLevel;

/// Numbers that are handled at once.
pub(crate) const WIDTH: usize = 16;

/// Sixteen numbers. The operators work lane by lane, and none of them is fused.
pub(crate) trait Wide:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The displacement to the nearest copy along an axis of that period, as
    /// [`Space::minimum_image`](crate::geometry::Space::minimum_image) computes it.
    fn nearest(self, period: Self, half: Self) -> Self;

    /// One bit per lane, the lowest for lane 0: set if the number is below the other.
    fn below(self, other: Self) -> u32;

    /// The largest of three numbers, none of which is NaN.
    fn largest(self, other: Self, third: Self) -> Self;

    /// The first `count` numbers, at most sixteen, and 0 in the other lanes.
    fn keep_first(self, count: usize) -> Self;

    fn store(self, to: &mut [f32; WIDTH]);

    /// Writes the numbers whose bits are set one after the other, and arbitrary numbers behind
    /// them.
    fn pack(self, mask: u32, to: &mut [f32; WIDTH]);
}

/// The numbers of a level. A value exists only where their instructions may run.
pub(crate) trait Compact: Copy {
    type Wide: Wide;

    /// The same number in all lanes.
    fn splat(self, number: f32) -> Self::Wide;

    fn load(self, from: &[f32; WIDTH]) -> Self::Wide;
}

/// A hot loop that uses [`Compact`]; see [`Kernel`](super::Kernel).
pub(crate) trait CompactKernel {
    /// The result of the loop.
    type Output;
    /// The loop.
    fn run<C: Compact>(self, compact: C) -> Self::Output;
}

impl SimdLevel {
    /// Runs a kernel with the instructions of this level.
    #[inline]
    pub(crate) fn run_compact<K: CompactKernel>(self, kernel: K) -> K::Output {
        by_level!(self, {
            // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its
            // features.
            Avx2 => unsafe { x86::run_avx2(kernel) },
            // SAFETY: as above.
            Avx512 => unsafe { x86::run_avx512(kernel) },
            _ => kernel.run(plain::PlainLevel),
        })
    }
}

/// The sum of all lanes: of halves, quarters and so forth.
#[inline(always)]
pub(crate) fn total(lanes: &[f32; WIDTH]) -> f32 {
    let a: [f32; 8] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + 8]);
    let b: [f32; 4] = std::array::from_fn(|lane| a[lane] + a[lane + 4]);
    (b[0] + b[2]) + (b[1] + b[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Packed([f32; WIDTH], f32);

    impl CompactKernel for Packed {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<C: Compact>(self, compact: C) -> Vec<u32> {
            let (numbers, limit) = (compact.load(&self.0), compact.splat(self.1));
            let mask = numbers.below(limit);
            let (mut packed, mut near, mut first) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
            numbers.keep_first(mask.count_ones() as usize).store(&mut first);
            numbers.pack(mask, &mut packed);
            let mut most = [0.0; WIDTH];
            let half = compact.splat(12.0);
            // None of these is NaN.
            let [a, b] = [0, 5].map(|by| {
                compact.load(&std::array::from_fn(|k| (k as f32 * 7.0 + by as f32) % 25.0))
            });
            a.largest(b, half).store(&mut most);
            let moved = numbers * compact.splat(0.5) + limit - compact.splat(3.25);
            moved.nearest(compact.splat(8.0), compact.splat(4.0)).pack(0xffff, &mut near);
            let packed = packed[..mask.count_ones() as usize].iter();
            packed
                .chain(&near)
                .chain(&first)
                .chain(&most)
                .map(|number| number.to_bits())
                .chain([mask])
                .collect()
        }
    }

    #[test]
    fn all_levels_pack_the_same_numbers() {
        for round in 0..400_u32 {
            let mut numbers: [f32; WIDTH] =
                std::array::from_fn(|k| ((k as u32 * 7_919 + round * 104_729) % 97) as f32 / 4.0);
            numbers[round as usize % WIDTH] = f32::NAN;
            let limit = (round % 29) as f32;
            let expected: Vec<u32> = (numbers.iter())
                .filter(|&&number| number < limit)
                .map(|number| number.to_bits())
                .collect();
            let plain = SimdLevel::SCALAR.run_compact(Packed(numbers, limit));
            assert_eq!(plain[..expected.len()], expected);
            let first = &plain[expected.len() + WIDTH..][..WIDTH];
            let kept =
                |lane: usize| if lane < expected.len() { numbers[lane].to_bits() } else { 0 };
            assert!(first.iter().copied().eq((0..WIDTH).map(kept)), "{first:?}");
            let most = &plain[expected.len() + 2 * WIDTH..][..WIDTH];
            let largest = |k: usize| {
                [0.0, 5.0].map(|by| (k as f32 * 7.0 + by) % 25.0).into_iter().fold(12.0, f32::max)
            };
            assert!(most.iter().copied().eq((0..WIDTH).map(|k| largest(k).to_bits())), "{most:?}");
            for simd in SimdLevel::available() {
                let found = simd.run_compact(Packed(numbers, limit));
                assert_eq!(found, plain, "{}, round {round}", simd.name());
            }
        }
    }
}
