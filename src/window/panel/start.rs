//! The values of the set-up that only another start can change. A change starts another run, which is
//! placed while the one in the window goes on.

use egui::{DragValue, Response, RichText, Ui, emath::Numeric};

use crate::{
    limits,
    scene::{Setup, Solver},
    window::{
        command::{Command, StartValue},
        panel::style::{self, QUIET},
        session::Session,
    },
};

/// Substeps per step that the list offers, beside the number that the solver needs.
const SUBSTEPS: [Option<u32>; 6] = [None, Some(1), Some(2), Some(4), Some(8), Some(16)];

const SEED_HINT: &str = "Seed of all random numbers: the same seed and values give the same run, bit for \
                         bit. \"next\" takes the following one.";
const DENSITY_HINT: &str = "Share of the world that agents cover; in burst and sparse, of the clusters. The \
                            world is as large as that needs.";
const RADIUS_HINT: &str = "Smallest and largest radius of an agent, in world units.";
const WORLD_HINT: &str = "Width and height of the world, in world units.";
const SOLVER_HINT: &str = "What resolves contacts: impulse for agents that meet and part, contact for agents \
                           that press on each other. Auto takes contact with gravity, and in melee.";
const SUBSTEPS_HINT: &str = "Parts of a step, each of which finds and resolves the contacts. More are more \
                             exact, and slower. Auto takes the number that the solver needs.";

/// Shows the values, and adds the commands of values that the user changed. `draft` has a number while
/// it is dragged.
pub(super) fn show(ui: &mut Ui, session: &Session, draft: &mut Setup, commands: &mut Vec<Command>) {
    let setup = session.next_setup();
    if !ui.ctx().is_using_pointer() {
        draft.clone_from(setup);
    }
    let mut start = |value| commands.push(Command::StartWith(value));
    style::headline(ui, "start: a change begins another run");
    style::row(ui, "seed", SEED_HINT, |ui| {
        if number(ui, &mut draft.seed, 0.1, 0) && draft.seed != setup.seed {
            start(StartValue::Seed(draft.seed));
        }
        if ui.button("next").clicked() {
            start(StartValue::Seed(setup.seed.wrapping_add(1)));
        }
    });
    style::row(ui, "density", DENSITY_HINT, |ui| {
        if number(ui, &mut draft.density, 0.002, 4) && draft.density != setup.density {
            start(StartValue::Density(draft.density));
        }
        if setup.world.is_some() {
            quiet(ui, "as the world has room");
        }
    });
    style::row(ui, "radius", RADIUS_HINT, |ui| {
        let [least, most] = &mut draft.radius;
        let low = number(ui, least, 0.01, 4);
        quiet(ui, "to");
        let high = number(ui, most, 0.01, 4);
        if (low || high) && draft.radius != setup.radius {
            start(StartValue::Radius(draft.radius));
        }
    });
    style::row(ui, "world", WORLD_HINT, |ui| {
        let now = setup.world().size();
        let mut size = draft.world.unwrap_or(now);
        let width = number(ui, &mut size.x, 1.0, 3);
        quiet(ui, "×");
        let height = number(ui, &mut size.y, 1.0, 3);
        if size != draft.world.unwrap_or(now) || width || height {
            draft.world = Some(size);
        }
        if (width || height) && size != now {
            start(StartValue::World(size));
        }
    });
    style::row(ui, "solver", SOLVER_HINT, |ui| {
        let chosen = style::choice(ui, "solver", setup.solver, Solver::ALL, Solver::name);
        if let Some(solver) = chosen {
            start(StartValue::Solver(solver));
        }
        quiet(ui, &format!("now {}", session.setup().solver_in_use().name()));
    });
    style::row(ui, "substeps", SUBSTEPS_HINT, |ui| {
        let name = |substeps: Option<u32>| substeps.map_or("auto".to_owned(), |n| n.to_string());
        let listed = SUBSTEPS.into_iter().filter(|n| n.is_none_or(|n| n <= limits::SUBSTEPS_MAX));
        let chosen = style::choice(ui, "substeps", setup.substeps, listed, name);
        if let Some(substeps) = chosen {
            start(StartValue::Substeps(substeps));
        }
        quiet(ui, &format!("now {}", session.setup().substeps_per_step()));
    });
    ui.separator();
}

/// Shows a number that can be dragged, or clicked and typed. True once the user has set it.
fn number<T: Numeric>(ui: &mut Ui, value: &mut T, speed: f64, decimals: usize) -> bool {
    // A number that is only half typed must not be applied.
    let drag =
        DragValue::new(value).speed(speed).max_decimals(decimals).update_while_editing(false);
    let response: Response = ui.add(drag);
    response.drag_stopped() || response.changed() && !response.dragged()
}

fn quiet(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).color(QUIET));
}
