//! The window: winit's events in, frames out.
//!
//! ```text
//! winit ─► App ─┬─ lifecycle    opening, closing, and the settings of the next time
//!               ├─ input        keys and mouse become commands; commands are applied
//!               ├─ panel        laid out, gets events first, gives commands
//!               ├─ frames       steps and frames
//!               ├─ full_screen  requests to the desktop
//!               └─ capture      pictures and films of the window
//! ```

mod capture;
mod frames;
mod full_screen;
mod input;
mod lifecycle;
mod panel;

pub(crate) use self::lifecycle::{WatchOptions, WatchOutcome, watch};

use std::{sync::Arc, time::Instant};

use winit::{
    application::ApplicationHandler,
    dpi::PhysicalSize,
    event::{MouseButton, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow},
    keyboard::ModifiersState,
    window::{Window, WindowId},
};

use crate::{
    error::{Error, Result},
    format,
    raster::Frame,
    scene::Setup,
    window::{
        capture::Capture,
        display::{Call, Handler, Waker},
        event::Event,
        film_recorder::FilmRecorder,
        panel::Panel,
        present::Presenter,
        schedule::{Next, Schedule},
        session::Session,
        settings::Settings,
    },
};
use full_screen::FullScreenRequest;

/// An open window.
struct Shown {
    window: Arc<Window>,
    /// `None` once it is lost.
    presenter: Option<Presenter>,
    size: [u32; 2],
}

/// Everything between winit and the session.
struct App<'a> {
    session: Session,
    panel: Panel,
    settings: Settings,
    /// Why saved settings couldn't be used, until it is reported.
    trouble: Option<String>,
    capture: &'a mut dyn Capture,
    recorder: FilmRecorder,
    waker: Waker,
    /// Modifier keys that are held.
    modifiers: ModifiersState,
    /// The mouse button that was pressed last, while it is held.
    held: Option<MouseButton>,
    tell: &'a mut dyn FnMut(&Event),
    shown: Option<Shown>,
    failed: Option<Error>,
    schedule: Schedule,
    /// Size of the presenter's frame; `None` before the first, and after a resize.
    drawn: Option<[u32; 2]>,
    frames: u64,
    /// A change of full screen that the desktop has yet to make.
    full_screen: Option<FullScreenRequest>,
    wake: Option<Instant>,
    busy: bool,
    /// True after the command to close the window.
    quits: bool,
}

impl App<'_> {
    fn emit(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.schedule.touch();
            self.panel.touch();
            if event.is_message() {
                self.session.message = event.to_string();
            }
            (self.tell)(&event);
        }
    }

    fn close(&mut self, event_loop: &ActiveEventLoop) {
        self.remember();
        (self.tell)(&Event::Closed);
        event_loop.exit();
    }

    /// Handles an event that is not the panel's.
    fn handle(&mut self, event: WindowEvent, event_loop: &ActiveEventLoop) -> Result<()> {
        match event {
            WindowEvent::RedrawRequested => self.frame()?,
            WindowEvent::Resized(size) => self.resize(sides(size))?,
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                if let Some(shown) = &self.shown {
                    self.session.resize(drawable(shown.size), scale_factor);
                    self.emit(Some(Event::Rescaled(scale_factor)));
                }
            }
            WindowEvent::Occluded(hidden) => self.schedule.hide(hidden),
            WindowEvent::CloseRequested => self.close(event_loop),
            WindowEvent::Destroyed => event_loop.exit(),
            event => {
                self.input(&event)?;
                if self.quits {
                    self.close(event_loop);
                }
            }
        }
        Ok(())
    }

    /// Closes the window if something has failed.
    fn check(&mut self, event_loop: &ActiveEventLoop, result: Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
            event_loop.exit();
        }
    }
}

impl ApplicationHandler<Call> for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        self.busy = true;
        if self.shown.is_none() {
            let shown = self.show(event_loop);
            self.check(event_loop, shown);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if event_loop.exiting() {
            return;
        }
        self.busy = true;
        let result = self
            .offer_to_panel(&event)
            .and_then(|consumed| if consumed { Ok(()) } else { self.handle(event, event_loop) });
        self.check(event_loop, result);
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, call: Call) {
        if event_loop.exiting() {
            return;
        }
        self.busy = true;
        match call {
            Call::Close => self.close(event_loop),
            Call::Written => self.report_written_films(),
            Call::Placed => self.show_placed(),
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if event_loop.exiting() {
            return;
        }
        let checked = self.check_full_screen(Instant::now());
        self.check(event_loop, checked);
        let running = self.session.timestep.is_running();
        let mut next = self.schedule.next(Instant::now(), running);
        if next == Next::Run {
            let ran = self.run();
            self.check(event_loop, ran);
            next = self.schedule.next(Instant::now(), running);
        }
        self.wake = match next {
            Next::Wait(until) => Some(until),
            Next::Run => Some(Instant::now()),
            Next::Sleep | Next::Redraw => None,
        };
        let check = self.full_screen.map(|request| request.due);
        self.wake = self.wake.into_iter().chain(check).min();
        if next == Next::Redraw
            && let Some(shown) = &self.shown
        {
            shown.window.request_redraw();
        }
        event_loop.set_control_flow(self.wake.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

impl Handler for App<'_> {
    fn wake(&self) -> Option<Instant> {
        self.wake
    }

    fn take_busy(&mut self) -> bool {
        std::mem::take(&mut self.busy)
    }
}

/// The title of the window.
fn title(setup: &Setup) -> String {
    format!("jostle: {}, {} agents", setup.scene.name(), format::grouped(setup.agents))
}

fn lost(reason: &str) -> Error {
    Error::Display(format!("the display was lost ({reason}); `jostle run` needs none"))
}

/// Width and height in pixels, at most those of a frame.
fn sides(size: PhysicalSize<u32>) -> [u32; 2] {
    [size.width, size.height].map(|side| side.min(Frame::SIDE_MAX))
}

/// A size that a buffer can have: a minimized window may have sides of 0.
fn drawable(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.max(1))
}
