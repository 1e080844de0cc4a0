//! A disc in pixels, and the shading of discs that are large enough to show it.
//!
//! ```text
//!      ░░▒▒▒░░     light from above, per row
//!    ░▒▒▓▓▓▓▒▒░    rim: darker towards the edge, by the square of the distance from the center
//!    ░▒▓▓▓▓▓▓▒░
//!    ░▒▒▓▓▓▓▒▒░    a row has one color for its middle and one for its edge
//!      ▒▒▓▓▓▒▒     shade at the bottom, per row
//! ```
//!
//! No pixel needs a square root, and the part of a row inside the rim is a single fill.

use crate::raster::blend::{self, BLOCK, Pixel, PixelBlock, Weight, signed};

/// Largest radius of a disc without shading, pixels.
pub(super) const FLAT_RADIUS_MAX: f32 = 6.0;

/// Radius from which a disc has full shading, pixels.
const SHADED_RADIUS_MIN: f32 = 14.0;

/// Width of the rim: as a share of the radius, and at most, pixels.
const RIM: [f32; 2] = [0.36, 24.0];

/// Share of black at the outer edge of the rim.
const RIM_SHADE: f32 = 0.52;

/// Share of black at the bottom of the disc.
const BOTTOM_SHADE: f32 = 0.30;

/// Share of white at the top of the disc.
const TOP_LIGHT: f32 = 0.16;

const BLACK: Pixel = [0, 0, 0, 255];

/// A disc in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PixelDisc {
    /// Center, from the left of the frame.
    pub(crate) x: f32,
    /// Center, from the top of the frame.
    pub(crate) y: f32,
    /// Radius.
    pub(crate) radius: f32,
    /// Color before shading.
    pub(crate) color: Pixel,
    /// Strength of the shading if the disc is large enough, 0 to 1.
    pub(crate) shading: f32,
}

/// The shading of a disc: everything that its pixels have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shading {
    /// Center of the disc.
    y: f32,
    color: Pixel,
    /// Strength of rim and light, 0 to 1.
    strength: f32,
    /// Radius inside which a row has one color.
    pub(super) inner: f32,
    inner_square: f32,
    per_square: f32,
    per_radius: f32,
}

/// The colors of a block of rows: inside the rim, and at its outer edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowColors {
    pub(super) body: PixelBlock,
    pub(super) rim: PixelBlock,
}

impl RowColors {
    /// The same color for every row.
    #[inline(always)]
    pub(super) fn flat(color: Pixel) -> Self {
        Self { body: [color; BLOCK], rim: [color; BLOCK] }
    }
}

impl Shading {
    /// The shading of a disc.
    #[inline(always)]
    pub(super) fn new(disc: &PixelDisc) -> Self {
        let size = ((disc.radius - FLAT_RADIUS_MAX) / (SHADED_RADIUS_MIN - FLAT_RADIUS_MAX))
            .clamp(0.0, 1.0);
        let strength = size * disc.shading.clamp(0.0, 1.0);
        let rim = if strength > 0.0 { (disc.radius * RIM[0]).min(RIM[1]) } else { 0.1 };
        let inner = disc.radius - rim;
        Self {
            y: disc.y,
            color: disc.color,
            strength,
            inner,
            inner_square: inner * inner,
            per_square: 1.0 / (disc.radius * disc.radius - inner * inner),
            per_radius: 1.0 / disc.radius,
        }
    }

    /// True if some pixels differ from the disc's own color.
    #[inline(always)]
    pub(super) fn shows(&self) -> bool {
        self.strength > 0.0
    }

    /// The colors of a block of rows, the first of which is row `y` of the frame.
    #[inline(always)]
    pub(super) fn rows(&self, y: i32) -> RowColors {
        let (mut light, mut shade) = ([0; BLOCK], [0; BLOCK]);
        for k in 0..BLOCK {
            // `low` goes from 0 at the top to 1 at the bottom. Its square leaves the middle in the
            // disc's own color.
            let low = (0.5 + 0.5 * ((y + signed(k)) as f32 + 0.5 - self.y) * self.per_radius)
                .clamp(0.0, 1.0);
            let high = 1.0 - low;
            light[k] = blend::weight(high * high * TOP_LIGHT * self.strength);
            shade[k] = blend::weight(low * low * BOTTOM_SHADE * self.strength);
        }
        let dark = blend::weight(self.strength * RIM_SHADE);
        let mut colors = RowColors::flat(self.color);
        for k in 0..BLOCK {
            let lit = blend::mix(self.color, [255; 4], light[k]);
            colors.body[k] = blend::mix(lit, BLACK, shade[k]);
            colors.rim[k] = blend::mix(colors.body[k], BLACK, dark);
        }
        colors
    }

    /// The share of the body's color, against the rim's, of a pixel at that squared distance from
    /// the center of the disc.
    #[inline(always)]
    pub(super) fn body_share(&self, square: f32) -> Weight {
        let outward = ((square - self.inner_square) * self.per_square).max(0.0);
        blend::weight(1.0 - outward * outward)
    }
}
