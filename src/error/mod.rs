//! Everything that can go wrong, as data.
//!
//! An [`Error`] holds what a program needs to react to it: which [`Field`] has which [`Value`],
//! which [`Limit`] that breaks, and which [`Remedy`] is known to help. `Display` is one sentence
//! for users of the library, in terms of field names. A front end renders the same data in its own
//! `Terms`, such as flags or labels, so nothing reads the text of an error.
//!
//! To read: `value` (fields, values and limits), `remedy`, `kinds` (the error itself), `wording`
//! (the sentences).

mod kinds;
mod remedy;
mod value;
mod wording;

pub use kinds::{Error, Invalid, Purpose, Result, Stored};
pub use remedy::{Adjust, Remedy, Setting};
pub use value::{Field, Limit, Value};
#[cfg(feature = "cli")]
pub(crate) use wording::Terms;
