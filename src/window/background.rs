//! Background placement: another run is placed on its own thread while the current one goes on, as
//! placing millions of agents takes seconds.
//!
//! ```text
//! order ─► place ─► take         one at a time, as each takes memory
//! order ─► next  ───┘            a newer order cancels the one under way, and starts as soon as the
//!                                memory of that is free; only the newest is ever taken
//! ```

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, TryRecvError, channel},
    },
    thread,
};

use crate::{
    error::{Error, Result},
    index::IndexKind,
    scene::{self, Setup},
    sim::Sim,
    simd::SimdLevel,
};

/// A run to be placed.
#[derive(Clone, Debug)]
pub(super) struct PlacementJob {
    pub(super) setup: Setup,
    pub(super) index: IndexKind,
    pub(super) simd: SimdLevel,
    /// Whether this is a restart of the current run.
    pub(super) again: bool,
}

impl PlacementJob {
    fn place(&self, wanted: &AtomicBool) -> Result<Sim> {
        let mut sim = Sim::from_start(&self.setup, scene::place_while(&self.setup, wanted)?)?;
        sim.set_simd(self.simd);
        sim.set_index(self.index)?;
        Ok(sim)
    }
}

/// The placement under way, and the order that follows it.
pub(super) struct BackgroundPlacement {
    /// Called on the other thread when there is a run to take.
    wake: Arc<dyn Fn() + Send + Sync>,
    under_way: Option<UnderWay>,
    next: Option<PlacementJob>,
}

/// A run that a thread places, or has placed.
struct UnderWay {
    job: PlacementJob,
    placed: Receiver<Result<Sim>>,
    /// False once there is a newer order.
    wanted: Arc<AtomicBool>,
}

impl BackgroundPlacement {
    /// Without an order yet. Calls `wake` when there is something to [`Self::take`].
    pub(super) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { wake: Arc::new(wake), under_way: None, next: None }
    }

    /// Number of agents of the newest order.
    pub(super) fn agents(&self) -> Option<u32> {
        let under_way = self.under_way.as_ref().map(|under_way| &under_way.job);
        self.next.as_ref().or(under_way).map(|job| job.setup.agents)
    }

    /// Starts to place a run; cancels an older order first.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn order(&mut self, job: PlacementJob) -> Result<()> {
        if let Some(under_way) = &self.under_way {
            under_way.wanted.store(false, Ordering::Relaxed);
            self.next = Some(job);
            return Ok(());
        }
        let task = job.clone();
        self.begin(job, move |wanted| task.place(wanted))
    }

    fn begin(
        &mut self,
        job: PlacementJob,
        place: impl FnOnce(&AtomicBool) -> Result<Sim> + Send + 'static,
    ) -> Result<()> {
        let (sender, placed) = channel();
        let wanted = Arc::new(AtomicBool::new(true));
        let still_wanted = Arc::clone(&wanted);
        let wake = Arc::clone(&self.wake);
        let work = move || {
            // Also after a panic, which drops the sender before this runs.
            scopeguard::defer! { wake() }
            let sender = sender;
            // A window that was closed meanwhile takes nothing.
            let _ = sender.send(place(&still_wanted));
        };
        thread::Builder::new()
            .name("jostle-place".into())
            .spawn(work)
            .map_err(|error| Error::refused(format!("no thread to place agents on ({error})")))?;
        self.under_way = Some(UnderWay { job, placed, wanted });
        Ok(())
    }

    /// The newest order, once it is placed or has failed.
    pub(super) fn take(&mut self) -> Option<(PlacementJob, Result<Sim>)> {
        let placed = match self.under_way.as_ref()?.placed.try_recv() {
            Ok(placed) => placed,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => {
                Err(Error::refused("the thread that placed the agents has failed; try again"))
            }
        };
        let UnderWay { job, .. } = self.under_way.take()?;
        let Some(next) = self.next.take() else { return Some((job, placed)) };
        // The next run needs its memory.
        drop(placed);
        let refused = self.order(next.clone()).err()?;
        Some((next, Err(refused)))
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use super::*;
    use crate::{index::DoubleGrid, scene::Scene};

    /// A placement, and the calls of its `wake`.
    fn placement() -> (BackgroundPlacement, impl Fn()) {
        let (call, called) = mpsc::channel();
        let placement = BackgroundPlacement::new(move || call.send(()).expect("a listener"));
        let wait = move || called.recv_timeout(Duration::from_mins(1)).expect("a call");
        (placement, wait)
    }

    fn job(agents: u32) -> PlacementJob {
        let setup = Setup { agents, ..Setup::new(Scene::Gas) };
        PlacementJob { setup, index: DoubleGrid::KIND, simd: SimdLevel::best(), again: false }
    }

    #[test]
    fn only_the_newest_order_is_taken() {
        let (mut placement, wait) = placement();
        assert!(placement.take().is_none() && placement.agents().is_none());
        // However long the first takes, it ends when it is cancelled.
        let slow = |wanted: &AtomicBool| {
            while wanted.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Err(Error::refused("cancelled"))
        };
        placement.begin(job(20_000_000), slow).expect("a thread");
        for agents in [2_000, 3_000] {
            placement.order(job(agents)).expect("it comes next");
            assert_eq!(placement.agents(), Some(agents));
        }
        wait();
        assert!(placement.take().is_none(), "the first is not wanted");
        assert_eq!(placement.agents(), Some(3_000));
        wait();
        let (_, sim) = placement.take().expect("a run");
        assert_eq!(sim.expect("there is memory").agents().len(), 3_000);
        assert!(placement.take().is_none() && placement.agents().is_none());
    }

    #[test]
    fn a_failed_thread_gives_an_error_and_the_next_order_is_placed() {
        let (mut placement, wait) = placement();
        // Unlike `panic!`, this prints nothing.
        let fail = |_: &AtomicBool| std::panic::resume_unwind(Box::new("no more"));
        placement.begin(job(1_000), fail).expect("a thread");
        wait();
        let (_, failed) = placement.take().expect("an answer");
        assert!(failed.is_err() && placement.agents().is_none());
        placement.begin(job(1_000), fail).expect("a thread");
        placement.order(job(2_000)).expect("it comes next");
        wait();
        assert!(placement.take().is_none(), "the first is not wanted");
        wait();
        let (_, sim) = placement.take().expect("a run");
        assert_eq!(sim.expect("there is memory").agents().len(), 2_000);
    }

    #[test]
    fn an_invalid_set_up_gives_an_error() {
        let (mut placement, wait) = placement();
        placement.order(job(0)).expect("a thread");
        wait();
        let (_, refused) = placement.take().expect("an answer");
        assert!(refused.is_err());
    }
}
