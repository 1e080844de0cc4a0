//! Controls beside the run: index and threads, colors, the mouse, films, and its own size.

use egui::Ui;

use crate::{
    index::IndexKind,
    limits::EXPOSURE_STOPS_MAX,
    raster::{ColorBy, Exposure, Overlay, Palette},
    window::{
        command::{Choice, Command},
        film_options::{FilmFormat, FilmLabels, FilmOptions, FilmRate, FilmSize, FilmTime},
        panel::{number::Keyboard, style},
        session::{INTERFACE_SCALES, Session},
        tool::{FACTIONS, Tool, faction_name},
    },
};

/// Width of a number of few digits in points.
const FEW_DIGITS: f32 = 40.0;

const INDEX_HINT: &str = "I. The spatial index that finds the contacts: the same bits, other timings. \
                          Beside it, the threads that step and draw.";
const COLOR_HINT: &str = "C, P. The meaning of the colors of agents, and the palette.";
const EXPOSURE_HINT: &str = "X. Size of discs of less than half a pixel: large enough to show the crowd, \
                             or their true area times a power of two.";
const OVERLAY_HINT: &str = "G, L. The layer over the agents; and light around bright places.";
const MOUSE_HINT: &str = "The tool of the left button. M hand, K poke, A attract, S spawn, E erase, W wall, \
                          N inspect; [ and ] for its size. The right button always moves the view.";
const FILM_HINT: &str = "V. A film of the window, without the panel: apng has all colors, gif is shown \
                         everywhere, y4m is for ffmpeg. In simulated time a slow run films smoothly; \
                         wall time films the window as it is seen.";
const SCALE_HINT: &str = "Ctrl-+, Ctrl--, Ctrl-0. Size of all text and of this panel.";

const FRAMES_HINT: &str = "Size and rate of films. A film of a size of its own goes on while the window is \
                           resized. A GIF has 30 frames per second.";
const LABELS_HINT: &str = "Writes a clock, a scale bar and legends on pictures and films.";

/// Shows index, threads, colors, overlay, glow, tool, films and the size of text.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    let (look, tool_state, scene) = (session.style(), &session.tools.state, session.setup().scene);
    let agents = session.sim().agents();
    style::headline(ui, "window");
    style::row(ui, "index", INDEX_HINT, |ui| {
        let chosen =
            style::choice(ui, "index", session.sim().index(), IndexKind::all(), |kind| kind.name);
        commands.extend(chosen.map(|kind| Command::Index(Choice::Value(kind))));
        let typed = keyboard.number(ui, "threads", session.host.threads(), FEW_DIGITS, None);
        commands.extend(typed.map(Command::Threads));
        style::quiet(ui, "threads");
    });
    style::row(ui, "color", COLOR_HINT, |ui| {
        let twin = session.host.twin.is_some().then_some(ColorBy::Twin);
        let modes = ColorBy::all_of(agents).chain(twin);
        let chosen = style::choice(ui, "color", look.color_by, modes, ColorBy::name);
        commands.extend(chosen.map(|color_by| Command::ColorBy(Choice::Value(color_by))));
        let chosen = style::choice(ui, "palette", look.palette, Palette::ALL, Palette::name);
        commands.extend(chosen.map(|palette| Command::Palette(Choice::Value(palette))));
    });
    style::row(ui, "exposure", EXPOSURE_HINT, |ui| {
        let mut auto = look.exposure == Exposure::Auto;
        if ui.checkbox(&mut auto, "auto").changed() {
            commands.push(Command::Exposure(Choice::Next));
        }
        if let Exposure::Stops(stops) = look.exposure {
            let typed = keyboard.number(ui, "stops", stops, FEW_DIGITS, Some(0.05));
            let stops = typed.map(|stops| stops.clamp(-EXPOSURE_STOPS_MAX, EXPOSURE_STOPS_MAX));
            let exposure = stops.map(|stops| Choice::Value(Exposure::Stops(stops)));
            commands.extend(exposure.map(Command::Exposure));
            style::quiet(ui, "stops");
        }
    });
    style::row(ui, "overlay", OVERLAY_HINT, |ui| {
        let chosen = style::choice(ui, "overlay", look.overlay, Overlay::ALL, Overlay::name);
        commands.extend(chosen.map(|overlay| Command::Overlay(Choice::Value(overlay))));
        let mut glow = session.screen.glow;
        if ui.checkbox(&mut glow, "glow").changed() {
            commands.push(Command::Glow(Choice::Value(glow)));
        }
    });
    style::row(ui, "mouse", MOUSE_HINT, |ui| {
        let chosen = style::choice(ui, "mouse", tool_state.tool, Tool::ALL, Tool::name);
        commands.extend(chosen.map(Command::Tool));
        if scene.has_factions() {
            let chosen = style::choice(ui, "side", tool_state.faction, FACTIONS, faction_name);
            commands.extend(chosen.map(Command::Faction));
        }
    });
    style::row(ui, "film", FILM_HINT, |ui| {
        style::narrow_lists(ui);
        let now = session.film_options;
        let format = style::choice(ui, "film", now.format, FilmFormat::ALL, FilmFormat::name);
        let time = style::choice(ui, "film time", now.time, FilmTime::ALL, FilmTime::name);
        if format.is_some() || time.is_some() {
            commands.push(Command::FilmOptions(FilmOptions {
                format: format.unwrap_or(now.format),
                time: time.unwrap_or(now.time),
                ..now
            }));
        }
        let label = if session.reports.filmed.is_some() { "end" } else { "begin" };
        if ui.button(label).clicked() {
            commands.push(Command::ToggleFilm);
        }
    });
    style::row(ui, "frames", FRAMES_HINT, |ui| {
        style::narrow_lists(ui);
        let now = session.film_options;
        let size = style::choice(ui, "film size", now.size, FilmSize::ALL, FilmSize::name);
        let per_second = |rate: FilmRate| format!("{} fps", rate.name());
        let rate = style::choice(ui, "film rate", now.rate, FilmRate::ALL, per_second);
        if size.is_some() || rate.is_some() {
            commands.push(Command::FilmOptions(FilmOptions {
                size: size.unwrap_or(now.size),
                rate: rate.unwrap_or(now.rate),
                ..now
            }));
        }
    });
    style::row(ui, "labels", LABELS_HINT, |ui| {
        let now = session.film_options;
        let mut labels = now.labels == FilmLabels::On;
        if ui.checkbox(&mut labels, "clock, scale and legends").changed() {
            let labels = if labels { FilmLabels::On } else { FilmLabels::Off };
            commands.push(Command::FilmOptions(FilmOptions { labels, ..now }));
        }
    });
    style::row(ui, "text size", SCALE_HINT, |ui| {
        style::narrow_lists(ui);
        let now = session.screen.interface_scale;
        let name = |scale: f32| format!("{} %", (scale * 100.0).round());
        let chosen = style::choice(ui, "text size", now, INTERFACE_SCALES, name);
        commands.extend(chosen.map(Command::InterfaceScale));
    });
    ui.separator();
}
