//! The HUD of a session: status, inspection, mini-map, scale bar, legends, timeline, keys and the
//! tool's ring.

use super::{Session, split};
use crate::{
    format,
    index::DoubleGrid,
    raster::{Camera, Interpolation, Overlay, View},
    sim::Sim,
    window::{
        hud::{
            ACCENT, DARK_BACKING, HudCanvas, LIGHT_BACKING, PLAIN, QUIET, StatusField, corner,
            key_help, status,
        },
        tool::Tool,
    },
};

/// Draws the HUD into a frame, and notes which pixels its parts cover.
pub(super) fn draw(session: &mut Session, bytes: &mut [u8], interpolation: Interpolation) {
    let fields = self::status(session);
    let shows_ring = session.shows_ring();
    let Session { host, screen, text, tools, reports, menu, .. } = session;
    let canvas = &mut HudCanvas::new(screen.size, screen.text_scale, text, bytes);
    let (map, timeline) = (screen.map_place(host.sim.world()), host.sim.timeline());
    let timeline_place = screen.timeline_place(timeline);
    let fixed = screen.style().statics;
    let (view, camera) = (View::from_sim(&host.sim), screen.view.camera());
    if let Some(inspection) = &screen.inspection {
        inspection.draw(canvas, camera, &view, interpolation);
    }
    // The menu or the keys may cover the scale bar's place.
    if screen.help == 0 && !menu.is_open() {
        let [beside, _, above, _] = screen.taken();
        let world = (&host.sim.world(), species(&host.sim));
        corner::draw(canvas, camera, world, &screen.renderer, [beside, above]);
    }
    if let Some(place) = map {
        screen.minimap.draw(canvas, place, screen.seen(), &view, fixed);
    }
    if let Some(place) = timeline_place {
        let pointer = Some(tools.cursor).filter(|_| tools.pointed);
        place.draw(canvas, timeline, host.sim.steps(), pointer, |step| host.seconds(step));
    }
    if let Some(place) = screen.tool_bar_place() {
        let pointer = Some(tools.cursor).filter(|_| tools.pointed);
        place.draw(canvas, tools.state.tool, pointer);
    }
    if shows_ring {
        tools.draw_ring(canvas);
    }
    let top = status::height_with(canvas, screen.beside, reports.sentences());
    split::label(canvas, screen, top);
    menu.draw(canvas, screen, top);
    if screen.help > 0 {
        key_help::draw(canvas, screen.beside_keys(), screen.help);
    }
    // Long messages lie over keys and pictures: they leave, and these stay.
    let is_covered = screen.help > 0 || menu.is_open();
    let backing = if is_covered { DARK_BACKING } else { LIGHT_BACKING };
    status::draw(canvas, &fields, screen.beside, backing, reports.sentences());
    screen.hud_blocks = std::mem::take(&mut canvas.blocks);
}

/// Writes a clock, a scale bar and legends on a picture of this camera. They are as large as in the
/// window, in proportion to the frame.
pub(super) fn label(session: &mut Session, bytes: &mut [u8], camera: &Camera) {
    let Session { host, screen, text, .. } = session;
    let size = camera.size.to_array().map(|side| side as u32);
    let larger = size[1] as f32 / screen.size[1].max(1) as f32;
    let canvas = &mut HudCanvas::new(size, screen.text_scale * larger.max(1.0), text, bytes);
    canvas.caption("clock", [0; 2], &format!("{:.2} s", host.seconds(host.sim.steps())));
    let world = (&host.sim.world(), species(&host.sim));
    corner::draw(canvas, camera, world, &screen.renderer, [0; 2]);
}

/// The names of the species, in a world that has some.
fn species(sim: &Sim) -> &[String] {
    sim.rule_source().map_or(&[], |source| &source.species)
}

/// The fields of the status line, and which of them a narrow window drops first.
pub(super) fn status(session: &Session) -> Vec<StatusField> {
    let Session { host, screen, tools, reports, starts, .. } = session;
    let figures = reports.frame_stats.figures();
    let name = host.sim.title();
    let agents = format::plural(host.sim.agents().len(), "agent");
    let (steps, seconds) = (host.sim.steps(), host.seconds(host.sim.steps()));
    let mut fields = Vec::new();
    let mut add = |rank, color, text| fields.push(StatusField { rank, color, text, widest: "" });
    add(0, PLAIN, format!("{name}: {agents}"));
    add(4, PLAIN, format!("step {}, {seconds:.2} s", format::grouped(steps)));
    for (rank, figure, widest) in [
        (3, figures.frames_per_s, "888.8 frames/s"),
        (5, figures.steps_per_s, "888.8 steps/s"),
        (9, figures.step_ms, "step 888.8 ms"),
        (11, figures.draw_ms, "draw 888.8 ms"),
        (13, figures.present_ms, "present 888.8 ms"),
    ] {
        let text = widest.replace("888.8", &three_digits(figure));
        fields.push(StatusField { rank, color: QUIET, text, widest });
    }
    let mut add = |rank, color, text| fields.push(StatusField { rank, color, text, widest: "" });
    let overlay = screen.style().overlay;
    add(12, QUIET, format!("color: {}", screen.style().colors_name()));
    add(7, QUIET, "H: keys".into());
    // The fields above are always shown and keep their places.
    if let Some(replayed) = host.replayed() {
        add(1, ACCENT, replayed);
    }
    let scale = host.timestep.time_scale();
    if scale < 1.0 && (1.0 / scale).fract() == 0.0 {
        add(8, PLAIN, format!("time x1/{}", 1.0 / scale));
    } else if scale != 1.0 {
        add(8, PLAIN, format!("time x{}", (scale * 1000.0).round() / 1000.0));
    }
    let timeline = host.sim.timeline();
    let back = timeline.ends()[1].saturating_sub(steps);
    if let Some(percent) = host.seek_progress() {
        add(1, ACCENT, format!("rewinding {percent} %"));
    } else if host.sim.is_past() {
        add(1, ACCENT, format!("{:.2} s back", host.seconds(back)));
    }
    if timeline.branches().len() > 0 {
        add(7, QUIET, timeline.line().1.to_string());
    }
    if let Some(twin) = &host.twin {
        add(1, ACCENT, split::apart(twin, host.twin_lags()));
    }
    if host.timestep.is_paused() {
        add(1, ACCENT, "paused".into());
    }
    if let Some((setup, percent)) = starts.placement.setup().zip(starts.placement.percent()) {
        let agents = format::plural(setup.agents as usize, "agent");
        add(1, ACCENT, format!("placing {agents}: {percent} %"));
    }
    if let Some(film) = reports.filmed {
        add(2, ACCENT, film.to_string());
    }
    if tools.state.tool != Tool::Hand {
        let tool = tools.state.tool;
        let size = if tool.has_size() { ", [ ] size" } else { "" };
        add(6, PLAIN, format!("tool: {}{size}, M hand", tool.name()));
    }
    let index = host.sim.index();
    if index != DoubleGrid::KIND {
        add(10, PLAIN, format!("index: {}", index.name));
    }
    if overlay != Overlay::None {
        add(10, PLAIN, format!("overlay: {}", overlay.name()));
    }
    fields
}

/// Three significant digits, or four.
fn three_digits(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 9.995 => format!("{value:.2}"),
        Some(value) if value < 999.95 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}
