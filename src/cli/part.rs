//! Parts: files without their name until they are complete.
//!
//! Where the system allows it, a part has no name at all, so that a killed process leaves nothing.
//! Elsewhere its name is `.jostle-….part`, and its process locks it. The next part in that folder
//! removes the parts that no process locks.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::system::files;
use tempfile::{NamedTempFile, PathPersistError, TempPath};

const PREFIX: &str = ".jostle-";
const SUFFIX: &str = ".part";

/// A part that was written to in this time may be one that is about to be locked.
const FRESH: Duration = Duration::from_mins(1);

/// Names in use, because the process may exit without dropping their owners. Creating, renaming and
/// exiting lock the list, so no name is missed. A part has no name until it is renamed where the
/// system can do that.
static NAMES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is not complete yet.
#[derive(Debug)]
pub(super) struct PartFile {
    file: File,
    folder: PathBuf,
    name: Option<TempPath>,
}

/// A complete file that could not be given its name, and the name that it has instead, if it could be
/// kept.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) error: io::Error,
    pub(super) left_at: Option<PathBuf>,
}

impl PartFile {
    /// Creates a file in a folder. It is gone when it is dropped.
    ///
    /// # Errors
    /// If no file can be created there.
    pub(super) fn new_in(folder: &Path) -> io::Result<Self> {
        remove_stale(folder);
        let (file, name) = if let Some(file) = files::unnamed(folder) {
            (file, None)
        } else {
            let mut names = names();
            let (file, name) = builder().tempfile_in(folder)?.into_parts();
            names.push(name.to_path_buf());
            (file, Some(name))
        };
        // A file system without locks leaves stale parts.
        let _ = file.try_lock();
        Ok(Self { file, folder: folder.to_path_buf(), name })
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Takes over permissions and owner of the file that it will replace.
    ///
    /// # Errors
    /// If the permissions can't be set.
    pub(super) fn follow(&self, replaced: &Metadata) -> io::Result<()> {
        files::follow(&self.file, replaced)
    }

    /// Gives the complete file the name `to`, in the folder of the part, and replaces the file that
    /// has it.
    ///
    /// # Errors
    /// If it can't be renamed.
    pub(super) fn place(self, to: &Path) -> Result<(), Refused> {
        self.rename(|name| name.persist(to))
    }

    /// Gives the complete file the first of these names that no file has, and returns it.
    ///
    /// # Errors
    /// If it can't be renamed.
    pub(super) fn place_new(
        self,
        mut to: impl Iterator<Item = PathBuf>,
    ) -> Result<PathBuf, Refused> {
        self.rename(|mut name| {
            loop {
                // Testing a name and taking it is one operation.
                let to = to.next().unwrap_or_default();
                match name.persist_noclobber(&to) {
                    Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => {
                        name = taken.path;
                    }
                    placed => return placed.map(|()| to),
                }
            }
        })
    }

    fn rename<T>(
        self,
        rename: impl FnOnce(TempPath) -> Result<T, PathPersistError>,
    ) -> Result<T, Refused> {
        let mut names = names();
        let name = match self.name {
            Some(name) => Ok(name),
            None => builder()
                .make_in(&self.folder, |name| files::link(&self.file, name))
                .map(NamedTempFile::into_temp_path),
        };
        let name = name.map_err(|error| Refused { error, left_at: None })?;
        names.retain(|listed| *listed != *name);
        rename(name).map_err(|PathPersistError { error, path }| Refused {
            error,
            left_at: path.keep().ok().filter(|path| path.exists()),
        })
    }
}

/// Removes all names. No part is created or renamed as long as the guard lives.
pub(super) fn remove_all() -> MutexGuard<'static, Vec<PathBuf>> {
    let names = names();
    for name in names.iter() {
        let _ = fs::remove_file(name);
    }
    names
}

fn names() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    files::permit(&mut builder);
    builder
}

/// Removes parts of processes that are gone.
fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let parts = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(PREFIX) && name.ends_with(SUFFIX)
    });
    for path in parts.map(|entry| entry.path()) {
        if is_stale(&path).unwrap_or(false) {
            let _ = fs::remove_file(path);
        }
    }
}

fn is_stale(path: &Path) -> io::Result<bool> {
    let kind = fs::symlink_metadata(path)?;
    if !kind.is_file() || kind.modified()?.elapsed().unwrap_or_default() < FRESH {
        return Ok(false);
    }
    Ok(File::open(path)?.try_lock().is_ok())
}
