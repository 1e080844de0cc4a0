//! Files that a run leaves behind: opened before the run, whole or not there at all.
//!
//! A regular file is written under a passing name in the folder where it goes ([`passing`]), and renamed when it is
//! complete: a folder that is missing or can't be written to is found out before the run, and a disk
//! that fills up leaves nothing behind. What isn't a regular file (a pipe, `/dev/stdout`) is written
//! as it is.
//!
//! A name that somebody gave is theirs to give, and replaces what has it. A name that was left to us never
//! does: whichever is free ([`free`]) when the file is complete is the one that it gets.

mod complaint;
mod free;
mod passing;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::{Error, Result};

pub(super) use self::{complaint::failed, passing::leave};

use self::passing::Passing;

/// A file that is going to be written.
#[derive(Debug)]
pub(super) struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Renamed when complete.
    Passing(Passing, Name),
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
        let path = free::name(folder, extension);
        let file = Passing::beside(&path).map_err(|source| failed(&path, source))?;
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
            Sink::Passing(file, _) => file.file(),
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
    /// [`Error::File`] if that can't be done; the sentence says where it is.
    pub(super) fn place(self) -> Result<PathBuf> {
        match self.sink {
            Sink::Passing(file, Name::Given(name)) => file.place(&name, self.path),
            Sink::Passing(file, Name::Free(folder, extension)) => {
                file.place_free(&folder, extension)
            }
            Sink::Direct(_) => Ok(self.path),
        }
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
    Ok(Sink::Passing(Passing::beside(&to)?, Name::Given(to)))
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

    /// That folder holds these files, by name, with these texts, and no others.
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
    fn two_that_were_left_the_same_name_both_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let claim = || Output::free_in(folder.path(), "png").expect("a name");
        let (one, other) = (claim(), claim());
        assert_eq!(one.path(), other.path(), "neither is there yet");
        let placed = other.write(|to| to.write_all(b"other")).expect("a file");
        assert_eq!(placed, folder.path().join("jostle.png"));
        let placed = one.write(|to| to.write_all(b"one")).expect("a file");
        assert_eq!(placed, folder.path().join("jostle-2.png"));
        assert_holds(folder.path(), &[("jostle-2.png", "one"), ("jostle.png", "other")]);
    }

    #[test]
    fn a_name_that_was_given_replaces_what_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.png");
        for text in ["one", "two"] {
            let output = Output::open(&path).expect("a file");
            assert_eq!(output.write(|to| to.write_all(text.as_bytes())).expect("a file"), path);
        }
        assert_holds(folder.path(), &[("a.png", "two")]);
    }

    /// The path after `all of it is in`, once that sentence is the whole of the rest.
    fn kept(refused: &Error) -> PathBuf {
        let sentence = refused.to_string();
        let (_, rest) = sentence.split_once("; all of it is in ").expect(&sentence);
        PathBuf::from(rest.strip_suffix("; rename that").expect(&sentence))
    }

    #[test]
    fn what_cannot_get_the_name_that_was_given_stays_where_the_sentence_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.gif");
        let output = Output::open(&path).expect("a file");
        fs::create_dir(&path).expect("somebody makes a folder of that name meanwhile");
        let refused = output.write(|to| to.write_all(b"film")).expect_err("it is a folder");
        let says = format!("{} can't be written: it is a folder; all of it", path.display());
        assert!(refused.to_string().starts_with(&says), "{refused}");
        assert_eq!(fs::read_to_string(kept(&refused)).expect("a file"), "film");
    }

    #[test]
    fn what_cannot_get_a_free_name_stays_where_the_sentence_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = Passing::beside(&folder.path().join("a")).expect("a file");
        file.file().write_all(b"film").expect("room");
        let refused = file.place_free(&folder.path().join("missing"), "png");
        let refused = refused.expect_err("there is no such folder");
        assert_eq!(fs::read_to_string(kept(&refused)).expect("a file"), "film");
    }
}
