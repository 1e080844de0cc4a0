//! How agents move, and how fast that is shown.

use egui::{RichText, Slider, SliderClamping, Ui};

use crate::window::{
    command::Command,
    panel::style::{self, QUIET},
    session::Session,
    survey::Survey,
    timestep::{self, LatePolicy},
};

/// Mean speeds and the strongest gravity that a slider goes to: more can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];
const GRAVITY: f32 = 50.0;

/// A number that the run can be given.
struct Number {
    name: &'static str,
    /// What it does, for whoever points at it.
    hint: &'static str,
    value: f32,
    range: [f32; 2],
    command: fn(f32) -> Command,
    /// What has become of it since, if anything does.
    now: String,
}

/// Shows all of it.
pub(super) fn show(ui: &mut Ui, session: &Session, survey: &Survey, commands: &mut Vec<Command>) {
    let setup = session.sim().setup();
    style::row(ui, "time", |ui| {
        let mut time = session.timestep.time_scale();
        let [slowest, fastest] = timestep::TIME_SCALE;
        let slider = Slider::new(&mut time, slowest..=fastest).logarithmic(true).prefix("×");
        if ui.add(slider.max_decimals(2).update_while_editing(false)).changed() {
            commands.push(Command::TimeScale(time));
        }
    });
    let numbers = [
        Number {
            name: "all speeds",
            hint: "Makes every agent faster or slower by one factor. The number is the mean speed that they began \
                   with, times all such factors; beside it is the mean of now, in world units a second.",
            value: setup.speed,
            range: SPEED,
            command: Command::MeanSpeed,
            now: now(survey.mean_speed),
        },
        Number {
            name: "restitution",
            hint: "The share of the speed of approach that a collision gives back.",
            value: setup.restitution,
            range: [0.0, 1.0],
            command: Command::Restitution,
            now: String::new(),
        },
        Number {
            name: "gravity",
            hint: "The acceleration downwards, in world units a second squared.",
            value: setup.gravity,
            range: [-GRAVITY, GRAVITY],
            command: Command::Gravity,
            now: String::new(),
        },
    ];
    for Number { name, hint, mut value, range: [least, most], command, now } in numbers {
        style::row(ui, name, |ui| {
            // What is typed may be anything: the run knows best what it can do.
            let slider = Slider::new(&mut value, least..=most).clamping(SliderClamping::Never);
            // Half of a number is another number, and would be in force before it is whole.
            let slider = slider.max_decimals(2).update_while_editing(false);
            if ui.add(slider).on_hover_text(hint).changed() {
                commands.push(command(value));
            }
            ui.label(RichText::new(now).color(QUIET));
        });
    }
    style::row(ui, "when late", |ui| {
        let now = session.timestep.late_policy();
        for (late, word) in
            [(LatePolicy::SlowMotion, "slow motion"), (LatePolicy::SkipFrames, "skip frames")]
        {
            if ui.selectable_label(now == late, word).clicked() && now != late {
                commands.push(Command::LatePolicy(late));
            }
        }
    });
}

/// Two digits: there is no room for more.
fn now(speed: f64) -> String {
    let digits = usize::from(speed < 9.95);
    format!("now {speed:.digits$}")
}
