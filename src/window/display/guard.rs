//! Connections to the X server that notice before winit's does when the server goes away.
//!
//! Xlib ends the whole program when it finds its connection closed, in two lines about request
//! numbers. So winit is let near Xlib only when these were found open just before. There are two, one
//! older than winit's and one newer: a server that leaves closes the oldest first, and a kernel that
//! cleans up after a dead one closes the newest first.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use winit::{
    event_loop::EventLoop,
    platform::pump_events::{EventLoopExtPumpEvents, PumpStatus},
};
use x11rb::{connection::Connection, rust_connection::RustConnection};

use crate::window::display::{Call, Handler};

/// Runs the event loop until it is left, or until the server is gone: the reason, as a clause.
pub(super) fn run(
    guards: &[RustConnection; 2],
    event_loop: &mut EventLoop<Call>,
    app: &mut impl Handler,
) -> Result<(), String> {
    loop {
        for guard in guards {
            if let Err(error) = guard.poll_for_event() {
                return Err(format!("the X server is gone: {error}"));
            }
        }
        if let PumpStatus::Exit(_) = event_loop.pump_app_events(Some(Duration::ZERO), app) {
            return Ok(());
        }
        // What the handler does may leave requests unsent and events read but not dealt with, which no
        // descriptor tells of. winit sees to both before anything else when it is let on: so it is let
        // on again, without waiting, until the handler had nothing to do.
        if !app.take_busy() {
            wait(guards, event_loop, app.wake());
        }
    }
}

/// Waits for any connection to have something to say, or for the time.
fn wait(guards: &[RustConnection; 2], event_loop: &EventLoop<Call>, until: Option<Instant>) {
    let timeout = until.map(|until| until.saturating_duration_since(Instant::now()));
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    let [older, newer] = guards;
    let mut heard = [
        PollFd::new(event_loop, PollFlags::IN),
        PollFd::new(older.stream(), PollFlags::IN),
        PollFd::new(newer.stream(), PollFlags::IN),
    ];
    match poll(&mut heard, timeout.as_ref()) {
        // A signal is something that happens, too: the caller looks and comes back.
        Ok(_) | Err(Errno::INTR) => {}
        Err(_) => std::thread::yield_now(),
    }
}
