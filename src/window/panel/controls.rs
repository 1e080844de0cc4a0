//! Controls of the run in the panel: a row for each, with a label on the left and widgets on the right.

use egui::{Id, Key, Label, RichText, Slider, SliderClamping, TextEdit, Ui};

use crate::{
    format,
    scene::{Scene, Setup},
    window::{
        command::Command,
        panel::style::{self, ERROR, FIELD, QUIET},
        run_stats::RunStats,
        session::Session,
        timestep,
        tool::UndoTurn,
    },
};

/// Range of the slider for the mean speed, world units per second. Other values can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];

/// Largest gravity of the slider in either direction, world units per second squared.
const GRAVITY: f32 = 50.0;

const AGENTS_HINT: &str = "Number of agents of the scene, such as 20,000, 500k or 2M. Enter or apply \
                           starts a run with them.";
const TIME_HINT: &str = "+ and -. Simulated seconds per second.";
const SLOW_HINT: &str = "If the machine can't keep up: less simulated time, so that each frame is shown, \
                         or fewer frames, so that time keeps its pace.";

/// A parameter of the run with a slider: name, explanation, value, range, command, and the measured
/// value beside the slider.
type Parameter<'a> = (&'a str, &'a str, f32, [f32; 2], fn(f32) -> Command, String);

/// Values that the user has chosen or typed but not yet applied.
#[derive(Debug)]
pub(super) struct Form {
    scene: Scene,
    pub(super) agents: String,
    /// Why the last command was rejected.
    pub(super) refusal: Option<String>,
    /// Why the text just applied is not a number of agents.
    pub(super) invalid: Option<String>,
    /// The set-up of the next start, while a number of it is dragged.
    pub(super) draft: Setup,
}

impl Form {
    /// Creates a form with the values of a set-up.
    pub(super) fn from_setup(setup: &Setup) -> Self {
        Self {
            scene: setup.scene,
            agents: format::grouped(setup.agents),
            refusal: None,
            invalid: None,
            draft: setup.clone(),
        }
    }
}

/// Identifies the text field for the number of agents.
pub(super) fn agents_field() -> Id {
    Id::new("number of agents")
}

/// Shows scene, agents and the buttons of the run. A chosen scene starts with its default number of
/// agents.
pub(super) fn run(ui: &mut Ui, session: &Session, form: &mut Form, commands: &mut Vec<Command>) {
    let mut apply = false;
    style::row(ui, "scene", form.scene.summary(), |ui| {
        if let Some(chosen) = style::choice(ui, "scene", form.scene, Scene::ALL, Scene::name) {
            form.scene = chosen;
            commands.push(Command::Start { scene: chosen, agents: None });
        }
    });
    style::row(ui, "agents", AGENTS_HINT, |ui| {
        // The field keeps the keyboard until its text is accepted: elsewhere a digit starts a
        // scene.
        let field = TextEdit::singleline(&mut form.agents).id(agents_field()).return_key(None);
        let field = ui.add(field.desired_width(FIELD));
        apply |= field.has_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if ui.button("apply").clicked() {
            apply = true;
            field.request_focus();
        }
    });
    let toggle = if session.host.timestep.is_paused() { "resume" } else { "pause" };
    ui.horizontal(|ui| {
        for (label, about, command) in [
            (toggle, "Space. Pauses the simulation, and resumes it.", Command::TogglePause),
            ("step", "Full stop. Takes one step and pauses.", Command::SingleStep),
            ("restart", "R. Starts the same run again.", Command::Restart),
            (
                "undo",
                "Ctrl-Z. Takes the last spawn, erase or wall back, a change in the past, or a start.",
                Command::Turn(UndoTurn::Undo),
            ),
            ("redo", "Ctrl-Y. Repeats an undone stroke or change.", Command::Turn(UndoTurn::Redo)),
        ] {
            if ui.button(label).on_hover_text(about).clicked() {
                commands.push(command);
            }
        }
    });
    if apply {
        let scene = form.scene;
        match format::agents(form.agents.trim()) {
            Ok(agents) => commands.push(Command::Start { scene, agents: Some(agents) }),
            Err(why) => form.invalid = Some(format!("{:?} {why}", form.agents.trim())),
        }
    }
    if let Some(refusal) = &form.refusal {
        ui.add(Label::new(RichText::new(refusal).color(ERROR)).wrap());
    }
    ui.separator();
}

/// Shows time scale, motion of the agents, and the choice of frames or time for a slow machine.
pub(super) fn motion(
    ui: &mut Ui,
    session: &Session,
    stats: &RunStats,
    commands: &mut Vec<Command>,
) {
    let setup = session.sim().setup();
    style::headline(ui, "motion: takes effect at once");
    style::row(ui, "time", TIME_HINT, |ui| {
        let mut time = session.host.timestep.time_scale();
        let [slowest, fastest] = timestep::TIME_SCALE;
        let slider = Slider::new(&mut time, slowest..=fastest).logarithmic(true).prefix("×");
        if ui.add(slider.max_decimals(2).update_while_editing(false)).changed() {
            commands.push(Command::TimeScale(time));
        }
    });
    let parameters: [Parameter<'_>; 3] = [
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
            // Any number can be typed: the run checks it.
            let slider = Slider::new(&mut value, least..=most).clamping(SliderClamping::Never);
            // A number that is only half typed must not be applied.
            let slider = slider.max_decimals(2).update_while_editing(false);
            if ui.add(slider).changed() {
                commands.push(command(value));
            }
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
