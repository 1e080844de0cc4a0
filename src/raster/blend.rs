//! Arithmetic on pixels: four at a time, eight bits a channel in sixteen-bit lanes.
//!
//! One operation does it all: a weighted mean of two colours, `a + (b - a)·w`, with weights of 0 to 256,
//! so that both ends are exact and a shift divides. Sixteen lanes of `u16`, no branch and no division:
//! compilers make vector instructions of it.

/// Red, green, blue, alpha.
pub(crate) type Pixel = [u8; 4];

/// Four pixels side by side.
pub(crate) type Four = [Pixel; 4];

/// A share as a number of 0 to 256.
pub(crate) type Weight = u16;

/// The weighted mean of `a` and `b`, pixel by pixel: `a` where the weight is 0, `b` where it is
/// 256.
// The compiler weighs sixteen lanes before it makes two vectors of them, and then calls.
#[inline(always)]
pub(crate) fn mix_four(a: &Four, b: &Four, weights: &[Weight; 4]) -> Four {
    let (a, b): (&[u8; 16], &[u8; 16]) = (bytemuck::cast_ref(a), bytemuck::cast_ref(b));
    let mut mixed = [0; 16];
    for lane in 0..16 {
        mixed[lane] = mix_byte(a[lane], b[lane], weights[lane / 4]);
    }
    bytemuck::cast(mixed)
}

/// A pixel with a lane's width for each channel: a colour that is mixed into many fours.
pub(crate) type Lanes = [u16; 4];

/// Mixes one colour into four pixels.
#[inline(always)]
pub(crate) fn tint_four(four: &mut Four, color: Lanes, weights: &[Weight; 4]) {
    let bytes: &mut [u8; 16] = bytemuck::cast_mut(four);
    for lane in 0..16 {
        bytes[lane] = mix_lane(u16::from(bytes[lane]), color[lane % 4], weights[lane / 4]);
    }
}

/// The weighted mean of two pixels.
#[inline]
pub(crate) fn mix(a: Pixel, b: Pixel, weight: Weight) -> Pixel {
    std::array::from_fn(|channel| mix_byte(a[channel], b[channel], weight))
}

#[inline]
fn mix_byte(a: u8, b: u8, weight: Weight) -> u8 {
    mix_lane(u16::from(a), u16::from(b), weight)
}

#[inline]
fn mix_lane(a: u16, b: u16, weight: Weight) -> u8 {
    // Modulo 2¹⁶ throughout: the sum itself is at most 255·256 + 128.
    let scaled = (a << 8).wrapping_add(b.wrapping_sub(a).wrapping_mul(weight));
    (scaled.wrapping_add(128) >> 8) as u8
}

/// A share of 0 to 1 as a weight; what is outside of that range counts as its end.
#[inline]
pub(crate) fn weight(share: f32) -> Weight {
    round((share * 256.0).clamp(0.0, 256.0)) as Weight
}

/// The nearest whole number to one of less than four million either way.
///
/// Adding 1.5·2²³ leaves no bits for a fraction: the last ones are the whole number. A cast would check
/// for what doesn't fit, which compilers do one lane at a time.
#[inline]
pub(crate) fn round(value: f32) -> i32 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed()
}

/// A place in the frame, or one just as far outside of every frame that [`round`] can take.
#[inline]
pub(crate) fn near(place: f32) -> f32 {
    const FAR: f32 = 100_000.0;
    let place = if place < FAR { place } else { FAR };
    if place > -FAR { place } else { -FAR }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight of 1.
    const WHOLE: Weight = 256;

    #[test]
    fn ends_are_exact_and_the_rest_is_rounded() {
        for a in 0..=255_u8 {
            for b in [0, 1, 77, 128, 254, 255] {
                assert_eq!(mix_byte(a, b, 0), a);
                assert_eq!(mix_byte(a, b, WHOLE), b);
                for weight in 0..=WHOLE {
                    let w = f32::from(weight) / f32::from(WHOLE);
                    let exact = f32::from(a) + (f32::from(b) - f32::from(a)) * w;
                    assert!((f32::from(mix_byte(a, b, weight)) - exact).abs() <= 0.5);
                }
            }
        }
    }

    #[test]
    fn four_at_once_are_four_times_one() {
        let a = [[1, 2, 3, 255], [200, 100, 0, 255], [9, 9, 9, 255], [0, 255, 0, 255]];
        let b = [[250, 0, 77, 255]; 4];
        let weights = [0, 64, 200, WHOLE];
        let mixed = mix_four(&a, &b, &weights);
        for k in 0..4 {
            assert_eq!(mixed[k], mix(a[k], b[k], weights[k]));
        }
        let mut tinted = a;
        tint_four(&mut tinted, b[0].map(u16::from), &weights);
        assert_eq!(tinted, mixed);
    }

    #[test]
    fn shares_become_weights_and_numbers_are_rounded() {
        assert_eq!([-1.0, 0.0, 0.5, 1.0, 7.0].map(weight), [0, 0, 128, WHOLE, WHOLE]);
        assert_eq!(
            [-1e5, -1.25, -0.75, 0.0, 0.3, 2.75, 1e5].map(round),
            [-100_000, -1, -1, 0, 0, 3, 100_000]
        );
    }
}
