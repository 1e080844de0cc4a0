//! Small discs: coverage computed once, for every radius and sub-pixel phase that the eye can tell.
//!
//! ```text
//!    one sprite: 4 × 4 weights             the table
//!    ┌───┬───┬───┬───┐                     radius 1/64 pixel apart, 0 to 1.5
//!    │  9│ 74│ 21│  0│ rows 0 .. rows        × 16 phases in y
//!    ├───┼───┼───┼───┤                         × 16 phases in x
//!    │ 58│256│ 97│  0│ a row is one load            × 32 bytes          = 776 KiB
//!    ├───┼───┼───┼───┤
//!    │  3│ 40│ 10│  0│                     a frame of discs of one size touches 8 KiB of it, and one
//!    └───┴───┴───┴───┘                     of radii A..2A 200 KiB, which stay in the L2 cache
//! ```
//!
//! A disc is drawn where the nearest phase is, at most 1/32 of a pixel off in x and in y: coverage is
//! off by 12/255 at the worst pixel of the worst phase and by less than 2/255 in the mean.

use std::sync::LazyLock;

use crate::{
    raster::{
        band::Band,
        batch::LEN,
        blend::{self, Lanes},
        coverage,
    },
    simd::{
        Kernel,
        pixels::{self, Ready},
    },
};

/// Phases a pixel, in x and in y.
const PHASES: i32 = 16;

/// Radii a pixel.
const RADII: f32 = 64.0;

/// Largest radius of a sprite, pixels: such a disc meets four pixels a row.
pub(crate) const RADIUS_MAX: f32 = 1.5;

const ENTRIES: i32 = ((RADIUS_MAX * RADII) as i32 + 1) * PHASES * PHASES;

/// Coverage of four rows of four pixels.
pub(crate) type Sprite = [[Ready; 4]; 4];

/// All sprites. Constant, so that all renderers share them.
static SPRITES: LazyLock<Vec<Sprite>> = LazyLock::new(|| {
    (0..ENTRIES)
        .map(|entry| {
            let (phase_x, phase_y) = (entry % PHASES, entry / PHASES % PHASES);
            let step = entry / (PHASES * PHASES);
            let middle = 0.5 * f64::from(rows(step) - 1);
            let place = |phase: i32| middle + f64::from(phase) / f64::from(PHASES);
            let radius = f64::from(step) / f64::from(RADII);
            std::array::from_fn(|y| {
                std::array::from_fn(|x| {
                    let (x, y) = (x as f64 - place(phase_x), y as f64 - place(phase_y));
                    pixels::ready(blend::weight(coverage::exact(x, y, radius) as f32))
                })
            })
        })
        .collect()
});

/// Rows that a disc of that radius, pixels, can meet at any phase: 2, 3 or 4.
pub(crate) fn rows_of(radius: f32) -> i32 {
    rows(blend::round(radius * RADII))
}

/// The same of a radius in steps.
#[inline(always)]
fn rows(step: i32) -> i32 {
    2 + i32::from(step > 32) + i32::from(step > 64)
}

/// Where a disc's sprite is and which one it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Its first column.
    pub(crate) left: i32,
    /// Its first row.
    pub(crate) top: i32,
    /// Its index in the table.
    pub(crate) entry: u32,
}

impl Placed {
    /// The sprite of a disc, by its centre and radius in pixels. No branch: many at a time.
    #[inline(always)]
    pub(crate) fn new(x: f32, y: f32, radius: f32) -> Self {
        let step = blend::round(if radius < RADIUS_MAX { radius } else { RADIUS_MAX } * RADII);
        let middle = 0.5 * (rows(step) - 1) as f32;
        let left = phase(x - middle);
        let top = phase(y - middle);
        let phases = (top & (PHASES - 1)) * PHASES + (left & (PHASES - 1));
        Self { left: left >> 4, top: top >> 4, entry: (step * PHASES * PHASES + phases) as u32 }
    }
}

/// The phase nearest to a place in the frame, counted from the frame's corner.
#[inline(always)]
fn phase(place: f32) -> i32 {
    blend::round(blend::near(place) * PHASES as f32)
}

/// The largest whole number that isn't larger, for numbers of any size. `f32::floor` is a call where
/// the processor is only known to be of the first x86-64 generation.
#[inline(always)]
pub(crate) fn floor(value: f32) -> i32 {
    let whole = value as i32;
    whole.saturating_sub(i32::from(whole as f32 > value))
}

/// Makes the table if nobody has yet, so that no draw has to.
pub(crate) fn prepare() {
    LazyLock::force(&SPRITES);
}

/// The table, to be got once a band.
pub(crate) fn table() -> &'static [Sprite] {
    &SPRITES
}

/// Where a sprite is that lies outside of the band.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// Where a sprite is that a border of the band cuts.
pub(crate) const CUT: u32 = u32::MAX - 1;

/// The sprites of a batch.
pub(crate) struct Many {
    /// Where the first pixel of each is in the band, or [`CUT`], or [`OUTSIDE`].
    pub(crate) at: [u32; LEN],
    // What a sprite is placed by, for those that are cut.
    left: [i32; LEN],
    top: [i32; LEN],
    entry: [u32; LEN],
}

impl Many {
    /// The sprites of discs by their centres and radii, of which that many rows are drawn.
    #[inline(always)]
    pub(crate) fn new<const ROWS: usize>(band: &Band<'_>, discs: [&[f32; LEN]; 3]) -> Self {
        let [x, y, radius] = discs;
        let (width, height, rows) = (band.width, band.rows, const { ROWS as u32 }.cast_signed());
        let mut many = Self { at: [0; LEN], left: [0; LEN], top: [0; LEN], entry: [0; LEN] };
        for k in 0..LEN {
            let placed = Placed::new(x[k], y[k], radius[k]);
            let (left, top) = (placed.left, placed.top - band.top);
            let within = left >= 0 && left <= width - 4 && top >= 0 && top <= height - rows;
            let meets = left > -4 && left < width && top > -rows && top < height;
            let other = if meets { CUT } else { OUTSIDE };
            many.at[k] = if within { (top * width + left).cast_unsigned() } else { other };
            many.left[k] = left;
            many.top[k] = placed.top;
            many.entry[k] = placed.entry;
        }
        many
    }

    /// One of them.
    #[inline(always)]
    pub(crate) fn get(&self, k: usize) -> Placed {
        Placed { left: self.left[k], top: self.top[k], entry: self.entry[k] }
    }
}

/// Draws a share of 0 to 1 of a small disc, the rest of which is density.
pub(crate) fn draw_faint(band: &mut Band<'_>, placed: Placed, color: Lanes, share: f32) {
    let share = blend::weight(share);
    let sprite = table()[placed.entry as usize]
        .map(|row| row.map(|ready| pixels::ready(part(pixels::weight_of(ready), share))));
    draw_cut(band, &sprite, placed, color);
}

/// A share of a weight, both of 0 to 256.
fn part(weight: u16, share: u16) -> u16 {
    pixels::lane(0, weight, share)
}

/// Draws a sprite that the band's borders may cut.
pub(crate) fn draw_cut(band: &mut Band<'_>, sprite: &Sprite, placed: Placed, color: Lanes) {
    band.simd.run(Cut { band, sprite, placed, color });
}

/// Draws what lies in the band of a sprite.
struct Cut<'a, 'b> {
    band: &'a mut Band<'b>,
    sprite: &'a Sprite,
    placed: Placed,
    color: Lanes,
}

impl Kernel for Cut<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, sprite, placed, color } = self;
        let (left, top) = (placed.left, placed.top - band.top);
        let (width, height) = (band.width, band.rows);
        let (first, end) = (top.max(0), (top + 4).min(height));
        if first >= end || left <= -4 || left >= width {
            return;
        }
        let sprite = &sprite[(first - top) as usize..(end - top) as usize];
        for (y, weights) in (first..).zip(sprite) {
            let row = y * width;
            if left >= 0 && left + 4 <= width {
                let place = [(row + left) as usize, 0];
                pixels::tint_rows(band.simd, band.pixels, place, color, &[*weights]);
                continue;
            }
            for (x, &ready) in (left..).zip(weights) {
                if (0..width).contains(&x) {
                    let pixel = &mut band.pixels[(row + x) as usize];
                    let color = color.map(|channel| channel as u8);
                    *pixel = blend::mix(*pixel, color, pixels::weight_of(ready));
                }
            }
        }
    }
}
