//! The window: winit's events in, frames out.
//!
//! ```text
//! winit ─► App ─┬─ lifecycle    opening, closing, and the settings of the next time
//!               ├─ input        keys and mouse become commands; commands are applied
//!               ├─ panel        laid out, gets events first, gives commands
//!               ├─ frames       steps and frames
//!               ├─ full_screen  requests to the desktop
//!               ├─ capture      pictures and films of the window
//!               └─ snapshots    the run, saved and opened
//! ```

mod capture;
mod frames;
mod full_screen;
mod input;
mod lifecycle;
mod panel;
mod snapshots;

pub(crate) use self::lifecycle::{WatchOptions, WatchOutcome, watch};

use std::{sync::Arc, time::Instant};

use winit::{
    dpi::PhysicalSize,
    event::{MouseButton, WindowEvent},
    event_loop::ActiveEventLoop,
    keyboard::ModifiersState,
    window::Window,
};

use crate::{
    format,
    program::{ProgramError, ProgramResult as Result},
    raster::Frame,
    scene::Setup,
    window::{
        capture::Capture,
        display::{Call, Handler, Incoming, Waker},
        event::Event,
        film_recorder::FilmRecorder,
        panel::Panel,
        present::{Presenter, PresenterChoice},
        schedule::{Next, Schedule},
        session::Session,
        settings::Settings,
        snapshot_store::SnapshotStore,
    },
};
use frames::DrawnFrame;
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
    /// What presents frames, as the user chose it.
    choice: PresenterChoice,
    settings: Settings,
    /// Why saved settings couldn't be used, until it is reported.
    trouble: Option<String>,
    capture: &'a mut dyn Capture,
    recorder: FilmRecorder,
    store: SnapshotStore,
    waker: Waker,
    /// Modifier keys that are held.
    modifiers: ModifiersState,
    /// The mouse button that was pressed last, while it is held.
    held: Option<MouseButton>,
    tell: &'a mut dyn FnMut(&Event),
    shown: Option<Shown>,
    failed: Option<ProgramError>,
    schedule: Schedule,
    /// Size of the presenter's frame; `None` before the first, and after a resize.
    drawn: Option<[u32; 2]>,
    frames: u64,
    /// The frame that was drawn ahead and that the presenter has yet to present.
    waiting: Option<DrawnFrame>,
    /// A change of full screen that the desktop has yet to make.
    full_screen: Option<FullScreenRequest>,
    /// True if full screen is requested as soon as there is a window.
    opens_full: bool,
    /// True once the window is closed or something has failed.
    ended: bool,
}

impl App<'_> {
    fn emit(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.schedule.touch();
            self.panel.touch();
            if matches!(event, Event::Run { .. } | Event::Restarted) {
                self.panel.show_run(&self.session);
                if let Some(shown) = &self.shown {
                    shown.window.set_title(&title(self.session.setup()));
                }
                // A frame that was drawn ahead shows the run before.
                self.waiting = None;
            }
            if event.is_message() {
                self.session.message = event.to_string();
            }
            (self.tell)(&event);
        }
    }

    fn close(&mut self) {
        self.remember();
        (self.tell)(&Event::Times(self.session.frame_stats.mean_times()));
        (self.tell)(&Event::Closed);
        self.ended = true;
    }

    /// Handles an event of the window, which the panel gets first.
    fn window_event(&mut self, event: WindowEvent) -> Result<()> {
        if self.offer_to_panel(&event)? {
            return Ok(());
        }
        match event {
            WindowEvent::RedrawRequested => self.frame()?,
            WindowEvent::Resized(size) => self.resize(sides(size))?,
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                if let Some(shown) = &self.shown {
                    self.session.resize(drawable(shown.size), scale_factor);
                    self.emit(Some(Event::set("rescaled", scale_factor)));
                }
            }
            WindowEvent::Occluded(hidden) => self.schedule.hide(hidden),
            WindowEvent::CloseRequested => self.close(),
            WindowEvent::Destroyed => self.ended = true,
            WindowEvent::DroppedFile(path) => self.open_run(Some(path)),
            event => self.input(&event)?,
        }
        Ok(())
    }

    /// Ends if something has failed.
    fn check(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
            self.ended = true;
        }
    }
}

impl Handler for App<'_> {
    fn open(&mut self, event_loop: &ActiveEventLoop) {
        if self.shown.is_none() {
            let shown = self.show(event_loop);
            self.check(shown);
        }
    }

    fn handle(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Event(event) => {
                let handled = self.window_event(event);
                self.check(handled);
            }
            Incoming::Call(Call::Close) => self.close(),
            Incoming::Call(Call::Written) => self.report_written_films(),
            Incoming::Call(Call::Placed) => self.show_placed(),
            Incoming::Call(Call::Stored) => self.take_stored(),
        }
    }

    fn work(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if let Some(request) = self.full_screen.take_if(|request| request.due <= now) {
            let checked = self.check_full_screen(request, now);
            self.check(checked);
            // The check has read from winit's connection.
            return Some(now);
        }
        let running = self.session.is_active();
        let mut next = self.schedule.next(now, running);
        if next == Next::Run {
            let ran = self.run();
            self.check(ran);
            next = self.schedule.next(Instant::now(), running);
        }
        if next == Next::Redraw
            && let Some(shown) = &self.shown
        {
            shown.window.request_redraw();
        }
        let next = match next {
            Next::Wait(until) => Some(until),
            Next::Run => Some(Instant::now()),
            Next::Sleep | Next::Redraw => None,
        };
        let check = self.full_screen.map(|request| request.due);
        next.into_iter().chain(check).min()
    }

    fn has_ended(&self) -> bool {
        self.ended
    }
}

/// The title of the window.
fn title(setup: &Setup) -> String {
    format!("jostle: {}, {} agents", setup.scene.name(), format::grouped(setup.agents))
}

fn lost(reason: &str) -> ProgramError {
    ProgramError::Display(format!("the display was lost ({reason}); `jostle run` needs none"))
}

/// Width and height in pixels, at most those of a frame.
fn sides(size: PhysicalSize<u32>) -> [u32; 2] {
    [size.width, size.height].map(|side| side.min(Frame::SIDE_MAX))
}

/// A size that a buffer can have: a minimized window may have sides of 0.
fn drawable(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.max(1))
}
