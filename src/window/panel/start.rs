//! The values of the set-up that only another start can change. A change starts another run, which is
//! placed while the one in the window goes on.

use egui::Ui;

use crate::{
    error::{Field, Value},
    format,
    geometry::Boundary,
    limits,
    scene::{Collisions, FieldValue, Solver},
    window::{
        command::Command,
        panel::{
            number::{Keyboard, WIDTH},
            style,
        },
        run_stats::RunStats,
        session::Session,
    },
};

/// Width of a seed, which may have twenty digits, in points.
const SEED: f32 = 150.0;

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
const BOUNDARY_HINT: &str = "What is at the border of the world: walls, or nothing, so that agents that leave \
                             on one side come in on the opposite one.";
const COLLISIONS_HINT: &str = "When agents collide: once they overlap, or, swept, at the moment when they \
                               touch, which is more exact and takes several times as long.";
const STEPS_HINT: &str = "Steps per simulated second. More are more exact, and slower.";
const OWN_HINT: &str = "Starts the scene with its own values of all that is above; seed and number of agents \
                        stay.";
const WALLS_HINT: &str = "Restart, R, builds the walls of the tools again.";
const SUBSTEPS_HINT: &str = "Parts of a step, each of which finds and resolves the contacts. More are more \
                             exact, and slower. Auto takes the number that the solver needs.";

/// Shows the values, and adds the commands of values that the user changed.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    stats: &RunStats,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    let setup = session.next_setup();
    style::headline(ui, "start: a change begins another run");
    let mut start = |field, value| commands.push(Command::StartWith(field, value));
    style::row(ui, "seed", SEED_HINT, |ui| {
        let typed = keyboard.number(ui, "seed", setup.seed, SEED, None);
        let next = ui.button("next").clicked().then(|| setup.seed.wrapping_add(1));
        if let Some(seed) = typed.or(next) {
            start(Field::Seed, Value::Count(seed));
        }
    });
    let mut number =
        |ui: &mut Ui, name, value: f32, speed| keyboard.number(ui, name, value, WIDTH, Some(speed));
    style::row(ui, "density", DENSITY_HINT, |ui| {
        // A world of a given size decides it.
        let given = setup.world.map(|_| format::four_digits(stats.figures.density as f32));
        if let Some(density) = number(ui, "density", given.unwrap_or(setup.density), 0.002) {
            start(Field::Density, Value::Number(density));
        }
        if given.is_some() {
            style::quiet(ui, "as the world says");
        }
    });
    style::row(ui, "radius", RADIUS_HINT, |ui| {
        // The other end follows, so that both can be set in any order.
        let [least, most] = setup.radius;
        let low = number(ui, "radius from", least, 0.01).map(|low| [low, most.max(low)]);
        style::quiet(ui, "to");
        let high = number(ui, "radius to", most, 0.01).map(|high| [least.min(high), high]);
        if let Some(radius) = low.or(high) {
            start(Field::Radius, Value::Span(radius));
        }
    });
    style::row(ui, "world", WORLD_HINT, |ui| {
        let size = setup.world().size();
        let width = number(ui, "width", size.x, 1.0).map(|width| size.with_x(width));
        style::quiet(ui, "×");
        let height = number(ui, "height", size.y, 1.0).map(|height| size.with_y(height));
        if let Some(size) = width.or(height) {
            start(Field::World, Value::Size(size));
        }
    });
    style::row(ui, "boundary", BOUNDARY_HINT, |ui| {
        let all = Boundary::ALL;
        if let Some(chosen) = style::choice(ui, "boundary", setup.boundary, all, Boundary::name) {
            start(Field::Boundary, chosen.to_value());
        }
    });
    style::row(ui, "solver", SOLVER_HINT, |ui| {
        let chosen = style::choice(ui, "solver", setup.solver, Solver::ALL, Solver::name);
        if let Some(solver) = chosen {
            start(Field::Solver, solver.to_value());
        }
        style::quiet(ui, &format!("now {}", session.setup().solver_in_use().name()));
    });
    style::row(ui, "collisions", COLLISIONS_HINT, |ui| {
        let (now, all) = (setup.collisions, Collisions::ALL);
        if let Some(chosen) = style::choice(ui, "collisions", now, all, Collisions::name) {
            start(Field::Collisions, chosen.to_value());
        }
    });
    style::row(ui, "steps/s", STEPS_HINT, |ui| {
        if let Some(hz) = number(ui, "steps/s", setup.hz, 1.0) {
            start(Field::Hz, Value::Number(hz));
        }
    });
    style::row(ui, "substeps", SUBSTEPS_HINT, |ui| {
        let name = |substeps: Option<u32>| substeps.map_or("auto".to_owned(), |n| n.to_string());
        let listed = SUBSTEPS.into_iter().filter(|n| n.is_none_or(|n| n <= limits::SUBSTEPS_MAX));
        let chosen = style::choice(ui, "substeps", setup.substeps, listed, name);
        if let Some(substeps) = chosen {
            start(Field::Substeps, substeps.to_value());
        }
        style::quiet(ui, &format!("now {}", session.setup().substeps_per_step()));
    });
    ui.horizontal(|ui| {
        if ui.button("the scene's own values").on_hover_text(OWN_HINT).clicked() {
            commands.push(Command::StartAsUsual);
        }
        let mut keeps = session.starts.keep_walls;
        if ui.checkbox(&mut keeps, "keep walls").on_hover_text(WALLS_HINT).changed() {
            commands.push(Command::KeepWalls(keeps));
        }
    });
    ui.separator();
}
