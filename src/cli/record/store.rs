//! Stores for encoded frames: one video file that can be cut back to its last whole frame, or one
//! file per frame ([`image_sequence`](super::image_sequence)).
//!
//! ```text
//!  opening, frame 0 │ frame 1 │ frame 2 │ fra           the disk is full
//!                             └ cut ────┴ ends          back to here, or to the frame
//!                                                       before it if the ending needs room
//! ```
//!
//! Invariant: a finished video file plays from its first frame to its last.

use std::{
    io::{self, ErrorKind, Seek, SeekFrom, Write},
    path::PathBuf,
};

use crate::{
    Error, Result,
    cli::{
        format::{bytes, grouped, plural},
        output::Output,
    },
};

use super::encode::FrameEncoder;

/// A destination for encoded frames, in their order.
pub(super) trait FrameStore {
    /// Appends one frame, with everything that precedes it in the file.
    ///
    /// # Errors
    /// If it can't be written. Then no other frame follows, and the store is finished.
    fn append(&mut self, frame: &[u8]) -> io::Result<()>;

    /// Ends the recording, with the ending and the opening that the encoder has for it.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be ended; then there is no file.
    fn finish(self: Box<Self>, encoder: &dyn FrameEncoder) -> Result<Recording>;

    /// The error for a failed write to this store.
    fn error(&self, source: io::Error) -> Error;
}

/// A recording that has ended.
#[derive(Debug, Default)]
pub(super) struct Recording {
    /// The file, or the pattern of numbered ones.
    pub(super) path: PathBuf,
    /// Whole frames.
    pub(super) frames: u64,
    pub(super) bytes: u64,
    /// True if the file starts with the first frame and ends after the last one; false for a pipe
    /// that was cut.
    pub(super) plays: bool,
    /// Why it has fewer frames than were drawn.
    pub(super) failure: Option<Error>,
}

impl Recording {
    /// The number of frames, of as many as planned.
    pub(super) fn count(&self, planned: u64) -> String {
        let all = plural(planned as usize, "frame");
        if self.frames < planned { format!("{} of {all}", grouped(self.frames)) } else { all }
    }

    /// The number of frames, their duration and rate, and the size.
    pub(super) fn contents(&self, planned: u64, fps: f64) -> String {
        let seconds = self.frames as f64 / fps;
        let fps = (fps * 1000.0).round() / 1000.0;
        let (count, size) = (self.count(planned), bytes(self.bytes));
        format!("{count}, {seconds:.2} s at {fps} frames/s, {size}")
    }
}

/// One file for all frames.
#[derive(Debug)]
pub(super) struct VideoFile {
    output: Output,
    /// Bytes written.
    position: u64,
    /// Where the last two whole frames end.
    ends: [u64; 2],
    frames: u64,
}

impl VideoFile {
    pub(super) fn new(output: Output) -> Self {
        Self { output, position: 0, ends: [0; 2], frames: 0 }
    }

    /// Writes all bytes, and counts them even if it fails.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.output.file().write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.position += written as u64;
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Removes what was written after `end`. This works only for a regular file, which may be one
    /// that the shell opened as stdout and that had contents before.
    fn cut(&mut self, end: u64) -> io::Result<()> {
        let beyond = self.position - end;
        let file = self.output.file();
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(ErrorKind::NotSeekable.into());
        }
        if beyond > 0 {
            let len = meta.len().saturating_sub(beyond);
            file.set_len(len)?;
            file.seek(SeekFrom::Start(len))?;
        }
        self.position = end;
        Ok(())
    }

    /// Ends after the last whole frame, or after the one before it if there is no room for the
    /// ending.
    fn end(&mut self, ending: &[u8]) -> io::Result<()> {
        let [before, last] = self.ends;
        if self.position > last {
            self.cut(last)?;
        }
        match self.write(ending) {
            Err(_) if self.frames > 1 => {
                self.cut(before)?;
                self.frames -= 1;
                self.write(ending)
            }
            outcome => outcome,
        }
    }
}

impl FrameStore for VideoFile {
    fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        self.write(frame)?;
        self.ends = [self.ends[1], self.position];
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>, encoder: &dyn FrameEncoder) -> Result<Recording> {
        // A pipe or a device can't be cut, and keeps what was written to it.
        let ended = self.end(encoder.ending());
        let recording = Recording {
            path: self.output.path().to_path_buf(),
            frames: self.frames,
            bytes: self.position,
            plays: ended.is_ok(),
            failure: None,
        };
        if !self.output.is_temporary() || self.frames == 0 {
            return Ok(recording);
        }
        let reopened = ended.and_then(|()| match encoder.opening(self.frames) {
            Some(opening) => {
                self.output.file().rewind()?;
                self.output.file().write_all(&opening)
            }
            None => Ok(()),
        });
        reopened.map_err(|error| self.output.error(error))?;
        self.output.sync()?;
        Ok(Recording { path: self.output.place()?, ..recording })
    }

    fn error(&self, source: io::Error) -> Error {
        self.output.error(source)
    }
}
