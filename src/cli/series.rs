//! `--series`: the observables of a run as a table, one row every N steps.
//!
//! The file gets its name when the agents are placed, and each row is written whole. A run that is
//! killed therefore leaves whole rows. If the disk has no room for a row, its beginning is removed.

use std::{
    fmt::Write as _,
    io::{ErrorKind, Write as _},
};

use super::{
    Failure, Outcome,
    args::RunArgs,
    output::Output,
    series_row::{RunObserver, names},
};
use crate::{
    Sim,
    observe::{Meter, Observable},
};

/// The file, and what its rows are computed from.
#[derive(Debug)]
pub(super) struct SeriesFile {
    file: Output,
    every: u64,
    /// The columns of every table, then the columns of curves, and then what the run observes.
    observables: Vec<Observable>,
    /// Bytes of whole rows of a regular file; none of what can't be cut, or belongs to others too.
    length: Option<u64>,
    /// True if the reader of a pipe has closed it.
    closed: bool,
    observer: Option<RunObserver>,
}

impl SeriesFile {
    /// About how many bytes a series takes beside a run, if the flags ask for one.
    pub(super) fn memory_for(args: &RunArgs, agents: u32) -> u64 {
        if args.series.is_some() { u64::from(agents) * RunObserver::BYTES_PER_AGENT } else { 0 }
    }

    /// Opens the file that the flags name, if they do.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn open(args: &RunArgs) -> Outcome<Option<Self>> {
        let Some(path) = &args.series else { return Ok(None) };
        let file = Output::open_as("--series", path, &["csv"])?;
        let mut observables: Vec<Observable> = Observable::columns().collect();
        for &curve in &args.series_columns {
            if !observables.contains(&curve) {
                observables.push(curve);
            }
        }
        let every = args.series_every;
        Ok(Some(Self { file, every, observables, length: None, closed: false, observer: None }))
    }

    /// Writes the names of the columns and the row of the beginning.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn begin(&mut self, sim: &mut Sim) -> Outcome<()> {
        self.length = self.file.stream()?.then_some(0);
        self.observables.extend(Observable::observed(sim));
        let names: Vec<String> =
            self.observables.iter().flat_map(|&it| names(it, sim)).map(cell).collect();
        self.append(&(names.join(",") + "\n"))?;
        self.observer = Some(RunObserver::new(sim, Meter::new(sim)));
        self.row(sim)
    }

    /// Follows the agents, and writes a row if `steps` steps after the beginning there is one.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn step(&mut self, sim: &mut Sim, steps: u64) -> Outcome<()> {
        if let Some(observer) = &mut self.observer {
            observer.step(sim);
        }
        if steps.is_multiple_of(self.every) { self.row(sim) } else { Ok(()) }
    }

    /// True if the reader of the rows has gone.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn row(&mut self, sim: &mut Sim) -> Outcome<()> {
        let Some(observer) = &mut self.observer else { return Ok(()) };
        let interval = observer.end_interval(sim);
        let mut moment = observer.moment(sim, &interval).map_err(Failure::midway)?;
        let mut row = String::new();
        for &observable in &self.observables {
            moment.values(observable, |value| {
                // A value that is not available is empty. Writing to a string does not fail.
                let _ = if value.is_finite() { write!(row, "{value},") } else { write!(row, ",") };
            });
        }
        row.pop();
        row.push('\n');
        self.append(&row)
    }

    /// Appends some whole lines, or nothing.
    fn append(&mut self, lines: &str) -> Outcome<()> {
        let file = self.file.file();
        match (file.write_all(lines.as_bytes()), &mut self.length) {
            (Ok(()), length) => {
                *length = length.map(|length| length + lines.len() as u64);
                Ok(())
            }
            (Err(error), None) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            (Err(error), length) => {
                // If that fails too, the error that is reported is the one that matters.
                let _ = length.map(|length| file.set_len(length));
                Err(Failure::midway(self.file.error(error)))
            }
        }
    }
}

/// A name as a cell: that of a species may have any characters.
fn cell(name: String) -> String {
    let is_plain = !name.contains([',', '"', '\n', '\r']);
    if is_plain { name } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
