//! PNG: one file per frame, or all frames in one file, an APNG.
//!
//! The start of an APNG holds the number of frames, so the start of a film that ends early is
//! written again. After the first frame, pixels that stay are transparent, and rows and columns at
//! the edges in which nothing changes are left out.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::raster::Frame;
use png::{BitDepth, BlendOp, ColorType, Encoder, Writer};

use crate::cli::{
    args::values::Rate,
    frames::{png_error, write_png},
};

use super::encode::{FrameChanges, FrameEncoder};

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
    changes: FrameChanges<[u8; 4]>,
}

/// Bytes that can be read while the library's encoder owns their writer.
#[derive(Clone, Debug, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl io::Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Apng {
    /// An encoder for that many frames, with a delay from [`delay`].
    ///
    /// # Errors
    /// If the library of the format refuses them.
    pub(super) fn new(size: [u32; 2], delay: [u16; 2], frames: u64) -> io::Result<Self> {
        let buffer = SharedBuffer::default();
        let writer = begin(size, delay, frames, buffer.clone())?;
        let changes = FrameChanges::new([0; 4]);
        Ok(Self { writer, buffer, size, delay, announced: frames, changes })
    }
}

impl FrameEncoder for Apng {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let first = self.changes.shown().is_empty();
        let [left, top, width, height] = self.changes.update(&frame.pixels, frame.width);
        let mut image = || {
            if !first {
                // Only the first frame is opaque.
                self.writer.set_blend_op(BlendOp::Over)?;
            }
            // In this order, since the part must lie within the frame after each call.
            self.writer.set_frame_position(0, 0)?;
            self.writer.set_frame_dimension(width, height)?;
            self.writer.set_frame_position(left, top)?;
            self.writer.write_image_data(bytemuck::cast_slice(&self.changes.part))
        };
        image().map_err(png_error)?;
        to.append(&mut self.buffer.bytes());
        Ok(())
    }

    fn ending(&self) -> &'static [u8] {
        &IEND
    }

    fn opening(&self, frames: u64) -> Option<Vec<u8>> {
        if frames == self.announced || frames == 0 {
            return None;
        }
        let buffer = SharedBuffer::default();
        // The writer writes the ending when it is dropped, so it lives until the opening is taken.
        let _writer = begin(self.size, self.delay, frames, buffer.clone()).ok()?;
        Some(std::mem::take(&mut *buffer.bytes()))
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
