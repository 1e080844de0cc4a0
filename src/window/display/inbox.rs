//! The events of winit, kept until the handler's turn.
//!
//! The handler steps, draws and presents for milliseconds. It does so after winit has returned
//! wherever that is possible: winit then runs for microseconds at a time, and the loss of an X
//! server is noticed before winit meets it.

use std::time::Instant;

use winit::{
    application::ApplicationHandler,
    event::WindowEvent,
    event_loop::{ActiveEventLoop, ControlFlow},
    window::WindowId,
};

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
    #[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
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
