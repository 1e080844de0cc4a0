//! Parts: files without their name until they are complete.
//!
//! Where the system allows it, a part has no name at all, so that a killed process leaves nothing.
//! Elsewhere its name is `.jostle-….part`, and its process locks it. The next part in that folder
//! removes the parts that no process locks.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tempfile::{NamedTempFile, PathPersistError, TempPath};

const PREFIX: &str = ".jostle-";
const SUFFIX: &str = ".part";

/// Permissions of a new file, less the process's mask.
const MODE: u32 = 0o666;

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
        let (file, name) = if let Some(file) = unnamed(folder) {
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
        // Only root can give files away.
        let _ = fchown(&self.file, Some(replaced.uid()), Some(replaced.gid()));
        self.file.set_permissions(fs::Permissions::from_mode(replaced.mode() & 0o7777))
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
                .make_in(&self.folder, |name| link(&self.file, name))
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
    builder.prefix(PREFIX).suffix(SUFFIX).permissions(fs::Permissions::from_mode(MODE));
    builder
}

/// A file without a name, if it can be given one later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(MODE)).ok()?);
    handle(&file).exists().then_some(file)
}

/// Gives a file a name that no file has.
#[cfg(target_os = "linux")]
fn link(file: &File, to: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, handle(file), CWD, to, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn handle(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
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
