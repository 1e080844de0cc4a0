//! Pixels, weights, and what becomes of numbers on their way to them. The arithmetic on many pixels at once
//! is in [`crate::simd::pixels`].

use crate::simd::pixels;
pub(crate) use crate::simd::pixels::BLOCK;

/// Red, green, blue, alpha.
pub(crate) type Pixel = [u8; 4];

/// Four pixels side by side.
pub(crate) type Four = [Pixel; 4];

/// As many pixels side by side as larger discs are drawn in at a time.
pub(crate) type Block = [Pixel; BLOCK];

/// Sums of red, green, blue (0 to 255) times weight, and of weights.
pub(crate) type Sum = [f32; 4];

/// A share as a number of 0 to 256.
pub(crate) type Weight = u16;

/// A pixel with a lane's width for each channel: a color that is mixed into many pixels.
pub(crate) type Lanes = [u16; 4];

/// A color that hides what is beneath.
pub(crate) fn opaque([r, g, b]: [u8; 3]) -> Pixel {
    [r, g, b, 255]
}

/// A color in lanes.
#[inline(always)]
pub(crate) fn lanes(color: Pixel) -> Lanes {
    color.map(u16::from)
}

/// The weighted mean of two pixels.
#[inline(always)]
pub(crate) fn mix(a: Pixel, b: Pixel, weight: Weight) -> Pixel {
    std::array::from_fn(|channel| {
        pixels::lane(u16::from(a[channel]), u16::from(b[channel]), weight) as u8
    })
}

/// A number of pixels as one that others may be subtracted from; a frame has fewer than 2³¹.
#[inline(always)]
pub(crate) fn signed(count: usize) -> i32 {
    (count as u32).cast_signed()
}

/// A share of 0 to 1 as a weight; what is outside of that range counts as its end.
#[inline(always)]
pub(crate) fn weight(share: f32) -> Weight {
    round((share * 256.0).clamp(0.0, 256.0)) as Weight
}

/// The nearest whole number to one of less than four million either way.
///
/// Adding 1.5·2²³ leaves no bits for a fraction: the last ones are the whole number. A cast would check
/// for what doesn't fit, which compilers do one lane at a time.
#[inline(always)]
pub(crate) fn round(value: f32) -> i32 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed()
}

/// A place in the frame, or one just as far outside of every frame that [`round`] can take.
#[inline(always)]
pub(crate) fn near(place: f32) -> f32 {
    const FAR: f32 = 100_000.0;
    let place = if place < FAR { place } else { FAR };
    if place > -FAR { place } else { -FAR }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_become_weights_and_numbers_are_rounded() {
        assert_eq!([-1.0, 0.0, 0.5, 1.0, 7.0].map(weight), [0, 0, 128, 256, 256]);
        assert_eq!(
            [-1e5, -1.25, -0.75, 0.0, 0.3, 2.75, 1e5].map(round),
            [-100_000, -1, -1, 0, 0, 3, 100_000]
        );
    }
}
