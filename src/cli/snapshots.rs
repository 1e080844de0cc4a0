//! What a run begins with: a set-up, a table, a world file, or a snapshot or journal as a file.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

#[cfg(feature = "window")]
use super::args::StyleArgs;
use super::{
    Failure, Flags, Outcome,
    args::{PictureArgs, ViewArg, WorldArgs},
    format::grouped,
    input::unreadable,
    memory,
    start::StatedStart,
    worlds::{self, StatedWorld, WorldFlags},
};
use crate::{
    Error, Setup, Sim, Snapshot,
    agents::OwnColumns,
    error::{Fault, Remedy},
    journal::Journal,
    program::{ProgramError, ProgramResult as Result},
    sim::{Edit, SavedRules, SavedState, SavedWorld},
    world::{WorldFault, WorldPlan, title_of},
};

/// The extension of snapshots and journals.
pub(super) const EXTENSIONS: [&str; 1] = ["jostle"];

/// The beginning of a run.
#[derive(Debug)]
pub(super) enum Beginning {
    /// The start of a set-up.
    Start(Setup),
    /// The start of a set-up that a journal has.
    Replayed(Setup, PathBuf),
    /// The agents of a table.
    Stated(Box<StatedStart>),
    /// A world file.
    World(Box<StatedWorld>),
    /// The state that a run was saved in.
    Saved(Box<SavedRun>),
}

/// A run in a snapshot.
#[derive(Debug)]
pub(super) struct SavedRun {
    /// The file.
    path: PathBuf,
    pub(super) snapshot: Box<Snapshot>,
    /// The single values of the run, with the changes made before.
    pub(super) state: SavedState,
    /// Values of its world file that flags set.
    values: Vec<(String, f32)>,
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
                return Ok(Self::World(Box::new(StatedWorld::read(
                    path,
                    &WorldFlags::new(world),
                )?)));
            }
            return match &world.state.file {
                Some(path) => Ok(Self::Stated(Box::new(StatedStart::read(path, world)?))),
                None => Ok(Self::Start(world.setup())),
            };
        };
        let run = SavedRun::open(path)?.with_values(world.params())?;
        for (flag, given, saved) in world.given(run.state.setup()) {
            if given != saved {
                return Err(Failure::usage(format!(
                    "{flag} {given} contradicts {}, which has {saved}; leave out {flag}",
                    path.display()
                )));
            }
        }
        Ok(Self::Saved(Box::new(run)))
    }

    /// The beginning with room for agents and statics that come later, beside its own.
    ///
    /// # Errors
    /// If it is a saved run, which keeps its own.
    pub(super) fn with_room(mut self, agents: u32, statics: u32) -> Outcome<Self> {
        let setup = match &mut self {
            Self::Start(setup) | Self::Replayed(setup, _) => setup,
            Self::Stated(start) => &mut start.setup,
            Self::World(world) => &mut world.plan.setup,
            Self::Saved(_) if agents == 0 && statics == 0 => return Ok(self),
            Self::Saved(run) => {
                return Err(Failure::usage(format!(
                    "spare_agents {agents} and spare_statics {statics} can't be used with {}: a saved \
                     run keeps the room that it has; leave them out",
                    run.path.display()
                )));
            }
        };
        setup.spare_agents = setup.spare_agents.saturating_add(agents);
        setup.spare_statics = setup.spare_statics.saturating_add(statics);
        Ok(self)
    }

    /// The beginning with room for the tools of the window; a saved run keeps its own.
    #[cfg(feature = "window")]
    pub(super) fn with_room_for_tools(mut self) -> Self {
        match &mut self {
            Self::Start(setup) | Self::Replayed(setup, _) => {
                *setup = crate::window::with_room_for_tools(setup);
            }
            Self::Stated(start) => start.setup = crate::window::with_room_for_tools(&start.setup),
            Self::World(world) => {
                let setup = crate::window::with_room_in_world(&world.plan, &world.plan.setup);
                world.plan.setup = setup;
            }
            Self::Saved(_) => {}
        }
        self
    }

    /// The world file, if there is one.
    fn plan(&self) -> Option<&WorldPlan> {
        match self {
            Self::World(world) => Some(&world.plan),
            Self::Saved(run) => run.state.rules.plan(),
            _ => None,
        }
    }

    /// The rules of the world file, if there is one.
    #[cfg(feature = "mpi")]
    pub(super) fn rules(&self) -> Option<crate::rules::Rules> {
        self.plan().map(|plan| plan.rules_for(plan.setup.agents))
    }

    /// True if the agents have factions and health.
    #[cfg(feature = "mpi")]
    pub(super) fn has_units(&self) -> bool {
        match self {
            Self::Saved(run) => run.snapshot.has("faction"),
            Self::Stated(start) => start.has_units(),
            _ => self.setup().scene.has_factions(),
        }
    }

    /// The number of columns of numbers that the agents have of their own.
    pub(super) fn own_columns(&self) -> u64 {
        // A saved run keeps the columns of friction when that has ended.
        if let Self::Saved(run) = self {
            return OwnColumns::saved_bytes(&run.snapshot).unwrap_or(0) as u64 / 4;
        }
        let columns = self.plan().map_or(0, |plan| plan.formulas.columns.len());
        columns as u64 + if self.setup().friction > 0.0 { 2 } else { 0 }
    }

    /// The names of what the world file observes.
    pub(super) fn observed(&self) -> Vec<String> {
        let plan = self.plan();
        let observed = plan.iter().flat_map(|plan| &plan.observed);
        observed.map(|quantity| quantity.name.clone()).collect()
    }

    /// The style of flags, and where they say nothing, that of the world file.
    #[cfg(feature = "window")]
    pub(super) fn styled(&self, style: &StyleArgs) -> StyleArgs {
        self.plan().map_or_else(|| style.clone(), |plan| worlds::styled(plan, style))
    }

    /// The picture of flags, and where they say nothing, that of the world file.
    pub(super) fn pictured(&self, picture: &PictureArgs) -> PictureArgs {
        let Some(plan) = self.plan() else { return picture.clone() };
        let camera = plan.view.camera.map(|(center, width)| ViewArg { center, width });
        let style = worlds::styled(plan, &picture.style);
        PictureArgs { view: picture.view.or(camera), style, ..picture.clone() }
    }

    /// The set-up; of a saved run, with the changes made before.
    pub(super) fn setup(&self) -> &Setup {
        match self {
            Self::Start(setup) | Self::Replayed(setup, _) => setup,
            Self::Stated(start) => &start.setup,
            Self::World(world) => &world.plan.setup,
            Self::Saved(run) => run.state.setup(),
        }
    }

    /// What people call the scene: its name, or that of the world file.
    pub(super) fn scene(&self) -> String {
        if let Self::World(world) = self {
            return title_of(world.path());
        }
        self.setup().scene.name().to_owned()
    }

    /// Checks, before any of it is allocated, that the run is valid and fits into memory beside the
    /// bytes that `beside` returns for its set-up and that many threads.
    ///
    /// # Errors
    /// As [`memory::check`] and [`SavedRun::admit`].
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        match self {
            Self::Start(setup) => Ok(memory::check(setup, beside, threads)?),
            Self::Replayed(setup, path) => {
                admit_file(path, setup, Sim::memory_for(setup), beside, threads)
            }
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
            Self::Replayed(setup, path) => {
                Sim::new(setup).map_err(|error| unloadable(path, error.with_remedy(Remedy::None)))
            }
            Self::Stated(start) => Ok(start.sim()?),
            Self::World(world) => world.sim(),
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
            Self::World(world) => {
                world.note(sim);
                Ok(())
            }
            Self::Start(_) | Self::Replayed(..) | Self::Saved(_) => Ok(()),
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
            Self::Start(_) | Self::Replayed(..) => None,
            Self::Saved(run) if run.values.is_empty() => Some(run.snapshot),
            _ => {
                let sim = self.sim()?;
                self.note(&sim)?;
                Some(Box::new(sim.snapshot()?))
            }
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
        let state = SavedRules::read_as(&snapshot, worlds::again)
            .and_then(|rules| SavedState::with_rules(&snapshot, rules))
            .map_err(|error| unloadable(path, error))?;
        let (path, snapshot) = (path.to_path_buf(), Box::new(snapshot));
        Ok(Self { path, snapshot, state, values: Vec::new() })
    }

    /// The run with other values of its world file, as changes before its next step.
    ///
    /// # Errors
    /// If it has no world file, or that has no such value, or not in that range.
    fn with_values(mut self, values: &[(String, f32)]) -> Outcome<Self> {
        let Some((name, _)) = values.first() else { return Ok(self) };
        let path = self.path.display();
        let saved =
            SavedWorld::read(&self.snapshot).map_err(|error| unloadable(&self.path, error))?;
        let Some(saved) = saved else {
            return Err(Failure::usage(format!(
                "--set {name} belongs to a world file, and the run in {path} has none; leave it out"
            )));
        };
        let changed = SavedWorld { settings: values.to_vec(), ..saved };
        worlds::again(&changed).map_err(|faults| {
            let why = WorldFault::first_of(&faults).message;
            Failure::usage(format!("{path} can't go on: --set {why}"))
        })?;
        self.values = values.to_vec();
        Ok(self)
    }

    /// Checks, before any of it is allocated, that the run fits into memory beside the bytes that
    /// `beside` returns for its set-up and that many threads.
    ///
    /// # Errors
    /// If it does not fit, or the snapshot holds no run.
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        let Self { path, snapshot, state, .. } = self;
        let room = state.room();
        let bytes = state.memory_to_restore(snapshot).map_err(|error| unloadable(path, error))?;
        admit_file(path, &room, bytes, beside, threads)
    }

    /// The run where it was saved.
    ///
    /// # Errors
    /// If there is not enough memory, or the snapshot holds no run.
    pub(super) fn sim(&self) -> Outcome<Sim> {
        let restored = self.state.clone().restore(&self.snapshot).and_then(|mut sim| {
            if !self.values.is_empty() {
                sim.apply(&Edit::Values(self.values.clone()))?;
            }
            Ok(sim)
        });
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

/// Checks that the run of a file, which takes that many bytes, fits into memory beside the bytes that
/// `beside` returns for its room.
fn admit_file(
    path: &Path,
    room: &Setup,
    bytes: u64,
    beside: &dyn Fn(&Setup) -> u64,
    threads: usize,
) -> Outcome<()> {
    let bytes = bytes.saturating_add(beside(room));
    memory::check_saved(bytes, threads).map_err(|[needed, available]| {
        let agents = grouped(room.agents + room.spare_agents);
        Failure::usage(format!(
            "{} can't be loaded: its run of {} has room for {agents} agents and would take {needed}, \
             and {available} is available; close other programs, or load it where there is more memory",
            path.display(),
            room.scene.name(),
        ))
    })
}

/// The failure for a file that holds neither a run nor a journal of one.
pub(super) fn unloadable(path: &Path, error: impl Into<ProgramError>) -> Failure {
    let reason = error.into().sentence(&Flags);
    Failure::usage(format!("{} can't be loaded: {reason}", path.display()))
}
