//! The panel: values that another start takes, hints, and the keys beside it.

use jostle::{Boundary, Setup, scene::Collisions};

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
    program::Frame,
};

/// Columns at the left that the panel and its open lists take.
const WIDTH: usize = 320;

/// The ground of the panel.
const GROUND: [u8; 3] = [18, 21, 31];

/// A window that stands still, with the panel on it.
fn panel_on() -> (Stage, Frame) {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    let frame = stage.program.wait_frame();
    wait_for("the panel", || is_panel(&stage, &frame).filter(|there| *there));
    (stage, frame)
}

/// Whether the left edge of the window shows the panel.
fn is_panel(stage: &Stage, frame: &Frame) -> Option<bool> {
    let shown = stage.desk.pixels(stage.window, frame.size)?;
    Some(shown[60 * frame.size[0] as usize + 12] == GROUND)
}

#[test]
fn a_value_of_the_set_up_starts_another_run() {
    let (mut stage, _) = panel_on();
    stage.desk.click(stage.program.text("next"));
    stage.program.wait_line("run gas 2000");
    let frame = stage.program.wait_frame();
    stage.become_other(|setup| setup.seed = 1);
    stage.expect_beside(&frame, WIDTH);

    stage.desk.click(stage.program.beside("density"));
    stage.desk.type_text(".1");
    stage.desk.key(keysym::RETURN);
    stage.program.wait_line("run gas 2000");
    let frame = stage.program.wait_frame();
    stage.become_other(|setup| setup.density = 0.1);
    stage.expect_beside(&frame, WIDTH);

    // A refused value changes nothing. Esc gives the keyboard back.
    stage.desk.click(stage.program.beside("density"));
    stage.desk.type_text("5");
    stage.desk.key(keysym::RETURN);
    stage.program.wait("a refusal", |line| line.starts_with("refused: density 5 ").then_some(()));
    stage.desk.key(keysym::ESCAPE);
    let next = stage.step(&frame);
    stage.expect_beside(&next, WIDTH);
}

/// Sets a number of the panel.
fn set(stage: &mut Stage, label: &str, text: &str) {
    stage.desk.click(stage.program.beside(label));
    stage.desk.type_text(text);
    stage.desk.key(keysym::RETURN);
}

/// Waits for the run that the change of a set-up begins.
fn expect_run(stage: &mut Stage, change: impl FnOnce(&mut Setup)) {
    stage.become_other(change);
    stage.program.wait_line(&format!("run gas {}", stage.setup.agents));
    let frame = stage.program.wait_frame();
    stage.expect_beside(&frame, WIDTH);
}

#[test]
fn numbers_are_read_as_they_are_written() {
    let (mut stage, _) = panel_on();
    set(&mut stage, "seed", "6687881544318117707");
    expect_run(&mut stage, |setup| setup.seed = 6_687_881_544_318_117_707);
    stage.program.text("6687881544318117707");
    set(&mut stage, "density", "0,25");
    expect_run(&mut stage, |setup| setup.density = 0.25);
    set(&mut stage, "agents", "3,000");
    expect_run(&mut stage, |setup| setup.agents = 3_000);
    set(&mut stage, "restitution", "0.999");
    stage.program.wait_line("restitution 0.999");
}

#[test]
fn a_number_that_is_clicked_and_left_stays() {
    let (mut stage, frame) = panel_on();
    set(&mut stage, "restitution", "0.999");
    stage.program.wait_line("restitution 0.999");
    for label in ["agents", "time", "restitution", "gravity", "seed", "density", "world", "steps/s"]
    {
        for leave in [keysym::RETURN, keysym::ESCAPE] {
            stage.desk.click(stage.program.beside(label));
            stage.desk.key(leave);
        }
        stage.desk.click(stage.program.beside(label));
        stage.desk.click([250, 40]);
    }
    stage.step(&frame);
    let is_change = |line: &str| {
        ["placing ", "restitution ", "gravity ", "time scale "]
            .iter()
            .any(|it| line.starts_with(it))
    };
    assert_eq!(stage.program.count(is_change), 1, "only 0.999 was set");
}

#[test]
fn the_ends_of_the_radius_may_be_typed_in_any_order() {
    let (mut stage, _) = panel_on();
    let [from, to] = stage.setup.radius.map(f64::from);
    let [low, high] = [to + 1.0, to + 2.0].map(|radius| radius as f32);
    assert!(from <= to);
    set(&mut stage, "radius", &low.to_string());
    expect_run(&mut stage, |setup| setup.radius = [low, low]);
    set(&mut stage, "to", &high.to_string());
    expect_run(&mut stage, |setup| setup.radius = [low, high]);
}

#[test]
fn every_value_of_a_start_can_be_set_and_given_back() {
    let (mut stage, _) = panel_on();
    let before = stage.setup.clone();
    set(&mut stage, "steps/s", "120");
    expect_run(&mut stage, |setup| setup.hz = 120.0);
    stage.desk.click(stage.program.beside("boundary"));
    stage.desk.click(stage.program.text("periodic"));
    expect_run(&mut stage, |setup| setup.boundary = Boundary::Periodic);
    stage.desk.click(stage.program.beside("collisions"));
    stage.desk.click(stage.program.text("swept"));
    expect_run(&mut stage, |setup| setup.collisions = Collisions::Swept);
    stage.desk.click(stage.program.text("the scene's own values"));
    expect_run(&mut stage, |setup| *setup = before);
}

#[test]
fn the_mouse_over_a_row_brings_a_hint_up() {
    let (mut stage, frame) = panel_on();
    let seed = stage.program.text("seed");
    let rows = || {
        let shown = stage.desk.pixels(stage.window, frame.size)?;
        let width = frame.size[0] as usize;
        let below = shown.chunks(width).skip(seed[1] as usize + 10).take(120);
        Some(below.flat_map(|row| row[20..280].to_vec()).collect::<Vec<_>>())
    };
    let before = wait_for("the panel", rows);
    stage.desk.point(seed);
    wait_for("a hint", || (rows()? != before).then_some(()));
}

/// Beside the panel where there is room for both, else in its place.
#[test]
fn nothing_overlaps_the_keys() {
    let (mut stage, _) = panel_on();
    for (size, both) in [([900, 500], true), ([500, 400], false)] {
        stage.desk.resize(stage.window, size);
        stage.program.wait_line(&format!("resized {}x{}", size[0], size[1]));
        let frame = stage.program.wait_frame();
        wait_for("the panel", || is_panel(&stage, &frame).filter(|there| *there));
        stage.desk.key(keysym::H);
        stage.program.wait_line("help on");
        wait_for("the keys", || is_panel(&stage, &frame).filter(|there| *there == both));
        stage.desk.key(keysym::ESCAPE);
        stage.program.wait_line("help off");
        wait_for("the panel again", || is_panel(&stage, &frame).filter(|there| *there));
    }
}
