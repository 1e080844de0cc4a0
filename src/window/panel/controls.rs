//! Controls of the run in the panel: a row for each, with a label on the left and widgets on the
//! right.

use egui::{RichText, Slider, SliderClamping, Ui};

use crate::{
    scene::{Scene, Setup},
    window::{
        command::Command,
        panel::{
            number::{self, Keyboard},
            style::{self, FIELD, QUIET},
        },
        run_stats::RunStats,
        session::Session,
        timestep,
        tool::UndoTurn,
    },
};

/// Range of the slider for the mean speed, world units per second. Other values can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];

/// Largest coefficients of friction and of rolling resistance of the sliders. Larger ones can be
/// typed.
const FRICTION: f32 = 1.0;

/// Largest gravity of the slider in either direction, world units per second squared.
const GRAVITY: f32 = 50.0;

const AGENTS_HINT: &str = "Number of agents of the scene, such as 20,000, 500k or 2M. Another number \
                           starts a run.";
const TIME_HINT: &str = "+ and -. Simulated seconds per second, 1/64 to 64.";
const SLOW_HINT: &str = "If the machine can't keep up: less simulated time, so that each frame is shown, \
                         or fewer frames, so that time keeps its pace.";

/// A parameter of the run with a slider: name, explanation, value, range, command, and the measured
/// value beside the slider.
type Parameter<'a> = (&'a str, &'a str, f32, [f32; 2], fn(f32) -> Command, String);

/// Shows scene, agents and the buttons of the run. A chosen scene starts with its default number of
/// agents.
pub(super) fn run(
    ui: &mut Ui,
    session: &Session,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    let &Setup { scene, agents, .. } = session.next_setup();
    let title = session.next_title();
    // A world file is none of the scenes.
    let named = (title == scene.name()).then_some(scene);
    style::row(ui, "scene", named.map_or("A world file.", Scene::summary), |ui| {
        let name = |scene: Option<Scene>| scene.map_or(title, |scene| scene.name()).to_owned();
        let chosen = style::choice(ui, "scene", named, Scene::ALL.map(Some), name).flatten();
        commands.extend(chosen.map(|scene| Command::Start { scene, agents: None }));
    });
    style::row(ui, "agents", AGENTS_HINT, |ui| {
        let typed = keyboard.number(ui, "agents", agents, FIELD, None);
        commands.extend(typed.map(|agents| Command::Start { scene, agents: Some(agents) }));
    });
    let toggle = if session.host.timestep.is_paused() { "resume" } else { "pause" };
    ui.horizontal(|ui| {
        for (label, about, command) in [
            (toggle, "Space. Pauses the simulation, and resumes it.", Command::TogglePause),
            ("step", "Full stop. Takes one step and pauses.", Command::SingleStep),
            ("restart", "R. Starts the same run again.", Command::Restart),
            (
                "undo",
                "Ctrl-Z. Takes the last spawn, erase, wall or value back, a change in the past, a branch, or \
                 a start.",
                Command::Turn(UndoTurn::Undo),
            ),
            ("redo", "Ctrl-Y. Repeats an undone stroke or change.", Command::Turn(UndoTurn::Redo)),
        ] {
            if ui.button(label).on_hover_text(about).clicked() {
                commands.push(command);
            }
        }
    });
    ui.separator();
}

/// Shows time scale, motion of the agents, and the choice of frames or time for a slow machine.
pub(super) fn motion(
    ui: &mut Ui,
    session: &Session,
    stats: &RunStats,
    keyboard: &mut Keyboard,
    commands: &mut Vec<Command>,
) {
    let setup = session.sim().setup();
    style::headline(ui, "motion: takes effect at once");
    style::row(ui, "time", TIME_HINT, |ui| {
        let mut time = session.host.timestep.time_scale();
        let [slowest, fastest] = timestep::TIME_SCALE;
        let slider = Slider::new(&mut time, slowest..=fastest).logarithmic(true);
        let slid = ui.add(slider.max_decimals(2).show_value(false)).changed().then_some(time);
        let now = session.host.timestep.time_scale();
        let typed = keyboard.number(ui, "time", now, number::WIDTH, None);
        commands.extend(slid.or(typed).map(Command::TimeScale));
    });
    let parameters: [Parameter<'_>; 5] = [
        (
            "all speeds",
            "Scales the speed of all agents by one factor. The number is the mean speed at the \
             start times all factors since. The measured mean speed is beside it. Both are in \
             world units per second.",
            setup.speed,
            SPEED,
            Command::MeanSpeed,
            measured(stats.figures.speed),
        ),
        (
            "restitution",
            "Coefficient of restitution: the relative speed of two agents after a collision over \
             that before it.",
            setup.restitution,
            [0.0, 1.0],
            Command::Restitution,
            String::new(),
        ),
        (
            "friction",
            "Coefficient of friction: what slides is slowed by at most this share of the force that \
             presses, and begins to spin.",
            setup.friction,
            [0.0, FRICTION],
            Command::Friction,
            String::new(),
        ),
        (
            "rolling",
            "Coefficient of rolling resistance: what rolls is slowed by a torque of at most this share \
             of the force that presses. It acts where there is friction.",
            setup.rolling,
            [0.0, FRICTION],
            Command::Rolling,
            String::new(),
        ),
        (
            "gravity",
            "Downward acceleration, in world units per second squared.",
            setup.gravity,
            [-GRAVITY, GRAVITY],
            Command::Gravity,
            String::new(),
        ),
    ];
    for (name, hint, mut value, [least, most], command, measured) in parameters {
        style::row(ui, name, hint, |ui| {
            let now = value;
            // Any number can be typed: the run checks it.
            let slider = Slider::new(&mut value, least..=most).clamping(SliderClamping::Never);
            let slid = ui.add(slider.max_decimals(2).show_value(false)).changed().then_some(value);
            let typed = keyboard.number(ui, name, now, number::WIDTH, None);
            commands.extend(slid.or(typed).map(command));
            ui.label(RichText::new(measured).color(QUIET));
        });
    }
    style::row(ui, "if slow", SLOW_HINT, |ui| {
        let now = session.host.timestep.skip_frames;
        for (skip_frames, word) in [(false, "slow motion"), (true, "skip frames")] {
            let shown = now == skip_frames;
            if ui.selectable_label(shown, word).clicked() && !shown {
                commands.push(Command::SkipFrames(skip_frames));
            }
        }
    });
}

/// Formats a speed with the two digits that there is room for.
fn measured(speed: f64) -> String {
    let digits = usize::from(speed < 9.95);
    format!("now {speed:.digits$}")
}
