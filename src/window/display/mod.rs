//! The display of this session, and whether it can be used.
//!
//! The display is checked before winit opens it, because winit panics if a library is missing, and
//! because it reports a missing display and a broken one alike.

use std::time::Instant;

use winit::{application::ApplicationHandler, event_loop::EventLoopProxy};

use crate::error::Error;

#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
mod free;
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
mod guard;
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
mod native;
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
mod x11;

#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
use free::REMEDY;
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
pub(super) use free::{UnixDisplay as Display, is_full_screen, named, request_full_screen};
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
use native::REMEDY;
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
pub(super) use native::{NativeDisplay as Display, is_full_screen, named, request_full_screen};

/// A call from another thread that wakes the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The window must close.
    Close,
    /// A film was written.
    Written,
    /// Agents of another run were placed.
    Placed,
}

/// Wakes the window from any thread.
#[derive(Clone, Debug)]
pub(super) struct Waker(EventLoopProxy<Call>);

impl Waker {
    /// Sends a call, which is lost once the event loop has ended.
    pub(super) fn call(&self, call: Call) {
        let _ = self.0.send_event(call);
    }
}

/// An event handler that tells the display when it must be woken.
pub(super) trait Handler: ApplicationHandler<Call> {
    /// Time at which the handler must be woken without an event.
    fn wake(&self) -> Option<Instant>;

    /// True if the handler has handled an event since the last call.
    fn take_busy(&mut self) -> bool;
}

/// Why no window can be opened.
pub(super) enum Trouble {
    /// There is no display: a clause for the user.
    NoDisplay(String),
    /// The display can't be used.
    Unusable(Error),
}

/// The error of a window that can't be opened on a display that answers.
pub(super) fn unopened(reason: impl std::fmt::Display) -> Error {
    Error::Display(format!("can't open a window ({reason}); {REMEDY}"))
}
