//! Pictures and films of the window, without panel and glow, which the presenter adds.

use std::time::Instant;

use super::{App, Shown};
use crate::{
    error::Result,
    window::{display::Call, event::Event},
};

impl App<'_> {
    /// Saves a picture of the frame that the window shows.
    pub(super) fn save_picture(&mut self) {
        let Some(Shown { presenter: Some(presenter), size, .. }) = &mut self.shown else { return };
        if size.contains(&0) {
            return;
        }
        // A window that has just been resized has not drawn a frame of its new size yet.
        if self.drawn.replace(*size) != Some(*size) {
            self.session.draw(&mut presenter.bytes);
        }
        let path = self.capture.picture(*size, &presenter.bytes);
        self.report(path.map(|path| format!("saved {}", path.display())));
    }

    /// Begins a film of the window, or ends it. The window runs on while the film is written.
    pub(super) fn toggle_film(&mut self) {
        if self.recorder.is_recording() {
            self.recorder.end();
            self.report_written_films();
            return;
        }
        let Some(shown) = &self.shown else { return };
        let (size, waker) = (shown.size, self.waker.clone());
        if size.contains(&0) {
            return;
        }
        let notify = Box::new(move || waker.call(Call::Written));
        match self.capture.film(size, notify) {
            Ok(film) => {
                let path = self.recorder.begin(film, size, Instant::now());
                self.emit(Some(Event::set("filming", path.display())));
            }
            Err(error) => self.report(Err(error)),
        }
    }

    /// Reports the films that have been written.
    pub(super) fn report_written_films(&mut self) {
        let written = self.recorder.take_written();
        self.session.filmed = self.recorder.seconds();
        for outcome in written {
            self.report(outcome);
        }
    }

    /// Ends all films, waits until they are written, and reports them.
    pub(super) fn finish_films(&mut self) {
        for outcome in self.recorder.finish() {
            self.report(outcome);
        }
    }

    fn report(&mut self, outcome: Result<String>) {
        let text = outcome.unwrap_or_else(|error| error.to_string());
        self.emit(Some(Event::Notice(text)));
    }
}
