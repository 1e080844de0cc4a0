//! Files that are read: texts, and why one can't be.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

use super::{Failure, Outcome, format::grouped};

/// The text of a file of at most that many bytes; for a larger one there is a remedy.
///
/// # Errors
/// If it can't be read, is larger, or is no text.
pub(super) fn text(path: &Path, bytes_max: u64, remedy: &str) -> Outcome<String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(bytes_max + 1).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(Failure::usage(format!(
            "{} can't be used: it is not text in UTF-8; save it as such",
            path.display()
        ))),
        Err(error) => Err(unreadable(path, &error)),
        Ok(length) if length as u64 > bytes_max => Err(Failure::usage(format!(
            "{} can't be used: it is larger than {} bytes; {remedy}",
            path.display(),
            grouped(bytes_max)
        ))),
        Ok(_) => Ok(text),
    }
}

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
