//! The display of a system that has one of its own, such as macOS and Windows. Type-checked, and not
//! tested there.

use winit::{
    error::EventLoopError,
    event_loop::EventLoop,
    platform::run_on_demand::EventLoopExtRunOnDemand,
    window::{Fullscreen, Window, WindowAttributes},
};

use crate::window::display::{Call, Handler, Trouble, Waker, inbox::Inbox, unopened};

/// The display, with winit connected to it.
pub(in crate::window) struct NativeDisplay {
    event_loop: EventLoop<Call>,
}

impl NativeDisplay {
    /// Opens the display.
    pub(in crate::window) fn open() -> Result<Self, Trouble> {
        match EventLoop::with_user_event().build() {
            Ok(event_loop) => Ok(Self { event_loop }),
            Err(error @ EventLoopError::NotSupported(_)) => {
                Err(Trouble::NoDisplay(format!("no display: {error}")))
            }
            Err(error) => Err(Trouble::Unusable(unopened(error))),
        }
    }

    /// Returns a waker of the window.
    pub(in crate::window) fn waker(&self) -> Waker {
        Waker(self.event_loop.create_proxy())
    }

    /// Runs the event loop until it ends. The error is a clause that says why the display was lost.
    pub(in crate::window) fn run(&mut self, app: &mut impl Handler) -> Result<(), String> {
        let mut inbox = Inbox::nested(app);
        self.event_loop.run_app_on_demand(&mut inbox).map_err(|error| error.to_string())
    }
}

/// Returns the attributes: these systems know a program by its file.
pub(in crate::window) fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

/// True if the window is full screen.
pub(in crate::window) fn is_full_screen(window: &Window) -> bool {
    window.fullscreen().is_some()
}

/// Requests full screen or a window from the desktop.
pub(in crate::window) fn request_full_screen(window: &Window, full: bool) {
    window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
}
