//! Stdout as a file, and whether it was closed.
//!
//! Fallback: stdout can't be written as a file, and counts as open.

use std::{fs::File, io};

/// A file that is this process's stdout, without the line buffer of the standard library.
///
/// # Errors
/// If the process has no more files to open.
#[cfg(unix)]
pub(in crate::cli) fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
pub(in crate::cli) fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

#[cfg(not(any(unix, windows)))]
pub(in crate::cli) fn stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// True for a stream that was closed when the program began: the standard library then opens
/// `/dev/null`, for reading too, as no shell does that redirects output to it.
#[cfg(unix)]
pub(in crate::cli) fn was_closed(stream: &File) -> bool {
    use rustix::fs::{OFlags, fcntl_getfl};
    use std::{fs, os::unix::fs::MetadataExt};
    let null = || Some(fs::metadata("/dev/null").ok()?.rdev() == stream.metadata().ok()?.rdev());
    let reads = fcntl_getfl(stream).is_ok_and(|flags| flags.contains(OFlags::RDWR));
    reads && null().unwrap_or(false)
}

#[cfg(not(unix))]
pub(in crate::cli) fn was_closed(_: &File) -> bool {
    false
}
