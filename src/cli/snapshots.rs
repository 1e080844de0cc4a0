//! Snapshots as files: the beginning of a run, and the states that it saves on its way and at its
//! end.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

#[cfg(feature = "window")]
use super::output::is_stdout;
use super::{
    Failure, Flags, Outcome,
    args::{SnapshotArgs, StyleArgs, WorldArgs},
    format::{bytes, grouped},
    input::unreadable,
    memory,
    output::Output,
    say,
    start::StatedStart,
    worlds::{self, StatedWorld},
};
use crate::{
    Error, Setup, Sim, Snapshot,
    error::Fault,
    journal::Journal,
    program::{ProgramError, ProgramResult as Result},
    sim::{SavedState, SavedWorld},
};

/// The extension of snapshots and journals.
pub(super) const EXTENSIONS: [&str; 1] = ["jostle"];

/// The beginning of a run.
#[derive(Debug)]
pub(super) enum Beginning {
    /// The start of a set-up.
    Start(Setup),
    /// The agents of a table.
    Stated(Box<StatedStart>),
    /// A world file.
    World(Box<StatedWorld>),
    /// The state that a run was saved in.
    Saved(SavedRun),
}

/// A run in a snapshot.
#[derive(Debug)]
pub(super) struct SavedRun {
    /// The file.
    path: PathBuf,
    pub(super) snapshot: Box<Snapshot>,
    /// The single values of the run, with the changes made before.
    pub(super) state: SavedState,
}

impl Beginning {
    /// The beginning that flags ask for.
    ///
    /// # Errors
    /// If the snapshot can't be read, or a flag contradicts it.
    pub(super) fn new(world: &WorldArgs, load: Option<&Path>) -> Outcome<Self> {
        let Some(path) = load else {
            if let (Some((name, _)), None) = (world.params().first(), world.world_file()) {
                return Err(Failure::usage(format!(
                    "--set {name} belongs to a world file; begin with --scene FILE.toml"
                )));
            }
            if let Some(path) = world.world_file() {
                return Ok(Self::World(Box::new(StatedWorld::read(path, world)?)));
            }
            return match &world.state.file {
                Some(path) => Ok(Self::Stated(Box::new(StatedStart::read(path, world)?))),
                None => Ok(Self::Start(world.setup())),
            };
        };
        if let Some((name, _)) = world.params().first() {
            return Err(Failure::usage(format!(
                "--set {name} has no effect on {}, which has its own params; leave it out",
                path.display()
            )));
        }
        let run = SavedRun::open(path)?;
        for (flag, given, saved) in world.given(run.state.setup()) {
            if given != saved {
                return Err(Failure::usage(format!(
                    "{flag} {given} contradicts {}, which has {saved}; leave out {flag}",
                    path.display()
                )));
            }
        }
        Ok(Self::Saved(run))
    }

    /// The beginning with room for the tools of the window; a saved run keeps its own.
    #[cfg(feature = "window")]
    pub(super) fn with_room_for_tools(mut self) -> Self {
        match &mut self {
            Self::Start(setup) => *setup = crate::window::with_room_for_tools(setup),
            Self::Stated(start) => start.setup = crate::window::with_room_for_tools(&start.setup),
            Self::World(world) => {
                let setup = crate::window::with_room_in_world(&world.plan, &world.plan.setup);
                world.plan.setup = setup;
            }
            Self::Saved(_) => {}
        }
        self
    }

    /// The style of flags, and where they say nothing, that of the world file.
    pub(super) fn styled(&self, style: &StyleArgs) -> StyleArgs {
        match self {
            Self::World(world) => worlds::styled(&world.plan, style),
            Self::Saved(run) => {
                let saved = SavedWorld::read(&run.snapshot).ok().flatten();
                let plan = saved.and_then(|saved| worlds::again(&saved));
                plan.map_or_else(|| style.clone(), |plan| worlds::styled(&plan, style))
            }
            _ => style.clone(),
        }
    }

    /// The set-up; of a saved run, with the changes made before.
    pub(super) fn setup(&self) -> &Setup {
        match self {
            Self::Start(setup) => setup,
            Self::Stated(start) => &start.setup,
            Self::World(world) => &world.plan.setup,
            Self::Saved(run) => run.state.setup(),
        }
    }

    /// Checks, before any of it is allocated, that the run is valid and fits into memory beside the
    /// bytes that `beside` returns for its set-up and that many threads.
    ///
    /// # Errors
    /// As [`memory::check`] and [`SavedRun::admit`].
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        match self {
            Self::Start(setup) => Ok(memory::check(setup, beside, threads)?),
            Self::Stated(start) => start.admit(beside, threads),
            Self::World(world) => world.admit(beside, threads),
            Self::Saved(run) => run.admit(beside, threads),
        }
    }

    /// The run at its beginning.
    ///
    /// # Errors
    /// If there is not enough memory, or the snapshot holds no run.
    pub(super) fn sim(&self) -> Outcome<Sim> {
        match self {
            Self::Start(setup) => Ok(Sim::new(setup)?),
            Self::Stated(start) => Ok(start.sim()?),
            Self::World(world) => Ok(world.sim()?),
            Self::Saved(run) => run.sim(),
        }
    }

    /// Says what there is to say of the run at its beginning.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn note(&self, sim: &Sim) -> Outcome<()> {
        match self {
            Self::Stated(start) => Ok(start.note(sim)?),
            _ => Ok(()),
        }
    }

    /// The world file, for the window to watch.
    #[cfg(feature = "window")]
    pub(super) fn world_file(&self) -> Option<PathBuf> {
        if let Self::World(world) = self { Some(world.path().to_path_buf()) } else { None }
    }

    /// The snapshot that a window begins with; none if it places the agents.
    ///
    /// # Errors
    /// As [`Self::sim`].
    #[cfg(feature = "window")]
    pub(super) fn into_snapshot(self) -> Outcome<Option<Box<Snapshot>>> {
        Ok(match self {
            Self::Start(_) => None,
            Self::Stated(start) => {
                let sim = start.sim()?;
                start.note(&sim)?;
                Some(Box::new(sim.snapshot()?))
            }
            Self::World(world) => Some(Box::new(world.sim()?.snapshot()?)),
            Self::Saved(SavedRun { snapshot, .. }) => Some(snapshot),
        })
    }
}

impl SavedRun {
    /// Reads a snapshot, and what it states of its run.
    ///
    /// # Errors
    /// As [`SavedFile::read`], or if the file is a journal, or the snapshot does not belong to a
    /// run.
    pub(super) fn open(path: &Path) -> Outcome<Self> {
        match SavedFile::read(path)? {
            SavedFile::Snapshot(snapshot) => Self::new(path, snapshot),
            SavedFile::Journal(_) => Err(Failure::usage(format!(
                "{} can't be loaded: it is a journal; replay it with --replay",
                path.display()
            ))),
        }
    }

    /// The run of a snapshot from that file.
    ///
    /// # Errors
    /// If the snapshot does not belong to a run.
    pub(super) fn new(path: &Path, snapshot: Snapshot) -> Outcome<Self> {
        let state = SavedState::read(&snapshot).map_err(|error| unloadable(path, error))?;
        Ok(Self { path: path.to_path_buf(), snapshot: Box::new(snapshot), state })
    }

    /// Checks, before any of it is allocated, that the run fits into memory beside the bytes that
    /// `beside` returns for its set-up and that many threads.
    ///
    /// # Errors
    /// If it does not fit, or the snapshot holds no run.
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        let Self { path, snapshot, state } = self;
        let room = state.room();
        let bytes = state.memory_to_restore(snapshot).map_err(|error| unloadable(path, error))?;
        let bytes = bytes.saturating_add(beside(&room));
        memory::check_saved(bytes, threads).map_err(|[needed, available]| {
            let agents = grouped(room.agents + room.spare_agents);
            Failure::usage(format!(
                "{} can't be loaded: its run of {} has room for {agents} agents and would take \
                 {needed}, and {available} is available; close other programs, or load it where \
                 there is more memory",
                path.display(),
                room.scene.name(),
            ))
        })
    }

    /// The run where it was saved.
    ///
    /// # Errors
    /// If there is not enough memory, or the snapshot holds no run.
    pub(super) fn sim(&self) -> Outcome<Sim> {
        let restored = self.state.clone().restore(&self.snapshot);
        restored.map_err(|error| unloadable(&self.path, error))
    }
}

/// The contents of a file of jostle.
#[derive(Debug)]
pub(super) enum SavedFile {
    Snapshot(Snapshot),
    Journal(Journal),
}

impl SavedFile {
    /// Reads a file. Memory is taken for what the file has, not for what it says.
    ///
    /// # Errors
    /// If the file can't be read, or is neither a snapshot nor a journal.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|mut file| read_into(&mut file, &mut bytes));
        let checked = read.map_err(|source| unreadable(path, &source))?.and_then(|()| {
            if Journal::begins(&bytes) {
                Journal::from_bytes(bytes).map(Self::Journal)
            } else {
                Ok(Self::Snapshot(Snapshot::from_bytes(bytes)?))
            }
        });
        checked.map_err(|error| unloadable(path, error))
    }
}

/// Reads all of a journal, or as much as the header of a snapshot states.
fn read_into(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<Result<()>> {
    let meta = file.metadata()?;
    Read::by_ref(file).take(Snapshot::HEADER as u64).read_to_end(bytes)?;
    if Journal::begins(bytes) {
        return file.read_to_end(bytes).map(|_| Ok(()));
    }
    let expected = match Snapshot::length(bytes) {
        Ok(expected) => expected,
        Err(error) => return Ok(Err(error.into())),
    };
    if meta.is_file() {
        let found = meta.len();
        if found != expected {
            return Ok(Err(Error::Snapshot(Fault::Length { found, expected }).into()));
        }
        bytes.try_reserve_exact(found as usize).map_err(|_| ErrorKind::OutOfMemory)?;
    }
    // One more byte shows that there are more; a pipe has no length of its own.
    file.take(expected.saturating_sub(bytes.len() as u64).saturating_add(1)).read_to_end(bytes)?;
    Ok(Ok(()))
}

/// The failure for a file that holds neither a run nor a journal of one.
pub(super) fn unloadable(path: &Path, error: impl Into<ProgramError>) -> Failure {
    let reason = error.into().sentence(&Flags);
    Failure::usage(format!("{} can't be loaded: {reason}", path.display()))
}

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

/// Opens a run for the window, if there is memory for it and for `beside` bytes.
#[cfg(feature = "window")]
pub(super) fn open_for_window(
    path: &Path,
    beside: &dyn Fn(&Setup) -> u64,
    threads: usize,
) -> Result<(Snapshot, Sim)> {
    let open = || {
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml")) {
            return worlds::open(path, beside, threads);
        }
        let run = SavedRun::open(path)?;
        run.admit(beside, threads)?;
        let sim = run.sim()?;
        Ok((*run.snapshot, sim))
    };
    open().map_err(|failure: Failure| ProgramError::refused(failure.message))
}
