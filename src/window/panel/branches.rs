//! The branches of the run in the panel: the names of the line and of each branch, the way to a branch, and
//! the one beside which the run is shown.

use egui::Ui;

use crate::window::{
    command::Command,
    panel::{number::Keyboard, style},
    session::Session,
    timeline::ShownBranch,
};

/// Width of a name, points.
const NAME: f32 = 110.0;

const LINE_HINT: &str = "The future that is shown. Click the name and type another.";
const BRANCH_HINT: &str = "A future that was left at this time. Click the name and type another.";
const GO_HINT: &str =
    "Goes on as this branch, as a click on it in the bar below the picture does; Ctrl-Z goes back.";
const BESIDE_HINT: &str = "B shows the run beside this branch; if none is chosen, beside the one that was left \
                           last and has parted by then.";

/// Shows the branches, if there are any.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    let timeline = session.host.timeline();
    if timeline.branches().len() == 0 {
        return;
    }
    style::headline(ui, "branches: the other futures of the run");
    let (number, name) = timeline.line();
    style::row(ui, "shown", LINE_HINT, |ui| {
        let typed = keyboard.field(ui, &format!("branch {number}"), name, NAME);
        commands.extend(typed.map(|name| Command::RenameBranch(number, name)));
    });
    for ShownBranch { number, name, ends: [from, _], .. } in timeline.branches() {
        let label = format!("at {:.2} s", session.host.seconds(from));
        style::row(ui, &label, BRANCH_HINT, |ui| {
            let typed = keyboard.field(ui, &format!("branch {number}"), name, NAME);
            commands.extend(typed.map(|name| Command::RenameBranch(number, name)));
            if ui.button("go").on_hover_text(GO_HINT).clicked() {
                commands.push(Command::GoToBranch(number, None));
            }
            let chosen = timeline.chosen() == Some(number);
            if ui.selectable_label(chosen, "beside").on_hover_text(BESIDE_HINT).clicked() {
                commands.push(Command::ChooseBranch((!chosen).then_some(number)));
            }
        });
    }
    ui.separator();
}
