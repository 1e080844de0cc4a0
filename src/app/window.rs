//! The winit side: events in, frames out.

use std::{sync::Arc, time::Instant};

use glam::Vec2;
use winit::{
    application::ApplicationHandler,
    dpi::{LogicalSize, PhysicalSize},
    event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow},
    monitor::MonitorHandle,
    window::{Fullscreen, Window, WindowId},
};

use crate::{
    app::{
        Watch,
        display::{self, Display, Handler},
        event::Event,
        filming::Filming,
        gauge::Part,
        keys::{self, Action},
        pace::Late,
        panel::{Panel, Wish},
        present::Presenter,
        schedule::{Next, Schedule},
        session::Session,
        settings::Settings,
        studio::Studio,
        tool::Tool,
    },
    error::{Error, Result},
    index::Kind,
    scene::{Scene, Setup},
};

/// The window at first, logical pixels, and the share of the screen that it takes at most.
const SIZE: [f64; 2] = [1280.0, 720.0];
const SCREEN_SHARE: f64 = 0.9;

/// Pixels of a touchpad's scrolling that count as a notch of a wheel.
const PIXELS_A_NOTCH: f32 = 40.0;

/// Passes that the panel takes at a time, at most: what is not settled then can wait for the next frame.
const PASSES: usize = 3;

/// Frames that a report of what they took is about.
const FRAMES_A_REPORT: u64 = 60;

/// Opens the window and stays until it is closed. Returns what to remember of it.
pub(super) fn open(options: Watch<'_>, mut display: Display) -> Result<Settings> {
    let Watch { setup, look, settings, threads, simd, index, admit, listen, studio, tell } =
        options;
    let mut app = App {
        title: title(setup.agents),
        panel: Panel::new(settings.panel, &setup),
        admit,
        session: Session::new(setup, look, threads, simd, index)?,
        settings,
        studio,
        filming: None,
        ctrl: false,
        held: None,
        tell,
        shown: None,
        failed: None,
        schedule: Schedule::new(Instant::now()),
        behind: false,
        frames: 0,
        wake: None,
        busy: false,
    };
    listen(display.closer());
    let ended = display.run(&mut app);
    app.end_film();
    let failed = app.failed.or_else(|| ended.err().map(|reason| lost(&reason)));
    if failed.is_some() {
        // To close a window on a display that is gone is how Xlib ends a program, before it can say why.
        std::mem::forget(app.shown);
        std::mem::forget(display);
    }
    failed.map_or(Ok(app.settings), Err)
}

fn refused(reason: impl std::fmt::Display) -> Error {
    Error::Display(display::unopened(reason))
}

fn lost(reason: &str) -> Error {
    Error::Display(format!("the display was lost ({reason}); `jostle run` needs none"))
}

/// A window that is there.
struct Shown {
    window: Arc<Window>,
    /// Gone if it was lost for good.
    presenter: Option<Presenter>,
    size: [u32; 2],
}

/// Everything between winit and the session.
struct App<'a> {
    title: String,
    session: Session,
    panel: Panel,
    settings: Settings,
    /// Refuses what there is no memory for.
    admit: &'a dyn Fn(&Setup, Kind, usize) -> Result<()>,
    studio: &'a mut dyn Studio,
    /// The film under way.
    filming: Option<Filming>,
    /// True while Ctrl is held.
    ctrl: bool,
    /// The mouse button that was pressed last and is still held.
    held: Option<MouseButton>,
    tell: &'a mut dyn FnMut(&Event),
    shown: Option<Shown>,
    failed: Option<Error>,
    schedule: Schedule,
    behind: bool,
    frames: u64,
    wake: Option<Instant>,
    busy: bool,
}

impl App<'_> {
    fn show(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
        let screen =
            event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
        if let Some(rate) = screen.as_ref().and_then(MonitorHandle::refresh_rate_millihertz) {
            self.session.pace.set_refresh(f64::from(rate) / 1000.0);
        }
        // Whoever has made it as large as the screen wants it so.
        let remembered = self.settings.size().map(|size| (size.map(f64::from), 1.0));
        let (size, share) = remembered.unwrap_or((SIZE, SCREEN_SHARE));
        let attributes = display::named(Window::default_attributes())
            .with_title(&self.title)
            .with_inner_size(size_at_first(size, share, screen.as_ref()));
        let window = Arc::new(event_loop.create_window(attributes).map_err(refused)?);
        let (size, scale_factor) = (sides(window.inner_size()), window.scale_factor());
        let (mut presenter, refusal) = Presenter::new(&window, drawable(size)).map_err(refused)?;
        if let Some(reason) = refusal {
            self.tell_fallback(&reason);
        }
        self.session.resize(drawable(size), scale_factor);
        self.session.pace.set_late(if self.settings.skip_frames {
            Late::SkipFrames
        } else {
            Late::SlowMotion
        });
        self.session.hold.tool = self.settings.tool().unwrap_or_default();
        self.session.glow = self.settings.glow;
        presenter.set_glow(self.session.glow);
        if presenter.has_panel() {
            self.panel.attach(&window);
        }
        self.session.skip_time();
        (self.tell)(&Event::Ready { size, presenter: presenter.name(), scale_factor });
        self.shown = Some(Shown { window, presenter: Some(presenter), size });
        self.schedule.hide(size.contains(&0));
        Ok(())
    }

    /// The steps that are due.
    fn run(&mut self) -> Result<()> {
        let now = Instant::now();
        if self.session.run(now)? > 0 || self.session.pace.lag() > 0.0 {
            self.schedule.touch();
        }
        self.schedule.ran(now, self.session.pace.frame());
        if self.behind != self.session.is_behind() {
            self.behind = !self.behind;
            (self.tell)(&Event::Behind(self.behind));
        }
        Ok(())
    }

    /// The steps that are due, and the frame that shows them.
    fn frame(&mut self) -> Result<()> {
        self.schedule.redraw();
        self.run()?;
        if self.schedule.wants_frame()
            && self.panel.is_due(Instant::now(), self.session.pace.is_running())
        {
            self.lay();
        }
        let Some(Shown { window, presenter: Some(presenter), size }) = &mut self.shown else {
            return Ok(());
        };
        if !self.schedule.wants_frame() {
            return Ok(());
        }
        self.session.draw(presenter.bytes_mut());
        let begin = Instant::now();
        window.pre_present_notify();
        if let Err(reason) = presenter.present() {
            return self.replace_presenter(&reason);
        }
        self.session.presented(begin.elapsed());
        self.schedule.shown();
        let on = self.filming.as_mut().is_none_or(|filming| {
            let on = filming.shown(Instant::now(), *size, presenter.bytes_mut());
            self.session.filmed = Some(filming.seconds());
            on
        });
        if self.panel.is_stale() {
            self.schedule.touch();
        }
        self.frames += 1;
        if self.frames == 1 {
            // What it took to get here is not time that the simulation has to catch up with.
            self.session.skip_time();
        }
        if self.frames.is_multiple_of(FRAMES_A_REPORT) {
            let gauge = &mut self.session.gauge;
            let parts = [Part::Step, Part::Draw, Part::Panel, Part::Present];
            let [step, draw, panel, present] =
                parts.map(|part| gauge.take_sum(part).as_secs_f64() * 1e3 / FRAMES_A_REPORT as f64);
            (self.tell)(&Event::Work { step, draw, panel, present });
        }
        (self.tell)(&Event::Frame {
            number: self.frames,
            steps: self.session.sim().steps(),
            size: *size,
            camera: *self.session.view.camera(),
        });
        if !on {
            self.end_film();
        }
        Ok(())
    }

    /// Lays the panel out until it is as it will stay, and sees to what was wished for in it.
    fn lay(&mut self) {
        let begin = Instant::now();
        // What is new is measured in one pass and shown in the next.
        for _ in 0..PASSES {
            let Some(Shown { window, presenter: Some(presenter), size }) = &mut self.shown else {
                return;
            };
            let (wishes, painting) = self.panel.lay(window, *size, &self.session, begin);
            if let Some(painting) = painting {
                presenter.show_panel(painting);
            }
            for wish in wishes {
                let event = self.grant(&wish);
                self.tell(event);
            }
            if !self.panel.is_stale() {
                break;
            }
        }
        self.session.gauge.push(Part::Panel, begin.elapsed());
        self.schedule.wake_at(self.panel.next(false));
    }

    /// Sees to what was wished for in the panel, and says what became of it.
    fn grant(&mut self, wish: &Wish) -> Option<Event> {
        let granted = match *wish {
            Wish::Run { scene, agents } => {
                let setup = self.session.setup_for(scene, agents);
                let (index, threads) = (self.session.sim().index(), self.session.threads());
                (self.admit)(&setup, index, threads).and_then(|()| self.session.grant(wish))
            }
            _ => self.session.grant(wish),
        };
        match granted {
            Ok(event) => {
                if let Some(Event::Run { agents, .. }) = event {
                    self.panel.renew(&self.session);
                    if let Some(shown) = &self.shown {
                        shown.window.set_title(&title(agents));
                    }
                }
                if let Some(presenter) =
                    self.shown.as_mut().and_then(|shown| shown.presenter.as_mut())
                    && matches!(wish, Wish::Glow(_))
                {
                    presenter.set_glow(self.session.glow);
                }
                self.panel.answer(None);
                event
            }
            Err(refusal) => {
                let refusal = refusal.to_string();
                self.panel.answer(Some(refusal.clone()));
                Some(Event::Refused(refusal))
            }
        }
    }

    /// Shows the panel, or hides it, where there is somebody to paint it.
    fn toggle_panel(&mut self) {
        let Some(Shown { presenter: Some(presenter), .. }) = &mut self.shown else { return };
        let event = if presenter.has_panel() {
            self.panel.toggle(&self.session);
            if !self.panel.is_open() {
                presenter.hide_panel();
            }
            Event::Panel(self.panel.is_open())
        } else {
            Event::Notice(
                "the panel needs a GPU, or Vulkan in software; H shows what the keys do without it"
                    .into(),
            )
        };
        self.tell(Some(event));
    }

    /// Keeps a picture of the frame that the window shows: panel and glow, which are the GPU's, are left out.
    fn keep_picture(&mut self) {
        let Some(Shown { presenter: Some(presenter), size, .. }) = &mut self.shown else { return };
        if size.contains(&0) {
            return;
        }
        let said = match self.studio.picture(*size, presenter.bytes_mut()) {
            Ok(path) => format!("{} is a picture of the window", path.display()),
            Err(error) => error.to_string(),
        };
        self.tell(Some(Event::Notice(said)));
    }

    /// Begins a film of the frames that the window shows, as pictures are, or ends the one under way.
    fn toggle_film(&mut self) {
        if self.filming.is_some() {
            self.end_film();
            return;
        }
        let Some(shown) = &self.shown else { return };
        let size = drawable(shown.size);
        let event = match self.studio.film(size) {
            Ok(film) => {
                let filming = Filming::new(film, size, Instant::now());
                let begun = Event::Filming(filming.path());
                self.filming = Some(filming);
                begun
            }
            Err(error) => Event::Notice(error.to_string()),
        };
        self.tell(Some(event));
    }

    /// Ends the film under way, if there is one, and says what became of it.
    fn end_film(&mut self) {
        let Some(filming) = self.filming.take() else { return };
        self.session.filmed = None;
        let said = filming.finish().unwrap_or_else(|error| error.to_string());
        self.tell(Some(Event::Notice(said)));
    }

    /// Fills the screen, or goes back to a window.
    fn toggle_full_screen(&mut self) {
        let Some(shown) = &self.shown else { return };
        let full = shown.window.fullscreen().is_none();
        shown.window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
        self.tell(Some(Event::FullScreen(full)));
    }

    /// Another scene, counted from 0, with as many agents.
    fn choose_scene(&mut self, index: usize) {
        let Some(&scene) = Scene::ALL.get(index) else { return };
        let event = self.grant(&Wish::Run { scene, agents: self.session.setup().agents });
        self.tell(event);
    }

    /// Puts away what is in the way: the keys, then the tool. With nothing left, the window closes.
    fn leave(&mut self, event_loop: &ActiveEventLoop) {
        let action = if self.session.help {
            Action::Help
        } else if self.session.hold.tool != Tool::Hand {
            Action::Tool(Tool::Hand)
        } else {
            self.close(event_loop);
            return;
        };
        let event = self.session.act(action);
        self.tell(event);
    }

    /// A GPU that is lost need not take the window with it.
    fn replace_presenter(&mut self, reason: &str) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        if let Some(presenter) = shown.presenter.take() {
            let presenter = presenter.fall_back(&shown.window, drawable(shown.size));
            shown.presenter = Some(presenter.map_err(|_| lost(reason))?);
            self.panel.detach();
        }
        self.tell_fallback(reason);
        self.schedule.touch();
        Ok(())
    }

    fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        if shown.size == size {
            return Ok(());
        }
        shown.size = size;
        (self.tell)(&Event::Resized(size));
        self.schedule.hide(size.contains(&0));
        if size.contains(&0) {
            return Ok(());
        }
        self.session.resize(size, shown.window.scale_factor());
        match shown.presenter.as_mut().map_or(Ok(()), |presenter| presenter.resize(size)) {
            Ok(()) => Ok(()),
            Err(reason) => self.replace_presenter(&reason),
        }
    }

    /// True if an event is the panel's own. What is clicked and typed there is dealt with at once: the key
    /// behind a click may be for the field that it opened.
    fn is_panels(&mut self, event: &WindowEvent) -> bool {
        let Some(shown) = &self.shown else { return false };
        // One key belongs to nobody in the panel: the one that hides it.
        if let WindowEvent::KeyboardInput { event, .. } = event
            && keys::action(&event.logical_key, event.repeat, self.ctrl) == Some(Action::Panel)
        {
            return false;
        }
        let own = self.panel.hear(&shown.window, event);
        if self.panel.is_stale() {
            self.schedule.touch();
        }
        let at_once = matches!(
            event,
            WindowEvent::MouseInput { .. }
                | WindowEvent::KeyboardInput { .. }
                | WindowEvent::Ime(_)
        );
        if at_once && self.panel.is_stale() {
            self.lay();
        }
        own
    }

    fn press(&mut self, key: &KeyEvent, event_loop: &ActiveEventLoop) {
        self.session.said.clear();
        match keys::action(&key.logical_key, key.repeat, self.ctrl) {
            Some(Action::Quit) => self.close(event_loop),
            Some(Action::Leave) => self.leave(event_loop),
            Some(Action::Panel) => self.toggle_panel(),
            Some(Action::Scene(index)) => self.choose_scene(index),
            Some(Action::Screenshot) => self.keep_picture(),
            Some(Action::Record) => self.toggle_film(),
            Some(Action::FullScreen) => self.toggle_full_screen(),
            Some(action) => {
                let event = self.session.act(action);
                self.tell(event);
            }
            None => {}
        }
    }

    /// Ends what the mouse does, if such a button is held.
    fn let_go(&mut self, ends: impl Fn(MouseButton) -> bool) {
        if self.held.take_if(|held| ends(*held)).is_some() {
            let event = self.session.release();
            self.tell(event);
        }
    }

    fn tell(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.schedule.touch();
            self.panel.touch();
            if event.is_said() {
                self.session.said = event.to_string();
            }
            (self.tell)(&event);
        }
    }

    fn tell_fallback(&mut self, reason: &str) {
        (self.tell)(&Event::Notice(format!(
            "no GPU to present with ({reason}): frames reach the window through softbuffer"
        )));
    }

    /// Notes what to remember. Only the presenter that has a panel knows whether it is shown: elsewhere it
    /// is as it was.
    fn remember(&mut self) {
        let Some(shown) = &self.shown else { return };
        let settings = &mut self.settings;
        let whole = shown.window.fullscreen().is_some() || shown.window.is_maximized();
        if !whole && !shown.size.contains(&0) {
            let [width, height] = shown.size;
            let size = PhysicalSize::new(width, height).to_logical(shown.window.scale_factor());
            let LogicalSize { width, height } = size;
            settings.size = Some([width, height]);
        }
        settings.palette = Some(self.session.look().palette.name().to_owned());
        settings.overlay = Some(self.session.look().overlay.name().to_owned());
        settings.tool = Some(self.session.hold.tool.name().to_owned());
        settings.panel = self.panel.is_open();
        settings.glow = self.session.glow;
        settings.skip_frames = self.session.pace.late() == Late::SkipFrames;
    }

    fn close(&mut self, event_loop: &ActiveEventLoop) {
        self.remember();
        (self.tell)(&Event::Closed);
        event_loop.exit();
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: Error) {
        self.failed.get_or_insert(error);
        event_loop.exit();
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        self.busy = true;
        if self.shown.is_none()
            && let Err(error) = self.show(event_loop)
        {
            self.fail(event_loop, error);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if event_loop.exiting() {
            return;
        }
        self.busy = true;
        if self.is_panels(&event) {
            return;
        }
        let mut result = Ok(());
        match event {
            WindowEvent::RedrawRequested => result = self.frame(),
            WindowEvent::Resized(size) => result = self.resize(sides(size)),
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                if let Some(shown) = &self.shown {
                    self.session.resize(drawable(shown.size), scale_factor);
                    self.tell(Some(Event::Rescaled(scale_factor)));
                }
            }
            WindowEvent::Occluded(hidden) => self.schedule.hide(hidden),
            WindowEvent::CloseRequested => self.close(event_loop),
            WindowEvent::Destroyed => event_loop.exit(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed =>
            {
                self.press(&event, event_loop);
            }
            WindowEvent::CursorMoved { position, .. } => {
                let event = self.session.point(Vec2::new(position.x as f32, position.y as f32));
                self.tell(event);
                if self.session.has_ring() {
                    self.schedule.touch();
                }
            }
            WindowEvent::CursorLeft { .. } => {
                self.session.pointed = false;
                self.schedule.touch();
            }
            WindowEvent::ModifiersChanged(held) => self.ctrl = held.state().control_key(),
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                self.let_go(|held| held == button);
            }
            // Whoever has the keyboard now may get the release as well.
            WindowEvent::Focused(false) => self.let_go(|_| true),
            WindowEvent::MouseInput { button: MouseButton::Left, .. } => {
                self.held = Some(MouseButton::Left);
                let event = self.session.press();
                self.schedule.touch();
                self.tell(event);
            }
            WindowEvent::MouseInput {
                button: button @ (MouseButton::Right | MouseButton::Middle),
                ..
            } => {
                self.held = Some(button);
                self.session.grab();
            }
            WindowEvent::MouseWheel { delta, .. } => {
                let event = self.session.zoom(match delta {
                    MouseScrollDelta::LineDelta(_, lines) => lines,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_A_NOTCH,
                });
                self.tell(event);
            }
            _ => {}
        }
        if let Err(error) = result {
            self.fail(event_loop, error);
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, (): ()) {
        if !event_loop.exiting() {
            self.close(event_loop);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let running = self.session.pace.is_running();
        let mut next = self.schedule.next(Instant::now(), running);
        if next == Next::Run {
            if let Err(error) = self.run() {
                self.fail(event_loop, error);
            }
            next = self.schedule.next(Instant::now(), running);
        }
        self.wake = match next {
            Next::Wait(until) => Some(until),
            Next::Run => Some(Instant::now()),
            Next::Sleep | Next::Redraw => None,
        };
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

/// Not larger than that share of the screen.
fn size_at_first(size: [f64; 2], share: f64, screen: Option<&MonitorHandle>) -> LogicalSize<f64> {
    let [mut width, mut height] = size;
    if let Some(screen) = screen.filter(|screen| screen.size().width > 0) {
        let room = screen.size().to_logical::<f64>(screen.scale_factor());
        width = width.min(room.width * share).round();
        height = height.min(room.height * share).round();
    }
    LogicalSize::new(width, height)
}

fn title(agents: u32) -> String {
    format!("jostle: {agents} agents")
}

fn sides(size: PhysicalSize<u32>) -> [u32; 2] {
    [size.width, size.height]
}

/// A size that a buffer can have: a minimised window may have none.
fn drawable(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.max(1))
}
