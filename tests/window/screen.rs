//! Full screen, which a window requests of its window manager.

use std::{fs, time::Duration};

use crate::{
    Path,
    desk::{Busy, SCREEN, keysym, wait_for},
    expected::Stage,
    program::Frame,
};

crate::on_both_paths! {
    f11_begins_and_ends_full_screen
    a_busy_machine_shows_frames_after_rapid_full_screen_toggles
    a_busy_machine_shows_frames_after_rapid_resizes
}

/// Presses F11 and waits for the new size; returns the first frame of it.
fn toggle(stage: &mut Stage, full: bool, size: [u32; 2]) -> Frame {
    stage.desk.key(keysym::F11);
    stage.program.wait_line(&format!("full screen {}", if full { "on" } else { "off" }));
    stage.program.wait_line(&format!("resized {}x{}", size[0], size[1]));
    let frame = stage.program.wait_frame();
    assert_eq!(frame.size, size);
    frame
}

fn f11_begins_and_ends_full_screen(path: Path) {
    let mut stage = Stage::managed(path);
    let before = stage.pause();
    let place = stage.desk.place(stage.window);
    assert!(place[1] > 0, "a frame with a title is around it: {place:?}");
    let full = toggle(&mut stage, true, SCREEN);
    wait_for("all of the screen", || {
        let covers = stage.desk.size(stage.window) == SCREEN;
        (covers && stage.desk.place(stage.window) == [0, 0]).then_some(())
    });
    stage.expect(&full);

    let again = toggle(&mut stage, false, before.size);
    wait_for("its place of before", || {
        let back = stage.desk.size(stage.window) == before.size;
        (back && stage.desk.place(stage.window) == place).then_some(())
    });
    assert_eq!(again.camera, before.camera);
    stage.expect(&again);
}

/// The size of the screen is not saved.
#[test]
fn esc_leaves_full_screen_and_the_window_can_be_closed_there() {
    let mut stage = Stage::managed(Path::Softbuffer);
    let before = stage.desk.size(stage.window);
    toggle(&mut stage, true, SCREEN);
    stage.desk.key(keysym::ESCAPE);
    stage.program.wait_line("full screen off");
    stage.program.wait_line(&format!("resized {}x{}", before[0], before[1]));
    toggle(&mut stage, true, SCREEN);
    stage.desk.ctrl_key(keysym::Q);
    let Stage { program, folder, .. } = stage;
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("closed"));
    let settings = fs::read_to_string(folder.path().join("settings/jostle/window.toml"));
    let settings = settings.expect("the settings");
    assert!(!settings.lines().any(|line| line.starts_with("size")), "{settings}");
}

/// A way to end the program, and its exit status.
#[derive(Clone, Copy)]
enum End {
    CloseButton = 0,
    Sigterm = 143,
}

/// Waits for the window to have that size, expects frames of it, and ends the program.
fn expect_frames_and_end(mut stage: Stage, size: [u32; 2], end: End) {
    wait_for("the size asked for last", || (stage.desk.size(stage.window) == size).then_some(()));
    let paused = stage.pause();
    let frame = stage.step(&paused);
    assert_eq!(frame.size, size);
    stage.expect(&frame);
    match end {
        End::CloseButton => stage.desk.ask_to_close(stage.window),
        End::Sigterm => stage.program.signal("TERM"),
    }
    let path = stage.path;
    let (status, lines) = stage.program.end();
    assert_eq!(status.code(), Some(end as i32), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("closed"));
    let fallbacks = lines.iter().filter(|line| line.starts_with("jostle: no GPU")).count();
    assert_eq!(fallbacks, usize::from(path == Path::Softbuffer), "{lines:#?}");
}

/// The pause between two changes: a user's fastest, and about as long as a window manager takes.
const BEAT: Duration = Duration::from_millis(150);

fn a_busy_machine_shows_frames_after_rapid_full_screen_toggles(path: Path) {
    let _busy = Busy::new();
    for (end, toggles) in [(End::CloseButton, 14), (End::Sigterm, 15)] {
        let mut stage = Stage::managed(path);
        let before = stage.desk.size(stage.window);
        for _ in 0..toggles {
            stage.desk.key(keysym::F11);
            std::thread::sleep(BEAT);
        }
        // The window has each of the two sizes several times until all requests are done.
        for _ in 0..toggles {
            let toggled = |line: &str| line.starts_with("full screen ").then_some(());
            stage.program.wait("a change", toggled);
        }
        stage.desk.wait_managed(stage.window);
        let size = if toggles % 2 == 0 { before } else { SCREEN };
        expect_frames_and_end(stage, size, end);
    }
}

fn a_busy_machine_shows_frames_after_rapid_resizes(path: Path) {
    let _busy = Busy::new();
    for end in [End::CloseButton, End::Sigterm] {
        let stage = Stage::new(path);
        for step in 0..60 {
            stage.desk.resize(stage.window, [600 + step * 7, 700 - step * 5]);
            std::thread::sleep(BEAT / 10);
        }
        let size = [800, 600];
        stage.desk.resize(stage.window, size);
        expect_frames_and_end(stage, size, end);
    }
}

/// The test stands in for the window manager.
#[test]
fn a_dropped_request_is_repeated_until_the_desktop_reports_the_change() {
    let mut stage = Stage::new(Path::Softbuffer);
    let before = stage.desk.size(stage.window);
    stage.desk.receive_requests();
    for (full, size) in [(true, SCREEN), (false, before)] {
        stage.desk.key(keysym::F11);
        for _ in 0..3 {
            assert_eq!(stage.desk.full_screen_request(), full);
        }
        stage.desk.report_full_screen(stage.window, full);
        stage.desk.resize(stage.window, size);
        stage.program.wait_line(&format!("resized {}x{}", size[0], size[1]));
        assert_eq!(stage.program.wait_frame().size, size);
    }
}

/// The desktop has not answered the first request yet.
#[test]
fn a_second_f11_cancels_the_first() {
    let mut stage = Stage::new(Path::Softbuffer);
    stage.desk.receive_requests();
    for (state, full) in [("on", true), ("off", false)] {
        stage.desk.key(keysym::F11);
        stage.program.wait_line(&format!("full screen {state}"));
        wait_for("the request", || (stage.desk.full_screen_request() == full).then_some(()));
    }
}

#[test]
fn a_desktop_without_full_screen_leads_to_a_notice() {
    let mut stage = Stage::new(Path::Softbuffer);
    for _ in 0..2 {
        stage.desk.key(keysym::F11);
        stage.program.wait_line("full screen on");
        stage
            .program
            .wait_line("jostle: full screen: the desktop does not make the window full screen");
    }
    let frame = stage.program.wait_frame();
    stage.program.wait_past(frame.steps);
}
