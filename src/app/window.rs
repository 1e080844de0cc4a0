//! The winit side: events in, frames out, and when the next one is due.
//!
//! Frames are paced by a timer, since not every display throttles by itself. A window that can't be
//! seen goes on simulating and draws nothing; one that is paused and untouched sleeps.

use std::{sync::Arc, time::Instant};

use glam::Vec2;
use winit::{
    application::ApplicationHandler,
    dpi::{LogicalSize, PhysicalSize},
    event::{ElementState, MouseButton, MouseScrollDelta, StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoopBuilder},
    window::{Window, WindowId},
};

use crate::{
    app::{
        Watch,
        display::{REMEDY, named},
        event::{Event, ViewCause},
        keys::{self, Action},
        present::Presenter,
        session::Session,
    },
    error::{Error, Result},
};

/// The window at first, logical pixels, and the share of the screen that it takes at most.
const SIZE: [f64; 2] = [1280.0, 720.0];
const SCREEN_SHARE: f64 = 0.9;

/// Pixels of a touchpad's scrolling that count as a notch of a wheel.
const PIXELS_A_NOTCH: f64 = 40.0;

/// Opens the window and stays until it is closed.
pub(super) fn open(options: Watch<'_>, mut display: EventLoopBuilder<()>) -> Result<()> {
    let event_loop = display.build().map_err(|error| {
        Error::Display(format!("no window can be opened here ({error}); {REMEDY}"))
    })?;
    let session = Session::new(&options)?;
    let now = Instant::now();
    let mut app = App {
        title: format!("jostle: {} agents", session.sim().agents().len()),
        session,
        tell: options.tell,
        shown: None,
        failed: None,
        cursor: Vec2::ZERO,
        dragging: false,
        hidden: false,
        dirty: true,
        asked: false,
        behind: false,
        frames: 0,
        last_run: now,
        next_frame: now,
    };
    let ended = event_loop.run_app(&mut app);
    match (app.failed, ended) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(lost(&error.to_string())),
        (None, Ok(())) => Ok(()),
    }
}

/// The sentence for a display that goes away.
fn lost(reason: &str) -> Error {
    Error::Display(format!("the display was lost ({reason}); `jostle run` needs none"))
}

/// A window that is there.
struct Shown {
    window: Arc<Window>,
    presenter: Presenter,
    size: [u32; 2],
}

/// Everything between winit and the session.
struct App<'a> {
    title: String,
    session: Session,
    tell: &'a mut dyn FnMut(&Event),
    shown: Option<Shown>,
    failed: Option<Error>,
    cursor: Vec2,
    dragging: bool,
    /// Nobody can see the window.
    hidden: bool,
    /// Something changed that the last frame doesn't show.
    dirty: bool,
    /// winit owes us a redraw.
    asked: bool,
    behind: bool,
    frames: u64,
    last_run: Instant,
    next_frame: Instant,
}

impl App<'_> {
    fn show(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
        let screen =
            event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
        if let Some(rate) = screen.as_ref().and_then(|s| s.refresh_rate_millihertz()) {
            self.session.pace.set_refresh(f64::from(rate) / 1000.0);
        }
        let mut size = LogicalSize::new(SIZE[0], SIZE[1]);
        if let Some(screen) = screen.filter(|screen| screen.size().width > 0) {
            let room = screen.size().to_logical::<f64>(screen.scale_factor());
            size.width = size.width.min(room.width * SCREEN_SHARE).round();
            size.height = size.height.min(room.height * SCREEN_SHARE).round();
        }
        let attributes =
            named(Window::default_attributes()).with_title(&self.title).with_inner_size(size);
        let window = event_loop.create_window(attributes).map_err(|error| {
            Error::Display(format!("no window can be opened ({error}); {REMEDY}"))
        })?;
        let window = Arc::new(window);
        let size = sides(window.inner_size());
        let (presenter, refusal) =
            Presenter::new(&window, drawable(size)).map_err(|reason| lost(&reason))?;
        if let Some(reason) = refusal {
            self.tell_fallback(&reason);
        }
        let scale_factor = window.scale_factor();
        let presenter_name = presenter.name();
        self.session.resize(drawable(size), scale_factor);
        self.shown = Some(Shown { window, presenter, size });
        self.dirty = true;
        // What it took to get here is not time that the simulation has to catch up with.
        self.last_run = Instant::now();
        (self.tell)(&Event::Ready { size, presenter: presenter_name, scale_factor });
        Ok(())
    }

    fn tell_fallback(&mut self, reason: &str) {
        (self.tell)(&Event::Notice(format!(
            "no GPU to present with ({reason}): frames reach the window through softbuffer"
        )));
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: Error) {
        self.failed.get_or_insert(error);
        event_loop.exit();
    }

    /// True if nobody would see a frame.
    fn unseen(&self) -> bool {
        self.hidden || self.shown.as_ref().is_none_or(|shown| shown.size.contains(&0))
    }

    /// The steps that are due.
    fn run(&mut self) {
        let now = Instant::now();
        let steps = self.session.run(now.duration_since(self.last_run));
        self.last_run = now;
        self.next_frame = (self.next_frame + self.session.pace.frame()).max(now);
        self.dirty |= steps > 0;
        if self.behind != self.session.is_behind() {
            self.behind = !self.behind;
            (self.tell)(&Event::Behind(self.behind));
        }
    }

    /// The steps that are due, and the frame that shows them.
    fn frame(&mut self) -> Result<()> {
        self.run();
        if !self.dirty || self.unseen() {
            return Ok(());
        }
        let Some(shown) = &mut self.shown else { return Ok(()) };
        self.session.draw(shown.presenter.bytes_mut());
        let begin = Instant::now();
        shown.window.pre_present_notify();
        if let Err(reason) = shown.presenter.present() {
            return self.replace_presenter(&reason);
        }
        self.session.presented(begin.elapsed());
        self.dirty = false;
        self.frames += 1;
        let steps = self.session.sim().steps();
        (self.tell)(&Event::Frame { number: self.frames, steps, size: shown.size });
        Ok(())
    }

    /// A GPU that is lost need not take the window with it.
    fn replace_presenter(&mut self, reason: &str) -> Result<()> {
        let Some(Shown { window, presenter, size }) = self.shown.take() else { return Ok(()) };
        if presenter.is_last_resort() {
            return Err(lost(reason));
        }
        // Two surfaces on one window would be in each other's way.
        drop(presenter);
        let presenter = Presenter::soft(&window, drawable(size)).map_err(|_| lost(reason))?;
        self.tell_fallback(reason);
        self.shown = Some(Shown { window, presenter, size });
        self.dirty = true;
        Ok(())
    }

    fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        if shown.size == size {
            return Ok(());
        }
        shown.size = size;
        (self.tell)(&Event::Resized(size));
        if size.contains(&0) {
            return Ok(());
        }
        self.session.resize(size, shown.window.scale_factor());
        self.dirty = true;
        match shown.presenter.resize(size) {
            Ok(()) => Ok(()),
            Err(reason) => self.replace_presenter(&reason),
        }
    }

    fn act(&mut self, action: Action, event_loop: &ActiveEventLoop) {
        self.dirty = true;
        let event = match action {
            Action::Pause => {
                self.session.pace.toggle_pause();
                self.last_run = Instant::now();
                if self.session.pace.is_paused() { Event::Paused } else { Event::Running }
            }
            Action::Step => {
                self.session.pace.step_once();
                Event::Paused
            }
            Action::Faster | Action::Slower => {
                if action == Action::Faster {
                    self.session.pace.faster();
                } else {
                    self.session.pace.slower();
                }
                Event::Speed(self.session.pace.speed())
            }
            Action::Restart => {
                let restarted = self.session.restart();
                self.last_run = Instant::now();
                match restarted {
                    Ok(()) => Event::Restarted,
                    Err(error) => Event::Notice(format!("not restarted: {error}")),
                }
            }
            Action::Fit => {
                self.session.view.fit();
                self.view_event(ViewCause::Fitted)
            }
            Action::Colours => self.look(|look| look.colouring = look.colouring.next()),
            Action::Palette => self.look(|look| look.palette = look.palette.next()),
            Action::Help => {
                self.session.help = !self.session.help;
                Event::Help(self.session.help)
            }
            Action::Quit => {
                event_loop.exit();
                Event::Closed
            }
            Action::Mouse => return,
        };
        (self.tell)(&event);
    }

    fn look(&mut self, change: impl FnOnce(&mut crate::raster::Look)) -> Event {
        let look = self.session.change_look(change);
        Event::Colours { colouring: look.colouring.name(), palette: look.palette.name() }
    }

    fn view_event(&self, cause: ViewCause) -> Event {
        let camera = self.session.view.camera();
        Event::View { cause, center: camera.center, scale: camera.scale }
    }

    fn zoom(&mut self, notches: f64) {
        self.session.view.zoom(notches as f32, self.cursor);
        self.dirty = true;
        let event = self.view_event(ViewCause::Zoomed);
        (self.tell)(&event);
    }

    fn move_cursor(&mut self, to: Vec2) {
        let by = to - self.cursor;
        self.cursor = to;
        if self.dragging && by != Vec2::ZERO {
            self.session.view.pan(by);
            self.dirty = true;
            let event = self.view_event(ViewCause::Panned);
            (self.tell)(&event);
        }
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.shown.is_none()
            && let Err(error) = self.show(event_loop)
        {
            self.fail(event_loop, error);
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, _: StartCause) {}

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let result = match event {
            WindowEvent::RedrawRequested => {
                // Asked for by the display itself: what it lost has to be drawn again.
                self.dirty |= !self.asked;
                self.asked = false;
                self.frame()
            }
            WindowEvent::Resized(size) => self.resize(sides(size)),
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                if let Some(shown) = &self.shown {
                    self.session.resize(drawable(shown.size), scale_factor);
                    self.dirty = true;
                }
                Ok(())
            }
            WindowEvent::CloseRequested | WindowEvent::Destroyed => {
                self.act(Action::Quit, event_loop);
                Ok(())
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = hidden;
                self.dirty = true;
                Ok(())
            }
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed =>
            {
                if let Some(action) = keys::action(&event.logical_key, event.repeat) {
                    self.act(action, event_loop);
                }
                Ok(())
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.move_cursor(Vec2::new(position.x as f32, position.y as f32));
                Ok(())
            }
            WindowEvent::MouseInput {
                state,
                button: MouseButton::Left | MouseButton::Middle,
                ..
            } => {
                self.dragging = state == ElementState::Pressed;
                Ok(())
            }
            WindowEvent::MouseWheel { delta, .. } => {
                self.zoom(match delta {
                    MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y / PIXELS_A_NOTCH,
                });
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = result {
            self.fail(event_loop, error);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let unseen = self.unseen();
        let idle = self.session.pace.is_paused() && !self.session.pace.has_single();
        if idle && (unseen || !self.dirty) || self.asked {
            event_loop.set_control_flow(ControlFlow::Wait);
            return;
        }
        if Instant::now() < self.next_frame {
            event_loop.set_control_flow(ControlFlow::WaitUntil(self.next_frame));
        } else if unseen {
            self.run();
            event_loop.set_control_flow(ControlFlow::WaitUntil(self.next_frame));
        } else if let Some(shown) = &self.shown {
            self.asked = true;
            shown.window.request_redraw();
            event_loop.set_control_flow(ControlFlow::Wait);
        }
    }
}

fn sides(size: PhysicalSize<u32>) -> [u32; 2] {
    [size.width, size.height]
}

/// A size that a buffer can have: a minimised window may have none.
fn drawable(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.max(1))
}
