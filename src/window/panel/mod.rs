//! The control panel beside the picture: controls of the run, figures and charts.
//!
//! ```text
//! window events ─► on_event ─► egui ─► lay_out ─┬─► commands  applied by the app
//!                                 session ─┘    └─► Painting  shown until there is another
//! ```
//!
//! The panel is laid out when the user touches it and a few times per second while its figures
//! change, not once per frame. So its cost is bounded, and an idle panel of a paused run costs
//! nothing. The panel reads the session and never changes it.
//!
//! Read in this order: [`number`], [`controls`], [`branches`], [`world`], [`start`], [`look`], [`charts`],
//! [`plots`], [`style`].

mod branches;
mod charts;
mod controls;
mod look;
mod number;
mod plots;
mod start;
mod style;
mod world;

use std::time::{Duration, Instant};

use egui::{
    Context, Id, Order, OutputCommand, Pos2, RawInput, Shape, ViewportId, epaint::ClippedShape,
};
use egui_winit::State;
use winit::{
    event::{ElementState, WindowEvent},
    window::Window,
};

use crate::{
    journal::Position,
    window::{
        command::Command,
        event::{PanelContents, PanelText},
        present::Painting,
        run_stats::RunStats,
        session::Session,
    },
};

use self::number::Keyboard;

/// Time between two updates of the figures. More often, users can't read them, and measuring and
/// drawing them would cost frames.
const PERIOD: Duration = Duration::from_millis(500);

/// Delays that egui asks for: below `SOON` it needs another layout now, from `NEVER` on none.
const SOON: Duration = Duration::from_millis(1);
const NEVER: Duration = Duration::from_hours(1);

/// Result of one layout.
#[derive(Default)]
pub(super) struct PanelOutput {
    /// Commands of the widgets that the user changed.
    pub(super) commands: Vec<Command>,
    /// Why a text that the user applied gives no command.
    pub(super) refusal: Option<String>,
    /// The picture of the panel.
    pub(super) painting: Option<Painting>,
    /// What the panel shows, if that changed.
    pub(super) contents: Option<PanelContents>,
    /// The text that the user has copied.
    pub(super) copied: Option<String>,
}

/// The panel, shown or hidden.
pub(super) struct Panel {
    context: Context,
    /// egui's state of the input devices; `None` without a window.
    input: Option<State>,
    /// Name of the driver that draws on the screen.
    driver: String,
    /// True if the panel is shown.
    pub(super) open: bool,
    /// True while the menu or the keys take its place.
    pub(super) covered: bool,
    keyboard: Keyboard,
    stats: RunStats,
    /// True if the last layout is out of date.
    stale: bool,
    /// When and where on its timeline the run was measured.
    measured: Option<Instant>,
    place: (u32, Position),
    /// Time of the next layout that egui asked for.
    next_layout: Option<Instant>,
    /// Right edge, physical pixels.
    right: f32,
    /// The mouse, physical pixels; `None` outside of the window.
    pointer: Option<[f64; 2]>,
    contents: PanelContents,
    paste: FieldPaste,
}

/// What a text field waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldPaste {
    Nothing,
    /// The window is to read the clipboard.
    Order(Id),
    /// The clipboard is being read.
    Text(Id),
}

impl Panel {
    /// Creates the panel, shown or hidden.
    pub(super) fn new(open: bool) -> Self {
        Self {
            context: style::context(),
            input: None,
            driver: String::new(),
            open,
            covered: false,
            keyboard: Keyboard::default(),
            stats: RunStats::default(),
            stale: true,
            measured: None,
            place: <(u32, Position)>::default(),
            next_layout: None,
            right: 0.0,
            pointer: None,
            contents: PanelContents::Moving,
            paste: FieldPaste::Nothing,
        }
    }

    /// Connects the panel to a window and a new presenter, which gets all textures.
    pub(super) fn attach(&mut self, window: &Window, driver: String) {
        let scale = Some(window.scale_factor() as f32);
        self.context = style::context();
        let context = self.context.clone();
        let mut input = State::new(context, ViewportId::ROOT, window, scale, None, None);
        // The clipboard of egui-winit is no other program's. It tells of a paste unless it is empty.
        input.set_clipboard_text(" ".to_owned());
        self.input = Some(input);
        self.driver = driver;
        self.keyboard = Keyboard::default();
        self.stale = true;
    }

    /// Shows or hides the panel.
    pub(super) fn toggle(&mut self) {
        self.open = !self.open;
        self.stale = true;
        self.keyboard = Keyboard::default();
        self.context.memory_mut(egui::Memory::stop_text_input);
        // An open list would take the keys when the panel is shown again.
        egui::Popup::close_all(&self.context);
    }

    /// Requests a layout, because the contents of the panel have changed.
    pub(super) fn touch(&mut self) {
        self.stale = true;
    }

    /// A command of the panel was accepted, which starts a run or not: the keyboard goes back to
    /// the window.
    pub(super) fn accept(&mut self, starts: bool) {
        self.keyboard.accept(&self.context, starts);
        self.measured = None;
        self.stale = true;
    }

    /// A command of the panel was refused.
    pub(super) fn refuse(&mut self) {
        self.keyboard.refuse(&self.context);
        self.stale = true;
    }

    /// Lets a press where the pointer is end what is typed elsewhere; false if nothing is.
    pub(super) fn leave_typed(&mut self) -> bool {
        let Some([x, y]) = self.pointer.filter(|_| self.is_painted()) else { return false };
        let scale = self.context.pixels_per_point();
        self.keyboard.leave(Pos2::new(x as f32 / scale, y as f32 / scale))
    }

    /// True if a text that was typed is refused, and has the keyboard.
    pub(super) fn has_refused(&self) -> bool {
        self.is_painted() && self.keyboard.has_refused()
    }

    /// Drops a refused text if the pointer is at another number; false if it drops none.
    pub(super) fn drop_refused_at_pointer(&mut self) -> bool {
        let drops = self.has_refused() && self.keyboard.drop_at_pointer(&self.context);
        self.stale |= drops;
        drops
    }

    /// The run that was ordered last was refused.
    pub(super) fn refuse_run(&mut self) {
        self.keyboard.refuse_run(&self.context);
        self.stale = true;
    }

    /// Shows another run.
    pub(super) fn show_run(&mut self) {
        self.keyboard.show_run();
        self.stats = RunStats::default();
        self.measured = None;
        self.stale = true;
    }

    /// Handles an event. True if the panel consumed it.
    pub(super) fn on_event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let was_over = self.is_over();
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer = Some([position.x, position.y]);
            }
            WindowEvent::CursorLeft { .. } => self.pointer = None,
            _ => {}
        }
        let over = self.is_over();
        // An open list takes the keys too: Esc closes it.
        let typing = self.context.wants_keyboard_input() || egui::Popup::is_any_open(&self.context);
        let Some(input) = &mut self.input else { return false };
        let response = input.on_window_event(window, event);
        if !self.open || self.covered {
            // egui keeps the held keys and the scale factor for the time when the panel opens.
            input.egui_input_mut().events.clear();
            return false;
        }
        let events = &mut input.egui_input_mut().events;
        let before = events.len();
        events.retain(|event| !matches!(event, egui::Event::Paste(_)));
        if events.len() < before
            && let Some(field) = self.context.memory(egui::Memory::focused)
        {
            self.paste = FieldPaste::Order(field);
        }
        match event {
            WindowEvent::RedrawRequested => false,
            WindowEvent::CursorMoved { .. } | WindowEvent::CursorLeft { .. } => {
                self.stale |= over || was_over || self.context.is_using_pointer();
                // Tools follow the pointer too: only a press decides whether the panel consumes it.
                false
            }
            WindowEvent::MouseInput { state, .. } => {
                // A click beside the panel takes the keyboard from its fields, and the release of a
                // button may end a drag that began over the panel.
                self.stale |= over || typing || self.context.is_using_pointer();
                over && *state == ElementState::Pressed
            }
            WindowEvent::MouseWheel { .. } => {
                self.stale |= over;
                over
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

    /// True if the user has pasted into a text field since the last call.
    pub(super) fn wants_paste(&mut self) -> bool {
        let FieldPaste::Order(field) = self.paste else { return false };
        self.paste = FieldPaste::Text(field);
        true
    }

    /// Gives a text to the field that waits for it; false if the user has left that.
    pub(super) fn paste(&mut self, text: String) -> bool {
        let field = self.context.memory(egui::Memory::focused);
        let waits = std::mem::replace(&mut self.paste, FieldPaste::Nothing);
        let is_there =
            self.is_typed_into() && field.is_some_and(|field| waits == FieldPaste::Text(field));
        if let Some(input) = self.input.as_mut().filter(|_| is_there) {
            input.egui_input_mut().events.push(egui::Event::Paste(text));
            self.stale = true;
        }
        is_there
    }

    /// True if a text field has the keyboard.
    pub(super) fn is_typed_into(&self) -> bool {
        self.is_painted() && self.context.wants_keyboard_input()
    }

    /// True if Tab ends a number that is typed.
    pub(super) fn takes_tab(&self) -> bool {
        self.is_painted() && self.keyboard.takes_tab()
    }

    /// Closes the plot beside the panel, if one is shown.
    pub(super) fn close_plot(&mut self) -> bool {
        let closes = self.is_painted() && plots::close(&self.context);
        self.stale |= closes;
        closes
    }

    /// True if a layout is due.
    pub(super) fn is_due(&self, now: Instant, session: &Session) -> bool {
        let next = self.next(session.is_active() || self.is_changed(session));
        let due = self.stale || self.is_behind(session) || next.is_some_and(|at| at <= now);
        self.is_painted() && due
    }

    /// Time of the next layout without further events. `changes` is true if the figures do.
    pub(super) fn next(&self, changes: bool) -> Option<Instant> {
        let figures = self.measured.filter(|_| changes).map(|measured| measured + PERIOD);
        let next = figures.into_iter().chain(self.next_layout).min();
        next.filter(|_| self.is_painted())
    }

    /// True if a click or key needs a layout before the next event is handled. A key after a click
    /// may be for the text field that the click has opened.
    pub(super) fn is_stale(&self) -> bool {
        self.is_painted() && self.stale
    }

    /// Width of the panel's part of the window, physical pixels from the left edge.
    pub(super) fn columns(&self) -> u32 {
        if self.is_painted() { self.right.ceil() as u32 } else { 0 }
    }

    /// Width that the panel takes when it is not covered.
    pub(super) fn columns_uncovered(&self) -> u32 {
        if self.open { self.right.ceil() as u32 } else { 0 }
    }

    /// True if it is in sight.
    pub(super) fn is_painted(&self) -> bool {
        self.open && !self.covered && self.input.is_some()
    }

    /// True if the figures are to be measured before the next layout.
    pub(super) fn wants_stats(&self, session: &Session, now: Instant) -> bool {
        let due = self.measured.is_none_or(|measured| now - measured >= PERIOD);
        due || self.is_behind(session)
    }

    /// True if the figures of a paused run are of another step.
    fn is_behind(&self, session: &Session) -> bool {
        self.stats.figures.steps != session.sim().steps() && session.host.timestep.is_paused()
    }

    /// True if the figures are of another state than the run's, such as before the last stroke of a paused run.
    pub(super) fn is_changed(&self, session: &Session) -> bool {
        self.place != session.host.place()
    }

    /// Shows these figures of the run's present state from now on.
    pub(super) fn set_stats(&mut self, stats: RunStats, session: &Session, now: Instant) {
        self.stats = stats;
        self.place = session.host.place();
        self.measured = Some(now);
    }

    /// Lays the panel out.
    pub(super) fn lay_out(
        &mut self,
        window: &Window,
        session: &Session,
        now: Instant,
    ) -> PanelOutput {
        let Some(input) = &mut self.input else { return PanelOutput::default() };
        self.context.set_zoom_factor(session.screen.interface_scale);
        let raw = RawInput { focused: true, ..input.take_egui_input(window) };
        let Self { keyboard, stats, driver, .. } = self;
        let (top, mut right) = (session.screen.text_height(), 0.0);
        let mut state = (keyboard, Vec::new());
        let output = self.context.run(raw, |context| {
            state.0.begin_layout();
            right = style::frame(
                context,
                top,
                &mut state,
                |ui, (keyboard, commands)| {
                    controls::run(ui, session, keyboard, commands);
                    charts::figures(ui, session, stats);
                },
                |ui, (keyboard, commands)| {
                    branches::show(ui, session, keyboard, commands);
                    world::show(ui, session, keyboard, commands);
                    style::section(ui, "motion", |ui| {
                        controls::motion(ui, session, stats, keyboard, commands);
                    });
                    style::section(ui, "start", |ui| {
                        start::show(ui, session, stats, keyboard, commands);
                    });
                    style::section(ui, "look", |ui| look::show(ui, session, keyboard, commands));
                    style::section(ui, "charts", |ui| charts::show(ui, session, stats, driver));
                    style::section(ui, "plots", |ui| plots::show(ui, session, commands));
                },
            );
        });
        let (_, commands) = state;
        let mut copied = None;
        let mut platform = output.platform_output;
        platform.commands.retain_mut(|command| match command {
            OutputCommand::CopyText(text) => {
                copied = Some(std::mem::take(text));
                false
            }
            _ => true,
        });
        input.handle_platform_output(window, platform);
        let wait = output.viewport_output.get(&ViewportId::ROOT).map(|view| view.repaint_delay);
        let wait = wait.unwrap_or(NEVER);
        self.stale = wait < SOON;
        self.next_layout = (!self.stale && wait < NEVER).then(|| now + wait);
        let pixels_per_point = output.pixels_per_point;
        self.right = right * pixels_per_point;
        let contents = if self.stale {
            PanelContents::Moving
        } else {
            PanelContents::Texts(texts(&output.shapes, pixels_per_point))
        };
        let contents = (self.contents != contents).then(|| {
            self.contents.clone_from(&contents);
            contents
        });
        let triangles = self.context.tessellate(output.shapes, pixels_per_point);
        let textures = output.textures_delta;
        let painting = Painting { textures, triangles, pixels_per_point };
        let (refusal, painting) = (self.keyboard.invalid.take(), Some(painting));
        PanelOutput { commands, refusal, painting, contents, copied }
    }

    /// True if the mouse is over the panel or a list that it has opened.
    pub(super) fn is_over(&self) -> bool {
        let Some([x, y]) = self.pointer.filter(|_| self.is_painted()) else { return false };
        let scale = self.context.pixels_per_point();
        let point = Pos2::new(x as f32 / scale, y as f32 / scale);
        let layer = self.context.layer_id_at(point);
        layer.is_some_and(|layer| layer.order != Order::Background)
    }
}

/// The texts among some shapes, as far as they are not cut off, with their places in pixels.
fn texts(shapes: &[ClippedShape], pixels_per_point: f32) -> Vec<PanelText> {
    let text = |ClippedShape { clip_rect, shape }: &ClippedShape| {
        let Shape::Text(text) = shape else { return None };
        let place = text.visual_bounding_rect().intersect(*clip_rect);
        let middle = place.center() * pixels_per_point;
        let middle = [middle.x.round() as i32, middle.y.round() as i32];
        place.is_positive().then(|| (text.galley.text().to_owned(), middle))
    };
    shapes.iter().filter_map(text).collect()
}
