//! Files without a name, names that are not text, owners and permissions, room on a disk, and causes
//! of errors that the standard library has no name for.
//!
//! Fallback: a file has a name from the beginning and the permissions of a new one, and no disk tells
//! its room.

use std::{
    ffi::OsString,
    fs::{File, Metadata},
    io,
    path::Path,
};

/// Permissions of a new file, less the process's mask.
#[cfg(unix)]
const MODE: u32 = 0o666;

/// Lets a temporary file have the permissions of a new file.
pub(in crate::cli) fn permit(builder: &mut tempfile::Builder) {
    #[cfg(unix)]
    {
        use std::{fs::Permissions, os::unix::fs::PermissionsExt};
        builder.permissions(Permissions::from_mode(MODE));
    }
    #[cfg(not(unix))]
    let _ = builder;
}

/// Takes over permissions and owner of the file that `file` will replace.
///
/// # Errors
/// If the permissions can't be set.
#[cfg(unix)]
pub(in crate::cli) fn follow(file: &File, replaced: &Metadata) -> io::Result<()> {
    use std::{
        fs::Permissions,
        os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    };
    // Only root can give files away.
    let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    file.set_permissions(Permissions::from_mode(replaced.mode() & 0o7777))
}

#[cfg(not(unix))]
pub(in crate::cli) fn follow(file: &File, replaced: &Metadata) -> io::Result<()> {
    file.set_permissions(replaced.permissions())
}

/// A file without a name, if it can be given one later.
#[cfg(target_os = "linux")]
pub(in crate::cli) fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(MODE)).ok()?);
    handle(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
pub(in crate::cli) fn unnamed(_: &Path) -> Option<File> {
    None
}

/// Gives a file a name that no file has.
///
/// # Errors
/// If a file has that name, or the folder can't be written to.
#[cfg(target_os = "linux")]
pub(in crate::cli) fn link(file: &File, to: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, handle(file), CWD, to, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
pub(in crate::cli) fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn handle(file: &File) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// The name of a file with these bytes; elsewhere, what is no text in it is replaced.
#[cfg(unix)]
pub(in crate::cli) fn name_of(bytes: Vec<u8>) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes)
}

#[cfg(not(unix))]
pub(in crate::cli) fn name_of(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Free bytes on the disk of a file, if the disk tells.
#[cfg(unix)]
pub(in crate::cli) fn free_bytes(file: &File) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(file).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub(in crate::cli) fn free_bytes(_: &File) -> Option<u64> {
    None
}

/// The answer of the system to a name that leads through a loop of links.
#[cfg(unix)]
pub(in crate::cli) fn link_loop() -> io::Error {
    rustix::io::Errno::LOOP.into()
}

#[cfg(not(unix))]
pub(in crate::cli) fn link_loop() -> io::Error {
    io::Error::other("its links lead in a circle")
}

/// Cause of a file error and its remedy, where [`io::ErrorKind`] does not tell it.
#[cfg(unix)]
pub(in crate::cli) fn cause(source: &io::Error) -> Option<(&'static str, &'static str)> {
    use rustix::io::Errno;
    Some(match Errno::from_io_error(source)? {
        Errno::LOOP => ("its links lead in a circle", "name another file"),
        Errno::PERM => ("it is protected from changes", "see lsattr, or name another file"),
        Errno::MFILE | Errno::NFILE => ("too many files are open", "raise ulimit -n"),
        _ => return None,
    })
}

#[cfg(not(unix))]
pub(in crate::cli) fn cause(_: &io::Error) -> Option<(&'static str, &'static str)> {
    None
}
