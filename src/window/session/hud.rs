//! The HUD: inspection, mini-map, scale bar and the tool's ring, drawn over the agents.

use glam::Vec2;

use super::Session;
use crate::{
    raster::{Interpolation, OverlayCanvas, Stroke, View},
    window::{
        hud::{Canvas, LETTER, MapPlace, scale_bar},
        tool::Tool,
    },
};

/// The ring: light inside dark, so that it shows on any background.
const LIGHT: Stroke = Stroke { color: [255, 255, 255], opacity: 0.95 };
const DARK: Stroke = Stroke { color: [0, 0, 0], opacity: 0.6 };
const NAME: [u8; 3] = [255, 255, 255];

/// Radius of the ring of a tool without a size, pixels.
const POINT: f32 = 6.0;

impl Session {
    /// How far the frame lags behind the last step.
    pub(super) fn interpolation(&self) -> Interpolation {
        let (lag, substeps) = (self.timestep.lag() as f32, self.setup().substeps as f32);
        let farthest = lag * substeps * self.sim.fastest();
        Interpolation { seconds: lag * self.sim.dt(), farthest }
    }

    /// Updates the inspection and keeps the view over its agent; ends it if the agent is gone.
    pub(super) fn follow(&mut self, interpolation: Interpolation) {
        let (agents, grid) = (self.sim.agents(), self.sim.grid());
        let Some(inspection) = &mut self.inspection else { return };
        match inspection.update(agents, grid) {
            Some(agent) if inspection.follows => {
                self.view.look_at(interpolation.position(&agent, &self.sim.world()));
            }
            Some(_) => {}
            None => self.inspection = None,
        }
    }

    /// The mini-map's place in the frame; `None` while the whole world is in view.
    pub(super) fn map_place(&self) -> Option<MapPlace> {
        let size = self.view.camera().size;
        let place = MapPlace::new(self.sim.world(), size, self.text_scale);
        place.filter(|_| self.view.is_close())
    }

    /// Draws the HUD into a frame.
    pub(super) fn draw_hud(&mut self, bytes: &mut [u8], interpolation: Interpolation) {
        let (size, scale) = (self.size, self.text_scale);
        let map = self.map_place();
        let fixed = self.look().statics;
        let Self { sim, view, inspection, minimap, .. } = self;
        let camera = view.camera();
        if let Some(inspection) = inspection {
            inspection.draw(size, bytes, scale, camera, &View::from_sim(sim), interpolation);
        }
        // The help page may cover the scale bar's place.
        if self.help == 0 {
            scale_bar::draw(size, bytes, scale, camera.scale);
        }
        if let Some(place) = map {
            minimap.draw(size, bytes, place, camera, &View::from_sim(sim), fixed);
        }
        if self.pointed && self.tool_state.tool != Tool::Hand {
            self.draw_cursor(bytes);
        }
    }

    fn draw_cursor(&self, bytes: &mut [u8]) {
        let pen = self.text_scale as f32;
        let tool = self.tool_state.tool;
        let radius = if tool.has_size() { self.tool_state.size.radius() } else { POINT } * pen;
        let sheet = &mut OverlayCanvas::new(self.size, bytes);
        sheet.ring(self.cursor, radius, 4.0 * pen, DARK);
        sheet.ring(self.cursor, radius, 1.5 * pen, LIGHT);
        let beside = self.cursor + Vec2::new(radius + 6.0 * pen, -0.5 * LETTER as f32 * pen);
        let [x, y] = beside.max(Vec2::ONE).to_array().map(|at| at as u32);
        let canvas = &mut Canvas::new(self.size, bytes);
        canvas.write(
            x + self.text_scale,
            y + self.text_scale,
            self.text_scale,
            [0; 3],
            tool.name(),
        );
        canvas.write(x, y, self.text_scale, NAME, tool.name());
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        scene::Scene,
        window::{
            command::Command,
            session::fixture::{SIZE, apply, session},
        },
    };

    #[test]
    fn the_keys_hide_the_scale_bar() {
        let mut session = session(Scene::Gas);
        let mut draws = || {
            let mut bytes = vec![0; (SIZE[0] * SIZE[1] * 4) as usize];
            session.draw_hud(&mut bytes, session.interpolation());
            apply(&mut session, Command::NextHelpPage);
            bytes.iter().any(|&byte| byte > 0)
        };
        assert_eq!([draws(), draws()], [true, false]);
    }
}
