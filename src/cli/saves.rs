//! Snapshots that a run saves on its way and at its end.

use std::{
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    Failure, Outcome,
    args::SnapshotArgs,
    format::bytes,
    output::{Output, is_stdout},
    say,
    snapshots::EXTENSIONS,
};
use crate::{Sim, Snapshot, program::ProgramResult as Result};

/// A file that gets snapshots of a run.
#[derive(Debug)]
pub(super) struct SaveFile {
    path: PathBuf,
    /// For the last snapshot: open from the beginning, so that a file that can't be written is
    /// refused before the run.
    last: Output,
    /// Steps from one snapshot to the next.
    every: Option<u64>,
    /// The bytes of the one before.
    buffer: Vec<u8>,
    /// True once one was written.
    written: bool,
}

impl SaveFile {
    /// Opens the file that flags name.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn open(args: &SnapshotArgs) -> Outcome<Option<Self>> {
        let Some(path) = &args.save else { return Ok(None) };
        let last = Output::open_as("--save", path, &EXTENSIONS)?;
        if args.save_every.is_some() && !last.is_temporary() {
            return Err(Failure::usage(format!(
                "--save-every replaces a file, and {} is none; name a file after --save",
                path.display()
            )));
        }
        if args.save_every == Some(0) {
            return Err(Failure::usage("--save-every 0 is out of range: expected 1 or more"));
        }
        let every = args.save_every;
        let path = path.clone();
        Ok(Some(Self { path, last, every, buffer: Vec::new(), written: false }))
    }

    /// Saves the run if a snapshot is due `steps` steps after its beginning.
    ///
    /// # Errors
    /// If it can't be written. The snapshot before stays.
    pub(super) fn step(&mut self, sim: &Sim, steps: u64) -> Outcome<()> {
        if self.every.is_some_and(|every| steps.is_multiple_of(every)) {
            let output = Output::open(&self.path).map_err(Failure::midway)?;
            self.buffer = write(output, sim, std::mem::take(&mut self.buffer))?.0;
            self.written = true;
        }
        Ok(())
    }

    /// The end of a sentence that names the last snapshot of a run that has failed.
    pub(super) fn kept(&self) -> String {
        let path = self.path.display();
        if self.written { format!("; the last snapshot is {path}") } else { String::new() }
    }

    /// Saves the final state, and prints how long it took.
    ///
    /// # Errors
    /// If it can't be written. The snapshot before stays.
    pub(super) fn end(self, sim: &Sim) -> Outcome<()> {
        let begun = Instant::now();
        let name = self.last.path().display().to_string();
        let (buffer, synced) = write(self.last, sim, self.buffer)?;
        let written = begun.elapsed().saturating_sub(synced);
        say(&format!(
            "saved {name} after step {}: {} in {:.1} ms, and {:.1} ms until it was on the disk",
            sim.steps(),
            bytes(buffer.len() as u64),
            written.as_secs_f64() * 1e3,
            synced.as_secs_f64() * 1e3,
        ));
        Ok(())
    }
}

/// Saves a run in a file of that name: whole, or not at all. Prints nothing.
///
/// # Errors
/// If it can't be written.
pub(super) fn save(path: &Path, sim: &Sim) -> Outcome<()> {
    // The name of stdout has no meaning here.
    let path = if is_stdout(path) { Path::new("./-") } else { path };
    let output = Output::open_as("--save", path, &EXTENSIONS)?;
    write(output, sim, Vec::new()).map(drop)
}

/// Writes a snapshot of a run; returns its buffer, and how long the disk took.
fn write(output: Output, sim: &Sim, buffer: Vec<u8>) -> Outcome<(Vec<u8>, Duration)> {
    let snapshot = sim.snapshot_in(buffer).map_err(Failure::midway)?;
    let (_, synced) = write_snapshot(output, &snapshot).map_err(Failure::midway)?;
    Ok((snapshot.into_bytes(), synced))
}

/// Writes a snapshot; returns the name of its file, and how long the disk took.
fn write_snapshot(mut output: Output, snapshot: &Snapshot) -> Result<(PathBuf, Duration)> {
    let written = output.file().write_all(snapshot.as_bytes());
    let begun = Instant::now();
    match written {
        // The reader of a pipe may close it early.
        Err(error) if !output.is_temporary() && error.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => return Err(output.error(error)),
        Ok(()) if output.is_temporary() => output.sync()?,
        Ok(()) => {}
    }
    let synced = begun.elapsed();
    Ok((output.place()?, synced))
}

/// Saves a run of the window: in the file that `--save` names, or else under a free name in the
/// current folder. Returns the name.
#[cfg(feature = "window")]
pub(super) fn save_from_window(save: Option<&Path>, snapshot: &Snapshot) -> Result<PathBuf> {
    let output = match save {
        Some(path) if is_stdout(path) => Output::stdout(),
        Some(path) => Output::open(path),
        None => Output::unique(EXTENSIONS[0]),
    };
    Ok(write_snapshot(output?, snapshot)?.0)
}
