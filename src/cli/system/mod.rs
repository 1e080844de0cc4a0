//! What the program asks of the system beyond the standard library, one file per concern.
//!
//! Each file has the calls of Unix, those of Linux among them, and a fallback that every system has:
//! the program runs without what it asks for. Nothing else in `cli` names a system.

pub(super) mod files;
pub(super) mod limits;
pub(super) mod process;
pub(super) mod signals;
#[cfg(feature = "window")]
pub(super) mod stderr;
pub(super) mod streams;
