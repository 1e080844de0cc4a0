//! Opening and closing the window, and the settings that it saves.

use std::{path::PathBuf, sync::Arc, time::Instant};

use winit::{
    dpi::{LogicalSize, PhysicalSize},
    event_loop::ActiveEventLoop,
    monitor::MonitorHandle,
    window::Window,
};

use super::{
    App, Shown, capture::Films, drawable, full_screen::FullScreen, input::Input, lost, sides, title,
};
use crate::{
    program::ProgramResult as Result,
    window::{
        capture::Capture,
        clipboard::{ClipboardReader, CopiedContents},
        display::{self, Call, Display, Trouble},
        event::Event,
        file_watch::{FileWatch, ReadText, WatchedFile},
        panel::Panel,
        present::{Presenter, PresenterChoice},
        schedule::Schedule,
        session::{ReplayFault, Session, SessionOptions},
        settings::Settings,
        snapshot_store::{SnapshotOptions, SnapshotStore},
    },
};

/// Size of the first window, logical pixels, and the largest share of the screen that it takes.
const SIZE: [f64; 2] = [1280.0, 720.0];
const SCREEN_SHARE: f64 = 0.9;

/// Options of a window.
pub(crate) struct WatchOptions<'a> {
    /// The run at first.
    pub(crate) session: SessionOptions,
    /// The way in which frames are presented.
    pub(crate) presenter: PresenterChoice,
    /// Whether the window opens in full screen.
    pub(crate) full_screen: bool,
    /// Whether a tour of all scenes begins at once.
    pub(crate) tour: bool,
    /// Settings to begin with.
    pub(crate) settings: Settings,
    /// The first message: what there is to do, or why saved settings couldn't be used.
    pub(crate) greeting: Option<Event>,
    /// Gets a closure that closes the window from any thread.
    pub(crate) listen: &'a dyn Fn(Box<dyn Fn() + Send>),
    /// The functions that make files of frames.
    pub(crate) capture: Capture,
    /// The world file that the run is of.
    pub(crate) world_file: Option<PathBuf>,
    /// Reads the text of a world file.
    pub(crate) read_world: ReadText,
    /// Files of snapshots.
    pub(crate) snapshots: SnapshotOptions,
    /// Gets every event, on the thread of the window.
    pub(crate) tell: &'a mut dyn FnMut(&Event),
}

/// How watching ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WatchOutcome {
    /// The window was closed, with settings to save for the next one.
    Closed {
        /// The settings.
        settings: Settings,
        /// Why a replay has ended early.
        replay: Option<ReplayFault>,
    },
    /// There is no display here; the reason as a clause. Nothing was simulated.
    NoDisplay(String),
}

/// Opens a window, runs the simulation in it, and returns when the window is closed.
///
/// A process can do this once, as with winit.
///
/// # Errors
/// As [`Sim::new`](crate::Sim::new), and if a thread can't be started;
/// [`ProgramError::Display`](crate::program::ProgramError::Display) if the display can't be used or
/// is lost.
pub(crate) fn watch(options: WatchOptions<'_>) -> Result<WatchOutcome> {
    let mut display = match Display::open() {
        Ok(display) => display,
        Err(Trouble::NoDisplay(reason)) => return Ok(WatchOutcome::NoDisplay(reason)),
        Err(Trouble::Unusable(error)) => return Err(error),
    };
    let calls = [Call::Placed, Call::Stored, Call::Changed, Call::Pasted];
    let [placed, stored, changed, pasted] = calls.map(|call| {
        let waker = display.waker();
        move || waker.call(call)
    });
    let panel = Panel::new(options.settings.panel);
    let mut session = Session::new(options.session, placed)?;
    if options.tour {
        session.begin_tour();
    }
    let store = SnapshotStore::new(options.snapshots, session.sim().steps(), stored)?;
    let read = options.read_world;
    let watcher =
        move |path, text| FileWatch::new(WatchedFile { path, text, read }, changed.clone());
    let mut app = App {
        world_file: None,
        world_text: None,
        world_is_wrong: false,
        watcher: Box::new(watcher),
        panel,
        session,
        store,
        input: Input::default(),
        films: Films::new(options.capture, display.waker()),
        copied: CopiedContents::default(),
        clipboard: ClipboardReader::new(pasted)?,
        full_screen: FullScreen::default(),
        schedule: Schedule::new(Instant::now()),
        ignored: None,
        settings: options.settings,
        first: Some(FirstWindow {
            presenter: options.presenter,
            full_screen: options.full_screen,
            greeting: options.greeting,
        }),
        shown: None,
        tell: options.tell,
        ended: None,
    };
    if let Some(path) = options.world_file {
        app.watch_world_file(path)?;
    }
    let waker = display.waker();
    (options.listen)(Box::new(move || waker.call(Call::Close)));
    let ended = display.run(&mut app);
    app.finish_files();
    let failed =
        app.ended.take().and_then(Result::err).or_else(|| ended.err().map(|reason| lost(&reason)));
    if failed.is_none() {
        app.session.close_journal();
        app.report_events();
    }
    if failed.is_some() {
        // Xlib ends the process if a window is closed on a lost display; the error must be
        // reported.
        std::mem::forget(app.shown);
        std::mem::forget(display);
    }
    let closed =
        WatchOutcome::Closed { settings: app.settings, replay: app.session.host.replay_fault() };
    failed.map_or(Ok(closed), Err)
}

/// The options of a window that is to be opened.
pub(super) struct FirstWindow {
    presenter: PresenterChoice,
    full_screen: bool,
    greeting: Option<Event>,
}

impl App<'_> {
    /// Opens the window, unless it is open.
    ///
    /// # Errors
    /// If the display refuses the window, or there is no memory for its frames.
    pub(super) fn show(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
        let Some(first) = self.first.take() else { return Ok(()) };
        let screen =
            event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
        if let Some(rate) = screen.as_ref().and_then(MonitorHandle::refresh_rate_millihertz) {
            self.session.host.timestep.set_refresh(f64::from(rate) / 1000.0);
        }
        let size = self.settings.size.map(|size| size.map(f64::from));
        let attributes = display::named(Window::default_attributes())
            .with_title(title(self.session.sim()))
            .with_inner_size(first_size(size, screen.as_ref()));
        let window = Arc::new(event_loop.create_window(attributes).map_err(display::unopened)?);
        let (size, scale_factor) = (sides(window.inner_size()), window.scale_factor());
        let (presenter, refusal) =
            Presenter::new(&window, drawable(size), first.presenter).map_err(display::unopened)?;
        if let Some(reason) = refusal {
            self.emit_fallback(&reason);
        }
        self.session.screen.interface_scale = self.settings.interface_scale;
        self.session.screen.resize(drawable(size), scale_factor);
        self.session.host.timestep.skip_frames = self.settings.skip_frames;
        self.session.starts.keep_walls = self.settings.keep_walls;
        self.session.screen.glow = self.settings.glow;
        self.session.screen.tool_bar = self.settings.tool_bar;
        self.session.film_options = self.settings.film;
        self.session.reports.plots.show(&self.settings.plots);
        self.panel.attach(&window, presenter.driver());
        self.session.host.skip_time();
        (self.tell)(&Event::Ready { size, presenter: presenter.name(), scale_factor });
        self.emit(first.greeting);
        let presenter = Some(presenter);
        self.shown = Some(Shown { window, presenter, size, waiting: None, frames: 0 });
        self.schedule.hide(size.contains(&0));
        if first.full_screen {
            self.toggle_full_screen();
        }
        Ok(())
    }

    /// Closes the window.
    pub(super) fn close(&mut self) {
        self.remember();
        (self.tell)(&Event::Times(self.session.reports.frame_stats.mean_times()));
        (self.tell)(&Event::Closed);
        self.ended.get_or_insert(Ok(()));
    }

    /// Saves the run at its end if that was asked for, waits for films and snapshots, and reports
    /// them.
    fn finish_files(&mut self) {
        let films = self.films.finish();
        self.emit_all(films);
        if self.store.at_end {
            self.save_run();
        }
        for done in self.store.finish() {
            self.report_stored(done);
        }
    }

    /// Updates the settings to be saved from the state of the window.
    fn remember(&mut self) {
        let Some(shown) = &self.shown else { return };
        let settings = &mut self.settings;
        let whole = display::is_full_screen(&shown.window) || shown.window.is_maximized();
        if !whole && !shown.size.contains(&0) {
            let [width, height] = shown.size;
            let size = PhysicalSize::new(width, height).to_logical(shown.window.scale_factor());
            let LogicalSize { width, height } = size;
            // A window may be smaller than the next one should be.
            let sides = Settings::SIDES;
            settings.size = Some([width, height])
                .filter(|size| size.iter().all(|side| sides.contains(side)))
                .or(settings.size);
        }
        settings.palette = Some(self.session.style().palette);
        settings.overlay = Some(self.session.style().overlay);
        settings.panel = self.panel.open;
        settings.glow = self.session.screen.glow;
        settings.tool_bar = self.session.screen.tool_bar;
        settings.interface_scale = self.session.screen.interface_scale;
        settings.film = self.session.film_options;
        settings.skip_frames = self.session.host.timestep.skip_frames;
        settings.keep_walls = self.session.starts.keep_walls;
        // Quantities of a world file belong to its run.
        let plots = self.session.reports.plots.observables();
        settings.plots = plots.filter(|observable| !observable.name().is_empty()).collect();
    }
}

/// The size that the user chose, or the usual one. One that is chosen may fill the screen; one that was chosen on a
/// larger screen leaves room for the title, as the usual one does.
fn first_size(chosen: Option<[f64; 2]>, screen: Option<&MonitorHandle>) -> LogicalSize<f64> {
    let [mut width, mut height] = chosen.unwrap_or(SIZE);
    if let Some(screen) = screen.filter(|screen| screen.size().width > 0) {
        let room = screen.size().to_logical::<f64>(screen.scale_factor());
        // Sizes are remembered in whole numbers.
        let fits = width <= room.width.round() && height <= room.height.round();
        let share = if fits && chosen.is_some() { 1.0 } else { SCREEN_SHARE };
        width = width.min(room.width * share).round();
        height = height.min(room.height * share).round();
    }
    LogicalSize::new(width, height)
}
