//! Comparisons of the 64 lanes of a batch, as bits.

use super::{
    SimdLevel,
    vectors::{LANES, LaneKernel, LaneMask, Numbers, Vectors},
};

/// One bit per lane, set if the lane differs from `value`.
#[inline(always)]
pub(crate) fn lanes_other_than(simd: SimdLevel, lanes: &[u32; 64], value: u32) -> u64 {
    simd.run_lanes(OtherThan { lanes, value })
}

struct OtherThan<'a> {
    lanes: &'a [u32; 64],
    value: u32,
}

impl LaneKernel for OtherThan<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> u64 {
        !bits(self.lanes, |lanes| vectors.equal(lanes, self.value).bits())
    }
}

/// One bit per lane, set if the lane is larger than `limit`; not if either is not a number.
#[inline(always)]
pub(crate) fn lanes_above(simd: SimdLevel, lanes: &[f32; 64], limit: f32) -> u64 {
    simd.run_lanes(Above { lanes, limit })
}

struct Above<'a> {
    lanes: &'a [f32; 64],
    limit: f32,
}

impl LaneKernel for Above<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> u64 {
        let limit = vectors.splat(self.limit);
        bits(self.lanes, |lanes| vectors.load(lanes).above(limit).bits())
    }
}

/// One bit per lane of the batch, from the bits of each block of lanes.
#[inline(always)]
fn bits<T>(lanes: &[T; 64], of_block: impl Fn(&[T; LANES]) -> u32) -> u64 {
    let mut bits = 0;
    for (block, lanes) in lanes.as_chunks::<LANES>().0.iter().enumerate() {
        bits |= u64::from(of_block(lanes)) << (block * LANES);
    }
    bits
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
