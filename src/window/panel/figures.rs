//! Exact and sampled figures: steps, agents, contacts, energy, memory.

use egui::Ui;

use crate::{
    format,
    window::{panel::style, sampled_stats::SampledStats, session::Session},
};

/// Width of a figure in points.
const VALUE: f32 = 64.0;

/// Shows all figures, two per row.
pub(super) fn show(ui: &mut Ui, session: &Session, stats: &SampledStats) {
    let agents = stats.agents.max(1) as f64;
    let bytes = stats.bytes;
    let held = (bytes.agents + bytes.grid + bytes.contacts) as f64;
    let figures = [
        ("step", format::grouped(session.sim().steps()), ""),
        ("agents", format::grouped(stats.agents as u64), ""),
        ("contacts", format::grouped(stats.contacts), ""),
        ("energy", large(stats.mean_energy * agents), ""),
        ("memory", format!("{:.1}", held / f64::from(1 << 20)), "MiB"),
        ("per agent", format!("{:.1}", held / agents), "B"),
    ];
    for pair in figures.chunks(2) {
        ui.horizontal(|ui| {
            for (name, value, unit) in pair {
                style::label(ui, name);
                ui.scope(|ui| {
                    ui.set_width(VALUE);
                    ui.label(format!("{value} {unit}"));
                });
            }
        });
    }
}

/// Formats a value with at least three digits and a metric prefix.
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
