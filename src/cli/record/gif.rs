//! GIF: 255 colors for the whole film, and only the changes in each frame.
//!
//! The colors are chosen once, so what stays in place keeps its color ([`GifColors`]). A pixel is
//! left transparent, which compresses well, if its new color can hardly be told from the one that
//! is shown.

use std::{borrow::Cow, io};

use crate::raster::{Frame, Style};
use gif::{DisposalMethod, Encoder, Repeat};

use super::{
    encode::{ChangedArea, FrameEncoder, SharedBuffer},
    gif_colors::{GifColors, TRANSPARENT},
    plan::FilmPlan,
};

/// The end of a GIF.
const TRAILER: &[u8] = b";";

/// A GIF encoder.
pub(super) struct Gif {
    plan: FilmPlan,
    style: Style,
    /// `None` before the first frame, which decides the colors.
    started: Option<StartedGif>,
    frames: u64,
}

struct StartedGif {
    encoder: Encoder<SharedBuffer>,
    buffer: SharedBuffer,
    colors: GifColors,
    /// Colors of the frame before, and of the next one.
    shown: Vec<u8>,
    next: Vec<u8>,
}

impl Gif {
    pub(super) fn new(plan: FilmPlan, style: Style) -> Self {
        Self { plan, style, started: None, frames: 0 }
    }
}

impl FrameEncoder for Gif {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let delay = self.plan.centiseconds(self.frames);
        self.frames += 1;
        if let Some(started) = &mut self.started {
            return started.encode(frame, delay, to);
        }
        self.started.insert(StartedGif::new(frame, &self.style)?).encode(frame, delay, to)
    }

    fn ending(&self) -> &'static [u8] {
        TRAILER
    }
}

impl StartedGif {
    fn new(frame: &Frame, style: &Style) -> io::Result<Self> {
        let buffer = SharedBuffer::default();
        let colors = GifColors::new(frame, style);
        // A side has at most `FRAME_SIDE_MAX` pixels, which fit into 16 bits.
        let [width, height] = [frame.width, frame.height].map(|side| side as u16);
        let mut encoder = Encoder::new(buffer.clone(), width, height, &colors.table())
            .map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Self { encoder, buffer, colors, shown: Vec::new(), next: Vec::new() })
    }

    fn encode(&mut self, frame: &Frame, delay: u16, to: &mut Vec<u8>) -> io::Result<()> {
        let area = self.difference(frame);
        let mut part = gif::Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            left: area.left as u16,
            top: area.top as u16,
            width: area.width as u16,
            height: area.height as u16,
            buffer: Cow::Borrowed(&self.next),
            ..gif::Frame::default()
        };
        part.palette = None;
        self.encoder.write_frame(&part).map_err(io::Error::other)?;
        self.buffer.take(to);
        Ok(())
    }

    /// Fills `next` with the difference between the new frame and the one before; returns its
    /// position.
    fn difference(&mut self, frame: &Frame) -> ChangedArea {
        let colors = &mut self.colors;
        if self.shown.is_empty() {
            self.shown.extend(frame.pixels.iter().map(|&pixel| colors.nearest(pixel)));
            self.next.clone_from(&self.shown);
            return ChangedArea { left: 0, top: 0, width: frame.width, height: frame.height };
        }
        self.next.clear();
        // The last pixel is its own neighbor.
        let beside = frame.pixels.iter().skip(1).chain(frame.pixels.last());
        let pixels = self.shown.iter().zip(frame.pixels.iter().zip(beside));
        let next =
            pixels.map(|(&shown, (&new, &beside))| colors.keep_or_nearest(shown, new, beside));
        self.next.extend(next);
        let area = ChangedArea::between(&self.shown, &self.next, frame.width);
        let mut part = 0;
        for row in area.rows(frame.width) {
            // The rows of the part move to the front, over pixels that were read before.
            for index in row {
                let (shown, new) = (&mut self.shown[index], self.next[index]);
                self.next[part] = if new == *shown { TRANSPARENT } else { new };
                *shown = new;
                part += 1;
            }
        }
        self.next.truncate(part);
        area
    }
}
