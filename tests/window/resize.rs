//! Sizes: large, tiny, gone, and on a screen with smaller pixels.

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
};

crate::on_both_paths! {
    a_resized_window_shows_a_frame_of_its_size
    a_minimised_window_comes_back
}

fn a_resized_window_shows_a_frame_of_its_size(path: Path) {
    let (mut stage, _) = Stage::paused(path);
    for size in [[800, 600], [1, 1], [3, 700], [640, 2], [1, 1], [1399, 851], [517, 333]] {
        stage.desk.resize(stage.window, size);
        stage.program.wait_line(&format!("resized {}x{}", size[0], size[1]));
        let frame = stage.program.wait_frame();
        assert_eq!(frame.size, size);
        if size[0] > 500 && size[1] > 300 {
            stage.expect(&frame);
        }
    }
}

fn a_minimised_window_comes_back(path: Path) {
    let mut stage = Stage::new(path);
    let before = stage.program.wait_frame();
    stage.desk.show(stage.window, false);
    stage.desk.show(stage.window, true);
    stage.desk.focus(stage.window);
    stage.program.wait_past(before.steps + 30);
    stage.desk.key(keysym::SPACE);
    stage.program.wait_line("paused");
    let frame = stage.program.wait_frame();
    stage.expect(&frame);
}

/// A covered part of the window is drawn again when it is uncovered, although nothing moves.
#[test]
fn a_paused_window_that_was_off_the_screen_shows_its_frame_again() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    stage.desk.show(stage.window, false);
    stage.desk.show(stage.window, true);
    stage.expect(&frame);
}

#[test]
fn smaller_pixels_make_a_larger_frame() {
    let mut stage = Stage::new(Path::Softbuffer);
    let [width, height] = stage.desk.size(stage.window);
    stage.desk.set_dots_per_inch(stage.window, 192);
    stage.program.wait_line("rescaled 2");
    stage.program.wait("the larger size", |line| {
        (line == format!("resized {}x{}", width * 2, height * 2)).then_some(())
    });
    let frame = stage.program.wait_frame();
    assert_eq!(frame.size, [width * 2, height * 2]);
    stage.desk.set_dots_per_inch(stage.window, 96);
    stage.program.wait_line("rescaled 1");
    wait_for("the first size", || (stage.desk.size(stage.window) == [width, height]).then_some(()));
}

#[test]
fn a_small_window_shows_the_keys_page_by_page() {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    stage.desk.resize(stage.window, [500, 300]);
    stage.program.wait_line("resized 500x300");
    let frame = stage.program.wait_frame();
    let mut before = wait_for("the picture", || stage.desk.pixels(stage.window, frame.size));
    for _ in 0..2 {
        stage.desk.key(keysym::H);
        stage.program.wait_line("help on");
        stage.program.wait_frame();
        before = wait_for("another page", || {
            let shown = stage.desk.pixels(stage.window, frame.size)?;
            (shown != before).then_some(shown)
        });
    }
    stage.desk.key(keysym::ESCAPE);
    stage.program.wait_line("help off");
    let plain = stage.step(&frame);
    stage.expect(&plain);
}
