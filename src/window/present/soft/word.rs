//! Pixels as words: 0x00RRGGBB in the window, 0xAARRGGBB premultiplied by alpha in the panel.

/// The word of an opaque pixel.
pub(super) fn opaque(red: u8, green: u8, blue: u8) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}

/// Writes pixels as words.
pub(super) fn copy(pixels: &[[u8; 4]], words: &mut [u32]) {
    for (word, &[red, green, blue, _]) in words.iter_mut().zip(pixels) {
        *word = opaque(red, green, blue);
    }
}

/// Blends `above`, which is premultiplied, over `below`: each channel of `below` keeps the share
/// that the alpha of `above` leaves, rounded to the nearest.
#[inline]
pub(super) fn over(below: u32, above: u32) -> u32 {
    const PAIR: u32 = 0x00ff_00ff;
    let keeps = 255 - (above >> 24);
    // Two channels at once: a product of two bytes fits in 16 bits, and so does the division.
    let share = |pair: u32| {
        let product = pair * keeps + 0x0080_0080;
        (product + ((product >> 8) & PAIR)) >> 8 & PAIR
    };
    above + share(below & PAIR) + (share((below >> 8) & PAIR) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_channel_keeps_its_share_rounded_to_the_nearest() {
        for alpha in 0..=255_u32 {
            for value in 0..=255_u32 {
                let share = (f64::from(value * (255 - alpha)) / 255.0).round() as u32;
                let kept = over(value * 0x0101_0101, alpha << 24);
                assert_eq!(kept & 0x00ff_ffff, share * 0x0001_0101, "{value} below {alpha}");
            }
        }
        assert_eq!(over(0x0012_3456, 0xff65_4321) & 0x00ff_ffff, 0x0065_4321);
    }
}
