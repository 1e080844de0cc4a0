//! What is counted: contacts, energy, memory.

use egui::{Grid, RichText, Ui};

use crate::{
    app::{
        panel::style::{self, QUIET},
        session::Session,
        survey::Survey,
    },
    count,
};

/// Shows all of them.
pub(super) fn show(ui: &mut Ui, session: &Session, survey: &Survey) {
    style::headline(ui, "STATE");
    let agents = survey.agents.max(1) as f64;
    let bytes = survey.bytes;
    let held = (bytes.agents + bytes.grid + bytes.contacts) as f64;
    let figures = [
        ("step", count::grouped(session.sim().steps()), ""),
        ("agents", count::grouped(survey.agents as u64), ""),
        ("contacts", count::grouped(survey.contacts), ""),
        ("energy", large(survey.mean_energy * agents), ""),
        ("memory", format!("{:.1}", held / f64::from(1 << 20)), "MiB"),
        ("an agent", format!("{:.1}", held / agents), "bytes"),
    ];
    Grid::new("figures").num_columns(4).min_col_width(56.0).spacing([8.0, 1.0]).show(ui, |ui| {
        for pair in figures.chunks(2) {
            for (name, value, unit) in pair {
                ui.label(RichText::new(*name).size(11.0).color(QUIET));
                ui.label(RichText::new(format!("{value} {unit}")).size(11.0));
            }
            ui.end_row();
        }
    });
}

/// Four digits, and a power of ten if need be.
fn large(value: f64) -> String {
    match value {
        _ if value == 0.0 => "0".to_owned(),
        _ if (0.01..1e6).contains(&value) => format!("{value:.1}"),
        _ => format!("{value:.3e}"),
    }
}
