//! Everything that can go wrong, each as one sentence with the value, the limit and the remedy.

use std::path::PathBuf;

/// Why something was not done. Its `Display` is the whole message for a user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A value out of its range, or two that contradict each other.
    #[error("{0}")]
    Invalid(String),
    /// More memory than there is; found out before any of it is claimed.
    #[error("{what} would take {needed}, and {available} can be had here; {remedy}")]
    Memory {
        /// What asked for it.
        what: String,
        /// How much, as people write it.
        needed: String,
        /// How much there is, as people write it.
        available: String,
        /// What to do about it.
        remedy: String,
    },
    /// A file that can't be made or written.
    #[error("{} can't be written: {source}; {remedy}", path.display())]
    File {
        /// Its name as it was given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
        /// What to do about it.
        remedy: &'static str,
    },
    /// No window, or one that was lost.
    #[error("{0}")]
    Display(String),
}

impl Error {
    /// A value that can't be used, as one sentence.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}

/// What can fail returns this.
pub type Result<T> = std::result::Result<T, Error>;
