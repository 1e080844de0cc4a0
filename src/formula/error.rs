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
    /// For a name that two things have: both of them.
    pub(crate) twice: Option<Box<[NameUse; 2]>>,
}

/// What has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameUse {
    pub(crate) name: String,
    pub(crate) kind: NameKind,
    /// As [`FormulaError::at`]; 0 where the caller gave no place.
    pub(crate) at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Species,
    Column,
    Param,
    Matrix,
    Table,
    Sum,
    Pick,
    Let,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Species => "a species",
            Self::Column => "a column",
            Self::Param => "a param",
            Self::Matrix => "a matrix",
            Self::Table => "a table",
            Self::Sum => "a sum",
            Self::Pick => "what a pair picks",
            Self::Let => "a `let`",
        })
    }
}

impl FormulaError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), unknown: None, twice: None }
    }

    /// The fault of a name that two things have.
    pub(crate) fn of_two(both: [&NameUse; 2]) -> Self {
        let [first, second] = both;
        let message = format!(
            "`{}` is there twice, as {} and as {}; name one of them otherwise",
            first.name, first.kind, second.kind
        );
        Self { twice: Some(Box::new(both.map(NameUse::clone))), ..Self::new(second.at, message) }
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for FormulaError {}
