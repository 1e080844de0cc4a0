//! Agents too small to be discs: they add to what is in a pixel, and the sum is tone-mapped.
//!
//! ```text
//! radius in pixels   0         0.1875      0.25        1.5
//!                    ├─ density ─┼─ both ────┼─ sprites ─┼─ spans
//! ```
//!
//! Each adds its color times its weight to the pixel that its centre lies in, which is what the coverage of
//! ever smaller discs becomes. A sum `a` of weights covers `1 - exp(-a)` of the pixel: what as many discs
//! drawn over each other at random would cover, so the change from discs to density does not show. In
//! between an agent is both, in shares that add up to one. Below a quarter of a pixel the weight goes with
//! the radius and not with its square, so that dust in an empty world stays visible, and a crowd does not
//! drown in grey.

use crate::{
    raster::{
        band::Band,
        batch::{Batch, LEN},
        blend::{self, Four, Sum},
    },
    simd::Kernel,
};

/// Radius below which an agent is density, at least in part; pixels.
pub(crate) const RADIUS: f32 = 0.25;

/// Radius below which it is nothing but density; pixels.
pub(crate) const RADIUS_ALL: f32 = 0.1875;

/// The share of an agent that is density, by its radius in pixels: 0 to 1.
#[inline(always)]
pub(crate) fn share(radius: f32) -> f32 {
    ((RADIUS - radius) * (1.0 / (RADIUS - RADIUS_ALL))).clamp(0.0, 1.0)
}

/// A place that is nowhere in the band.
const NOWHERE: u32 = u32::MAX;

/// Adds the agents of a batch to the sums of a band, each by the share of it that is density, or by all
/// of it if that is `ALL`; `colors` has a color for each tone, with 1 for its fourth.
#[inline(always)]
pub(crate) fn add<const ALL: bool>(band: &mut Band<'_>, batch: &Batch, colors: &[Sum; 256]) {
    let (mut at, mut weights) = ([0; LEN], [0.0; LEN]);
    let (width, rows) = (band.width.cast_unsigned(), band.rows.cast_unsigned());
    let top = band.top;
    for k in 0..LEN {
        // The nearest whole number to half less is the next lower one; at a tie both will do.
        let column = blend::round(blend::near(batch.x[k]) - 0.5);
        let row = blend::round(blend::near(batch.y[k]) - 0.5) - top;
        let radius = batch.radius[k];
        let weight = std::f32::consts::PI * RADIUS * radius * if ALL { 1.0 } else { share(radius) };
        // What is below 0 is beyond the end as a number without a sign.
        let met = (column.cast_unsigned() < width) & (row.cast_unsigned() < rows) & (weight > 0.0);
        at[k] = if met { row.cast_unsigned() * width + column.cast_unsigned() } else { NOWHERE };
        weights[k] = weight;
    }
    let sums = &mut *band.density;
    for k in batch.order() {
        if let Some(sum) = sums.get_mut(at[k] as usize) {
            let color = &colors[batch.tone[k] as usize & 255];
            for channel in 0..4 {
                sum[channel] += color[channel] * weights[k];
            }
        }
    }
    band.dense = true;
}

/// Tone-maps the sums onto the pixels of a band, and clears them for the next draw.
pub(crate) fn resolve(band: &mut Band<'_>) {
    if band.dense {
        band.simd.run(Resolve { band });
    }
}

/// Tone-maps a band.
struct Resolve<'a, 'b> {
    band: &'a mut Band<'b>,
}

impl Kernel for Resolve<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (fours, last) = self.band.pixels.as_chunks_mut::<4>();
        let (four_sums, last_sums) = self.band.density.as_chunks_mut::<4>();
        for (four, sums) in fours.iter_mut().zip(four_sums) {
            resolve_four(four, sums);
        }
        let (mut four, mut four_sums) = ([[0; 4]; 4], [[0.0; 4]; 4]);
        four[..last.len()].copy_from_slice(last);
        four_sums[..last.len()].copy_from_slice(last_sums);
        resolve_four(&mut four, &mut four_sums);
        last.copy_from_slice(&four[..last.len()]);
        last_sums.fill([0.0; 4]);
    }
}

#[inline(always)]
fn resolve_four(four: &mut Four, sums: &mut [Sum; 4]) {
    let sums: &mut [f32; 16] = bytemuck::cast_mut(sums);
    // A weight for each lane and not for each pixel: the compiler would gather four of them from memory.
    let weights: [f32; 16] = std::array::from_fn(|lane| sums[lane | 3]);
    if weights == [0.0; 16] {
        return;
    }
    let bytes: &mut [u8; 16] = bytemuck::cast_mut(four);
    for lane in 0..16 {
        // exp(-a) by the reciprocal of its series, which needs no libm and is off by 0.012 at most. The
        // color's share of the sum, (1 - exp(-a)) / a, comes out of the same without a 0/0.
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
    fn sums_cover_like_the_exponential() {
        for n in 0..2_000_u16 {
            let weight = f32::from(n) * 0.01;
            let mut four = [[100, 0, 255, 255]; 4];
            let mut sums = [[50.0 * weight, 200.0 * weight, 255.0 * weight, weight]; 4];
            resolve_four(&mut four, &mut sums);
            let covered = 1.0 - (-weight).exp();
            let expected = [100.0 - 50.0 * covered, 200.0 * covered, 255.0];
            for channel in 0..3 {
                let off = f32::from(four[0][channel]) - expected[channel];
                assert!(off.abs() < 3.0, "{weight}: {:?} {expected:?}", four[0]);
            }
            assert_eq!(sums, [[0.0; 4]; 4]);
        }
    }

    #[test]
    fn a_sum_of_a_billion_agents_is_their_color() {
        let mut four = [[10, 20, 30, 255]; 4];
        let mut sums = [[200.0 * 1e9, 100.0 * 1e9, 0.0, 1e9]; 4];
        resolve_four(&mut four, &mut sums);
        assert_eq!(four, [[200, 100, 0, 255]; 4]);
    }
}
