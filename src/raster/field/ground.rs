//! The ground of a row of the frame, interpolated between the colors at the computed tones.
//!
//! ```text
//!  two rows of tones   ·               ·               ·      one of every eight pixels
//!                      ·               ·               ·
//!  a row of the frame  00112233001122330011223300112233       a quarter of each tone: two pixels
//! ```
//!
//! Between the middles of two tones there are four steps. Each combines numbers as three quarters
//! of one and a quarter of another. This takes two means of bytes, for which processors have an
//! instruction.

use crate::{raster::blend::Pixel, simd::Kernel};

/// Pixels per side of a refined tone, which agents read.
pub(super) const SIDE: u32 = 4;

/// Tones beyond the frame on every side, between which the ground is interpolated.
pub(super) const MARGIN: u32 = 1;

/// Pixels per side of a computed tone.
pub(super) const PIXELS: u32 = 2 * SIDE;

/// Pixels of a row that are drawn at once. The first quarters are then in the cache before they are
/// loaded: a load that combines parts of recent stores would wait for them.
pub(crate) const CHUNK: usize = 4_096;

/// Tones of a chunk.
const TONES: usize = CHUNK / PIXELS as usize;

/// Tones on both sides of a chunk.
const BESIDE: usize = 2 * MARGIN as usize;

const _: () = assert!(PIXELS == 8 && MARGIN == 1);

/// Draws the ground of a row of the frame.
#[derive(Debug)]
pub(crate) struct GroundRow<'a> {
    /// The two rows of computed tones around the nearer row of refined tones, and the two around
    /// the other one.
    rows: [[&'a [Pixel]; 2]; 2],
}

impl<'a> GroundRow<'a> {
    /// Row `y` of the frame, between rows of `columns` tones.
    pub(super) fn new(tones: &'a [Pixel], columns: usize, y: usize) -> Self {
        let (side, half) = (SIDE as usize, SIDE as usize / 2);
        let near = y / side + MARGIN as usize;
        let other = if y % side < half { near - 1 } else { near + 1 };
        let rows = [near, other].map(between);
        Self { rows: rows.map(|rows| rows.map(|row| &tones[row * columns..][..columns])) }
    }

    /// The pixels of the row from column `from` on, which is a multiple of [`CHUNK`]; at most
    /// [`CHUNK`] pixels. `spare` has any value.
    pub(crate) fn pixels<'b>(
        &self,
        from: usize,
        pixels: &'b mut [Pixel],
        spare: &'b mut Spare,
    ) -> impl Kernel<Output = ()> + use<'a, 'b> {
        let first = from / PIXELS as usize;
        IntoPixels { rows: self.rows.map(|rows| rows.map(|row| &row[first..])), pixels, spare }
    }
}

/// Memory for the tones of a row, and for their quarters.
#[derive(Debug)]
pub(crate) struct Spare {
    tones: [Pixel; TONES + BESIDE],
    quarters: [[Pixel; TONES]; 4],
}

impl Spare {
    /// Memory of any value.
    pub(crate) const fn new() -> Self {
        Self { tones: [[0; 4]; TONES + BESIDE], quarters: [[[0; 4]; TONES]; 4] }
    }
}

struct IntoPixels<'a, 'b> {
    rows: [[&'a [Pixel]; 2]; 2],
    pixels: &'b mut [Pixel],
    spare: &'b mut Spare,
}

impl Kernel for IntoPixels<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows, pixels, spare: Spare { tones, quarters } } = self;
        let count = pixels.len().div_ceil(PIXELS as usize);
        let bytes = 4 * (count + BESIDE);
        let [[a, b], [c, d]] = rows.map(|rows| rows.map(|row| &row.as_flattened()[..bytes]));
        let row = &mut tones.as_flattened_mut()[..bytes];
        for k in 0..bytes {
            row[k] = three_quarters(three_quarters(a[k], b[k]), three_quarters(c[k], d[k]));
        }
        let bytes = 4 * count;
        let [before, own, behind] = [0, 4, 8].map(|at| &row[at..][..bytes]);
        let [first, second, third, last] =
            quarters.each_mut().map(|quarter| &mut quarter.as_flattened_mut()[..bytes]);
        for k in 0..bytes {
            let [one, left] =
                [three_quarters(before[k], own[k]), three_quarters(own[k], before[k])];
            let [right, other] =
                [three_quarters(own[k], behind[k]), three_quarters(behind[k], own[k])];
            first[k] = three_quarters(left, one);
            second[k] = three_quarters(left, right);
            third[k] = three_quarters(right, left);
            last[k] = three_quarters(right, other);
        }
        let [first, second, third, last] = quarters;
        let (pixels, rest) = pixels.as_chunks_mut::<{ PIXELS as usize }>();
        let whole = pixels.len();
        let left = first.iter().zip(&*second);
        let quarters = left.zip(third.iter().zip(&*last));
        for (pixels, ((&a, &b), (&c, &d))) in pixels.iter_mut().zip(quarters) {
            *pixels = [a, a, b, b, c, c, d, d];
        }
        if whole < count {
            let [a, b, c, d] = [first, second, third, last].map(|quarter| quarter[whole]);
            rest.copy_from_slice(&[a, a, b, b, c, c, d, d][..rest.len()]);
        }
    }
}

/// The two rows of computed tones around a row of refined tones, the nearer one first.
#[inline(always)]
pub(super) fn between(row: usize) -> [usize; 2] {
    let near = row.div_ceil(2);
    [near, if row.is_multiple_of(2) { near + 1 } else { near - 1 }]
}

/// Three quarters of one number and a quarter of another.
#[inline(always)]
pub(super) fn three_quarters(one: u8, other: u8) -> u8 {
    mean(one, mean(one, other))
}

#[inline(always)]
fn mean(one: u8, other: u8) -> u8 {
    ((u16::from(one) + u16::from(other) + 1) >> 1) as u8
}
