//! Analytic discs: discs of some pixels, with the exact coverage of every pixel, a block of columns
//! at a time.
//!
//! ```text
//!     ┌───┬───┬───┬───┐   The area of a disc left of a column border and above a row border takes
//!     │ ░ │ ▒ │ ▒ │ ░ │   an arc sine and a root for the column and the same for the row. Each
//!     ├───┼───┼───┼───┤   crossing takes a selection, a product and a sum. The coverage of a pixel
//!     │ ▒ │ █ │ █ │ ▒ │   is a sum and difference of the areas at its four corners.
//! ```
//!
//! A pixel takes no root and no division; each column and each row of a disc takes one of both.

use std::{
    f32::consts::{FRAC_PI_2, PI},
    ops::Range,
};

use super::disc::{PixelDisc, RowColors, Shading};
use crate::{
    raster::{
        band::{self, FrameBand},
        blend::{self, BLOCK, floor, signed},
    },
    simd::{self, Kernel},
};

/// Draws a disc into a band, clipped to it.
pub(super) fn draw(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    let columns = reached(disc.x, disc.radius);
    let rows = reached(disc.y, disc.radius);
    let beside = columns.end <= 0 || columns.start >= band.width;
    if beside || rows.end <= band.top || rows.start >= band.top + band.rows {
        return;
    }
    // The number of blocks has to hold all columns, and all row borders: one more than the rows.
    let simd = band.simd;
    match rows.len().max(columns.len()) {
        ..48 => simd.run(AnalyticDisc::<3> { band, disc, columns, rows }),
        _ => simd.run(AnalyticDisc::<5> { band, disc, columns, rows }),
    }
}

/// The pixels along an axis within `reach` of a coordinate, which may be far outside of every
/// frame.
#[inline(always)]
fn reached(at: f32, reach: f32) -> Range<i32> {
    floor(at - reach)..floor(at + reach).saturating_add(1)
}

/// Draws a disc of at most `BLOCKS` blocks of columns and `BLOCKS` blocks of rows.
struct AnalyticDisc<'a, 'b, const BLOCKS: usize> {
    band: &'a mut FrameBand<'b>,
    disc: &'a PixelDisc,
    columns: Range<i32>,
    rows: Range<i32>,
}

impl<const BLOCKS: usize> Kernel for AnalyticDisc<'_, '_, BLOCKS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc, columns, rows } = self;
        let simd = band.simd;
        let inside = rows.start.max(band.top)..rows.end.min(band.top + band.rows);
        // The pixels arrive while the borders are computed.
        let first = (inside.start - band.top) * band.width + columns.start;
        for row in 0..BLOCK / 2 {
            simd::prefetch_item(band.pixels, (first + signed(row) * band.width) as usize);
        }
        let shading = Shading::new(disc);
        let shaded = shading.shows();
        let across = Borders::<BLOCKS>::new(columns.start, columns.len(), disc.x, disc.radius);
        let down = Borders::<BLOCKS>::new(rows.start, rows.len() + 1, disc.y, disc.radius);
        let cuts: [RowCuts; BLOCKS] = std::array::from_fn(|block| {
            RowCuts::new(&down.at[block], &down.half[block], disc.radius)
        });
        let flat = [blend::lanes(disc.color); 2];
        let mut shades = [RowColors::flat(disc.color); BLOCKS];
        if shaded {
            for (block, shades) in shades[..rows.len().div_ceil(BLOCK)].iter_mut().enumerate() {
                *shades = shading.rows(rows.start + signed(block * BLOCK));
            }
        }
        for index in 0..columns.len().div_ceil(BLOCK) {
            let x = columns.start + signed(index * BLOCK);
            let block = BlockColumns::new(&across, index, x, disc);
            let met = rows_met(disc, x, &rows);
            let met = met.start.max(inside.start)..met.end.min(inside.end);
            if met.is_empty() {
                continue;
            }
            let first = (met.start - rows.start) as usize;
            let mut above = block.above(&cuts[first / BLOCK], first % BLOCK);
            for (y, row) in met.clone().zip(band.rows_from(met.start)) {
                let j = (y - rows.start) as usize;
                let below = block.above(&cuts[(j + 1) / BLOCK], (j + 1) % BLOCK);
                let mut weights = [0; BLOCK];
                for k in 0..BLOCK {
                    weights[k] = blend::weight(below[k] - above[k]);
                }
                above = below;
                if shaded {
                    let RowColors { body, rim } = &shades[j / BLOCK];
                    let colors = [rim[j % BLOCK], body[j % BLOCK]].map(blend::lanes);
                    let dy = y as f32 + 0.5 - disc.y;
                    let mut shares = [0; BLOCK];
                    for (share, square) in shares.iter_mut().zip(&block.square) {
                        *share = shading.body_share(square + dy * dy);
                    }
                    band::tint(simd, row, x, colors, Some(&shares), &weights);
                } else {
                    band::tint(simd, row, x, flat, None, &weights);
                }
            }
        }
    }
}

/// The rows in which a disc overlaps the block of columns that begins at pixel `x`.
#[inline(always)]
fn rows_met(disc: &PixelDisc, x: i32, rows: &Range<i32>) -> Range<i32> {
    let (left, right) = (x as f32 - disc.x, (x + signed(BLOCK)) as f32 - disc.x);
    let nearest = left.max(-right).max(0.0);
    // The rounding error is less than a pixel.
    let half = (disc.radius * disc.radius - nearest * nearest).max(0.0).sqrt() + 1.0;
    let Range { start, end } = reached(disc.y, half);
    let start = start.clamp(rows.start, rows.end - 1);
    start..end.clamp(start, rows.end)
}

/// Borders between columns, or between rows.
struct Borders<const BLOCKS: usize> {
    /// Coordinates, pixels from the center of the disc, clamped to the disc.
    at: [[f32; BLOCK]; BLOCKS],
    /// Area of the upper half of the disc to the left of each border.
    half: [[f32; BLOCK]; BLOCKS],
}

impl<const BLOCKS: usize> Borders<BLOCKS> {
    /// `count` borders, the first of which is at pixel `start`. The remaining ones lie at the end
    /// of the disc.
    #[inline(always)]
    fn new(start: i32, count: usize, center: f32, radius: f32) -> Self {
        let total = 0.5 * PI * radius * radius;
        let mut borders = Self { at: [[radius; BLOCK]; BLOCKS], half: [[total; BLOCK]; BLOCKS] };
        let per_radius = 1.0 / radius;
        for block in 0..count.div_ceil(BLOCK).min(BLOCKS) {
            let start = start + signed(block * BLOCK);
            for k in 0..BLOCK {
                let at = clamp((start + signed(k)) as f32 - center, [-radius, radius]);
                borders.at[block][k] = at;
                borders.half[block][k] = upper_half(at * per_radius) * radius * radius;
            }
        }
        borders
    }
}

/// The cuts of a disc at the borders of a block of rows.
struct RowCuts {
    /// Distance from the center of the disc.
    depth: [f32; BLOCK],
    /// The border cuts the disc between -cut and +cut.
    cut: [f32; BLOCK],
    /// Areas of the upper half to the left of -cut and of +cut.
    low_end: [f32; BLOCK],
    high_end: [f32; BLOCK],
    /// 0 above the center, 2 below it.
    halves: [f32; BLOCK],
    /// 1 above the center, -1 below it.
    sign: [f32; BLOCK],
}

impl RowCuts {
    /// The borders at the distances `at` below the center. `half` holds the areas to the left of
    /// column borders at the same distances to the right.
    #[inline(always)]
    fn new(at: &[f32; BLOCK], half: &[f32; BLOCK], radius: f32) -> Self {
        let none = [0.0; BLOCK];
        let total = 0.5 * PI * radius * radius;
        let mut cuts = Self {
            depth: none,
            cut: none,
            low_end: none,
            high_end: none,
            halves: none,
            sign: none,
        };
        for j in 0..BLOCK {
            let depth = at[j].abs();
            let cut = (radius * radius - depth * depth).max(0.0).sqrt();
            // The same triangle and the same arc, seen from the other side.
            let half = if at[j] < 0.0 { total - half[j] } else { half[j] };
            let end = 1.5 * total - half + cut * depth;
            cuts.depth[j] = depth;
            cuts.cut[j] = cut;
            cuts.low_end[j] = total - end;
            cuts.high_end[j] = end;
            cuts.halves[j] = if at[j] < 0.0 { 0.0 } else { 2.0 };
            cuts.sign[j] = if at[j] < 0.0 { 1.0 } else { -1.0 };
        }
        cuts
    }
}

/// A block of columns.
struct BlockColumns {
    left: [f32; BLOCK],
    right: [f32; BLOCK],
    left_half: [f32; BLOCK],
    right_half: [f32; BLOCK],
    /// Squared distances of their middles from the center of the disc.
    square: [f32; BLOCK],
}

impl BlockColumns {
    /// The columns of block `block`, which begins at pixel `x`.
    #[inline(always)]
    fn new<const BLOCKS: usize>(
        across: &Borders<BLOCKS>,
        block: usize,
        x: i32,
        disc: &PixelDisc,
    ) -> Self {
        let (left, left_half) = (across.at[block], across.half[block]);
        let (mut right, mut right_half) = (left, left_half);
        for k in 1..BLOCK {
            (right[k - 1], right_half[k - 1]) = (left[k], left_half[k]);
        }
        if let (Some(at), Some(half)) = (across.at.get(block + 1), across.half.get(block + 1)) {
            (right[BLOCK - 1], right_half[BLOCK - 1]) = (at[0], half[0]);
        }
        let square = std::array::from_fn(|k| {
            let dx = (x + signed(k)) as f32 + 0.5 - disc.x;
            dx * dx
        });
        Self { left, right, left_half, right_half, square }
    }

    /// The area of the disc in each column above the upper border of row `j` of a block.
    #[inline(always)]
    fn above(&self, rows: &RowCuts, j: usize) -> [f32; BLOCK] {
        let ends = [rows.low_end[j], rows.high_end[j]];
        let cuts = [-rows.cut[j], rows.cut[j]];
        let (depth, halves, sign) = (rows.depth[j], rows.halves[j], rows.sign[j]);
        let mut areas = [0.0; BLOCK];
        for (k, area) in areas.iter_mut().enumerate() {
            let half = self.right_half[k] - self.left_half[k];
            let within = clamp(self.right_half[k], ends) - clamp(self.left_half[k], ends);
            let width = clamp(self.right[k], cuts) - clamp(self.left[k], cuts);
            // The area that the border cuts off, on its smaller side.
            let off = within - depth * width;
            *area = halves * half + sign * off;
        }
        areas
    }
}

#[inline(always)]
fn clamp(value: f32, [low, high]: [f32; 2]) -> f32 {
    let value = if value < low { low } else { value };
    if value > high { high } else { value }
}

/// Area of the upper half of the unit disc to the left of `at`, which is -1 to 1.
#[inline(always)]
fn upper_half(at: f32) -> f32 {
    // Arc sine plus a quarter turn: Abramowitz and Stegun 4.4.46, error at most 2e-8.
    const SERIES: [f32; 8] = [
        FRAC_PI_2,
        -0.214_598_8,
        0.088_978_99,
        -0.050_174_304,
        0.030_891_88,
        -0.017_088_126,
        0.006_670_09,
        -0.001_262_491,
    ];
    let x = at.abs();
    // In pairs, because a chain of eight additions would take longer than all the rest.
    let [s0, s1, s2, s3, s4, s5, s6, s7] = SERIES;
    let square = x * x;
    let low = (s0 + s1 * x) + (s2 + s3 * x) * square;
    let high = (s4 + s5 * x) + (s6 + s7 * x) * square;
    let arc = (1.0 - x).max(0.0).sqrt() * (low + high * (square * square));
    let turn = if at < 0.0 { arc } else { PI - arc };
    let rise = (1.0 - at * at).max(0.0).sqrt();
    0.5 * (at * rise + turn)
}
