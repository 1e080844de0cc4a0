//! PNG: one file per frame, or all frames in one file, an APNG.
//!
//! The start of an APNG holds the number of frames, so the start of a film that ends early is
//! written again. After the first frame, pixels that stay are transparent, and rows and columns at
//! the edges in which nothing changes are left out.

use std::io;

use crate::raster::Frame;
use png::{BitDepth, BlendOp, ColorType, Encoder, Writer};

use crate::cli::{
    args::rate::Rate,
    frames::{png_error, write_png},
};

use super::encode::{ChangedArea, FrameEncoder, SharedBuffer};

/// The last chunk of every PNG: no data, its name, its checksum.
const IEND: [u8; 12] = *b"\0\0\0\0IEND\xaeB`\x82";

/// The most frames of an APNG: its sequence numbers have 31 bits, and each frame takes two of them.
pub(super) const FRAMES_MAX: u64 = 1 << 30;

/// One picture per frame.
pub(super) struct Png;

impl FrameEncoder for Png {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        write_png(frame, to)
    }
}

/// All frames in one file.
pub(super) struct Apng {
    writer: Writer<SharedBuffer>,
    buffer: SharedBuffer,
    size: [u32; 2],
    /// Numerator and denominator of the seconds per frame.
    delay: [u16; 2],
    announced: u64,
    /// The frame before; empty before the first one.
    shown: Vec<[u8; 4]>,
    part: Vec<[u8; 4]>,
}

impl Apng {
    /// An encoder for that many frames, with a delay from [`delay`].
    ///
    /// # Errors
    /// If the library of the format refuses them.
    pub(super) fn new(size: [u32; 2], delay: [u16; 2], frames: u64) -> io::Result<Self> {
        let buffer = SharedBuffer::default();
        let writer = begin(size, delay, frames, buffer.clone())?;
        Ok(Self {
            writer,
            buffer,
            size,
            delay,
            announced: frames,
            shown: Vec::new(),
            part: Vec::new(),
        })
    }

    /// Fills `part` with the difference between the new frame and the one before; returns its
    /// position.
    fn difference(&mut self, frame: &Frame) -> ChangedArea {
        let [width, height] = self.size;
        self.part.clear();
        if self.shown.is_empty() {
            self.part.extend_from_slice(&frame.pixels);
            self.shown.clone_from(&frame.pixels);
            return ChangedArea { left: 0, top: 0, width, height };
        }
        let area = ChangedArea::between(&self.shown, &frame.pixels, width);
        for row in area.rows(width) {
            let pairs = self.shown[row.clone()].iter().zip(&frame.pixels[row]);
            self.part.extend(pairs.map(|(old, new)| if old == new { [0; 4] } else { *new }));
        }
        self.shown.copy_from_slice(&frame.pixels);
        area
    }
}

impl FrameEncoder for Apng {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let first = self.shown.is_empty();
        let ChangedArea { left, top, width, height } = self.difference(frame);
        let mut image = || {
            if !first {
                // Only the first frame is opaque.
                self.writer.set_blend_op(BlendOp::Over)?;
            }
            // In this order, since the part must lie within the frame after each call.
            self.writer.set_frame_position(0, 0)?;
            self.writer.set_frame_dimension(width, height)?;
            self.writer.set_frame_position(left, top)?;
            self.writer.write_image_data(bytemuck::cast_slice(&self.part))
        };
        image().map_err(png_error)?;
        self.buffer.take(to);
        Ok(())
    }

    fn ending(&self) -> &'static [u8] {
        &IEND
    }

    fn opening(&self, frames: u64) -> Option<Vec<u8>> {
        let right = frames == self.announced || frames == 0;
        let mut opening = Vec::new();
        let buffer = SharedBuffer::default();
        // The writer writes the ending when it is dropped, so it lives until the opening is taken.
        let _writer =
            (!right).then(|| begin(self.size, self.delay, frames, buffer.clone()))?.ok()?;
        buffer.take(&mut opening);
        Some(opening)
    }
}

/// Writes everything before the first frame.
fn begin(
    size: [u32; 2],
    delay: [u16; 2],
    frames: u64,
    to: SharedBuffer,
) -> io::Result<Writer<SharedBuffer>> {
    let begin = || {
        let mut encoder = Encoder::new(to, size[0], size[1]);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        // Zero plays: the film loops.
        encoder.set_animated(frames as u32, 0)?;
        encoder.set_frame_delay(delay[0], delay[1])?;
        encoder.write_header()
    };
    begin().map_err(png_error)
}

/// Seconds per frame as an APNG stores them, in two numbers of 16 bits; `None` for a rate that
/// needs more.
pub(super) fn delay(fps: Rate) -> Option<[u16; 2]> {
    Some([u16::try_from(fps.den).ok()?, u16::try_from(fps.num).ok()?])
}
