//! Presenters: the choice of one, and that both show the same.

use crate::{
    Path,
    desk::{Desk, keysym, wait_for},
    expected::Stage,
    program::{Frame, Program, command_on},
};

/// Columns of the panel, and rows of it that show nothing measured: scene, agents and buttons.
const COLUMNS: usize = 320;
const ROWS: std::ops::Range<usize> = 30..92;

/// The rest of the window, without the status line, scale bar and mini-map.
fn beside_the_panel(shown: &[[u8; 3]], size: [u32; 2]) -> Vec<[u8; 3]> {
    let rows = shown.chunks(size[0] as usize).take(size[1] as usize - 150).skip(96);
    rows.flat_map(|row| row[COLUMNS..].to_vec()).collect()
}

/// The part of the panel that looks the same in every run.
fn controls(shown: &[[u8; 3]], size: [u32; 2]) -> Vec<[u8; 3]> {
    let rows = shown.chunks(size[0] as usize).take(ROWS.end).skip(ROWS.start);
    rows.flat_map(|row| row[..COLUMNS].to_vec()).collect()
}

/// Number of pixels that differ.
fn unlike(one: &[[u8; 3]], other: &[[u8; 3]]) -> usize {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).filter(|(one, other)| one != other).count()
}

/// A driver in software is slower than no driver: it presents only if it is asked for. There is
/// nothing to warn of.
#[test]
fn a_driver_in_software_presents_only_if_asked_for() {
    for (flags, path, presenter, notices) in [
        (&[][..], Path::SoftwareDriver, " softbuffer ", 0),
        (&["--present", "auto"][..], Path::SoftwareDriver, " softbuffer ", 0),
        (&["--present", "cpu"], Path::Gpu, " softbuffer ", 0),
        (&["--present", "cpu"], Path::Softbuffer, " softbuffer ", 0),
        (&["--present", "GPU"], Path::SoftwareDriver, " pixels ", 0),
        (&["--present", "gpu"], Path::Softbuffer, " softbuffer ", 1),
    ] {
        let desk = Desk::new();
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = command_on(&desk, folder.path(), path);
        let mut program = Program::start(command.args(["--agents", "100"]).args(flags));
        program.wait_frame();
        desk.ask_to_close(desk.window());
        let (status, lines) = program.end();
        assert_eq!(status.code(), Some(0), "{lines:#?}");
        let ready = lines.iter().find(|line| line.starts_with("ready ")).expect("a window");
        assert!(ready.contains(presenter), "{flags:?} {path:?}: {ready}");
        let found = lines.iter().filter(|line| line.starts_with("jostle: ")).count();
        assert_eq!(found, notices, "{flags:?} {path:?}: {lines:#?}");
    }
}

#[test]
fn other_presenters_are_refused_before_a_window_opens() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    for (value, expected) in [
        ("vulkan", "--present vulkan"),
        ("cup", "did you mean cpu?"),
        ("-1", "--present -1"),
        ("", "--present \"\""),
    ] {
        let mut command = command_on(&desk, folder.path(), Path::SoftwareDriver);
        let (status, lines) = Program::start(command.args(["--present", value])).end();
        assert_eq!(status.code(), Some(2), "{lines:#?}");
        let [line] = &lines[..] else { panic!("one sentence: {lines:#?}") };
        assert!(line.contains(expected) && line.ends_with("auto, gpu, cpu"), "{line}");
    }
}

/// While a GPU presents a frame, the next one is drawn, so the effect of an input may show one
/// frame later. Without a GPU it shows in the next frame.
#[test]
fn input_shows_after_one_frame_at_most() {
    for (path, frames) in [(Path::SoftwareDriver, 1), (Path::Gpu, 2)] {
        let mut stage = Stage::new(path);
        stage.desk.point([700, 400]);
        for button in [4, 5, 4, 4] {
            let before = stage.program.wait_frame();
            stage.desk.press(button);
            stage.desk.release(button);
            stage.program.wait_line("zoomed");
            let shown: Vec<Frame> = (0..frames).map(|_| stage.program.wait_frame()).collect();
            let last = shown[frames - 1];
            assert_ne!(last.camera, before.camera, "{path:?}");
            assert!(shown.is_sorted_by_key(|frame| frame.steps), "{path:?}: {shown:?}");
        }
        let paused = stage.pause();
        stage.expect(&paused);
    }
}

/// A paused window whose view the user chose, so that the panel does not move it.
fn zoomed(path: Path) -> (Stage, Frame) {
    let (mut stage, frame) = Stage::paused(path);
    stage.desk.point([700, 400]);
    stage.desk.press(4);
    stage.desk.release(4);
    stage.program.wait_line("zoomed");
    // The agents alone are beside the panel then.
    stage.desk.key(keysym::U);
    stage.program.wait_line("tool bar off");
    let frame = stage.step(&frame);
    stage.expect(&frame);
    (stage, frame)
}

/// The panel appears in one frame and goes away in one. No picture of the screen in between shows
/// anything else, such as a black window.
#[test]
fn the_panel_comes_and_goes_without_a_flicker() {
    for path in [Path::SoftwareDriver, Path::Gpu] {
        let (mut stage, frame) = zoomed(path);
        let size = frame.size;
        let plain = stage.draw(&frame);
        let alone = beside_the_panel(&plain, size);
        let without = wait_for("a picture", || stage.desk.pixels(stage.window, size));
        for open in [true, false, true] {
            stage.desk.key(keysym::TAB);
            let before =
                controls(&wait_for("a picture", || stage.desk.pixels(stage.window, size)), size);
            let mut looks = vec![before];
            wait_for("the panel, or its end", || {
                let shown = stage.desk.pixels(stage.window, size)?;
                assert_eq!(beside_the_panel(&shown, size), alone, "{path:?}");
                let look = controls(&shown, size);
                let is_open = unlike(&look, &controls(&without, size)) > 0;
                if looks.last() != Some(&look) {
                    looks.push(look);
                }
                (is_open == open).then_some(())
            });
            // A driver may send a frame to the screen in parts.
            let parts = path == Path::Gpu;
            assert!(parts || looks.len() <= 2, "{} looks with {path:?}", looks.len());
            stage.program.wait_line(if open { "panel on" } else { "panel off" });
        }
    }
}

/// Takes steps until there were this many.
fn advance(stage: &mut Stage, frame: &Frame, steps: u64) -> Frame {
    let mut frame = *frame;
    while frame.steps < steps {
        frame = stage.step(&frame);
    }
    frame
}

/// Waits until two pictures in a row are the same.
fn steady(stage: &Stage, size: [u32; 2]) -> Vec<[u8; 3]> {
    let mut before = Vec::new();
    wait_for("pixels that stay", || {
        let shown = stage.desk.pixels(stage.window, size)?;
        (std::mem::replace(&mut before, shown.clone()) == shown).then_some(shown)
    })
}

/// Both hand over the same bytes.
#[test]
fn both_presenters_show_the_same_panel_and_the_same_glow() {
    let both = [Path::Gpu, Path::SoftwareDriver].map(zoomed);
    let steps = both.iter().map(|(_, frame)| frame.steps).max().expect("two");
    let [gpu, cpu] = both.map(|(mut stage, frame)| {
        let frame = advance(&mut stage, &frame, steps);
        let size = frame.size;
        stage.desk.key(keysym::TAB);
        stage.program.wait_line("panel on");
        // A panel takes clicks once it is laid out.
        stage.program.wait_frame();
        stage.desk.click(stage.program.text("glow"));
        stage.program.wait_line("glow on");
        // Away from the widgets, which look different below the mouse.
        stage.desk.point([700, 400]);
        let plain = beside_the_panel(&stage.draw(&frame), size);
        wait_for("the glow", || {
            let shown = stage.desk.pixels(stage.window, size)?;
            (beside_the_panel(&shown, size) != plain).then_some(())
        });
        let shown = steady(&stage, size);
        (controls(&shown, size), beside_the_panel(&shown, size))
    });
    assert!(gpu.0.iter().any(|pixel| pixel[0] > 200), "white letters");
    assert_eq!(unlike(&gpu.0, &cpu.0), 0, "the panel");
    assert_eq!(unlike(&gpu.1, &cpu.1), 0, "the glow");
}
