//! What is wrong with a formula, and where.

use std::fmt;

/// What is wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormulaError {
    /// The byte of the text at which it was found, counted on from the beginning of the
    /// [`Formula`](crate::rules::Formula).
    pub at: usize,
    /// One clause without a full stop.
    pub message: String,
    /// For an unknown name: the name, and those that are known.
    pub unknown: Option<(String, Vec<String>)>,
}

impl FormulaError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), unknown: None }
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for FormulaError {}
