//! Agents too small to be discs: they add to what is in a pixel, and the sum is tone-mapped.
//!
//! ```text
//! radius in pixels   0         0.1875      0.25        1.5
//!                    ├─ density ─┼─ both ────┼─ sprites ─┼─ spans
//! ```
//!
//! Each adds its colour times its weight to the four pixels around its centre, by how near they are. A
//! sum `a` of weights covers `1 - exp(-a)` of the pixel: what as many discs drawn over each other at
//! random would cover, so the change from discs to density does not show. In between an agent is both,
//! in shares that add up to one. Below a quarter of a pixel the weight goes with the radius and not with
//! its square, so that dust in an empty world stays visible, and a crowd does not drown in grey.

use crate::raster::{
    band::Band,
    blend::{self, Four},
};

/// Radius below which an agent is density, at least in part; pixels.
pub(crate) const RADIUS: f32 = 0.25;

/// Radius below which it is nothing but density; pixels.
pub(crate) const RADIUS_ALL: f32 = 0.1875;

/// Sums of red, green, blue (0 to 255) times weight, and of weights.
pub(crate) type Sum = [f32; 4];

/// The share of an agent that is density, by its radius in pixels: 0 to 1.
#[inline]
pub(crate) fn share(radius: f32) -> f32 {
    ((RADIUS - radius) * (1.0 / (RADIUS - RADIUS_ALL))).clamp(0.0, 1.0)
}

/// Adds an agent at a place in the frame; `color` has 1 for its fourth.
#[inline]
pub(crate) fn add(band: &mut Band<'_>, x: f32, y: f32, radius: f32, color: Sum) {
    let (x, y) = (x - 0.5, y - 0.5);
    // The nearest whole number to half less is the next lower one; at a tie both will do.
    let (left, top) = (blend::round(blend::near(x) - 0.5), blend::round(blend::near(y) - 0.5));
    let (right_share, low_share) = (x - left as f32, y - top as f32);
    let weight = std::f32::consts::PI * RADIUS * radius * share(radius);
    let color = color.map(|channel| channel * weight);
    let top = top - band.top;
    let (rows, width) = (band.rows, band.width);
    if top < -1 || top >= rows || left < -1 || left >= width {
        return;
    }
    band.dense = true;
    if top >= 0 && top + 1 < rows && left >= 0 && left + 1 < width {
        let at = (top * width + left) as usize;
        let (high, low) = band.density[at..].split_at_mut(width as usize);
        add_two(high, 1.0 - low_share, right_share, color);
        add_two(low, low_share, right_share, color);
        return;
    }
    for (row, row_share) in [(top, 1.0 - low_share), (top + 1, low_share)] {
        for (column, column_share) in [(left, 1.0 - right_share), (left + 1, right_share)] {
            if (0..rows).contains(&row) && (0..width).contains(&column) {
                let at = (row * width + column) as usize;
                add_one(&mut band.density[at], row_share * column_share, color);
            }
        }
    }
}

#[inline]
fn add_two(row: &mut [Sum], row_share: f32, right_share: f32, color: Sum) {
    if let Some([left, right]) = row.first_chunk_mut() {
        add_one(left, row_share * (1.0 - right_share), color);
        add_one(right, row_share * right_share, color);
    }
}

#[inline]
fn add_one(sum: &mut Sum, share: f32, color: Sum) {
    for channel in 0..4 {
        sum[channel] += color[channel] * share;
    }
}

/// Tone-maps the sums onto the pixels of a band, and clears them for the next draw.
pub(crate) fn resolve(band: &mut Band<'_>) {
    if !band.dense {
        return;
    }
    let (pixels, last) = band.pixels.as_chunks_mut::<4>();
    let (sums, last_sums) = band.density.as_chunks_mut::<4>();
    for (four, sums) in pixels.iter_mut().zip(sums) {
        resolve_four(four, sums);
    }
    let mut four = [[0; 4]; 4];
    let mut four_sums = [[0.0; 4]; 4];
    four[..last.len()].copy_from_slice(last);
    four_sums[..last.len()].copy_from_slice(last_sums);
    resolve_four(&mut four, &mut four_sums);
    last.copy_from_slice(&four[..last.len()]);
    last_sums.fill([0.0; 4]);
}

#[inline]
fn resolve_four(four: &mut Four, sums: &mut [Sum; 4]) {
    let weights = sums.map(|sum| sum[3]);
    if weights == [0.0; 4] {
        return;
    }
    // exp(-a) by the reciprocal of its series, which needs no libm and is off by 0.012 at most. The
    // colour's share of the sum, (1 - exp(-a)) / a, comes out of the same without a 0/0.
    let rest = weights.map(|a| 1.0 + a * (0.5 + a * (1.0 / 6.0 + a * (1.0 / 24.0))));
    let mut clear = [0.0; 4];
    for k in 0..4 {
        clear[k] = 1.0 / (1.0 + weights[k] * rest[k]);
    }
    for k in 0..4 {
        let gain = rest[k] * clear[k];
        let mut channels = [0; 4];
        for channel in 0..4 {
            let value = f32::from(four[k][channel]) * clear[k] + sums[k][channel] * gain;
            channels[channel] = blend::round(value) as u8;
        }
        channels[3] = 255;
        four[k] = channels;
    }
    *sums = [[0.0; 4]; 4];
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
    fn a_sum_of_a_billion_agents_is_their_colour() {
        let mut four = [[10, 20, 30, 255]; 4];
        let mut sums = [[200.0 * 1e9, 100.0 * 1e9, 0.0, 1e9]; 4];
        resolve_four(&mut four, &mut sums);
        assert_eq!(four, [[200, 100, 0, 255]; 4]);
    }
}
