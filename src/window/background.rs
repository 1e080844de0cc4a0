//! Another run is placed on a thread of its own while the one on show goes on: millions of agents take seconds.
//!
//! ```text
//! order ─► place ─► take         one at a time, as each is memory
//! order ─► (next) ──┘            whoever orders again meanwhile gets the last that was ordered: the one under way
//!                                is told to give up, and the next one begins as soon as its memory is free
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
    /// True for the start of the run on show.
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

/// What is being placed.
pub(super) struct BackgroundPlacement {
    /// Called from the other thread when something is there to be taken.
    wake: Arc<dyn Fn() + Send + Sync>,
    under_way: Option<UnderWay>,
    next: Option<PlacementJob>,
}

/// A run that a thread is placing, or has placed.
struct UnderWay {
    order: PlacementJob,
    placed: Receiver<Result<Sim>>,
    /// False once there is a newer order.
    wanted: Arc<AtomicBool>,
}

impl BackgroundPlacement {
    /// Nothing; `wake` is called when there is something to [`Self::take`].
    pub(super) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { wake: Arc::new(wake), under_way: None, next: None }
    }

    /// How many agents are being placed, or will be next.
    pub(super) fn agents(&self) -> Option<u32> {
        let under_way = self.under_way.as_ref().map(|under_way| &under_way.order);
        self.next.as_ref().or(under_way).map(|order| order.setup.agents)
    }

    /// Begins to place a run; if there is one under way, which nobody wants any more, as soon as that has given up.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn order(&mut self, order: PlacementJob) -> Result<()> {
        if let Some(under_way) = &self.under_way {
            under_way.wanted.store(false, Ordering::Relaxed);
            self.next = Some(order);
            return Ok(());
        }
        let task = order.clone();
        self.begin(order, move |wanted| task.place(wanted))
    }

    fn begin(
        &mut self,
        order: PlacementJob,
        place: impl FnOnce(&AtomicBool) -> Result<Sim> + Send + 'static,
    ) -> Result<()> {
        let (sender, placed) = channel();
        let wanted = Arc::new(AtomicBool::new(true));
        let still_wanted = Arc::clone(&wanted);
        let wake = Arc::clone(&self.wake);
        let work = move || {
            // A panic is told, too: it drops the sender, which is to be gone when this is heard of.
            scopeguard::defer! { wake() }
            let sender = sender;
            // Whoever closes the window doesn't wait for it.
            let _ = sender.send(place(&still_wanted));
        };
        thread::Builder::new()
            .name("jostle-place".into())
            .spawn(work)
            .map_err(|error| Error::refused(format!("no thread to place agents on ({error})")))?;
        self.under_way = Some(UnderWay { order, placed, wanted });
        Ok(())
    }

    /// What was ordered last, if it has been placed by now, or why it can't be.
    pub(super) fn take(&mut self) -> Option<(PlacementJob, Result<Sim>)> {
        let placed = match self.under_way.as_ref()?.placed.try_recv() {
            Ok(placed) => placed,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => {
                Err(Error::refused("the thread that placed the agents has failed; try again"))
            }
        };
        let UnderWay { order, .. } = self.under_way.take()?;
        let Some(next) = self.next.take() else { return Some((order, placed)) };
        // Its memory is for the next one.
        drop(placed);
        let refused = self.order(next.clone()).err()?;
        Some((next, Err(refused)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::{index::DoubleGrid, scene::Scene};

    fn order(agents: u32) -> PlacementJob {
        let setup = Setup { agents, ..Setup::new(Scene::Gas) };
        PlacementJob { setup, index: DoubleGrid::KIND, simd: SimdLevel::best(), again: false }
    }

    #[test]
    fn what_was_ordered_last_is_placed_and_nothing_else() {
        let (call, called) = mpsc::channel();
        let mut placing = BackgroundPlacement::new(move || call.send(()).expect("a listener"));
        assert!(placing.take().is_none() && placing.agents().is_none());
        for agents in [1_000, 2_000, 3_000] {
            placing.order(order(agents)).expect("a thread");
            assert_eq!(placing.agents(), Some(agents));
        }
        called.recv().expect("the first is placed");
        assert!(placing.take().is_none(), "nobody wants that any more");
        assert_eq!(placing.agents(), Some(3_000));
        called.recv().expect("the last is placed");
        let (_, sim) = placing.take().expect("a run");
        assert_eq!(sim.expect("there is memory").agents().len(), 3_000);
        assert!(placing.take().is_none() && placing.agents().is_none());
    }

    #[test]
    fn what_nobody_wants_any_more_does_not_hold_up_what_comes_next() {
        let (call, called) = mpsc::channel();
        let mut placing = BackgroundPlacement::new(move || call.send(()).expect("a listener"));
        // However long it takes, it is over when it is told so.
        let slow = |wanted: &AtomicBool| {
            while wanted.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Err(Error::refused("given up"))
        };
        placing.begin(order(20_000_000), slow).expect("a thread");
        placing.order(order(2_000)).expect("it comes next");
        let patience = std::time::Duration::from_mins(1);
        called.recv_timeout(patience).expect("the first gives up");
        assert!(placing.take().is_none());
        called.recv().expect("the last is placed");
        let (_, sim) = placing.take().expect("a run");
        assert_eq!(sim.expect("there is memory").agents().len(), 2_000);
    }

    #[test]
    fn a_thread_that_fails_is_a_reason_and_the_next_order_is_placed() {
        let (call, called) = mpsc::channel();
        let mut placing = BackgroundPlacement::new(move || call.send(()).expect("a listener"));
        // Unlike `panic!`, this prints nothing.
        let fail = |_: &AtomicBool| std::panic::resume_unwind(Box::new("no more"));
        placing.begin(order(1_000), fail).expect("a thread");
        called.recv().expect("it is told of");
        let (_, failed) = placing.take().expect("an answer");
        assert!(failed.is_err() && placing.agents().is_none());
        placing.begin(order(1_000), fail).expect("a thread");
        placing.order(order(2_000)).expect("it comes next");
        called.recv().expect("it is told of");
        assert!(placing.take().is_none(), "nobody wants that any more");
        called.recv().expect("the last is placed");
        let (_, sim) = placing.take().expect("a run");
        assert_eq!(sim.expect("there is memory").agents().len(), 2_000);
    }

    #[test]
    fn a_run_that_cannot_be_placed_is_a_reason() {
        let (call, called) = mpsc::channel();
        let mut placing = BackgroundPlacement::new(move || call.send(()).expect("a listener"));
        placing.order(order(0)).expect("a thread");
        called.recv().expect("an answer");
        let (_, refused) = placing.take().expect("an answer");
        assert!(refused.is_err());
    }
}
