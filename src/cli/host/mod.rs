//! Runs for a host, a process of another language such as Python: what `run` and `sweep` do, with
//! arguments in place of flags. Nothing prints or ends the process: what is done within [`call`] returns
//! its notes, and errors are values.
//!
//! To read: `error`, then `flags` (arguments), then `run`.

mod error;
mod flags;
mod look;
mod run;

use std::{path::Path, sync::Once};

pub use self::{
    error::{HostError, HostResult},
    flags::{HostArgument, HostValue},
    run::{HostRun, HostedWorld, ObservedValues, SpareRoom},
};
use super::{
    held::{self, HeldNotes},
    panics, sweep,
};
use crate::parallel;

/// Makes the process one of a host: work that ends because memory is refused prints nothing.
pub fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(panics::hush);
}

/// Does what a host calls for, on this thread; returns what came of it, which is an error if memory was
/// refused in the middle of it, and the notes of this call.
pub fn call<T>(work: impl FnOnce() -> HostResult<T>) -> (HostResult<T>, Vec<String>) {
    let notes = HeldNotes::default();
    let outcome = held::within(Some(notes.clone()), || panics::caught(work));
    let outcome = outcome.unwrap_or_else(|error| Err(error.into()));
    let notes = notes.take();
    (outcome, notes.iter().map(|note| error::with_arguments(note)).collect())
}

/// A pool of that many threads, 1 to 1,024.
///
/// # Errors
/// If the number is out of range, or the system refuses a thread.
pub fn pool(threads: usize) -> HostResult<rayon::ThreadPool> {
    Ok(parallel::pool(threads)?)
}

/// What a sweep is read from.
#[derive(Clone, Copy, Debug)]
pub enum SweepSource<'a> {
    /// A file, as `jostle sweep` takes it.
    File(&'a Path),
    /// The text of such a file.
    Text(&'a str),
}

/// The table of a sweep: the names of its columns, and a row of cells per run, in the order of the
/// sweep. Cells are those of `jostle sweep --out`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTable {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows. A run that fails has a note and no row.
    pub rows: Vec<Vec<String>>,
}

/// Runs all runs of a sweep on so many threads, until `stops` returns true, which is asked some times
/// per second.
///
/// # Errors
/// If the sweep is wrong, or there is not enough memory.
pub fn sweep(
    source: SweepSource<'_>,
    threads: usize,
    stops: &mut dyn FnMut() -> bool,
) -> HostResult<HostTable> {
    let (path, text) = match source {
        SweepSource::File(path) => (path, None),
        SweepSource::Text(text) => (Path::new("sweep"), Some(text)),
    };
    let (header, rows) = named(sweep::collect(path, text, threads, stops))?;
    Ok(HostTable { header, rows })
}

/// A result of the command line; its notes, such as several faults of a file, are part of an error.
fn named<T>(outcome: super::Outcome<T>) -> HostResult<T> {
    outcome.map_err(|mut failure| {
        let faults = held::current().map(|notes| notes.take()).unwrap_or_default();
        if !faults.is_empty() {
            failure.message = format!("{}\n{}", failure.message, faults.join("\n"));
        }
        failure.into()
    })
}
