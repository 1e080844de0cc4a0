//! Full screen: requested, and requested again until the desktop has done it.

use std::time::Instant;

use super::{App, sides};
use crate::{
    error::Result,
    window::{display, event::Event, full_screen::FullScreenRequest},
};

impl App<'_> {
    /// Requests full screen, or a window again: the opposite of the state that is wanted so far.
    pub(super) fn toggle_full_screen(&mut self) {
        let Some(shown) = &self.shown else { return };
        let wanted = self.full_screen.map(|request| request.full);
        let full = !wanted.unwrap_or_else(|| display::is_full_screen(&shown.window));
        display::request_full_screen(&shown.window, full);
        self.full_screen = Some(FullScreenRequest::new(full, Instant::now()));
        self.tell(Some(Event::FullScreen(full)));
    }

    /// Checks a request that is due: the state that the desktop reports, and the window's size.
    ///
    /// # Errors
    /// As [`Self::resize`].
    pub(super) fn check_full_screen(&mut self, now: Instant) -> Result<()> {
        let Some(request) = self.full_screen.filter(|request| request.due <= now) else {
            return Ok(());
        };
        let Some(shown) = &self.shown else { return Ok(()) };
        self.busy = true;
        if display::is_full_screen(&shown.window) == request.full {
            self.full_screen = None;
            let size = sides(shown.window.inner_size());
            return self.resize(size);
        }
        self.full_screen = request.again(now);
        if self.full_screen.is_some() {
            display::request_full_screen(&shown.window, request.full);
        } else {
            let change = if request.full { "make the window full screen" } else { "end it" };
            self.tell(Some(Event::Notice(format!("full screen: the desktop does not {change}"))));
        }
        Ok(())
    }
}
