//! Glow: bright areas spread light over darker surroundings.
//!
//! ```text
//! frame ─ gather ─► quarter size ─ blur_across ─► ─ blur_down ─► light ─ shine ─► the same frame
//! ```
//!
//! The light of a block of 4 × 4 pixels is the square of its mean color, so that crowds glow and
//! single agents hardly do. A block takes what the light around it has more than its own, so that
//! the inside of a large disc keeps its shading. A pixel takes light in proportion to what is left
//! above its brightest channel. So it never overflows, and a bright pixel keeps its hue.
//!
//! Light has 16 levels between two values of a pixel. It is computed in whole numbers of 16 bits
//! where they suffice, in loops over [`RUN`] pixels or blocks, which the compiler vectorizes at the
//! SIMD level of the run.

use crate::{
    parallel,
    simd::{Kernel, SimdLevel},
};

/// Pixels per side of a block of the frame that is averaged.
const BLOCK: usize = 4;

/// Levels of light per level of a pixel.
const UNIT: u16 = 16;

/// Weights by distance in 65536ths: a Gaussian with a standard deviation of two blocks.
const WEIGHTS: [i32; REACH + 1] = [13_383, 11_810, 8_113, 4_345, 1_809];

/// Blocks that light reaches in each direction.
const REACH: usize = 4;

/// Rows of blocks that one thread computes at a time.
const STRIPE: usize = 8;

/// Pixels or blocks of a row that are computed at a time.
const RUN: usize = 64;

/// Blocks in a run of pixels.
const RUN_BLOCKS: usize = RUN / BLOCK;

/// Adds glow to frames, and keeps the memory for it.
#[derive(Debug, Default)]
pub(crate) struct Glow {
    /// The light, row by row of blocks. A row holds the red of all blocks, then their green, then
    /// their blue.
    light: Vec<u16>,
    /// Light between two stages.
    spare: Vec<u16>,
}

impl Glow {
    /// Adds glow to a frame of `size` pixels, on all threads of the pool that the caller is in.
    pub(crate) fn add(&mut self, pixels: &mut [[u8; 4]], size: [u32; 2], simd: SimdLevel) {
        let size = size.map(|side| side as usize);
        let ([width, _], [columns, rows]) = (size, size.map(|side| side.div_ceil(BLOCK)));
        let length = 3 * columns;
        for light in [&mut self.light, &mut self.spare] {
            light.resize(length * rows, 0);
        }
        let Self { light, spare, .. } = self;
        let stripe = STRIPE * length;
        by_rows(light, length, stripe, &|row, to| simd.run(GatherLight { pixels, size, row, to }));
        by_rows(spare, length, stripe, &|row, to| {
            simd.run(BlurAcross { from: &light[row * length..][..length], columns, to });
        });
        by_rows(light, length, stripe, &|row, to| {
            simd.run(BlurDown { from: spare, rows, row, to });
        });
        by_rows(pixels, width, STRIPE * BLOCK * width, &|y, pixels| {
            simd.run(Shine { light, columns, y, pixels });
        });
    }
}

/// Calls `work` for each row of a plane, on all threads of the pool, a stripe at a time.
fn by_rows<T: Send>(
    to: &mut [T],
    length: usize,
    stripe: usize,
    work: &(impl Fn(usize, &mut [T]) + Sync),
) {
    let of_stripe = |first: usize, to: &mut [T]| {
        for (row, to) in (first / length..).zip(to.chunks_mut(length)) {
            work(row, to);
        }
    };
    parallel::pieces(to, stripe, &of_stripe, &|(), ()| ());
}

/// Computes the light of a row of blocks: the mean color times its brightest channel.
struct GatherLight<'a> {
    pixels: &'a [[u8; 4]],
    size: [usize; 2],
    row: usize,
    to: &'a mut [u16],
}

impl Kernel for GatherLight<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { pixels, size: [width, height], row, to } = self;
        // A block that the frame cuts repeats the last row and column.
        let rows: [&[[u8; 4]]; BLOCK] = std::array::from_fn(|y| {
            let y = (row * BLOCK + y).min(height - 1);
            &pixels[y * width..][..width]
        });
        let columns = to.len() / 3;
        let unit = 255 * u32::from(UNIT);
        for first in (0..columns).step_by(RUN_BLOCKS) {
            let mut sums = [[0_u16; 4]; RUN];
            for row in rows {
                let row = &row[first * BLOCK..];
                match row.first_chunk() {
                    Some(row) => add_pixels(&mut sums, row),
                    None => {
                        add_pixels(&mut sums, &std::array::from_fn(|n| row[n.min(row.len() - 1)]));
                    }
                }
            }
            let (blocks, _) = sums.as_chunks::<BLOCK>();
            for (block, at) in blocks.iter().zip(first..columns) {
                let sum: [u16; 4] = std::array::from_fn(|n| block.iter().map(|sum| sum[n]).sum());
                let brightest = u32::from(sum[0].max(sum[1]).max(sum[2]));
                for channel in 0..3 {
                    // A sum is over 16 pixels, which is also the number of levels.
                    let light = (u32::from(sum[channel]) * brightest + unit / 2) / unit;
                    to[channel * columns + at] = light as u16;
                }
            }
        }
    }
}

/// Adds the channels of pixels to their sums.
#[inline(always)]
fn add_pixels(sums: &mut [[u16; 4]; RUN], pixels: &[[u8; 4]; RUN]) {
    for (sum, value) in sums.as_flattened_mut().iter_mut().zip(pixels.as_flattened()) {
        *sum += u16::from(*value);
    }
}

/// Blurs a row of blocks along the row.
struct BlurAcross<'a> {
    from: &'a [u16],
    columns: usize,
    to: &'a mut [u16],
}

impl Kernel for BlurAcross<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { from, columns, to } = self;
        let last = columns - 1;
        for (from, to) in from.chunks(columns).zip(to.chunks_mut(columns)) {
            for (first, to) in (0_usize..).step_by(RUN).zip(to.chunks_mut(RUN)) {
                let inside = first.checked_sub(REACH).and_then(|start| from[start..].first_chunk());
                let near: [u16; RUN + 2 * REACH] = inside.copied().unwrap_or_else(|| {
                    std::array::from_fn(|n| from[(first + n).saturating_sub(REACH).min(last)])
                });
                blur(to, |n| [&near[REACH - n..], &near[REACH + n..]]);
            }
        }
    }
}

/// Blurs a row of blocks along the columns, and subtracts the light of the blocks themselves, which
/// `to` holds before.
struct BlurDown<'a> {
    from: &'a [u16],
    rows: usize,
    row: usize,
    to: &'a mut [u16],
}

impl Kernel for BlurDown<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { from, rows, row, to } = self;
        let length = to.len();
        for (first, to) in (0..).step_by(RUN).zip(to.chunks_mut(RUN)) {
            let at = |row: usize| &from[row * length + first..];
            let mut spread = [0; RUN];
            let spread = &mut spread[..to.len()];
            blur(spread, |n| [at(row.saturating_sub(n)), at((row + n).min(rows - 1))]);
            for (own, spread) in to.iter_mut().zip(spread) {
                *own = spread.saturating_sub(*own);
            }
        }
    }
}

/// Computes the weighted mean of the pairs of lights at each distance, for at most [`RUN`] blocks.
#[inline(always)]
fn blur<'a>(to: &mut [u16], pair: impl Fn(usize) -> [&'a [u16]; 2]) {
    let mut sums = [1 << 15; RUN];
    let sums = &mut sums[..to.len()];
    let [center, _] = pair(0);
    for (sum, center) in sums.iter_mut().zip(center) {
        *sum += i32::from(center.cast_signed()) * WEIGHTS[0];
    }
    for (n, weight) in WEIGHTS.into_iter().enumerate().skip(1) {
        let [one, other] = pair(n);
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            // Processors multiply and add 16 bits with a sign in one instruction.
            *sum += i32::from((one + other).cast_signed()) * weight;
        }
    }
    for (to, sum) in to.iter_mut().zip(sums) {
        *to = (*sum >> 16) as u16;
    }
}

/// Adds the light to row `y` of the frame.
struct Shine<'a> {
    light: &'a [u16],
    columns: usize,
    y: usize,
    pixels: &'a mut [[u8; 4]],
}

impl Kernel for Shine<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { light, columns, y, pixels } = self;
        let length = 3 * columns;
        let last = light.len() / length - 1;
        // Between the centers of two rows of blocks, in eighths.
        let (row, share) = ((2 * y + 1) / 8, (2 * y + 1) % 8);
        let (upper, lower, share) =
            if share < 4 { (row.max(1) - 1, row, share + 4) } else { (row, row + 1, share - 4) };
        let rows = [upper, lower].map(|row| &light[row.min(last) * length..][..length]);
        for (first, pixels) in (0..).step_by(RUN_BLOCKS).zip(pixels.chunks_mut(RUN)) {
            let mut light = [[0; RUN]; 3];
            for (channel, light) in light.iter_mut().enumerate() {
                let planes = rows.map(|row| &row[channel * columns..][..columns]);
                between(planes, share as u16, first, light);
            }
            if let Some(run) = pixels.first_chunk_mut() {
                screen(run, &light);
            } else {
                let mut run = [[0; 4]; RUN];
                run[..pixels.len()].copy_from_slice(pixels);
                screen(&mut run, &light);
                pixels.copy_from_slice(&run[..pixels.len()]);
            }
        }
    }
}

/// Computes one channel of the light of a run of pixels between an upper and a lower row of blocks.
/// `share` is the share of the lower one, in eighths, and `first` the first block of the run.
#[inline(always)]
fn between([upper, lower]: [&[u16]; 2], share: u16, first: usize, light: &mut [u16; RUN]) {
    let last = upper.len() - 1;
    let at = |block: usize| mix(upper[block.min(last)], lower[block.min(last)], share);
    // The blocks of the run, and one more at each end.
    let mut mixed = [0; RUN_BLOCKS + 2];
    mixed[0] = at(first.saturating_sub(1));
    let inner = &mut mixed[1..=RUN_BLOCKS];
    match [upper, lower].map(|row| row[first..].first_chunk::<RUN_BLOCKS>()) {
        [Some(upper), Some(lower)] => {
            for ((mixed, upper), lower) in inner.iter_mut().zip(upper).zip(lower) {
                *mixed = mix(*upper, *lower, share);
            }
        }
        _ => inner.iter_mut().zip(first..).for_each(|(mixed, block)| *mixed = at(block)),
    }
    mixed[RUN_BLOCKS + 1] = at(first + RUN_BLOCKS);
    let (blocks, _) = light.as_chunks_mut::<BLOCK>();
    for (light, near) in blocks.iter_mut().zip(mixed.windows(3)) {
        let [left, here, right] = [near[0], near[1], near[2]];
        *light = [mix(left, here, 5), mix(left, here, 7), mix(here, right, 1), mix(here, right, 3)];
    }
}

/// The weighted mean of two lights; `share` is the share of `b`, in eighths.
#[inline(always)]
fn mix(a: u16, b: u16, share: u16) -> u16 {
    (a * (8 - share) + b * share + 4) / 8
}

/// Adds half as much light again to pixels: p + (255 − brightest channel) · light / 255.
#[inline(always)]
fn screen(pixels: &mut [[u8; 4]; RUN], light: &[[u16; RUN]; 3]) {
    // Loops: the compiler calls `map` of a long array instead of inlining it.
    let mut plain = [0; RUN];
    for (plain, pixel) in plain.iter_mut().zip(&*pixels) {
        *plain = u32::from_le_bytes(*pixel);
    }
    let mut planes = [[0; RUN]; 3];
    for (plane, shift) in planes.iter_mut().zip([0, 8, 16]) {
        for (value, plain) in plane.iter_mut().zip(&plain) {
            *value = (plain >> shift & 255) as u16;
        }
    }
    let [red, green, blue] = &planes;
    // The range above the brightest channel, for all channels, so that the hue stays.
    let room: [u16; RUN] = std::array::from_fn(|n| 255 - red[n].max(green[n]).max(blue[n]));
    for (plane, light) in planes.iter_mut().zip(light) {
        for ((value, light), room) in plane.iter_mut().zip(light).zip(room) {
            let strength = (light * 3 / 2 + UNIT / 2).min(255 * UNIT) / UNIT;
            let product = room * strength + 128;
            *value += (product + (product >> 8)) >> 8;
        }
    }
    let [red, green, blue] = &planes;
    for (n, pixel) in pixels.iter_mut().enumerate() {
        let [red, green, blue] = [red[n], green[n], blue[n]].map(u32::from);
        let shone = red | green << 8 | blue << 16;
        *pixel = (plain[n] & 0xff00_0000 | shone).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame with its glow, channel by channel, in floating point.
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
        let own: Vec<[f64; 3]> = (0..columns * rows).map(gather).collect();
        let mut light = blur(&blur(&own, [1, 0]), [0, 1]);
        for (light, own) in light.as_flattened_mut().iter_mut().zip(own.as_flattened()) {
            *light = (*light - own).max(0.0);
        }
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
    fn the_glow_is_within_two_levels_of_the_exact_one() {
        let mut rng = crate::rng::Rng::new(1);
        // One glow for frames of all sizes, as in a window that is resized.
        let mut glow = Glow::default();
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
            let mut shone = pixels.clone();
            glow.add(&mut shone, size.map(|side| side as u32), SimdLevel::SCALAR);
            for simd in SimdLevel::available() {
                let mut same = pixels.clone();
                glow.add(&mut same, size.map(|side| side as u32), simd);
                assert!(same == shone, "{} at {size:?}", simd.name());
            }
            for (at, (shone, expected)) in shone.iter().zip(naive(&pixels, size)).enumerate() {
                assert_eq!(shone[3], 255);
                for (channel, expected) in shone.iter().zip(expected) {
                    let error = (f64::from(*channel) - expected).abs();
                    assert!(error <= 2.0, "{channel} for {expected} at {at} of {size:?}");
                }
            }
        }
    }

    /// The ground around a disc is lit; the disc is as it was, but for its rim.
    #[test]
    fn a_large_disc_keeps_its_shading() {
        let (side, radius) = (160, 60.0);
        let apart = |at: usize| {
            let [x, y] = [at % side, at / side].map(|at| at as f64 - 79.5);
            x.hypot(y)
        };
        let shaded = |at: usize| {
            let share = 1.0 - 0.4 * (apart(at) / radius).powi(2);
            if apart(at) < radius {
                [230.0, 120.0, 60.0].map(|it| (it * share) as u8)
            } else {
                [8; 3]
            }
        };
        let plain: Vec<[u8; 4]> = (0..side * side)
            .map(|at| {
                let [red, green, blue] = shaded(at);
                [red, green, blue, 255]
            })
            .collect();
        let mut shone = plain.clone();
        Glow::default().add(&mut shone, [side as u32; 2], SimdLevel::best());
        let lighter = |from: f64, to: f64| {
            let ring = (0..side * side).filter(move |&at| (from..to).contains(&apart(at)));
            let light = ring.map(|at| shone[at][0] - plain[at][0]);
            (light.clone().min(), light.max())
        };
        assert_eq!(lighter(0.0, 40.0), (Some(0), Some(0)));
        let (dimmest, _) = lighter(62.0, 64.0);
        assert!(dimmest > Some(20), "{dimmest:?}");
    }
}
