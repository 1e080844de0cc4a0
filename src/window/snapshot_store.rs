//! Runs on their way to files and back: on a thread of their own, so that the window runs on. They
//! are saved and opened in order, so a run that was just saved can be opened.

use std::path::PathBuf;

use crate::{
    index::IndexKind,
    journal::Replay,
    program::{ProgramError, ProgramResult as Result},
    sim::Sim,
    snapshot::Snapshot,
    window::{
        clipboard::RunSource,
        worker::{Worker, caught},
    },
};

/// Saves a snapshot; returns the name of its file. Fails if the file can't be written.
pub(crate) type SaveSnapshot = Box<dyn Fn(&Snapshot) -> Result<PathBuf> + Send>;

/// Opens a run, if there is memory for it with that index and number of threads. Fails if the file
/// can't be read, no run begins with it, or there is not enough memory.
type OpenRun = Box<dyn Fn(&RunSource, IndexKind, usize) -> Result<OpenedRun> + Send>;

/// A run that was opened.
pub(crate) struct OpenedRun {
    /// Its first state, with the additions of a window.
    pub(crate) snapshot: Snapshot,
    /// The run in that state.
    pub(crate) sim: Sim,
    /// The journal that changes it.
    pub(crate) replay: Option<Replay>,
}

/// The functions that write and read files of snapshots, and when the window calls them.
pub(crate) struct SnapshotOptions {
    /// Saves a snapshot.
    pub(crate) save: SaveSnapshot,
    /// Opens a run.
    pub(crate) open: OpenRun,
    /// The file that the window begins with.
    pub(crate) loaded: Option<PathBuf>,
    /// True if the run is saved when the window closes.
    pub(crate) at_end: bool,
    /// Steps from one snapshot to the next, if the run is saved on its way.
    pub(crate) every: Option<u64>,
}

enum StoreOrder {
    Save(Snapshot),
    Open(OpenedFrom, IndexKind, usize),
}

/// From where a run is opened.
pub(super) enum OpenedFrom {
    /// The file that was saved or opened last.
    Last,
    Source(RunSource),
}

/// The outcome of an order.
pub(super) enum StoreOutcome {
    Saved(PathBuf),
    Opened(RunSource, Box<OpenedRun>),
}

/// The thread that saves and opens.
pub(super) struct SnapshotStore {
    worker: Worker<StoreOrder, Result<StoreOutcome>>,
    /// Orders that are not done yet.
    pending: usize,
    /// Whether a run that is opened is still wanted.
    wanted: bool,
    /// Whether the run is saved when the window closes.
    pub(super) at_end: bool,
    every: Option<u64>,
    /// The number of snapshots that were due when the run was last looked at.
    due: u64,
}

impl SnapshotStore {
    /// Starts the thread, which calls `wake` when there is something to [`Self::take`]. The run is at
    /// step `steps`.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(
        options: SnapshotOptions,
        steps: u64,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let SnapshotOptions { save, open, loaded: mut last, at_end, every } = options;
        let mut carry_out = move |order| match order {
            StoreOrder::Save(snapshot) => {
                let path = save(&snapshot)?;
                last = Some(path.clone());
                Ok(StoreOutcome::Saved(path))
            }
            StoreOrder::Open(from, index, threads) => {
                let source = match from {
                    OpenedFrom::Last => last.clone().map(RunSource::File).ok_or_else(|| {
                        ProgramError::refused(
                            "no snapshot was saved or opened in this window; save one with Ctrl-S, or \
                             drop a .jostle file here",
                        )
                    })?,
                    OpenedFrom::Source(source) => source,
                };
                let opened = open(&source, index, threads)?;
                if let (RunSource::File(path), None) = (&source, &opened.replay) {
                    last = Some(path.clone());
                }
                Ok(StoreOutcome::Opened(source, Box::new(opened)))
            }
        };
        let failed = "saving or opening a run has failed; try again";
        let work = move |order| Some(caught(failed, || carry_out(order)));
        let worker = Worker::new("store", work, wake)?;
        let due = every.map_or(0, |every| steps / every);
        Ok(Self { worker, pending: 0, wanted: false, at_end, every, due })
    }

    /// True if the run at that step has to be saved on its way. It has not while the snapshot before
    /// is still being written.
    pub(super) fn is_due(&mut self, steps: u64) -> bool {
        let Some(every) = self.every else { return false };
        let (before, now) = (self.due, steps / every);
        if now > before && self.pending > 0 {
            return false;
        }
        self.due = now;
        now > before
    }

    /// Saves a snapshot.
    pub(super) fn save(&mut self, snapshot: Snapshot) {
        self.order(StoreOrder::Save(snapshot));
    }

    /// Opens a run.
    pub(super) fn open(&mut self, from: OpenedFrom, index: IndexKind, threads: usize) {
        self.wanted = true;
        self.order(StoreOrder::Open(from, index, threads));
    }

    /// Cancels what is being opened, because the user wants another run.
    pub(super) fn cancel(&mut self) {
        self.wanted = false;
    }

    fn order(&mut self, order: StoreOrder) {
        self.pending += 1;
        self.worker.order(order);
    }

    /// The outcomes of orders that are done, without runs that are not wanted any more.
    pub(super) fn take(&mut self) -> Vec<Result<StoreOutcome>> {
        let done: Vec<_> = self.worker.take().collect();
        self.wanted_of(done)
    }

    /// Waits until all orders are done; their outcomes, without runs, as none is shown any more.
    pub(super) fn finish(&mut self) -> Vec<Result<StoreOutcome>> {
        self.wanted = false;
        let done: Vec<_> = (0..self.pending).map_while(|_| self.worker.wait()).collect();
        self.wanted_of(done)
    }

    fn wanted_of(&mut self, mut done: Vec<Result<StoreOutcome>>) -> Vec<Result<StoreOutcome>> {
        self.pending -= done.len();
        let wanted = self.wanted;
        done.retain(|done| wanted || !matches!(done, Ok(StoreOutcome::Opened(..))));
        done
    }
}
