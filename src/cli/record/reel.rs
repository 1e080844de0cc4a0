//! Where the frames of a film go: one file that can be cut back to its last whole frame, or one file a
//! frame.
//!
//! ```text
//!  opening, frame 0 │ frame 1 │ frame 2 │ fra           the disk is full
//!                             └ cut ────┴ ends          back to here, or to the frame before: what
//!                                                       ends a film needs some room, too
//! ```
//!
//! Invariant: what a finished reel leaves plays from its first frame to its last.

use std::{
    io::{self, ErrorKind, Seek, SeekFrom, Write},
    path::PathBuf,
};

use crate::{Error, Result};

use super::super::output::Output;

/// What frames are put into, one after the other, each as the bytes that a player reads.
pub(super) trait Store {
    /// Takes one frame more, with whatever comes before it in the file.
    ///
    /// # Errors
    /// If it can't be written. Then there will be no other, and what is there is finished.
    fn append(&mut self, frame: &[u8]) -> io::Result<()>;

    /// Ends a film: `ending` comes after the last frame, `opening` replaces as many bytes at the start, if
    /// the frames are not as many as were announced.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be ended; then it is not there.
    fn finish(self: Box<Self>, ending: &[u8], opening: Opening<'_>) -> Result<Stored>;

    /// What went wrong with it, in a sentence.
    fn failed(&self, source: io::Error) -> Error;
}

/// What the start of a file has to be if it holds that many frames; none if it is right as it is.
pub(super) type Opening<'a> = &'a dyn Fn(u64) -> Option<Vec<u8>>;

/// What is there at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stored {
    /// The file, or the first of them.
    pub(super) path: PathBuf,
    /// Whole frames.
    pub(super) frames: u64,
    pub(super) bytes: u64,
    /// True for a file that begins with the first of them and ends after the last; false for a pipe.
    pub(super) plays: bool,
}

/// One file for all frames.
#[derive(Debug)]
pub(super) struct Reel {
    output: Output,
    /// Bytes written.
    at: u64,
    /// Where the last two whole frames end, and how many there are.
    ends: [u64; 2],
    frames: u64,
}

impl Reel {
    pub(super) fn new(output: Output) -> Self {
        Self { output, at: 0, ends: [0; 2], frames: 0 }
    }

    /// Writes, and knows afterwards how far it came.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.output.file().write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.at += written as u64;
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Forgets what was written after `end`. Only a regular file can do that, if need be one that the
    /// shell opened as stdout, and which others wrote to before.
    fn cut(&mut self, end: u64) -> io::Result<()> {
        let beyond = self.at - end;
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
        self.at = end;
        Ok(())
    }

    /// Ends after the last whole frame; after the one before if there is no room for the ending.
    fn end(&mut self, ending: &[u8]) -> io::Result<()> {
        let [before, last] = self.ends;
        if self.at > last {
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

impl Store for Reel {
    fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        self.write(frame)?;
        self.ends = [self.ends[1], self.at];
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>, ending: &[u8], opening: Opening<'_>) -> Result<Stored> {
        // What can't be cut is a pipe or a device, and what is in there stays there.
        let ended = self.end(ending);
        let path = self.output.path().to_path_buf();
        let stored = Stored { path, frames: self.frames, bytes: self.at, plays: ended.is_ok() };
        if !self.output.is_passing() || self.frames == 0 {
            return Ok(stored);
        }
        let amended = ended.and_then(|()| match opening(self.frames) {
            Some(opening) => {
                self.output.file().rewind()?;
                self.output.file().write_all(&opening)
            }
            None => Ok(()),
        });
        amended.map_err(|error| self.output.failed(error))?;
        self.output.sync()?;
        Ok(Stored { path: self.output.place()?, ..stored })
    }

    fn failed(&self, source: io::Error) -> Error {
        self.output.failed(source)
    }
}
