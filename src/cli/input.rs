//! Files that are read: why one can't be.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use super::Failure;

/// The failure for a file that can't be read.
pub(super) fn unreadable(path: &Path, source: &io::Error) -> Failure {
    let (cause, remedy) = match source.kind() {
        ErrorKind::NotFound => ("there is no such file".to_owned(), "name another file"),
        ErrorKind::PermissionDenied => {
            ("permission denied".to_owned(), "name a file that you may read")
        }
        ErrorKind::IsADirectory => ("it is a folder".to_owned(), "name a file in it"),
        ErrorKind::OutOfMemory => ("there is not enough memory".to_owned(), "close other programs"),
        _ => (source.to_string(), "name another file"),
    };
    Failure { status: 1, message: format!("{} can't be read: {cause}; {remedy}", path.display()) }
}
