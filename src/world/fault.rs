//! What is wrong with a world file, and where.

use std::fmt::{self, Write};

/// Faults of a file that are shown.
pub(crate) const FAULTS_MAX: usize = 10;

/// A fault at a place of the text, or of a value that is set beside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorldFault {
    /// From 1; 0 if a value that is set beside the text is wrong.
    pub(crate) line: usize,
    /// Characters from 1.
    pub(crate) column: usize,
    pub(crate) message: String,
}

impl WorldFault {
    /// The fault at a byte of a text.
    pub(crate) fn at(text: &str, byte: usize, message: String) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        Self { line, column: before[begin..].chars().count() + 1, message }
    }

    /// The fault of a value that is set beside the text, which begins with its name.
    pub(super) fn of_setting(message: String) -> Self {
        Self { line: 0, column: 0, message }
    }

    /// The fault as it is shown, of a file of that name. A value that is set beside it is no fault of
    /// the file: `setting` leads to it.
    pub(crate) fn shown(&self, file: &dyn fmt::Display, setting: &str) -> String {
        let Self { line, column, message } = self;
        match line {
            0 => format!("{setting}{message}"),
            _ => format!("{file}:{line}:{column}: {message}"),
        }
    }

    /// The first of all faults of a text, with the number of the others.
    pub(crate) fn first_of(faults: &[Self]) -> Self {
        let none = Self { line: 0, column: 0, message: String::new() };
        let mut first = faults.first().cloned().unwrap_or(none);
        if faults.len() > 1 {
            // Writing to a string does not fail.
            let _ = write!(first.message, " (and {} more)", faults.len() - 1);
        }
        first
    }
}
