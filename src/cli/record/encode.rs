//! What makes bytes of frames: one encoder a format.
//!
//! An encoder never sees the file. It leaves the bytes of one whole frame in memory, so that a file holds
//! whole frames only, whatever goes wrong with it. The libraries' encoders own what they write to: a
//! [`Tape`] is that, and can be read all the same.

use std::{
    cell::RefCell,
    io::{self, Write},
    rc::Rc,
};

use crate::raster::Frame;

/// A format.
pub(super) trait Encode {
    /// Adds the bytes of one frame more to `to`, with what comes before it in the file.
    ///
    /// # Errors
    /// If the format's library refuses the frame.
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()>;

    /// What comes after the last frame.
    fn ending(&self) -> &'static [u8] {
        &[]
    }

    /// How a file of that many frames begins; none if that is the same for any number.
    fn opening(&self, _frames: u64) -> Option<Vec<u8>> {
        None
    }
}

/// Bytes that one writes and another takes, on one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape(Rc<RefCell<Vec<u8>>>);

impl Tape {
    /// Moves all that was written to the end of `to`.
    pub(super) fn take(&self, to: &mut Vec<u8>) {
        to.append(&mut self.0.borrow_mut());
    }
}

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
