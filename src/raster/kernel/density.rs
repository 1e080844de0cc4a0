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
        batch::Batch,
        blend::{self, Four, Sum},
        culling::BATCH_LEN,
    },
    simd::Kernel,
};

/// Radius below which an agent is drawn as density, at least in part; pixels.
pub(crate) const DENSITY_RADIUS_MAX: f32 = 0.25;

/// Radius up to which an agent is drawn as density alone; pixels.
pub(super) const DENSITY_ONLY_RADIUS_MAX: f32 = 0.1875;

/// The share of an agent that is density, by its radius in pixels: 0 to 1.
#[inline(always)]
pub(crate) fn share(radius: f32) -> f32 {
    ((DENSITY_RADIUS_MAX - radius) * (1.0 / (DENSITY_RADIUS_MAX - DENSITY_ONLY_RADIUS_MAX)))
        .clamp(0.0, 1.0)
}

/// The index of an agent outside the band.
const NOWHERE: u32 = u32::MAX;

/// Adds the agents of a batch to the sums of a band, each by its share of density. `colors` holds
/// red, green, blue and 1 for each tone.
#[inline(always)]
pub(crate) fn add(band: &mut FrameBand<'_>, batch: &Batch, colors: &[Sum; 256]) {
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
    let added = batch.select(|k| at[k] != NOWHERE);
    for k in added.iter() {
        let (sum, color) =
            (&mut band.density[at[k] as usize], &colors[batch.tone[k] as usize & 255]);
        for channel in 0..4 {
            sum[channel] += color[channel] * weights[k];
        }
    }
    band.has_density |= !added.is_empty();
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
        let (fours, last) = self.band.pixels.as_chunks_mut::<4>();
        let (four_sums, last_sums) = self.band.density.as_chunks_mut::<4>();
        for (four, sums) in fours.iter_mut().zip(four_sums) {
            tone_map_four(four, sums);
        }
        let (mut four, mut four_sums) = ([[0; 4]; 4], [[0.0; 4]; 4]);
        four[..last.len()].copy_from_slice(last);
        four_sums[..last.len()].copy_from_slice(last_sums);
        tone_map_four(&mut four, &mut four_sums);
        last.copy_from_slice(&four[..last.len()]);
        last_sums.fill([0.0; 4]);
    }
}

#[inline(always)]
fn tone_map_four(four: &mut Four, sums: &mut [Sum; 4]) {
    let sums: &mut [f32; 16] = bytemuck::cast_mut(sums);
    // Bits, because comparing floats takes a branch for each.
    if [3, 7, 11, 15].iter().fold(0, |bits, &lane: &usize| bits | sums[lane].to_bits()) == 0 {
        return;
    }
    // One weight per lane and not per pixel: the compiler would gather four of them from memory.
    let weights: [f32; 16] = std::array::from_fn(|lane| sums[lane | 3]);
    let bytes: &mut [u8; 16] = bytemuck::cast_mut(four);
    for lane in 0..16 {
        // exp(-a) as the reciprocal of its series needs no libm and is off by 0.012 at most. The
        // color's share of the sum, (1 - exp(-a)) / a, follows from the same terms without a
        // division of 0 by 0.
        let a = weights[lane];
        let rest = 1.0 + a * (0.5 + a * (1.0 / 6.0 + a * (1.0 / 24.0)));
        let clear = 1.0 / (1.0 + a * rest);
        let value = f32::from(bytes[lane]) * clear + sums[lane] * (rest * clear);
        bytes[lane] = if lane % 4 == 3 { 255 } else { blend::round(value) as u8 };
    }
    *sums = [0.0; 16];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_billion_agents_have_their_own_color() {
        let mut four = [[10, 20, 30, 255]; 4];
        let mut sums = [[200.0 * 1e9, 100.0 * 1e9, 0.0, 1e9]; 4];
        tone_map_four(&mut four, &mut sums);
        assert_eq!(four, [[200, 100, 0, 255]; 4]);
    }
}
