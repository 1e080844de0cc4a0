//! `--trajectory`: a run as a file that OVITO, HOOMD-blue, freud and Python read ([`gsd`]).
//!
//! ```text
//!              ┌─ filled ──►┐
//!  simulation  │            │ writer      a thread of its own
//!              └◄── empty ──┘             two states, allocated once
//! ```
//!
//! The simulation copies its columns, and waits only while the writer has both states. The file gets
//! its name when the run begins, and is whole up to its last frame from then on.

mod gsd;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{self, JoinHandle},
};

use self::gsd::{FrameState, GsdWriter, bytes_per_agent, bytes_per_frame};
use super::{
    Failure, Outcome,
    args::TrajectoryArgs,
    format::{bytes, grouped, plural},
    output::{Output, file_error},
    say,
    snapshots::Beginning,
    system::files,
};
use crate::{
    Setup, Sim,
    agents::Agents,
    program::{ProgramError, ProgramResult as Result},
};

/// States between the simulation and the writer.
const STATES: usize = 2;

/// A trajectory that is being written.
#[derive(Debug)]
pub(super) struct TrajectoryFile {
    path: PathBuf,
    every: u64,
    /// Until the run begins: it shows that the file can be written.
    output: Option<Output>,
    writer: Option<WriterThread>,
}

/// The thread that writes, and the queue to it.
#[derive(Debug)]
struct WriterThread {
    filled: SyncSender<FrameState>,
    empty: Receiver<FrameState>,
    thread: JoinHandle<(GsdWriter, Option<io::Error>)>,
}

impl TrajectoryFile {
    /// Bytes that a trajectory takes beside a run, if the flags ask for one: the states, a frame and
    /// the order of the agents.
    pub(super) fn memory_for(args: &TrajectoryArgs, setup: &Setup, beginning: &Beginning) -> u64 {
        if args.trajectory.is_none() {
            return 0;
        }
        let columns = logged_columns(beginning);
        let agents = u64::from(setup.agents) + u64::from(setup.spare_agents);
        agents * (STATES as u64 * (27 + 4 * columns) + bytes_per_agent(columns) + 4 * 4)
    }

    /// Opens the file that flags name, for a run of `steps` steps; of a window, for its beginning.
    ///
    /// # Errors
    /// If it can't be written, or its disk has too little room.
    pub(super) fn open(
        args: &TrajectoryArgs,
        beginning: &Beginning,
        steps: Option<u64>,
    ) -> Outcome<Option<Self>> {
        let Some(path) = &args.trajectory else { return Ok(None) };
        let mut output = Output::open_as("--trajectory", path, &["gsd"])?;
        if !output.is_temporary() {
            return Err(Failure::usage(format!(
                "--trajectory goes back in its file, and {} is a stream; name a file after --trajectory",
                path.display()
            )));
        }
        let every = args.trajectory_every;
        admit(path, output.file(), beginning, steps.unwrap_or(0) / every + 1, every)?;
        Ok(Some(Self { path: path.clone(), every, output: Some(output), writer: None }))
    }

    /// Writes the state at the beginning of a run.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn begin(&mut self, sim: &Sim) -> Result<()> {
        if self.output.take().is_some() {
            self.writer = Some(WriterThread::start(&self.path, sim)?);
        }
        self.push(sim)
    }

    /// Writes the state if it is due after `steps` steps.
    ///
    /// # Errors
    /// If the state, or one before, can't be written.
    pub(super) fn step(&mut self, sim: &Sim, steps: u64) -> Result<()> {
        if steps.is_multiple_of(self.every) { self.push(sim) } else { Ok(()) }
    }

    fn push(&mut self, sim: &Sim) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        if let Ok(mut state) = writer.empty.recv() {
            state.take(sim);
            if writer.filled.send(state).is_ok() {
                return Ok(());
            }
        }
        self.end().map(drop)
    }

    /// Waits until all is written, and says what the file has.
    ///
    /// # Errors
    /// If a state can't be written.
    pub(super) fn finish(mut self) -> Result<()> {
        let [frames, size] = self.end()?;
        if frames == 0 {
            return Ok(());
        }
        let frames = plural(frames as usize, "frame");
        say(&format!("{} has {frames}, {}", self.path.display(), bytes(size)));
        Ok(())
    }

    /// Ends the thread. Returns the number of frames, and bytes.
    fn end(&mut self) -> Result<[u64; 2]> {
        let Some(WriterThread { filled, empty, thread }) = self.writer.take() else {
            return Ok([0; 2]);
        };
        drop((filled, empty));
        let path = || self.path.clone();
        let panicked = |_| io::Error::other("the writer failed");
        let (file, failure) =
            thread.join().map_err(|error| file_error(&path(), panicked(error)))?;
        let written = file.written();
        match failure {
            None => Ok(written),
            Some(source) => {
                // The reason as the system gives it, and what there is.
                let frames = plural(written[0] as usize, "whole frame");
                let source = io::Error::new(source.kind(), format!("{source}; it has {frames}"));
                Err(file_error(&path(), source))
            }
        }
    }
}

impl Drop for TrajectoryFile {
    /// Waits for the states that are queued, if the run has failed.
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl WriterThread {
    /// Creates the file, and the thread that writes it.
    fn start(path: &Path, sim: &Sim) -> Result<Self> {
        let failed = |source| file_error(path, source);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(path);
        let capacity = sim.index_config().grid.capacity;
        let (file, agents) = (file.map_err(failed)?, sim.agents());
        let mut writer = GsdWriter::new(file, agents, capacity, &types(sim)).map_err(failed)?;
        let (filled, to_write) = mpsc::sync_channel(STATES);
        let (written, empty) = mpsc::sync_channel(STATES);
        for _ in 0..STATES {
            let mut agents = agents.none_alike();
            agents.reserve(capacity)?;
            // The channel has room for all of them, and its other end is here.
            let _ = written.send(FrameState { step: 0, space: sim.space(), agents });
        }
        let thread = thread::Builder::new().name("jostle-gsd".into()).spawn(move || {
            for state in to_write {
                if let Err(error) = writer.append(&state) {
                    return (writer, Some(error));
                }
                // No more states may be asked for, which the end of the loop finds.
                let _ = written.send(state);
            }
            (writer, None)
        });
        let remedy = "close other programs";
        let refused = |source| ProgramError::File { path: path.to_path_buf(), source, remedy };
        Ok(Self { filled, empty, thread: thread.map_err(refused)? })
    }
}

impl FrameState {
    /// Copies the state of a run.
    fn take(&mut self, sim: &Sim) {
        (self.step, self.space) = (sim.steps(), sim.space());
        self.agents.copy_from(sim.agents());
    }
}

/// The names of the types of agents: of the species of a world file, or else letters, as in
/// HOOMD-blue.
fn types(sim: &Sim) -> Vec<String> {
    let names = sim.rule_source().map_or(&[][..], |source| &source.species);
    let Agents { units, own, .. } = sim.agents();
    let species = own.as_ref().and_then(|own| own.species.as_deref());
    let largest = |types: &[u8]| usize::from(types.iter().copied().max().unwrap_or(0));
    let of_units = units.as_ref().map_or(1, |_| 2);
    let count = names.len().max(species.map_or(of_units, |species| largest(species) + 1));
    let letters = (names.len()..count).map(|kind| match u8::try_from(kind) {
        Ok(kind @ 0..26) => char::from(b'A' + kind).to_string(),
        _ => format!("A{kind}"),
    });
    names.iter().cloned().chain(letters).collect()
}

/// The number of columns beside the id that a trajectory logs.
fn logged_columns(beginning: &Beginning) -> u64 {
    beginning.own_columns() + u64::from(beginning.setup().scene.has_factions())
}

/// Checks that a disk has room for a trajectory.
fn admit(path: &Path, file: &File, beginning: &Beginning, frames: u64, every: u64) -> Outcome<()> {
    let (agents, columns) = (beginning.setup().agents.into(), logged_columns(beginning));
    let frame = bytes_per_agent(columns).saturating_mul(agents) + bytes_per_frame(columns);
    let needed = frame.saturating_mul(frames);
    // A disk that does not tell has room.
    let Some(free) = files::free_bytes(file) else { return Ok(()) };
    if needed <= free {
        return Ok(());
    }
    let fewer = every.saturating_mul(needed.div_ceil((free / 10 * 9).max(1)));
    let remedy = if frames > 1 && free > 2 * frame {
        format!("try --trajectory-every {}, or name a file on another disk", grouped(fewer))
    } else {
        "name a file on another disk".to_owned()
    };
    Err(Failure::usage(format!(
        "--trajectory {} would take {} for {}, and {} is free there; {remedy}",
        path.display(),
        bytes(needed),
        plural(usize::try_from(frames).unwrap_or(usize::MAX), "frame"),
        bytes(free)
    )))
}
