//! The table of a sweep: a CSV file with one row per run.
//!
//! A row is appended as soon as its run ends, in one write, so that a sweep that is killed leaves whole
//! rows. The next one with the same file reads them back: a row is known by the values of its run, and by
//! the fingerprint of everything that all runs have. When all rows are there they are put into the order of
//! the sweep, so that the file does not depend on which run ended first.

use std::{
    fs::{File, TryLockError},
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use super::{plan::SweepPlan, worker::SweptRun};
use crate::cli::{Failure, Outcome, input::unreadable, output::Output};

/// Longest line that is read, bytes.
const LINE_MAX: u64 = 1 << 20;

/// The table.
#[derive(Debug)]
pub(super) struct SweepTable {
    path: PathBuf,
    header: String,
    /// The file; none of a dry run.
    file: Option<Output>,
    /// Bytes that the file had.
    found: u64,
    /// Bytes of whole rows of a regular file; none of what can't be continued.
    length: Option<u64>,
    /// The line of each run that has ended.
    rows: Vec<Option<Box<str>>>,
    /// The runs in the order of the file.
    order: Vec<usize>,
    /// True if the reader of a pipe has closed it.
    is_closed: bool,
}

impl SweepTable {
    /// The table of a sweep in a file, with the rows that it has. Writes nothing.
    ///
    /// # Errors
    /// If the file can't be read or written, or belongs to another sweep.
    pub(super) fn open(path: &Path, plan: &SweepPlan) -> Outcome<Self> {
        let file = Output::open_as("--out", path, &["csv"])?;
        let is_regular = file.is_temporary();
        let mut table = Self::new(path, plan);
        table.file = Some(file);
        if is_regular && path.exists() {
            let file = File::open(path).map_err(|source| unreadable(path, &source))?;
            table.read(file, plan)?;
        }
        Ok(table)
    }

    /// The table of a sweep of which nothing was run.
    pub(super) fn new(path: &Path, plan: &SweepPlan) -> Self {
        let rows = vec![None; plan.count];
        Self {
            path: path.to_path_buf(),
            header: line(plan.columns().iter().map(String::as_str)),
            file: None,
            found: 0,
            length: None,
            rows,
            order: Vec::new(),
            is_closed: false,
        }
    }

    /// The runs that have no row, in their order.
    pub(super) fn missing(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&run| self.rows[run].is_none()).collect()
    }

    /// Number of runs that have a row.
    pub(super) fn count(&self) -> usize {
        self.order.len()
    }

    /// True if the reader of the rows has gone.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The values of each run that has a row, by the columns of the header.
    pub(super) fn values(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().flatten().filter_map(|row| cells(row))
    }

    /// Begins to write: a regular file gets its name, and no other program may write it.
    ///
    /// # Errors
    /// If the file can't be written.
    pub(super) fn begin(&mut self) -> Outcome<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if file.extend()? {
            let is_locked = matches!(file.file().try_lock(), Err(TryLockError::WouldBlock));
            let length = file.file().metadata().map_err(|source| file.error(source))?.len();
            if is_locked || length != self.found {
                return Err(Failure {
                    status: 1,
                    message: format!(
                        "{} can't be written: another sweep writes it; wait for its end, or name another \
                         file",
                        self.path.display()
                    ),
                });
            }
            // What follows the last whole row was not written to its end.
            let whole = self.order.iter().filter_map(|&run| self.rows[run].as_ref());
            let rows: usize = whole.map(|row| row.len()).sum();
            let length = if rows > 0 { (self.header.len() + rows) as u64 } else { 0 };
            file.file().set_len(length).map_err(|source| file.error(source))?;
            self.length = Some(length);
        }
        if self.order.is_empty() { self.append(&self.header.clone()) } else { Ok(()) }
    }

    /// Appends the row of a run.
    ///
    /// # Errors
    /// If it can't be written; then the file ends with the row before.
    pub(super) fn add(&mut self, plan: &SweepPlan, end: &SweptRun) -> Outcome<()> {
        let SweptRun { run, values, hash, seconds, .. } = end;
        let mut cells: Vec<String> =
            plan.values(*run).iter().map(|value| value.text.clone()).collect();
        let number = |value: &Option<f64>| value.map(|value| value.to_string());
        cells.extend(values.iter().map(|value| number(value).unwrap_or_default()));
        cells.extend([format!("{hash:016x}"), plan.fingerprint.clone(), format!("{seconds:.3}")]);
        let row = line(cells.iter().map(String::as_str));
        self.append(&row)?;
        self.rows[*run] = Some(row.into());
        self.order.push(*run);
        Ok(())
    }

    /// Puts the rows of a whole table into their order.
    ///
    /// # Errors
    /// If the file can't be written; then it stays as it is.
    pub(super) fn end(mut self) -> Outcome<()> {
        let is_whole = self.order.len() == self.rows.len();
        if self.length.is_some() && is_whole && !self.order.is_sorted() {
            let (header, rows) = (&self.header, &self.rows);
            // Closes the file, which is going to be replaced.
            drop(self.file.take());
            Output::open(&self.path)?.write(|to| {
                to.write_all(header.as_bytes())?;
                rows.iter().flatten().try_for_each(|row| to.write_all(row.as_bytes()))
            })?;
        }
        Ok(())
    }

    /// Appends whole lines, or nothing.
    fn append(&mut self, lines: &str) -> Outcome<()> {
        let Some(output) = &mut self.file else { return Ok(()) };
        let file = output.file();
        match (file.write_all(lines.as_bytes()), &mut self.length) {
            (Ok(()), length) => {
                *length = length.map(|length| length + lines.len() as u64);
                Ok(())
            }
            (Err(error), None) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            (Err(error), length) => {
                // If that fails too, the error that is reported is the one that matters.
                let _ = length.map(|length| file.set_len(length));
                Err(Failure::midway(output.error(error)))
            }
        }
    }

    /// Reads the rows of a file; a last line without an end is none.
    fn read(&mut self, file: File, plan: &SweepPlan) -> Outcome<()> {
        let path = self.path.clone();
        let refused = |why: &str| {
            let path = path.display();
            Failure::usage(format!("{path} can't be continued: {why}; name another file"))
        };
        let mut file = BufReader::new(file);
        let mut number = 0;
        loop {
            let mut line = Vec::new();
            let read = Read::by_ref(&mut file).take(LINE_MAX).read_until(b'\n', &mut line);
            read.map_err(|source| unreadable(&path, &source))?;
            number += 1;
            let is_last = !line.ends_with(b"\n");
            self.found += line.len() as u64;
            if line.is_empty() || (is_last && number > 1) {
                return if line.len() as u64 == LINE_MAX {
                    Err(refused(&format!("line {number} is too long")))
                } else {
                    Ok(())
                };
            }
            let line = String::from_utf8(line).map_err(|_| refused("it is no table of text"))?;
            if number == 1 {
                if line != self.header {
                    let is_cut = is_last && self.header.starts_with(&line);
                    return if is_cut { Ok(()) } else { Err(refused(&self.difference(&line))) };
                }
                continue;
            }
            let cells = cells(&line).unwrap_or_default();
            if cells.len() != plan.columns().len() {
                return Err(refused(&format!(
                    "line {number} has other columns than the first line"
                )));
            }
            let fingerprint = &cells[cells.len() - 2];
            if *fingerprint != plan.fingerprint {
                return Err(refused(&format!(
                    "line {number} belongs to another sweep, with other flags in [run], another world \
                     file or another version of jostle"
                )));
            }
            let values = cells.iter().take(plan.file.swept.len()).map(String::as_str);
            let Some(run) = plan.find(values) else {
                return Err(refused(&format!(
                    "line {number} has values that this sweep does not have"
                )));
            };
            if self.rows[run].is_some() {
                return Err(refused(&format!("line {number} repeats a row above")));
            }
            self.rows[run] = Some(line.into());
            self.order.push(run);
        }
    }

    /// How the first line of a file differs from that of this table.
    fn difference(&self, line: &str) -> String {
        let [theirs, own] = [line, &self.header].map(|line| cells(line).unwrap_or_default());
        let mut pairs = (0..theirs.len().max(own.len())).map(|at| (theirs.get(at), own.get(at)));
        let Some((theirs, own)) = pairs.find(|(theirs, own)| theirs != own) else {
            return "its first line is that of another table".to_owned();
        };
        let shown = |name: Option<&String>| {
            name.map_or("no column".to_owned(), |name| {
                format!("the column \"{}\"", name.chars().take(40).collect::<String>())
            })
        };
        format!(
            "it is the table of another sweep; it has {} where this one has {}",
            shown(theirs),
            shown(own)
        )
    }
}

/// The cells of a line.
fn cells(line: &str) -> Option<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(str::to_owned).collect())
}

/// A line of cells, quoted where they need it.
fn line<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to a vector does not fail.
    let _ = writer.write_record(cells);
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
