//! The 255 colours of a GIF, and which of them is nearest to another.
//!
//! What is flat (the ground, the outside, the line between) is in there as it is, so that it has no noise.
//! The others are found by `NeuQuant` from the pixels of the first frame and from those that agents may come
//! to have later on: each of the palette's colours over the ground, in all shares.

use color_quant::NeuQuant;
use jostle::raster::{Frame, Look};

/// The colour that no pixel has.
pub(super) const TRANSPARENT: u8 = 255;

/// How far the new colour of a pixel may be from the one that is shown to leave it be: less than what one
/// colour of the table is from the next.
const SAME: u32 = 150;

/// Shares of a pixel that an agent covers, among the colours that are foreseen.
const SHARES: u32 = 12;

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
        let foreseen = foreseen(look);
        // Half of what is learnt from is there, and half is foreseen.
        let weight = (frame.pixels.len() / foreseen.len()).max(1);
        let mut samples: Vec<[u8; 4]> = Vec::with_capacity(frame.pixels.len() * 2);
        let agents = |[r, g, b, _]: &&[u8; 4]| !flat.contains(&[*r, *g, *b]);
        samples.extend(frame.pixels.iter().filter(agents));
        samples.extend(foreseen.iter().cycle().take(foreseen.len() * weight));
        let learnt =
            NeuQuant::new(3, usize::from(TRANSPARENT) - flat.len(), bytemuck::cast_slice(&samples));
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

    /// The colour that is shown if it is near enough, or else the nearest.
    pub(super) fn keep_or_nearest(&mut self, shown: u8, pixel: [u8; 4]) -> u8 {
        if distance(pixel, self.colours[usize::from(shown)]) <= SAME {
            shown
        } else {
            self.nearest(pixel)
        }
    }
}

/// Each colour of the look over the ground, in shares.
fn foreseen(look: &Look) -> Vec<[u8; 4]> {
    let mix = |ground: u8, colour: u8, share: u32| {
        ((u32::from(ground) * (SHARES - share) + u32::from(colour) * share) / SHARES) as u8
    };
    let [red, green, blue] = look.ground;
    let of = |[r, g, b]: [u8; 3]| {
        (1..=SHARES)
            .map(move |share| [mix(red, r, share), mix(green, g, share), mix(blue, b, share), 255])
    };
    look.colours().into_iter().flat_map(of).collect()
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
