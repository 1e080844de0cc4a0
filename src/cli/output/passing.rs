//! Files under a passing name, in the folder where they go, until they are whole and are given theirs.
//!
//! All of them are known, for who has to leave at once: whoever makes one, names one or leaves holds the list, so
//! that none is forgotten.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::Result;
use tempfile::{NamedTempFile, PersistError};

use super::{
    complaint::{failed, folder, nameless},
    free,
};

/// Passing names in use.
static NAMES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A regular file that has no name of its own yet; gone when it is dropped.
#[derive(Debug)]
pub(super) struct Passing(NamedTempFile);

impl Passing {
    /// A file in the folder of that path.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn beside(path: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".jostle-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut names = names();
        let file = builder.tempfile_in(folder(path))?;
        names.push(file.path().to_path_buf());
        Ok(Self(file))
    }

    pub(super) fn file(&mut self) -> &mut File {
        self.0.as_file_mut()
    }

    /// Gives it that name, which replaces what has it; `path` is what that is called in a sentence.
    ///
    /// # Errors
    /// [`Error::File`] if that can't be done; the sentence says where it is.
    pub(super) fn place(self, name: &Path, path: PathBuf) -> Result<PathBuf> {
        self.named(|file| rename(file, name, path))
    }

    /// Gives it the first name in that folder that is free.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub(super) fn place_free(self, folder: &Path, extension: &str) -> Result<PathBuf> {
        self.named(|file| {
            claim(file, folder, extension).or_else(|file| find(file, folder, extension))
        })
    }

    fn named(self, name: impl FnOnce(NamedTempFile) -> Result<PathBuf>) -> Result<PathBuf> {
        let mut names = names();
        names.retain(|name| name != self.0.path());
        name(self.0)
    }
}

/// Removes what is not complete, says `last` words, and ends the process without unwinding: from now on nobody
/// makes or names a file.
pub(in crate::cli) fn leave(status: u8, last: impl FnOnce()) -> ! {
    let names = names();
    for path in names.iter() {
        let _ = fs::remove_file(path);
    }
    last();
    process::exit(i32::from(status))
}

/// Whoever looks first and renames then may find that somebody else did so in between, so that taking a name and
/// finding it free are one, wherever the file system can do that; where it can't, the file comes back.
fn claim(
    mut file: NamedTempFile,
    folder: &Path,
    extension: &str,
) -> std::result::Result<PathBuf, NamedTempFile> {
    for name in free::names(folder, extension) {
        let Err(refused) = file.persist_noclobber(&name) else { return Ok(name) };
        file = refused.file;
        if refused.error.kind() != ErrorKind::AlreadyExists {
            break;
        }
    }
    Err(file)
}

/// Gives a file the first name that is free when one looks.
fn find(file: NamedTempFile, folder: &Path, extension: &str) -> Result<PathBuf> {
    let name = free::name(folder, extension);
    rename(file, &name, name.clone())
}

/// Renames a file, as every file system can. What can't even be renamed stays what it is called: it is whole,
/// and nobody could make it again.
fn rename(file: NamedTempFile, name: &Path, path: PathBuf) -> Result<PathBuf> {
    let Err(PersistError { error, file }) = file.persist(name) else { return Ok(path) };
    match file.keep() {
        Ok((_, passing)) if passing.exists() => Err(nameless(&path, &error, &passing)),
        _ => Err(failed(&path, error)),
    }
}

fn names() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn without_a_rename_that_looks_first_a_free_name_is_found_all_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let taken = folder.path().join("jostle.png");
        fs::write(&taken, "taken").expect("a file");
        let mut passing = Passing::beside(&taken).expect("a file");
        passing.file().write_all(b"film").expect("room");
        let found = passing.named(|file| find(file, folder.path(), "png")).expect("a name");
        assert_eq!(found, folder.path().join("jostle-2.png"));
        let texts = [found, taken].map(|path| fs::read_to_string(path).expect("a text"));
        assert_eq!(texts, ["film", "taken"]);
    }
}
