//! The 255 colors of a GIF, and which of them is nearest to another.
//!
//! What is flat (the ground, the outside, the line between) is in there as it is, so that it has no noise.
//! The others are found by `NeuQuant` from the colors of the first frame and from those that agents may come
//! to have later on: each of the palette's colors over the ground, in all shares.

use crate::raster::{Frame, Style};
use color_quant::NeuQuant;

/// The color that no pixel has.
pub(super) const TRANSPARENT: u8 = 255;

/// How different the new color of a pixel may be from the one that is shown to leave it be, where the
/// picture is smooth: less than one color of the table is from the next.
const SAME: u32 = 60;

/// The same at the most, where the pixels beside each other differ so much that nobody sees it. Without
/// it, a film of dust is half as large again.
const SAME_IN_NOISE: u32 = 2_000;

/// Shares of a pixel that an agent covers, among the colors that are foreseen.
const SHARES: u32 = 12;

/// How often a color is learnt from as it is, for each time with a share.
const WHOLE: usize = 5;

/// Bits of a channel that the table of the nearest goes by.
const BITS: u32 = 6;

/// Not looked for yet: the transparent color is nobody's nearest.
const UNKNOWN: u8 = TRANSPARENT;

/// At most 255 colors.
pub(super) struct GifColors {
    colors: Vec<[u8; 3]>,
    /// The nearest by the leading bits of red, green and blue; looked for when it is asked for.
    nearest: Vec<u8>,
}

impl GifColors {
    /// Those that suit a film that begins with `frame`.
    pub(super) fn of(frame: &Frame, look: &Style) -> Self {
        let flat = [look.ground, look.outside, look.border];
        let mut counts = vec![0_u32; 1 << (3 * BITS)];
        for &pixel in &frame.pixels {
            counts[key(pixel)] += 1;
        }
        let mut samples = foreseen(look);
        for &pixel in &frame.pixels {
            // A color counts by the logarithm of how often it is there: many like agents are not to take
            // the colors of a few large ones.
            let count = std::mem::take(&mut counts[key(pixel)]);
            samples.extend((0..u32::BITS - count.leading_zeros()).map(|_| pixel));
        }
        let learnt =
            NeuQuant::new(1, usize::from(TRANSPARENT) - flat.len(), bytemuck::cast_slice(&samples));
        let mut colors = flat.to_vec();
        colors.extend_from_slice(learnt.color_map_rgb().as_chunks().0);
        let mut this = Self { colors, nearest: vec![UNKNOWN; 1 << (3 * BITS)] };
        for (index, [r, g, b]) in (0..).zip(flat) {
            this.nearest[key([r, g, b, 255])] = index;
        }
        this
    }

    /// Red, green, blue of each, with the transparent one at the end.
    pub(super) fn table(&self) -> Vec<u8> {
        self.colors.iter().copied().chain([[0; 3]]).flatten().collect()
    }

    /// The nearest color.
    pub(super) fn nearest(&mut self, pixel: [u8; 4]) -> u8 {
        let key = key(pixel);
        if self.nearest[key] == UNKNOWN {
            let middle = pixel.map(|channel| channel >> (8 - BITS) << (8 - BITS) | 1 << (7 - BITS));
            let indexes = (0..).zip(&self.colors);
            let nearest = indexes.min_by_key(|(_, color)| distance(middle, **color));
            self.nearest[key] = nearest.map_or(0, |(index, _)| index);
        }
        self.nearest[key]
    }

    /// The color that is shown if it is near enough, or else the nearest. `beside` is the new color of the
    /// next pixel: the more it differs, the less is seen.
    pub(super) fn keep_or_nearest(&mut self, shown: u8, pixel: [u8; 4], beside: [u8; 4]) -> u8 {
        let [r, g, b, _] = beside;
        let same = (SAME + distance(pixel, [r, g, b])).min(SAME_IN_NOISE);
        let off = distance(pixel, self.colors[usize::from(shown)]);
        if off <= same { shown } else { self.nearest(pixel) }
    }
}

/// Each color of the look over the ground, in shares; whole, as most of a disc is, several times.
fn foreseen(look: &Style) -> Vec<[u8; 4]> {
    let mix = |ground: u8, color: u8, share: u32| {
        ((u32::from(ground) * (SHARES - share) + u32::from(color) * share) / SHARES) as u8
    };
    let [red, green, blue] = look.ground;
    let over = |[r, g, b]: [u8; 3], share| {
        [mix(red, r, share), mix(green, g, share), mix(blue, b, share), 255]
    };
    let shares = (1..SHARES).chain([SHARES; WHOLE]);
    let colors = look.colors();
    shares.flat_map(|share| colors.map(|color| over(color, share))).collect()
}

/// How different two colors look: squares by channel, with about the weights of luma.
fn distance([r, g, b, _]: [u8; 4], color: [u8; 3]) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    2 * square(r, color[0]) + 4 * square(g, color[1]) + square(b, color[2])
}

/// The leading bits of the three channels.
fn key([r, g, b, _]: [u8; 4]) -> usize {
    [r, g, b].into_iter().fold(0, |key, channel| key << BITS | usize::from(channel >> (8 - BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
        [r, g, b, 255]
    }

    #[test]
    fn what_is_flat_keeps_its_color() {
        let look = Style::default();
        let mut colors = GifColors::of(&Frame::new(64, 64), &look);
        for flat in [look.ground, look.outside, look.border] {
            let nearest = usize::from(colors.nearest(opaque(flat)));
            assert_eq!(colors.table()[nearest * 3..][..3], flat);
        }
    }

    #[test]
    fn colors_that_are_to_come_are_there() {
        let look = Style::default();
        let mut colors = GifColors::of(&Frame::new(64, 64), &look);
        assert_eq!(colors.table().len(), 256 * 3);
        let mut sum = 0;
        for color in look.colors() {
            let nearest = usize::from(colors.nearest(opaque(color)));
            let off = distance(opaque(color), colors.colors[nearest]);
            sum += off;
            assert!(off < 600, "{color:?}: {off}");
        }
        assert!(sum < 256 * 100, "{sum}");
    }

    #[test]
    fn a_pixel_keeps_its_color_until_it_is_seen() {
        let look = Style::default();
        let mut colors = GifColors::of(&Frame::new(64, 64), &look);
        let shown = colors.nearest([200, 80, 60, 255]);
        let [r, g, b] = colors.colors[usize::from(shown)];
        let (near, far) = ([r, g, b + 3, 255], [r, g, b + 80, 255]);
        assert_eq!(colors.keep_or_nearest(shown, near, near), shown);
        assert_ne!(colors.keep_or_nearest(shown, far, [0, 255, 0, 255]), shown);
    }
}
