//! The mouse: what its buttons do with the tool in use, and how it moves the view.

use std::time::Instant;

use glam::Vec2;

use super::Session;
use crate::{
    error::Result,
    window::{
        event::Event,
        hud::Inspection,
        tool::{Held, Tool},
    },
};

/// Magnification of a double-click.
const DOUBLE_CLICK_ZOOM: f32 = 4.0;

/// Smallest radius of the inspected agent after it was clicked, pixels of a screen of scale 1.
const INSPECTED_RADIUS: f32 = 14.0;

impl Session {
    /// Moves the pointer to a pixel; drags what is held.
    pub(super) fn move_pointer(&mut self, to: Vec2) -> Option<Event> {
        let by = to - self.cursor;
        (self.cursor, self.pointed) = (to, true);
        match self.tool_state.held {
            Held::View if by != Vec2::ZERO => {
                self.view.pan(by);
                self.stop_following();
                Some(Event::View("panned"))
            }
            Held::Map => self.look_at_map(),
            _ => None,
        }
    }

    /// Zooms at the pointer by notches of the wheel, in if positive.
    pub(super) fn zoom(&mut self, notches: f32) -> Option<Event> {
        (notches != 0.0).then(|| {
            self.view.zoom(notches, self.cursor);
            Event::View("zoomed")
        })
    }

    /// Takes another tool.
    pub(super) fn take(&mut self, tool: Tool) -> Event {
        self.tool_state.release();
        self.tool_state.tool = tool;
        if tool != Tool::Inspect {
            self.inspection = None;
        }
        Event::set("tool", tool.name())
    }

    /// Presses the tool's button.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(super) fn press(&mut self) -> Result<Option<Event>> {
        if self.map_place().is_some_and(|place| place.contains(self.cursor)) {
            self.tool_state.held = Held::Map;
            return Ok(self.look_at_map());
        }
        Ok(match self.tool_state.tool {
            Tool::Hand => {
                self.tool_state.held = Held::View;
                self.tool_state.click(Instant::now(), self.cursor).then(|| {
                    self.view.magnify(DOUBLE_CLICK_ZOOM, self.cursor);
                    Event::View("zoomed")
                })
            }
            Tool::Inspect => Some(self.inspect()),
            _ => {
                self.tool_state.held = Held::Tool;
                self.work().err().map(Event::refused).transpose()?
            }
        })
    }

    /// Drags the view from now on, with any tool.
    pub(super) fn grab(&mut self) {
        self.tool_state.release();
        self.tool_state.held = Held::View;
    }

    /// Releases the pressed button.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(super) fn release(&mut self) -> Result<Option<Event>> {
        // A quick stroke may end before the next frame: it goes as far as the pointer did.
        if let Err(error) = self.work() {
            self.tool_state.release();
            return Event::refused(error).map(Some);
        }
        let done = self.tool_state.release();
        Ok(done.map(|done| Event::Stroke(self.tool_state.tool.name(), done)))
    }

    /// Whether a frame is due wherever the pointer goes, as the tool's ring is drawn around it.
    pub(in crate::window) fn has_ring(&self) -> bool {
        self.tool_state.tool != Tool::Hand
    }

    /// Keeps the view where it is instead of over the inspected agent.
    pub(super) fn stop_following(&mut self) {
        self.inspection.iter_mut().for_each(|inspection| inspection.follows = false);
    }

    /// Centers the view on the pointer's place on the mini-map, if the map is shown.
    fn look_at_map(&mut self) -> Option<Event> {
        let place = self.map_place()?;
        self.view.look_at(place.to_world(self.cursor));
        self.stop_following();
        Some(Event::View("mapped"))
    }

    /// Inspects the agent at the pointer and centers the view on it; without an agent there, ends
    /// the inspection.
    fn inspect(&mut self) -> Event {
        let (agents, grid) = (self.sim.agents(), self.sim.grid());
        let camera = *self.view.camera();
        let place = camera.to_world(self.cursor);
        self.inspection = Inspection::at(agents, grid, place, camera.scale);
        let found = self.inspection.as_mut().and_then(|it| Some((it.update(agents, grid)?, it.id)));
        let Some((agent, id)) = found else { return Event::set("inspect", "nothing") };
        let scale = INSPECTED_RADIUS * self.text_scale as f32 / agent.radius;
        self.view.look_close(agent.position, scale);
        Event::set("inspect", id)
    }
}
