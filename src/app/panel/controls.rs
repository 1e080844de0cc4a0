//! What can be changed: a row for each, the words on the left and the knobs on the right.

use egui::{ComboBox, DragValue, Grid, Key, RichText, Slider, TextEdit, Ui};

use crate::{
    app::{
        keys::Action,
        pace::{self, Late},
        panel::{
            Wish,
            style::{self, AMISS},
        },
        session::Session,
    },
    count,
    index::Kind,
    raster::{Colouring, Palette},
    scene::{Scene, Setup},
};

/// Mean speeds and the strongest gravity that a slider goes to: more can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];
const GRAVITY: f32 = 50.0;

/// What was chosen and typed, and is not yet applied.
#[derive(Debug, Default)]
pub(super) struct Form {
    scene: Option<Scene>,
    agents: String,
    /// Why the last wish was not granted.
    pub(super) refusal: Option<String>,
}

impl Form {
    /// What a set-up has.
    pub(super) fn of(setup: &Setup) -> Self {
        Self {
            scene: Some(setup.scene),
            agents: count::grouped(setup.agents).replace(',', "_"),
            refusal: None,
        }
    }
}

/// Shows all of them.
pub(super) fn show(ui: &mut Ui, session: &Session, form: &mut Form, wishes: &mut Vec<Wish>) {
    run(ui, session, form, wishes);
    if let Some(refusal) = &form.refusal {
        ui.add(egui::Label::new(RichText::new(refusal).color(AMISS)).wrap());
    }
    style::headline(ui, "MOTION");
    rows(ui, "motion", |ui| motion(ui, session, wishes));
    style::headline(ui, "MACHINE");
    rows(ui, "machine", |ui| machine(ui, session, wishes));
    style::headline(ui, "LOOK");
    rows(ui, "look", |ui| look(ui, session, wishes));
}

fn rows(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui)) {
    Grid::new(name).num_columns(2).min_col_width(72.0).spacing([8.0, 3.0]).show(ui, contents);
}

/// Scene and agents, applied together: one says how many of the other there can be.
fn run(ui: &mut Ui, session: &Session, form: &mut Form, wishes: &mut Vec<Wish>) {
    let mut apply = false;
    rows(ui, "run", |ui| {
        let setup = session.setup();
        let scene = form.scene.get_or_insert(setup.scene);
        ui.label("scene");
        if let Some(chosen) = choice(ui, "scene", *scene, Scene::ALL, Scene::name) {
            *scene = chosen;
            apply = true;
        }
        ui.end_row();
        ui.label("agents");
        ui.horizontal(|ui| {
            let field = ui.add(TextEdit::singleline(&mut form.agents).desired_width(110.0));
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            apply |= entered | ui.button("apply").clicked();
        });
        ui.end_row();
        ui.label("");
        ui.horizontal(|ui| {
            let word = if session.pace.is_paused() { "go on" } else { "pause" };
            for (word, action) in
                [(word, Action::Pause), ("step", Action::Step), ("restart", Action::Restart)]
            {
                if ui.button(word).clicked() {
                    wishes.push(Wish::Key(action));
                }
            }
        });
        ui.end_row();
    });
    if apply {
        let scene = form.scene.unwrap_or(session.setup().scene);
        wishes.push(match count::agents(form.agents.trim()) {
            Ok(agents) => Wish::Run { scene, agents },
            Err(why) => Wish::Nonsense(format!("{:?} {why}", form.agents.trim())),
        });
    }
}

fn motion(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let setup = session.sim().setup();
    let mut time = session.pace.speed();
    ui.label("time");
    let [slowest, fastest] = pace::SPEED;
    let slider = Slider::new(&mut time, slowest..=fastest).logarithmic(true).prefix("×");
    if ui.add(slider.max_decimals(2)).changed() {
        wishes.push(Wish::Time(time));
    }
    ui.end_row();
    let mut speed = setup.speed;
    ui.label("speed");
    if ui.add(number(&mut speed, SPEED[0], SPEED[1])).changed() {
        wishes.push(Wish::Speed(speed));
    }
    ui.end_row();
    let mut restitution = setup.restitution;
    ui.label("restitution");
    if ui.add(number(&mut restitution, 0.0, 1.0)).changed() {
        wishes.push(Wish::Restitution(restitution));
    }
    ui.end_row();
    let mut gravity = setup.gravity;
    ui.label("gravity");
    if ui.add(number(&mut gravity, -GRAVITY, GRAVITY)).changed() {
        wishes.push(Wish::Gravity(gravity));
    }
    ui.end_row();
    ui.label("when late");
    ui.horizontal(|ui| {
        let now = session.pace.late();
        for (late, word) in [(Late::SlowMotion, "slow motion"), (Late::SkipFrames, "skip frames")] {
            if ui.selectable_label(now == late, word).clicked() && now != late {
                wishes.push(Wish::Late(late));
            }
        }
    });
    ui.end_row();
}

/// A slider for a number that may be typed, too.
fn number(value: &mut f32, least: f32, most: f32) -> Slider<'_> {
    Slider::new(value, least..=most).max_decimals(2).clamping(egui::SliderClamping::Never)
}

fn machine(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    ui.label("threads");
    let mut threads = session.threads();
    let most = std::thread::available_parallelism().map_or(1, usize::from).max(threads);
    ui.horizontal(|ui| {
        if ui.add(DragValue::new(&mut threads).range(1..=most).speed(0.05)).changed() {
            wishes.push(Wish::Threads(threads));
        }
        ui.label(RichText::new(format!("of {most}")).color(style::QUIET));
    });
    ui.end_row();
    ui.label("index");
    let index = session.sim().index();
    if let Some(kind) = choice(ui, "index", index, Kind::all(), |kind| kind.name) {
        wishes.push(Wish::Index(kind));
    }
    ui.end_row();
}

fn look(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let look = session.look();
    ui.label("colour");
    if let Some(chosen) = choice(ui, "colour", look.colouring, Colouring::ALL, Colouring::name) {
        wishes.push(Wish::Colouring(chosen));
    }
    ui.end_row();
    ui.label("palette");
    if let Some(chosen) = choice(ui, "palette", look.palette, Palette::ALL, Palette::name) {
        wishes.push(Wish::Palette(chosen));
    }
    ui.end_row();
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
    ComboBox::from_id_salt(name).selected_text(name_of(now)).show_ui(ui, |ui| {
        for value in all {
            ui.selectable_value(&mut chosen, value, name_of(value));
        }
    });
    (chosen != now).then_some(chosen)
}
