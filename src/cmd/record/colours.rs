//! The 255 colours of a GIF, and which of them is nearest to another.
//!
//! What is flat (the ground, the outside, the line between) is in there as it is, so that it has no noise.
//! The others are found by `NeuQuant` from the colours of the first frame and from those that agents may come
//! to have later on: each of the palette's colours over the ground, in all shares.

use color_quant::NeuQuant;
use jostle::raster::{Frame, Look};

/// The colour that no pixel has.
pub(super) const TRANSPARENT: u8 = 255;

/// How different the new colour of a pixel may be from the one that is shown to leave it be, where the
/// picture is smooth: less than one colour of the table is from the next.
const SAME: u32 = 60;

/// The same at the most, where the pixels beside each other differ so much that nobody sees it. Without
/// it, a film of dust is half as large again.
const SAME_IN_NOISE: u32 = 2_000;

/// Shares of a pixel that an agent covers, among the colours that are foreseen.
const SHARES: u32 = 12;

/// How often a colour is learnt from as it is, for each time with a share.
const WHOLE: usize = 5;

/// Bits of a channel that the table of the nearest goes by.
const BITS: u32 = 6;

/// Not looked for yet: the transparent colour is nobody's nearest.
const UNKNOWN: u8 = TRANSPARENT;

/// At most 255 colours.
pub(super) struct Colours {
    colours: Vec<[u8; 3]>,
    /// The nearest by the leading bits of red, green and blue; looked for when it is asked for.
    nearest: Vec<u8>,
}

impl Colours {
    /// Those that suit a film that begins with `frame`.
    pub(super) fn of(frame: &Frame, look: &Look) -> Self {
        let flat = [look.ground, look.outside, look.border];
        let mut counts = vec![0_u32; 1 << (3 * BITS)];
        for &pixel in &frame.pixels {
            counts[key(pixel)] += 1;
        }
        let mut samples = foreseen(look);
        for &pixel in &frame.pixels {
            // A colour counts by the logarithm of how often it is there: many like agents are not to take
            // the colours of a few large ones.
            let count = std::mem::take(&mut counts[key(pixel)]);
            samples.extend((0..u32::BITS - count.leading_zeros()).map(|_| pixel));
        }
        let learnt =
            NeuQuant::new(1, usize::from(TRANSPARENT) - flat.len(), bytemuck::cast_slice(&samples));
        let mut colours = flat.to_vec();
        colours.extend_from_slice(learnt.color_map_rgb().as_chunks().0);
        let mut this = Self { colours, nearest: vec![UNKNOWN; 1 << (3 * BITS)] };
        for (index, [r, g, b]) in (0..).zip(flat) {
            this.nearest[key([r, g, b, 255])] = index;
        }
        this
    }

    /// Red, green, blue of each, with the transparent one at the end.
    pub(super) fn table(&self) -> Vec<u8> {
        self.colours.iter().copied().chain([[0; 3]]).flatten().collect()
    }

    /// The nearest colour.
    pub(super) fn nearest(&mut self, pixel: [u8; 4]) -> u8 {
        let key = key(pixel);
        if self.nearest[key] == UNKNOWN {
            let middle = pixel.map(|channel| channel >> (8 - BITS) << (8 - BITS) | 1 << (7 - BITS));
            let indexes = (0..).zip(&self.colours);
            let nearest = indexes.min_by_key(|(_, colour)| distance(middle, **colour));
            self.nearest[key] = nearest.map_or(0, |(index, _)| index);
        }
        self.nearest[key]
    }

    /// The colour that is shown if it is near enough, or else the nearest. `beside` is the new colour of the
    /// next pixel: the more it differs, the less is seen.
    pub(super) fn keep_or_nearest(&mut self, shown: u8, pixel: [u8; 4], beside: [u8; 4]) -> u8 {
        let [r, g, b, _] = beside;
        let same = (SAME + distance(pixel, [r, g, b])).min(SAME_IN_NOISE);
        let off = distance(pixel, self.colours[usize::from(shown)]);
        if off <= same { shown } else { self.nearest(pixel) }
    }
}

/// Each colour of the look over the ground, in shares; whole, as most of a disc is, several times.
fn foreseen(look: &Look) -> Vec<[u8; 4]> {
    let mix = |ground: u8, colour: u8, share: u32| {
        ((u32::from(ground) * (SHARES - share) + u32::from(colour) * share) / SHARES) as u8
    };
    let [red, green, blue] = look.ground;
    let over = |[r, g, b]: [u8; 3], share| {
        [mix(red, r, share), mix(green, g, share), mix(blue, b, share), 255]
    };
    let shares = (1..SHARES).chain([SHARES; WHOLE]);
    let colours = look.colours();
    shares.flat_map(|share| colours.map(|colour| over(colour, share))).collect()
}

/// How different two colours look: squares by channel, with about the weights of luma.
fn distance([r, g, b, _]: [u8; 4], colour: [u8; 3]) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    2 * square(r, colour[0]) + 4 * square(g, colour[1]) + square(b, colour[2])
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
    fn what_is_flat_keeps_its_colour() {
        let look = Look::default();
        let mut colours = Colours::of(&Frame::new(64, 64), &look);
        for flat in [look.ground, look.outside, look.border] {
            let nearest = usize::from(colours.nearest(opaque(flat)));
            assert_eq!(colours.table()[nearest * 3..][..3], flat);
        }
    }

    #[test]
    fn colours_that_are_to_come_are_there() {
        let look = Look::default();
        let mut colours = Colours::of(&Frame::new(64, 64), &look);
        assert_eq!(colours.table().len(), 256 * 3);
        let mut sum = 0;
        for colour in look.colours() {
            let nearest = usize::from(colours.nearest(opaque(colour)));
            let off = distance(opaque(colour), colours.colours[nearest]);
            sum += off;
            assert!(off < 600, "{colour:?}: {off}");
        }
        assert!(sum < 256 * 100, "{sum}");
    }

    #[test]
    fn a_pixel_keeps_its_colour_until_it_is_seen() {
        let look = Look::default();
        let mut colours = Colours::of(&Frame::new(64, 64), &look);
        let shown = colours.nearest([200, 80, 60, 255]);
        let [r, g, b] = colours.colours[usize::from(shown)];
        let (near, far) = ([r, g, b + 3, 255], [r, g, b + 80, 255]);
        assert_eq!(colours.keep_or_nearest(shown, near, near), shown);
        assert_ne!(colours.keep_or_nearest(shown, far, [0, 255, 0, 255]), shown);
    }
}
