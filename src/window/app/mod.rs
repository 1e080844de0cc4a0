//! The window: winit's events in, frames out.
//!
//! ```text
//! winit ─► App ─┬─ input        keys and mouse become commands
//!               ├─ Session      the run, to which commands are applied
//!               ├─ frames       steps and frames
//!               ├─ panel        laid out, gets events first, gives commands
//!               ├─ lifecycle    opening, closing, and the settings of the next time
//!               ├─ full_screen  requests to the desktop
//!               ├─ files        runs that are saved, opened and pasted
//!               └─ capture      pictures and films of the window
//! ```

mod capture;
mod files;
mod frames;
mod full_screen;
mod input;
mod lifecycle;
mod panel;

pub(crate) use self::lifecycle::{WatchOptions, WatchOutcome, watch};

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use winit::{
    dpi::PhysicalSize,
    event::{MouseButton, WindowEvent},
    event_loop::ActiveEventLoop,
    window::Window,
};

use crate::{
    format,
    program::{ProgramError, ProgramResult as Result},
    raster::Frame,
    sim::Sim,
    window::{
        clipboard::{ClipboardReader, CopiedContents, PasteTarget, RunSource},
        command::Command,
        display::{Call, Handler, Incoming},
        event::Event,
        file_watch::FileWatch,
        panel::Panel,
        present::Presenter,
        schedule::{Next, Schedule},
        session::{MessageKind, Session},
        settings::Settings,
        snapshot_store::{OpenedFrom, SnapshotStore},
        tool::Tool,
    },
};
use capture::Films;
use frames::DrawnFrame;
use full_screen::FullScreen;
use input::Input;
use lifecycle::FirstWindow;

/// The question before the window closes; it counts as long as it is shown.
const QUESTION: &str = "Esc or Q again closes the window; Ctrl-S saves the run";

/// Time for which a hint is shown.
const HINT: Duration = Duration::from_secs(10);

/// An open window.
struct Shown {
    window: Arc<Window>,
    /// `None` once it is lost.
    presenter: Option<Presenter>,
    size: [u32; 2],
    /// The frame that was drawn ahead and that the presenter has yet to present.
    waiting: Option<DrawnFrame>,
    /// Number of frames that were presented.
    frames: u64,
}

/// Everything between winit and the session.
struct App<'a> {
    session: Session,
    panel: Panel,
    input: Input,
    films: Films,
    copied: CopiedContents,
    clipboard: ClipboardReader,
    store: SnapshotStore,
    /// The world file that was opened last, and what people call it.
    world_file: Option<(String, FileWatch)>,
    /// What it has become, until a run of it is shown.
    world_text: Option<Result<String>>,
    /// True if users were told last that it is wrong.
    world_is_wrong: bool,
    /// Watches a file that has that text.
    watcher: Box<dyn Fn(PathBuf, String) -> Result<FileWatch>>,
    full_screen: FullScreen,
    schedule: Schedule,
    /// The button of a press that only ended what was typed, until it is released.
    ignored: Option<MouseButton>,
    settings: Settings,
    /// The window to open, until it is open.
    first: Option<FirstWindow>,
    shown: Option<Shown>,
    tell: &'a mut dyn FnMut(&Event),
    /// `None` until the window is closed or something has failed.
    ended: Option<Result<()>>,
}

impl App<'_> {
    fn emit(&mut self, event: impl Into<Option<Event>>) {
        if let Some(event) = event.into() {
            self.schedule.touch();
            self.panel.touch();
            if matches!(event, Event::Run { .. } | Event::Restarted) {
                self.panel.show_run();
                if let Some(shown) = &mut self.shown {
                    shown.window.set_title(&title(self.session.sim()));
                    // A frame that was drawn ahead shows the run before.
                    shown.waiting = None;
                }
            }
            if event.is_message() {
                let kind = match event {
                    Event::Hint(_) => MessageKind::Hint(Instant::now() + HINT),
                    Event::Refused(_) => MessageKind::Refusal,
                    _ => MessageKind::Plain,
                };
                self.session.reports.show(event.to_string(), kind);
            }
            (self.tell)(&event);
        }
    }

    fn emit_all(&mut self, events: Vec<Event>) {
        for event in events {
            self.emit(event);
        }
    }

    /// Reports the events of the session.
    fn report_events(&mut self) {
        let events = self.session.reports.take_events();
        self.emit_all(events);
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
                    self.session.screen.resize(drawable(shown.size), scale_factor);
                    self.emit(Event::set("rescaled", scale_factor));
                }
            }
            WindowEvent::Occluded(hidden) => self.schedule.hide(hidden),
            WindowEvent::CloseRequested => self.close(),
            WindowEvent::Destroyed => _ = self.ended.get_or_insert(Ok(())),
            WindowEvent::DroppedFile(path) => {
                self.open_run(OpenedFrom::Source(RunSource::File(path)));
            }
            event => self.use_input(&event)?,
        }
        Ok(())
    }

    /// Applies a command to the window itself or to the session, and reports what it changed. False
    /// if it was refused.
    ///
    /// # Errors
    /// As [`Session::apply`].
    fn apply(&mut self, command: Command) -> Result<bool> {
        if command.ends_tour() {
            let ended = self.session.end_tour();
            self.emit(ended);
        }
        match command {
            Command::Close => self.close(),
            Command::Cancel | Command::Quit => {
                let message = std::mem::take(&mut self.session.reports.message);
                if message == QUESTION {
                    self.close();
                } else if command == Command::Quit || !self.cancel()? {
                    self.emit(Event::Hint(QUESTION.to_owned()));
                }
            }
            Command::TogglePanel => self.toggle_panel(),
            Command::ToggleFullScreen => self.toggle_full_screen(),
            Command::Save => self.save_run(),
            Command::Open => self.open_run(OpenedFrom::Last),
            Command::Paste => self.paste(PasteTarget::Run),
            Command::CopyWorld => self.copy_world(),
            Command::CopyPicture => self.copy_picture(),
            Command::Screenshot => self.save_picture(),
            Command::ToggleFilm => self.toggle_film(),
            Command::SaveWorld => {
                let event = self.films.save_world(&self.session);
                self.emit(event);
            }
            Command::SavePlot(observable, file) => {
                let mut shown = self.session.plots();
                let plot = shown.find(|plot| plot.observable == observable && plot.has_points());
                let event = plot.map(|plot| self.films.save_plot(&plot.data(), file));
                drop(shown);
                self.emit(event);
            }
            _ => {
                let ended = self.session.end_stroke_before(command)?;
                self.emit(ended);
                let event = self.session.apply(command)?;
                let accepted = !event.as_ref().is_some_and(Event::is_refusal);
                if matches!(event, Some(Event::Placing(_))) {
                    self.store.cancel();
                    self.clipboard.cancel();
                }
                self.emit(event);
                return Ok(accepted);
            }
        }
        Ok(true)
    }

    /// Leaves full screen, or else closes what is open: a user who presses Esc once too often loses
    /// nothing. False if nothing is open.
    ///
    /// # Errors
    /// As [`Session::apply`].
    fn cancel(&mut self) -> Result<bool> {
        let Some(shown) = &self.shown else { return Ok(false) };
        if self.full_screen.is_wanted(&shown.window) {
            self.toggle_full_screen();
        } else if self.panel.close_plot() {
            // It covers all else.
            self.emit(Event::switched("enlarged plot", false));
        } else if let Some(event) = self.session.apply(Command::Cancel)? {
            self.emit(event);
        } else if self.session.reports.filmed.is_some() {
            self.toggle_film();
        } else if self.session.tools.state.tool != Tool::Hand {
            let taken = self.session.apply(Command::Tool(Tool::Hand))?;
            self.emit(taken);
        } else if self.panel.open {
            self.toggle_panel();
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn toggle_full_screen(&mut self) {
        let Some(shown) = &self.shown else { return };
        let full = self.full_screen.toggle(&shown.window);
        self.emit(Event::switched("full screen", full));
    }

    /// Checks whether the desktop has made a change of full screen.
    ///
    /// # Errors
    /// As [`Self::resize`].
    fn check_full_screen(&mut self, now: Instant) -> Result<()> {
        let Some(shown) = &self.shown else { return Ok(()) };
        match self.full_screen.check(&shown.window, now) {
            Ok(Some(size)) => self.resize(size)?,
            Ok(None) => {}
            Err(sentence) => self.emit(Event::Notice(sentence)),
        }
        Ok(())
    }

    /// Shows the last run that the user asked for once its agents are placed, and reports it.
    fn show_placed(&mut self) {
        let Some(event) = self.session.placed() else { return };
        if event.is_refusal() {
            self.panel.refuse_run();
        }
        self.emit(event);
    }

    /// Ends if something has failed.
    fn check(&mut self, result: Result<()>) {
        if result.is_err() && !matches!(self.ended, Some(Err(_))) {
            self.ended = Some(result);
        }
    }
}

impl Handler for App<'_> {
    fn open(&mut self, event_loop: &ActiveEventLoop) {
        let shown = self.show(event_loop);
        self.check(shown);
    }

    fn handle(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Event(event) => {
                let handled = self.window_event(event);
                self.check(handled);
            }
            Incoming::Call(Call::Close) => self.close(),
            Incoming::Call(Call::Written) => {
                let events = self.films.take_written(&mut self.session);
                self.emit_all(events);
            }
            Incoming::Call(Call::Placed) => {
                self.show_placed();
                if self.session.menu.take_pictures() {
                    self.schedule.touch();
                }
            }
            Incoming::Call(Call::Changed) => self.take_world_file(),
            Incoming::Call(Call::Pasted) => {
                let taken = self.take_pasted();
                self.check(taken);
            }
            Incoming::Call(Call::Stored) => {
                for done in self.store.take() {
                    self.report_stored(done);
                }
            }
        }
    }

    fn work(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if self.full_screen.due().is_some_and(|due| due <= now) {
            let checked = self.check_full_screen(now);
            self.check(checked);
            // The check has read from winit's connection.
            return Some(now);
        }
        if self.world_text.is_some() {
            self.take_world_file();
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
        next.into_iter().chain(self.full_screen.due()).min()
    }

    fn has_ended(&self) -> bool {
        self.ended.is_some()
    }
}

/// The title of the window.
fn title(sim: &Sim) -> String {
    format!("jostle: {}, {}", sim.title(), format::plural(sim.setup().agents as usize, "agent"))
}

fn lost(reason: &str) -> ProgramError {
    ProgramError::Display(format!("the display was lost ({reason}); `jostle run` needs none"))
}

/// Width and height in pixels, at most the sides of a frame.
fn sides(size: PhysicalSize<u32>) -> [u32; 2] {
    [size.width, size.height].map(|side| side.min(Frame::SIDE_MAX))
}

/// A size that a buffer can have: a minimized window may have sides of 0.
fn drawable(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.max(1))
}
