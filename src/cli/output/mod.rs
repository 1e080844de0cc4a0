//! Output files: created before a run, complete or absent after it.
//!
//! A regular file is written under a temporary name in its own folder ([`temporary`]) and renamed
//! when it is complete. A folder that is missing or read-only is therefore found before the run,
//! and a full disk leaves nothing behind. Anything else (a pipe, a device, stdout) is written
//! directly.
//!
//! A name from the user replaces the file that has it. A name that jostle chooses never does: the
//! file gets the first name that is free when the file is complete.

mod cause;
mod temporary;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::{Error, Result};

pub(super) use self::{
    cause::file_error,
    temporary::{Target, exit_without_files},
};

use self::temporary::TemporaryFile;

use super::{Failure, Outcome};

/// A file that is going to be written.
#[derive(Debug)]
pub(super) struct Output {
    /// The path as messages show it.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Renamed when complete.
    Temporary(TemporaryFile, Target),
    /// Written directly.
    Direct(File),
}

impl Output {
    /// Opens a file, or creates a temporary one in its place.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be written.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let sink = open_sink(path).map_err(|source| file_error(path, source))?;
        Ok(Self { path: path.to_path_buf(), sink })
    }

    /// Opens the file that a flag names. Its extension has to be one of `known`, and the position
    /// of that one is returned; a pipe or a device without an extension gets the first.
    ///
    /// # Errors
    /// A usage error for another extension; as [`Self::open`] otherwise.
    pub(super) fn open_as(flag: &str, path: &Path, known: &[&str]) -> Outcome<(Self, usize)> {
        let extension = extension(path);
        let position = match &extension {
            Some(extension) => known.iter().position(|known| known == extension),
            None => is_special(path).then_some(0),
        };
        let Some(position) = position else {
            let has =
                extension.map_or("no extension".into(), |ext| format!("the extension .{ext}"));
            let known: Vec<String> = known.iter().map(|known| format!(".{known}")).collect();
            return Err(Failure::usage(format!(
                "{flag} {} has {has}; name a file that ends in {}",
                path.display(),
                known.join(" or ")
            )));
        };
        Ok((Self::open(path)?, position))
    }

    /// Creates a file that gets a free name in the current folder: `jostle.EXT`, `jostle-2.EXT` and
    /// so on.
    ///
    /// # Errors
    /// [`Error::File`] if the folder can't be written to.
    pub(super) fn unique(extension: &'static str) -> Result<Self> {
        Self::unique_in(Path::new(""), extension)
    }

    fn unique_in(folder: &Path, extension: &'static str) -> Result<Self> {
        let target = Target::Unique(folder.into(), extension);
        let path = target.path();
        let file = TemporaryFile::beside(&path).map_err(|source| file_error(&path, source))?;
        Ok(Self { path, sink: Sink::Temporary(file, target) })
    }

    /// This process's stdout, without the line buffer of the standard library.
    ///
    /// # Errors
    /// [`Error::File`] if it is closed.
    pub(super) fn stdout() -> Result<Self> {
        let path = PathBuf::from("stdout");
        #[cfg(unix)]
        let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
        #[cfg(windows)]
        let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
        match handle {
            Ok(handle) => Ok(Self { path, sink: Sink::Direct(handle.into()) }),
            Err(source) => Err(file_error(&path, source)),
        }
    }

    /// The path that the file is going to have, unless another file takes a free name first.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file with `write`, gives it its name and returns its path.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be written; then there is no file.
    pub(super) fn write(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf> {
        let regular = self.is_temporary();
        match buffered(self.file(), write) {
            Ok(()) if regular => self.sync().and_then(|()| self.place()),
            Ok(()) => Ok(self.path),
            // The reader of a pipe may close it early.
            Err(error) if !regular && error.kind() == ErrorKind::BrokenPipe => Ok(self.path),
            Err(error) => Err(self.error(error)),
        }
    }

    /// The open file, for a caller that writes it piece by piece and calls [`Self::place`] at the
    /// end.
    pub(super) fn file(&mut self) -> &mut File {
        match &mut self.sink {
            Sink::Temporary(file, _) => file.file(),
            Sink::Direct(file) => file,
        }
    }

    /// True for a regular file, which has a temporary name until it is placed.
    pub(super) fn is_temporary(&self) -> bool {
        matches!(self.sink, Sink::Temporary(..))
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be written.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.file().sync_all().map_err(|source| file_error(&self.path, source))
    }

    /// Gives a regular file its name and returns its path.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be renamed; the error names the complete temporary file.
    pub(super) fn place(self) -> Result<PathBuf> {
        match self.sink {
            Sink::Temporary(file, target) => file.place(&target, self.path),
            Sink::Direct(_) => Ok(self.path),
        }
    }

    /// The error for a failed write to this file.
    pub(super) fn error(&self, source: io::Error) -> Error {
        file_error(&self.path, source)
    }
}

/// The extension in lower case.
pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_lowercase())
}

/// True if the path is a pipe, a device or a stream of this process, which can't be replaced by
/// renaming.
pub(super) fn is_special(path: &Path) -> bool {
    let streams = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
    let known = fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    known || streams.iter().any(|stream| path.starts_with(stream))
}

fn open_sink(path: &Path) -> io::Result<Sink> {
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if is_special(path) {
        // Appending, because stdout may be a file that holds the summary by then.
        return OpenOptions::new().append(true).open(path).map(Sink::Direct);
    }
    if path.exists() {
        OpenOptions::new().append(true).open(path)?;
    }
    let to = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    Ok(Sink::Temporary(TemporaryFile::beside(&to)?, Target::Given(to)))
}

fn buffered(
    file: &mut File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::with_capacity(1 << 16, file);
    write(&mut buffer)?;
    buffer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the names and texts of all files in a folder.
    #[track_caller]
    fn assert_holds(folder: &Path, expected: &[(&str, &str)]) {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"));
        let mut files: Vec<_> = entries
            .map(|entry| {
                let name = entry.file_name().into_string().expect("a plain name");
                (name, fs::read_to_string(entry.path()).expect("a text"))
            })
            .collect();
        files.sort();
        let files: Vec<_> = files.iter().map(|(name, text)| (&name[..], &text[..])).collect();
        assert_eq!(files, expected);
    }

    #[test]
    fn two_files_with_the_same_free_name_both_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let create = || Output::unique_in(folder.path(), "png").expect("a name");
        let (one, other) = (create(), create());
        assert_eq!(one.path(), other.path(), "neither exists yet");
        let placed = other.write(|to| to.write_all(b"other")).expect("a file");
        assert_eq!(placed, folder.path().join("jostle.png"));
        let placed = one.write(|to| to.write_all(b"one")).expect("a file");
        assert_eq!(placed, folder.path().join("jostle-2.png"));
        assert_holds(folder.path(), &[("jostle-2.png", "one"), ("jostle.png", "other")]);
    }

    #[test]
    fn a_given_name_replaces_the_file_that_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.png");
        for text in ["one", "two"] {
            let output = Output::open(&path).expect("a file");
            assert_eq!(output.write(|to| to.write_all(text.as_bytes())).expect("a file"), path);
        }
        assert_holds(folder.path(), &[("a.png", "two")]);
    }

    /// The text of the complete temporary file that the error names.
    fn kept(error: &Error) -> String {
        let message = error.to_string();
        let (_, rest) = message.split_once("; the complete file is ").expect(&message);
        let path = rest.strip_suffix("; rename it").expect(&message);
        fs::read_to_string(path).expect("a file")
    }

    #[test]
    fn a_complete_file_stays_if_its_given_name_became_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.gif");
        let output = Output::open(&path).expect("a file");
        fs::create_dir(&path).expect("another process creates a folder of that name");
        let error = output.write(|to| to.write_all(b"film")).expect_err("it is a folder");
        let start = format!("{} can't be written: it is a folder; the complete", path.display());
        assert!(error.to_string().starts_with(&start), "{error}");
        assert_eq!(kept(&error), "film");
    }

    #[test]
    fn a_complete_file_stays_if_its_folder_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = TemporaryFile::beside(&folder.path().join("a")).expect("a file");
        file.file().write_all(b"film").expect("room");
        let target = Target::Unique(folder.path().join("missing"), "png");
        let error = file.place(&target, target.path()).expect_err("there is no such folder");
        assert_eq!(kept(&error), "film");
    }
}
