//! Weighted means of pixels, with the widest integers of the machine.
//!
//! The one operation is `a + (b - a)·w`, with weights of 0 to 256, so that both ends are exact and
//! a shift divides. It is integer arithmetic in lanes of 16 bits, so every level gives the same
//! bytes. Where one instruction multiplies, rounds and shifts by 15, the mean is a difference, that
//! product and a sum. The weight is then scaled by -128: 256 · 128 = 2¹⁵ doesn't fit into 16 signed
//! bits, but -2¹⁵ does.
//!
//! ```text
//! pixels   │r g b a r g b a│r g b a r g b a│ 128 bits each  unpack: halves, 16 bits per lane
//! weights  │ w0 w1 w2 w3   │ w0 w1 w2 w3   │ broadcast      shuffle: w0 w0 w0 w0 w1 w1 w1 w1 …
//! ```
//!
//! The functions are written with intrinsics. Compilers find the shuffles for four pixels, but for
//! more pixels they extract the weights one by one. Unpacking, shuffling and packing stay within
//! 128 bits, where they are cheap.

use super::{InstructionSet, SimdLevel};

/// Red, green, blue, alpha.
pub(crate) type Pixel = [u8; 4];

/// A color widened to 16 bits per channel, for mixing into many pixels.
pub(crate) type Lanes = [u16; 4];

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

/// Prepared weights of four rows of four pixels.
pub(crate) type Sprite = [[PreparedWeight; 4]; 4];

/// Pixels per instruction of the widest level.
pub(crate) const BLOCK: usize = 16;

/// Sprites by columns, and what their columns refer to.
#[derive(Clone, Copy)]
pub(crate) struct Sprites<'a, const LEN: usize> {
    /// All sprites that there are.
    pub(crate) table: &'a [Sprite],
    /// The color of each tone.
    pub(crate) colors: &'a [Lanes; 256],
    /// Index of the first pixel of each sprite.
    pub(crate) at: &'a [u32; LEN],
    /// Index of each sprite in the table.
    pub(crate) entry: &'a [u32; LEN],
    /// Tone of each sprite, 0 to 255.
    pub(crate) tone: &'a [u32; LEN],
}

impl<const LEN: usize> Sprites<'_, LEN> {
    /// The first pixel, the weights and the color of sprite `k`.
    #[inline(always)]
    fn get(&self, k: u8) -> (usize, &Sprite, &Lanes) {
        let k = usize::from(k) % LEN;
        let tone = self.tone[k] as usize % 256;
        (self.at[k] as usize, &self.table[self.entry[k] as usize], &self.colors[tone])
    }
}

/// Pixels per row of a sprite of which that many rows are drawn.
pub(crate) const fn columns(rows: usize) -> usize {
    if rows == 2 { 2 } else { 4 }
}

/// Sprites between the one that is drawn and the one whose memory is prefetched. A processor looks
/// ahead by about four.
const PREFETCH_DISTANCE: usize = 8;

/// Draws the sprites of `list`, one after the other, into pixels with rows of that width, up to the
/// first of which `ROWS` rows don't lie in the pixels. Returns their number.
#[inline(always)]
pub(crate) fn tint_sprites<const ROWS: usize, const LEN: usize>(
    simd: SimdLevel,
    pixels: &mut [Pixel],
    width: usize,
    sprites: Sprites<'_, LEN>,
    list: &[u8],
) -> usize {
    const { assert!(ROWS >= 2 && ROWS <= 4) };
    let end = (ROWS - 1).checked_mul(width).and_then(|last| last.checked_add(columns(ROWS)));
    let Some(last) = end.and_then(|end| pixels.len().checked_sub(end)) else { return 0 };
    match simd.0 {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => {
            // SAFETY: a `SimdLevel` of these sets proves AVX2, and `ROWS` rows that begin at pixel
            // `last` or before it lie in the pixels.
            unsafe { x86::tint_sprites::<ROWS, LEN>(pixels, last, width, sprites, list) }
        }
        _ => {
            for (drawn, &k) in list.iter().enumerate() {
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
        }
    }
}

/// Mixes a color into the first pixels, by prepared weights.
#[inline(always)]
pub(crate) fn tint_row(pixels: &mut [Pixel], color: Lanes, weights: &[PreparedWeight]) {
    for (pixel, &prepared) in pixels.iter_mut().zip(weights) {
        *pixel = mix(*pixel, color, weight_of(prepared));
    }
}

/// Mixes the mean of two colors into pixels, by weights of 0 to 256. The mean is the first color at
/// share 0, and the second at 256; without shares, it is the first color.
#[inline(always)]
pub(crate) fn tint<const LEN: usize>(
    simd: SimdLevel,
    pixels: &mut [Pixel; LEN],
    colors: [Lanes; 2],
    shares: Option<&[u16; LEN]>,
    weights: &[u16; LEN],
) {
    match simd.0 {
        // SAFETY: a `SimdLevel` of this set proves AVX-512 BW.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 if LEN % BLOCK == 0 => unsafe {
            x86::tint_wide(pixels, colors, shares, weights);
        },
        // SAFETY: a `SimdLevel` of these sets proves AVX2.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 if LEN % 8 == 0 => unsafe {
            x86::tint(pixels, colors, shares, weights);
        },
        _ => {
            let [first, second] = colors;
            for (k, pixel) in pixels.iter_mut().enumerate() {
                let color = shares.map_or(first, |shares| {
                    std::array::from_fn(|c| lane(first[c], second[c], shares[k]))
                });
                *pixel = mix(*pixel, color, weights[k]);
            }
        }
    }
}

/// The weighted mean of two colors: the pixel at weight 0, the color at 256.
#[inline(always)]
pub(crate) fn mix(pixel: Pixel, color: Lanes, weight: u16) -> Pixel {
    std::array::from_fn(|channel| lane(u16::from(pixel[channel]), color[channel], weight) as u8)
}

/// The weighted mean of two numbers of 0 to 255, by a weight of 0 to 256.
#[inline(always)]
pub(crate) fn lane(a: u16, b: u16, weight: u16) -> u16 {
    // Modulo 2¹⁶ throughout: the sum itself is at most 255·256 + 128.
    let scaled = (a << 8).wrapping_add(b.wrapping_sub(a).wrapping_mul(weight));
    scaled.wrapping_add(128) >> 8
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_mullo_epi16, _mm_packus_epi16, _mm_set_epi64x, _mm_set1_epi16,
        _mm256_add_epi16, _mm256_broadcastsi128_si256, _mm256_castsi256_si128,
        _mm256_cvtepu8_epi16, _mm256_extracti128_si256, _mm256_mulhrs_epi16, _mm256_mullo_epi16,
        _mm256_packus_epi16, _mm256_set1_epi16, _mm256_set1_epi64x, _mm256_setzero_si256,
        _mm256_shuffle_epi8, _mm256_sub_epi16, _mm256_unpackhi_epi8, _mm256_unpacklo_epi8,
        _mm512_add_epi16, _mm512_castsi256_si512, _mm512_mulhrs_epi16, _mm512_packus_epi16,
        _mm512_permutexvar_epi16, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_sub_epi16,
        _mm512_unpackhi_epi8, _mm512_unpacklo_epi8,
    };

    use bytemuck::cast;

    use super::{
        super::prefetch_line as prefetch, BLOCK, Lanes, PREFETCH_DISTANCE, Pixel, Sprite, Sprites,
    };

    /// Byte indices of the weights for the lower two pixels of each 128 bits: of the first four
    /// weights in the lower 128 bits, of the other four in the upper.
    const LOW: [i8; 32] = spread([0, 1, 4, 5]);
    const HIGH: [i8; 32] = spread([2, 3, 6, 7]);

    /// Byte indices of the weights of each row of a sprite: the weight of a pixel becomes the high
    /// byte of its four channels, and the low byte is zero.
    const ROWS: [[i8; 32]; 4] = [
        high_bytes([0, 1, 2, 3]),
        high_bytes([4, 5, 6, 7]),
        high_bytes([8, 9, 10, 11]),
        high_bytes([12, 13, 14, 15]),
    ];

    /// The same for the first two pixels of the first two rows.
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

    /// The byte indices of four 16-bit weights, each repeated for four channels.
    const fn spread(weights: [i8; 4]) -> [i8; 32] {
        let mut bytes = [0; 32];
        let mut byte = 0;
        while byte < 32 {
            bytes[byte] = weights[byte / 8] * 2 + (byte % 2) as i8;
            byte += 1;
        }
        bytes
    }

    /// Indices into sixteen weights, each repeated for four channels, in the order in which
    /// unpacking leaves the pixels of a block.
    const fn indices(half: u16) -> [u16; 32] {
        let mut indices = [0; 32];
        let mut lane = 0;
        while lane < 32 {
            indices[lane as usize] = lane / 8 * 4 + half * 2 + lane % 8 / 4;
            lane += 1;
        }
        indices
    }

    const LOW_WIDE: [u16; 32] = indices(0);
    const HIGH_WIDE: [u16; 32] = indices(1);

    #[inline]
    #[target_feature(enable = "avx2")]
    fn splat(color: Lanes) -> __m256i {
        _mm256_set1_epi64x(cast(color))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lane(a: __m256i, b: __m256i, prepared: __m256i) -> __m256i {
        _mm256_add_epi16(a, _mm256_mulhrs_epi16(_mm256_sub_epi16(a, b), prepared))
    }

    /// Mixes colors into eight pixels; `low` and `high` are the halves that unpacking gives.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mix(pixels: __m256i, [low, high]: [__m256i; 2], weights: [__m256i; 2]) -> __m256i {
        let zero = _mm256_setzero_si256();
        _mm256_packus_epi16(
            lane(_mm256_unpacklo_epi8(pixels, zero), low, weights[0]),
            lane(_mm256_unpackhi_epi8(pixels, zero), high, weights[1]),
        )
    }

    /// Eight weights, each repeated for four channels.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn weights(eight: &[u16; 8]) -> [__m256i; 2] {
        let eight =
            _mm256_broadcastsi128_si256(_mm_mullo_epi16(cast(*eight), _mm_set1_epi16(-128)));
        [_mm256_shuffle_epi8(eight, cast(LOW)), _mm256_shuffle_epi8(eight, cast(HIGH))]
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
    ) -> usize {
        let first = pixels.as_ptr();
        let prefetch_sprite = |k: u8| {
            let (at, sprite, _) = sprites.get(k);
            prefetch(first.wrapping_add(at));
            prefetch(first.wrapping_add(at + (ROWS - 1) * width));
            prefetch(sprite);
        };
        list.iter().take(PREFETCH_DISTANCE).for_each(|&k| prefetch_sprite(k));
        for (drawn, &k) in list.iter().enumerate() {
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
    unsafe fn tint_rows<const ROWS: usize>(
        pixels: *mut Pixel,
        width: usize,
        color: &Lanes,
        sprite: &Sprite,
    ) {
        let color = splat(*color);
        let sprite = _mm256_broadcastsi128_si256(cast(*sprite));
        for (row, spread) in self::ROWS[..ROWS].iter().enumerate() {
            // SAFETY: the caller guarantees row `row` of `ROWS`, and the rows are borrowed mutably.
            let at = unsafe { &mut *pixels.add(row * width).cast::<[Pixel; 4]>() };
            let weights = _mm256_shuffle_epi8(sprite, cast(*spread));
            let mixed = lane(_mm256_cvtepu8_epi16(cast(*at)), color, weights);
            let (low, high) = (_mm256_castsi256_si128(mixed), _mm256_extracti128_si256(mixed, 1));
            *at = cast(_mm_packus_epi16(low, high));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn tint<const LEN: usize>(
        pixels: &mut [Pixel; LEN],
        colors: [Lanes; 2],
        shares: Option<&[u16; LEN]>,
        covers: &[u16; LEN],
    ) {
        let [first, second] = [splat(colors[0]), splat(colors[1])];
        let eights = pixels.as_chunks_mut::<8>().0.iter_mut().zip(covers.as_chunks().0);
        for (index, (eight, covers)) in eights.enumerate() {
            let mut colors = [first; 2];
            if let Some(shares) = shares {
                let [low, high] = weights(&shares.as_chunks().0[index]);
                colors = [lane(first, second, low), lane(first, second, high)];
            }
            *eight = cast(mix(cast(*eight), colors, weights(covers)));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn splat_wide(color: Lanes) -> __m512i {
        _mm512_set1_epi64(cast(color))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn lane_wide(a: __m512i, b: __m512i, prepared: __m512i) -> __m512i {
        _mm512_add_epi16(a, _mm512_mulhrs_epi16(_mm512_sub_epi16(a, b), prepared))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    fn weights_wide(sixteen: &[u16; BLOCK]) -> [__m512i; 2] {
        let prepared = _mm256_mullo_epi16(cast(*sixteen), _mm256_set1_epi16(-128));
        let sixteen = _mm512_castsi256_si512(prepared);
        [LOW_WIDE, HIGH_WIDE].map(|indices| _mm512_permutexvar_epi16(cast(indices), sixteen))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    pub(super) fn tint_wide<const LEN: usize>(
        pixels: &mut [Pixel; LEN],
        colors: [Lanes; 2],
        shares: Option<&[u16; LEN]>,
        covers: &[u16; LEN],
    ) {
        let [first, second] = [splat_wide(colors[0]), splat_wide(colors[1])];
        let blocks = pixels.as_chunks_mut::<BLOCK>().0.iter_mut().zip(covers.as_chunks().0);
        for (index, (pixels, covers)) in blocks.enumerate() {
            let mut colors = [first; 2];
            if let Some(shares) = shares {
                let [low, high] = weights_wide(&shares.as_chunks().0[index]);
                colors = [lane_wide(first, second, low), lane_wide(first, second, high)];
            }
            let (zero, all, [low, high]) =
                (_mm512_setzero_si512(), cast(*pixels), weights_wide(covers));
            let low = lane_wide(_mm512_unpacklo_epi8(all, zero), colors[0], low);
            let high = lane_wide(_mm512_unpackhi_epi8(all, zero), colors[1], high);
            *pixels = cast(_mm512_packus_epi16(low, high));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_exact_at_both_ends_and_rounded_between() {
        for a in 0..=255 {
            for b in [0, 1, 77, 128, 254, 255] {
                assert_eq!([lane(a, b, 0), lane(a, b, 256)], [a, b]);
                for weight in 0..=256 {
                    let share = f32::from(weight) / 256.0;
                    let exact = f32::from(a) + (f32::from(b) - f32::from(a)) * share;
                    assert!((f32::from(lane(a, b, weight)) - exact).abs() <= 0.5);
                }
            }
        }
    }

    #[test]
    fn sprites_beyond_the_pixels_are_not_drawn() {
        let (table, colors) = ([[[prepare(256); 4]; 4]], [[255; 4]; 256]);
        // In rows of five pixels, a sprite that begins at pixel 2 ends in the last one.
        let sprites = Sprites {
            table: &table,
            colors: &colors,
            at: &[1, 2, 3, u32::MAX],
            entry: &[0; 4],
            tone: &[0; 4],
        };
        for simd in SimdLevel::available() {
            let mut pixels = [[0; 4]; 21];
            let mut draw = |list: &[u8]| tint_sprites::<4, 4>(simd, &mut pixels, 5, sprites, list);
            assert_eq!([draw(&[3]), draw(&[2, 0]), draw(&[0, 1, 2])], [0, 0, 2]);
            assert_eq!(
                pixels.map(|pixel| pixel[0] / 255),
                [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
            );
        }
    }
}
