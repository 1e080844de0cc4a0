//! What went wrong with a file, as one sentence in words of our own: the system's name the passing file, which
//! nobody asked for.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use crate::Error;

/// It can't be made, or not be written.
pub(in crate::cli) fn failed(path: &Path, source: io::Error) -> Error {
    let Some((cause, remedy)) = known(path, source.kind()) else {
        return Error::File { path: path.into(), source, remedy: "name another place" };
    };
    Error::File { path: path.into(), source: io::Error::new(source.kind(), cause), remedy }
}

/// It is whole, and can't be given its name; it stays what it is called.
pub(super) fn nameless(path: &Path, source: &io::Error, passing: &Path) -> Error {
    let cause = known(path, source.kind())
        .map_or_else(|| source.to_string(), |(cause, _)| cause.to_owned());
    let source = io::Error::other(format!("{cause}; all of it is in {}", passing.display()));
    Error::File { path: path.into(), source, remedy: "rename that" }
}

/// The cause and the remedy.
fn known(path: &Path, kind: ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
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
        _ => return None,
    })
}

/// The folder that a path leads to.
pub(super) fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}
