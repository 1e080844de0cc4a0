//! The panel beside the picture: its layout, its events first, and its commands.

use std::time::Instant;

use winit::event::WindowEvent;

use super::{App, Shown, title};
use crate::{
    error::Result,
    window::{command::Command, event::Event, gauge::Part, panel::Layout},
};

/// Layouts in a row, at most: what has not settled by then waits for the next frame.
const PASSES: usize = 3;

impl App<'_> {
    /// Lays the panel out until it has settled, and applies the commands that it gives.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn lay(&mut self) -> Result<()> {
        let begin = Instant::now();
        // New widgets are measured in one pass and shown in the next.
        for _ in 0..PASSES {
            let Some(Shown { window, presenter: Some(presenter), size }) = &mut self.shown else {
                return Ok(());
            };
            let layout = self.panel.lay(window, *size, &self.session, begin);
            let Layout { commands, refusal, painting } = layout;
            if let Some(painting) = painting {
                presenter.show_panel(painting);
            }
            for command in commands {
                self.session.message.clear();
                if self.apply(command)? {
                    self.panel.answer(None);
                }
            }
            if let Some(reason) = refusal {
                self.panel.answer(Some(reason.clone()));
                self.tell(Some(Event::Refused(reason)));
            }
            if !self.panel.is_stale() {
                break;
            }
        }
        self.session.gauge.push(Part::Panel, begin.elapsed());
        self.schedule.wake_at(self.panel.next(false));
        Ok(())
    }

    /// Gives an event to the panel first; true if it is the panel's own. Clicks and keys there are
    /// applied at once: the key after a click may be for the field that the click opened.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn is_panels(&mut self, event: &WindowEvent) -> Result<bool> {
        let Some(shown) = &self.shown else { return Ok(false) };
        // The key that hides the panel is never the panel's.
        if let WindowEvent::KeyboardInput { event, .. } = event
            && self.key_command(event) == Some(Command::TogglePanel)
        {
            return Ok(false);
        }
        let own = self.panel.hear(&shown.window, event);
        if own
            && matches!(event, WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed())
        {
            self.session.message.clear();
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
            self.lay()?;
        }
        Ok(own)
    }

    /// Shows or hides the panel, where the presenter can paint it.
    pub(super) fn toggle_panel(&mut self) {
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

    /// Shows the run that was ordered last once it is placed, and reports it.
    pub(super) fn show_placed(&mut self) {
        let Some(event) = self.session.placed() else { return };
        if let Some(reason) = event.refusal() {
            self.panel.answer(Some(reason.to_owned()));
        } else if matches!(event, Event::Run { .. } | Event::Restarted) {
            self.panel.renew(&self.session);
            if let Some(shown) = &self.shown {
                shown.window.set_title(&title(self.session.setup()));
            }
        }
        self.tell(Some(event));
    }
}
