//! The placement of runs in the background, while the run in the window goes on.

use std::sync::Arc;

use crate::{
    index::IndexKind,
    observe::Observable,
    parallel::pool,
    program::{ProgramError, ProgramResult as Result},
    raster::{ColorBy, Palette},
    rules::{GroupTable, RuleSource},
    scene::{self, PlacementProgress, Setup},
    sim::Sim,
    window::worker::{Worker, caught},
    world::{TableReader, TableRequest, ViewNames, WorldFault, WorldPlan},
};

/// A run to be placed.
#[derive(Clone, Debug)]
pub(super) struct PlacementJob {
    pub(super) setup: Setup,
    /// The world file whose agents and rules it has, if it has one.
    pub(super) world: Option<Arc<RuleSource>>,
    /// The set-up and the world file of the run in the window when this one was ordered.
    pub(super) then: Setup,
    pub(super) before: Option<Arc<RuleSource>>,
    pub(super) index: IndexKind,
    pub(super) threads: usize,
    /// Whether this is a restart of the current run.
    pub(super) again: bool,
}

impl PlacementJob {
    /// Places the run on threads of its own: those of the run in the window would place pieces
    /// while a step waits for them.
    fn place(&self, progress: &PlacementProgress) -> Result<Sim> {
        pool(self.threads)?.install(|| self.place_in_pool(progress))
    }

    fn place_in_pool(&self, progress: &PlacementProgress) -> Result<Sim> {
        let mut sim = match &self.world {
            Some(source) => {
                let mut plan = read(source)?;
                plan.setup = self.setup.clone();
                Sim::of_world(&plan, progress)?
            }
            None => Sim::from_start(&self.setup, scene::place_while(&self.setup, progress)?)?,
        };
        sim.set_index(self.index)?;
        Ok(sim)
    }
}

impl PlacementJob {
    /// What people call the run.
    pub(super) fn title(&self) -> &str {
        self.world.as_ref().map_or(self.setup.scene.name(), |world| &world.name)
    }
}

/// A job, and how far it has come; it is canceled once there is a newer one.
type PlacementOrder = (PlacementJob, Arc<PlacementProgress>);

/// The thread that places runs, one at a time, as each takes memory. A newer order cancels the
/// older ones, so that only the newest is ever taken.
pub(super) struct BackgroundPlacement {
    worker: Worker<PlacementOrder, (PlacementOrder, Result<Sim>)>,
    /// The newest order until it is taken.
    newest: Option<PlacementOrder>,
}

impl BackgroundPlacement {
    /// Starts the thread, which calls `wake` when there is something to [`Self::take`].
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let place = |(job, progress): PlacementOrder| {
            if progress.is_canceled() {
                return None;
            }
            let sim = caught("placing the agents has failed; try again", || job.place(&progress));
            // The next run needs the memory of one that is not wanted any more.
            (!progress.is_canceled()).then_some(((job, progress), sim))
        };
        Ok(Self { worker: Worker::new("place", place, wake)?, newest: None })
    }

    /// The newest order.
    pub(super) fn job(&self) -> Option<&PlacementJob> {
        self.newest.as_ref().map(|(job, _)| job)
    }

    /// The set-up of the newest order.
    pub(super) fn setup(&self) -> Option<&Setup> {
        self.newest.as_ref().map(|(job, _)| &job.setup)
    }

    /// What people call the newest order.
    pub(super) fn title(&self) -> Option<&str> {
        self.newest.as_ref().map(|(job, _)| job.title())
    }

    /// How much of the newest order is done, in percent. The last percent is the grid.
    pub(super) fn percent(&self) -> Option<u64> {
        let (job, progress) = self.newest.as_ref()?;
        Some(u64::from(progress.placed()) * 99 / u64::from(job.setup.agents.max(1)))
    }

    /// Starts to place a run; cancels older orders first.
    pub(super) fn order(&mut self, job: PlacementJob) {
        let progress = Arc::new(PlacementProgress::new());
        self.cancel();
        self.newest = Some((job.clone(), Arc::clone(&progress)));
        self.worker.order((job, progress));
    }

    /// Cancels the newest order.
    pub(super) fn cancel(&mut self) {
        if let Some((_, progress)) = self.newest.take() {
            progress.cancel();
        }
    }

    /// The newest order, once it is placed or has failed.
    pub(super) fn take(&mut self) -> Option<(PlacementJob, Result<Sim>)> {
        let mut placed = self.worker.take();
        let ((job, _), sim) = placed.find(|((_, progress), _)| !progress.is_canceled())?;
        self.newest = None;
        Some((job, sim))
    }
}

/// The plan of a world file that was read before.
pub(super) fn read(source: &RuleSource) -> Result<WorldPlan> {
    let RuleSource { name, text, settings, .. } = source;
    read_text(source, text, settings).map_err(|faults| {
        let first = WorldFault::first_of(&faults);
        ProgramError::refused(first.shown(&format_args!("{name}.toml"), ""))
    })
}

/// The plan of another text of a world file. Tables are those that the run began with.
pub(super) fn read_text(
    source: &RuleSource,
    text: &str,
    settings: &[(String, f32)],
) -> std::result::Result<WorldPlan, Vec<WorldFault>> {
    let (color_by, palette) = (ColorBy::ALL.map(ColorBy::name), Palette::ALL.map(Palette::name));
    let observed: Vec<&str> = Observable::columns().map(|observable| observable.column).collect();
    let table = |request: TableRequest<'_>| {
        let found = source.tables.iter().find(|table| table.file == request.file);
        found.map(|table| GroupTable::clone(table)).ok_or_else(|| {
            format!(
                "{} is no table that the run began with; open the world file itself",
                request.file
            )
        })
    };
    let tables = Some(TableReader(&table));
    let names = ViewNames { color_by: &color_by, palette: &palette, observed: &observed, tables };
    WorldPlan::read(&source.name, text, settings, Some(names))
}
