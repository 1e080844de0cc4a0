//! PNGs: one a frame, or all frames in one file, which is an APNG.
//!
//! An APNG says at its beginning how many frames follow. A film that ends early has its beginning written
//! anew. After the first frame, pixels that stay are left transparent, and rows and columns at the rim in
//! which nothing changes are left out.

use std::io;

use crate::raster::Frame;
use png::{BitDepth, BlendOp, ColorType, Encoder, Writer};

use super::{
    super::easel::{self, io_error},
    change::Area,
    encode::{Encode, Tape},
};
use crate::cli::args::rate::Rate;

/// The chunk that every PNG ends with: no data, its name, its checksum.
const IEND: [u8; 12] = *b"\0\0\0\0IEND\xaeB`\x82";

/// Frames of an APNG, at most: its numbers have 31 bits, and each frame takes two in the sequence.
pub(super) const FRAMES_MAX: u64 = 1 << 30;

/// A picture a frame.
pub(super) struct Png;

impl Encode for Png {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        easel::png(frame, to)
    }
}

/// All frames in one.
pub(super) struct Apng {
    writer: Writer<Tape>,
    tape: Tape,
    size: [u32; 2],
    /// Numerator and denominator of the seconds that a frame stays.
    delay: [u16; 2],
    announced: u64,
    /// What is shown now; nothing before the first frame.
    shown: Vec<[u8; 4]>,
    part: Vec<[u8; 4]>,
}

impl Apng {
    /// A film of that many frames, at a rate that [`delay`] knows.
    ///
    /// # Errors
    /// If the format's library refuses them.
    pub(super) fn new(size: [u32; 2], delay: [u16; 2], frames: u64) -> io::Result<Self> {
        let tape = Tape::default();
        let writer = begin(size, delay, frames, tape.clone())?;
        Ok(Self {
            writer,
            tape,
            size,
            delay,
            announced: frames,
            shown: Vec::new(),
            part: Vec::new(),
        })
    }

    /// Puts into `part` what makes the new frame of the one that is shown; says where it goes.
    fn difference(&mut self, frame: &Frame) -> Area {
        let [width, height] = self.size;
        self.part.clear();
        if self.shown.is_empty() {
            self.part.extend_from_slice(&frame.pixels);
            self.shown.clone_from(&frame.pixels);
            return Area { left: 0, top: 0, width, height };
        }
        let area = Area::of_change(&self.shown, &frame.pixels, width);
        for row in area.rows(width) {
            let pairs = self.shown[row.clone()].iter().zip(&frame.pixels[row]);
            self.part.extend(pairs.map(|(old, new)| if old == new { [0; 4] } else { *new }));
        }
        self.shown.copy_from_slice(&frame.pixels);
        area
    }
}

impl Encode for Apng {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let first = self.shown.is_empty();
        let Area { left, top, width, height } = self.difference(frame);
        let mut image = || {
            if !first {
                // Only the first frame has to be opaque.
                self.writer.set_blend_op(BlendOp::Over)?;
            }
            // In this order, since the part must lie within the frame at any time.
            self.writer.set_frame_position(0, 0)?;
            self.writer.set_frame_dimension(width, height)?;
            self.writer.set_frame_position(left, top)?;
            self.writer.write_image_data(bytemuck::cast_slice(&self.part))
        };
        image().map_err(io_error)?;
        self.tape.take(to);
        Ok(())
    }

    fn ending(&self) -> &'static [u8] {
        &IEND
    }

    fn opening(&self, frames: u64) -> Option<Vec<u8>> {
        let right = frames == self.announced || frames == 0;
        let mut opening = Vec::new();
        let tape = Tape::default();
        // The writer ends its file when it is dropped, which is not wanted here.
        let _writer = (!right).then(|| begin(self.size, self.delay, frames, tape.clone()))?.ok()?;
        tape.take(&mut opening);
        Some(opening)
    }
}

/// Writes all that comes before the first frame.
fn begin(size: [u32; 2], delay: [u16; 2], frames: u64, to: Tape) -> io::Result<Writer<Tape>> {
    let begin = || {
        let mut encoder = Encoder::new(to, size[0], size[1]);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        // Played again and again.
        encoder.set_animated(frames as u32, 0)?;
        encoder.set_frame_delay(delay[0], delay[1])?;
        encoder.write_header()
    };
    begin().map_err(io_error)
}

/// Seconds a frame, as an APNG says them: two numbers of 16 bits. None for a rate that needs more.
pub(super) fn delay(fps: Rate) -> Option<[u16; 2]> {
    Some([u16::try_from(fps.den).ok()?, u16::try_from(fps.num).ok()?])
}
