//! What is counted: contacts, energy, memory.

use egui::Ui;

use crate::{
    count,
    window::{panel::style, session::Session, survey::Survey},
};

/// Width of a figure, points.
const VALUE: f32 = 64.0;

/// Shows all of them.
pub(super) fn show(ui: &mut Ui, session: &Session, survey: &Survey) {
    let agents = survey.agents.max(1) as f64;
    let bytes = survey.bytes;
    let held = (bytes.agents + bytes.grid + bytes.contacts) as f64;
    let figures = [
        ("step", count::grouped(session.sim().steps()), ""),
        ("agents", count::grouped(survey.agents as u64), ""),
        ("contacts", count::grouped(survey.contacts), ""),
        ("energy", large(survey.mean_energy * agents), ""),
        ("memory", format!("{:.1}", held / f64::from(1 << 20)), "MiB"),
        ("an agent", format!("{:.1}", held / agents), "B"),
    ];
    for pair in figures.chunks(2) {
        ui.horizontal(|ui| {
            for (name, value, unit) in pair {
                style::word(ui, name);
                ui.scope(|ui| {
                    ui.set_width(VALUE);
                    ui.label(format!("{value} {unit}"));
                });
            }
        });
    }
}

/// Three digits and more, with a prefix of powers of a thousand if need be.
fn large(value: f64) -> String {
    let units = ["", "k", "M", "G", "T", "P"];
    let (mut value, mut unit) = (value, 0);
    while value.abs() >= 9_999.5 && unit + 1 < units.len() {
        value /= 1e3;
        unit += 1;
    }
    let digits = if value.abs() >= 100.0 { 0 } else { 2 };
    format!("{value:.digits$} {}", units[unit])
}
