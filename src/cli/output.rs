//! Output files: created before a run, complete or absent after it.
//!
//! A regular file is written as a [`PartFile`] in its own folder and gets its name when it is complete.
//! A folder that is missing or read-only is therefore found before the run, and a full disk leaves
//! nothing behind. Anything else (a pipe, a device, stdout) is written directly.
//!
//! A name from the user replaces the file that has it. A name that jostle chooses never does: the
//! file gets the first name that is free when the file is complete.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    iter,
    path::{Path, PathBuf},
    process,
};

use crate::program::{ProgramError, ProgramResult as Result};

use super::{
    Failure, Outcome,
    part::{self, PartFile, Refused},
    system::{files, streams},
};

/// Links that are followed before they count as a loop: the number of Linux.
const LINKS_MAX: usize = 40;

/// A file that is going to be written.
#[derive(Debug)]
pub(super) struct Output {
    /// The path as messages show it.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Renamed to this path when complete.
    Given(PartFile, PathBuf),
    /// Renamed when complete to the first free name in that folder with that extension.
    Unique(PartFile, PathBuf, &'static str),
    /// Written directly.
    Direct(File),
}

impl Output {
    /// Opens a file, or creates a temporary one in its place.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be written.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let sink = open_sink(path).map_err(|source| file_error(path, source))?;
        Ok(Self { path: path.to_path_buf(), sink })
    }

    /// Opens the file that a flag names. Its extension has to be one of `known`; only a pipe, a
    /// device or `-`, which stands for stdout, may have none.
    ///
    /// # Errors
    /// A usage error for another extension; as [`Self::open`] otherwise.
    pub(super) fn open_as(flag: &str, path: &Path, known: &[&str]) -> Outcome<Self> {
        if is_stdout(path) {
            return Ok(Self::stdout()?);
        }
        let extension = extension(path);
        let fits = match &extension {
            Some(extension) => known.contains(&extension.as_str()),
            None => is_special(path),
        };
        if !fits {
            let has =
                extension.map_or("no extension".into(), |ext| format!("the extension .{ext}"));
            return Err(Failure::usage(format!(
                "{flag} {} has {has}; name a file that ends in .{}",
                path.display(),
                known.join(" or .")
            )));
        }
        Ok(Self::open(path)?)
    }

    /// Creates a file that gets a free name in the current folder: `jostle.EXT`, `jostle-2.EXT` and
    /// so on.
    ///
    /// # Errors
    /// [`ProgramError::File`] if the folder can't be written to.
    pub(super) fn unique(extension: &'static str) -> Result<Self> {
        Self::unique_in(PathBuf::new(), extension)
    }

    fn unique_in(folder: PathBuf, extension: &'static str) -> Result<Self> {
        // A dangling link has its name, too.
        let path = unique_names(&folder, extension)
            .find(|path| path.symlink_metadata().is_err())
            .unwrap_or_default();
        match PartFile::new_in(self::folder(&path)) {
            Ok(part) => Ok(Self { path, sink: Sink::Unique(part, folder, extension) }),
            Err(source) => Err(file_error(&path, source)),
        }
    }

    /// This process's stdout, without the line buffer of the standard library.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it is closed.
    pub(super) fn stdout() -> Result<Self> {
        let path = PathBuf::from("stdout");
        match streams::stdout() {
            Ok(file) if streams::was_closed(&file) => {
                let source = io::Error::other("it is closed");
                Err(ProgramError::File { path, source, remedy: "name a file, or pipe it" })
            }
            Ok(file) => Ok(Self { path, sink: Sink::Direct(file) }),
            Err(source) => Err(file_error(&path, source)),
        }
    }

    /// Gives a regular file its name from now on, empty: for a table that is written row by row, and
    /// is whole up to its last row at any time. False for a pipe, a device or stdout.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be created.
    pub(super) fn stream(&mut self) -> Result<bool> {
        self.become_file(OpenOptions::new().write(true).create(true).truncate(true))
    }

    /// As [`Self::stream`], but the file keeps the rows that it has, and new ones follow them.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be opened or created.
    pub(super) fn extend(&mut self) -> Result<bool> {
        self.become_file(OpenOptions::new().read(true).append(true).create(true))
    }

    fn become_file(&mut self, options: &OpenOptions) -> Result<bool> {
        if !self.is_temporary() {
            return Ok(false);
        }
        self.sink = Sink::Direct(options.open(&self.path).map_err(|source| self.error(source))?);
        Ok(true)
    }

    /// The path that the file is going to have, unless another file takes a free name first.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file with `write`, gives it its name and returns its path.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be written; then there is no file.
    pub(super) fn write(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf> {
        let regular = self.is_temporary();
        let mut buffer = BufWriter::with_capacity(1 << 16, self.file());
        let written = write(&mut buffer).and_then(|()| buffer.flush());
        drop(buffer);
        match written {
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
            Sink::Given(part, _) | Sink::Unique(part, ..) => part.file(),
            Sink::Direct(file) => file,
        }
    }

    /// True for a regular file, which has a temporary name until it is placed.
    pub(super) fn is_temporary(&self) -> bool {
        !matches!(self.sink, Sink::Direct(_))
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be written.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.file().sync_all().map_err(|source| file_error(&self.path, source))
    }

    /// Gives a regular file its name and returns its path.
    ///
    /// # Errors
    /// [`ProgramError::File`] if it can't be renamed. The error names the complete temporary file, which
    /// stays, since it can't be made again.
    pub(super) fn place(self) -> Result<PathBuf> {
        let placed = match self.sink {
            Sink::Direct(_) => return Ok(self.path),
            Sink::Given(part, to) => part.place(&to).map(|()| self.path.clone()),
            Sink::Unique(part, folder, extension) => {
                part.place_new(unique_names(&folder, extension))
            }
        };
        placed.map_err(|Refused { error, left_at }| match left_at {
            Some(path) => {
                let cause = cause(&self.path, &error)
                    .map_or_else(|| error.to_string(), |(cause, _)| cause.to_owned());
                let source = format!("{cause}; the complete file is {}", path.display());
                let source = io::Error::other(source);
                ProgramError::File { path: self.path, source, remedy: "rename it" }
            }
            None => file_error(&self.path, error),
        })
    }

    /// The error for a failed write to this file.
    pub(super) fn error(&self, source: io::Error) -> ProgramError {
        file_error(&self.path, source)
    }
}

/// True for the name that stands for stdout.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// True if a flag takes stdout for its file; `flags` says of each whether it does, the one that
/// prints text first.
///
/// # Errors
/// A usage error if two do.
pub(super) fn stdout_taker(flags: &[(&str, bool)]) -> Outcome<bool> {
    let mut takers = flags.iter().filter(|&(_, takes)| *takes);
    match (takers.next(), takers.next()) {
        (Some((one, _)), Some((other, _))) => {
            let file = other.trim_end_matches(" -");
            Err(Failure::usage(format!(
                "{one} and {other} both write to stdout; name a file after {file}"
            )))
        }
        (taker, _) => Ok(taker.is_some()),
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
    let to = target(path)?;
    let replaced = match fs::symlink_metadata(&to) {
        Ok(replaced) => {
            // Without appending, so that a file that may only grow is refused, too.
            OpenOptions::new().write(true).open(&to)?;
            Some(replaced)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let part = PartFile::new_in(folder(&to))?;
    if let Some(replaced) = replaced {
        part.follow(&replaced)?;
    }
    Ok(Sink::Given(part, to))
}

/// The path that a link leads to, through further links, whether there is a file or not.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut to = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&to) {
            Ok(next) => to = folder(&to).join(next),
            Err(_) => return Ok(to),
        }
    }
    Err(files::link_loop())
}

/// Deletes all temporary files, calls `last` and exits without unwinding. No file is created or
/// renamed after that.
pub(super) fn exit_without_files(status: u8, last: impl FnOnce()) -> ! {
    let _names = part::remove_all();
    last();
    process::exit(i32::from(status))
}

/// `jostle.EXT`, `jostle-2.EXT` and so on.
fn unique_names(folder: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let first = format!("jostle.{extension}");
    let others = (2_u32..).map(move |n| format!("jostle-{n}.{extension}"));
    iter::once(first).chain(others).map(|name| folder.join(name))
}

/// The error for a file that can't be created or written. The system's own messages name the
/// temporary file, which the user did not ask for.
pub(super) fn file_error(path: &Path, source: io::Error) -> ProgramError {
    let (source, remedy) = match cause(path, &source) {
        Some((cause, remedy)) => (io::Error::new(source.kind(), cause), remedy),
        None => (source, "name another file"),
    };
    ProgramError::File { path: path.into(), source, remedy }
}

/// Cause of a file error, and its remedy.
fn cause(path: &Path, source: &io::Error) -> Option<(&'static str, &'static str)> {
    if let Some(known) = files::cause(source) {
        return Some(known);
    }
    Some(match source.kind() {
        ErrorKind::NotFound if folder(path).is_dir() => {
            ("no file can be created there", "name another folder")
        }
        ErrorKind::NotFound => ("its folder doesn't exist", "create it, or name another"),
        ErrorKind::PermissionDenied => ("permission denied", "name a folder that you may write to"),
        ErrorKind::ReadOnlyFilesystem => {
            ("the file system is read-only", "name a folder that you may write to")
        }
        ErrorKind::NotADirectory => ("its parent is a file", "name a path through folders"),
        ErrorKind::IsADirectory => ("it is a folder", "name a file in it"),
        ErrorKind::InvalidFilename => ("its name is too long", "name it shorter"),
        ErrorKind::StorageFull => ("the disk is full", "make room there, or name another disk"),
        ErrorKind::FileTooLarge => {
            ("it has reached the limit on file sizes", "raise ulimit -f, or write less")
        }
        ErrorKind::QuotaExceeded => {
            ("the disk quota is used up", "make room, or name another disk")
        }
        _ => return None,
    })
}

/// The folder of a path.
fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_with_the_same_free_name_both_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let create = || Output::unique_in(folder.path().into(), "png").expect("a name");
        let (one, other) = (create(), create());
        assert_eq!(one.path(), other.path(), "neither exists yet");
        for (output, name) in [(other, "jostle.png"), (one, "jostle-2.png")] {
            let placed = output.write(|to| to.write_all(name.as_bytes())).expect("a file");
            assert_eq!(placed, folder.path().join(name));
            assert_eq!(fs::read_to_string(placed).expect("a file"), name);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn a_complete_file_stays_if_its_name_became_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.gif");
        let output = Output::open(&path).expect("a file");
        fs::create_dir(&path).expect("another process creates a folder of that name");
        let error = output.write(|to| to.write_all(b"film")).expect_err("it is a folder");
        let message = error.to_string();
        let (start, kept) = message.split_once("; the complete file is ").expect(&message);
        assert_eq!(start, format!("{} can't be written: it is a folder", path.display()));
        let kept = kept.strip_suffix("; rename it").expect(&message);
        assert_eq!(fs::read_to_string(kept).expect("a file"), "film");
    }
}
