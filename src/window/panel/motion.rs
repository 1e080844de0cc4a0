//! Controls of the agents' motion and of the time scale.

use egui::{RichText, Slider, SliderClamping, Ui};

use crate::window::{
    command::Command,
    panel::style::{self, QUIET},
    sampled_stats::SampledStats,
    session::Session,
    timestep::{self, LatePolicy},
};

/// Range of the slider for the mean speed, world units per second. Other values can be typed.
const SPEED: [f32; 2] = [0.1, 60.0];

/// Largest gravity of the slider in either direction, world units per second squared.
const GRAVITY: f32 = 50.0;

/// A parameter of the run with a slider: name, explanation, value, range, command, and the measured
/// value beside the slider.
type Parameter<'a> = (&'a str, &'a str, f32, [f32; 2], fn(f32) -> Command, String);

/// Shows all controls of this section.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    stats: &SampledStats,
    commands: &mut Vec<Command>,
) {
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
            now(stats.mean_speed),
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
        let now = session.timestep.late_policy;
        for (late, word) in
            [(LatePolicy::SlowMotion, "slow motion"), (LatePolicy::SkipFrames, "skip frames")]
        {
            if ui.selectable_label(now == late, word).clicked() && now != late {
                commands.push(Command::LatePolicy(late));
            }
        }
    });
}

/// Formats a speed with the two digits that there is room for.
fn now(speed: f64) -> String {
    let digits = usize::from(speed < 9.95);
    format!("now {speed:.digits$}")
}
