//! What keys and mouse do to a session. Each says what happened, for whoever listens.

use glam::Vec2;

use crate::{
    error::Result,
    window::{
        event::{Event, ViewCause},
        keys::Action,
        session::Session,
        tool_state::Held,
    },
};

impl Session {
    /// Does what a key stands for; nothing for what only a window can do.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(super) fn act(&mut self, action: Action) -> Result<Option<Event>> {
        Ok(Some(match action {
            Action::Pause => {
                self.timestep.toggle_pause();
                self.skip_time();
                if self.timestep.is_paused() { Event::Paused } else { Event::Running }
            }
            Action::Step => {
                self.timestep.step_once();
                Event::Paused
            }
            Action::Faster => {
                self.timestep.faster();
                Event::Speed(self.timestep.speed())
            }
            Action::Slower => {
                self.timestep.slower();
                Event::Speed(self.timestep.speed())
            }
            Action::Fit => {
                self.view.fit();
                self.let_go();
                Event::View(ViewCause::Fitted)
            }
            Action::Overlay => Event::Overlay(
                self.change_look(|look| look.overlay = look.overlay.next()).overlay.name(),
            ),
            Action::GifColors => {
                let scene = self.setup().scene;
                self.look_with(|look| look.color_by = look.color_by.next_in(scene))
            }
            Action::Palette => self.look_with(|look| look.palette = look.palette.next()),
            Action::Index => self.next_index(),
            Action::Help => {
                self.turn_page();
                Event::Help(self.help > 0)
            }
            Action::Tool(tool) => self.take(tool),
            Action::Larger => {
                self.tool_state.size = self.tool_state.size.larger();
                Event::Reach(self.tool_state.size.radius())
            }
            Action::Smaller => {
                self.tool_state.size = self.tool_state.size.smaller();
                Event::Reach(self.tool_state.size.radius())
            }
            Action::Undo => self.undo()?,
            Action::Restart
            | Action::Scene(_)
            | Action::Screenshot
            | Action::Record
            | Action::FullScreen
            | Action::Panel
            | Action::Leave
            | Action::Quit
            | Action::Mouse => return Ok(None),
        }))
    }

    /// The wheel turned by that many notches, away from the user if positive.
    pub(super) fn zoom(&mut self, notches: f32) -> Option<Event> {
        if notches == 0.0 {
            return None;
        }
        self.view.zoom(notches, self.cursor);
        Some(Event::View(ViewCause::Zoomed))
    }

    /// The mouse moved.
    pub(super) fn point(&mut self, to: Vec2) -> Option<Event> {
        let by = to - self.cursor;
        (self.cursor, self.pointed) = (to, true);
        match self.tool_state.held {
            Held::View if by != Vec2::ZERO => {
                self.view.pan(by);
                self.let_go();
                Some(Event::View(ViewCause::Panned))
            }
            Held::Map => {
                let place = self.map_place()?;
                self.view.look_at(place.to_world(to));
                self.let_go();
                Some(Event::View(ViewCause::Mapped))
            }
            _ => None,
        }
    }

    /// Changes the look, and says what it is now.
    pub(super) fn look_with(&mut self, change: impl FnOnce(&mut crate::raster::Style)) -> Event {
        let look = self.change_look(change);
        Event::GifColors { color_by: look.color_by.name(), palette: look.palette.name() }
    }
}
