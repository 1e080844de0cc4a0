//! Stores for encoded frames: one video file that can be cut back to its last whole frame, or
//! numbered files, one per frame: `frame-%05d.png`.
//!
//! ```text
//!  opening, frame 0 │ frame 1 │ frame 2 │ fra           the disk is full
//!                             └ cut ────┴ ends          back to here, or to the frame
//!                                                       before it if the ending needs room
//! ```
//!
//! Invariant: a finished video file plays from its first frame to its last.

use std::{
    ffi::{OsStr, OsString},
    io::{self, ErrorKind, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    cli::{
        format::{bytes, grouped, plural},
        output::{Output, file_error},
        system::files,
    },
    program::{ProgramError, ProgramResult as Result},
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
    /// [`ProgramError::File`] if it can't be ended; then there is no file.
    fn finish(self: Box<Self>, encoder: &dyn FrameEncoder) -> Result<Recording>;

    /// The error for a failed write to this store.
    fn error(&self, source: io::Error) -> ProgramError;
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
    /// The reason for fewer frames than were drawn.
    pub(super) failure: Option<ProgramError>,
}

impl Recording {
    /// The number of frames, with the planned number if it is larger.
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
    /// The ends of the last two whole frames, in bytes.
    ends: [u64; 2],
    frames: u64,
    /// Whole frames and their bytes, for other threads.
    stored: Arc<[AtomicU64; 2]>,
}

impl VideoFile {
    pub(super) fn new(output: Output) -> Self {
        Self { output, position: 0, ends: [0; 2], frames: 0, stored: Arc::default() }
    }

    /// The numbers of whole frames and of their bytes, which go on growing.
    #[cfg(feature = "window")]
    pub(super) fn stored(&self) -> Arc<[AtomicU64; 2]> {
        Arc::clone(&self.stored)
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
        for (stored, count) in self.stored.iter().zip([self.frames, self.position]) {
            stored.store(count, Ordering::Relaxed);
        }
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

    fn error(&self, source: io::Error) -> ProgramError {
        self.output.error(source)
    }
}

/// The most digits that a number is padded to: more than any number has.
const DIGITS_MAX: usize = 20;

/// A file name with a number in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberedName {
    folder: PathBuf,
    before: OsString,
    digits: usize,
    after: OsString,
}

impl NumberedName {
    /// Parses `%d` or `%05d`, once, in the last part of a path; `%%` is a percent sign. `None` for
    /// anything else.
    pub(super) fn parse(path: &Path) -> Option<Self> {
        // No file name contains a NUL.
        // One character per byte, as a name need not be UTF-8.
        let name: String =
            path.file_name()?.as_encoded_bytes().iter().map(|&b| b as char).collect();
        let name = name.replace("%%", "\0");
        let (before, number) = name.split_once('%')?;
        let (width, after) = number.split_once('d')?;
        let digits = if width.is_empty() { 1 } else { width.strip_prefix('0')?.parse().ok()? };
        let valid = (1..=DIGITS_MAX).contains(&digits) && !after.contains('%');
        let part = |part: &str| {
            let bytes = part.chars().map(|c| if c == '\0' { b'%' } else { c as u8 });
            files::name_of(bytes.collect())
        };
        let (folder, before, after) = (path.parent()?.to_path_buf(), part(before), part(after));
        valid.then_some(Self { folder, before, digits, after })
    }

    /// The path of a frame.
    pub(super) fn path(&self, frame: u64) -> PathBuf {
        let Self { folder, before, digits, after } = self;
        let number = format!("{frame:0digits$}");
        folder.join([&**before, OsStr::new(&number), after].into_iter().collect::<OsString>())
    }
}

/// One file per frame.
#[derive(Debug)]
pub(super) struct ImageSequence {
    /// The path as the user wrote it.
    path: PathBuf,
    name: NumberedName,
    /// The first file, opened before the run, so that a missing folder is found then.
    first: Option<Output>,
    frames: u64,
    bytes: u64,
}

impl ImageSequence {
    /// Opens the first file.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be created.
    pub(super) fn open(path: &Path, name: NumberedName) -> Result<Self> {
        let first = Some(Output::open(&name.path(0))?);
        Ok(Self { path: path.to_path_buf(), name, first, frames: 0, bytes: 0 })
    }

    fn write(&mut self, frame: &[u8]) -> Result<()> {
        let open = || Output::open(&self.name.path(self.frames));
        let mut output = self.first.take().map_or_else(open, Ok)?;
        match output.file().write_all(frame) {
            // Not synced: waiting for the disk after each of thousands would take longer than
            // drawing them.
            Ok(()) => output.place().map(drop),
            Err(error) => Err(output.error(error)),
        }
    }
}

impl FrameStore for ImageSequence {
    fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        self.write(frame).map_err(|error| match error {
            ProgramError::File { source, .. } => source,
            error => io::Error::other(error),
        })?;
        self.frames += 1;
        self.bytes += frame.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>, _: &dyn FrameEncoder) -> Result<Recording> {
        let Self { path, frames, bytes, .. } = *self;
        Ok(Recording { path, frames, bytes, plays: true, failure: None })
    }

    fn error(&self, source: io::Error) -> ProgramError {
        file_error(&self.name.path(self.frames), source)
    }
}
