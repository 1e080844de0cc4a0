//! The error of the program: what its command line and its window report beside errors of the
//! library. Either names fields in its own `Terms`, such as flags or labels.

use std::{fmt, io, path::PathBuf};

use crate::error::{Error, Fault, FieldNames, Terms};

/// The result of work that a front end reports on.
pub(crate) type ProgramResult<T> = Result<T, ProgramError>;

/// Why the program did not do something.
#[derive(Debug)]
pub(crate) enum ProgramError {
    /// An error of the library.
    Library(Error),
    /// Bytes that no journal is made of.
    Journal(Fault),
    /// A file that can't be made or written.
    File {
        /// Its path as it was given.
        path: PathBuf,
        /// The reason that the system gives.
        source: io::Error,
        /// The remedy, as an imperative.
        remedy: &'static str,
    },
    /// A request that the window refuses, as one sentence.
    #[cfg(feature = "window")]
    Refused(String),
    /// No display, or one that was lost, as one sentence.
    #[cfg(feature = "window")]
    Display(String),
}

impl ProgramError {
    /// A request that the window refuses.
    #[cfg(feature = "window")]
    pub(crate) fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }

    /// The error as one sentence in these terms.
    pub(crate) fn sentence(&self, terms: &dyn Terms) -> String {
        match self {
            Self::Library(error) => error.sentence(terms),
            Self::Journal(fault) => fault.sentence("journal", terms),
            Self::File { path, source, remedy } => {
                format!("{} can't be written: {source}; {remedy}", path.display())
            }
            #[cfg(feature = "window")]
            Self::Refused(sentence) | Self::Display(sentence) => sentence.clone(),
        }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(&FieldNames))
    }
}

impl std::error::Error for ProgramError {}

impl From<Error> for ProgramError {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}
