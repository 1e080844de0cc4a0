//! Snapshots of a run: everything that decides its future, and nothing that follows from that.
//!
//! ```text
//! setup     the set-up as changed during the run      contacts  how far the list has grown
//! run       steps, ids, counters, cells, next sort    statics   in the order of their ids
//! x … id    the agents' columns, slot by slot         solver    impulses, sleep, kept blocks
//! home      the cell of each at the last sort         force     through the next step, if any
//! ```
//!
//! A start from the same positions would go on in other bits: it sorts the agents, which changes
//! the order of contacts, and the next sort would come at another step. So the snapshot has the
//! order of the slots, the home cells and the outliers counted so far. Offsets, windows, outliers,
//! the cells of the statics and the scene's rule follow from these; threads, SIMD level and index
//! are the caller's choice.

use glam::Vec2;

use super::{Counters, RunState, Sim, Transfer, check, forces, world::SavedRules};
use crate::{
    agents::{Agents, OwnColumns},
    contacts::ContactList,
    error::Result,
    geometry::{Boundary, Rect},
    grid::{Grid, GridConfig},
    limits, parallel,
    scene::{Setup, rule::SceneRule},
    snapshot::{Lines, Listing, Snapshot, Writer, require, write_line},
    solver::ContactSolver,
    statics::Statics,
    step::{regrid::Regrid, swept::Swept},
};

/// The section with the single values of a run.
const RUN: &str = "run";

/// The section with the home cells.
const HOMES: &str = "home";

/// The lengths of large snapshots in memory are multiples of this number.
#[cfg(feature = "window")]
const BUFFER_UNIT: usize = 1 << 20;

/// Bytes per agent of the columns, and of everything that has a fixed size.
const BYTES_PER_AGENT: usize = 30;
const BASE: usize = 1 << 14;

/// Bytes per agent of room that the checks take: a bit for each id, of which some have left.
const CHECKING: usize = 8;

/// Tight cells beside one per agent that a snapshot may ask for.
const TIGHT_CELLS: usize = 1 << 16;

/// The single values of a run.
#[derive(Clone, Debug)]
struct RunLines {
    agents: usize,
    steps: u64,
    next_id: u32,
    counters: Counters,
    claims: u64,
    largest_displacement: f32,
    due: [usize; 2],
    config: GridConfig,
}

/// The single values of the run in a snapshot, read and checked once: nothing of the size of the
/// run is allocated yet.
#[derive(Clone, Debug)]
pub(crate) struct SavedState {
    setup: Setup,
    run: RunLines,
    pub(crate) rules: SavedRules,
}

impl Sim {
    /// Takes a snapshot: a run that is [restored](Self::restore) from it continues bit for bit as
    /// this one. Changes nothing.
    ///
    /// Takes about as long as copying the agents; 28 bytes per agent, and with the contact solver
    /// about 20 more per contact.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot_in(Vec::new())
    }

    /// Takes a snapshot in a buffer of the caller, which loses what it holds: for a caller that
    /// takes many.
    ///
    /// # Errors
    /// If the buffer must grow and there is not enough memory.
    #[doc(hidden)]
    pub fn snapshot_in(&self, buffer: Vec<u8>) -> Result<Snapshot> {
        self.snapshot_with(buffer, |_| Ok(()))
    }

    /// The same for a snapshot that stays in memory, without what a file needs.
    #[cfg(feature = "window")]
    pub(crate) fn snapshot_for_memory(&self, buffer: Vec<u8>) -> Result<Snapshot> {
        let to = Writer::for_memory(buffer, self.moment_bytes())?;
        Ok(self.write_snapshot(to)?.finish())
    }

    /// The same, with the sections that `more` adds: what belongs to a run and is none of its
    /// state.
    pub(crate) fn snapshot_with(
        &self,
        buffer: Vec<u8>,
        more: impl FnOnce(&mut Writer) -> Result<()>,
    ) -> Result<Snapshot> {
        let to = Writer::new(buffer, self.snapshot_bytes())?;
        let mut to = self.write_snapshot(to)?;
        more(&mut to)?;
        Ok(to.finish())
    }

    fn write_snapshot(&self, mut to: Writer) -> Result<Writer> {
        self.setup.save(&mut to)?;
        to.text(RUN, &self.run_lines())?;
        self.agents.save(&mut to)?;
        to.array(HOMES, self.grid.homes())?;
        self.statics.save(&mut to)?;
        self.contacts.save(&mut to)?;
        self.save_forces(&mut to)?;
        #[cfg(feature = "cli")]
        self.save_rules(&mut to)?;
        if let Some(solver) = &self.solver {
            solver.save(self.setup.uses_contact_solver(), &mut to)?;
        }
        Ok(to)
    }

    /// About how many bytes a snapshot of the run has: a near upper bound.
    pub(crate) fn snapshot_bytes(&self) -> usize {
        let solver = self.solver.as_ref().map_or(0, |solver| solver.saved_bytes());
        self.agents.len() * (BYTES_PER_AGENT + self.agents.own_bytes())
            + solver
            + self.statics.len() * 24
            + BASE
    }

    /// About how many bytes [`Self::snapshot_for_memory`] takes: a near upper bound. Those of a
    /// large run are rounded, so that its buffers can be used again, which the system has mapped.
    #[cfg(feature = "window")]
    pub(crate) fn moment_bytes(&self) -> usize {
        let bytes = self.snapshot_bytes();
        if bytes < 8 * BUFFER_UNIT { bytes } else { bytes.next_multiple_of(BUFFER_UNIT) }
    }

    /// Continues the run that a snapshot was taken of, with the double grid and the best SIMD level
    /// of the machine.
    ///
    /// Whatever the bytes are, no run that could not be stepped comes out: what no run could have
    /// written is refused. A run with speeds that are not finite can't be restored.
    ///
    /// # Errors
    /// [`Error::Snapshot`](crate::Error::Snapshot) or [`Error::Invalid`](crate::Error::Invalid) if
    /// the snapshot does not belong to a run, or if there is not enough memory.
    pub fn restore(snapshot: &Snapshot) -> Result<Self> {
        SavedState::read(snapshot)?.restore(snapshot)
    }

    /// Goes to the state of a snapshot of this run. The memory of the contact solver, which is most
    /// of it, is used again: the system takes longer to map it than all else takes.
    ///
    /// # Errors
    /// As [`Self::restore`]; then nothing changes.
    ///
    /// # Panics
    /// If there is not enough memory to read the solver, and the run is lost.
    #[cfg(feature = "window")]
    pub(crate) fn restore_here(&mut self, snapshot: &Snapshot) -> Result<()> {
        let mut solver = self.solver.take();
        let lent = solver.is_some();
        let restored = SavedState::read(snapshot);
        match restored.and_then(|state| state.restore_with(snapshot, &mut solver)) {
            Ok(sim) => *self = sim,
            Err(error) if lent && solver.is_none() => crate::alloc::demanded(Err(error)),
            Err(error) => {
                self.solver = solver;
                return Err(error);
            }
        }
        Ok(())
    }

    /// About how many bytes [`Self::restore`] takes with that snapshot: a near upper bound, made of
    /// the room for agents, contacts and statics that the run had. Allocates none of it.
    ///
    /// A snapshot of unknown origin may state more room than its bytes have agents: a caller that
    /// loads one compares this number with the memory that it can spare.
    ///
    /// # Errors
    /// If the snapshot does not belong to a run.
    #[doc(hidden)]
    pub fn memory_to_restore(snapshot: &Snapshot) -> Result<u64> {
        SavedState::read(snapshot)?.memory_to_restore(snapshot)
    }

    fn run_lines(&self) -> String {
        let Counters { collisions, tunnelled, contact_growths: _, spawned, removed } =
            self.counters;
        let &GridConfig {
            bounds: Rect { min, max }, loose_size, tight_size, capacity, cells, ..
        } = self.grid.config();
        let mut text = String::new();
        write_line(&mut text, "program", env!("CARGO_PKG_VERSION"));
        write_line(&mut text, "agents", self.agents.len());
        write_line(&mut text, "steps", self.steps);
        write_line(&mut text, "next_id", self.next_id);
        write_line(&mut text, "collisions", collisions);
        write_line(&mut text, "tunnelled", tunnelled);
        write_line(&mut text, "spawned", spawned);
        write_line(&mut text, "removed", removed);
        write_line(&mut text, "claims", self.claims);
        write_line(&mut text, "fastest", self.largest_displacement);
        write_line(&mut text, "due", Listing(Some(self.regrid.due())));
        write_line(&mut text, "world", Listing(Some([min.x, min.y, max.x, max.y])));
        write_line(&mut text, "loose_size", Listing(Some(loose_size.to_array())));
        write_line(&mut text, "tight_size", Listing(Some(tight_size.to_array())));
        write_line(&mut text, "capacity", capacity);
        write_line(&mut text, "cells", cells);
        text
    }
}

impl SavedState {
    /// Reads and checks the set-up, the single values and the rules.
    ///
    /// # Errors
    /// If the snapshot does not belong to a run.
    pub(crate) fn read(snapshot: &Snapshot) -> Result<Self> {
        Self::with_rules(snapshot, SavedRules::read(snapshot)?)
    }

    /// The same with rules that are read already.
    pub(crate) fn with_rules(snapshot: &Snapshot, rules: SavedRules) -> Result<Self> {
        let setup = Setup::load(snapshot)?;
        let run = RunLines::load(snapshot)?.checked(&setup)?;
        Ok(Self { setup, run, rules })
    }

    /// The set-up with the changes made before.
    #[cfg(feature = "cli")]
    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The set-up with the world that the run has and the agents that it has room for beside the
    /// spare ones; they may be others than those that the set-up would have placed.
    #[cfg(feature = "cli")]
    pub(crate) fn room(&self) -> Setup {
        let Self { setup, run: RunLines { config, .. }, .. } = self;
        let agents = config.capacity as u32 - setup.spare_agents;
        Setup { agents, world: Some(config.bounds.size()), ..setup.clone() }
    }

    /// As [`Sim::memory_to_restore`].
    pub(crate) fn memory_to_restore(&self, snapshot: &Snapshot) -> Result<u64> {
        let Self { setup, run: RunLines { config, .. }, rules } = self;
        let (capacity, units, bands) =
            (config.capacity, snapshot.has("faction"), Grid::band_count(config));
        let own = OwnColumns::saved_bytes(snapshot)?;
        let pairs = ContactList::saved_length(snapshot, capacity, bands)?;
        let bytes = Agents::memory_for(capacity, units)
            + Regrid::memory_for(capacity, units, bands)
            + capacity * if own > 0 { own + 1 } else { 0 }
            + Grid::memory_for(config)
            + ContactList::memory_of(pairs, bands)
            + ContactList::memory_for_seam(capacity, setup.boundary != Boundary::Walls)
            + if setup.sweeps() { Swept::memory_for(capacity, pairs) } else { 0 }
            + ContactSolver::memory_to_load(
                snapshot,
                capacity,
                pairs,
                bands,
                setup.friction > 0.0,
            )?
            + SceneRule::memory_for(setup, capacity, bands)
            + Statics::memory_to_load(snapshot, setup.spare_statics as usize)?
            + capacity * CHECKING
            + snapshot.as_bytes().len();
        Ok(bytes as u64 + rules.memory_for(capacity as u64))
    }

    /// As [`Sim::restore`].
    pub(crate) fn restore(self, snapshot: &Snapshot) -> Result<Sim> {
        self.restore_with(snapshot, &mut None)
    }

    /// The run of a snapshot, with the solver of another one if it can be used again: it is taken
    /// once nothing else can fail.
    fn restore_with(
        self,
        snapshot: &Snapshot,
        lent: &mut Option<Box<ContactSolver>>,
    ) -> Result<Sim> {
        let Self { setup, run, rules } = self;
        let RunLines { agents: count, config, .. } = run;
        let (capacity, world) = (config.capacity, config.bounds);
        let agents = Agents::load(snapshot, count, capacity)?;
        let (checked, grid) = parallel::join(
            || check::restored(&setup, &agents, &world, capacity, run.next_id),
            || Ok((Grid::new(config)?, snapshot.array(HOMES, count, 0)?)),
        );
        checked?;
        let (mut grid, homes) = grid?;
        let statics = Statics::load(snapshot, world, setup.spare_statics as usize)?;
        grid.set_homes(&agents, &homes)?;
        let contacts = ContactList::load(snapshot, capacity, &grid)?;
        let state = RunState {
            setup,
            agents,
            statics,
            steps: run.steps,
            next_id: run.next_id,
            counters: run.counters,
            transfer: Transfer::default(),
            claims: run.claims,
            largest_displacement: run.largest_displacement,
            due: run.due,
        };
        let mut sim = Sim::assembled(state, grid, contacts)?;
        let Sim { setup, agents, statics, contacts, regrid, .. } = &sim;
        let forces = forces::load(snapshot, agents, regrid, 1.0 / setup.hz)?;
        let in_use = setup.uses_contact_solver();
        let mut solver = None;
        if in_use || ContactSolver::is_saved(snapshot) {
            let spare_statics = !statics.is_empty() || setup.spare_statics > 0;
            let has = [spare_statics, setup.friction > 0.0];
            let fits = |lent: &mut Box<_>| ContactSolver::is_for(lent, capacity, contacts, has[1]);
            let mut empty = match lent.take_if(fits) {
                Some(lent) => lent,
                None => Box::new(ContactSolver::new(capacity, contacts, has)?),
            };
            empty.load(snapshot, agents, capacity, contacts, in_use)?;
            solver = Some(empty);
        }
        sim.forces = forces;
        // Rules wake what sleeps, and may take another solver.
        let saved = sim.setup.solver;
        rules.set(&mut sim)?;
        if sim.setup.solver == saved {
            sim.solver = solver;
        }
        Ok(sim)
    }
}

impl RunLines {
    fn load(from: &Snapshot) -> Result<Self> {
        let mut lines = Lines::new(RUN, from.text(RUN)?)?;
        let _program: String = lines.take("program")?;
        let [left, bottom, right, top] = lines.values("world")?;
        let bounds = Rect::new(Vec2::new(left, bottom), Vec2::new(right, top));
        let run = Self {
            agents: lines.take("agents")?,
            steps: lines.take("steps")?,
            next_id: lines.take("next_id")?,
            counters: Counters {
                collisions: lines.take("collisions")?,
                tunnelled: lines.take("tunnelled")?,
                contact_growths: 0,
                spawned: lines.take("spawned")?,
                removed: lines.take("removed")?,
            },
            claims: lines.take("claims")?,
            largest_displacement: lines.take("fastest")?,
            due: lines.values("due")?,
            config: GridConfig {
                bounds,
                loose_size: Vec2::from_array(lines.values("loose_size")?),
                tight_size: Vec2::from_array(lines.values("tight_size")?),
                capacity: lines.take("capacity")?,
                cells: lines.take("cells")?,
                edits: 0,
                repeats: [false; 2],
            },
        };
        lines.end()?;
        Ok(run)
    }

    /// Refuses numbers that no run of the set-up has, so that none of them asks for more memory
    /// than such a run would take, and none of the counts overflows.
    fn checked(self, setup: &Setup) -> Result<Self> {
        let Self { agents, steps, next_id, counters, claims, due, config, .. } = self;
        let GridConfig { bounds, tight_size, capacity, cells, .. } = config;
        let spare = setup.spare_agents as usize;
        let start = capacity.checked_sub(spare).filter(|_| agents <= capacity);
        require(start.is_some(), RUN, "has more agents than there is room for")?;
        let start = u32::try_from(start.unwrap_or(0)).unwrap_or(u32::MAX);
        // Each agent of the start had an id.
        require(start <= next_id, RUN, "has room for more agents than it began with")?;
        Setup { agents: start.max(1), ..setup.clone() }.numbers()?;
        require(cells <= 16 * capacity + 4_096, RUN, "has more cells than agents need")?;
        let tight = (bounds.size() / tight_size).ceil();
        let most = (TIGHT_CELLS + capacity) as f32;
        let fits = setup.tight.is_some() || tight.x.max(1.0) * tight.y.max(1.0) <= most;
        require(fits, RUN, "has more tight cells than agents need")?;
        let Counters { collisions, tunnelled, spawned, removed, .. } = counters;
        let counts = [steps, collisions, tunnelled, spawned, removed, claims];
        let counts = counts.into_iter().chain(due.map(|count| count as u64));
        let small = counts.fold(true, |all, count| all & (count < limits::COUNTS_MAX));
        require(small, RUN, "has counts that no run reaches")?;
        let config = GridConfig { repeats: setup.boundary.repeats(), ..config };
        config.check()?;
        Ok(Self { config, ..self })
    }
}
