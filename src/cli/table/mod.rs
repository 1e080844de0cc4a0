//! Tables as input: columns of numbers that a caller asks for by name, from CSV ([`text`]) or from
//! an archive of `NumPy` ([`archive`]).
//!
//! Files of other programs are read where that is safe: columns in any order and of any type of
//! number, further columns, a byte order mark, semicolons with decimal commas, quotes, CRLF, empty
//! lines. All else is refused with its line.

mod archive;
mod columns;
mod text;

use std::{
    fs::File,
    io::{Cursor, Read, Seek},
    path::Path,
};

pub(super) use self::columns::{ColumnSpec, ColumnTable, listed};
use super::{Outcome, input::unreadable};

/// Beginning of an archive.
const ARCHIVE: &[u8] = b"PK";

/// Reads the columns of a file that are among `specs`; their names in an archive begin with
/// `prefix`.
///
/// # Errors
/// If the file can't be read, is neither CSV nor an archive of `NumPy`, or has a value that is
/// none.
pub(super) fn read(path: &Path, specs: &[ColumnSpec<'_>], prefix: &str) -> Outcome<ColumnTable> {
    let failed = |error| unreadable(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut begin = Vec::new();
    let length = ARCHIVE.len() as u64;
    Read::by_ref(&mut file).take(length).read_to_end(&mut begin).map_err(failed)?;
    if begin == ARCHIVE {
        file.rewind().map_err(failed)?;
        archive::read(path, file, specs, prefix)
    } else {
        // A pipe can't be rewound.
        text::read(path, Cursor::new(begin).chain(file), specs)
    }
}
