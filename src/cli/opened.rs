//! What the window opens: a file that is dropped on it, or what is pasted.

use std::path::Path;

use super::{
    Failure, Outcome,
    args::{is_table, is_world_file},
    format::bytes,
    replays::ReplayedFile,
    snapshots::{Beginning, SavedFile, SavedRun},
    start::StatedStart,
    worlds::{BYTES_MAX, StatedWorld, WorldFlags},
};
use crate::{
    Setup,
    journal::Replay,
    program::{ProgramError, ProgramResult as Result},
    window::{OpenedRun, RunSource},
};

/// Opens a run, if there is memory for it and for `beside` bytes.
///
/// # Errors
/// If the file can't be read, nothing begins with it, or there is not enough memory.
pub(super) fn open(
    source: &RunSource,
    beside: &dyn Fn(&Setup) -> u64,
    threads: usize,
) -> Result<OpenedRun> {
    let opened = beginning(source).and_then(|(beginning, replay)| {
        beginning.admit(beside, threads)?;
        let sim = beginning.sim()?;
        beginning.note(&sim)?;
        let snapshot = match beginning {
            Beginning::Saved(run) => *run.snapshot,
            _ => sim.snapshot()?,
        };
        Ok(OpenedRun { snapshot, sim, replay })
    });
    opened.map_err(|failure: Failure| ProgramError::refused(failure.message))
}

/// What a run begins with, and the journal that it is replayed from.
fn beginning(source: &RunSource) -> Outcome<(Beginning, Option<Replay>)> {
    let beginning = match source {
        RunSource::Text(text) if text.len() as u64 > BYTES_MAX => {
            return Err(Failure::usage(format!(
                "the clipboard has {} of text: expected a world file of at most {}; copy a smaller one",
                bytes(text.len() as u64),
                bytes(BYTES_MAX)
            )));
        }
        RunSource::Text(text) => {
            Beginning::World(Box::new(StatedWorld::of_text(text, &WorldFlags::default())?))
        }
        RunSource::File(path) if is_world_file(path) => {
            Beginning::World(Box::new(StatedWorld::of_file(path)?))
        }
        RunSource::File(path) if is_table(path) => {
            Beginning::Stated(Box::new(StatedStart::alone(path)?))
        }
        RunSource::File(path) => return saved(path),
    };
    Ok((beginning.with_room_for_tools(), None))
}

/// The beginning of a snapshot or a journal.
fn saved(path: &Path) -> Outcome<(Beginning, Option<Replay>)> {
    Ok(match SavedFile::read(path)? {
        SavedFile::Snapshot(snapshot) => {
            (Beginning::Saved(Box::new(SavedRun::new(path, snapshot)?)), None)
        }
        SavedFile::Journal(journal) => {
            let mut file = ReplayedFile::new(path, journal)?;
            (file.begin()?, Some(file.into_replay()))
        }
    })
}
