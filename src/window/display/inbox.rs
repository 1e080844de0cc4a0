//! The events of winit, kept until the handler's turn.
//!
//! The handler steps, draws and presents for milliseconds. It does so after winit has returned
//! wherever that is possible: winit then runs for microseconds at a time, and the loss of an X
//! server is noticed before winit meets it.
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
use winit::{
    application::ApplicationHandler,
    event::WindowEvent,
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    platform::pump_events::EventLoopExtPumpEvents,
    window::WindowId,
};
use x11rb::{connection::Connection, rust_connection::RustConnection};

use crate::window::display::{Call, Handler, Incoming};

/// Events and calls in the order in which they came, and their handler.
pub(super) struct Inbox<'a, H> {
    pub(super) handler: &'a mut H,
    incoming: Vec<Incoming>,
    /// True if winit's event loop waits and runs alone, so that the work is done inside of it.
    nested: bool,
}

impl<'a, H: Handler> Inbox<'a, H> {
    /// An inbox for an event loop that runs alone.
    pub(super) fn nested(handler: &'a mut H) -> Self {
        Self { handler, incoming: Vec::new(), nested: true }
    }

    /// An inbox for an event loop that is run in turns with [`work`](Self::work).
    pub(super) fn in_turns(handler: &'a mut H) -> Self {
        Self { handler, incoming: Vec::new(), nested: false }
    }

    /// Handles everything that came in and does the work that is due. Returns the time of the next
    /// turn.
    ///
    /// That is now if anything came in. Handling it may leave requests that are not sent and events
    /// that are read but not reported, which no descriptor shows; winit deals with both first when
    /// it runs again.
    pub(super) fn work(&mut self) -> Option<Instant> {
        let handled = !self.incoming.is_empty();
        for incoming in self.incoming.drain(..) {
            if !self.handler.has_ended() {
                self.handler.handle(incoming);
            }
        }
        let next = if self.handler.has_ended() { None } else { self.handler.work() };
        if handled { Some(Instant::now()) } else { next }
    }
}

impl<H: Handler> ApplicationHandler<Call> for Inbox<'_, H> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        self.handler.open(event_loop);
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        self.incoming.push(Incoming::Event(event));
    }

    fn user_event(&mut self, _: &ActiveEventLoop, call: Call) {
        self.incoming.push(Incoming::Call(call));
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.nested {
            let next = self.work();
            event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
            if self.handler.has_ended() {
                event_loop.exit();
            }
        }
    }
}

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
