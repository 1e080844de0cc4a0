//! Runs that are saved, opened, dropped and pasted, and the world file of the run, which is watched.

use std::path::{Path, PathBuf};

use super::App;
use crate::{
    program::ProgramResult as Result,
    window::{
        clipboard::{PasteTarget, Pasted, RunSource},
        event::{Event, sentence},
        session::replaying,
        snapshot_store::{OpenedFrom, StoreOutcome},
    },
    world::title_of,
};

impl App<'_> {
    /// Saves the run. It goes on while the file is written.
    pub(super) fn save_run(&mut self) {
        match self.session.snapshot() {
            Ok(snapshot) => self.store.save(snapshot),
            Err(error) => self.emit(Event::Notice(sentence(&error))),
        }
    }

    /// Reads the clipboard, which may take seconds.
    pub(super) fn paste(&mut self, to: PasteTarget) {
        if to == PasteTarget::Run && self.session.host.is_replaying() {
            return self.emit(replaying());
        }
        if let Err(error) = self.clipboard.read(to) {
            self.emit(Event::Notice(sentence(&error)));
        }
    }

    /// Opens what was in the clipboard, or gives it to the text field that has asked for it.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn take_pasted(&mut self) -> Result<()> {
        match self.clipboard.take() {
            Some(Pasted::Run(Ok(source))) => self.open_run(OpenedFrom::Source(source)),
            Some(Pasted::Run(Err(error))) => self.emit(Event::Notice(sentence(&error))),
            Some(Pasted::Field(Some(text))) => {
                if self.panel.paste(text) {
                    self.lay_out_panel()?;
                }
            }
            Some(Pasted::Field(None)) | None => {}
        }
        Ok(())
    }

    /// Opens a run.
    pub(super) fn open_run(&mut self, from: OpenedFrom) {
        if self.session.host.is_replaying() {
            return self.emit(replaying());
        }
        let ended = self.session.end_tour();
        self.emit(ended);
        self.store.open(from, self.session.sim().index(), self.session.host.threads());
    }

    /// Shows a run that was opened, and reports what was opened or saved.
    pub(super) fn report_stored(&mut self, done: Result<StoreOutcome>) {
        let text = match done {
            Ok(StoreOutcome::Saved(path)) => format!("saved {}", path.display()),
            Ok(StoreOutcome::Opened(_, opened))
                if opened.replay.is_some() && self.session.host.records_journal() =>
            {
                "a journal can't be replayed while --journal records another; open it in a window of its own"
                    .to_owned()
            }
            Ok(StoreOutcome::Opened(source, opened)) => {
                let name = match &source {
                    RunSource::File(path) => path.display().to_string(),
                    RunSource::Text(_) => "the text of the clipboard".to_owned(),
                };
                let steps = opened.sim.steps();
                let shown = self.session.open(*opened);
                self.report_events();
                let shown = shown.and_then(|()| match source {
                    RunSource::File(path) if is_toml(&path) => self.watch_world_file(path),
                    // A file of the same name must not replace a pasted world.
                    RunSource::Text(_) => {
                        (self.world_file, self.world_text) = (None, None);
                        Ok(())
                    }
                    // Nor is the run of a snapshot replaced by what the file has become meanwhile.
                    RunSource::File(_) => {
                        self.world_text = None;
                        Ok(())
                    }
                });
                match shown {
                    Ok(()) => {
                        let hint = &self.session.reports.message;
                        format!("opened {name} after step {steps}; {hint}")
                    }
                    Err(error) => format!("{name}: {}", sentence(&error)),
                }
            }
            Err(error) => sentence(&error),
        };
        self.emit(Event::Notice(text));
    }

    /// Watches the world file of the run.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn watch_world_file(&mut self, path: PathBuf) -> Result<()> {
        let source = self.session.sim().rule_source();
        let text = source.map_or(String::new(), |source| source.text.clone());
        self.world_file = Some((title_of(&path), (self.watcher)(path, text)?));
        self.world_text = None;
        self.world_is_wrong = false;
        Ok(())
    }

    /// Goes on with the world file as it is now, or once a run of it is shown again.
    pub(super) fn take_world_file(&mut self) {
        let Some((name, watch)) = &self.world_file else { return };
        if let Some(text) = watch.take() {
            self.world_text = Some(text);
        }
        let source = self.session.sim().rule_source();
        let is_shown = source.is_some_and(|source| source.name == *name);
        let Some(text) = self.world_text.take_if(|_| is_shown) else { return };
        let taken = text.and_then(|text| self.session.take_text(name, &text));
        let mended = format!("{name}.toml is again as the run has it");
        self.report_events();
        let was_wrong = std::mem::replace(&mut self.world_is_wrong, taken.is_err());
        match taken {
            Ok(None) if was_wrong => self.emit(Event::Notice(mended)),
            Ok(event) => self.emit(event),
            Err(error) => self.emit(Event::Notice(sentence(&error))),
        }
    }
}

/// Whether a file is a world file.
fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"))
}
