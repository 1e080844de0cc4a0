//! The panel: values that another start takes, hints, and the keys beside it.

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

    // A refused value changes nothing.
    stage.desk.click(stage.program.beside("density"));
    stage.desk.type_text("5");
    stage.desk.key(keysym::RETURN);
    stage.program.wait("a refusal", |line| line.starts_with("refused: density 5 ").then_some(()));
    let next = stage.step(&frame);
    stage.expect_beside(&next, WIDTH);
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
