//! Eight numbers at once, for loops that the compiler does not vectorize well: it finds no use for
//! the bit mask of a comparison, and no transposition of bodies into columns.
//!
//! A [`LaneKernel`] is one loop over [`Vectors`], whose operations `plain` and `avx2` implement.
//! Both do the same IEEE operations in each lane, so all levels give the same bits.

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
pub(super) mod avx2;
mod plain;

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::SimdLevel;

/// Numbers in a vector.
pub(crate) const LANES: usize = 8;

/// Indices of bodies.
pub(crate) type Slots = [u32; LANES];

/// Numbers, one per lane. The operators work lane by lane, and none of them is fused.
pub(crate) trait Numbers:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    type Mask: LaneMask<Numbers = Self>;

    fn store(self, to: &mut [f32; LANES]);
    fn sqrt(self) -> Self;
    /// The smaller of both numbers; the other if one is not a number.
    fn min(self, other: Self) -> Self;
    /// The larger of both numbers; the other if one is not a number.
    fn max(self, other: Self) -> Self;
    /// Whether each number is larger than the other; false if one is not a number.
    fn above(self, other: Self) -> Self::Mask;
    /// Whether each number differs from the other; true if one is not a number.
    fn differs(self, other: Self) -> Self::Mask;
}

/// A truth value per lane.
pub(crate) trait LaneMask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    type Numbers;

    /// The first number where it is true, and the second elsewhere.
    fn select(self, yes: Self::Numbers, no: Self::Numbers) -> Self::Numbers;
    /// One bit per lane; the lowest is for lane 0.
    fn bits(self) -> u32;
}

/// The vectors of a level. A value exists only where their instructions may run.
pub(crate) trait Vectors: Copy {
    type Numbers: Numbers;

    /// The same number in all lanes.
    fn splat(self, number: f32) -> Self::Numbers;

    fn load(self, from: &[f32; LANES]) -> Self::Numbers;

    /// The first numbers, one per lane as far as there are any, and 0 in the other lanes.
    fn load_first(self, from: &[f32]) -> Self::Numbers;

    /// Whether each number is `value`.
    fn equal(self, numbers: &[u32; LANES], value: u32) -> MaskOf<Self>;

    /// The sums of all lanes: of halves, quarters and so forth.
    fn totals(self, sums: [Self::Numbers; 4]) -> [f32; 4];

    /// The numbers with these indices, or else the last but one. The last number only serves as
    /// room behind.
    ///
    /// # Panics
    /// If there are fewer than two numbers.
    fn look_up(self, numbers: &[u16], indices: &[u32; LANES]) -> [u32; LANES];

    /// The columns of two bodies per lane, and the number of each in `numbers`.
    ///
    /// # Panics
    /// If there is no such body, or not a number per body.
    fn read_bodies(
        self,
        bodies: &[[f32; 4]],
        numbers: &[f32],
        slots: [&Slots; 2],
    ) -> [([Self::Numbers; 4], Self::Numbers); 2];

    /// Replaces the first two columns of two bodies per lane. Of a body in two lanes, the lower
    /// lane counts.
    ///
    /// # Panics
    /// If there is no such body.
    fn update_bodies(
        self,
        bodies: &mut [[f32; 4]],
        slots: [&Slots; 2],
        update: impl FnOnce([[Self::Numbers; 4]; 2]) -> [[Self::Numbers; 2]; 2],
    );

    /// A number of each of two bodies per lane.
    ///
    /// # Panics
    /// If there is no such number.
    fn gather(self, numbers: &[f32], slots: [&Slots; 2]) -> [Self::Numbers; 2];

    /// Replaces a number of each of two bodies per lane. Of a body in two lanes, the lower lane
    /// counts.
    ///
    /// # Panics
    /// If there is no such number.
    fn scatter(self, numbers: &mut [f32], slots: [&Slots; 2], to: [Self::Numbers; 2]);
}

/// The truth values of some vectors.
pub(crate) type MaskOf<V> = <<V as Vectors>::Numbers as Numbers>::Mask;

/// A hot loop that uses [`Vectors`]; see [`Kernel`](super::Kernel).
pub(crate) trait LaneKernel {
    /// The result of the loop.
    type Output;
    /// The loop.
    fn run<V: Vectors>(self, vectors: V) -> Self::Output;
}

impl SimdLevel {
    /// Runs a kernel with the instructions of this level.
    #[inline]
    pub(crate) fn run_lanes<K: LaneKernel>(self, kernel: K) -> K::Output {
        by_level!(self, {
            // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its
            // features.
            Avx2 | Avx512 => unsafe { avx2::run(kernel) },
            _ => kernel.run(plain::Plain),
        })
    }
}

/// The sum of all lanes: of halves, quarters and so forth.
#[inline(always)]
pub(super) fn total(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d]: [f32; 4] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + 4]);
    (a + c) + (b + d)
}

/// Tests a disc against eight others, each x, y and radius; bit n is set if it overlaps the one in
/// lane n. It computes as [`discs_overlap`](crate::geometry::discs_overlap) does.
#[inline(always)]
pub(crate) fn overlap_bits<V: Vectors>(
    vectors: V,
    [xi, yi, ri]: [f32; 3],
    [x, y, radius]: [&[f32; LANES]; 3],
) -> u32 {
    let (dx, dy) = (vectors.load(x) - vectors.splat(xi), vectors.load(y) - vectors.splat(yi));
    let reach = vectors.splat(ri) + vectors.load(radius);
    (reach * reach).above(dx * dx + dy * dy).bits()
}
