//! Density: agents too small for a disc add to a sum per pixel, and the sum is tone-mapped.
//!
//! Each agent adds its color times its weight to the pixel that holds its center. That is the limit
//! of the coverage of ever smaller discs. A sum `a` of weights covers `1 - exp(-a)` of the pixel,
//! as much as the same discs would cover if they were drawn over each other at random, so the
//! transition from discs to density does not show. In between, an agent is drawn as both, in shares
//! that add up to one.
//!
//! Below a quarter of a pixel, the weight is proportional to the radius and not to its square. Dust
//! in an empty world thus stays visible, and a dense crowd does not turn gray.

use crate::{
    raster::{
        band::FrameBand,
        batch::{Batch, NOWHERE},
        blend::{self, Sum},
        color_table::TONES,
        culling::BATCH_LEN,
    },
    simd::{self, Kernel, tone},
};

/// Radius below which an agent is drawn as density, at least in part; pixels.
pub(crate) const DENSITY_RADIUS_MAX: f32 = 0.25;

/// Radius up to which an agent is drawn as density alone; pixels.
pub(super) const DENSITY_ONLY_RADIUS_MAX: f32 = 0.234_375;

/// The share of an agent that is density, by its radius in pixels: 0 to 1.
#[inline(always)]
pub(crate) fn share(radius: f32) -> f32 {
    ((DENSITY_RADIUS_MAX - radius) * (1.0 / (DENSITY_RADIUS_MAX - DENSITY_ONLY_RADIUS_MAX)))
        .clamp(0.0, 1.0)
}

/// Adds the agents of a batch to the sums of a band, each by its share of density. `colors` holds
/// red, green, blue and 1 for each tone.
#[inline(always)]
pub(crate) fn add(band: &mut FrameBand<'_>, batch: &Batch, colors: &[Sum; TONES]) {
    let (mut at, mut weights) = ([0; BATCH_LEN], [0.0; BATCH_LEN]);
    let (width, rows) = (band.width.cast_unsigned(), band.rows.cast_unsigned());
    let top = band.top;
    for k in 0..BATCH_LEN {
        // Rounding half less is rounding down; at a tie, either pixel will do.
        let column = blend::round(blend::clamp_coordinate(batch.x[k]) - 0.5);
        let row = blend::round(blend::clamp_coordinate(batch.y[k]) - 0.5) - top;
        let radius = batch.radius[k];
        let weight = std::f32::consts::PI * DENSITY_RADIUS_MAX * radius * share(radius);
        // A negative number is beyond the end as an unsigned one.
        let inside =
            (column.cast_unsigned() < width) & (row.cast_unsigned() < rows) & (weight > 0.0);
        at[k] = if inside { row.cast_unsigned() * width + column.cast_unsigned() } else { NOWHERE };
        weights[k] = weight;
    }
    let added = batch.select(Batch::placed(band.simd, &at));
    // A batch of density alone has its neighbors' pixels, which are in the cache.
    if !added.is_full() {
        for &k in added.list() {
            simd::prefetch_item(band.density, at[usize::from(k) % BATCH_LEN] as usize);
        }
    }
    for &k in added.list() {
        let k = usize::from(k) % BATCH_LEN;
        let (sum, color) =
            (&mut band.density[at[k] as usize], &colors[batch.tone[k] as usize % TONES]);
        for channel in 0..4 {
            sum[channel] += color[channel] * weights[k];
        }
    }
    band.has_density |= !added.list().is_empty();
}

/// Tone-maps the sums onto the pixels of a band, and clears the sums for the next draw.
pub(crate) fn tone_map(band: &mut FrameBand<'_>) {
    if band.has_density {
        band.simd.run(ToneMap { band });
    }
}

/// Tone-maps a band.
struct ToneMap<'a, 'b> {
    band: &'a mut FrameBand<'b>,
}

impl Kernel for ToneMap<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        tone::tone_map(self.band.simd, self.band.pixels, self.band.density);
    }
}
