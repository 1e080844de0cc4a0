//! The panel in the window: its layout, its events and its commands.

use std::time::{Duration, Instant};

use winit::event::{ElementState, MouseButton, WindowEvent};

use super::{App, Shown};
use crate::{
    program::ProgramResult as Result,
    window::{
        clipboard::PasteTarget,
        command::Command,
        event::{Event, sentence},
        frame_stats::Part,
        panel::PanelOutput,
    },
};

/// Largest number of layouts in a row. A panel that has not settled by then waits for the next
/// frame.
const PASSES: usize = 3;

/// Time between two looks at a placement.
const PLACING_PERIOD: Duration = Duration::from_millis(200);

impl App<'_> {
    /// Lays the panel out until it has settled, and applies its commands.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn lay_out_panel(&mut self) -> Result<()> {
        let begin = Instant::now();
        // New widgets are measured in one pass and shown in the next.
        for _ in 0..PASSES {
            // A command of the pass before may have changed them.
            if self.panel.wants_stats(&self.session, begin) {
                let stats = self.session.measure()?;
                (self.tell)(&Event::Figures(stats.figures));
                for plot in self.session.plots() {
                    (self.tell)(&Event::plot(plot));
                }
                self.panel.set_stats(stats, &self.session, begin);
            }
            let Some(Shown { window, presenter: Some(presenter), .. }) = &mut self.shown else {
                return Ok(());
            };
            let output = self.panel.lay_out(window, &self.session, begin);
            let PanelOutput { commands, refusal, painting, contents, copied } = output;
            if let Some(painting) = painting {
                presenter.show_panel(&painting);
            }
            if let Some(contents) = contents {
                (self.tell)(&Event::Panel(contents));
            }
            if let Some(Err(error)) = copied.map(|text| self.copied.put_text(&text)) {
                self.emit(Event::Notice(sentence(&error)));
            }
            for command in commands {
                self.session.reports.message.clear();
                if self.apply(command)? {
                    self.panel.accept(command.starts_run());
                } else {
                    self.panel.refuse();
                }
            }
            if let Some(reason) = refusal {
                self.panel.refuse();
                self.emit(Event::Refused(reason));
            }
            if !self.panel.is_stale() {
                break;
            }
        }
        self.session.tools.covered = self.panel.is_over();
        self.session.reports.frame_stats.push(Part::Panel, begin.elapsed());
        self.set_alarm();
        Ok(())
    }

    /// Wakes a window that sleeps for what it shows of work elsewhere.
    pub(super) fn set_alarm(&mut self) {
        let placing = self.session.is_placing().then(|| Instant::now() + PLACING_PERIOD);
        let hint = self.session.reports.hint_ends();
        let panel = self.panel.next(self.panel.is_changed(&self.session));
        self.schedule.wake_at(panel.into_iter().chain(placing).chain(hint).min());
    }

    /// Hides the panel while the menu or the keys take its place.
    pub(super) fn cover_panel(&mut self) {
        let columns = self.panel.columns_uncovered();
        let covered = self.session.menu.is_open() || self.session.screen.help_covers(columns);
        if covered == self.panel.covered {
            return;
        }
        self.panel.covered = covered;
        self.panel.touch();
        if let Some(Shown { presenter: Some(presenter), .. }) = &mut self.shown
            && covered
        {
            presenter.hide_panel();
        }
    }

    /// Offers an event to the panel; true if the panel consumed it. Clicks and keys there take
    /// effect at once, because a key after a click may be for the text field that the click has
    /// opened.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn offer_to_panel(&mut self, event: &WindowEvent) -> Result<bool> {
        // Without a text field, the panel consumes neither the key that hides it nor those of the clipboard.
        let command = match event {
            WindowEvent::KeyboardInput { event, .. } => self.input.key_command(event),
            _ => None,
        };
        let is_tab = command == Some(Command::TogglePanel);
        if is_tab && !self.panel.takes_tab()
            || command.is_some_and(Command::is_of_clipboard) && !self.panel.is_typed_into()
        {
            return Ok(false);
        }
        // A hint would take the click although the pointer has left what it is for.
        if is_press(event) && self.panel.is_stale() {
            self.lay_out_panel()?;
        }
        if let WindowEvent::MouseInput { state, button, .. } = event {
            let is_same = |ignored: &mut MouseButton| ignored == button;
            if *state == ElementState::Released && self.ignored.take_if(is_same).is_some() {
                return Ok(true);
            }
            let had_refused = self.panel.has_refused();
            if *state == ElementState::Pressed && self.panel.leave_typed() {
                self.lay_out_panel()?;
                // What the press would do else would hide why the text is refused.
                let is_refused = self.panel.has_refused() && !had_refused;
                let goes_on = *button == MouseButton::Left && self.panel.drop_refused_at_pointer();
                if is_refused && !goes_on {
                    self.ignored = Some(*button);
                    return Ok(true);
                }
            }
        }
        let Some(shown) = &self.shown else { return Ok(false) };
        let consumed = self.panel.on_event(&shown.window, event);
        self.session.tools.covered = self.panel.is_over();
        if self.panel.wants_paste() {
            self.paste(PasteTarget::Field);
        }
        if consumed && is_key_press(event) {
            self.session.reports.message.clear();
        }
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
            self.lay_out_panel()?;
        }
        if is_tab && is_key_press(event) {
            self.emit(Event::set("number", "typed"));
        }
        Ok(consumed)
    }

    /// Shows or hides the panel.
    pub(super) fn toggle_panel(&mut self) {
        let Some(Shown { presenter: Some(presenter), .. }) = &mut self.shown else { return };
        self.panel.toggle();
        if !self.panel.open {
            presenter.hide_panel();
        }
        self.emit(Event::switched("panel", self.panel.open));
    }
}

/// True if the event is the press of a key.
fn is_key_press(event: &WindowEvent) -> bool {
    matches!(event, WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed())
}

/// True if the event is the press of a mouse button.
fn is_press(event: &WindowEvent) -> bool {
    matches!(event, WindowEvent::MouseInput { state: ElementState::Pressed, .. })
}
