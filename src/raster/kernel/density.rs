//! Density: agents too small for a disc add to a sum per pixel, and the sum is tone-mapped.
//!
//! Each agent adds its color times its weight to the pixel that holds its center. That is the limit
//! of the coverage of ever smaller discs. A sum `a` of weights covers `1 - exp(-a)` of the pixel:
//! the expected coverage of the same discs at random positions, so the transition from discs to
//! density does not show. In between, an agent is drawn as both, in shares that add up to one.
//!
//! Below a quarter of a pixel, the weight is proportional to the radius and not to its square. Dust
//! in an empty world thus stays visible, and a dense crowd does not turn gray.
//!
//! With automatic exposure, the crowd decides instead of the radius. Where discs cover each other
//! anyway, all small discs are density, and elsewhere none is. No batch then needs both kinds,
//! unless larger discs are among the small ones. From 1.27 agents per pixel on, sprites change with
//! the crowd until at two agents per pixel each looks like density, so that the transition does not
//! show.

use crate::{
    raster::{
        band::FrameBand,
        batch::{Batch, MAGNIFIED_RADIUS_MAX, NOWHERE},
        blend::{self, Sum},
        color_table::TONES,
        context::DensityBy,
        culling::BATCH_LEN,
    },
    simd::{self, Kernel, tone},
};

/// Radius below which an agent is drawn as density, at least in part; pixels.
pub(crate) const DENSITY_RADIUS_MAX: f32 = 0.25;

/// Radius up to which an agent is drawn as density alone; pixels.
pub(super) const DENSITY_ONLY_RADIUS_MAX: f32 = 0.234_375;

/// Largest radius of a disc that is density in a dense crowd, pixels. A magnified disc has a
/// smaller radius.
pub(crate) const CROWD_RADIUS_MAX: f32 = 17.0 / 32.0;

/// Pixels that a disc of density covers.
#[inline(always)]
fn weight(radius: f32) -> f32 {
    let wide = if radius > DENSITY_RADIUS_MAX { radius } else { DENSITY_RADIUS_MAX };
    std::f32::consts::PI * wide * radius
}

/// Makes the sprites of small discs look like density, by a share of 0 to 1: moves them to the
/// middle of their pixel, and makes them smaller.
///
/// A disc of weight `a` in the middle of its pixel covers less than `a` of it, because density
/// covers `1 - exp(-a)` for any number of discs.
#[inline(always)]
pub(crate) fn imitate(batch: &mut Batch, share: f32) {
    // For radii up to half a pixel: `exp` without libm, off by less than a hundredth of the radius.
    const SHRINKING: f32 = 0.7;
    let to_middle = |at: f32, share: f32| {
        // Rounding half less is rounding down.
        let from_middle = blend::clamp_coordinate(at) - 0.5;
        at - share * (from_middle - blend::round(from_middle) as f32)
    };
    for k in 0..BATCH_LEN {
        let radius = batch.radius[k];
        let fading =
            (CROWD_RADIUS_MAX - radius) * (1.0 / (CROWD_RADIUS_MAX - MAGNIFIED_RADIUS_MAX));
        let share = share * fading.clamp(0.0, 1.0);
        batch.x[k] = to_middle(batch.x[k], share);
        batch.y[k] = to_middle(batch.y[k], share);
        batch.radius[k] = radius - radius * radius * radius * (share * SHRINKING);
    }
}

/// The share of an agent that is density, by its radius in pixels: 0 to 1.
#[inline(always)]
pub(crate) fn share(radius: f32) -> f32 {
    ((DENSITY_RADIUS_MAX - radius) * (1.0 / (DENSITY_RADIUS_MAX - DENSITY_ONLY_RADIUS_MAX)))
        .clamp(0.0, 1.0)
}

/// Adds the agents of a batch to the sums of a band, each by its share of density. `colors` holds
/// red, green, blue and 1 for each tone.
#[inline(always)]
pub(crate) fn add(band: &mut FrameBand<'_>, batch: &Batch, by: DensityBy, colors: &[Sum; TONES]) {
    // A choice inside a loop keeps compilers from vectorizing it.
    let mut weights = batch.radius;
    match by {
        DensityBy::Radius => {
            for radius in &mut weights {
                *radius = weight(*radius) * share(*radius);
            }
        }
        DensityBy::ThinCrowd(_) => return,
        DensityBy::DenseCrowd => {
            for radius in &mut weights {
                let small = *radius <= CROWD_RADIUS_MAX;
                *radius = if small { weight(*radius) } else { 0.0 };
            }
        }
    }
    let mut at = [0; BATCH_LEN];
    let (width, rows) = (band.width.cast_unsigned(), band.rows.cast_unsigned());
    let top = band.top;
    for k in 0..BATCH_LEN {
        // Rounding half less is rounding down; at a tie, either pixel will do.
        let column = blend::round(blend::clamp_coordinate(batch.x[k]) - 0.5);
        let row = blend::round(blend::clamp_coordinate(batch.y[k]) - 0.5) - top;
        // A negative number is beyond the end as an unsigned one.
        let inside =
            (column.cast_unsigned() < width) & (row.cast_unsigned() < rows) & (weights[k] > 0.0);
        at[k] = if inside { row.cast_unsigned() * width + column.cast_unsigned() } else { NOWHERE };
    }
    let placed = Batch::placed(band.simd, &at);
    band.has_density |= placed != 0;
    let sums = &mut *band.density;
    let add = |sums: &mut [Sum], k: usize| {
        let (sum, color) = (&mut sums[at[k] as usize], &colors[batch.tone[k] as usize % TONES]);
        for channel in 0..4 {
            sum[channel] += color[channel] * weights[k];
        }
    };
    if placed == u64::MAX && batch.strided {
        // The order of `Batch::select`, without the list: most batches of a dense crowd are whole.
        for first in 0..8 {
            for step in 0..8 {
                add(sums, first + 8 * step);
            }
        }
        return;
    }
    let added = batch.select(placed);
    // Prefetches the sums. A whole batch of density (above) finds its sums in the cache.
    for &k in added.list() {
        simd::prefetch_item(sums, at[usize::from(k) % BATCH_LEN] as usize);
    }
    for &k in added.list() {
        add(sums, usize::from(k) % BATCH_LEN);
    }
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
