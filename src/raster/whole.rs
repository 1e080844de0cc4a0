//! Discs of some pixels: the exact coverage of all their pixels, sixteen columns at a time.
//!
//! ```text
//!     ┌───┬───┬───┬───┐   The area of a disc left of a column's border and above a row's border takes
//!     │ ░ │ ▒ │ ▒ │ ░ │   an arc sine and a root for the column and the same for the row; what is left
//!     ├───┼───┼───┼───┤   for each crossing is a choice, a product and a sum. A pixel's coverage is the
//!     │ ▒ │ █ │ █ │ ▒ │   sum and difference of its four crossings.
//! ```
//!
//! So a pixel takes no root and no division, and a disc as many as it has columns and rows.

use std::{
    f32::consts::{FRAC_PI_2, PI},
    ops::Range,
};

use crate::{
    raster::{
        band::Band,
        blend::{self, BLOCK, signed},
        disc::{self, Colors, Disc, Shading},
        sprite::floor,
    },
    simd::Kernel,
};

/// Largest radius of such a disc, pixels. The areas of larger ones have too few digits left for a pixel.
pub(crate) const RADIUS_MAX: f32 = 32.0;

/// One for each column of a block, or for each of as many rows.
type Each = [f32; BLOCK];

/// Draws a disc into a band, clipped to it; to be called by a kernel.
#[inline(always)]
pub(crate) fn draw(band: &mut Band<'_>, disc: &Disc) {
    let columns = reached(disc.x, disc.radius);
    let rows = reached(disc.y, disc.radius);
    let beside = columns.end <= 0 || columns.start >= band.width;
    if beside || rows.end <= band.top || rows.start >= band.top + band.rows {
        return;
    }
    // So many blocks of columns, and of rows' borders: one more than there are rows. Discs of one block have
    // no shading, and would take longer to be called for than to be drawn.
    let simd = band.simd;
    match rows.len().max(columns.len()) {
        ..16 if disc.radius <= disc::PLAIN => Whole::<1> { band, disc, columns, rows }.run(),
        ..48 => simd.run(Whole::<3> { band, disc, columns, rows }),
        _ => simd.run(Whole::<5> { band, disc, columns, rows }),
    }
}

/// The pixels along an axis that lie at most so far from a place, which may be far outside of every frame.
#[inline(always)]
fn reached(place: f32, reach: f32) -> Range<i32> {
    floor(place - reach)..floor(place + reach).saturating_add(1)
}

/// Draws a disc of at most so many blocks of columns and of rows.
struct Whole<'a, 'b, const BLOCKS: usize> {
    band: &'a mut Band<'b>,
    disc: &'a Disc,
    columns: Range<i32>,
    rows: Range<i32>,
}

impl<const BLOCKS: usize> Kernel for Whole<'_, '_, BLOCKS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, disc, columns, rows } = self;
        let shading = Shading::new(disc);
        let shaded = BLOCKS > 1 && shading.shows();
        let across = Borders::<BLOCKS>::new(columns.start, columns.len(), disc.x, disc.radius);
        let down = Borders::<BLOCKS>::new(rows.start, rows.len() + 1, disc.y, disc.radius);
        let cuts: [Cuts; BLOCKS] =
            std::array::from_fn(|block| Cuts::new(&down.at[block], &down.half[block], disc.radius));
        let mut colors = [Colors::plain(disc.color); BLOCKS];
        if shaded {
            for (block, colors) in colors[..rows.len().div_ceil(BLOCK)].iter_mut().enumerate() {
                *colors = shading.rows(rows.start + signed(block * BLOCK));
            }
        }
        for index in 0..columns.len().div_ceil(BLOCK) {
            let x = columns.start + signed(index * BLOCK);
            let block = Columns::new(&across, index, x, disc);
            let met = if BLOCKS > 1 { rows_met(disc, x, &rows) } else { rows.clone() };
            let met = met.start.max(band.top)..met.end.min(band.top + band.rows);
            let first = (met.start - rows.start) as usize;
            let mut above = block.above(&cuts[first / BLOCK], first % BLOCK);
            for y in met {
                let j = (y - rows.start) as usize;
                let below = block.above(&cuts[(j + 1) / BLOCK], (j + 1) % BLOCK);
                let mut weights = [0; BLOCK];
                for k in 0..BLOCK {
                    weights[k] = blend::weight(below[k] - above[k]);
                }
                above = below;
                let Colors { body, rim } = &colors[j / BLOCK];
                let [body, rim] = [body[j % BLOCK], rim[j % BLOCK]].map(blend::lanes);
                if shaded {
                    let dy = y as f32 + 0.5 - disc.y;
                    let mut inward = [0; BLOCK];
                    for (inward, square) in inward.iter_mut().zip(&block.square) {
                        *inward = shading.inward(square + dy * dy);
                    }
                    band.ink([x, y], [rim, body], &inward, &weights);
                } else {
                    band.tint([x, y], body, &weights);
                }
            }
        }
    }
}

/// Those of a disc's rows that it meets the block of columns in that begins at pixel `x`.
#[inline(always)]
fn rows_met(disc: &Disc, x: i32, rows: &Range<i32>) -> Range<i32> {
    let (left, right) = (x as f32 - disc.x, (x + signed(BLOCK)) as f32 - disc.x);
    let nearest = left.max(-right).max(0.0);
    // What is rounded is less than a pixel.
    let half = (disc.radius * disc.radius - nearest * nearest).max(0.0).sqrt() + 1.0;
    let Range { start, end } = reached(disc.y, half);
    let start = start.clamp(rows.start, rows.end - 1);
    start..end.clamp(start, rows.end)
}

/// Borders of columns, or of rows.
struct Borders<const BLOCKS: usize> {
    /// Where they are, pixels from the disc's centre, and not outside of it.
    at: [Each; BLOCKS],
    /// The area of the half of the disc above its centre that lies left of each.
    half: [Each; BLOCKS],
}

impl<const BLOCKS: usize> Borders<BLOCKS> {
    /// So many borders, the first of which is at pixel `start`; the others are where the disc ends.
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

/// What the borders of sixteen rows cut off the disc.
struct Cuts {
    /// Distance from the disc's centre.
    depth: Each,
    /// The border cuts the disc between -cut and +cut.
    cut: Each,
    /// The areas of the upper half left of -cut and of +cut.
    low_end: Each,
    high_end: Each,
    /// 0 above the centre, 2 below it.
    halves: Each,
    /// 1 above the centre, -1 below it.
    sign: Each,
}

impl Cuts {
    /// The borders at these distances below the centre, by the halves left of columns that are as far to
    /// the right.
    #[inline(always)]
    fn new(at: &Each, half: &Each, radius: f32) -> Self {
        const NONE: Each = [0.0; BLOCK];
        let total = 0.5 * PI * radius * radius;
        let mut cuts = Self {
            depth: NONE,
            cut: NONE,
            low_end: NONE,
            high_end: NONE,
            halves: NONE,
            sign: NONE,
        };
        for j in 0..BLOCK {
            let depth = at[j].abs();
            let cut = (radius * radius - depth * depth).max(0.0).sqrt();
            // The same triangle and the same arc, from the other side.
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

/// Sixteen columns.
struct Columns {
    left: Each,
    right: Each,
    left_half: Each,
    right_half: Each,
    /// The squares of the distances of their middles from the disc's centre.
    square: Each,
}

impl Columns {
    /// Those of a block, which begins at pixel `x`.
    #[inline(always)]
    fn new<const BLOCKS: usize>(
        across: &Borders<BLOCKS>,
        block: usize,
        x: i32,
        disc: &Disc,
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

    /// The area of the disc in each column, above the border of row `j` of sixteen.
    #[inline(always)]
    fn above(&self, rows: &Cuts, j: usize) -> Each {
        let ends = [rows.low_end[j], rows.high_end[j]];
        let cuts = [-rows.cut[j], rows.cut[j]];
        let (depth, halves, sign) = (rows.depth[j], rows.halves[j], rows.sign[j]);
        let mut areas = [0.0; BLOCK];
        for (k, area) in areas.iter_mut().enumerate() {
            let half = self.right_half[k] - self.left_half[k];
            let within = clamp(self.right_half[k], ends) - clamp(self.left_half[k], ends);
            let width = clamp(self.right[k], cuts) - clamp(self.left[k], cuts);
            // What the border cuts off, on its smaller side.
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

/// Area of the upper half of the unit disc that lies left of `at`, of -1 to 1.
#[inline(always)]
fn upper_half(at: f32) -> f32 {
    // Arc sine plus a quarter of a turn; Abramowitz and Stegun 4.4.46, off by 2e-8 at most.
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
    let series = SERIES.iter().rev().fold(0.0, |sum, term| sum * x + term);
    let arc = (1.0 - x).max(0.0).sqrt() * series;
    let turn = if at < 0.0 { arc } else { PI - arc };
    let rise = (1.0 - at * at).max(0.0).sqrt();
    0.5 * (at * rise + turn)
}
