//! Numbered files, one per frame: `frame-%05d.png`.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{
    Error, Result,
    cli::output::{Output, file_error},
};

use super::{
    encode::FrameEncoder,
    store::{FrameStore, Recording},
};

/// The most digits that a number is padded to: more than any number has.
const DIGITS_MAX: usize = 20;

/// A file name with a number in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberedName {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl NumberedName {
    /// Parses `%d` or `%05d`, once, in the last part of a path; `%%` is a percent sign. `None` for
    /// anything else.
    pub(super) fn parse(path: &Path) -> Option<Self> {
        // No file name contains a NUL.
        let name = path.file_name()?.to_str()?.replace("%%", "\0");
        let (before, number) = name.split_once('%')?;
        let (width, after) = number.split_once('d')?;
        let digits = if width.is_empty() { 1 } else { width.strip_prefix('0')?.parse().ok()? };
        let valid = (1..=DIGITS_MAX).contains(&digits) && !after.contains('%');
        let [before, after] = [before, after].map(|part| part.replace('\0', "%"));
        valid.then_some(Self { folder: path.parent()?.to_path_buf(), before, digits, after })
    }

    /// The path of a frame.
    pub(super) fn path(&self, frame: u64) -> PathBuf {
        let Self { folder, before, digits, after } = self;
        folder.join(format!("{before}{frame:0digits$}{after}"))
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
    /// [`Error::File`] if it can't be created.
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
            Error::File { source, .. } => source,
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

    fn error(&self, source: io::Error) -> Error {
        file_error(&self.name.path(self.frames), source)
    }
}
