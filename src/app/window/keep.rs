//! Pictures and films of the window: the frames that it shows, without panel and glow, which are the GPU's.

use std::time::Instant;

use super::{App, Shown, drawable};
use crate::app::{event::Event, filming::Filming};

impl App<'_> {
    /// Keeps a picture of the frame that the window shows: panel and glow, which are the GPU's, are left out.
    pub(super) fn keep_picture(&mut self) {
        let Some(Shown { presenter: Some(presenter), size, .. }) = &mut self.shown else { return };
        if size.contains(&0) {
            return;
        }
        let said = match self.studio.picture(*size, presenter.bytes_mut()) {
            Ok(path) => format!("{} is a picture of the window", path.display()),
            Err(error) => error.to_string(),
        };
        self.tell(Some(Event::Notice(said)));
    }

    /// Begins a film of the frames that the window shows, as pictures are, or ends the one under way.
    pub(super) fn toggle_film(&mut self) {
        if self.filming.is_some() {
            self.end_film();
            return;
        }
        let Some(shown) = &self.shown else { return };
        let size = drawable(shown.size);
        let event = match self.studio.film(size) {
            Ok(film) => {
                let filming = Filming::new(film, size, Instant::now());
                let begun = Event::Filming(filming.path());
                self.filming = Some(filming);
                begun
            }
            Err(error) => Event::Notice(error.to_string()),
        };
        self.tell(Some(event));
    }

    /// Ends the film under way, if there is one, and says what became of it.
    pub(super) fn end_film(&mut self) {
        let Some(filming) = self.filming.take() else { return };
        self.session.filmed = None;
        let said = filming.finish().unwrap_or_else(|error| error.to_string());
        self.tell(Some(Event::Notice(said)));
    }
}
