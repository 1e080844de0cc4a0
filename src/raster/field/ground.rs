//! The ground of a row of the frame, interpolated between that of the tones.
//!
//! ```text
//!  two rows of tones   ·       ·       ·     one of every four pixels
//!                      ·       ·       ·
//!  a row of the frame  LLRRLLRRLLRRLLRR      left and right half of each tone: pairs of pixels
//! ```
//!
//! A half is three quarters of its tone and a quarter of the next, from top to bottom and from left
//! to right. Means of bytes are what processors have an instruction for.

use crate::{raster::blend::Pixel, simd::Kernel};

/// Pixels per side of a tone.
pub(super) const SIDE: u32 = 4;

/// Tones beyond the frame on every side, between which the ground is interpolated.
pub(super) const MARGIN: u32 = 1;

/// Tones that are drawn at once. So many that the first halves are in the cache when the last are
/// stored: vectors that were stored a moment ago can only be loaded as they are.
const CHUNK: usize = 512;

/// Tones on both sides of a chunk.
const BESIDE: usize = 2 * MARGIN as usize;

const _: () = assert!(SIDE == 4 && MARGIN == 1);

/// Draws the ground of a row of the frame.
#[derive(Debug)]
pub(crate) struct GroundRow<'a> {
    /// The row of tones that it belongs to.
    near: &'a [Pixel],
    /// The one above or below that is nearer.
    other: &'a [Pixel],
}

impl<'a> GroundRow<'a> {
    /// A row of the frame between two rows of tones.
    pub(super) fn new(near: &'a [Pixel], other: &'a [Pixel]) -> Self {
        Self { near, other }
    }

    /// The same row as a kernel that draws into these pixels.
    pub(crate) fn into(self, row: &mut [Pixel]) -> impl Kernel<Output = ()> {
        IntoRow { ground: self, row }
    }
}

struct IntoRow<'a, 'b> {
    ground: GroundRow<'a>,
    row: &'b mut [Pixel],
}

impl Kernel for IntoRow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { ground: GroundRow { near, other }, row } = self;
        for (index, row) in row.chunks_mut(CHUNK * SIDE as usize).enumerate() {
            let first = index * CHUNK;
            let tones = (near.len() - first).min(CHUNK + BESIDE);
            let [near, other] = [near, other].map(|row| row[first..][..tones].as_flattened());
            // Each tone is blended three times, instead of stored and loaded with an offset.
            let bytes = 4 * (tones - BESIDE);
            let beside = [0, 4, 8].map(|at| [near, other].map(|row| &row[at..][..bytes]));
            let [mut left, mut right] = [[[0; 4]; CHUNK]; 2];
            let [lefts, rights] =
                [&mut left, &mut right].map(|half| &mut half.as_flattened_mut()[..bytes]);
            for k in 0..bytes {
                let [before, own, behind] =
                    beside.map(|[near, other]| three_quarters(near[k], other[k]));
                lefts[k] = three_quarters(own, before);
                rights[k] = three_quarters(own, behind);
            }
            let (pixels, rest) = row.as_chunks_mut::<{ SIDE as usize }>();
            for (pixels, (&left, &right)) in pixels.iter_mut().zip(left.iter().zip(&right)) {
                *pixels = [left, left, right, right];
            }
            let (left, right) = (left[pixels.len() % CHUNK], right[pixels.len() % CHUNK]);
            rest.copy_from_slice(&[left, left, right, right][..rest.len()]);
        }
    }
}

/// Three quarters of one number and a quarter of another.
#[inline(always)]
fn three_quarters(one: u8, other: u8) -> u8 {
    mean(one, mean(one, other))
}

#[inline(always)]
fn mean(one: u8, other: u8) -> u8 {
    ((u16::from(one) + u16::from(other) + 1) >> 1) as u8
}
