//! GIF: 255 colors for the whole film, and only the changes in each frame.
//!
//! The colors are chosen once, so what stays in place keeps its color ([`GifColors`]). A pixel is
//! left transparent, which compresses well, if its new color can hardly be told from the one that
//! is shown.

use std::{borrow::Cow, io};

use crate::{
    cli::args::values::Rate,
    raster::{Frame, Style},
};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Repeat};

use super::encode::{FrameChanges, FrameEncoder};

/// The index of the transparent color.
const TRANSPARENT: u8 = 255;

/// Largest [`distance`] at which a pixel keeps its old color where the picture is smooth: less than
/// the distance between neighboring colors of the table.
const SAME: u32 = 60;

/// Largest such distance where neighboring pixels differ so much that it can't be seen. It makes
/// films of many tiny agents a third smaller.
const SAME_IN_NOISE: u32 = 2_000;

/// Coverages of a pixel among the expected colors.
const SHARES: u32 = 12;

/// Weight of a full coverage, relative to a partial one.
const WHOLE: usize = 5;

/// Bits per channel in the key of the table of nearest colors.
const BITS: u32 = 6;

/// Mark for a nearest color that is not known yet; the transparent color is never the nearest.
const UNKNOWN: u8 = TRANSPARENT;

/// A GIF encoder.
pub(super) struct Gif {
    fps: Rate,
    style: Style,
    /// `None` before the first frame, which decides the colors.
    started: Option<(Encoder<Vec<u8>>, GifColors)>,
    frames: u64,
    /// Colors of the next frame.
    next: Vec<u8>,
    changes: FrameChanges<u8>,
}

impl Gif {
    pub(super) fn new(fps: Rate, style: Style) -> Self {
        let changes = FrameChanges::new(TRANSPARENT);
        Self { fps, style, started: None, frames: 0, next: Vec::new(), changes }
    }

    fn start(&self, frame: &Frame) -> Result<(Encoder<Vec<u8>>, GifColors), gif::EncodingError> {
        let colors = GifColors::new(frame, &self.style);
        // A side has at most `FRAME_SIDE_MAX` pixels, which fit into 16 bits.
        let [width, height] = [frame.width, frame.height].map(|side| side as u16);
        let mut encoder = Encoder::new(Vec::new(), width, height, &colors.table())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok((encoder, colors))
    }
}

impl FrameEncoder for Gif {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let mut started = match self.started.take() {
            Some(started) => started,
            None => self.start(frame).map_err(io::Error::other)?,
        };
        let (encoder, colors) = &mut started;
        self.next.clear();
        let shown = self.changes.shown();
        if shown.is_empty() {
            self.next.extend(frame.pixels.iter().map(|&pixel| colors.nearest(pixel)));
        } else {
            // The last pixel is its own neighbor.
            let beside = frame.pixels.iter().skip(1).chain(frame.pixels.last());
            let pixels = shown.iter().zip(frame.pixels.iter().zip(beside));
            self.next.extend(
                pixels.map(|(&shown, (&new, &beside))| colors.keep_or_nearest(shown, new, beside)),
            );
        }
        let area = self.changes.update(&self.next, frame.width);
        let [left, top, width, height] = area.map(|pixels| pixels as u16);
        let part = gif::Frame {
            delay: centiseconds(self.fps, self.frames),
            dispose: DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            left,
            top,
            width,
            height,
            buffer: Cow::Borrowed(&self.changes.part),
            ..gif::Frame::default()
        };
        encoder.write_frame(&part).map_err(io::Error::other)?;
        to.append(encoder.get_mut());
        self.frames += 1;
        self.started = Some(started);
        Ok(())
    }

    fn ending(&self) -> &'static [u8] {
        b";"
    }
}

/// Hundredths of a second that a frame is shown. Rounding errors don't accumulate, since each frame
/// starts at the hundredth that is nearest to its time.
fn centiseconds(Rate { num, den }: Rate, frame: u64) -> u16 {
    let (num, den) = (u128::from(num), u128::from(den));
    let begins = |frame: u64| (200 * u128::from(frame) * den + num) / (2 * num);
    (begins(frame + 1) - begins(frame)) as u16
}

/// The 255 colors of a GIF, and the nearest of them to any color.
///
/// The flat colors (ground, outside, border) are among them exactly, so flat areas have no noise.
/// `NeuQuant` finds the others from the colors of the first frame and those that agents may have
/// later: each color of the palette over the ground, at several coverages.
struct GifColors {
    colors: Vec<[u8; 3]>,
    /// The nearest color by the leading bits of red, green and blue, found on demand.
    nearest: Vec<u8>,
}

impl GifColors {
    /// The colors for a film that starts with `frame`.
    fn new(frame: &Frame, style: &Style) -> Self {
        let flat = [style.ground, style.outside, style.border];
        let mut counts = vec![0_u32; 1 << (3 * BITS)];
        for &pixel in &frame.pixels {
            counts[key(pixel)] += 1;
        }
        let mut samples = expected(style);
        for &pixel in &frame.pixels {
            // A color counts by the logarithm of its frequency, so many similar agents don't
            // displace the colors of a few large ones.
            let count = std::mem::take(&mut counts[key(pixel)]);
            samples.extend((0..u32::BITS - count.leading_zeros()).map(|_| pixel));
        }
        let learned =
            NeuQuant::new(1, usize::from(TRANSPARENT) - flat.len(), bytemuck::cast_slice(&samples));
        let mut colors = flat.to_vec();
        colors.extend_from_slice(learned.color_map_rgb().as_chunks().0);
        let mut this = Self { colors, nearest: vec![UNKNOWN; 1 << (3 * BITS)] };
        for (index, [r, g, b]) in (0..).zip(flat) {
            this.nearest[key([r, g, b, 255])] = index;
        }
        this
    }

    /// Red, green and blue of each color, the transparent one last.
    fn table(&self) -> Vec<u8> {
        self.colors.iter().copied().chain([[0; 3]]).flatten().collect()
    }

    /// The nearest color.
    fn nearest(&mut self, pixel: [u8; 4]) -> u8 {
        let key = key(pixel);
        if self.nearest[key] == UNKNOWN {
            let middle = pixel.map(|channel| channel >> (8 - BITS) << (8 - BITS) | 1 << (7 - BITS));
            let indexes = (0..).zip(&self.colors);
            let nearest = indexes.min_by_key(|(_, color)| distance(middle, **color));
            self.nearest[key] = nearest.map_or(0, |(index, _)| index);
        }
        self.nearest[key]
    }

    /// The old color if it is near enough, otherwise the nearest one. `beside` is the new color of
    /// the next pixel: the more it differs, the larger the difference that can't be seen.
    fn keep_or_nearest(&mut self, shown: u8, pixel: [u8; 4], beside: [u8; 4]) -> u8 {
        let [r, g, b, _] = beside;
        let same = (SAME + distance(pixel, [r, g, b])).min(SAME_IN_NOISE);
        let off = distance(pixel, self.colors[usize::from(shown)]);
        if off <= same { shown } else { self.nearest(pixel) }
    }
}

/// Each color of the style over the ground at all coverages; full coverage, as in most of a disc,
/// several times.
fn expected(style: &Style) -> Vec<[u8; 4]> {
    let mix = |ground: u8, color: u8, share: u32| {
        ((u32::from(ground) * (SHARES - share) + u32::from(color) * share) / SHARES) as u8
    };
    let [red, green, blue] = style.ground;
    let over = |[r, g, b]: [u8; 3], share| {
        [mix(red, r, share), mix(green, g, share), mix(blue, b, share), 255]
    };
    let shares = (1..SHARES).chain([SHARES; WHOLE]);
    let colors = style.colors();
    shares.flat_map(|share| colors.map(|color| over(color, share))).collect()
}

/// Perceived distance of two colors: squared differences of the channels, with about the weights of
/// luma.
fn distance([r, g, b, _]: [u8; 4], color: [u8; 3]) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    2 * square(r, color[0]) + 4 * square(g, color[1]) + square(b, color[2])
}

/// The leading bits of the three channels.
fn key([r, g, b, _]: [u8; 4]) -> usize {
    [r, g, b].into_iter().fold(0, |key, channel| key << BITS | usize::from(channel >> (8 - BITS)))
}
