//! The control panel: what runs and how, and what it costs, beside the picture.
//!
//! ```text
//! window events ─► hear ─► egui ─► lay ─┬─► Wishes    the session grants them, or refuses
//!                          session ─┘   └─► Painting  the presenter shows it until there is another
//! ```
//!
//! It is laid out when somebody touches it and a few times a second while its figures change, not once a
//! frame: what it costs is bounded, and what is paused and untouched costs nothing. It reads the session and
//! never changes it.

mod charts;
mod controls;
mod figures;
mod motion;
mod style;

use std::time::{Duration, Instant};

use egui::{Context, Order, Pos2, RawInput, Rect, ViewportId};
use egui_winit::State;
use winit::{
    event::{ElementState, KeyEvent, MouseButton, WindowEvent},
    window::Window,
};

use crate::{
    scene::Setup,
    window::{command::Command, present::Painting, session::Session, survey::Survey},
};

use self::controls::Form;

/// How often figures are shown anew: more often nobody can read them, and a GPU in software would feel it.
const PERIOD: Duration = Duration::from_millis(250);

/// Asked for by egui for what is a moment away, and for what is never.
const SOON: Duration = Duration::from_millis(1);
const NEVER: Duration = Duration::from_hours(1);

/// One layout of the panel.
#[derive(Default)]
pub(super) struct Layout {
    /// Commands of the widgets that the user changed.
    pub(super) commands: Vec<Command>,
    /// Why a text that the user applied is no command.
    pub(super) refusal: Option<String>,
    /// The picture of the panel.
    pub(super) painting: Option<Painting>,
}

/// The panel, shown or not.
pub(super) struct Panel {
    context: Context,
    /// None where nobody can paint it.
    input: Option<State>,
    open: bool,
    form: Form,
    survey: Survey,
    /// True if it would look different if it were laid out anew.
    stale: bool,
    /// When it was laid out last.
    laid: Option<Instant>,
    /// When it asked to be laid out of its own accord.
    again: Option<Instant>,
    /// Its right edge, physical pixels.
    right: f32,
    /// The mouse, physical pixels; none if it is elsewhere.
    pointer: Option<[f64; 2]>,
    /// The mouse button that was pressed over it and is still held.
    held: Option<MouseButton>,
}

impl Panel {
    /// Shown or not from the beginning.
    pub(super) fn new(open: bool, setup: &Setup) -> Self {
        let context = Context::default();
        style::apply(&context);
        Self {
            context,
            input: None,
            open,
            form: Form::of(setup),
            survey: Survey::default(),
            stale: true,
            laid: None,
            again: None,
            right: 0.0,
            pointer: None,
            held: None,
        }
    }

    /// There is a window now, and somebody who can paint it there.
    pub(super) fn attach(&mut self, window: &Window) {
        let scale = Some(window.scale_factor() as f32);
        let context = self.context.clone();
        self.input = Some(State::new(context, ViewportId::ROOT, window, scale, None, None));
    }

    /// Nobody can paint it any more.
    pub(super) fn detach(&mut self) {
        self.input = None;
    }

    /// True if it is shown, or would be if somebody could paint it.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Shows it, or hides it.
    pub(super) fn toggle(&mut self, session: &Session) {
        self.open = !self.open;
        self.stale = true;
        self.held = None;
        self.form = Form::of(session.setup());
        self.context.memory_mut(egui::Memory::stop_text_input);
    }

    /// Something it shows has changed.
    pub(super) fn touch(&mut self) {
        self.stale = true;
    }

    /// What the session answered: a sentence if it refused, nothing if all is well, and then nobody types on.
    pub(super) fn answer(&mut self, refusal: Option<String>) {
        if refusal.is_none() {
            self.context.memory_mut(|memory| memory.surrender_focus(controls::agents_field()));
        }
        self.form.refusal = refusal;
        self.laid = None;
        self.stale = true;
    }

    /// Another run began. What is half typed stays.
    pub(super) fn renew(&mut self, session: &Session) {
        let typing = self.context.memory(|memory| memory.has_focus(controls::agents_field()));
        let mut form = Form::of(session.setup());
        if typing {
            form.agents = std::mem::take(&mut self.form.agents);
        }
        self.form = form;
        self.survey = Survey::default();
        self.laid = None;
        self.stale = true;
    }

    /// Hears of an event. True if it is the panel's own, and nobody else is to hear of it.
    pub(super) fn hear(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let Some(input) = &mut self.input else { return false };
        if !self.open {
            // What is held down and how large a pixel is has to be known when it opens.
            if matches!(
                event,
                WindowEvent::ModifiersChanged(_)
                    | WindowEvent::ScaleFactorChanged { .. }
                    | WindowEvent::Focused(_)
            ) {
                let _ = input.on_window_event(window, event);
            }
            if let WindowEvent::CursorMoved { position, .. } = event {
                self.pointer = Some([position.x, position.y]);
            }
            return false;
        }
        let was_over = self.is_over();
        match event {
            WindowEvent::RedrawRequested => return false,
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer = Some([position.x, position.y]);
            }
            WindowEvent::CursorLeft { .. } => self.pointer = None,
            _ => {}
        }
        let over = self.is_over();
        // An open list has the keys, too: Esc puts it away.
        let typing =
            self.context.egui_wants_keyboard_input() || egui::Popup::is_any_open(&self.context);
        let Some(input) = &mut self.input else { return false };
        let response = input.on_window_event(window, event);
        match event {
            WindowEvent::CursorMoved { .. } | WindowEvent::CursorLeft { .. } => {
                self.stale |= over || was_over || self.held.is_some();
                // Where the mouse is everybody has to know; it is the press that decides whose it is.
                false
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } => {
                // A click beside the panel takes the keyboard from its fields.
                self.stale |= over || typing;
                if over {
                    self.held = Some(*button);
                }
                over
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                let held = self.held == Some(*button);
                self.stale |= held || over;
                if held {
                    self.held = None;
                }
                held
            }
            WindowEvent::MouseWheel { .. } => {
                self.stale |= over;
                over
            }
            WindowEvent::KeyboardInput { event: KeyEvent { state, .. }, .. } if typing => {
                self.stale = true;
                // Something else is being asked for.
                if state.is_pressed() {
                    self.form.refusal = None;
                }
                true
            }
            WindowEvent::KeyboardInput { .. } | WindowEvent::Ime(_) => {
                self.stale |= typing;
                typing
            }
            _ => {
                self.stale |= response.repaint;
                false
            }
        }
    }

    /// True if it has something of its own to show, or would have by now.
    pub(super) fn is_due(&self, now: Instant, running: bool) -> bool {
        self.is_painted() && (self.stale || self.next(running).is_some_and(|at| at <= now))
    }

    /// When it wants to be laid out again if nothing happens.
    pub(super) fn next(&self, running: bool) -> Option<Instant> {
        let figures = self.laid.filter(|_| running).map(|laid| laid + PERIOD);
        let next = figures.into_iter().chain(self.again).min();
        next.filter(|_| self.is_painted())
    }

    /// True if something was clicked or typed that should be dealt with before anything else is heard: the
    /// key behind a click may be for the field that it opened.
    pub(super) fn is_stale(&self) -> bool {
        self.is_painted() && self.stale
    }

    /// Columns of pixels at the left of the window that it takes.
    pub(super) fn columns(&self) -> u32 {
        if self.is_painted() { self.right.ceil() as u32 } else { 0 }
    }

    fn is_painted(&self) -> bool {
        self.open && self.input.is_some()
    }

    /// Lays it out for a frame of that many pixels. Says what was wished for, and what there is to paint.
    pub(super) fn lay(
        &mut self,
        window: &Window,
        size: [u32; 2],
        session: &Session,
        now: Instant,
    ) -> Layout {
        let Some(input) = &mut self.input else { return Layout::default() };
        let fresh = self.laid.is_none_or(|laid| now - laid >= PERIOD);
        if fresh || self.survey.steps != session.sim().steps() && session.timestep.is_paused() {
            self.survey = Survey::of(session.sim());
            self.laid = Some(now);
        }
        let raw = RawInput { focused: true, ..input.take_egui_input(window) };
        let mut commands = Vec::new();
        let (form, survey) = (&mut self.form, &self.survey);
        let top = session.text_height();
        let mut place = Rect::NOTHING;
        let output = self.context.run_ui(raw, |ui| {
            place = style::frame(ui, top, |ui| {
                controls::show(ui, session, survey, form, &mut commands);
                figures::show(ui, session, survey);
                charts::show(ui, session, survey);
            });
        });
        input.handle_platform_output(window, output.platform_output);
        let wait = output.viewport_output.get(&ViewportId::ROOT).map(|view| view.repaint_delay);
        let wait = wait.unwrap_or(NEVER);
        self.stale = wait < SOON;
        self.again = (!self.stale && wait < NEVER).then(|| now + wait);
        let pixels_per_point = output.pixels_per_point;
        let opaque = place.shrink(style::SOFT);
        self.right = place.right() * pixels_per_point;
        let triangles = self.context.tessellate(output.shapes, pixels_per_point);
        let textures = output.textures_delta;
        let painting = Painting { textures, triangles, pixels_per_point, size, opaque };
        Layout { commands, refusal: self.form.invalid.take(), painting: Some(painting) }
    }

    /// True if the mouse is over anything that belongs to it.
    fn is_over(&self) -> bool {
        let Some([x, y]) = self.pointer else { return false };
        let scale = self.context.pixels_per_point();
        let point = Pos2::new(x as f32 / scale, y as f32 / scale);
        let layer = self.context.layer_id_at(point);
        layer.is_some_and(|layer| layer.order != Order::Background)
    }
}
