//! Small discs: coverage computed once, for every radius and sub-pixel phase that the eye can tell.
//!
//! ```text
//!    one sprite: 4 × 4 bytes               the table
//!    ┌──┬──┬──┬──┐                         radius 1/64 pixel apart, 0 to 1.5
//!    │ 9│74│21│ 0│ rows 0 .. rows            × 16 phases in y
//!    ├──┼──┼──┼──┤                             × 16 phases in x
//!    │58│ff│97│ 0│ a row is one load                × 16 bytes        = 394 KiB
//!    ├──┼──┼──┼──┤
//!    │ 3│40│10│ 0│                         a frame of discs of one size touches 4 KiB of it, and one
//!    └──┴──┴──┴──┘                         of radii A..2A 100 KiB, which stay in the L2 cache
//! ```
//!
//! A disc is drawn where the nearest phase is, at most 1/32 of a pixel off in x and in y: coverage is
//! off by 12/255 at the worst pixel of the worst phase and by less than 2/255 in the mean.

use std::sync::LazyLock;

use crate::raster::{
    band::Band,
    blend::{self, Pixel},
    coverage,
};

/// Phases a pixel, in x and in y.
const PHASES: i32 = 16;

/// Radii a pixel.
const RADII: f32 = 64.0;

/// Largest radius of a sprite, pixels: such a disc meets four pixels a row.
pub(crate) const RADIUS_MAX: f32 = 1.5;

const ENTRIES: usize = ((RADIUS_MAX * RADII) as usize + 1) * (PHASES * PHASES) as usize;

/// Coverage of four rows of four pixels.
type Sprite = [[u8; 4]; 4];

/// All sprites. Constant, so that all painters share them.
static SPRITES: LazyLock<Vec<Sprite>> = LazyLock::new(|| {
    (0..ENTRIES as i32)
        .map(|entry| {
            let (phase_x, phase_y) = (entry % PHASES, entry / PHASES % PHASES);
            let step = entry / (PHASES * PHASES);
            let middle = 0.5 * f64::from(rows(step) - 1);
            let place = |phase: i32| middle + (f64::from(phase) + 0.5) / f64::from(PHASES);
            let radius = f64::from(step) / f64::from(RADII);
            std::array::from_fn(|y| {
                std::array::from_fn(|x| {
                    let (x, y) = (x as f64 - place(phase_x), y as f64 - place(phase_y));
                    blend::weight(coverage::exact(x, y, radius) as f32)
                })
            })
        })
        .collect()
});

/// Pixels a row, and rows, that a disc of that radius (in steps) can meet at any phase: 2, 3 or 4.
#[inline]
fn rows(step: i32) -> i32 {
    2 + i32::from(step > 34) + i32::from(step > 66)
}

/// Where a disc's sprite is and which one it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placed {
    left: i32,
    top: i32,
    rows: i32,
    entry: u32,
}

impl Placed {
    /// The sprite of a disc, by its centre and radius in pixels. No branch: many at a time.
    #[inline]
    pub(crate) fn new(x: f32, y: f32, radius: f32) -> Self {
        let step = (radius.min(RADIUS_MAX) * RADII + 0.5) as i32;
        let rows = rows(step);
        let middle = 0.5 * (rows - 1) as f32;
        let left = floor((x - middle) * PHASES as f32);
        let top = floor((y - middle) * PHASES as f32);
        let phase = (top & (PHASES - 1)) * PHASES + (left & (PHASES - 1));
        Self {
            left: left >> 4,
            top: top >> 4,
            rows,
            entry: (step * PHASES * PHASES + phase) as u32,
        }
    }
}

/// The largest whole number that isn't larger. `f32::floor` is a call where the processor is only known
/// to be of the first x86-64 generation.
#[inline]
pub(crate) fn floor(value: f32) -> i32 {
    let whole = value as i32;
    whole - i32::from(whole as f32 > value)
}

/// Makes the table if nobody has yet, so that no draw has to.
pub(crate) fn prepare() {
    LazyLock::force(&SPRITES);
}

/// The table, to be got once a band.
pub(crate) fn table() -> &'static [[[u8; 4]; 4]] {
    &SPRITES
}

/// Draws a small disc into a band, clipped to it.
#[inline]
pub(crate) fn draw(band: &mut Band<'_>, table: &[Sprite], placed: Placed, color: Pixel) {
    let sprite = &table[placed.entry as usize];
    let (left, top) = (placed.left, placed.top - band.top);
    let inside = left >= 0
        && left + 4 <= band.width as i32
        && top >= 0
        && top + placed.rows <= band.rows as i32;
    if !inside {
        return draw_clipped(band, sprite, left, top, color);
    }
    let mut at = top as usize * band.width + left as usize;
    for weights in &sprite[..placed.rows as usize] {
        if let Some(four) = band.pixels[at..].first_chunk_mut() {
            *four = blend::mix_four(four, &[color; 4], *weights);
        }
        at += band.width;
    }
}

/// Draws a share of 0 to 1 of a small disc, the rest of which is density.
pub(crate) fn draw_faint(
    band: &mut Band<'_>,
    table: &[Sprite],
    placed: Placed,
    color: Pixel,
    share: f32,
) {
    let sprite = table[placed.entry as usize]
        .map(|row| row.map(|weight| blend::weight(f32::from(weight) * share * (1.0 / 255.0))));
    draw_clipped(band, &sprite, placed.left, placed.top - band.top, color);
}

/// Draws a sprite pixel by pixel: one that is rare, or that the band's borders cut.
fn draw_clipped(band: &mut Band<'_>, sprite: &Sprite, left: i32, top: i32, color: Pixel) {
    for (y, weights) in (i64::from(top)..).zip(sprite) {
        for (x, &weight) in (i64::from(left)..).zip(weights) {
            if (0..band.rows as i64).contains(&y) && (0..band.width as i64).contains(&x) {
                let pixel = &mut band.pixels[y as usize * band.width + x as usize];
                *pixel = blend::mix(*pixel, color, weight);
            }
        }
    }
}
