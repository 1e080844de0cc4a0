//! Pixel types, blend weights, and the conversions of numbers to them.
//!
//! The arithmetic on many pixels at once is in [`crate::simd::pixels`].

use crate::simd::pixels;
pub(crate) use crate::simd::{
    pixels::{BLOCK, Lanes, Pixel},
    tone::Sum,
};

/// Pixels side by side that the kernels of larger discs draw at a time.
pub(crate) type PixelBlock = [Pixel; BLOCK];

/// A share as a number of 0 to 256.
pub(crate) type Weight = u16;

/// An opaque pixel.
pub(crate) fn opaque([r, g, b]: [u8; 3]) -> Pixel {
    [r, g, b, 255]
}

/// Widens a color.
#[inline(always)]
pub(crate) fn lanes(color: Pixel) -> Lanes {
    color.map(u16::from)
}

/// The weighted mean of two pixels: `a` at weight 0, `b` at 256.
#[inline(always)]
pub(crate) fn mix(a: Pixel, b: Pixel, weight: Weight) -> Pixel {
    pixels::mix(a, lanes(b), weight)
}

/// Converts a pixel count to `i32`, for differences; a frame has fewer than 2³¹ pixels.
#[inline(always)]
pub(crate) fn signed(count: usize) -> i32 {
    (count as u32).cast_signed()
}

/// Converts a share to a weight; shares outside 0 to 1 are clamped.
#[inline(always)]
pub(crate) fn weight(share: f32) -> Weight {
    round((share * 256.0).clamp(0.0, 256.0)) as Weight
}

/// Rounds to the nearest integer; the value must be within four million of 0.
///
/// Adding 1.5·2²³ leaves no bits for a fraction, so the low bits are the integer. A cast would
/// check for overflow, which compilers do one lane at a time.
#[inline(always)]
pub(crate) fn round(value: f32) -> i32 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed()
}

/// The largest integer not above a number, saturating. `f32::floor` is a call where only the
/// baseline of x86-64 is known.
#[inline(always)]
pub(crate) fn floor(value: f32) -> i32 {
    let whole = value as i32;
    whole.saturating_sub(i32::from(whole as f32 > value))
}

/// Clamps a frame coordinate to a range that [`round`] can take. The range is wider than every
/// frame.
#[inline(always)]
pub(crate) fn clamp_coordinate(at: f32) -> f32 {
    const FAR: f32 = 100_000.0;
    let at = if at < FAR { at } else { FAR };
    if at > -FAR { at } else { -FAR }
}

/// The share of the pixel from `pixel` to `pixel + 1` that lies in an interval, along one axis.
pub(crate) fn interval(pixel: f32, [from, to]: [f32; 2]) -> f32 {
    ((pixel + 1.0).min(to) - pixel.max(from)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_clamp_and_numbers_round() {
        assert_eq!([-1.0, 0.0, 0.5, 1.0, 7.0].map(weight), [0, 0, 128, 256, 256]);
        assert_eq!(
            [-1e5, -1.25, -0.75, 0.0, 0.3, 2.75, 1e5].map(round),
            [-100_000, -1, -1, 0, 0, 3, 100_000]
        );
        assert_eq!([-1.25, -1.0, 0.75, 1e20].map(floor), [-2, -1, 0, i32::MAX]);
    }
}
