//! Reading and writing a file at a position.
//!
//! Fallback: the file is moved to the position first, so nothing else may move it.

use std::{fs::File, io};

/// Writes all bytes at a position.
///
/// # Errors
/// If they can't be written.
#[cfg(unix)]
pub(in crate::cli) fn write_all_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, position)
}

#[cfg(not(unix))]
pub(in crate::cli) fn write_all_at(mut file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
    use std::io::{Seek, Write};
    file.seek(io::SeekFrom::Start(position))?;
    file.write_all(bytes)
}

/// Fills `bytes` from a position on.
///
/// # Errors
/// If the file ends before, or can't be read.
#[cfg(unix)]
pub(in crate::cli) fn read_exact_at(
    file: &File,
    bytes: &mut [u8],
    position: u64,
) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, position)
}

#[cfg(not(unix))]
pub(in crate::cli) fn read_exact_at(
    mut file: &File,
    bytes: &mut [u8],
    position: u64,
) -> io::Result<()> {
    use std::io::{Read, Seek};
    file.seek(io::SeekFrom::Start(position))?;
    file.read_exact(bytes)
}
