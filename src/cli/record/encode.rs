//! Encoders: one per format, from frames to bytes.
//!
//! An encoder never sees the file. It leaves the bytes of one whole frame in memory, so a file
//! holds only whole frames, whatever goes wrong with it. The libraries' encoders own their writer:
//! a [`SharedBuffer`] is one that can be read all the same.

use std::{
    cell::RefCell,
    io::{self, Write},
    ops::Range,
    rc::Rc,
};

use crate::raster::Frame;

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

/// Bytes with a writer and a reader on the same thread.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl SharedBuffer {
    /// Moves everything that was written to the end of `to`.
    pub(super) fn take(&self, to: &mut Vec<u8>) {
        to.append(&mut self.0.borrow_mut());
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rectangle of a frame that changed, in pixels. It has at least one pixel, since no format has
/// empty frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangedArea {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl ChangedArea {
    /// The smallest rectangle with all pixels in which the frames differ; the first pixel if none
    /// does.
    pub(super) fn between<T: PartialEq>(old: &[T], new: &[T], width: u32) -> Self {
        let row = width as usize;
        let (mut left, mut right) = (row, 0);
        let (mut top, mut bottom) = (None, 0);
        for (y, (old, new)) in (0..).zip(old.chunks_exact(row).zip(new.chunks_exact(row))) {
            let differs = |x: &usize| old[*x] != new[*x];
            if let Some(first) = (0..row).find(differs) {
                left = left.min(first);
                right = (right.max(first)..row).rev().find(differs).unwrap_or(right).max(right);
                top = top.or(Some(y));
                bottom = y;
            }
        }
        let Some(top) = top else { return Self { left: 0, top: 0, width: 1, height: 1 } };
        Self { left: left as u32, top, width: (right + 1 - left) as u32, height: bottom + 1 - top }
    }

    /// The range of each row in the pixels of a frame of that width.
    pub(super) fn rows(self, width: u32) -> impl Iterator<Item = Range<usize>> {
        (self.top..self.top + self.height).map(move |y| {
            let start = y as usize * width as usize + self.left as usize;
            start..start + self.width as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changed_area_encloses_all_changes() {
        let old = [0; 12];
        for (changed, area) in [
            (&[][..], [0, 0, 1, 1]),
            (&[0], [0, 0, 1, 1]),
            (&[11], [3, 2, 1, 1]),
            (&[1, 6], [1, 0, 2, 2]),
            (&[3, 4], [0, 0, 4, 2]),
            (&[5, 6, 10], [1, 1, 2, 2]),
        ] {
            let mut new = old;
            for &index in changed {
                new[index] = 1;
            }
            let [left, top, width, height] = area;
            let area = ChangedArea { left, top, width, height };
            assert_eq!(ChangedArea::between(&old, &new, 4), area, "{changed:?}");
        }
    }

    #[test]
    fn rows_are_ranges_of_the_frame() {
        let area = ChangedArea { left: 1, top: 1, width: 2, height: 2 };
        assert!(area.rows(4).eq([5..7, 9..11]));
    }
}
