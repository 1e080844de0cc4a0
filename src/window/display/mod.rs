//! Which display there is, and whether it can be used: found out before winit tries, because winit
//! panics over a missing library and mixes up no display with one that is broken.

use std::time::Instant;

use winit::{application::ApplicationHandler, event_loop::EventLoopProxy};

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
pub(super) use free::{Display, is_full_screen, named, request_full_screen};
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
use native::REMEDY;
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
pub(super) use native::{Display, is_full_screen, named, request_full_screen};

/// What the window is called for by somebody who is not its display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// It is to close.
    Close,
    /// Something was written that it waits for.
    Written,
    /// Agents were placed that it waits for.
    Placed,
}

/// Calls the window, from any thread.
#[derive(Clone, Debug)]
pub(super) struct Line(EventLoopProxy<Call>);

impl Line {
    /// Calls; once the event loop is left, nobody hears it.
    pub(super) fn call(&self, call: Call) {
        let _ = self.0.send_event(call);
    }
}

/// What a display needs to know of the one that it calls.
pub(super) trait Handler: ApplicationHandler<Call> {
    /// When it wants to be called although nothing happens.
    fn wake(&self) -> Option<Instant>;

    /// True if anything was done since the last call, other than to see what is due.
    fn take_busy(&mut self) -> bool;
}

/// Why no window can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Nobody shows windows here: a clause for the user.
    NoDisplay(String),
    /// Somebody does, but can't be talked to: a sentence for the user, with the remedy.
    Unusable(String),
}

/// The sentence for a window that can't be opened although somebody answers.
pub(super) fn unopened(reason: impl std::fmt::Display) -> String {
    format!("no window can be opened ({reason}); {REMEDY}")
}
