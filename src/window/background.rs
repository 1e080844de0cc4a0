//! Background placement: another run is placed on its own thread while the current one goes on, as
//! placing millions of agents takes seconds.
//!
//! ```text
//! order ─► queue ─► thread: place ─► take     one at a time, as each takes memory
//! ```
//!
//! A newer order cancels the older ones, so that only the newest is ever taken.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use crate::{
    error::{Error, Result},
    index::IndexKind,
    scene::{self, Setup},
    sim::Sim,
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
    fn place(&self, wanted: &AtomicBool) -> Result<Sim> {
        let mut sim = Sim::from_start(&self.setup, scene::place_while(&self.setup, wanted)?)?;
        sim.set_index(self.index)?;
        Ok(sim)
    }
}

/// A job, and a flag that is false once there is a newer one.
type Order = (PlacementJob, Arc<AtomicBool>);

/// The thread that places runs.
pub(super) struct BackgroundPlacement {
    orders: Sender<Order>,
    placed: Receiver<(Order, Result<Sim>)>,
    /// The newest order until it is taken: its number of agents, and its flag.
    newest: Option<(u32, Arc<AtomicBool>)>,
}

impl BackgroundPlacement {
    /// Starts the thread, which calls `wake` when there is something to [`Self::take`].
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let ((orders, ordered), (sender, placed)) = (channel::<Order>(), channel());
        let work = move || {
            for (job, wanted) in ordered {
                if !wanted.load(Ordering::Relaxed) {
                    continue;
                }
                let sim = catch_unwind(AssertUnwindSafe(|| job.place(&wanted)));
                let sim = sim.unwrap_or_else(|_| {
                    Err(Error::refused("placing the agents has failed; try again"))
                });
                // The next run needs the memory of one that is not wanted any more.
                if wanted.load(Ordering::Relaxed) {
                    // A window that was closed meanwhile takes nothing.
                    let _ = sender.send(((job, wanted), sim));
                    wake();
                }
            }
        };
        thread::Builder::new()
            .name("jostle-place".into())
            .spawn(work)
            .map_err(|error| Error::refused(format!("no thread to place agents on ({error})")))?;
        Ok(Self { orders, placed, newest: None })
    }

    /// Number of agents of the newest order.
    pub(super) fn agents(&self) -> Option<u32> {
        self.newest.as_ref().map(|(agents, _)| *agents)
    }

    /// Starts to place a run; cancels older orders first.
    pub(super) fn order(&mut self, job: PlacementJob) {
        let wanted = Arc::new(AtomicBool::new(true));
        if let Some((_, former)) = self.newest.replace((job.setup.agents, Arc::clone(&wanted))) {
            former.store(false, Ordering::Relaxed);
        }
        // The thread ends only with this end of the channel.
        let _ = self.orders.send((job, wanted));
    }

    /// Cancels the newest order.
    pub(super) fn cancel(&mut self) {
        if let Some((_, wanted)) = self.newest.take() {
            wanted.store(false, Ordering::Relaxed);
        }
    }

    /// The newest order, once it is placed or has failed.
    pub(super) fn take(&mut self) -> Option<(PlacementJob, Result<Sim>)> {
        let mut placed = self.placed.try_iter();
        let ((job, _), sim) = placed.find(|((_, wanted), _)| wanted.load(Ordering::Relaxed))?;
        self.newest = None;
        Some((job, sim))
    }
}
