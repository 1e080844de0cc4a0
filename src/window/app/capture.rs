//! Pictures and films of the window, without the panel.

use std::time::{Duration, Instant};

use super::{App, Shown};
use crate::{
    format,
    program::ProgramResult as Result,
    window::{
        display::Call,
        event::Event,
        film_options::{FilmFormat, FilmOptions, FilmProgress, FilmTime},
        film_recorder::{FrameTime, LARGE, LONG},
    },
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
        let FilmOptions { format, time } = self.session.film_options;
        match self.capture.film(format, size, self.session.style(), notify) {
            Ok(film) => {
                let now = FrameTime { wall: Instant::now(), played: self.session.played() };
                let path = self.recorder.begin(film, time, size, now);
                self.show_film();
                self.emit(Some(Event::set("filming", path.display())));
            }
            Err(error) => self.report(Err(error)),
        }
    }

    /// Offers the frame on the screen to the film; false if that has ended it.
    pub(super) fn film(&mut self, played: Duration) -> bool {
        let Some(Shown { presenter: Some(presenter), size, .. }) = &mut self.shown else {
            return true;
        };
        let now = FrameTime { wall: Instant::now(), played };
        let goes_on = self.recorder.offer(now, *size, &presenter.bytes);
        let before = self.session.filmed.map_or(0, |film| film.seconds);
        self.show_film();
        let is_y4m = self.session.film_options.format == FilmFormat::Y4m;
        if let Some(FilmProgress { seconds, bytes_per_minute: Some(minute), .. }) =
            self.session.filmed
            && !is_y4m
        {
            let lasts = |least: u64| before < least && seconds >= least;
            if lasts(LONG) || lasts(1) && minute >= LARGE {
                self.emit(Some(Event::Notice(format!(
                    "a minute of this film takes {}; for a long one choose a smaller window, or y4m in \
                     the panel (Tab), of which ffmpeg makes a small video",
                    format::bytes(minute)
                ))));
            }
        }
        goes_on
    }

    /// Shows how far the film has come.
    fn show_film(&mut self) {
        self.session.filmed = self.recorder.progress();
        self.session.timestep.filmed = self.recorder.time() == Some(FilmTime::Simulated);
    }

    /// Reports the films that have been written.
    pub(super) fn report_written_films(&mut self) {
        let written = self.recorder.take_written();
        self.show_film();
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
