//! GIF: 255 colors for the whole film, and only the changes in each frame.
//!
//! The colors are chosen once, so what stays in place keeps its color ([`GifColors`]). A pixel is
//! left transparent, which compresses well, if its new color can hardly be told from the one that
//! is shown.

use std::{borrow::Cow, io};

use crate::raster::{Frame, Style};
use gif::{DisposalMethod, Encoder, Repeat};

use super::{
    encode::{FrameChanges, FrameEncoder},
    gif_colors::{GifColors, TRANSPARENT},
    plan::FilmPlan,
};

/// A GIF encoder.
pub(super) struct Gif {
    plan: FilmPlan,
    style: Style,
    /// `None` before the first frame, which decides the colors.
    started: Option<(Encoder<Vec<u8>>, GifColors)>,
    frames: u64,
    /// Colors of the next frame.
    next: Vec<u8>,
    changes: FrameChanges<u8>,
}

impl Gif {
    pub(super) fn new(plan: FilmPlan, style: Style) -> Self {
        let changes = FrameChanges::new(TRANSPARENT);
        Self { plan, style, started: None, frames: 0, next: Vec::new(), changes }
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
            delay: self.plan.centiseconds(self.frames),
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
