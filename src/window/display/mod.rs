//! The display of this session, and whether it can be used.
//!
//! The display is checked before winit opens it, because winit panics if a library is missing, and
//! because it reports a missing display and a broken one alike.

use std::time::Instant;

use winit::{
    event::WindowEvent,
    event_loop::{ActiveEventLoop, EventLoopProxy},
};

use crate::program::ProgramError;

#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
mod guarded;
mod inbox;
// Displays are of Wayland and X11 on Linux and the BSDs. Elsewhere there is the system's one.
#[cfg(not(all(unix, not(any(target_vendor = "apple", target_os = "android")))))]
mod native;
#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
mod server;
#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
mod x11;

#[cfg(not(all(unix, not(any(target_vendor = "apple", target_os = "android")))))]
pub(super) use native::{NativeDisplay as Display, is_full_screen, named, request_full_screen};
#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
pub(super) use server::{Display, is_full_screen, named, request_full_screen};

/// A call from another thread that wakes the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// The window must close.
    Close,
    /// A film was written.
    Written,
    /// A snapshot was saved or opened.
    Stored,
    /// Agents of another run were placed.
    Placed,
    /// The world file has changed.
    Changed,
    /// The clipboard was read.
    Pasted,
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

/// An input of a window.
pub(super) enum Incoming {
    /// An event of the window.
    Event(WindowEvent),
    /// A call from another thread.
    Call(Call),
}

/// The actions of a window.
pub(super) trait Handler {
    /// Opens the window.
    fn open(&mut self, event_loop: &ActiveEventLoop);

    /// Handles an event or a call.
    fn handle(&mut self, incoming: Incoming);

    /// Does the work that is due, and returns the time of the next.
    fn work(&mut self) -> Option<Instant>;

    /// True once the window is closed or has failed.
    fn has_ended(&self) -> bool;
}

/// Why no window can be opened.
pub(super) enum Trouble {
    /// There is no display: a clause for the user.
    NoDisplay(String),
    /// The display can't be used.
    Unusable(ProgramError),
}

/// The error of a window that can't be opened on a display that answers.
pub(super) fn unopened(reason: impl std::fmt::Display) -> ProgramError {
    ProgramError::Display(format!("can't open a window ({reason}); `jostle run` needs none"))
}
