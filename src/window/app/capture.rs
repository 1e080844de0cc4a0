//! Pictures and films of the window: its frames without panel and glow, which only the GPU draws.

use std::time::Instant;

use super::{App, Shown};
use crate::{
    error::Result,
    window::{display::Call, event::Event},
};

impl App<'_> {
    /// Saves a picture of the frame in the window.
    pub(super) fn save_picture(&mut self) {
        let Some(Shown { presenter: Some(presenter), size, .. }) = &mut self.shown else { return };
        if size.contains(&0) {
            return;
        }
        // After a resize there may be no frame of the new size yet.
        if self.drawn.replace(*size) != Some(*size) {
            self.session.draw(presenter.bytes_mut());
        }
        let said = match self.capture.picture(*size, presenter.bytes_mut()) {
            Ok(path) => format!("saved {}", path.display()),
            Err(error) => error.to_string(),
        };
        self.tell(Some(Event::Notice(said)));
    }

    /// Starts a film of the window, or ends the one under way. The rest of a film is written while
    /// the window goes on.
    pub(super) fn toggle_film(&mut self) {
        if self.films.is_on() {
            self.films.end();
            self.tell_written();
            return;
        }
        let Some(shown) = &self.shown else { return };
        let (size, line) = (shown.size, self.line.clone());
        if size.contains(&0) {
            return;
        }
        let written = Box::new(move || line.call(Call::Written));
        let event = match self.capture.film(size, written) {
            Ok(film) => Event::Filming(self.films.begin(film, size, Instant::now())),
            Err(error) => Event::Notice(error.to_string()),
        };
        self.tell(Some(event));
    }

    /// Reports the films that have been written.
    pub(super) fn tell_written(&mut self) {
        let written = self.films.written();
        self.session.filmed = self.films.seconds();
        self.tell_films(written);
    }

    /// Ends all films, waits until they are written, and reports them.
    pub(super) fn finish_films(&mut self) {
        let finished = self.films.finish();
        self.tell_films(finished);
    }

    fn tell_films(&mut self, outcomes: Vec<Result<String>>) {
        for outcome in outcomes {
            let said = outcome.unwrap_or_else(|error| error.to_string());
            self.tell(Some(Event::Notice(said)));
        }
    }
}
