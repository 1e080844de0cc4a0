//! Everything that can go wrong, as data.
//!
//! An [`Error`] holds what a program needs to react to it: which [`Field`] has which [`Value`],
//! which [`Limit`] that breaks, and which [`Remedy`] is known to help. `Display` is one sentence
//! for users of the library, in terms of field names. A front end renders the same data in its own
//! `Terms`, such as flags or labels, so nothing reads the text of an error.
//!
//! To read: `value` (fields, values, limits and remedies), `kinds` (the error itself), `wording`
//! (the sentences).

mod kinds;
mod value;
mod wording;

pub use kinds::{Error, Fault, Invalid, Purpose, Result, Stored};
pub use value::{Adjust, Field, Limit, Remedy, Value};
#[cfg(feature = "cli")]
pub(crate) use wording::{FieldNames, Terms};
