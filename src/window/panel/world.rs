//! The values of the world file in the panel: a slider for each param, and a table for each matrix.

use egui::{Color32, ScrollArea, Slider, SliderClamping, Ui};

use crate::{
    rules::{RuleSource, WorldMatrix, WorldParam},
    window::{
        command::Command,
        panel::{
            number::{self, Keyboard},
            style,
        },
        session::Session,
    },
};

/// Width of a cell, points.
const CELL: f32 = 44.0;

/// Letters of the name of a species above a column.
const HEAD: usize = 6;

const DRAW_HINT: &str =
    "M, with the hand. Draws new values for all matrices; Ctrl-Z takes them back.";
const SAVE_HINT: &str = "Ctrl-E. Saves the world file with these values, under a name of its own.";
const CELL_HINT: &str = "Drag it, or click and type.";

/// Shows the values, and adds the commands of values that the user changed.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    let Some(source) = session.sim().rule_source() else { return };
    style::section(ui, "world", |ui| show_values(ui, source, keyboard, commands));
}

fn show_values(
    ui: &mut Ui,
    source: &RuleSource,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    style::headline(ui, &format!("{}: takes effect at once", source.name));
    for (index, param) in source.values.params.iter().enumerate() {
        commands.extend(slide(ui, keyboard, param).map(|value| Command::Param(index, value)));
    }
    for (index, matrix) in source.values.matrices.iter().enumerate() {
        style::quiet(ui, &format!("{}: row feels column", matrix.name));
        ScrollArea::horizontal().id_salt(("matrix", index)).show(ui, |ui| {
            let set = table(ui, keyboard, source, matrix);
            // The bar of a wide table lies below its last row.
            ui.add_space(ui.spacing().scroll.bar_width);
            commands.extend(
                set.map(|([feels, felt], value)| Command::Cell([index, feels, felt], value)),
            );
        });
    }
    if !source.values.matrices.is_empty()
        && ui.button("new random values").on_hover_text(DRAW_HINT).clicked()
    {
        commands.push(Command::DrawMatrices);
    }
    if ui.button("save as a file").on_hover_text(SAVE_HINT).clicked() {
        commands.push(Command::SaveWorld);
    }
    ui.separator();
}

/// The range of a slider: that of the file, and where it states none, one around the value.
fn range(WorldParam { value, range, .. }: &WorldParam) -> [f32; 2] {
    let size = if *value == 0.0 { 1.0 } else { (4.0 * value.abs()).min(f32::MAX) };
    let least = range[0].unwrap_or(if *value < 0.0 { -size } else { 0.0 });
    [least, range[1].unwrap_or(size.max(least))]
}

/// A slider, and the number beside it; the value that the user has set.
fn slide(ui: &mut Ui, keyboard: &mut Keyboard, param: &WorldParam) -> Option<f32> {
    let WorldParam { name, value: now, step, .. } = param;
    let [least, most] = range(param);
    let mut value = *now;
    let mut set = None;
    style::row(ui, name, &format!("{least} to {most}"), |ui| {
        // Any number can be typed: the world file says which are possible.
        let slider = Slider::new(&mut value, least..=most).clamping(SliderClamping::Never);
        let slider = match step {
            Some(step) => slider.step_by((*step).into()),
            None => slider,
        };
        let slid = ui.add(slider.show_value(false)).changed().then_some(value);
        set = slid.or(keyboard.number(ui, name, *now, number::WIDTH, None));
    });
    set
}

/// A table; the cell that the user has set.
fn table(
    ui: &mut Ui,
    keyboard: &mut Keyboard,
    source: &RuleSource,
    matrix: &WorldMatrix,
) -> Option<([usize; 2], f32)> {
    let RuleSource { species, .. } = source;
    let largest = matrix.rows.iter().flatten().fold(0.0_f32, |most, cell| most.max(cell.abs()));
    let mut set = None;
    egui::Grid::new(("table", &matrix.name)).spacing([2.0, 2.0]).show(ui, |ui| {
        ui.label("");
        for name in species {
            let head: String = name.chars().take(HEAD).collect();
            style::quiet(ui, &head);
        }
        ui.end_row();
        for (feels, (name, row)) in species.iter().zip(&matrix.rows).enumerate() {
            style::quiet(ui, name);
            for (felt, &value) in row.iter().enumerate() {
                let about = format!("{name} feels {}. {CELL_HINT}", species[felt]);
                style::hinted(ui, &about, |ui| {
                    let widgets = &mut ui.visuals_mut().widgets;
                    widgets.inactive.weak_bg_fill = color(value / largest);
                    let name = format!("{}[{feels},{felt}]", matrix.name);
                    let speed = f64::from(largest.max(1e-3)) / 100.0;
                    let typed = keyboard.number(ui, &name, value, CELL, Some(speed));
                    set = set.or(typed.map(|value| ([feels, felt], value)));
                });
            }
            ui.end_row();
        }
    });
    set
}

/// The color of a cell: green above 0, red below, the more the farther from it.
fn color(share: f32) -> Color32 {
    let strong = |share: f32| (40.0 + 110.0 * share.clamp(0.0, 1.0)) as u8;
    Color32::from_rgb(strong(-share), strong(share), 40)
}
