//! Controls of the panel: a row for each, with a label on the left and widgets on the right.

use egui::{ComboBox, DragValue, Id, Key, Label, RichText, Slider, SliderClamping, TextEdit, Ui};

use crate::{
    format,
    index::IndexKind,
    raster::{ColorBy, Overlay, Palette},
    scene::{Scene, Setup},
    window::{
        command::{Choice, Command},
        panel::style::{self, ERROR, QUIET},
        run_stats::RunStats,
        session::Session,
        timestep,
        tool::{FACTIONS, Tool, faction_name},
    },
};

/// Width of text fields and lists in points.
const FIELD: f32 = 92.0;

/// Range of the slider for the mean speed, world units per second. Other values can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];

/// Largest gravity of the slider in either direction, world units per second squared.
const GRAVITY: f32 = 50.0;

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
}

impl Form {
    /// Creates a form with the values of a set-up.
    pub(super) fn from_setup(setup: &Setup) -> Self {
        Self {
            scene: setup.scene,
            agents: format::grouped(setup.agents).replace(',', "_"),
            refusal: None,
            invalid: None,
        }
    }
}

/// Identifies the text field for the number of agents.
pub(super) fn agents_field() -> Id {
    Id::new("number of agents")
}

/// Shows all controls, and adds the commands of those that the user changed.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    stats: &RunStats,
    form: &mut Form,
    commands: &mut Vec<Command>,
) {
    run(ui, session, form, commands);
    if let Some(refusal) = &form.refusal {
        ui.add(Label::new(RichText::new(refusal).color(ERROR)).wrap());
    }
    ui.separator();
    motion(ui, session, stats, commands);
    ui.separator();
    settings(ui, session, commands);
    ui.separator();
}

/// Shows scene, agents and the buttons of the run. A chosen scene starts with its default number of
/// agents.
fn run(ui: &mut Ui, session: &Session, form: &mut Form, commands: &mut Vec<Command>) {
    let mut apply = false;
    style::row(ui, "scene", |ui| {
        if let Some(chosen) = choice(ui, "scene", form.scene, Scene::ALL, Scene::name) {
            form.scene = chosen;
            commands.push(Command::Start { scene: chosen, agents: None });
        }
    });
    style::row(ui, "agents", |ui| {
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
    style::row(ui, "", |ui| {
        let toggle = if session.timestep.is_paused() { "resume" } else { "pause" };
        for (label, command) in [
            (toggle, Command::TogglePause),
            ("step", Command::SingleStep),
            ("restart", Command::Restart),
        ] {
            if ui.button(label).clicked() {
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
}

/// Shows time scale, motion of the agents, and what gives way when the machine is slow.
fn motion(ui: &mut Ui, session: &Session, stats: &RunStats, commands: &mut Vec<Command>) {
    let setup = session.sim().setup();
    style::row(ui, "time", |ui| {
        let mut time = session.timestep.time_scale();
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
        style::row(ui, name, |ui| {
            // Any number can be typed: the run checks it.
            let slider = Slider::new(&mut value, least..=most).clamping(SliderClamping::Never);
            // A number that is only half typed must not be applied.
            let slider = slider.max_decimals(2).update_while_editing(false);
            if ui.add(slider).on_hover_text(hint).changed() {
                commands.push(command(value));
            }
            ui.label(RichText::new(measured).color(QUIET));
        });
    }
    style::row(ui, "if slow", |ui| {
        let now = session.timestep.skip_frames;
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

/// Shows index, threads, colors, overlay, glow and tool.
fn settings(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let (look, tool_state, scene) = (session.style(), &session.tool_state, session.setup().scene);
    style::row(ui, "index", |ui| {
        let chosen = choice(ui, "index", session.sim().index(), IndexKind::all(), |kind| kind.name);
        commands.extend(chosen.map(|kind| Command::Index(Choice::Value(kind))));
        let now = session.threads();
        let mut threads = now;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let drag = DragValue::new(&mut threads).range(1..=cores.max(now)).speed(0.05);
        let drag = drag.update_while_editing(false);
        if ui.add(drag.suffix(if now == 1 { " thread" } else { " threads" })).changed() {
            commands.push(Command::Threads(threads));
        }
    });
    style::row(ui, "color", |ui| {
        let chosen = choice(ui, "color", look.color_by, ColorBy::all_in(scene), ColorBy::name);
        commands.extend(chosen.map(|color_by| Command::ColorBy(Choice::Value(color_by))));
        let chosen = choice(ui, "palette", look.palette, Palette::ALL, Palette::name);
        commands.extend(chosen.map(|palette| Command::Palette(Choice::Value(palette))));
    });
    style::row(ui, "overlay", |ui| {
        let chosen = choice(ui, "overlay", look.overlay, Overlay::ALL, Overlay::name);
        commands.extend(chosen.map(|overlay| Command::Overlay(Choice::Value(overlay))));
        let mut glow = session.glow;
        if ui.checkbox(&mut glow, "glow").changed() {
            commands.push(Command::Glow(glow));
        }
    });
    style::row(ui, "mouse", |ui| {
        let chosen = choice(ui, "mouse", tool_state.tool, Tool::all(), Tool::name);
        commands.extend(chosen.map(Command::Tool));
        if scene.has_factions() {
            let chosen = choice(ui, "side", tool_state.faction, FACTIONS, faction_name);
            commands.extend(chosen.map(Command::Faction));
        }
    });
}

/// Shows a list; returns the value that the user chose, unless it is the current one.
fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    now: T,
    all: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> &'static str,
) -> Option<T> {
    let mut chosen = now;
    let list = ComboBox::from_id_salt(name).selected_text(name_of(now)).width(FIELD);
    list.show_ui(ui, |ui| {
        for value in all {
            ui.selectable_value(&mut chosen, value, name_of(value));
        }
    });
    (chosen != now).then_some(chosen)
}
