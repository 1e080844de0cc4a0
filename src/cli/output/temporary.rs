//! Files with a temporary name, in the folder where they get their final one.
//!
//! A list holds all temporary names, because the process may exit without dropping their owners.
//! Creating, renaming and exiting lock the list, so no file is missed.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    iter,
    path::{Path, PathBuf},
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::Result;
use tempfile::{NamedTempFile, PersistError};

use super::cause::{file_error, folder, rename_error};

/// Temporary names in use.
static NAMES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The final name of a file.
#[derive(Clone, Debug)]
pub(in crate::cli) enum Target {
    /// This path, even if it exists.
    Given(PathBuf),
    /// The first free name in that folder with that extension.
    Unique(PathBuf, &'static str),
}

impl Target {
    /// The path at this moment.
    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::Given(path) => path.clone(),
            // A dangling link has its name, too.
            Self::Unique(folder, extension) => unique_names(folder, extension)
                .find(|path| path.symlink_metadata().is_err())
                .unwrap_or_default(),
        }
    }
}

/// A regular file without its final name; deleted when dropped.
#[derive(Debug)]
pub(super) struct TemporaryFile(NamedTempFile);

impl TemporaryFile {
    /// Creates a file in the folder of that path.
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

    /// Gives the file its final name and returns it; messages and the result show a given name as
    /// `path`.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if it can't be renamed; the error names the complete
    /// temporary file.
    pub(super) fn place(self, target: &Target, path: PathBuf) -> Result<PathBuf> {
        let mut names = names();
        names.retain(|name| name != self.0.path());
        let mut file = self.0;
        if let Target::Unique(folder, extension) = target {
            // Testing a name and taking it is one operation, wherever the file system offers that.
            for name in unique_names(folder, extension) {
                match file.persist_noclobber(&name) {
                    Ok(_) => return Ok(name),
                    Err(refused) => {
                        file = refused.file;
                        if refused.error.kind() != ErrorKind::AlreadyExists {
                            break;
                        }
                    }
                }
            }
            let name = target.path();
            return rename(file, &name, name.clone());
        }
        rename(file, &target.path(), path)
    }
}

/// Deletes all temporary files, calls `last` and exits without unwinding. No file is created or
/// renamed after that.
pub(in crate::cli) fn exit_without_files(status: u8, last: impl FnOnce()) -> ! {
    let names = names();
    for path in names.iter() {
        let _ = fs::remove_file(path);
    }
    last();
    process::exit(i32::from(status))
}

/// `jostle.EXT`, `jostle-2.EXT` and so on.
fn unique_names(folder: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let first = format!("jostle.{extension}");
    let others = (2_u32..).map(move |n| format!("jostle-{n}.{extension}"));
    iter::once(first).chain(others).map(|name| folder.join(name))
}

/// Renames a complete file. If that fails, the file keeps its temporary name, since it can't be
/// made again.
fn rename(file: NamedTempFile, name: &Path, path: PathBuf) -> Result<PathBuf> {
    let Err(PersistError { error, file }) = file.persist(name) else { return Ok(path) };
    match file.keep() {
        Ok((_, temporary)) if temporary.exists() => Err(rename_error(&path, &error, &temporary)),
        _ => Err(file_error(&path, error)),
    }
}

fn names() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}
