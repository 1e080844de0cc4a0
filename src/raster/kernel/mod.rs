//! The kernels: how a disc becomes pixels, by its radius in pixels.
//!
//! ```text
//! 0        15/64    1/4         1.5         6            32
//! ├ density ─┼ both ─┼─ sprites ─┼─ corners ─┼─ analytic ─┼─ spans ─►
//! ```
//!
//! | file | discs | how |
//! |---|---|---|
//! | `density` | of less than a quarter pixel; in dense crowds half | sums of weights, tone-mapped |
//! | `sprite` | up to 1.5 pixels | 4 × 4 weights from a table |
//! | `corner` | up to 6 pixels | exact coverage of 7 × 7 or 15 × 15 pixels, in integers |
//! | `analytic` | up to 32 pixels | exact coverage of every pixel |
//! | `span` | larger | anti-aliased outline around filled rows |
//!
//! `disc` is the disc that the last three draw, and its shading. The kernels don't know each other,
//! except that sprites know which share of a disc is density; this file chooses between them.

mod analytic;
pub(crate) mod corner;
pub(crate) mod density;
mod disc;
mod span;
pub(crate) mod sprite;

use corner::CORNER_RADIUS_MAX;
use density::{CROWD_RADIUS_MAX, DENSITY_RADIUS_MAX};
pub(crate) use disc::PixelDisc;
use sprite::{SPRITE_RADIUS_MAX, SmallSprites, SpriteSlot};

use super::{
    band::FrameBand,
    batch::Batch,
    blend,
    color_table::TONES,
    context::{DensityBy, DrawContext},
    culling::BATCH_LEN,
};
use crate::simd::masks;

/// Largest radius of an analytic disc, pixels. In `f32`, the areas of larger discs have too few
/// digits left for a single pixel.
const ANALYTIC_RADIUS_MAX: f32 = 32.0;

/// Smallest radius of a single disc that is drawn, pixels: it covers 1/512 of a pixel.
const VISIBLE_RADIUS_MIN: f32 = 0.025;

/// The kernels that a batch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernels {
    /// Rows of the tallest sprite, at least 2; 0 if no agent is a disc, not even in part.
    pub(crate) sprite_rows: i32,
    /// True if an agent is a disc that is larger than a sprite.
    pub(crate) larger: bool,
    /// True if an agent is density, at least in part.
    pub(crate) density: bool,
}

impl Kernels {
    /// The kernels for a batch in a band.
    #[inline(always)]
    pub(crate) fn new(batch: &Batch, band: &FrameBand<'_>, by: DensityBy) -> Self {
        let (above, below) = (band.top as f32 - 1.0, (band.top + band.rows) as f32 + 1.0);
        // Floats that aren't negative are in the order of their bits, and the minimum and maximum
        // of integers vectorize. Discs of radius 0 are ignored when taking the minimum.
        let sprite_max = SPRITE_RADIUS_MAX.to_bits();
        let (mut least, mut most, mut tallest) = (u32::MAX, 0, 0);
        for (&radius, &y) in batch.radius.iter().zip(&batch.y) {
            let near = (y + radius > above) & (y - radius < below);
            let bits = if near { radius.to_bits() } else { 0 };
            least = least.min(bits.wrapping_sub(1));
            most = most.max(bits);
            tallest = tallest.max(if bits <= sprite_max { bits } else { 0 });
        }
        let [least, most, tallest] = [least.wrapping_add(1), most, tallest].map(f32::from_bits);
        let small = match by {
            DensityBy::Radius => least < DENSITY_RADIUS_MAX,
            DensityBy::ThinCrowd(_) => false,
            DensityBy::DenseCrowd => least <= CROWD_RADIUS_MAX,
        };
        Self {
            sprite_rows: if most > SmallSprites::new(by).least {
                sprite::rows_of(tallest)
            } else {
                0
            },
            larger: most > SPRITE_RADIUS_MAX,
            density: most > 0.0 && small,
        }
    }

    /// True if no agent is drawn.
    #[inline(always)]
    pub(crate) fn none(self) -> bool {
        self.sprite_rows == 0 && !self.density
    }
}

/// The discs of a batch that are larger than sprites, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LargerDiscs {
    pub(crate) all: u64,
    /// Discs of at most 7 × 7 pixels that may overlap the band.
    pub(crate) small: u64,
    /// Larger discs that may overlap the band; each is drawn alone.
    pub(crate) rest: u64,
}

impl LargerDiscs {
    /// The discs of a batch.
    #[inline(always)]
    pub(crate) fn new(batch: &Batch, band: &FrameBand<'_>) -> Self {
        let (above, below) = (band.top as f32 - 1.0, (band.top + band.rows) as f32 + 1.0);
        let mut reach = [0.0; BATCH_LEN];
        for (reach, (&y, &radius)) in reach.iter_mut().zip(batch.y.iter().zip(&batch.radius)) {
            // Above 0 if both borders are within reach.
            let [over, under] = [y + radius - above, below - (y - radius)];
            *reach = if over < under { over } else { under };
        }
        let all = masks::lanes_above(band.simd, &batch.radius, SPRITE_RADIUS_MAX);
        let near = all & masks::lanes_above(band.simd, &reach, 0.0);
        let larger = masks::lanes_above(band.simd, &batch.radius, corner::SMALL_RADIUS_MAX);
        Self { all, small: near & !larger, rest: near & larger }
    }
}

/// Draws a disc of any radius as a whole, without density, even if it is small enough for density.
#[inline(always)]
pub(crate) fn draw_disc(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    let radius = disc.radius;
    if radius > ANALYTIC_RADIUS_MAX {
        span::draw(band, disc);
    } else if (DENSITY_RADIUS_MAX..=SPRITE_RADIUS_MAX).contains(&radius) {
        draw_sprite(band, disc, DensityBy::Radius);
    } else if radius > CORNER_RADIUS_MAX {
        analytic::draw(band, disc);
    } else if radius > VISIBLE_RADIUS_MIN {
        corner::draw(band, disc);
    }
}

/// Draws an agent of a batch that is a sprite cut by a border of the band, or a larger disc. Not
/// inlined: the loop over sprites needs the registers.
#[inline(never)]
pub(crate) fn draw_agent(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &Batch,
    k: usize,
) {
    let (x, y, radius) = (batch.x[k], batch.y[k], batch.radius[k]);
    let color = context.colors.pixels[batch.tone[k] as usize % TONES];
    let disc = PixelDisc { x, y, radius, color, shading: context.style.shading };
    if radius <= SPRITE_RADIUS_MAX {
        draw_sprite(band, &disc, context.prepared.small.density);
    } else {
        draw_disc(band, &disc);
    }
}

/// Draws the sprite of a disc, clipped to the band.
fn draw_sprite(band: &mut FrameBand<'_>, disc: &PixelDisc, by: DensityBy) {
    let slot = SpriteSlot::new(disc.x, disc.y, disc.radius, SmallSprites::new(by));
    let sprite = &sprite::table()[slot.entry as usize];
    sprite::draw_clipped(band, sprite, slot, blend::lanes(disc.color));
}
