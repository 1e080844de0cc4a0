//! A disc in pixels, and how one that is large enough to be seen as one is shaded.
//!
//! ```text
//!      ░░▒▒▒░░     light from above, by row
//!    ░▒▒▓▓▓▓▒▒░    rim: darker towards the edge, by the square of the distance from the centre
//!    ░▒▓▓▓▓▓▓▒░
//!    ░▒▒▓▓▓▓▒▒░    a row has one color for its middle and one for its edge
//!      ▒▒▓▓▓▒▒     shade at the bottom, by row
//! ```
//!
//! So nothing that is done to a pixel takes a root, and what is not rim is one fill a row.

use crate::raster::blend::{self, BLOCK, Block, Pixel, Weight, signed};

/// Largest radius of a disc without rim and light, pixels.
pub(crate) const PLAIN: f32 = 6.0;

/// Radius from which it has all of them, pixels.
const SHADED: f32 = 14.0;

/// Width of the rim as a share of the radius, and at most, pixels.
const RIM: [f32; 2] = [0.36, 24.0];

/// Black mixed in at the rim's outer edge, black at the bottom of the disc, and white at its top.
const RIM_SHADE: f32 = 0.52;
const BOTTOM_SHADE: f32 = 0.30;
const TOP_LIGHT: f32 = 0.16;

const BLACK: Pixel = [0, 0, 0, 255];

/// A disc in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    /// Centre.
    pub(crate) x: f32,
    /// Centre.
    pub(crate) y: f32,
    /// Radius.
    pub(crate) radius: f32,
    /// Its own color, before rim and light.
    pub(crate) color: Pixel,
    /// How much of them it gets if it is large enough, 0 to 1.
    pub(crate) shading: f32,
}

/// What all pixels of a disc have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shading {
    /// The disc's centre.
    y: f32,
    color: Pixel,
    /// How much rim and light it gets, 0 to 1.
    strength: f32,
    /// Radius up to which a row has one color.
    pub(crate) inner: f32,
    inner_square: f32,
    per_square: f32,
    per_radius: f32,
}

/// The colors of some rows: inside of the rim, and at its outer edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colors {
    pub(crate) body: Block,
    pub(crate) rim: Block,
}

impl Colors {
    /// One color throughout.
    #[inline(always)]
    pub(crate) fn plain(color: Pixel) -> Self {
        Self { body: [color; BLOCK], rim: [color; BLOCK] }
    }
}

impl Shading {
    /// The shading of a disc.
    #[inline(always)]
    pub(crate) fn new(disc: &Disc) -> Self {
        let size = ((disc.radius - PLAIN) / (SHADED - PLAIN)).clamp(0.0, 1.0);
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

    /// True if not all pixels have the disc's own color.
    #[inline(always)]
    pub(crate) fn shows(&self) -> bool {
        self.strength > 0.0
    }

    /// The colors of as many rows as a block has columns, the first of which is row `y` of the frame.
    #[inline(always)]
    pub(crate) fn rows(&self, y: i32) -> Colors {
        let (mut light, mut shade) = ([0; BLOCK], [0; BLOCK]);
        for k in 0..BLOCK {
            // From 0 at the top to 1 at the bottom; squares leave the middle to the color itself.
            let low = (0.5 + 0.5 * ((y + signed(k)) as f32 + 0.5 - self.y) * self.per_radius)
                .clamp(0.0, 1.0);
            let high = 1.0 - low;
            light[k] = blend::weight(high * high * TOP_LIGHT * self.strength);
            shade[k] = blend::weight(low * low * BOTTOM_SHADE * self.strength);
        }
        let dark = blend::weight(self.strength * RIM_SHADE);
        let mut colors = Colors::plain(self.color);
        for k in 0..BLOCK {
            let lit = blend::mix(self.color, [255; 4], light[k]);
            colors.body[k] = blend::mix(lit, BLACK, shade[k]);
            colors.rim[k] = blend::mix(colors.body[k], BLACK, dark);
        }
        colors
    }

    /// How much of a pixel has the body's color and not the rim's, by the square of the distance between
    /// its centre and the disc's.
    #[inline(always)]
    pub(crate) fn inward(&self, square: f32) -> Weight {
        let outward = ((square - self.inner_square) * self.per_square).max(0.0);
        blend::weight(1.0 - outward * outward)
    }
}
