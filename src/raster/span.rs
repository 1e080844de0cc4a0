//! Large discs: row by row, an anti-aliased outline around a filled span.
//!
//! ```text
//!        ░▒▓███▓▒░            ░▒▓  outline: four pixels at a time, coverage and rim computed
//!      ░▓█████████▓░          ███  span: one fill
//!     ░▓███████████▓░
//! ```
//!
//! So a disc costs by its outline, and the span is as fast as memory. A disc that is large enough to be
//! seen as one has a darker rim and light from above: the rim is part of the outline, and the light
//! changes by row only, so that a span stays one fill.

use crate::raster::{
    band::Band,
    blend::{self, Four, Pixel},
    coverage::{self, REACH},
    sprite::floor,
};

/// Radii between which rim and light fade in, pixels.
const SHADED: [f32; 2] = [6.0, 14.0];

/// Width of the rim as a share of the radius, and at most, pixels.
const RIM: [f32; 2] = [0.36, 24.0];

/// Black mixed in at the rim's outer edge, black at the bottom of the disc, and white at its top.
const RIM_SHADE: f32 = 0.52;
const BOTTOM_SHADE: f32 = 0.30;
const TOP_LIGHT: f32 = 0.16;

/// A disc in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    /// Centre.
    pub(crate) x: f32,
    /// Centre.
    pub(crate) y: f32,
    /// Radius.
    pub(crate) radius: f32,
    /// Its own colour, before rim and light.
    pub(crate) color: Pixel,
    /// How much of them it gets if it is large enough, 0 to 1.
    pub(crate) shading: f32,
}

/// What all rows of a disc have in common.
struct Shading {
    disc: Disc,
    strength: f32,
    per_rim: f32,
    outer: f32,
    inner: f32,
}

/// One row of a disc.
struct Row {
    dy: f32,
    body: Pixel,
    rim: Pixel,
}

/// Draws a disc into a band, clipped to it.
pub(crate) fn draw(band: &mut Band<'_>, disc: Disc) {
    let first = floor(disc.y - disc.radius).max(band.top);
    let end = floor(disc.y + disc.radius).saturating_add(1).min(band.top + band.rows);
    let missed = disc.x + disc.radius <= 0.0 || disc.x - disc.radius >= band.width as f32;
    if first >= end || missed {
        return;
    }
    let size = ((disc.radius - SHADED[0]) / (SHADED[1] - SHADED[0])).clamp(0.0, 1.0);
    let strength = size * disc.shading.clamp(0.0, 1.0);
    let rim = (disc.radius * RIM[0]).min(RIM[1]);
    let shading = Shading {
        disc,
        strength,
        per_rim: 1.0 / rim,
        outer: disc.radius + REACH,
        inner: disc.radius - REACH - if strength > 0.0 { rim } else { 0.1 },
    };
    let width = band.width;
    for y in first..end {
        shading.row(band.row(y), width, y);
    }
}

impl Shading {
    /// Draws the part of the disc in row `y` of the frame.
    fn row(&self, pixels: &mut [Pixel], width: i32, y: i32) {
        let dy = y as f32 + 0.5 - self.disc.y;
        let half = |radius: f32| (radius * radius - dy * dy).max(0.0).sqrt();
        let clip = |x: i32| x.max(0).min(width);
        let (outer, center) = (half(self.outer), self.disc.x - 0.5);
        let start = clip(floor(center - outer) + 1);
        let end = clip(floor(center + outer).saturating_add(1));
        // The span: pixels whose centres are so far inside that nothing is left to compute.
        let inner = if self.inner > dy.abs() { half(self.inner) } else { -1.0 };
        let filled = clip(floor(center - inner).saturating_add(1)).clamp(start, end);
        let rest = clip(floor(center + inner).saturating_add(1)).clamp(filled, end);

        let row = self.shade(dy);
        self.outline(pixels, start..filled, &row);
        pixels[filled as usize..rest as usize].fill(row.body);
        self.outline(pixels, rest..end, &row);
    }

    /// The colours of a row: light from above, and the rim in it.
    fn shade(&self, dy: f32) -> Row {
        // From 0 at the top to 1 at the bottom; squares leave the middle to the colour itself.
        let low = (0.5 + 0.5 * dy / self.disc.radius).clamp(0.0, 1.0);
        let high = 1.0 - low;
        let light = blend::weight(high * high * TOP_LIGHT * self.strength);
        let shade = blend::weight(low * low * BOTTOM_SHADE * self.strength);
        let lit = blend::mix(self.disc.color, [255; 4], light);
        let body = blend::mix(lit, [0, 0, 0, 255], shade);
        let rim = blend::mix(body, [0, 0, 0, 255], blend::weight(self.strength * RIM_SHADE));
        Row { dy, body, rim }
    }

    /// Draws outline pixels, four at a time.
    fn outline(&self, pixels: &mut [Pixel], xs: std::ops::Range<i32>, row: &Row) {
        let (body, rim) = ([row.body; 4], [row.rim; 4]);
        for x in xs.clone().step_by(4) {
            let mut covered = [0; 4];
            let mut inward = [0; 4];
            for (k, column) in (x..x + 4).enumerate() {
                let dx = column as f32 + 0.5 - self.disc.x;
                let depth = self.disc.radius - (dx * dx + row.dy * row.dy).sqrt();
                let outward = (1.0 - depth * self.per_rim).clamp(0.0, 1.0);
                inward[k] = blend::weight(1.0 - outward * outward);
                let share = coverage::outline(dx, row.dy, self.disc.radius);
                covered[k] = if column < xs.end { blend::weight(share) } else { 0 };
            }
            let color = blend::mix_four(&rim, &body, &inward);
            let pixels = &mut pixels[x as usize..];
            if let Some(four) = pixels.first_chunk_mut() {
                *four = blend::mix_four(four, &color, &covered);
            } else {
                // The frame ends within these four.
                let mut four: Four = [[0; 4]; 4];
                four[..pixels.len()].copy_from_slice(pixels);
                let mixed = blend::mix_four(&four, &color, &covered);
                pixels.copy_from_slice(&mixed[..pixels.len()]);
            }
        }
    }
}
