//! The tone image: the tone of a field at every fourth pixel of every fourth row, and the color of
//! the ground, with haze of the color of the field. Every second tone along each axis is computed,
//! and the others are interpolated (`finer`, `ground`). Haze stands for discs and gaps that are too
//! small to be seen: a crowd of them has the color of the field all over.
//!
//! A value between cells is a quadratic B-spline, which is smooth, of the smoothed sums of the 3 ×
//! 3 nearest cells. Sums are interpolated first and divided afterwards.
//!
//! ```text
//!  smoothed sums ─► three rows into one ─► three columns into one ─► divided ─► tone, ground
//!  (cells)          (some cells)           (64 places)
//! ```
//!
//! Smoothing spreads a cell over its neighbors, so that tones hardly differ within four pixels. The
//! ground is interpolated nevertheless (`ground`), since the eye finds squares.
//!
//! A scalar has 256 tones. A vector has [`TONES_PER_AXIS`] × [`TONES_PER_AXIS`], one for each
//! direction and strength, so that no angle has to be computed.

use std::f32::consts::PI;

use crate::{
    parallel,
    raster::{
        blend::{self, Pixel},
        color_table::{ColorTable, TONES},
        field::{
            cell_sums::Sums,
            finer::{self, Steps},
            ground::{GroundRow, MARGIN, PIXELS, SIDE},
            lattice::{CELL_PIXELS_MIN, Lattice},
        },
        style::{ColorBy, Style},
    },
    simd::{Kernel, SimdLevel, fields, pixels},
};

/// Tones that are computed at once.
const CHUNK: usize = 32;

/// Cells that the tones of a chunk read, at most.
const CELLS: usize = (CHUNK as u32 * PIXELS) as usize / CELL_PIXELS_MIN as usize + 5;

/// Share of the mean speed at which a flow has seven tenths of the full color.
const FLOW_HALF: f32 = 0.5;

/// Bonds per agent, of three in a hexagonal lattice, below which agents count as unordered: few
/// bonds are ordered by chance.
const BONDS_MIN: f32 = 2.0;

/// Share of the ground that gets the last color of `density`.
const DENSITY_LAST: f32 = 0.9;

/// Share of the ground that haze hides at most, so that discs stand out from it.
const HAZE_MOST: f32 = 0.8;

/// The tones of a frame; in color modes without a field it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToneImage<'a> {
    /// Tones row by row, and one unused element at the end.
    tones: &'a [u16],
    grounds: &'a [Pixel],
    ground_columns: usize,
    columns: u32,
    rows: u32,
}

impl<'a> ToneImage<'a> {
    /// Columns and rows for a frame of `width` × `height` pixels.
    pub(super) fn size(width: u32, height: u32) -> [usize; 2] {
        [width, height].map(|side| (side.div_ceil(SIDE) + 2 * MARGIN) as usize)
    }

    /// The tones and the ground of a frame of that size. Without haze the ground may be empty.
    pub(super) fn new(tones: &'a [u16], grounds: &'a [Pixel], [width, height]: [u32; 2]) -> Self {
        let [columns, rows] = Self::size(width, height).map(|side| side as u32);
        let [ground_columns, _] = coarse_size(width, height);
        Self { tones, grounds, ground_columns, columns, rows }
    }

    /// The tone at a position in the frame, in pixels; outside of it, the nearest tone.
    #[inline(always)]
    pub(crate) fn at(&self, x: f32, y: f32) -> u32 {
        self.tone(self.index(x, y))
    }

    /// The tones at some positions in the frame.
    #[inline(always)]
    pub(crate) fn at_all<const LEN: usize>(
        &self,
        simd: SimdLevel,
        x: &[f32; LEN],
        y: &[f32; LEN],
        tones: &mut [u32; LEN],
    ) {
        let mut indices = [0; LEN];
        for (k, index) in indices.iter_mut().enumerate() {
            *index = self.index(x[k], y[k]);
        }
        fields::look_up(simd, self.tones, &indices, tones);
    }

    #[inline(always)]
    fn tone(&self, index: u32) -> u32 {
        self.tones.get(index as usize).map_or(0, |&tone| u32::from(tone))
    }

    /// The index of the tone at a position in the frame.
    #[inline(always)]
    fn index(&self, x: f32, y: f32) -> u32 {
        let index = |at: f32, count: u32| {
            let at = blend::clamp_coordinate(at) * (1.0 / SIDE as f32);
            // Rounding half less is rounding down; at a tie, either tone will do.
            let at = blend::round(at + (MARGIN as f32 - 0.5));
            let at = if at > 0 { at.cast_unsigned() } else { 0 };
            if at < count { at } else { count - 1 }
        };
        index(y, self.rows) * self.columns + index(x, self.columns)
    }

    /// Draws the ground of row `y` of the frame; none without haze.
    pub(crate) fn ground_row(&self, y: u32) -> Option<GroundRow<'a>> {
        let any = !self.grounds.is_empty();
        any.then(|| GroundRow::new(self.grounds, self.ground_columns, y as usize))
    }
}

/// Columns and rows of the computed tones for a frame of `width` × `height` pixels.
pub(super) fn coarse_size(width: u32, height: u32) -> [usize; 2] {
    ToneImage::size(width, height).map(finer::coarse)
}

/// Computes the tones and the ground of a frame of that size from smoothed sums, at every eighth
/// pixel. An agent covers `haze` of the ground of a cell.
pub(super) fn paint(
    image: (&mut [Steps], &mut [Pixel]),
    [width, height]: [u32; 2],
    lattice: &Lattice,
    sums: &[Sums],
    (style, colors): (&Style, &ColorTable),
    haze: f32,
    simd: SimdLevel,
) {
    let [columns, _] = coarse_size(width, height);
    let work = |first: usize, (tones, grounds): (&mut [Steps], &mut [Pixel])| {
        let row = first / columns;
        simd.run(PaintRow { lattice, sums, style, colors, haze, row, tones, grounds });
    };
    parallel::pieces(image, columns, &work, &|(), ()| ());
}

/// Computes a row of tones.
struct PaintRow<'a> {
    lattice: &'a Lattice,
    sums: &'a [Sums],
    style: &'a Style,
    colors: &'a ColorTable,
    haze: f32,
    row: usize,
    tones: &'a mut [Steps],
    grounds: &'a mut [Pixel],
}

impl Kernel for PaintRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { lattice, sums, style, colors, haze, row, tones, grounds } = self;
        let y = lattice.corner.y - lattice.per_pixel.y * pixel(row);
        let (row, up) = spline(y, lattice.rows as u32);
        let ground = [blend::lanes(blend::opaque(style.ground)); CHUNK];
        let ground = *ground.as_flattened().first_chunk::<{ 4 * CHUNK }>().expect("four channels");
        let chunks = tones.chunks_mut(CHUNK).zip(grounds.chunks_mut(CHUNK));
        for (index, (tones, grounds)) in chunks.enumerate() {
            let (mut columns, mut along) = ([0; CHUNK], [[0.0; CHUNK]; 3]);
            for k in 0..CHUNK {
                let x = lattice.corner.x + lattice.per_pixel.x * pixel(index * CHUNK + k);
                let (column, weights) = spline(x, lattice.cols as u32);
                columns[k] = column;
                for (along, weight) in along.iter_mut().zip(weights) {
                    along[k] = weight;
                }
            }
            let left = columns[0] as usize;
            let count = (columns[CHUNK - 1] as usize + 3 - left).min(CELLS);
            let mut cells = [[0.0; 4]; CELLS];
            for (weight, row) in up.into_iter().zip(row as usize..) {
                let sums = &sums[row * lattice.cols + left..][..count];
                for (cell, sum) in cells.iter_mut().zip(sums) {
                    *cell = plus(*cell, weight, sum);
                }
            }
            for column in &mut columns {
                *column -= left as u32;
            }
            let values = fields::interpolate(&cells, &columns, &along);
            let painted = self::tones(style, lattice, &values);
            let is_vector = style.color_by.is_vector();
            tones.copy_from_slice(&painted[..tones.len()]);
            if haze > 0.0 {
                // Loops instead of `map`, which is not inlined for arrays of this length.
                let (mut lanes, mut weights) = ([[0; 4]; CHUNK], [[0; 4]; CHUNK]);
                for (lanes, steps) in lanes.iter_mut().zip(painted) {
                    let tone = if is_vector { finer::vector(steps) } else { finer::scalar(steps) };
                    *lanes = colors.lanes[usize::from(tone) % TONES];
                }
                for (weights, agents) in weights.iter_mut().zip(values[3]) {
                    *weights = [haze_of(agents * haze) as u16; 4];
                }
                let mut mixed = [[0; 4]; CHUNK];
                let lanes = lanes.as_flattened().iter().zip(weights.as_flattened());
                for ((to, ground), (&color, &weight)) in
                    mixed.as_flattened_mut().iter_mut().zip(&ground).zip(lanes)
                {
                    *to = pixels::lane(*ground, color, weight) as u8;
                }
                grounds.copy_from_slice(&mixed[..grounds.len()]);
            }
        }
    }
}

/// The middle of a column or row of tones, pixels.
#[inline(always)]
fn pixel(tone: usize) -> f32 {
    (tone as f32 + (0.5 - MARGIN as f32)) * PIXELS as f32
}

/// Adds other sums, scaled by a weight.
#[inline(always)]
pub(super) fn plus(sums: Sums, weight: f32, others: &Sums) -> Sums {
    std::array::from_fn(|lane| sums[lane] + weight * others[lane])
}

/// The first of the three cells that a quadratic B-spline reads at a position, and their weights.
#[inline(always)]
fn spline(at: f32, cells: u32) -> (u32, [f32; 3]) {
    // The outermost cells only serve smoothing.
    let (first, end) = (2.0, (cells - 2) as f32);
    let at = if at > first { at } else { first };
    let at = if at < end { at } else { end };
    let cell = blend::round(at - 0.5).min(cells.cast_signed() - 3);
    let off = at - cell as f32 - 0.5;
    let (low, high) = (0.5 - off, 0.5 + off);
    let weights = [0.5 * low * low, 0.75 - off * off, 0.5 * high * high];
    (cell.cast_unsigned() - 1, weights)
}

/// The opacity of the haze of discs that cover the ground `depth` times on average.
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
fn tones(style: &Style, lattice: &Lattice, values: &[[f32; CHUNK]; 4]) -> [Steps; CHUNK] {
    let mut tones = [[0; 2]; CHUNK];
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

/// The position of a temperature among all colors, 0 to 1; `middle` has the middle color.
#[inline(always)]
pub(crate) fn temperature_share(kt: f32, middle: f32) -> f32 {
    kt / (kt + positive(middle))
}

/// The position of a covered share of the ground among all colors, 0 to 1. The root spreads thin
/// crowds.
#[inline(always)]
pub(crate) fn density_share(covered: f32) -> f32 {
    (covered * (1.0 / DENSITY_LAST)).sqrt()
}

/// A number made positive, to divide by.
#[inline(always)]
fn positive(number: f32) -> f32 {
    if number > f32::MIN_POSITIVE { number } else { f32::MIN_POSITIVE }
}

/// The tone of a share of 0 to 1.
#[inline(always)]
fn scalar_tone(share: f32) -> Steps {
    [byte(share), 0]
}

/// The tone of a vector of length 1 at most.
#[inline(always)]
fn vector_tone(x: f32, y: f32) -> Steps {
    [byte(0.5 * (1.0 + x)), byte(0.5 * (1.0 + y))]
}

/// A share of 0 to 1 as a byte.
#[inline(always)]
fn byte(share: f32) -> u8 {
    let share = if share > 0.0 { share } else { 0.0 };
    blend::round(255.0 * if share < 1.0 { share } else { 1.0 }) as u8
}
