//! Keys and mouse.

use jostle::Vec2;

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
};

crate::on_both_paths! {
    space_pauses_and_period_steps
    closing_the_window_exits_with_success
    the_wheel_zooms_at_the_cursor_a_drag_pans_and_home_fits
}

fn space_pauses_and_period_steps(path: Path) {
    let mut stage = Stage::new(path);
    // Without input, it runs.
    let first = stage.program.wait_frame();
    stage.program.wait_past(first.steps + 10);

    stage.desk.key(keysym::SPACE);
    stage.program.wait_line("paused");
    let paused = stage.program.wait_frame();
    stage.expect(&paused);

    // Exactly one step and one frame per key.
    let mut frame = paused;
    for _ in 0..3 {
        let next = stage.step(&frame);
        assert_eq!(next.number, frame.number + 1);
        assert_eq!(next.steps, frame.steps + 1);
        stage.expect(&next);
        frame = next;
    }

    stage.desk.key(keysym::SPACE);
    stage.program.wait_line("running");
    stage.program.wait_past(frame.steps + 5);
}

fn closing_the_window_exits_with_success(path: Path) {
    let close: [fn(&Stage); 3] = [
        |stage| stage.desk.ctrl_key(keysym::Q),
        |stage| [keysym::ESCAPE, keysym::Q].into_iter().for_each(|key| stage.desk.key(key)),
        |stage| stage.desk.ask_to_close(stage.window),
    ];
    for close in close {
        let stage = Stage::new(path);
        close(&stage);
        let (status, lines) = stage.program.end();
        assert_eq!(status.code(), Some(0), "{lines:#?}");
        assert_eq!(lines.last().map(String::as_str), Some("closed"));
        // The fallback is the only notice.
        let notices = lines.iter().filter(|line| line.starts_with("jostle: ")).count();
        assert_eq!(notices, usize::from(path == Path::Softbuffer), "{lines:#?}");
    }
}

fn the_wheel_zooms_at_the_cursor_a_drag_pans_and_home_fits(path: Path) {
    let (mut stage, start) = Stage::paused(path);
    let at = [300_i16, 500];
    let cursor = Vec2::new(300.0, 500.0);
    let under = start.camera.to_world(cursor);

    stage.desk.point(at);
    for _ in 0..3 {
        stage.desk.press(4);
        stage.desk.release(4);
    }
    stage.program.wait_line("zoomed");
    let zoomed = stage.step(&start);
    // Three notches of 1.2, or six: winit may report a wheel that XTEST turns twice.
    let factor = zoomed.camera.scale / start.camera.scale;
    let [once, twice] = [1.2_f32.powi(3), 1.2_f32.powi(6)];
    assert!((factor / once - 1.0).abs() < 1e-3 || (factor / twice - 1.0).abs() < 1e-3, "{factor}");
    assert!(zoomed.camera.to_pixel(under).distance(cursor) < 0.1, "{zoomed:?}");
    stage.expect(&zoomed);

    stage.desk.press(1);
    stage.desk.point([360, 460]);
    stage.desk.release(1);
    stage.program.wait_line("panned");
    let panned = stage.step(&zoomed);
    assert_eq!(panned.camera.scale, zoomed.camera.scale);
    let to = Vec2::new(360.0, 460.0);
    assert!(panned.camera.to_pixel(under).distance(to) < 0.1, "{panned:?}");
    stage.expect(&panned);

    // Without a button the mouse moves nothing.
    stage.desk.point([500, 300]);
    let still = stage.step(&panned);
    assert_eq!(still.camera, panned.camera);

    stage.desk.press(5);
    stage.desk.release(5);
    stage.program.wait_line("zoomed");
    let out = stage.step(&still);
    assert!(out.camera.scale < still.camera.scale);

    stage.desk.key(keysym::HOME);
    stage.program.wait_line("fitted");
    let fitted = stage.step(&out);
    assert_eq!(fitted.camera, start.camera);
    stage.expect(&fitted);
}

/// The map is in the lower right corner, as wide as 200 pixels or as high as 120.
#[test]
fn a_drag_in_the_mini_map_moves_the_view() {
    let (mut stage, start) = Stage::paused(Path::Softbuffer);
    let world = stage.sim.world();
    stage.desk.point([600, 300]);
    for _ in 0..8 {
        stage.desk.press(4);
        stage.desk.release(4);
        stage.program.wait_line("zoomed");
    }
    let zoomed = stage.step(&start);
    let [columns, rows] = zoomed.hud.map.map(|ends| ends.map(|end| end as f32));
    let corner = Vec2::new(columns[0], rows[0]);
    let size = Vec2::new(columns[1], rows[1]) - corner;
    let at = |share: Vec2| (corner + size * share).to_array().map(|side| side as i16);
    stage.desk.point(at(Vec2::splat(0.5)));
    stage.desk.press(1);
    stage.program.wait_line("mapped");
    let mut steps = zoomed;
    for share in [Vec2::new(0.25, 0.5), Vec2::new(0.75, 0.25)] {
        let pixel = at(share);
        stage.desk.point(pixel);
        stage.program.wait_line("mapped");
        let frame = stage.step(&steps);
        steps = frame;
        let shown = (Vec2::from(pixel.map(f32::from)) - corner) / size;
        let expected = world.min + Vec2::new(shown.x, 1.0 - shown.y) * world.size();
        assert!(frame.camera.center.distance(expected) < 1e-3, "{frame:?}, not {expected}");
        assert_eq!(frame.camera.scale, zoomed.camera.scale);
    }
    stage.desk.release(1);
}

/// The text of the status line and of the keys is twice as large, and the panel is.
#[test]
fn ctrl_plus_makes_text_larger_and_ctrl_0_as_it_was() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    for scale in ["1.25", "1.5", "2"] {
        stage.desk.ctrl_key(keysym::PLUS);
        stage.program.wait_line(&format!("interface scale {scale}"));
    }
    let large = stage.step(&frame);
    // The world is fitted below a status line that is twice as high.
    assert!(large.camera.scale < frame.camera.scale, "{large:?}");
    stage.desk.ctrl_key(keysym::MINUS);
    stage.program.wait_line("interface scale 1.5");
    stage.desk.ctrl_key(keysym::ZERO);
    stage.program.wait_line("interface scale 1");
    let usual = stage.step(&large);
    assert_eq!(usual.camera, frame.camera);
    stage.expect(&usual);
}

/// A wide world leaves rows free, which are just enough for large text.
#[test]
fn the_legend_lies_below_the_world_where_it_fits() {
    let (mut stage, mut frame) = Stage::paused(Path::Softbuffer);
    let world = stage.sim.world();
    for (size, scale) in [([800, 600], 1.0), ([720, 540], 1.0), ([800, 600], 2.0)] {
        stage.desk.resize(stage.window, size);
        stage.program.wait_line(&format!("resized {}x{}", size[0], size[1]));
        if scale > 1.0 {
            for scale in ["1.25", "1.5", "2"] {
                stage.desk.ctrl_key(keysym::PLUS);
                stage.program.wait_line(&format!("interface scale {scale}"));
            }
        }
        for _ in 0..5 {
            stage.desk.key(keysym::C);
            stage.program.wait("other colors", |line| line.starts_with("colors ").then_some(()));
            frame = stage.step(&frame);
            let [bottom, top] = [world.min, world.max].map(|at| frame.camera.to_pixel(at).y);
            let (legend, timeline) = (frame.hud.legend[1], frame.hud.timeline[1]);
            let places = format!("{top} to {bottom}, legend {legend:?}, {timeline:?}: {frame:?}");
            assert!(top > 20.0 * scale && bottom <= legend[0] as f32, "{places}");
            assert!(legend[0] < legend[1] && legend[1] <= timeline[0], "{places}");
        }
    }
}

#[test]
fn plus_and_minus_change_the_time_scale() {
    let stage = &mut Stage::new(Path::Softbuffer);
    for (key, speed) in [
        (keysym::PLUS, "time scale 2"),
        (keysym::EQUAL, "time scale 4"),
        (keysym::KEYPAD_PLUS, "time scale 8"),
        (keysym::MINUS, "time scale 4"),
        (keysym::KEYPAD_MINUS, "time scale 2"),
        (keysym::MINUS, "time scale 1"),
        (keysym::MINUS, "time scale 0.5"),
    ] {
        stage.desk.key(key);
        stage.program.wait_line(speed);
    }
}

#[test]
fn a_larger_time_scale_takes_more_steps_per_frame() {
    let stage = &mut Stage::new(Path::Softbuffer);
    for speed in ["time scale 2", "time scale 4", "time scale 8", "time scale 16"] {
        stage.desk.key(keysym::PLUS);
        stage.program.wait_line(speed);
    }
    // 16 times 60 steps per second are more than five in a sixtieth of a second.
    let mut before = stage.program.wait_frame();
    wait_for("a frame of many steps", || {
        let frame = stage.program.wait_frame();
        let many = frame.steps - before.steps > 5;
        before = frame;
        many.then_some(())
    });
}

/// Russian letters act where an American keyboard has their keys, and French digits without Shift.
#[test]
fn keys_of_other_layouts_act_by_their_place() {
    let mut stage = Stage::new(Path::Softbuffer);
    let [c, two, q] = [keysym::C, keysym::TWO, keysym::Q].map(|key| stage.desk.keycode(key).0);
    stage.desk.set_layout("ru");
    stage.desk.keycode_with(&[], c);
    stage.program.wait_line("colors size plasma");
    stage.desk.set_layout("fr");
    stage.desk.keycode_with(&[], two);
    stage.program.wait_line("run mixed 2000");
    // The desktop's keys do nothing: the last one is the first to act.
    stage.desk.keycode_with(&[keysym::ALT], c);
    stage.desk.keycode_with(&[keysym::SUPER], c);
    stage.desk.keycode_with(&[], c);
    stage.program.wait_line("colors start plasma");
    assert!(stage.desk.keycode(keysym::A).0 == q, "a French keyboard");
}

#[test]
fn r_restarts_the_run() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    assert!(frame.steps > 0);
    stage.desk.key(keysym::R);
    stage.program.wait_line("restarted");
    let start = stage.program.wait_frame();
    assert_eq!(start.steps, 0);
    stage.expect(&start);
    let next = stage.step(&start);
    stage.expect(&next);
}

#[test]
fn c_and_p_change_the_colors() {
    let (mut stage, mut frame) = Stage::paused(Path::Softbuffer);
    for colors in ["size plasma", "start plasma", "flow", "temperature plasma"] {
        stage.desk.key(keysym::C);
        stage.style.color_by = stage.style.color_by.next_of(stage.sim.agents());
        stage.program.wait_line(&format!("colors {colors}"));
        frame = stage.step(&frame);
        stage.expect(&frame);
    }
    stage.desk.key(keysym::P);
    stage.style.palette = stage.style.palette.next();
    let palette = stage.style.palette.name();
    stage.program.wait_line(&format!("colors temperature {palette}"));
    frame = stage.step(&frame);
    stage.expect(&frame);
}

#[test]
fn h_toggles_the_keys() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    stage.desk.key(keysym::H);
    stage.program.wait_line("help on");
    let helped = stage.program.wait_frame();
    let plain = stage.draw(&helped);
    let middle = (helped.size[1] / 2 * helped.size[0]) as usize;
    wait_for("the keys in the middle", || {
        let shown = stage.desk.pixels(stage.window, helped.size)?;
        let row = middle..middle + helped.size[0] as usize;
        (shown[row.clone()] != plain[row]).then_some(())
    });
    stage.desk.key(keysym::QUESTION);
    stage.program.wait_line("help off");
    let hidden = stage.step(&frame);
    stage.expect(&hidden);
}
