//! Causes of file errors and their remedies. The system's own messages name the temporary file,
//! which the user did not ask for.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use crate::Error;

/// The error for a file that can't be created or written.
pub(in crate::cli) fn file_error(path: &Path, source: io::Error) -> Error {
    let Some((cause, remedy)) = known(path, source.kind()) else {
        return Error::File { path: path.into(), source, remedy: "name another file" };
    };
    Error::File { path: path.into(), source: io::Error::new(source.kind(), cause), remedy }
}

/// The error for a complete file that keeps its temporary name.
pub(super) fn rename_error(path: &Path, source: &io::Error, temporary: &Path) -> Error {
    let cause = known(path, source.kind())
        .map_or_else(|| source.to_string(), |(cause, _)| cause.to_owned());
    let source = io::Error::other(format!("{cause}; the complete file is {}", temporary.display()));
    Error::File { path: path.into(), source, remedy: "rename it" }
}

/// Cause and remedy.
fn known(path: &Path, kind: ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
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
pub(super) fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}
