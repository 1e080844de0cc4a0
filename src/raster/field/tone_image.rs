//! The tone image: the tone of a field at every second pixel of every second row, and how much haze
//! of that color lies over the ground. Haze stands for discs and gaps that are too small to be seen:
//! a crowd of them has the color of the field all over.
//!
//! A value between cells is a quadratic B-spline of the smoothed sums of the 3 × 3 nearest, which
//! bends nowhere sharply. Sums are interpolated, and divided afterwards.
//!
//! ```text
//!  smoothed sums ─► three rows into one ─► three columns into one ─► divided ─► tone
//!  (cells)          (some cells)           (64 pixels)
//! ```
//!
//! A scalar has 256 tones. A vector has [`TONES_PER_AXIS`] × [`TONES_PER_AXIS`], one for each
//! direction and strength, so that no angle has to be computed.

use std::f32::consts::PI;

use crate::{
    parallel,
    raster::{
        blend::{self, Weight},
        color_table::{TONES_PER_AXIS, VECTOR_MIDDLE},
        field::{
            cell_sums::Sums,
            lattice::{CELL_PIXELS_MIN, Lattice},
        },
        style::{ColorBy, Style},
    },
    simd::{Kernel, SimdLevel},
};

/// Pixels per side of a tone.
const SIDE: u32 = 2;

/// Tones that are computed at once.
const CHUNK: usize = 64;

/// Cells that the tones of a chunk read, at most.
const CELLS: usize = (CHUNK as u32 * SIDE) as usize / CELL_PIXELS_MIN as usize + 5;

/// Share of the mean speed at which a flow has seven tenths of the full color.
const FLOW_HALF: f32 = 0.5;

/// Bonds per agent, of three in a hexagonal lattice, below which agents count as unordered: few
/// bonds are ordered by chance.
const BONDS_MIN: f32 = 2.0;

/// Share of the ground that gets the last color of `density`.
const DENSITY_LAST: f32 = 0.9;

/// Share of the ground that haze hides at most, so that discs stand out from it.
const HAZE_MOST: f32 = 0.8;

/// The color of a place in the frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shade {
    /// Index into the color table.
    pub(crate) tone: u16,
    /// Opacity of the haze.
    pub(crate) haze: Weight,
}

/// The tones of the pixels of a frame; in color modes without a field it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToneImage<'a> {
    shades: &'a [Shade],
    columns: u32,
    rows: u32,
}

impl<'a> ToneImage<'a> {
    /// Columns and rows for a frame of that many pixels.
    pub(super) fn size(width: u32, height: u32) -> [usize; 2] {
        [width, height].map(|side| side.div_ceil(SIDE) as usize)
    }

    /// The tones of a frame of that size.
    pub(super) fn new(shades: &'a [Shade], [width, height]: [u32; 2]) -> Self {
        let [columns, rows] = Self::size(width, height).map(|side| side as u32);
        Self { shades, columns, rows }
    }

    /// The tone at a place in the frame, in pixels; at its border for a place outside.
    #[inline(always)]
    pub(crate) fn at(&self, x: f32, y: f32) -> u32 {
        let index = |at: f32, count: u32| {
            let at = blend::floor(blend::clamp_coordinate(at) * (1.0 / SIDE as f32)).max(0);
            at.cast_unsigned().min(count.wrapping_sub(1))
        };
        let index = index(y, self.rows) * self.columns + index(x, self.columns);
        self.shades.get(index as usize).map_or(0, |shade| u32::from(shade.tone))
    }

    /// The shades of a row of pixels, each for two of them.
    pub(crate) fn row(&self, y: usize) -> &'a [Shade] {
        let columns = self.columns as usize;
        self.shades.chunks_exact(columns.max(1)).nth(y / SIDE as usize).unwrap_or(&[])
    }
}

/// Computes the tones of a frame of that size from smoothed sums. An agent covers `haze` of the
/// ground of a cell.
pub(super) fn paint(
    shades: &mut [Shade],
    [width, height]: [u32; 2],
    lattice: &Lattice,
    sums: &[Sums],
    style: &Style,
    haze: f32,
    simd: SimdLevel,
) {
    let [columns, rows] = ToneImage::size(width, height);
    let shades = &mut shades[..columns * rows];
    let work = |first: usize, shades: &mut [Shade]| {
        let y = (first / columns) as f32;
        simd.run(PaintRow { lattice, sums, style, haze, y, shades });
    };
    parallel::pieces(shades, columns, &work, &|(), ()| ());
}

/// Computes a row of tones.
struct PaintRow<'a> {
    lattice: &'a Lattice,
    sums: &'a [Sums],
    style: &'a Style,
    haze: f32,
    /// Rows of tones above it.
    y: f32,
    shades: &'a mut [Shade],
}

impl Kernel for PaintRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { lattice, sums, style, haze, y, shades } = self;
        let at = |tone: f32| (tone + 0.5) * SIDE as f32;
        let (row, up) = spline(lattice.corner.y - lattice.per_pixel.y * at(y), lattice.rows);
        let column = |tone: usize| {
            spline(lattice.corner.x + lattice.per_pixel.x * at(tone as f32), lattice.cols)
        };
        for (index, shades) in shades.chunks_mut(CHUNK).enumerate() {
            let first = index * CHUNK;
            let left = column(first).0;
            let count = (column(first + shades.len() - 1).0 + 3 - left).min(CELLS);
            let mut cells = [[0.0; 4]; CELLS];
            for (weight, row) in up.into_iter().zip(row..) {
                let sums = &sums[row * lattice.cols + left..][..count];
                for (cell, sum) in cells.iter_mut().zip(sums) {
                    for lane in 0..4 {
                        cell[lane] += weight * sum[lane];
                    }
                }
            }
            let mut values = [[0.0; CHUNK]; 4];
            for k in 0..shades.len() {
                let (column, along) = column(first + k);
                let mut value = [0.0; 4];
                for (weight, cell) in
                    along.into_iter().zip(&cells[(column - left).min(CELLS - 3)..])
                {
                    for lane in 0..4 {
                        value[lane] += weight * cell[lane];
                    }
                }
                for (lane, values) in values.iter_mut().enumerate() {
                    values[k] = value[lane];
                }
            }
            let tones = tones(style, lattice, &values);
            let weights = values[3].map(|agents| haze_of(agents * haze));
            for ((shade, tone), weight) in shades.iter_mut().zip(tones).zip(weights) {
                *shade = Shade { tone: tone as u16, haze: weight as Weight };
            }
        }
    }
}

/// The first of the three cells around a place that a quadratic B-spline reads, and their weights.
#[inline(always)]
fn spline(at: f32, cells: usize) -> (usize, [f32; 3]) {
    // The outermost cells only serve smoothing.
    let cell = (blend::floor(at).max(2) as usize).min(cells - 3);
    let off = (at - cell as f32 - 0.5).clamp(-0.5, 0.5);
    let (low, high) = (0.5 - off, 0.5 + off);
    (cell - 1, [0.5 * low * low, 0.75 - off * off, 0.5 * high * high])
}

/// The opacity of haze of discs that cover the ground that many times on average.
#[inline(always)]
fn haze_of(depth: f32) -> u32 {
    // Not a number counts as 0.
    let depth = if depth > 0.0 { depth } else { 0.0 };
    // The exponential as the reciprocal of its series.
    let rest = 1.0 + depth * (1.0 + depth * (0.5 + depth * (1.0 / 6.0)));
    blend::round(256.0 * HAZE_MOST * (1.0 - 1.0 / rest)).cast_unsigned()
}

/// The tones of interpolated sums.
#[inline(always)]
fn tones(style: &Style, lattice: &Lattice, values: &[[f32; CHUNK]; 4]) -> [u32; CHUNK] {
    let mut tones = [0; CHUNK];
    match style.color_by {
        ColorBy::Flow => {
            let per_speed = 1.0 / positive(style.mean_speed);
            for (k, tone) in tones.iter_mut().enumerate() {
                let scale = per_speed / positive(values[2][k]);
                let (u, v) = (values[0][k] * scale, values[1][k] * scale);
                let fade = 1.0 / (FLOW_HALF * FLOW_HALF + u * u + v * v).sqrt();
                *tone = vector_tone(u * fade, v * fade);
            }
        }
        ColorBy::Order => {
            for (k, tone) in tones.iter_mut().enumerate() {
                let [c, s, bonds, agents] = [0, 1, 2, 3].map(|lane| values[lane][k]);
                let least = agents * BONDS_MIN;
                let scale = 1.0 / positive(if bonds > least { bonds } else { least });
                *tone = vector_tone(c * scale, s * scale);
            }
        }
        ColorBy::Temperature => {
            let middle = style.temperature;
            for (k, tone) in tones.iter_mut().enumerate() {
                let kt = values[0][k] / positive(values[2][k]);
                *tone = scalar_tone(temperature_share(kt, middle));
            }
        }
        ColorBy::Density => {
            let scale = PI / lattice.area;
            for (k, tone) in tones.iter_mut().enumerate() {
                *tone = scalar_tone(density_share(values[0][k] * scale));
            }
        }
        _ => {}
    }
    tones
}

/// The place of a temperature among all colors, where the middle one has the color in the middle.
#[inline(always)]
pub(crate) fn temperature_share(kt: f32, middle: f32) -> f32 {
    kt / (kt + positive(middle))
}

/// The place of a covered share of the ground among all colors. The root spreads thin crowds.
#[inline(always)]
pub(crate) fn density_share(covered: f32) -> f32 {
    (covered * (1.0 / DENSITY_LAST)).sqrt()
}

/// A number to divide by.
#[inline(always)]
fn positive(number: f32) -> f32 {
    if number > f32::MIN_POSITIVE { number } else { f32::MIN_POSITIVE }
}

/// The tone of a share of 0 to 1.
#[inline(always)]
fn scalar_tone(share: f32) -> u32 {
    blend::round(255.0 * if share < 1.0 { share } else { 1.0 }).cast_unsigned()
}

/// The tone of a vector of length 1 at most.
#[inline(always)]
fn vector_tone(x: f32, y: f32) -> u32 {
    let step = |at: f32| {
        let at = VECTOR_MIDDLE * (1.0 + at);
        let at = if at > 0.0 { at } else { 0.0 };
        let last = 2.0 * VECTOR_MIDDLE;
        blend::round(if at < last { at } else { last }).cast_unsigned()
    };
    step(y) * TONES_PER_AXIS as u32 + step(x)
}
