//! GIF: 255 colors for the whole film, and in each frame only what changed.
//!
//! The colors are chosen once, so that what stays in place keeps its color ([`Colors`]). A pixel whose
//! new color is not told from the one that is shown stays as it is, and what stays is transparent, which
//! packs well.

use std::{borrow::Cow, io};

use crate::raster::{Frame, Style};
use gif::{DisposalMethod, Encoder, EncodingError, Repeat};

use super::{
    change::Area,
    encode::{Encode, Tape},
    gif_colors::{GifColors, TRANSPARENT},
    plan::Plan,
};

/// What ends a GIF.
const TRAILER: &[u8] = b";";

/// A film as GIF.
pub(super) struct Gif {
    plan: Plan,
    look: Style,
    /// Nothing before the first frame, whose colors it needs.
    begun: Option<Begun>,
    frames: u64,
}

struct Begun {
    encoder: Encoder<Tape>,
    tape: Tape,
    colors: GifColors,
    /// Colors that are shown, and those that are going to be.
    shown: Vec<u8>,
    next: Vec<u8>,
}

impl Gif {
    /// Nothing yet.
    pub(super) fn new(plan: Plan, look: Style) -> Self {
        Self { plan, look, begun: None, frames: 0 }
    }
}

impl Encode for Gif {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let delay = self.plan.centiseconds(self.frames);
        self.frames += 1;
        if let Some(begun) = &mut self.begun {
            return begun.encode(frame, delay, to);
        }
        self.begun.insert(Begun::new(frame, &self.look)?).encode(frame, delay, to)
    }

    fn ending(&self) -> &'static [u8] {
        TRAILER
    }
}

impl Begun {
    fn new(frame: &Frame, look: &Style) -> io::Result<Self> {
        let tape = Tape::default();
        let colors = GifColors::of(frame, look);
        // A side has at most `FRAME_SIDE_MAX` pixels, which 16 bits hold.
        let [width, height] = [frame.width, frame.height].map(|side| side as u16);
        let mut encoder =
            Encoder::new(tape.clone(), width, height, &colors.table()).map_err(io_error)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io_error)?;
        Ok(Self { encoder, tape, colors, shown: Vec::new(), next: Vec::new() })
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
        self.encoder.write_frame(&part).map_err(io_error)?;
        self.tape.take(to);
        Ok(())
    }

    /// Puts into `next` what makes the new frame of the one that is shown; says where it goes.
    fn difference(&mut self, frame: &Frame) -> Area {
        let colors = &mut self.colors;
        if self.shown.is_empty() {
            self.shown.extend(frame.pixels.iter().map(|&pixel| colors.nearest(pixel)));
            self.next.clone_from(&self.shown);
            return Area { left: 0, top: 0, width: frame.width, height: frame.height };
        }
        self.next.clear();
        // The pixel after the last is the last.
        let beside = frame.pixels.iter().skip(1).chain(frame.pixels.last());
        let pixels = self.shown.iter().zip(frame.pixels.iter().zip(beside));
        let next =
            pixels.map(|(&shown, (&new, &beside))| colors.keep_or_nearest(shown, new, beside));
        self.next.extend(next);
        let area = Area::of_change(&self.shown, &self.next, frame.width);
        let mut part = 0;
        for row in area.rows(frame.width) {
            // The part's rows move to the front, where they have never been read from yet.
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

/// Nothing of this goes to a file, so that no system has anything to say.
fn io_error(error: EncodingError) -> io::Error {
    io::Error::other(error)
}
