//! Files that a run leaves behind: opened before the run, whole or not there at all.
//!
//! A regular file is written under a passing name in the folder where it goes, and renamed when it is
//! complete: a folder that is missing or can't be written to is found out before the run, and a disk
//! that fills up leaves nothing behind. What isn't a regular file (a pipe, `/dev/stdout`) is written
//! as it is.
//!
//! A name that somebody gave is theirs to give, and replaces what has it. A name that was left to us never
//! does: whichever is free when the file is complete is the one that it gets.

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
    /// Renamed when complete.
    Passing(NamedTempFile, Name),
    /// Written as it comes.
    Direct(File),
}

/// What a regular file is going to be called.
#[derive(Debug)]
enum Name {
    /// That.
    Given(PathBuf),
    /// The first that is free then, in that folder and of that extension.
    Free(PathBuf, &'static str),
}

impl Output {
    /// Makes sure that the file can be written.
    ///
    /// # Errors
    /// [`Error::File`] if it can't.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let sink = sink(path).map_err(|source| failed(path, source))?;
        Ok(Self { path: path.to_path_buf(), sink })
    }

    /// A file of that extension in this folder, under a name that nobody has.
    ///
    /// # Errors
    /// [`Error::File`] if none can be written.
    pub(super) fn free(extension: &'static str) -> Result<Self> {
        Self::free_in(Path::new(""), extension)
    }

    fn free_in(folder: &Path, extension: &'static str) -> Result<Self> {
        let path = free_name(folder, extension);
        let file = passing_beside(&path).map_err(|source| failed(&path, source))?;
        Ok(Self { path, sink: Sink::Passing(file, Name::Free(folder.into(), extension)) })
    }

    /// What it is going to be called, unless somebody takes a free name first.
    pub(super) fn path(&self) -> &Path {
        &self.path
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

    /// Writes the file by `write`; then it is there, whole, under the name that is returned.
    ///
    /// # Errors
    /// [`Error::File`] if it could not be written; then it is not there.
    pub(super) fn write(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf> {
        let regular = self.is_passing();
        match buffered(self.file(), write) {
            Ok(()) if regular => self.sync().and_then(|()| self.place()),
            Ok(()) => Ok(self.path),
            // Whoever reads the pipe has seen enough.
            Err(error) if !regular && error.kind() == ErrorKind::BrokenPipe => Ok(self.path),
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

    /// Gives a regular file its name, and says which that is.
    ///
    /// # Errors
    /// [`Error::File`] if that can't be done; then it is not there, or the sentence says where it is.
    pub(super) fn place(self) -> Result<PathBuf> {
        let Self { path, sink: Sink::Passing(file, name) } = self else { return Ok(self.path) };
        let passed = file.path().to_path_buf();
        let placed = match name {
            Name::Given(to) => match file.persist(to) {
                Ok(_) => Ok(path),
                Err(refused) => Err(failed(&path, refused.error)),
            },
            Name::Free(folder, extension) => place_free(file, &folder, extension),
        };
        passing().retain(|name| *name != passed);
        placed
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

/// jostle.png, jostle-2.png, … of any extension.
fn names(folder: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let name = move |n: u32| match n {
        1 => folder.join(format!("jostle.{extension}")),
        _ => folder.join(format!("jostle-{n}.{extension}")),
    };
    (1..).map(name)
}

/// The first of them that nobody has.
fn free_name(folder: &Path, extension: &str) -> PathBuf {
    // A dangling link is taken, too.
    let free = |path: &PathBuf| path.symlink_metadata().is_err();
    names(folder, extension).find(free).unwrap_or_default()
}

/// Gives a file the first name that is free: whoever looks first and renames then may find that somebody else
/// did so in between, so that taking a name and finding it free are one, wherever the file system can do that.
fn place_free(mut file: NamedTempFile, folder: &Path, extension: &str) -> Result<PathBuf> {
    for name in names(folder, extension) {
        let Err(refused) = file.persist_noclobber(&name) else { return Ok(name) };
        file = refused.file;
        if refused.error.kind() != ErrorKind::AlreadyExists {
            break;
        }
    }
    place_plainly(file, free_name(folder, extension))
}

/// Renames a file, as every file system can. What can't even be renamed stays what it is called: it is whole,
/// and nobody could make it again.
fn place_plainly(file: NamedTempFile, name: PathBuf) -> Result<PathBuf> {
    let Err(refused) = file.persist(&name) else { return Ok(name) };
    match refused.file.keep() {
        Ok((_, passing)) if passing.exists() => {
            let cause = format!("{}; it is whole, as {}", refused.error, passing.display());
            Err(Error::File { path: name, source: io::Error::other(cause), remedy: "rename that" })
        }
        _ => Err(failed(&name, refused.error)),
    }
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
    Ok(Sink::Passing(passing_beside(&to)?, Name::Given(to)))
}

/// A file under a passing name in the folder of that path.
fn passing_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jostle-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder(path))?;
    passing().push(file.path().to_path_buf());
    Ok(file)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What that folder holds: names and texts, by name.
    fn files(folder: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"));
        let mut files: Vec<_> = entries
            .map(|entry| {
                let name = entry.file_name().into_string().expect("a plain name");
                (name, fs::read_to_string(entry.path()).expect("a text"))
            })
            .collect();
        files.sort();
        files
    }

    #[test]
    fn two_that_were_left_the_same_name_both_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let claim = || Output::free_in(folder.path(), "png").expect("a name");
        let (one, other) = (claim(), claim());
        assert_eq!(one.path(), other.path(), "neither is there yet");
        let placed = other.write(|to| to.write_all(b"other")).expect("a file");
        assert_eq!(placed, folder.path().join("jostle.png"));
        let placed = one.write(|to| to.write_all(b"one")).expect("a file");
        assert_eq!(placed, folder.path().join("jostle-2.png"));
        let expected = [("jostle-2.png", "one"), ("jostle.png", "other")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(files(folder.path()), expected);
    }

    #[test]
    fn without_a_rename_that_looks_first_a_free_name_is_found_all_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let taken = folder.path().join("jostle.png");
        fs::write(&taken, "taken").expect("a file");
        let mut file = passing_beside(&taken).expect("a file");
        file.write_all(b"film").expect("room");
        let name = free_name(folder.path(), "png");
        assert_eq!(place_plainly(file, name.clone()).expect("a name"), name);
        let expected = [("jostle-2.png", "film"), ("jostle.png", "taken")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(files(folder.path()), expected);
    }

    #[test]
    fn what_cannot_be_renamed_stays_where_the_sentence_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = passing_beside(&folder.path().join("a")).expect("a file");
        file.write_all(b"film").expect("room");
        let passing = file.path().to_path_buf();
        let refused = place_free(file, &folder.path().join("missing"), "png");
        let sentence = refused.expect_err("there is no such folder").to_string();
        assert!(sentence.contains(&format!("as {}; rename that", passing.display())), "{sentence}");
        assert_eq!(fs::read_to_string(passing).expect("a file"), "film");
    }

    #[test]
    fn a_name_that_was_given_replaces_what_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.png");
        for text in ["one", "two"] {
            let output = Output::open(&path).expect("a file");
            assert_eq!(output.write(|to| to.write_all(text.as_bytes())).expect("a file"), path);
        }
        assert_eq!(files(folder.path()), [("a.png".to_owned(), "two".to_owned())]);
    }
}
