//! An event loop on an X server, whose loss ends no program.
//!
//! Xlib ends the whole program when it finds its connection closed. So on an X server winit runs only
//! right after guard connections were found open, and returns before the handler works. There are two
//! guards, one older than winit's connection and one newer: a server that exits closes the oldest
//! connection first, and a kernel that cleans up after a dead server closes the newest first.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use winit::{event_loop::EventLoop, platform::pump_events::EventLoopExtPumpEvents};
use x11rb::{connection::Connection, rust_connection::RustConnection};

use crate::window::display::{Call, Handler, inbox::Inbox};

/// Runs the event loop until it ends. The error is a clause that says why the server was lost.
pub(super) fn run_guarded(
    guards: &[RustConnection; 2],
    event_loop: &mut EventLoop<Call>,
    app: &mut impl Handler,
) -> Result<(), String> {
    let mut inbox = Inbox::in_turns(app);
    while !inbox.handler.has_ended() {
        for guard in guards {
            if let Err(error) = guard.poll_for_event() {
                return Err(format!("the X server is gone: {error}"));
            }
        }
        event_loop.pump_app_events(Some(Duration::ZERO), &mut inbox);
        let next = inbox.work();
        if !inbox.handler.has_ended() {
            wait(guards, event_loop, next);
        }
    }
    Ok(())
}

/// Waits until a connection is readable, or until the given time.
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
        // After a signal the caller checks everything and waits again.
        Ok(_) | Err(Errno::INTR) => {}
        Err(_) => std::thread::yield_now(),
    }
}
