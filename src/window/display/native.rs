//! Windows and macOS: the display is part of the system.

use std::time::Instant;

use winit::{
    application::ApplicationHandler,
    event_loop::EventLoop,
    window::{Fullscreen, Window, WindowAttributes},
};

use crate::window::display::{Call, Handler, Line, Trouble, unopened};

/// What to do if the window can't be opened all the same.
pub(super) const REMEDY: &str = "`jostle run` needs none";

/// The display.
pub(in crate::window) struct Display(EventLoop<Call>);

impl Display {
    /// The display of this system: there always is one.
    pub(in crate::window) fn open() -> Result<Self, Trouble> {
        EventLoop::with_user_event()
            .build()
            .map(Self)
            .map_err(|error| Trouble::Unusable(unopened(error)))
    }

    /// What calls the window, from any thread.
    pub(in crate::window) fn line(&self) -> Line {
        Line(self.0.create_proxy())
    }

    /// Runs until the event loop is left.
    pub(in crate::window) fn run(&mut self, app: &mut impl Handler) -> Result<(), String> {
        self.0.run_app_on_demand(app).map_err(|error| error.to_string())
    }
}

/// What the system knows the window by, beside its title.
pub(in crate::window) fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

/// True if the system reports the window as full screen.
pub(in crate::window) fn is_full_screen(window: &Window) -> bool {
    window.fullscreen().is_some()
}

/// Asks the system for full screen, or for a window again.
pub(in crate::window) fn request_full_screen(window: &Window, full: bool) {
    window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
}
