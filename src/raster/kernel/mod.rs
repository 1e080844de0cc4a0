//! The kernels: how a disc becomes pixels, by its radius in pixels.
//!
//! ```text
//! 0      0.1875   0.25        1.5          32
//! ├ density ─┼ both ─┼─ sprites ─┼─ analytic ─┼─ spans ─►
//! ```
//!
//! | file | discs | how |
//! |---|---|---|
//! | `density` | of less than a quarter pixel | weights are summed per pixel and tone-mapped |
//! | `sprite` | up to 1.5 pixels | 4 × 4 weights from a table |
//! | `analytic` | up to 32 pixels | exact coverage of every pixel |
//! | `span` | larger | anti-aliased outline around filled rows |
//!
//! `disc` is the disc that the last two draw, and its shading. The kernels don't know each other;
//! this file chooses between them.

mod analytic;
pub(crate) mod density;
mod disc;
mod span;
pub(crate) mod sprite;

use density::{DENSITY_ONLY_RADIUS_MAX, DENSITY_RADIUS_MAX};
pub(crate) use disc::PixelDisc;
use sprite::{SPRITE_RADIUS_MAX, SpriteSlot};

use super::{band::FrameBand, batch::Batch, blend, context::DrawContext};

/// Largest radius of an analytic disc, pixels. In `f32`, the areas of larger discs have too few
/// digits left for a single pixel.
const ANALYTIC_RADIUS_MAX: f32 = 32.0;

/// The kernels that the agents of a batch need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchKind {
    /// None: no agent meets the band.
    Empty,
    /// Sprites alone, of at most that many rows.
    Sprites { rows: i32 },
    /// Density alone.
    Density,
    /// By the radius of each agent; `density` if any of them needs it.
    Mixed { density: bool },
}

impl BatchKind {
    /// The kernels for a batch in a band.
    #[inline(always)]
    pub(crate) fn new(batch: &Batch, band: &FrameBand<'_>) -> Self {
        let (above, below) = (band.top as f32 - 1.0, (band.top + band.rows) as f32 + 1.0);
        // Floats that aren't negative are in the order of their bits, and the minimum and maximum
        // of integers vectorize. Discs of radius 0 are ignored when taking the minimum.
        let (mut least, mut most, mut near) = (u32::MAX, 0, 0);
        for (&radius, &y) in batch.radius.iter().zip(&batch.y) {
            let bits = radius.to_bits();
            least = least.min(bits.wrapping_sub(1));
            most = most.max(bits);
            near |= u32::from(y + radius > above) & u32::from(y - radius < below);
        }
        let (least, most) = (f32::from_bits(least.wrapping_add(1)), f32::from_bits(most));
        if near == 0 || most == 0.0 {
            Self::Empty
        } else if least >= DENSITY_RADIUS_MAX && most <= SPRITE_RADIUS_MAX {
            Self::Sprites { rows: sprite::rows_of(most) }
        } else if most <= DENSITY_ONLY_RADIUS_MAX {
            Self::Density
        } else {
            Self::Mixed { density: least < DENSITY_RADIUS_MAX }
        }
    }
}

/// Draws agent `k` of a batch, of any radius, except for its share of density.
#[inline(always)]
pub(crate) fn draw_agent(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &Batch,
    k: usize,
) {
    let (x, y, radius) = (batch.x[k], batch.y[k], batch.radius[k]);
    let tone = batch.tone[k] as usize;
    if radius >= DENSITY_RADIUS_MAX {
        let color = context.colors.pixels[tone];
        draw_disc(band, &PixelDisc { x, y, radius, color, shading: context.style.shading });
    } else if radius > DENSITY_ONLY_RADIUS_MAX {
        let share = 1.0 - density::share(radius);
        let slot = SpriteSlot::new(x, y, radius);
        sprite::draw_faint(band, slot, context.colors.lanes[tone], share);
    }
}

/// Draws a disc of any radius, without density.
#[inline(always)]
pub(crate) fn draw_disc(band: &mut FrameBand<'_>, disc: &PixelDisc) {
    let PixelDisc { x, y, radius, color, .. } = *disc;
    if radius > ANALYTIC_RADIUS_MAX {
        span::draw(band, disc);
    } else if radius > SPRITE_RADIUS_MAX {
        analytic::draw(band, disc);
    } else {
        let slot = SpriteSlot::new(x, y, radius);
        let sprite = &sprite::table()[slot.entry as usize];
        sprite::draw_clipped(band, sprite, slot, blend::lanes(color));
    }
}
