//! Numbered files, one a frame: `frame-%05d.png`.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{Error, Result};

use super::{
    super::output::{self, Output},
    reel::{Opening, Store, Stored},
};

/// Digits that a number may be padded to: more than any number has.
const DIGITS_MAX: usize = 20;

/// A name with a place for a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
    /// Reads `%d` or `%05d`, once, in the last part of a path; `%%` is a percent sign. None if there is
    /// anything else.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let mut parts = vec![String::new()];
        let mut digits = 0;
        let mut rest = name;
        while let Some((plain, place)) = rest.split_once('%') {
            parts.last_mut()?.push_str(plain);
            if let Some(after) = place.strip_prefix('%') {
                parts.last_mut()?.push('%');
                rest = after;
            } else {
                let (width, after) = place.split_once('d')?;
                digits =
                    if width.is_empty() { 1 } else { width.strip_prefix('0')?.parse().ok()? };
                parts.push(String::new());
                rest = after;
            }
        }
        parts.last_mut()?.push_str(rest);
        let [before, after] = <[String; 2]>::try_from(parts).ok()?;
        let folder = path.parent()?.to_path_buf();
        (1..=DIGITS_MAX).contains(&digits).then_some(Self { folder, before, digits, after })
    }

    /// The file of a frame.
    pub(super) fn path(&self, frame: u64) -> PathBuf {
        let Self { folder, before, digits, after } = self;
        folder.join(format!("{before}{frame:0digits$}{after}"))
    }
}

/// Files, one a frame.
#[derive(Debug)]
pub(super) struct Stills {
    pattern: Pattern,
    /// The first, opened before the run, so that a folder that isn't there is found out then.
    first: Option<Output>,
    frames: u64,
    bytes: u64,
}

impl Stills {
    /// Opens the first.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be made.
    pub(super) fn open(pattern: Pattern) -> Result<Self> {
        let first = Some(Output::open(&pattern.path(0))?);
        Ok(Self { pattern, first, frames: 0, bytes: 0 })
    }

    fn write(&mut self, frame: &[u8]) -> Result<()> {
        let opened = || Output::open(&self.pattern.path(self.frames));
        let mut output = self.first.take().map_or_else(opened, Ok)?;
        match output.file().write_all(frame) {
            // Waiting for the disk after each of thousands would take longer than drawing them.
            Ok(()) => output.place().map(drop),
            Err(error) => Err(output.failed(error)),
        }
    }
}

impl Store for Stills {
    fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        self.write(frame).map_err(|error| match error {
            Error::File { source, .. } => source,
            error => io::Error::other(error),
        })?;
        self.frames += 1;
        self.bytes += frame.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>, _ending: &[u8], _opening: Opening<'_>) -> Result<Stored> {
        let path = self.pattern.path(0);
        Ok(Stored { path, frames: self.frames, bytes: self.bytes, plays: true })
    }

    fn failed(&self, source: io::Error) -> Error {
        output::failed(&self.pattern.path(self.frames), source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_where_the_name_says() {
        for (name, frame, path) in [
            ("frame-%05d.png", 7, "frame-00007.png"),
            ("%d.png", 12, "12.png"),
            ("a/b%03d-100%%.png", 1234, "a/b1234-100%.png"),
            ("a%9b/%01d.png", 0, "a%9b/0.png"),
        ] {
            let pattern = Pattern::of(Path::new(name)).expect(name);
            assert_eq!(pattern.path(frame), Path::new(path));
        }
        for name in
            ["frame.png", "%5d.png", "%x.png", "%", "%d-%d.png", "%%d.png", "%099d.png", "%05"]
        {
            assert_eq!(Pattern::of(Path::new(name)), None, "{name}");
        }
    }
}
