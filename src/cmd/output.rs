//! Files that a run leaves behind: opened before the run, whole or not there at all.
//!
//! A regular file is written under a passing name in the folder where it goes, and renamed when it is
//! complete: a folder that is missing or can't be written to is found out before the run, and a disk
//! that fills up leaves nothing behind. What isn't a regular file (a pipe, `/dev/stdout`) is written
//! as it is.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use jostle::{Error, Result};
use tempfile::NamedTempFile;

/// Passing names in use, for who has to leave at once.
static PASSING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is going to be written.
#[derive(Debug)]
pub(super) struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Renamed to the second when complete.
    Passing(NamedTempFile, PathBuf),
    /// Written as it comes.
    Direct(File),
}

impl Output {
    /// Makes sure that the file can be written.
    ///
    /// # Errors
    /// [`Error::File`] if it can't.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let sink = sink(path).map_err(|source| failed(path, source))?;
        if let Sink::Passing(file, _) = &sink {
            passing().push(file.path().to_path_buf());
        }
        Ok(Self { path: path.to_path_buf(), sink })
    }

    /// This process's stdout, as a file that is written as it comes.
    ///
    /// # Errors
    /// [`Error::File`] if it is closed.
    pub(super) fn stdout() -> Result<Self> {
        let path = PathBuf::from("stdout");
        match stdout() {
            Ok(file) => Ok(Self { path, sink: Sink::Direct(file) }),
            Err(source) => Err(failed(&path, source)),
        }
    }

    /// Writes the file by `write`; then it is there, whole.
    ///
    /// # Errors
    /// [`Error::File`] if it could not be written; then it is not there.
    pub(super) fn write(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let regular = self.is_passing();
        match buffered(self.file(), write) {
            Ok(()) if regular => self.sync().and_then(|()| self.place()),
            Ok(()) => Ok(()),
            // Whoever reads the pipe has seen enough.
            Err(error) if !regular && error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The file, to be written bit by bit; whoever does that calls [`Self::place`] at the end.
    pub(super) fn file(&mut self) -> &mut File {
        match &mut self.sink {
            Sink::Passing(file, _) => file.as_file_mut(),
            Sink::Direct(file) => file,
        }
    }

    /// True for a regular file, which has a passing name until it is placed.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.sink, Sink::Passing(..))
    }

    /// Waits until all that was written is on the disk.
    ///
    /// # Errors
    /// [`Error::File`] if it can't get there.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.file().sync_all().map_err(|source| failed(&self.path, source))
    }

    /// Gives a regular file its name.
    ///
    /// # Errors
    /// [`Error::File`] if that can't be done; then it is not there.
    pub(super) fn place(self) -> Result<()> {
        let Self { path, sink: Sink::Passing(file, to) } = self else { return Ok(()) };
        let passed = file.path().to_path_buf();
        let placed = file.persist(to).map_err(|error| failed(&path, error.error));
        passing().retain(|name| *name != passed);
        placed.map(drop)
    }

    /// What went wrong with it, in a sentence.
    pub(super) fn failed(&self, source: io::Error) -> Error {
        failed(&self.path, source)
    }
}

/// A second handle on stdout, without the buffer that cuts it into lines.
fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    handle.map(File::from)
}

/// Removes what is not complete: the process is about to end without unwinding.
pub(super) fn abandon_all() {
    for path in passing().drain(..) {
        let _ = fs::remove_file(path);
    }
}

/// The first of jostle.png, jostle-2.png, … that isn't taken, of any extension.
pub(super) fn free_name(extension: &str) -> PathBuf {
    let first = PathBuf::from(format!("jostle.{extension}"));
    let name = |n: u32| PathBuf::from(format!("jostle-{n}.{extension}"));
    // A dangling link is taken too.
    let free = |path: &PathBuf| path.symlink_metadata().is_err();
    let names = std::iter::once(first.clone()).chain((2..).map(name));
    names.into_iter().find(free).unwrap_or(first)
}

/// True if the path is a pipe, a device or a stream of this process: nothing that could be renamed.
pub(super) fn is_special(path: &Path) -> bool {
    let stream = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
    let known = fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    known || stream.iter().any(|stream| path.starts_with(stream))
}

fn sink(path: &Path) -> io::Result<Sink> {
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if is_special(path) {
        // Appending, since stdout may be a file that holds the summary by then.
        return OpenOptions::new().append(true).open(path).map(Sink::Direct);
    }
    if path.exists() {
        OpenOptions::new().append(true).open(path)?;
    }
    let to = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut passing = tempfile::Builder::new();
    passing.prefix(".jostle-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        passing.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = passing.tempfile_in(folder(&to))?;
    Ok(Sink::Passing(file, to))
}

fn buffered(
    file: &mut File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::with_capacity(1 << 16, file);
    write(&mut buffer)?;
    buffer.flush()
}

/// What went wrong in words of our own: the system's name the passing file, which nobody asked for.
pub(super) fn failed(path: &Path, source: io::Error) -> Error {
    let kind = source.kind();
    let (cause, remedy) = match kind {
        ErrorKind::NotFound if folder(path).is_dir() => {
            ("no file can be made there", "name another folder")
        }
        ErrorKind::NotFound => ("its folder isn't there", "make it first, or name another"),
        ErrorKind::PermissionDenied => ("permission denied", "name a folder that you may write to"),
        ErrorKind::ReadOnlyFilesystem => {
            ("it is on a read-only file system", "name a folder that you may write to")
        }
        ErrorKind::NotADirectory => {
            ("what should be its folder is a file", "name a path through folders")
        }
        ErrorKind::IsADirectory => ("it is a folder", "name a file in it"),
        ErrorKind::StorageFull => ("the disk is full", "make room there, or name another place"),
        ErrorKind::FileTooLarge => {
            ("it is as large as a file may be here", "raise ulimit -f, or name another place")
        }
        ErrorKind::QuotaExceeded => ("your quota is used up", "make room, or name another place"),
        _ => return Error::File { path: path.into(), source, remedy: "name another place" },
    };
    Error::File { path: path.into(), source: io::Error::new(kind, cause), remedy }
}

fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

fn passing() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    PASSING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
