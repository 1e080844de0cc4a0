//! Encoders: one per format, from frames to bytes. The simplest one, [`Y4m`], stands here.
//!
//! An encoder never sees the file. It leaves the bytes of one whole frame in memory, so a file
//! holds only whole frames, whatever goes wrong with it.

use std::io::{self, Write};

use crate::{cli::args::values::Rate, raster::Frame};

/// A format.
pub(super) trait FrameEncoder {
    /// Appends the bytes of one more frame to `to`, with everything that precedes it in the file.
    ///
    /// # Errors
    /// If the library of the format refuses the frame.
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()>;

    /// The bytes after the last frame.
    fn ending(&self) -> &'static [u8] {
        &[]
    }

    /// The start of a file of that many frames, if it has to replace the one that was written.
    fn opening(&self, _frames: u64) -> Option<Vec<u8>> {
        None
    }
}

/// Finds what changes from frame to frame.
#[derive(Debug)]
pub(super) struct FrameChanges<T> {
    /// The frame before; empty before the first one.
    shown: Vec<T>,
    /// The pixels of the changed rectangle, row by row.
    pub(super) part: Vec<T>,
    transparent: T,
}

impl<T: Copy + PartialEq> FrameChanges<T> {
    /// Changes in which that value stands for pixels that stay.
    pub(super) fn new(transparent: T) -> Self {
        Self { shown: Vec::new(), part: Vec::new(), transparent }
    }

    /// The frame before; empty before the first one.
    pub(super) fn shown(&self) -> &[T] {
        &self.shown
    }

    /// Fills `part` with the changes to a frame of that width, and returns the left, the top, the
    /// width and the height of their rectangle. It has at least one pixel, since no format has
    /// empty frames.
    pub(super) fn update(&mut self, new: &[T], width: u32) -> [u32; 4] {
        let row = width as usize;
        self.part.clear();
        if self.shown.is_empty() {
            self.part.extend_from_slice(new);
            self.shown.extend_from_slice(new);
            return [0, 0, width, (new.len() / row) as u32];
        }
        let rows = || self.shown.chunks_exact(row).zip(new.chunks_exact(row));
        let (mut left, mut right) = (row, 0);
        let (mut top, mut bottom) = (None, 0);
        for (y, (old, new)) in rows().enumerate() {
            let differs = |x: &usize| old[*x] != new[*x];
            if let Some(first) = (0..row).find(differs) {
                left = left.min(first);
                right = (right.max(first)..row).rev().find(differs).unwrap_or(right).max(right);
                top = top.or(Some(y));
                bottom = y;
            }
        }
        let (left, top) = if let Some(top) = top { (left, top) } else { (0, 0) };
        for (old, new) in rows().take(bottom + 1).skip(top) {
            let pixels = old[left..=right].iter().zip(&new[left..=right]);
            self.part.extend(pixels.map(
                |(old, new)| {
                    if old == new { self.transparent } else { *new }
                },
            ));
        }
        self.shown.copy_from_slice(new);
        [left, top, right + 1 - left, bottom + 1 - top].map(|pixels| pixels as u32)
    }
}

/// BT.601, narrow range: the weights of red, green and blue in 256ths, and the value of black, for
/// luma, blue difference and red difference.
const PLANES: [([i32; 3], i32); 3] =
    [([66, 129, 25], 16), ([-38, -74, 112], 128), ([112, -94, -18], 128)];

/// y4m: a line of text, then every frame uncompressed, as luma and two planes of chroma.
///
/// Chroma has full resolution (4:4:4), since agents may be a pixel wide. Values are BT.601 in the
/// narrow range, the default of players for y4m.
pub(super) struct Y4m {
    fps: Rate,
    /// True after the first frame.
    begun: bool,
}

impl Y4m {
    pub(super) fn new(fps: Rate) -> Self {
        Self { fps, begun: false }
    }
}

impl FrameEncoder for Y4m {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        if !self.begun {
            let Rate { num, den } = self.fps;
            let (width, height) = (frame.width, frame.height);
            writeln!(to, "YUV4MPEG2 W{width} H{height} F{num}:{den} XCOLORRANGE=LIMITED C444")?;
            self.begun = true;
        }
        writeln!(to, "FRAME")?;
        for (weights, black) in PLANES {
            to.extend(frame.pixels.iter().map(|[red, green, blue, _]| {
                let channels = [red, green, blue].into_iter().zip(weights);
                let sum: i32 = channels.map(|(&value, weight)| i32::from(value) * weight).sum();
                (((sum + 128) >> 8) + black) as u8
            }));
        }
        Ok(())
    }
}
