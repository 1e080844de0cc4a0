//! The HUD of a session: status, inspection, mini-map, scale bar, legends, timeline, keys and the
//! tool's ring.

use super::{Session, split};
use crate::{
    format,
    index::DoubleGrid,
    raster::{Camera, Interpolation, Overlay, View},
    window::{
        hud::{ACCENT, HudCanvas, PLAIN, QUIET, StatusField, key_help, legend, scale_bar, status},
        tool::Tool,
    },
};

/// Draws the HUD into a frame, and notes which pixels its parts cover.
pub(super) fn draw(session: &mut Session, bytes: &mut [u8], interpolation: Interpolation) {
    let fields = self::status(session);
    let shows_ring = session.shows_ring();
    let Session { host, screen, tools, reports, menu, .. } = session;
    let canvas = &mut HudCanvas::new(screen.size, screen.text_scale, bytes);
    let (map, timeline) = (screen.map_place(host.sim.world()), host.sim.timeline());
    let timeline_place = screen.timeline_place(timeline);
    let ([left, _, above], fixed) = (screen.taken(), screen.style().statics);
    let (view, camera) = (View::from_sim(&host.sim), screen.view.camera());
    if let Some(inspection) = &screen.inspection {
        inspection.draw(canvas, camera, &view, interpolation);
    }
    // The menu or the keys may cover the scale bar's place.
    if screen.help == 0 && !menu.is_open() {
        scale_bar::draw(canvas, camera.scale, screen.taken());
        let (style, colors) = (screen.style(), screen.renderer.color_table());
        let mut above = above + scale_bar::height(screen.text_scale);
        for legend in [style.legend()].iter().chain(&style.overlay_legend()) {
            above += legend::draw(canvas, legend, colors, [left, above]);
        }
    }
    if let Some(place) = map {
        screen.minimap.draw(canvas, place, camera, &view, fixed);
    }
    if let Some(place) = timeline_place {
        place.draw(canvas, timeline.moments(), host.sim.steps(), |step| host.seconds(step));
    }
    if let Some(place) = screen.tool_bar_place() {
        let pointer = Some(tools.cursor).filter(|_| tools.pointed);
        place.draw(canvas, tools.state.tool, pointer);
    }
    if shows_ring {
        tools.draw_ring(canvas);
    }
    split::label(canvas, screen);
    status::draw(canvas, &fields, screen.beside, reports.sentences());
    menu.draw(canvas, screen);
    if screen.help > 0 {
        key_help::draw(canvas, screen.interface(), screen.help);
    }
    screen.hud_blocks = std::mem::take(&mut canvas.blocks);
}

/// Writes a clock, a scale bar and legends on a picture of this camera. They are as large as in the
/// window, in proportion to the frame.
pub(super) fn label(session: &Session, bytes: &mut [u8], camera: &Camera) {
    let Session { host, screen, .. } = session;
    let size = camera.size.to_array().map(|side| side as u32);
    let larger = (size[1] + screen.size[1] / 2) / screen.size[1].max(1);
    let canvas = &mut HudCanvas::new(size, screen.text_scale * larger.max(1), bytes);
    canvas.caption("clock", [0; 2], &format!("{:.2} s", host.seconds(host.sim.steps())));
    scale_bar::draw(canvas, camera.scale, [0; 3]);
    let (style, colors) = (screen.style(), screen.renderer.color_table());
    let mut above = scale_bar::height(canvas.scale);
    for legend in [style.legend()].iter().chain(&style.overlay_legend()) {
        above += legend::draw(canvas, legend, colors, [0, above]);
    }
}

/// The fields of the status line, and which of them a narrow window drops first.
pub(super) fn status(session: &Session) -> Vec<StatusField> {
    let Session { host, screen, tools, reports, starts, .. } = session;
    let figures = reports.frame_stats.figures();
    let name = host.sim.title();
    let agents = format::grouped(host.sim.agents().len() as u64);
    let (steps, seconds) = (host.sim.steps(), host.seconds(host.sim.steps()));
    let mut fields = Vec::new();
    let mut add = |rank, color, text| fields.push(StatusField { rank, color, text });
    add(0, PLAIN, format!("{name}: {agents} agents"));
    add(4, PLAIN, format!("step {}, {seconds:.2} s", format::grouped(steps)));
    add(3, PLAIN, format!("{} frames/s", three_digits(figures.frames_per_s)));
    add(5, PLAIN, format!("{} steps/s", three_digits(figures.steps_per_s)));
    add(9, PLAIN, format!("step {} ms", three_digits(figures.step_ms)));
    add(11, PLAIN, format!("draw {} ms", three_digits(figures.draw_ms)));
    add(13, PLAIN, format!("present {} ms", three_digits(figures.present_ms)));
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
    let back = host.sim.timeline().ends()[1].saturating_sub(steps);
    if let Some(percent) = host.seek_progress() {
        add(1, ACCENT, format!("rewinding {percent} %"));
    } else if host.sim.is_past() {
        add(1, ACCENT, format!("{:.2} s back", host.seconds(back)));
    }
    if let Some(twin) = &host.twin {
        add(1, ACCENT, split::apart(twin, host.twin_lags()));
    }
    if host.timestep.is_paused() {
        add(1, ACCENT, "paused".into());
    }
    if let Some((setup, percent)) = starts.placement.setup().zip(starts.placement.percent()) {
        add(1, ACCENT, format!("placing {} agents: {percent} %", format::grouped(setup.agents)));
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

/// Three significant digits in five columns, so that fields keep their places.
fn three_digits(value: Option<f64>) -> String {
    match value {
        None => format!("{:>5}", "-"),
        Some(value) if value < 9.995 => format!("{value:5.2}"),
        Some(value) if value < 999.95 => format!("{value:5.1}"),
        Some(value) => format!("{value:5.0}"),
    }
}
