//! What can be changed: a row for each, the words on the left and the knobs on the right.

use egui::{ComboBox, DragValue, Key, Label, RichText, Slider, SliderClamping, TextEdit, Ui};

use crate::{
    app::{
        keys::Action,
        pace::{self, Late},
        panel::{
            Wish,
            style::{self, AMISS},
        },
        session::Session,
        tool::Tool,
    },
    count,
    index::Kind,
    raster::{Colouring, Overlay, Palette},
    scene::{Scene, Setup},
};

/// Mean speeds and the strongest gravity that a slider goes to: more can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];
const GRAVITY: f32 = 50.0;

/// Width of what is typed into and chosen from, points.
const FIELD: f32 = 92.0;

/// What was chosen and typed, and is not yet applied.
#[derive(Debug)]
pub(super) struct Form {
    scene: Scene,
    agents: String,
    /// Why the last wish was not granted.
    pub(super) refusal: Option<String>,
}

impl Form {
    /// What a set-up has.
    pub(super) fn of(setup: &Setup) -> Self {
        Self {
            scene: setup.scene,
            agents: count::grouped(setup.agents).replace(',', "_"),
            refusal: None,
        }
    }
}

/// Shows all of them.
pub(super) fn show(ui: &mut Ui, session: &Session, form: &mut Form, wishes: &mut Vec<Wish>) {
    run(ui, session, form, wishes);
    if let Some(refusal) = &form.refusal {
        ui.add(Label::new(RichText::new(refusal).color(AMISS)).wrap());
    }
    ui.separator();
    motion(ui, session, wishes);
    ui.separator();
    machine(ui, session, wishes);
    look(ui, session, wishes);
    tool(ui, session, wishes);
    ui.separator();
}

fn row(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        style::word(ui, name);
        contents(ui);
    });
}

/// Scene and agents, applied together: one says how many of the other there can be.
fn run(ui: &mut Ui, session: &Session, form: &mut Form, wishes: &mut Vec<Wish>) {
    let mut apply = false;
    row(ui, "scene", |ui| {
        if let Some(chosen) = choice(ui, "scene", form.scene, Scene::ALL, Scene::name) {
            form.scene = chosen;
            apply = true;
        }
    });
    row(ui, "agents", |ui| {
        let field = ui.add(TextEdit::singleline(&mut form.agents).desired_width(FIELD));
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        apply |= entered | ui.button("apply").clicked();
    });
    row(ui, "", |ui| {
        let word = if session.pace.is_paused() { "go on" } else { "pause" };
        for (word, action) in
            [(word, Action::Pause), ("one step", Action::Step), ("restart", Action::Restart)]
        {
            if ui.button(word).clicked() {
                wishes.push(Wish::Key(action));
            }
        }
    });
    if apply {
        let scene = form.scene;
        wishes.push(match count::agents(form.agents.trim()) {
            Ok(agents) => Wish::Run { scene, agents },
            Err(why) => Wish::Nonsense(format!("{:?} {why}", form.agents.trim())),
        });
    }
}

fn motion(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let setup = session.sim().setup();
    row(ui, "time", |ui| {
        let mut time = session.pace.speed();
        let [slowest, fastest] = pace::SPEED;
        let slider = Slider::new(&mut time, slowest..=fastest).logarithmic(true).prefix("×");
        if ui.add(slider.max_decimals(2).update_while_editing(false)).changed() {
            wishes.push(Wish::Time(time));
        }
    });
    let numbers = [
        ("speed", setup.speed, SPEED, Wish::Speed as fn(f32) -> Wish),
        ("restitution", setup.restitution, [0.0, 1.0], Wish::Restitution),
        ("gravity", setup.gravity, [-GRAVITY, GRAVITY], Wish::Gravity),
    ];
    for (name, now, [least, most], wish) in numbers {
        row(ui, name, |ui| {
            let mut value = now;
            // What is typed may be anything: the run knows best what it can do.
            let slider = Slider::new(&mut value, least..=most).clamping(SliderClamping::Never);
            // Half of a number is another number, and would be in force before it is whole.
            if ui.add(slider.max_decimals(2).update_while_editing(false)).changed() {
                wishes.push(wish(value));
            }
        });
    }
    row(ui, "when late", |ui| {
        let now = session.pace.late();
        for (late, word) in [(Late::SlowMotion, "slow motion"), (Late::SkipFrames, "skip frames")] {
            if ui.selectable_label(now == late, word).clicked() && now != late {
                wishes.push(Wish::Late(late));
            }
        }
    });
}

fn machine(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    row(ui, "index", |ui| {
        let index = session.sim().index();
        if let Some(kind) = choice(ui, "index", index, Kind::all(), |kind| kind.name) {
            wishes.push(Wish::Index(kind));
        }
        let now = session.threads();
        let mut threads = now;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let drag = DragValue::new(&mut threads).range(1..=cores.max(now)).speed(0.05);
        let drag = drag.update_while_editing(false);
        if ui.add(drag.suffix(if now == 1 { " thread" } else { " threads" })).changed() {
            wishes.push(Wish::Threads(threads));
        }
    });
}

fn look(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let look = session.look();
    row(ui, "colour", |ui| {
        let colourings = Colouring::all_in(session.setup().scene);
        if let Some(chosen) = choice(ui, "colour", look.colouring, colourings, Colouring::name) {
            wishes.push(Wish::Colouring(chosen));
        }
        if let Some(chosen) = choice(ui, "palette", look.palette, Palette::ALL, Palette::name) {
            wishes.push(Wish::Palette(chosen));
        }
    });
    row(ui, "overlay", |ui| {
        if let Some(chosen) = choice(ui, "overlay", look.overlay, Overlay::ALL, Overlay::name) {
            wishes.push(Wish::Overlay(chosen));
        }
        let mut glow = session.glow;
        if ui.checkbox(&mut glow, "glow").changed() {
            wishes.push(Wish::Glow(glow));
        }
    });
}

fn tool(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    row(ui, "mouse", |ui| {
        if let Some(chosen) = choice(ui, "mouse", session.hold.tool, Tool::ALL, Tool::name) {
            wishes.push(Wish::Tool(chosen));
        }
    });
}

/// One of several, if it is another one than now.
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
