//! What the HUD shows: status, inspection, mini-map, scale bar, keys and the tool's ring.

use glam::Vec2;

use super::Session;
use crate::{
    format,
    index::DoubleGrid,
    raster::{Interpolation, Overlay, Stroke, View},
    window::{
        hud::{
            ACCENT, HudCanvas, LETTER, MapPlace, PLAIN, QUIET, StatusField, key_help, legend,
            scale_bar, status,
        },
        tool::{Held, Tool},
    },
};

/// The ring: light inside dark, so that it shows on any background.
const LIGHT: Stroke = Stroke { color: [255, 255, 255], opacity: 0.95 };
const DARK: Stroke = Stroke { color: [0, 0, 0], opacity: 0.6 };

/// Radius of the ring of a tool without a size, pixels.
const POINT: f32 = 6.0;

impl Session {
    /// How far the frame lags behind the last step.
    pub(super) fn interpolation(&self) -> Interpolation {
        let (lag, substeps) = (self.timestep.lag() as f32, self.setup().substeps_per_step() as f32);
        let farthest = lag * substeps * self.sim.largest_displacement();
        Interpolation { seconds: lag * self.sim.dt(), farthest }
    }

    /// Updates the inspection and keeps the view over its agent; ends it if the agent is gone.
    pub(super) fn follow(&mut self, interpolation: Interpolation) {
        let (view, space) = (View::from_sim(&self.sim), self.sim.space());
        let Some(inspection) = &mut self.inspection else { return };
        match inspection.update(&view) {
            Some(agent) if inspection.follows => {
                self.view.look_at(space.wrapped(interpolation.position(&agent, &space)));
            }
            Some(_) => {}
            None => self.inspection = None,
        }
    }

    /// The mini-map's place in the frame; `None` while the whole world is in view.
    pub(super) fn map_place(&self) -> Option<MapPlace> {
        let above = Vec2::new(0.0, self.timeline_height() as f32);
        let size = self.view.camera().size - above;
        let place = MapPlace::new(self.sim.world(), size, self.text_scale);
        place.filter(|_| self.view.is_close())
    }

    /// Draws the HUD into a frame.
    pub(super) fn draw_hud(&mut self, bytes: &mut [u8], interpolation: Interpolation) {
        let canvas = &mut HudCanvas::new(self.size, self.text_scale, bytes);
        let map = self.map_place();
        let timeline = self.timeline_place();
        let taken = self.taken();
        let fixed = self.style().statics;
        let Self { sim, view, inspection, minimap, .. } = self;
        let camera = view.camera();
        if let Some(inspection) = inspection {
            inspection.draw(canvas, camera, &View::from_sim(sim), interpolation);
        }
        // The keys may cover the scale bar's place.
        if self.help == 0 {
            scale_bar::draw(canvas, camera.scale, taken);
            let (style, colors) = (self.renderer.style(), self.renderer.color_table());
            let [beside, _, above] = taken;
            let mut above = above + scale_bar::height(self.text_scale);
            for legend in [style.legend()].iter().chain(&style.overlay_legend()) {
                above += legend::draw(canvas, legend, colors, [beside, above]);
            }
        }
        if let Some(place) = map {
            minimap.draw(canvas, place, camera, &View::from_sim(sim), fixed);
        }
        if let Some(place) = timeline {
            let (now, timeline) = (self.sim.steps(), self.sim.timeline());
            place.draw(canvas, timeline.moments(), now, |step| self.seconds(step));
        }
        if self.shows_ring() {
            self.draw_cursor(canvas);
        }
        let (message, behind) = ([&self.message].into_iter(), self.behind());
        let lines = message.chain(self.warnings.sentences()).chain(&behind).map(String::as_str);
        status::draw(canvas, &self.status(), self.beside, lines);
        if self.help > 0 {
            key_help::draw(canvas, taken, self.help);
        }
    }

    /// Whether the tool works where the pointer is, or would: not on the timeline and the mini-map.
    pub(super) fn shows_ring(&self) -> bool {
        let works = match self.tool_state.held {
            Held::Nothing => {
                let on = |area: Option<bool>| area.unwrap_or(false);
                !on(self.timeline_place().map(|place| place.contains(self.cursor)))
                    && !on(self.map_place().map(|place| place.contains(self.cursor)))
            }
            Held::Timeline | Held::Map => false,
            Held::Tool | Held::View => true,
        };
        works && self.pointed && self.tool_state.tool != Tool::Hand
    }

    fn draw_cursor(&self, canvas: &mut HudCanvas<'_>) {
        let pen = self.text_scale as f32;
        let tool = self.tool_state.tool;
        let radius = if tool.has_size() { self.tool_state.radius() } else { POINT } * pen;
        canvas.shapes.ring(self.cursor, radius, 4.0 * pen, DARK);
        canvas.shapes.ring(self.cursor, radius, 1.5 * pen, LIGHT);
        let beside = self.cursor + Vec2::new(radius + 6.0 * pen, -0.5 * LETTER as f32 * pen);
        let at = beside.max(Vec2::ONE).to_array().map(|at| at as u32);
        canvas.write(at.map(|side| side + self.text_scale), [0; 3], tool.name());
        canvas.write(at, LIGHT.color, tool.name());
    }

    /// The fields of the status line, and which of them a narrow window drops first.
    pub(super) fn status(&self) -> Vec<StatusField> {
        let figures = self.frame_stats.figures();
        let scene = self.setup().scene.name();
        let agents = format::grouped(self.sim.agents().len() as u64);
        let (steps, seconds) = (self.sim.steps(), self.seconds(self.sim.steps()));
        let mut fields = Vec::new();
        let mut add = |rank, color, text| fields.push(StatusField { rank, color, text });
        add(0, PLAIN, format!("{scene}: {agents} agents"));
        add(4, PLAIN, format!("step {}, {seconds:.2} s", format::grouped(steps)));
        add(3, PLAIN, format!("{} frames/s", three_digits(figures.frames_per_s)));
        add(5, PLAIN, format!("{} steps/s", three_digits(figures.steps_per_s)));
        add(9, PLAIN, format!("step {} ms", three_digits(figures.step_ms)));
        add(11, PLAIN, format!("draw {} ms", three_digits(figures.draw_ms)));
        add(13, PLAIN, format!("present {} ms", three_digits(figures.present_ms)));
        let overlay = self.style().overlay;
        add(12, QUIET, format!("color: {}", self.style().colors_name()));
        add(7, QUIET, "H: keys".into());
        // What is shown always keeps its place: the rest follows.
        if let Some(replayed) = self.replayed() {
            add(1, ACCENT, replayed);
        }
        let scale = self.timestep.time_scale();
        if scale < 1.0 && (1.0 / scale).fract() == 0.0 {
            add(8, PLAIN, format!("time x1/{}", 1.0 / scale));
        } else if scale != 1.0 {
            add(8, PLAIN, format!("time x{}", (scale * 1000.0).round() / 1000.0));
        }
        let back = self.sim.timeline().ends()[1].saturating_sub(steps);
        if let Some(percent) = self.progress() {
            add(1, ACCENT, format!("rewinding {percent} %"));
        } else if self.sim.is_past() {
            add(1, ACCENT, format!("{:.2} s back", self.seconds(back)));
        }
        if self.timestep.is_paused() {
            add(1, ACCENT, "paused".into());
        }
        if let Some((setup, percent)) = self.placement.setup().zip(self.placement.percent()) {
            add(
                1,
                ACCENT,
                format!("placing {} agents: {percent} %", format::grouped(setup.agents)),
            );
        }
        if let Some(film) = self.filmed {
            add(2, ACCENT, film.to_string());
        }
        if self.tool_state.tool != Tool::Hand {
            let tool = self.tool_state.tool;
            let size = if tool.has_size() { ", [ ] size" } else { "" };
            add(6, PLAIN, format!("tool: {}{size}, M hand", tool.name()));
        }
        let index = self.sim.index();
        if index != DoubleGrid::KIND {
            add(10, PLAIN, format!("index: {}", index.name));
        }
        if overlay != Overlay::None {
            add(10, PLAIN, format!("overlay: {}", overlay.name()));
        }
        fields
    }

    /// A sentence if the machine is too slow; it stands below the status line, which has no room for it.
    pub(super) fn behind(&self) -> Option<String> {
        if self.timestep.is_paused() || !self.frame_stats.figures().behind {
            return None;
        }
        let what = format!("can't keep up with {:.0} steps/s", self.timestep.rate());
        let fitting = |agents| format!("{what}; about {} agents would", format::grouped(agents));
        Some(self.fitting.map_or(what.clone(), fitting))
    }
}

/// Three significant digits in five columns, so that fields keep their places.
fn three_digits(value: Option<f64>) -> String {
    match value {
        None => format!("{:>5}", "-"),
        Some(value) if value < 9.995 => format!("{value:5.2}"),
        Some(value) if value < 999.95 => format!("{value:5.1}"),
        Some(value) => format!("{value:5.0}"),
    }
}
