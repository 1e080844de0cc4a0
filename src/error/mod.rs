//! Everything that can go wrong, as data.
//!
//! An [`Error`] holds what a program needs to react to it: which [`Field`] has which [`Value`], which [`Limit`] that
//! breaks, and which [`Remedy`] is known to help. `Display` is one sentence for users of the library, in terms of field
//! names. A front end renders the same data in its own [`Terms`], such as flags or labels, so nothing reads the text of
//! an error.
//!
//! To read: `invalid` (a value and its limit), `remedy`, `kinds` (the error itself), `wording` (the sentences).

mod invalid;
mod kinds;
mod remedy;
mod wording;

pub use invalid::{Field, Invalid, Limit, Value};
pub use kinds::{Error, NameKind, Purpose, Result, Stored};
pub use remedy::{Adjust, Remedy, Setting};
pub(crate) use wording::Terms;
