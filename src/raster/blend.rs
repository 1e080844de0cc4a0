//! Arithmetic on pixels: four at a time, eight bits a channel in sixteen-bit lanes.
//!
//! One operation does it all: a weighted mean of two colours, `a + (b - a)·w`, with weights of 0 to 255
//! that count as 0 to 256 and so keep both ends exact. Sixteen lanes of `u16`, no branch and no
//! division, so that compilers make vector instructions of it.

/// Red, green, blue, alpha.
pub(crate) type Pixel = [u8; 4];

/// Four pixels side by side.
pub(crate) type Four = [Pixel; 4];

/// The weighted mean of `a` and `b`, pixel by pixel: `a` where the weight is 0, `b` where it is 255.
#[inline]
pub(crate) fn mix_four(a: &Four, b: &Four, weights: [u8; 4]) -> Four {
    let (a, b): (&[u8; 16], &[u8; 16]) = (bytemuck::cast_ref(a), bytemuck::cast_ref(b));
    let mut mixed = [0; 16];
    for lane in 0..16 {
        mixed[lane] = mix_byte(a[lane], b[lane], weights[lane / 4]);
    }
    bytemuck::cast(mixed)
}

/// The weighted mean of two pixels.
#[inline]
pub(crate) fn mix(a: Pixel, b: Pixel, weight: u8) -> Pixel {
    std::array::from_fn(|channel| mix_byte(a[channel], b[channel], weight))
}

#[inline]
fn mix_byte(a: u8, b: u8, weight: u8) -> u8 {
    let (a, b, weight) = (u16::from(a), u16::from(b), u16::from(weight));
    let weight = weight + (weight >> 7);
    // Modulo 2¹⁶ throughout: the sum itself is at most 255·256 + 128.
    let scaled = (a << 8).wrapping_add(b.wrapping_sub(a).wrapping_mul(weight));
    (scaled.wrapping_add(128) >> 8) as u8
}

/// A share of 0 to 1 as a weight; what is outside of that range counts as its end.
#[inline]
pub(crate) fn weight(share: f32) -> u8 {
    (share * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_exact_and_the_rest_is_rounded() {
        for a in 0..=255_u8 {
            for b in [0, 1, 77, 128, 254, 255] {
                assert_eq!(mix_byte(a, b, 0), a);
                assert_eq!(mix_byte(a, b, 255), b);
                for weight in 0..=255_u8 {
                    let w = f32::from(weight) / 255.0;
                    let exact = f32::from(a) + (f32::from(b) - f32::from(a)) * w;
                    assert!((f32::from(mix_byte(a, b, weight)) - exact).abs() < 1.01);
                }
            }
        }
    }

    #[test]
    fn four_at_once_are_four_times_one() {
        let a = [[1, 2, 3, 255], [200, 100, 0, 255], [9, 9, 9, 255], [0, 255, 0, 255]];
        let b = [[250, 0, 77, 255]; 4];
        let weights = [0, 64, 200, 255];
        let mixed = mix_four(&a, &b, weights);
        for k in 0..4 {
            assert_eq!(mixed[k], mix(a[k], b[k], weights[k]));
        }
    }
}
