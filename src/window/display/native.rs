//! The display of Windows and macOS, which is part of the system.

use winit::{
    event_loop::EventLoop,
    window::{Fullscreen, Window, WindowAttributes},
};

use crate::window::display::{Call, Handler, Trouble, Waker, inbox::Inbox, unopened};

/// Remedy if the window can't be opened.
pub(super) const REMEDY: &str = "`jostle run` needs no window";

/// The display.
pub(in crate::window) struct NativeDisplay(EventLoop<Call>);

impl NativeDisplay {
    /// Opens the display of this system, which always exists.
    pub(in crate::window) fn open() -> Result<Self, Trouble> {
        EventLoop::with_user_event()
            .build()
            .map(Self)
            .map_err(|error| Trouble::Unusable(unopened(error)))
    }

    /// Returns a waker of the window.
    pub(in crate::window) fn waker(&self) -> Waker {
        Waker(self.0.create_proxy())
    }

    /// Runs the event loop until it ends.
    pub(in crate::window) fn run(&mut self, app: &mut impl Handler) -> Result<(), String> {
        self.0.run_app_on_demand(&mut Inbox::nested(app)).map_err(|error| error.to_string())
    }
}

/// Adds no name, because the system knows the window by its title.
pub(in crate::window) fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

/// True if the system reports the window as full screen.
pub(in crate::window) fn is_full_screen(window: &Window) -> bool {
    window.fullscreen().is_some()
}

/// Requests full screen or a window from the system.
pub(in crate::window) fn request_full_screen(window: &Window, full: bool) {
    window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
}
