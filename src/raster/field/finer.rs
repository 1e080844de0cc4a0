//! Refinement: doubles the number of tones along either axis by means of the computed tones.
//!
//! ```text
//!  computed     A       B       C      one of every eight pixels
//!  between    · ·     · ·     · ·      three quarters of the nearest, and a quarter of the next
//! ```
//!
//! Means of bytes take a tenth of the time of computing a tone, and smoothed sums are nearly linear
//! over a few pixels. The steps of a vector are bytes, too, one along x and one along y. The color
//! table has every fourth of these steps along each axis.

use crate::{
    parallel,
    raster::{
        color_table::{SCALAR_TONES, TONES_PER_AXIS},
        field::ground::{between, three_quarters},
        style::ColorBy,
    },
    simd::{Kernel, SimdLevel},
};

/// Pairs of tones that are computed at once.
const CHUNK: usize = 512;

/// A computed tone: a scalar and 0, or the steps of a vector.
pub(super) type Steps = [u8; 2];

/// The number of tones to compute along an axis for `count` refined ones.
pub(super) fn coarse(count: usize) -> usize {
    count / 2 + 2
}

/// The index of a vector in the table.
#[inline(always)]
pub(super) fn vector([x, y]: Steps) -> u16 {
    const PER_STEP: usize = SCALAR_TONES / TONES_PER_AXIS;
    let [x, y] = [x, y].map(|step| u16::from(step) / PER_STEP as u16);
    y * TONES_PER_AXIS as u16 + x
}

/// The index of a scalar in the table.
#[inline(always)]
pub(super) fn scalar([x, _]: Steps) -> u16 {
    u16::from(x)
}

/// Computes the refined tones, in rows of `columns`.
pub(super) fn refine(
    steps: &[Steps],
    tones: &mut [u16],
    columns: usize,
    color_by: ColorBy,
    simd: SimdLevel,
) {
    let across = coarse(columns);
    let work = |first: usize, tones: &mut [u16]| {
        let steps = between(first / columns).map(|row| &steps[row * across..][..across]);
        simd.run(TonesBetween { steps, tones, is_vector: color_by.is_vector() });
    };
    parallel::pieces(tones, columns, &work, &|(), ()| ());
}

/// Computes a row of tones between two rows.
struct TonesBetween<'a> {
    steps: [&'a [Steps]; 2],
    tones: &'a mut [u16],
    is_vector: bool,
}

impl Kernel for TonesBetween<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { steps, tones, is_vector } = self;
        let (mut left, mut right) = ([[0; 2]; CHUNK], [[0; 2]; CHUNK]);
        for (index, tones) in tones.chunks_mut(2 * CHUNK).enumerate() {
            let pairs = tones.len().div_ceil(2);
            let bytes = 2 * pairs;
            let [near, other] = steps.map(|row| row[index * CHUNK..][..=pairs].as_flattened());
            let [before, behind] = [0, 2].map(|at| [near, other].map(|row| &row[at..][..bytes]));
            let [lefts, rights] =
                [&mut left, &mut right].map(|half| half[..pairs].as_flattened_mut());
            for k in 0..bytes {
                let before = three_quarters(before[0][k], before[1][k]);
                let behind = three_quarters(behind[0][k], behind[1][k]);
                lefts[k] = three_quarters(before, behind);
                rights[k] = three_quarters(behind, before);
            }
            if is_vector {
                interleave(tones, &left, &right, vector);
            } else {
                interleave(tones, &left, &right, scalar);
            }
        }
    }
}

/// Writes the left and the right tones of pairs alternately.
#[inline(always)]
fn interleave(tones: &mut [u16], left: &[Steps], right: &[Steps], tone: impl Fn(Steps) -> u16) {
    let (pairs, rest) = tones.as_chunks_mut::<2>();
    let whole = pairs.len();
    for (pair, (&left, &right)) in pairs.iter_mut().zip(left.iter().zip(right)) {
        *pair = [tone(left), tone(right)];
    }
    if let [last] = rest {
        *last = tone(left[whole]);
    }
}
