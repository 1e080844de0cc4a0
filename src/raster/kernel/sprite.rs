//! Sprites: the coverage of small discs, computed once for every radius and sub-pixel phase that
//! the eye can tell apart.
//!
//! ```text
//!    one sprite: 4 × 4 weights             the table
//!    ┌───┬───┬───┬───┐                     97 radii up to 1.5, and 17 of a part of the disc
//!    │  9│ 74│ 21│  0│ 2 to 4 rows used      × 16 phases in y
//!    ├───┼───┼───┼───┤                         × 16 phases in x
//!    │ 58│256│ 97│  0│ a byte each                 × 16 bytes          = 456 KiB
//!    ├───┼───┼───┼───┤
//!    │  3│ 40│ 10│  0│                     a frame of equal discs touches 4 KiB of it, and one
//!    └───┴───┴───┴───┘                     of radii A to 2A 100 KiB, which stay in the L2 cache
//! ```
//!
//! Radii are 1/64 of a pixel apart. Where the radius decides which discs are density (see
//! `density`), radii below a quarter of a pixel are 1/1024 apart, and the weights leave out the
//! share that is density. Where the crowd decides, such a disc covers the same area as it would as
//! density.
//!
//! A disc is drawn at the nearest phase, at most 1/32 of a pixel off in x and in y. Its coverage is
//! off by 12/255 at the worst pixel of the worst phase, and by less than 2/255 on average.

use std::{f64::consts::FRAC_PI_2, sync::LazyLock};

use super::density::{self, CROWD_RADIUS_MAX, DENSITY_ONLY_RADIUS_MAX, DENSITY_RADIUS_MAX};
use crate::{
    raster::{
        band::{self, FrameBand},
        batch::{Batch, NOWHERE},
        blend::{self, Lanes},
        context::DensityBy,
        culling::BATCH_LEN,
    },
    simd::{
        Kernel,
        sprites::{self, OTHER, Sprite},
    },
};

/// Largest radius of a sprite, pixels: such a disc meets four pixels per row.
pub(super) const SPRITE_RADIUS_MAX: f32 = 1.5;

/// Phases per pixel, in x and in y.
const PHASES: i32 = 16;

/// Radii per pixel, where all of a disc is a sprite.
const RADII: f32 = 64.0;

/// Radii per pixel, where a part of a disc is a sprite.
const PART_RADII: f32 = 1024.0;

/// Steps from the smallest radius that is partly a sprite to the smallest that is a whole one.
const PART_STEPS: i32 = ((DENSITY_RADIUS_MAX - DENSITY_ONLY_RADIUS_MAX) * PART_RADII) as i32;

/// Steps from radius 0 to a quarter of a pixel.
const DUST_STEPS: i32 = (DENSITY_RADIUS_MAX * RADII) as i32;

/// The step of a quarter of a pixel. The table begins with the parts, the last of which is a whole
/// sprite; radii from 0 to the largest follow.
const QUARTER: i32 = PART_STEPS + 1 + DUST_STEPS;

/// The step of the largest radius.
const LAST: i32 = QUARTER + ((SPRITE_RADIUS_MAX - DENSITY_RADIUS_MAX) * RADII) as i32;

const ENTRIES: i32 = (LAST + 1) * PHASES * PHASES;

/// The sprites of discs of less than a quarter of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallSprites {
    /// Steps per pixel.
    per_pixel: f32,
    /// The step of a quarter of a pixel.
    quarter: i32,
    /// Discs up to this radius are no sprites, pixels.
    pub(super) least: f32,
}

impl SmallSprites {
    /// The sprites that go with density.
    #[inline(always)]
    pub(super) fn new(by: DensityBy) -> Self {
        match by {
            DensityBy::Radius => {
                Self { per_pixel: PART_RADII, quarter: PART_STEPS, least: DENSITY_ONLY_RADIUS_MAX }
            }
            DensityBy::ThinCrowd(_) => Self { per_pixel: RADII, quarter: QUARTER, least: 0.0 },
            DensityBy::DenseCrowd => {
                Self { per_pixel: RADII, quarter: QUARTER, least: CROWD_RADIUS_MAX }
            }
        }
    }
}

/// All sprites. The table is constant, so all renderers share it.
static SPRITES: LazyLock<Vec<Sprite>> = LazyLock::new(|| {
    (0..ENTRIES)
        .map(|entry| {
            let (phase_x, phase_y) = (entry % PHASES, entry / PHASES % PHASES);
            let step = entry / (PHASES * PHASES);
            let middle = 0.5 * f64::from(rows(step) - 1);
            let center = |phase: i32| middle + f64::from(phase) / f64::from(PHASES);
            let (radius, share) = radius(step);
            std::array::from_fn(|y| {
                std::array::from_fn(|x| {
                    let (x, y) = (x as f64 - center(phase_x), y as f64 - center(phase_y));
                    let coverage = coverage(x, y, f64::from(radius)) as f32;
                    sprites::prepare(blend::weight(coverage * share))
                })
            })
        })
        .collect()
});

/// Area of the square from `(x, y)` to `(x + 1, y + 1)` that lies in the disc around the origin, 0
/// to 1.
///
/// Exact except for rounding: the areas left of and below the four corners, added and subtracted.
fn coverage(x: f64, y: f64, radius: f64) -> f64 {
    let area =
        corner(x + 1.0, y + 1.0, radius) - corner(x, y + 1.0, radius) - corner(x + 1.0, y, radius)
            + corner(x, y, radius);
    area.clamp(0.0, 1.0)
}

/// Area of the part of the disc around the origin that lies left of `x` and below `y`.
fn corner(x: f64, y: f64, radius: f64) -> f64 {
    let (x, depth) = (x.clamp(-radius, radius), y.abs().min(radius));
    // The upper half of the disc, integrated from its left end.
    let half = |t: f64| {
        let rise = (radius * radius - t * t).max(0.0).sqrt();
        0.5 * (t * rise + radius * radius * ((t / radius).asin() + FRAC_PI_2))
    };
    // The line at that height cuts the disc between -cut and +cut; `off` is the area that it cuts
    // off.
    let cut = (radius * radius - depth * depth).max(0.0).sqrt();
    let within = x.clamp(-cut, cut);
    let off = half(within) - half(-cut) - depth * (within + cut);
    if y < 0.0 { off } else { 2.0 * half(x) - off }
}

/// The radius of a step of the table, pixels, and the share of the disc that is drawn.
fn radius(step: i32) -> (f32, f32) {
    if step <= PART_STEPS {
        let radius = DENSITY_RADIUS_MAX + (step - PART_STEPS) as f32 / PART_RADII;
        (radius, 1.0 - density::share(radius))
    } else if step < QUARTER {
        let radius = DENSITY_RADIUS_MAX + (step - QUARTER) as f32 / RADII;
        ((DENSITY_RADIUS_MAX * radius).sqrt(), 1.0)
    } else {
        (DENSITY_RADIUS_MAX + (step - QUARTER) as f32 / RADII, 1.0)
    }
}

/// The step with the radius nearest to one, pixels.
#[inline(always)]
fn step(radius: f32, small: SmallSprites) -> i32 {
    let radius = if radius < SPRITE_RADIUS_MAX { radius } else { SPRITE_RADIUS_MAX };
    let radius = if radius > small.least { radius } else { small.least };
    let beyond = radius - DENSITY_RADIUS_MAX;
    let is_small = beyond < 0.0;
    let steps = if is_small { beyond * small.per_pixel } else { beyond * RADII };
    blend::round(steps) + if is_small { small.quarter } else { QUARTER }
}

/// Rows that a sprite of that radius, pixels, can meet at any phase: 2, 3 or 4.
pub(super) fn rows_of(radius: f32) -> i32 {
    rows(step(radius, SmallSprites::new(DensityBy::ThinCrowd(0.0))))
}

/// The same for a radius in steps of the table.
#[inline(always)]
fn rows(step: i32) -> i32 {
    const HALF: i32 = QUARTER + (0.25 * RADII) as i32;
    const WHOLE: i32 = QUARTER + (0.75 * RADII) as i32;
    2 + i32::from(step > HALF) + i32::from(step > WHOLE)
}

/// Position of a sprite in the frame, and its index in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpriteSlot {
    /// First column.
    left: i32,
    /// First row.
    top: i32,
    /// Index in the table.
    pub(crate) entry: u32,
}

impl SpriteSlot {
    /// The sprite of a disc, by its center and radius in pixels. Free of branches, so that it
    /// vectorizes.
    #[inline(always)]
    pub(super) fn new(x: f32, y: f32, radius: f32, small: SmallSprites) -> Self {
        let step = step(radius, small);
        let middle = 0.5 * (rows(step) - 1) as f32;
        let left = phase(x - middle);
        let top = phase(y - middle);
        let phases = (top & (PHASES - 1)) * PHASES + (left & (PHASES - 1));
        Self { left: left >> 4, top: top >> 4, entry: (step * PHASES * PHASES + phases) as u32 }
    }
}

/// The phase nearest to a coordinate, counted from the corner of the frame.
#[inline(always)]
fn phase(at: f32) -> i32 {
    blend::round(blend::clamp_coordinate(at) * PHASES as f32)
}

/// Computes the table if that has not happened yet, so that no draw has to.
pub(crate) fn prepare() {
    LazyLock::force(&SPRITES);
}

/// The table. Callers look it up once per batch.
pub(crate) fn table() -> &'static [Sprite] {
    &SPRITES
}

/// The sprites of a batch.
pub(crate) struct SpriteBatch {
    /// Index of the first pixel of each sprite in the band. For a disc that is larger than a sprite
    /// or that a border of the band cuts: the index of a pixel in or near it, with [`OTHER`]. For
    /// an agent that is not drawn: [`NOWHERE`].
    pub(crate) at: [u32; BATCH_LEN],
    /// Index of each sprite in the table.
    pub(crate) entry: [u32; BATCH_LEN],
}

impl SpriteBatch {
    /// The sprites of the discs of a batch; `ROWS` rows of each are drawn.
    #[inline(always)]
    pub(crate) fn new<const ROWS: usize>(
        band: &FrameBand<'_>,
        discs: &Batch,
        by: DensityBy,
    ) -> Self {
        let small = SmallSprites::new(by);
        let (width, height, rows) = (band.width, band.rows, const { ROWS as u32 }.cast_signed());
        let columns = const { sprites::columns(ROWS) as u32 }.cast_signed();
        let mut batch = Self { at: [0; BATCH_LEN], entry: [0; BATCH_LEN] };
        for k in 0..BATCH_LEN {
            let (x, y, radius) = (discs.x[k], discs.y[k], discs.radius[k]);
            let slot = SpriteSlot::new(x, y, radius, small);
            let (left, top) = (slot.left, slot.top - band.top);
            let within = left >= 0 && left <= width - columns && top >= 0 && top <= height - rows;
            let sprite = radius > small.least && radius <= SPRITE_RADIUS_MAX;
            let meets = left > -columns && left < width && top > -rows && top < height;
            let [row, column] = [nearest(top, height), nearest(left, width)];
            let at = (row * width + column).cast_unsigned();
            let other = radius > SPRITE_RADIUS_MAX || (sprite && meets);
            let mark = if within && sprite { 0 } else { OTHER };
            batch.at[k] = if (within && sprite) || other { at | mark } else { NOWHERE };
            batch.entry[k] = slot.entry;
        }
        batch
    }
}

/// The index nearest to one that may lie outside of `0..count`.
#[inline(always)]
fn nearest(index: i32, count: i32) -> i32 {
    let index = if index < count { index } else { count - 1 };
    if index > 0 { index } else { 0 }
}

/// Draws a sprite that the borders of the band may cut.
pub(crate) fn draw_clipped(
    band: &mut FrameBand<'_>,
    sprite: &Sprite,
    slot: SpriteSlot,
    color: Lanes,
) {
    band.simd.run(ClippedSprite { band, sprite, slot, color });
}

/// Draws the part of a sprite that lies in the band.
struct ClippedSprite<'a, 'b> {
    band: &'a mut FrameBand<'b>,
    sprite: &'a Sprite,
    slot: SpriteSlot,
    color: Lanes,
}

impl Kernel for ClippedSprite<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, sprite, slot, color } = self;
        let (simd, first) = (band.simd, [slot.left, slot.top]);
        if slot.left < 0 || slot.left > band.width - 4 {
            band::clip_square(band, first, 4, |square| sprites::tint(simd, square, color, sprite));
            return;
        }
        // Nearly all clipped sprites cross the upper or the lower border alone.
        let columns = slot.left as usize..slot.left as usize + 4;
        for (y, weights) in (slot.top..).zip(sprite) {
            if (band.top..band.top + band.rows).contains(&y) {
                let row = &mut band.row(y)[columns.clone()];
                let pixels = row.first_chunk_mut().expect("four columns");
                sprites::tint_four(simd, pixels, color, weights);
            }
        }
    }
}
