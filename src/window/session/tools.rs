//! What the mouse's buttons do with the tool in hand.

use std::time::Instant;

use super::Session;
use crate::{
    error::Result,
    window::{
        event::{Event, ViewCause},
        inspect::Inspection,
        tool::Tool,
        tool_state::Held,
    },
};

/// What a double-click magnifies by.
const DOUBLE_ZOOM: f32 = 4.0;

/// Pixels of the radius of an agent under the glass, at least, when it is clicked.
const SEEN: f32 = 14.0;

impl Session {
    /// The view goes its own way from now on.
    pub(in crate::window) fn let_go(&mut self) {
        self.inspection.iter_mut().for_each(|inspection| inspection.follows = false);
    }

    /// True if the cursor has something drawn around it, so that a frame is due wherever it goes.
    pub(in crate::window) fn has_ring(&self) -> bool {
        self.tool_state.tool != Tool::Hand
    }

    /// Another tool in hand.
    pub(in crate::window) fn take(&mut self, tool: Tool) -> Event {
        self.tool_state.release();
        self.tool_state.tool = tool;
        self.inspection = self.inspection.take().filter(|_| tool == Tool::Inspect);
        Event::Tool(tool.name())
    }

    /// The left button goes down.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(in crate::window) fn press(&mut self) -> Result<Option<Event>> {
        if let Some(place) = self.map_place().filter(|place| place.contains(self.cursor)) {
            self.tool_state.held = Held::Map;
            self.view.look_at(place.to_world(self.cursor));
            self.let_go();
            return Ok(Some(Event::View(ViewCause::Mapped)));
        }
        Ok(match self.tool_state.tool {
            Tool::Hand => {
                self.tool_state.held = Held::View;
                self.tool_state.click(Instant::now(), self.cursor).then(|| {
                    self.view.magnify(DOUBLE_ZOOM, self.cursor);
                    Event::View(ViewCause::Zoomed)
                })
            }
            Tool::Inspect => Some(self.inspect()),
            _ => {
                self.tool_state.held = Held::Tool;
                self.work().err().map(Event::refused).transpose()?
            }
        })
    }

    /// The right or the middle button goes down.
    pub(in crate::window) fn grab(&mut self) {
        self.tool_state.release();
        self.tool_state.held = Held::View;
    }

    /// A button goes up.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(in crate::window) fn release(&mut self) -> Result<Option<Event>> {
        // As far as the mouse has come: a quick stroke may end before the next frame.
        if let Err(error) = self.work() {
            self.tool_state.release();
            return Event::refused(error).map(Some);
        }
        Ok(self.tool_state.release().map(|what| Event::Stroke(self.tool_state.tool.name(), what)))
    }

    /// Puts the agent under the cursor under the glass, and the view over it; if there is none, puts the
    /// glass away.
    fn inspect(&mut self) -> Event {
        let (agents, grid) = (self.sim.agents(), self.sim.grid());
        let camera = *self.view.camera();
        let place = camera.to_world(self.cursor);
        self.inspection = Inspection::of(agents, grid, place, camera.scale);
        let found = self.inspection.as_mut().and_then(|it| Some((it.look(agents, grid)?, it.id)));
        let Some((agent, id)) = found else { return Event::Inspect(None) };
        self.view.look_close(agent.position, SEEN * self.text_scale as f32 / agent.radius);
        Event::Inspect(Some(id))
    }
}
