//! Journals as files: their replay, and the course of a run.

#[cfg(feature = "window")]
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use super::{
    Failure, Outcome,
    args::WorldArgs,
    say,
    snapshots::{Beginning, SavedFile, SavedRun, unloadable},
};
use crate::{
    Setup, Sim,
    error::Remedy,
    journal::{Difference, Due, Journal, JournalView, Replay, RunOrigin},
    program::ProgramError,
};
#[cfg(feature = "window")]
use {
    super::{
        output::{extension, file_error},
        snapshots::EXTENSIONS,
    },
    crate::journal::JournalWriter,
};

/// The course of a run: its length, and the changes between its steps.
#[derive(Debug)]
pub(super) enum Course {
    /// A number of measured steps without changes between them.
    Steps(u64),
    /// The replay of a journal.
    Replay(Box<ReplayedFile>),
}

/// The next turn of a run.
pub(super) enum Turn {
    Step,
    /// Another run, with its beginning.
    Run(Box<Beginning>),
    End,
}

/// The journal that a run replays.
#[derive(Debug)]
pub(super) struct ReplayedFile {
    path: PathBuf,
    replay: Replay,
    /// The difference from the journal, once it was found.
    difference: Option<Difference>,
}

impl Course {
    /// The beginning and the course of a run: the replay of a journal, or `steps` of its set-up.
    ///
    /// # Errors
    /// As [`ReplayedFile::open`], [`Beginning::new`] and `steps`.
    pub(super) fn open(
        world: &WorldArgs,
        load: Option<&Path>,
        replay: Option<&Path>,
        steps: impl FnOnce(&Setup) -> Outcome<u64>,
    ) -> Outcome<(Beginning, Self)> {
        if let Some(path) = replay {
            let (beginning, file) = ReplayedFile::open(path, world)?;
            return Ok((beginning, Self::Replay(Box::new(file))));
        }
        let beginning = Beginning::new(world, load)?;
        let steps = steps(beginning.setup())?;
        Ok((beginning, Self::Steps(steps)))
    }

    /// The number of steps. It is right for a replay if none of its runs begins with a snapshot.
    pub(super) fn steps(&self) -> u64 {
        match self {
            Self::Steps(steps) => *steps,
            Self::Replay(file) => file.replay.journal().summary().runs.iter().sum(),
        }
    }

    /// The next turn of a run that has taken `steps` measured steps.
    ///
    /// # Errors
    /// If the run refuses a change of the journal.
    pub(super) fn next(&mut self, sim: &mut Sim, steps: u64) -> Outcome<Turn> {
        match self {
            Self::Steps(all) => Ok(if steps < *all { Turn::Step } else { Turn::End }),
            Self::Replay(file) => file.next(sim),
        }
    }

    /// What the window of a replay showed of the run in its present state, if the journal says it.
    pub(super) fn view(&self) -> Option<JournalView> {
        match self {
            Self::Steps(_) => None,
            Self::Replay(file) => file.replay.view(),
        }
    }

    /// Prints how a replay has ended, and returns its difference from the journal.
    pub(super) fn end(self) -> Option<Difference> {
        let Self::Replay(file) = self else { return None };
        let ReplayedFile { path, replay, difference } = *file;
        let (path, summary) = (path.display(), replay.journal().summary());
        match difference {
            Some(difference) => say(&format!("{path}: {difference}")),
            None if !replay.is_over() => {
                say(&format!("{path}: the replay was left before its end"));
            }
            None => say(&format!("{path}: {}", summary.replayed())),
        }
        difference
    }
}

impl ReplayedFile {
    /// Reads a journal, and what its first run begins with. Flags of the world are refused, as the
    /// journal has all of it.
    ///
    /// # Errors
    /// If the file can't be read or is no journal, or a flag is given.
    pub(super) fn open(path: &Path, world: &WorldArgs) -> Outcome<(Beginning, Self)> {
        let mut file = Self::new(path, read(path)?)?;
        let beginning = file.begin()?;
        let given = world.given(beginning.setup());
        let set = world.params().first().map(|_| "--set");
        if let Some(flag) = given.first().map(|(flag, ..)| &**flag).or(set) {
            return Err(Failure::usage(format!(
                "{flag} has no effect with --replay, as {} has all of the run; leave it out",
                path.display()
            )));
        }
        Ok((beginning, file))
    }

    /// The replay of a journal from that file.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(path: &Path, journal: Journal) -> Outcome<Self> {
        let summary = journal.summary();
        let [_, cut] = journal.bytes();
        if !summary.closed {
            let cut =
                if cut > 0 { format!(", and {cut} bytes are cut off") } else { String::new() };
            let last = summary.runs.last().copied().unwrap_or(0);
            say(&format!("{} ends abruptly after step {last}{cut}", path.display()));
        }
        let replay = Replay::new(journal).map_err(|error| unloadable(path, error))?;
        Ok(Self { path: path.to_path_buf(), replay, difference: None })
    }

    /// The beginning of the first run.
    ///
    /// # Errors
    /// If the journal does not begin with a run.
    pub(super) fn begin(&mut self) -> Outcome<Beginning> {
        let origin = self.replay.begin().map_err(|error| unloadable(&self.path, error))?;
        self.beginning(origin)
    }

    /// The next turn of a run, after the changes that are due.
    ///
    /// # Errors
    /// If the run refuses a change of the journal, as it refuses the flag of such a value.
    pub(super) fn next(&mut self, sim: &mut Sim) -> Outcome<Turn> {
        let due = self.replay.due(sim, |_, _| ());
        let due = due.map_err(|error| self.refused(error))?;
        Ok(match due {
            Due::Step => Turn::Step,
            Due::Begin(origin) => Turn::Run(Box::new(self.beginning(origin)?)),
            Due::Nothing => Turn::End,
            Due::Differs(difference) => {
                self.difference = Some(difference);
                Turn::End
            }
        })
    }

    /// The difference from the journal, once it was found.
    pub(super) fn difference(&self) -> Option<Difference> {
        self.difference
    }

    /// The replay, for a window.
    #[cfg(feature = "window")]
    pub(super) fn into_replay(self) -> Replay {
        self.replay
    }

    /// The failure for a value of the journal. Remedies are flags, which no replay takes.
    fn refused(&self, error: ProgramError) -> Failure {
        let ProgramError::Library(error) = error else { return unloadable(&self.path, error) };
        unloadable(&self.path, error.with_remedy(Remedy::None))
    }

    fn beginning(&self, origin: RunOrigin) -> Outcome<Beginning> {
        Ok(match origin {
            RunOrigin::Setup(setup) => {
                setup.validate().map_err(|error| self.refused(error.into()))?;
                Beginning::Replayed(setup, self.path.clone())
            }
            RunOrigin::Snapshot(snapshot) => {
                Beginning::Saved(Box::new(SavedRun::new(&self.path, snapshot)?))
            }
        })
    }
}

fn read(path: &Path) -> Outcome<Journal> {
    match SavedFile::read(path)? {
        SavedFile::Journal(journal) => Ok(journal),
        SavedFile::Snapshot(_) => Err(Failure::usage(format!(
            "{} can't be replayed: it is a snapshot; load it with --load",
            path.display()
        ))),
    }
}

/// Creates the file of a journal. It is never one that exists, as a journal can't be made again.
///
/// # Errors
/// If the file exists, has another extension or can't be written.
#[cfg(feature = "window")]
pub(super) fn create(path: &Path) -> Outcome<JournalWriter> {
    if extension(path).as_deref() != Some(EXTENSIONS[0]) {
        return Err(Failure::usage(format!(
            "--journal {} has another extension than .{}; name a file that has it",
            path.display(),
            EXTENSIONS[0]
        )));
    }
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::usage(format!(
            "--journal {} exists already; name another file, or remove it",
            path.display()
        )),
        _ => file_error(path, source).into(),
    };
    let file = OpenOptions::new().append(true).create_new(true).open(path).map_err(failed)?;
    JournalWriter::new(Box::new(file)).map_err(|error| {
        // The file is this process's own, and has no run.
        let _ = fs::remove_file(path);
        failed(error)
    })
}
