//! The error type, and the value that it rejects.

use super::value::{Field, Limit, Remedy, Value};

/// The result of what can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something was not done.
///
/// `Display` is one sentence that names the value, the limit and the remedy.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A value that cannot be used, alone or together with others. Nothing was changed.
    Invalid(Box<Invalid>),
    /// A name that no index of this build has.
    UnknownIndex {
        /// The name.
        name: String,
        /// Every name there is.
        known: Vec<&'static str>,
    },
    /// No capacity for more elements. Nothing was changed.
    Full {
        /// The kind of the elements.
        stored: Stored,
        /// How many more were to be stored.
        more: u64,
        /// How many are stored.
        len: u64,
        /// How many can be stored.
        capacity: u64,
    },
    /// No ids for more elements, as no id is used twice. Nothing was changed.
    IdsUsedUp {
        /// The kind of the elements.
        stored: Stored,
        /// How many more were to be stored.
        more: u64,
        /// How many ids were used.
        used: u32,
        /// How many ids there are.
        ids: u32,
    },
    /// More memory than there is.
    Memory {
        /// The purpose of the memory.
        purpose: Purpose,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that are available, if they are known.
        available: Option<u64>,
        /// The known remedy.
        remedy: Remedy,
    },
    /// The system refuses threads.
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The reason that the system gives.
        reason: String,
    },
    /// Bytes that no run can be restored from. Nothing was changed.
    Snapshot(Fault),
    /// A world file that can't go on in this run. Nothing was changed.
    World {
        /// The line of its first fault, from 1; 0 if it is no line's.
        line: usize,
        /// Characters from 1.
        column: usize,
        /// The fault, as a sentence.
        message: String,
    },
    /// An invariant of a structure that does not hold, in words: for tests of the structure.
    Invariant(String),
    /// The caller canceled the work.
    Canceled,
}

/// A value that cannot be used, alone or together with others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Invalid {
    /// The field with the value.
    pub field: Field,
    /// The value.
    pub value: Value,
    /// The limit that the value breaks.
    pub limit: Limit,
    /// The known remedy.
    pub remedy: Remedy,
}

/// A kind of elements that is stored up to a capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stored {
    /// Agents of a run.
    Agents,
    /// Statics of a run.
    Statics,
    /// Elements of a grid.
    Elements,
    /// Loose cells that hold elements.
    LooseCells,
}

/// The fault of the bytes of a snapshot or a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// They do not begin as such a file does.
    Foreign,
    /// They need another version.
    Format {
        /// The number of their format.
        format: u32,
        /// The newest format that this version reads.
        newest: u32,
        /// The first version that reads theirs.
        reader: String,
    },
    /// They are more or fewer than the header states.
    Length {
        /// How many there are.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// The checksum of this part is wrong.
    Damaged(String),
    /// This part is not there.
    Missing(String),
    /// A column is too long or too short.
    Count {
        /// The column.
        part: String,
        /// How many values it has.
        found: u64,
        /// How many it should have.
        expected: u64,
    },
    /// A line of text that can't be used.
    Line {
        /// The part with the line.
        part: String,
        /// The line.
        line: String,
    },
    /// A column with values that no run has.
    Content {
        /// The column.
        part: String,
        /// The fault, as the end of a sentence that begins with the column.
        reason: &'static str,
    },
}

/// The purpose of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// A part of a run or of a grid, such as "the contact lists".
    Part(&'static str),
    /// A whole run.
    Run {
        /// How many agents it has.
        agents: u32,
        /// The name of its scene.
        scene: &'static str,
    },
}

impl Error {
    /// A value that breaks a limit.
    pub(crate) fn invalid(field: Field, value: Value, limit: Limit) -> Self {
        Self::Invalid(Box::new(Invalid { field, value, limit, remedy: Remedy::None }))
    }

    /// This error with that remedy, if its kind has one.
    pub(crate) fn with_remedy(mut self, better: Remedy) -> Self {
        match &mut self {
            Self::Invalid(invalid) => invalid.remedy = better,
            Self::Memory { remedy, .. } => *remedy = better,
            _ => {}
        }
        self
    }
}

impl std::error::Error for Error {}
