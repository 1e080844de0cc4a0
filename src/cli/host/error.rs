//! Why a host can't have what it asked for: one sentence that names arguments instead of flags.

use std::fmt;

use crate::{
    Error,
    cli::{Failure, USAGE, args::run_flags},
    error::Stored,
};

/// The result of what a host asks for.
pub type HostResult<T> = Result<T, HostError>;

/// An error, by the kind of exception that it is in most languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// A value that can't be used.
    Value(String),
    /// A file that can't be read or written.
    File(String),
    /// More memory, or more threads, than the system gives.
    Memory(String),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Value(sentence) | Self::File(sentence) | Self::Memory(sentence)) = self;
        f.write_str(sentence)
    }
}

impl std::error::Error for HostError {}

impl HostError {
    /// A value that can't be used, in a sentence that may name flags.
    pub(super) fn value(sentence: &str) -> Self {
        Self::Value(with_arguments(sentence))
    }
}

impl From<Error> for HostError {
    fn from(error: Error) -> Self {
        let sentence = error.to_string();
        match error {
            Error::Memory { .. } | Error::Threads { .. } => Self::Memory(sentence),
            Error::Full { stored: Stored::Agents, .. } => {
                Self::Value(sentence + ", or begin the run with more spare_agents")
            }
            Error::Full { stored: Stored::Statics, .. } => {
                Self::Value(sentence + ", or begin the run with more spare_statics")
            }
            _ => Self::Value(sentence),
        }
    }
}

impl From<Failure> for HostError {
    fn from(failure: Failure) -> Self {
        let sentence = with_arguments(&failure.message);
        if failure.status == USAGE { Self::Value(sentence) } else { Self::File(sentence) }
    }
}

/// A sentence with the names of arguments in place of flags: `color_by` for `--color-by`. Commands
/// name flags in their sentences, and each argument has the name of its flag.
pub(super) fn with_arguments(sentence: &str) -> String {
    let sentence = sentence.strip_suffix("; try --help").unwrap_or(sentence);
    let flags = run_flags();
    let is_flag = |name: &str| flags.get_arguments().any(|flag| flag.get_long() == Some(name));
    let mut parts = sentence.split("--");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_of_name = |it: char| it.is_ascii_lowercase() || it == '-';
        let end = part.find(|it| !is_of_name(it)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if is_flag(name) {
            told.push_str(&name.replace('-', "_"));
        } else {
            told.extend(["--", name]);
        }
        told.push_str(rest);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_arguments_and_nothing_else_does() {
        for (flags, arguments) in [
            ("--agents 0 is out of range; try --help", "agents 0 is out of range"),
            ("'--color-by' and --no-such, a -- b", "'color_by' and --no-such, a -- b"),
            ("--seed --speed", "seed speed"),
            ("a--help.toml", "a--help.toml"),
            ("--", "--"),
            ("", ""),
        ] {
            assert_eq!(with_arguments(flags), arguments);
        }
    }
}
