//! The way back: the timeline below the picture, and its keys.

use crate::{Path, desk::keysym, expected::Stage, program::Frame};

crate::on_both_paths! {
    a_drag_of_the_timeline_shows_an_earlier_state
    a_click_on_a_branch_shows_what_was_left
}

fn at_step(stage: &mut Stage) -> u64 {
    stage.program.wait("the step", |line| line.strip_prefix("at step ")?.parse().ok())
}

/// The rows of the screen that the timeline takes: the first, and the one after the last.
pub(crate) fn rows(frame: &Frame) -> [i16; 2] {
    frame.hud.timeline[1].map(|y| y.try_into().expect("a row of the screen"))
}

fn a_drag_of_the_timeline_shows_an_earlier_state(path: Path) {
    let mut stage = Stage::new(path);
    stage.program.wait_past(90);
    let frame = stage.pause();
    let width = frame.size[0] as i16;
    let [top, bottom] = rows(&frame);
    let y = top.midpoint(bottom);
    stage.desk.point([width - 20, y]);
    stage.desk.press(1);
    stage.desk.point([width / 2, y]);
    let half = at_step(&mut stage);
    stage.desk.point([width / 2 - 100, y]);
    let mut earlier = at_step(&mut stage);
    while earlier >= half {
        earlier = at_step(&mut stage);
    }
    stage.desk.release(1);
    assert!(earlier > 0 && earlier < half && half < frame.steps, "{earlier} {half}");
    let shown = stage.program.wait_steps(earlier);
    stage.expect(&shown);
    // Playing on is the same run again.
    let next = stage.step(&shown);
    stage.expect(&next);
    stage.desk.key(keysym::END);
    assert_eq!(at_step(&mut stage), frame.steps);
    let last = stage.program.wait_steps(frame.steps);
    stage.expect(&last);
}

fn a_click_on_a_branch_shows_what_was_left(path: Path) {
    let mut stage = Stage::new(path);
    stage.program.wait_past(90);
    let frame = stage.pause();
    let [width, height] = frame.size.map(|side| side as i16);
    let [top, bottom] = rows(&frame);
    stage.desk.click([width / 2, top.midpoint(bottom)]);
    let parts = at_step(&mut stage);
    stage.desk.key(keysym::E);
    stage.program.wait_line("tool erase");
    stage.desk.click([width / 2, height / 2]);
    stage.program.wait("erase", |line| line.starts_with("erase: erased").then_some(()));
    let changed = stage.program.wait_steps(parts);
    let [above, _] = rows(&changed);
    assert!(above < top, "the bar has a row for the branch: {above} {top}");
    stage.desk.key(keysym::M);
    stage.program.wait_line("tool hand");
    stage.desk.point([width - 150, above + 3]);
    stage.program.wait("its name", |line| line.contains("; branch ").then_some(()));
    stage.desk.click([width - 150, above + 3]);
    stage.program.wait_line("branch branch 1");
    let there = at_step(&mut stage);
    assert!(there > parts && there <= frame.steps, "{parts} {there}");
    let shown = stage.program.wait_steps(there);
    stage.expect(&shown);
    stage.desk.key(keysym::END);
    assert_eq!(at_step(&mut stage), frame.steps);
    stage.desk.ctrl_key(keysym::Z);
    let back = format!("undone: back to step {parts} and what came after it");
    stage.program.wait_line(&back);
    assert_eq!(at_step(&mut stage), parts);
}
