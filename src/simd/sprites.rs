//! Sprites are small pictures of weights, by which a color is mixed into pixels.
//!
//! ```text
//! sprite   │ w0 w1 w2 w3 │ w4 … wf │   128 bits: a byte per weight, four rows of four
//! row 1    │ 0 w4 0 w4 0 w4 0 w4 0 w5 0 w5 …   256 bits: the high byte of each channel's 16
//! ```
//!
//! One shuffle brings the weights of a row, or of two rows of two pixels, to the channels of their
//! pixels.

use super::{
    SimdLevel,
    pixels::{Lanes, Pixel, mix},
};

/// A weight prepared for the rounding product: half of it, negated. As the high byte of 16 bits, it
/// is scaled by -128. An odd weight is rounded up to an even one.
pub(crate) type PreparedWeight = i8;

/// Prepares a weight of 0 to 256.
#[inline(always)]
pub(crate) fn prepare(weight: u16) -> PreparedWeight {
    (weight.div_ceil(2) as u8).wrapping_neg().cast_signed()
}

/// The weight that was prepared.
#[inline(always)]
pub(crate) fn weight_of(prepared: PreparedWeight) -> u16 {
    u16::from(prepared.unsigned_abs()) * 2
}

/// Tones that a sprite may have.
pub(crate) const TONES: usize = 64 * 64;

/// Prepared weights of four rows of four pixels.
pub(crate) type Sprite = [[PreparedWeight; 4]; 4];

/// Marks an entry that is no sprite. No frame has this number of pixels.
pub(crate) const OTHER: u32 = 1 << 31;

/// Sprites by columns, and the tables that their columns refer to.
#[derive(Clone, Copy)]
pub(crate) struct Sprites<'a, const LEN: usize> {
    /// All sprites that there are.
    pub(crate) table: &'a [Sprite],
    /// The color of each tone.
    pub(crate) colors: &'a [Lanes; TONES],
    /// Index of the first pixel of each sprite; with [`OTHER`], a pixel of a disc that is drawn otherwise.
    pub(crate) at: &'a [u32; LEN],
    /// Index of each sprite in the table.
    pub(crate) entry: &'a [u32; LEN],
    /// Tone of each sprite, below [`TONES`].
    pub(crate) tone: &'a [u32; LEN],
}

impl<const LEN: usize> Sprites<'_, LEN> {
    /// The first pixel, the weights and the color of sprite `k`.
    #[inline(always)]
    fn get(&self, k: u8) -> (usize, &Sprite, &Lanes) {
        let k = usize::from(k) % LEN;
        let tone = self.tone[k] as usize % TONES;
        (self.at[k] as usize, &self.table[self.entry[k] as usize], &self.colors[tone])
    }
}

/// Pixels per row of a sprite, by the number of rows that are drawn.
pub(crate) const fn columns(rows: usize) -> usize {
    if rows == 2 { 2 } else { 4 }
}

/// Draws the sprites of `list` from index `from` on into pixels with rows of `width`. Stops at the
/// first sprite of which `ROWS` rows don't lie in the pixels, and returns its index in the list.
///
/// The sprites of `list` are prefetched once: a caller draws an entry that is no sprite, and goes on
/// behind it.
#[inline(always)]
pub(crate) fn tint_sprites<const ROWS: usize, const LEN: usize>(
    simd: SimdLevel,
    pixels: &mut [Pixel],
    width: usize,
    sprites: Sprites<'_, LEN>,
    list: &[u8],
    from: usize,
) -> usize {
    const { assert!(ROWS >= 2 && ROWS <= 4) };
    let end = (ROWS - 1).checked_mul(width).and_then(|last| last.checked_add(columns(ROWS)));
    let Some(last) = end.and_then(|end| pixels.len().checked_sub(end)) else { return from };
    by_level!(simd, {
        Avx2 | Avx512 => {
            // SAFETY: a `SimdLevel` of these sets proves AVX2, and `ROWS` rows that begin at pixel
            // `last` or before it lie in the pixels.
            unsafe { x86::tint_sprites::<ROWS, LEN>(pixels, last, width, sprites, list, from) }
        },
        _ => {
            for (drawn, &k) in list.iter().enumerate().skip(from) {
                let (at, sprite, color) = sprites.get(k);
                if at > last {
                    return drawn;
                }
                for (row, weights) in sprite[..ROWS].iter().enumerate() {
                    let columns = columns(ROWS);
                    tint_row(&mut pixels[at + row * width..], *color, &weights[..columns]);
                }
            }
            list.len()
        },
    })
}

/// Draws a sprite into four rows of four pixels.
#[inline(always)]
pub(crate) fn tint(simd: SimdLevel, pixels: &mut [Pixel; 16], color: Lanes, sprite: &Sprite) {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2, and the rows lie in the pixels.
        Avx2 | Avx512 => unsafe {
            x86::tint_rows::<4>(pixels.as_mut_ptr(), 4, &color, sprite);
        },
        _ => tint_row(pixels, color, sprite.as_flattened()),
    });
}

/// Draws a row of a sprite into four pixels.
#[inline(always)]
pub(crate) fn tint_four(
    simd: SimdLevel,
    pixels: &mut [Pixel; 4],
    color: Lanes,
    weights: &[PreparedWeight; 4],
) {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        Avx2 | Avx512 => unsafe {
            let sprite = [*weights, [0; 4], [0; 4], [0; 4]];
            x86::tint_rows::<1>(pixels.as_mut_ptr(), 4, &color, &sprite);
        },
        _ => tint_row(pixels, color, weights),
    });
}

/// Mixes a color into the first pixels, by prepared weights.
#[inline(always)]
fn tint_row(pixels: &mut [Pixel], color: Lanes, weights: &[PreparedWeight]) {
    for (pixel, &prepared) in pixels.iter_mut().zip(weights) {
        *pixel = mix(*pixel, color, weight_of(prepared));
    }
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
mod x86 {
    use std::arch::x86_64::{
        __m256i, _mm_packus_epi16, _mm_set_epi64x, _mm256_broadcastsi128_si256,
        _mm256_castsi256_si128, _mm256_cvtepu8_epi16, _mm256_extracti128_si256,
        _mm256_loadu2_m128i, _mm256_packus_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8,
        _mm256_storeu2_m128i, _mm256_unpackhi_epi8, _mm256_unpacklo_epi8,
    };

    use bytemuck::cast;

    use super::{
        super::{
            pixels::x86::{lane, splat},
            prefetch_line,
        },
        Lanes, OTHER, Pixel, Sprite, Sprites,
    };

    /// Sprites between the one that is drawn and the one that is prefetched. A processor looks
    /// ahead by about four.
    const PREFETCH_DISTANCE: usize = 8;

    /// Byte indices of the weights of each row of a sprite: the weight of a pixel becomes the high
    /// byte of its four channels, and the low byte is zero.
    const ROWS: [[i8; 32]; 4] = [
        high_bytes([0, 1, 2, 3]),
        high_bytes([4, 5, 6, 7]),
        high_bytes([8, 9, 10, 11]),
        high_bytes([12, 13, 14, 15]),
    ];

    /// Byte indices of the weights of the left and of the right half of two rows.
    const PAIRS: [[[i8; 32]; 2]; 2] = [
        [high_bytes([0, 1, 4, 5]), high_bytes([2, 3, 6, 7])],
        [high_bytes([8, 9, 12, 13]), high_bytes([10, 11, 14, 15])],
    ];

    /// Byte indices of the weights of the first two pixels of the first two rows.
    const SQUARE: [i8; 32] = high_bytes([0, 1, 4, 5]);

    /// Byte indices that spread four weights of a sprite over the high bytes of four channels each.
    const fn high_bytes(weights: [i8; 4]) -> [i8; 32] {
        let mut bytes = [-1; 32];
        let mut byte = 1;
        while byte < 32 {
            bytes[byte] = weights[byte / 8];
            byte += 2;
        }
        bytes
    }

    /// # Safety
    /// `ROWS` rows of [`super::columns`] pixels, `width` apart, lie in the pixels if the first row
    /// begins at pixel `last` or before it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn tint_sprites<const ROWS: usize, const LEN: usize>(
        pixels: &mut [Pixel],
        last: usize,
        width: usize,
        sprites: Sprites<'_, LEN>,
        list: &[u8],
        from: usize,
    ) -> usize {
        let first = pixels.as_ptr();
        let prefetch_sprite = |k: u8| {
            let (at, sprite, _) = sprites.get(k);
            let at = at & !(OTHER as usize);
            prefetch_line::<false>(first.wrapping_add(at).cast());
            prefetch_line::<false>(first.wrapping_add(at + (ROWS - 1) * width).cast());
            prefetch_line::<false>(std::ptr::from_ref(sprite).cast());
        };
        if from == 0 {
            list.iter().take(PREFETCH_DISTANCE).for_each(|&k| prefetch_sprite(k));
        }
        for (drawn, &k) in list.iter().enumerate().skip(from) {
            if let Some(&ahead) = list.get(drawn + PREFETCH_DISTANCE) {
                prefetch_sprite(ahead);
            }
            let (at, sprite, color) = sprites.get(k);
            if at > last {
                return drawn;
            }
            // SAFETY: the caller guarantees that the rows lie in the pixels.
            unsafe {
                let first = pixels.as_mut_ptr().add(at);
                if ROWS == 2 {
                    tint_square(first, width, color, sprite);
                } else {
                    tint_rows::<ROWS>(first, width, color, sprite);
                }
            }
        }
        list.len()
    }

    /// # Safety
    /// `pixels` points to two rows of two pixels, `width` apart, that are mutably borrowed.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn tint_square(pixels: *mut Pixel, width: usize, color: &Lanes, sprite: &Sprite) {
        // SAFETY: the caller guarantees both rows, and they are borrowed mutably.
        let [first, second] =
            [0, width].map(|at| unsafe { &mut *pixels.add(at).cast::<[Pixel; 2]>() });
        let both = _mm_set_epi64x(cast(*second), cast(*first));
        let sprite = _mm256_broadcastsi128_si256(cast(*sprite));
        let weights = _mm256_shuffle_epi8(sprite, cast(SQUARE));
        let mixed = lane(_mm256_cvtepu8_epi16(both), splat(*color), weights);
        let (low, high) = (_mm256_castsi256_si128(mixed), _mm256_extracti128_si256(mixed, 1));
        let [low, high]: [i64; 2] = cast(_mm_packus_epi16(low, high));
        (*first, *second) = (cast(low), cast(high));
    }

    /// # Safety
    /// `pixels` points to `ROWS` rows of four pixels, `width` apart, that are mutably borrowed.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn tint_rows<const ROWS: usize>(
        pixels: *mut Pixel,
        width: usize,
        color: &Lanes,
        sprite: &Sprite,
    ) {
        let color = splat(*color);
        let sprite = _mm256_broadcastsi128_si256(cast(*sprite));
        for (pair, spread) in PAIRS[..ROWS / 2].iter().enumerate() {
            // SAFETY: the caller guarantees rows `2 pair` and `2 pair + 1` of `ROWS`.
            unsafe { tint_pair(pixels.add(pair * 2 * width), width, color, sprite, spread) };
        }
        if ROWS % 2 == 1 {
            // SAFETY: the caller guarantees the last row, and the rows are borrowed mutably.
            let at = unsafe { &mut *pixels.add((ROWS - 1) * width).cast::<[Pixel; 4]>() };
            let weights = _mm256_shuffle_epi8(sprite, cast(self::ROWS[ROWS - 1]));
            let mixed = lane(_mm256_cvtepu8_epi16(cast(*at)), color, weights);
            let (low, high) = (_mm256_castsi256_si128(mixed), _mm256_extracti128_si256(mixed, 1));
            *at = cast(_mm_packus_epi16(low, high));
        }
    }

    /// Tints two rows, each in one half of a register: shuffles within a half run on more ports than
    /// shuffles across halves.
    ///
    /// # Safety
    /// `pixels` points to two rows of four pixels, `width` apart, that are mutably borrowed.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn tint_pair(
        pixels: *mut Pixel,
        width: usize,
        color: __m256i,
        sprite: __m256i,
        spread: &[[i8; 32]; 2],
    ) {
        let zero = _mm256_setzero_si256();
        // SAFETY: the caller guarantees both rows.
        let both = unsafe { _mm256_loadu2_m128i(pixels.add(width).cast(), pixels.cast()) };
        let low = lane(
            _mm256_unpacklo_epi8(both, zero),
            color,
            _mm256_shuffle_epi8(sprite, cast(spread[0])),
        );
        let high = lane(
            _mm256_unpackhi_epi8(both, zero),
            color,
            _mm256_shuffle_epi8(sprite, cast(spread[1])),
        );
        let mixed = _mm256_packus_epi16(low, high);
        // SAFETY: as above.
        unsafe { _mm256_storeu2_m128i(pixels.add(width).cast(), pixels.cast(), mixed) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sprites_beyond_the_pixels_are_not_drawn() {
        let table = [[[prepare(256); 4]; 4]];
        let colors: Box<[Lanes; TONES]> = vec![[255; 4]; TONES].try_into().unwrap();
        // In rows of five pixels, a sprite that begins at pixel 2 ends in the last one.
        let sprites = Sprites {
            table: &table,
            colors: &colors,
            at: &[1, 2, 3, OTHER | 2],
            entry: &[0; 4],
            tone: &[0; 4],
        };
        for simd in SimdLevel::available() {
            let mut pixels = [[0; 4]; 21];
            let mut draw =
                |list: &[u8], from| tint_sprites::<4, 4>(simd, &mut pixels, 5, sprites, list, from);
            assert_eq!([draw(&[3], 0), draw(&[2, 0], 0), draw(&[2, 0, 1, 2], 1)], [0, 0, 3]);
            assert_eq!(
                pixels.map(|pixel| pixel[0] / 255),
                [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
            );
        }
    }
}
