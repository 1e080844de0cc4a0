//! Glow of bright places on the CPU: the light of `shaders/glow.wgsl`, in whole numbers.
//!
//! ```text
//! frame ─ gather ─► quarter size ─ blur_across ─► ─ blur_down ─► light
//!   └──────────────────────────────────────────────────────────── shine ─► window
//! ```
//!
//! Light has 16 levels between two values of a pixel. A channel is within two levels of what the
//! shader gives (a test computes both).

use crate::parallel;

/// Pixels per side of a block of the frame that is averaged, as in the shader.
const BLOCK: usize = 4;

/// Levels of light per level of a pixel.
const UNIT: u32 = 16;

/// Weights by distance in 65536ths, as in the shader: a Gaussian with a standard deviation of two
/// blocks.
const WEIGHTS: [u32; REACH + 1] = [13_383, 11_810, 8_113, 4_345, 1_809];

/// Blocks that light reaches in each direction.
const REACH: usize = 4;

/// Rows of blocks that one thread computes at a time.
const STRIPE: usize = 8;

/// The light of one block: red, green, blue, and a fourth that fills the register.
type Light = [u16; 4];

/// The light of a frame.
#[derive(Debug)]
pub(in crate::window::present) struct SoftGlow {
    /// Width and height of the frame.
    size: [usize; 2],
    /// Blocks in a row.
    columns: usize,
    light: Vec<Light>,
    /// Light between two stages.
    spare: Vec<Light>,
}

impl SoftGlow {
    /// Creates a glow for frames of `size` pixels.
    pub(in crate::window::present) fn new(size: [u32; 2]) -> Self {
        let size = size.map(|side| side as usize);
        let [columns, rows] = size.map(|side| side.div_ceil(BLOCK));
        let dark = || vec![[0; 4]; columns * rows];
        Self { size, columns, light: dark(), spare: dark() }
    }

    /// Computes the light of a frame, on all threads of the pool.
    pub(in crate::window::present) fn gather(&mut self, pixels: &[[u8; 4]]) {
        let Self { size, columns, light, spare } = self;
        let rows = light.len() / *columns;
        stage(light, *columns, &|row, to| gather(pixels, *size, row, to));
        stage(spare, *columns, &|row, to| {
            blur_across(&light[row * *columns..][..*columns], to);
        });
        stage(light, *columns, &|row, to| blur_down(spare, [*columns, rows], row, to));
    }

    /// Adds the light to row `y` of the frame, which never darkens a pixel and keeps the hue of bright
    /// ones; `pack` makes a pixel of red, green and blue.
    pub(in crate::window::present) fn shine<T>(
        &self,
        y: usize,
        pixels: &[[u8; 4]],
        to: &mut [T],
        pack: impl Fn(u8, u8, u8) -> T,
    ) {
        let last = self.light.len() / self.columns - 1;
        // Between the centers of two rows of blocks, in eighths.
        let (row, share) = ((2 * y + 1) / 8, (2 * y + 1) % 8);
        let (upper, lower, share) =
            if share < 4 { (row.max(1) - 1, row, share + 4) } else { (row, row + 1, share - 4) };
        let row = |row: usize| &self.light[row.min(last) * self.columns..][..self.columns];
        let (upper, lower) = (row(upper), row(lower));
        let at = |block: usize| {
            let block = block.min(self.columns - 1);
            mix(upper[block], lower[block], share as u32)
        };
        let [mut left, mut here] = [at(0); 2];
        let blocks = to.chunks_mut(BLOCK).zip(pixels.chunks(BLOCK));
        for (block, (to, pixels)) in blocks.enumerate() {
            let right = at(block + 1);
            let light =
                [mix(left, here, 5), mix(left, here, 7), mix(here, right, 1), mix(here, right, 3)];
            for ((to, pixel), light) in to.iter_mut().zip(pixels).zip(light) {
                let [red, green, blue] = screen(*pixel, light);
                *to = pack(red, green, blue);
            }
            (left, here) = (here, right);
        }
    }
}

/// Calls `work` for each row of blocks, on all threads of the pool.
fn stage(to: &mut [Light], columns: usize, work: &(impl Fn(usize, &mut [Light]) + Sync)) {
    let stripe = |first: usize, to: &mut [Light]| {
        for (row, to) in (first / columns..).zip(to.chunks_mut(columns)) {
            work(row, to);
        }
    };
    parallel::pieces(to, STRIPE * columns, &stripe, &|(), ()| ());
}

/// The light of a row of blocks: the mean color times its brightest channel.
fn gather(pixels: &[[u8; 4]], [width, height]: [usize; 2], row: usize, to: &mut [Light]) {
    // A block that the frame cuts repeats the last row and column.
    let rows: [&[[u8; 4]]; BLOCK] = std::array::from_fn(|y| {
        let y = (row * BLOCK + y).min(height - 1);
        &pixels[y * width..][..width]
    });
    for (block, to) in to.iter_mut().enumerate() {
        let first = block * BLOCK;
        let mut sum = [0_u16; 4];
        for row in rows {
            let pixels: [[u8; 4]; BLOCK] = match row[first..].first_chunk() {
                Some(pixels) => *pixels,
                None => std::array::from_fn(|x| row[(first + x).min(width - 1)]),
            };
            for pixel in pixels {
                sum = std::array::from_fn(|channel| sum[channel] + u16::from(pixel[channel]));
            }
        }
        let brightest = u32::from(sum[0].max(sum[1]).max(sum[2]));
        // A sum has 16 pixels, which is also the number of levels.
        *to = sum.map(|sum| ((u32::from(sum) * brightest + 255 * UNIT / 2) / (255 * UNIT)) as u16);
    }
}

/// Blurs a row of blocks along the row.
fn blur_across(from: &[Light], to: &mut [Light]) {
    let last = from.len() - 1;
    for (at, to) in to.iter_mut().enumerate() {
        *to = blurred(|n| [from[at.saturating_sub(n)], from[(at + n).min(last)]]);
    }
}

/// Blurs a row of blocks along the columns.
fn blur_down(from: &[Light], [columns, rows]: [usize; 2], row: usize, to: &mut [Light]) {
    let row_at = |row: usize| &from[row * columns..][..columns];
    let near: [[&[Light]; 2]; REACH + 1] =
        std::array::from_fn(|n| [row_at(row.saturating_sub(n)), row_at((row + n).min(rows - 1))]);
    for (at, to) in to.iter_mut().enumerate() {
        *to = blurred(|n| near[n].map(|row| row[at]));
    }
}

/// The weighted mean of the pairs of lights at each distance.
#[inline]
fn blurred(pair: impl Fn(usize) -> [Light; 2]) -> Light {
    let [center, _] = pair(0);
    let mut sum = center.map(|light| u32::from(light) * WEIGHTS[0] + (1 << 15));
    for (n, weight) in WEIGHTS.into_iter().enumerate().skip(1) {
        let [one, other] = pair(n);
        sum = std::array::from_fn(|channel| {
            sum[channel] + (u32::from(one[channel]) + u32::from(other[channel])) * weight
        });
    }
    sum.map(|sum| (sum >> 16) as u16)
}

/// The weighted mean of two lights; `share` is the share of `b`, in eighths.
#[inline]
fn mix(a: Light, b: Light, share: u32) -> Light {
    std::array::from_fn(|channel| {
        let (a, b) = (u32::from(a[channel]), u32::from(b[channel]));
        ((a * (8 - share) + b * share + 4) / 8) as u16
    })
}

/// A pixel with half as much light again added: p + (255 − brightest channel) · light / 255.
#[inline]
fn screen([red, green, blue, _]: [u8; 4], light: Light) -> [u8; 3] {
    // The range above the brightest channel, for all channels, so that the hue stays.
    let room = 255 - u32::from(red.max(green).max(blue));
    [(red, light[0]), (green, light[1]), (blue, light[2])].map(|(value, light)| {
        let strength = (u32::from(light) * 3 / 2 + UNIT / 2).min(255 * UNIT) / UNIT;
        let product = room * strength + 128;
        value + ((product + (product >> 8)) >> 8) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::{super::word, *};

    /// The light of `shaders/glow.wgsl` on a frame, channel by channel, in floating point.
    fn naive(pixels: &[[u8; 4]], [width, height]: [usize; 2]) -> Vec<[f64; 3]> {
        let pixel = |x: usize, y: usize| {
            pixels[y.min(height - 1) * width + x.min(width - 1)]
                .map(|value| f64::from(value) / 255.0)
        };
        let [columns, rows] = [width, height].map(|side| side.div_ceil(4));
        let gather = |at: usize| {
            let (left, top) = (at % columns * 4, at / columns * 4);
            let inside = (0..16).map(|n| pixel(left + n % 4, top + n / 4));
            let sum = inside.fold([0.0; 3], |sum, pixel| [0, 1, 2].map(|n| sum[n] + pixel[n]));
            let mean = sum.map(|sum| sum / 16.0);
            mean.map(|value| value * mean[0].max(mean[1]).max(mean[2]))
        };
        let blur = |from: &[[f64; 3]], [dx, dy]: [isize; 2]| -> Vec<[f64; 3]> {
            let at = |index: usize, n: isize| {
                let near = |at: usize, shift: isize, count: usize| {
                    at.checked_add_signed(shift).unwrap_or(0).min(count - 1)
                };
                let (x, y) = (index % columns, index / columns);
                from[near(y, dy * n, rows) * columns + near(x, dx * n, columns)]
            };
            let weights = [0.2042, 0.1802, 0.1238, 0.0663, 0.0276];
            let weight = |n: isize| weights[n.unsigned_abs()];
            (0..from.len())
                .map(|index| [0, 1, 2].map(|c| (-4..=4).map(|n| at(index, n)[c] * weight(n)).sum()))
                .collect()
        };
        let light: Vec<[f64; 3]> = (0..columns * rows).map(gather).collect();
        let light = blur(&blur(&light, [1, 0]), [0, 1]);
        (0..width * height)
            .map(|index| {
                let (x, y) = (index % width, index / width);
                let along = |at: usize, count: usize| {
                    let at = (at as f64 + 0.5) / 4.0 - 0.5;
                    let near = |n: f64| n.clamp(0.0, count as f64 - 1.0) as usize;
                    (near(at.floor()), near(at.floor() + 1.0), at - at.floor())
                };
                let ((left, right, u), (up, down, v)) = (along(x, columns), along(y, rows));
                let plain = pixel(x, y);
                let room = 1.0 - plain[0].max(plain[1]).max(plain[2]);
                [0, 1, 2].map(|c| {
                    let at = |x: usize, y: usize| light[y * columns + x][c];
                    let upper = at(left, up) * (1.0 - u) + at(right, up) * u;
                    let lower = at(left, down) * (1.0 - u) + at(right, down) * u;
                    let glow = (upper * (1.0 - v) + lower * v) * 1.5;
                    (plain[c] + room * glow.min(1.0)) * 255.0
                })
            })
            .collect()
    }

    #[test]
    fn the_light_is_that_of_the_shader() {
        let mut rng = crate::rng::Rng::new(1);
        for size in [[64, 48], [61, 43], [4, 4], [1, 1], [3, 17]] {
            let [width, height] = size;
            // Dark ground, bright places, and noise.
            let pixels: Vec<[u8; 4]> = (0..width * height)
                .map(|at| {
                    let bright = at % width / 9 % 3 == 0 && at / width / 7 % 2 == 0;
                    let [a, b, c, ..] = rng.bits().to_le_bytes();
                    if bright { [255, a | 128, b, 255] } else { [a, b / 4, c, 255] }
                })
                .collect();
            let mut glow = SoftGlow::new(size.map(|side| side as u32));
            glow.gather(&pixels);
            let mut words = vec![0; width * height];
            for (y, words) in words.chunks_mut(width).enumerate() {
                glow.shine(y, &pixels[y * width..][..width], words, word::opaque);
            }
            for (at, (word, expected)) in words.iter().zip(naive(&pixels, size)).enumerate() {
                let [_, channels @ ..] = word.to_be_bytes();
                for (channel, expected) in channels.into_iter().zip(expected) {
                    let error = (f64::from(channel) - expected).abs();
                    assert!(error <= 2.0, "{channel} for {expected} at {at} of {size:?}");
                }
            }
        }
    }
}
