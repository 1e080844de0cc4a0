//! Snapshots of the run: saved and opened by keys, by a file that is dropped, and on the way.

use std::path::PathBuf;

use super::App;
use crate::{
    program::ProgramResult as Result,
    window::{
        event::{Event, sentence},
        session::replaying,
        snapshot_store::StoreOutcome,
    },
};

impl App<'_> {
    /// Saves the run. It goes on while the file is written.
    pub(super) fn save_run(&mut self) {
        match self.session.snapshot() {
            Ok(snapshot) => self.store.save(snapshot),
            Err(error) => self.emit(Some(Event::Notice(sentence(&error)))),
        }
    }

    /// Saves the run if a snapshot is due on the way.
    pub(super) fn save_on_the_way(&mut self) {
        if self.store.is_due(self.session.sim().steps()) {
            self.save_run();
        }
    }

    /// Opens a file: without a path, the snapshot that was saved or opened last.
    pub(super) fn open_run(&mut self, path: Option<PathBuf>) {
        if self.session.is_replaying() {
            return self.emit(Some(replaying()));
        }
        self.session.end_tour();
        self.store.open(path, self.session.sim().index(), self.session.threads());
    }

    /// Shows runs that were opened, and reports what was saved.
    pub(super) fn take_stored(&mut self) {
        for done in self.store.take() {
            self.report_stored(done);
        }
    }

    /// Saves the run at its end if that was asked for, waits for the files, and reports them.
    pub(super) fn finish_snapshots(&mut self) {
        if self.store.at_end {
            self.save_run();
        }
        for done in self.store.finish() {
            self.report_stored(done);
        }
    }

    fn report_stored(&mut self, done: Result<StoreOutcome>) {
        let text = match done {
            Ok(StoreOutcome::Saved(path)) => format!("saved {}", path.display()),
            Ok(StoreOutcome::Opened(path, opened)) => {
                let (snapshot, sim) = *opened;
                let steps = sim.steps();
                let shown = self.session.open(&snapshot, sim);
                self.report_events();
                match shown {
                    Ok(()) => format!("opened {} after step {steps}", path.display()),
                    Err(error) => format!("{}: {}", path.display(), sentence(&error)),
                }
            }
            Err(error) => sentence(&error),
        };
        self.emit(Some(Event::Notice(text)));
    }
}
