//! A file in the place of stderr.
//!
//! Fallback: stderr stays.

use std::{fs::File, io};

/// The stderr that a file stands in for.
#[derive(Debug)]
pub(in crate::cli) struct ReplacedStderr(#[cfg(unix)] std::os::fd::OwnedFd);

impl ReplacedStderr {
    /// Puts a file in the place of stderr.
    ///
    /// # Errors
    /// If the system can't.
    #[cfg(unix)]
    pub(in crate::cli) fn by(file: &File) -> io::Result<Self> {
        use std::os::fd::AsFd;
        let stderr = io::stderr().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stderr(file)?;
        Ok(Self(stderr))
    }

    #[cfg(not(unix))]
    pub(in crate::cli) fn by(_: &File) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Puts stderr back.
    pub(in crate::cli) fn put_back(self) {
        #[cfg(unix)]
        let _ = rustix::stdio::dup2_stderr(&self.0);
    }
}
