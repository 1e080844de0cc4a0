//! Background placement: another run is placed on its own thread while the current one goes on, as
//! placing millions of agents takes seconds. Runs are placed one at a time, as each takes memory.
//!
//! A newer order cancels the older ones, so that only the newest is ever taken.

use std::sync::Arc;

use crate::{
    index::IndexKind,
    program::ProgramResult as Result,
    scene::{self, PlacementProgress, Setup},
    sim::Sim,
    window::worker::{Worker, caught},
};

/// A run to be placed.
#[derive(Clone, Debug)]
pub(super) struct PlacementJob {
    pub(super) setup: Setup,
    pub(super) index: IndexKind,
    /// Whether this is a restart of the current run.
    pub(super) again: bool,
}

impl PlacementJob {
    fn place(&self, progress: &PlacementProgress) -> Result<Sim> {
        let mut sim = Sim::from_start(&self.setup, scene::place_while(&self.setup, progress)?)?;
        sim.set_index(self.index)?;
        Ok(sim)
    }
}

/// A job, and how far it has come; it is canceled once there is a newer one.
type PlacementOrder = (PlacementJob, Arc<PlacementProgress>);

/// The thread that places runs.
pub(super) struct BackgroundPlacement {
    worker: Worker<PlacementOrder, (PlacementOrder, Result<Sim>)>,
    /// The newest order until it is taken.
    newest: Option<(Setup, Arc<PlacementProgress>)>,
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
    pub(super) fn setup(&self) -> Option<&Setup> {
        self.newest.as_ref().map(|(setup, _)| setup)
    }

    /// How much of the newest order is done, in percent. The last percent is the grid.
    pub(super) fn percent(&self) -> Option<u64> {
        let (setup, progress) = self.newest.as_ref()?;
        Some(u64::from(progress.placed()) * 99 / u64::from(setup.agents.max(1)))
    }

    /// Starts to place a run; cancels older orders first.
    pub(super) fn order(&mut self, job: PlacementJob) {
        let progress = Arc::new(PlacementProgress::new());
        self.cancel();
        self.newest = Some((job.setup.clone(), Arc::clone(&progress)));
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
