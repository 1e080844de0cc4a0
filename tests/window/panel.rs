//! The control panel: shown and hidden, clicked and typed into.

use std::time::Duration;

use jostle::Vec2;

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
    program::Frame,
};

/// Columns at the left that the panel takes, with and without the lists that open out of it.
const WIDTH: usize = 320;
const RIGHT: usize = 306;

/// A place of the panel beside the list of scenes where there is no widget.
fn empty_place(stage: &mut Stage) -> [i16; 2] {
    [270, stage.program.beside("scene")[1]]
}

/// A window that stands still, with the panel on it.
fn panel_on(path: Path) -> (Stage, Frame) {
    let (mut stage, _) = Stage::paused(path);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    let frame = stage.program.wait_frame();
    wait_for_panel(&mut stage, &frame);
    (stage, frame)
}

/// Waits until there are pixels in the panel's place that the picture has not.
fn wait_for_panel(stage: &mut Stage, frame: &Frame) {
    let plain = stage.draw(frame);
    let row = frame.size[1] as usize / 2 * frame.size[0] as usize;
    let inside = row + 16..row + 200;
    wait_for("the panel at the left", || {
        let shown = stage.desk.pixels(stage.window, frame.size)?;
        (shown[inside.clone()] != plain[inside.clone()]).then_some(())
    });
}

/// Clears the field of the agents, and types another text.
fn type_agents(stage: &mut Stage, text: &str) {
    stage.desk.click(stage.program.beside("agents"));
    // A second click selects a word if it comes soon, and else moves the cursor into the text.
    stage.desk.key(keysym::END);
    (0..12).for_each(|_| stage.desk.key(keysym::BACKSPACE));
    stage.desk.type_text(text);
    stage.desk.key(keysym::RETURN);
}

crate::on_both_paths! {
    tab_shows_the_panel_and_hides_it
    a_press_at_another_number_drops_what_is_refused
    a_drag_that_leaves_a_branch_stays_with_its_slider
    tab_sets_a_number_and_goes_to_the_next
    the_world_is_fitted_beside_the_panel
    typed_text_triggers_no_key
    an_open_list_that_was_hidden_takes_no_keys
    a_refused_number_moves_no_row_and_keeps_the_keyboard
    a_press_elsewhere_sets_what_is_typed
    the_last_request_wins
    a_click_starts_another_scene
    the_mouse_over_the_panel_does_not_move_the_view
    a_resized_window_keeps_the_picture_sharp_beside_the_panel
    the_glow_only_adds_light_and_goes_away_again
    a_paused_window_without_input_takes_no_cpu_time
}

fn tab_shows_the_panel_and_hides_it(path: Path) {
    let (mut stage, frame) = panel_on(path);
    stage.expect_beside(&frame, WIDTH);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel off");
    let hidden = stage.step(&frame);
    stage.expect(&hidden);
}

fn tab_sets_a_number_and_goes_to_the_next(path: Path) {
    let (mut stage, _) = panel_on(path);
    stage.desk.click(stage.program.beside("friction"));
    for line in ["friction 0.5", "rolling 0.25"] {
        stage.desk.type_text(line.split(' ').next_back().expect("a number"));
        stage.desk.key(keysym::TAB);
        stage.program.wait_line(line);
    }
    stage.desk.type_text("7");
    stage.desk.key(keysym::ESCAPE);
    // The keyboard is the window's again.
    stage.desk.ctrl_key(keysym::Z);
    stage.program.wait_line("undone: set rolling");
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel off");
    assert_eq!(stage.program.last_of(&["gravity ", "run "]), None);
}

/// A fitted view moves beside the panel; a view that the user chose stays.
fn the_world_is_fitted_beside_the_panel(path: Path) {
    let (mut stage, start) = Stage::paused(path);
    let world = stage.sim.world();
    let edges = |frame: &Frame| [world.min, world.max].map(|at| frame.camera.to_pixel(at).x);
    assert!(edges(&start)[0] < RIGHT as f32);
    let toggle = |stage: &mut Stage, line| {
        stage.desk.key(keysym::TAB);
        stage.program.wait_line(line);
        stage.program.wait_frame()
    };

    let open = toggle(&mut stage, "panel on");
    wait_for_panel(&mut stage, &open);
    let [left, right] = edges(&open);
    assert!(left > RIGHT as f32 && right < open.size[0] as f32, "{left} to {right}");
    stage.expect_beside(&open, RIGHT);
    let closed = toggle(&mut stage, "panel off");
    assert_eq!(closed.camera, start.camera);
    stage.expect(&closed);

    stage.desk.point([700, 400]);
    stage.desk.press(4);
    stage.desk.release(4);
    stage.program.wait_line("zoomed");
    let near = stage.step(&closed);
    let beside = toggle(&mut stage, "panel on");
    assert_eq!(beside.camera, near.camera);
    // The same pixel still shows the same point of the world.
    stage.expect_beside(&beside, RIGHT);
    stage.desk.key(keysym::F);
    stage.program.wait_line("fitted");
    assert_eq!(stage.step(&beside).camera, open.camera);
}

/// Tab hides the panel with its list open. When the panel comes back, keys are commands again.
fn an_open_list_that_was_hidden_takes_no_keys(path: Path) {
    let (mut stage, frame) = panel_on(path);
    let list = stage.program.beside("scene");
    let below = usize::from(list[1] as u16 + 60) * frame.size[0] as usize + list[0] as usize;
    let closed = wait_for("the panel", || stage.desk.pixels(stage.window, frame.size))[below];
    stage.desk.click(list);
    wait_for("the list", || {
        let shown = stage.desk.pixels(stage.window, frame.size)?;
        (shown[below] != closed).then_some(())
    });
    for line in ["panel off", "panel on"] {
        stage.desk.key(keysym::TAB);
        stage.program.wait_line(line);
    }
    stage.desk.key(keysym::C);
    stage.program.wait("another color mode", |line| line.starts_with("colors ").then_some(()));
}

fn typed_text_triggers_no_key(path: Path) {
    let (mut stage, _) = panel_on(path);
    // All but the digits are keys that do something, one of them for good.
    stage.desk.click(stage.program.beside("agents"));
    stage.desk.type_text("q crp.");
    type_agents(&mut stage, "700");
    stage.program.wait_line("run gas 700");
    for line in ["closed", "running", "restarted", "colors size plasma", "colors speed viridis"] {
        assert!(!stage.program.has_printed(line), "{line}");
    }
    // Enter gives the keyboard back.
    let frame = stage.program.wait_frame();
    assert_eq!(frame.steps, 0);
    stage.become_run(700);
    // Nor has the number a text of an older run to undo to.
    stage.desk.click(stage.program.beside("agents"));
    stage.desk.ctrl_key(keysym::Z);
    stage.desk.key(keysym::RETURN);
    let next = stage.step(&frame);
    stage.expect_beside(&next, WIDTH);
    assert_eq!(stage.program.count(|line| line.starts_with("placing ")), 1);
}

/// The message stands beside the panel, and the next digits correct the text instead of starting a scene.
fn a_refused_number_moves_no_row_and_keeps_the_keyboard(path: Path) {
    let (mut stage, frame) = panel_on(path);
    let rows = ["gravity", "seed", "overlay"].map(|row| stage.program.text(row));
    for (label, text, reason) in [
        ("agents", "2g", "\"2g\" is out of range: "),
        ("restitution", "1.5", "restitution 1.5 is out of range: "),
        ("density", "0,2,5", "\"0,2,5\" is not a number; "),
        ("steps/s", "0", "steps/s 0 is out of range: "),
    ] {
        stage.desk.click(stage.program.beside(label));
        stage.desk.type_text(text);
        stage.desk.key(keysym::RETURN);
        let begin = format!("refused: {reason}");
        stage.program.wait("a refusal", |line| line.starts_with(&begin).then_some(()));
        // A click into what was refused selects it, as a click into a number does.
        let field = stage.program.text(text);
        stage.desk.click(field);
        stage.desk.type_text("1x");
        stage.program.text("1x");
        stage.desk.key(keysym::RETURN);
        stage.program.wait("a refusal", |line| line.starts_with("refused: \"1x\" ").then_some(()));
        stage.desk.key(keysym::TWO);
        stage.program.text("1x2");
        assert_eq!(["gravity", "seed", "overlay"].map(|row| stage.program.text(row)), rows);
        stage.desk.key(keysym::ESCAPE);
    }
    // Tab drops what was refused, and goes on to the next number.
    stage.desk.click(stage.program.beside("restitution"));
    stage.desk.type_text("8");
    stage.desk.key(keysym::RETURN);
    let refused = |line: &str| line.starts_with("refused: restitution 8 ").then_some(());
    stage.program.wait("a refusal", refused);
    stage.desk.key(keysym::TAB);
    stage.desk.type_text("77");
    stage.program.text("77");
    stage.desk.key(keysym::ESCAPE);
    stage.desk.key(keysym::ESCAPE);
    stage.program.wait_line("panel off");
    let next = stage.step(&frame);
    assert_eq!(stage.program.count(|line| line.starts_with("placing ")), 0);
    stage.expect(&next);
}

/// What is typed next is the other number.
fn a_press_at_another_number_drops_what_is_refused(path: Path) {
    let (mut stage, _) = panel_on(path);
    stage.desk.click(stage.program.beside("density"));
    stage.desk.type_text("2");
    stage.program.text("2");
    stage.desk.click(stage.program.beside("seed"));
    let refused = |line: &str| line.starts_with("refused: density 2 ").then_some(());
    stage.program.wait("a refusal", refused);
    stage.desk.type_text("77");
    let [_, row] = stage.program.text("77");
    assert!(row.abs_diff(stage.program.text("seed")[1]) < 4, "{row}");
    stage.desk.key(keysym::RETURN);
    stage.become_other(|setup| setup.seed = 77);
    stage.program.wait_line("run gas 2000");
}

/// The list of branches, which it brings up, is above the slider.
fn a_drag_that_leaves_a_branch_stays_with_its_slider(path: Path) {
    let mut stage = Stage::new(path);
    stage.program.wait_past(90);
    stage.pause();
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    stage.desk.key(keysym::LEFT);
    stage.program.wait("the step", |line| line.starts_with("at step ").then_some(()));
    let [_, row] = stage.program.text("gravity");
    let gravity = |line: &str| line.strip_prefix("gravity ")?.parse::<f32>().ok();
    stage.desk.point([100, row]);
    stage.desk.press(1);
    let first = stage.program.wait("gravity", gravity);
    stage.program.text("shown");
    stage.desk.point([130, row]);
    let last = stage.program.wait("more gravity", gravity);
    stage.desk.release(1);
    assert!(last > first + 5.0, "{first} {last}");
}

/// Also one that begins a drag, or sets another number. One that shows that a number is refused does no more.
fn a_press_elsewhere_sets_what_is_typed(path: Path) {
    let (mut stage, _) = panel_on(path);
    let picture = [800, 400];
    stage.desk.click(stage.program.beside("restitution"));
    stage.desk.type_text(".9");
    stage.program.text(".9");
    stage.desk.point(picture);
    stage.desk.press(1);
    stage.desk.point([840, 400]);
    stage.desk.release(1);
    stage.program.wait_line("restitution 0.9");
    stage.desk.click(stage.program.beside("agents"));
    stage.desk.key(keysym::END);
    (0..12).for_each(|_| stage.desk.key(keysym::BACKSPACE));
    stage.desk.type_text("700");
    stage.program.text("700");
    let [_, row] = stage.program.text("gravity");
    stage.desk.click([120, row]);
    stage.program.wait("gravity", |line| line.starts_with("gravity ").then_some(()));
    stage.program.wait_line("run gas 700");
    stage.desk.key(keysym::E);
    stage.program.wait_line("tool erase");
    stage.desk.click(stage.program.beside("density"));
    stage.desk.type_text("2");
    stage.program.text("2");
    stage.desk.click(picture);
    let refused = |line: &str| line.starts_with("refused: density 2 ").then_some(());
    stage.program.wait("a refusal", refused);
    stage.desk.type_text("3");
    stage.program.text("23");
    // Neither a number that can't be read nor one beside a slider is lost.
    let [_, row] = stage.program.text("gravity");
    stage.desk.type_text("x");
    stage.desk.click([100, row]);
    stage.program.wait("a refusal", |line| line.starts_with("refused: \"23x\" ").then_some(()));
    stage.desk.type_text("4");
    stage.program.text("23x4");
    stage.desk.key(keysym::ESCAPE);
    assert_eq!(stage.program.count(|line| line.starts_with("erase: ")), 0);
    assert_eq!(stage.program.count(|line| line.starts_with("gravity ")), 1);
    stage.desk.click(picture);
    stage.program.wait("a stroke", |line| line.starts_with("erase: ").then_some(()));
    assert_eq!(stage.program.count(|line| line.starts_with("refused: ")), 2);
}

/// However soon a million agents are placed, the scene that was requested after them comes last.
fn the_last_request_wins(path: Path) {
    let (mut stage, _) = panel_on(path);
    type_agents(&mut stage, "1m");
    stage.program.wait_line("placing 1000000");
    stage.desk.key(keysym::EIGHT);
    stage.program.wait_line("placing 100");
    stage.program.wait_line("run cannon 100");
}

fn a_click_starts_another_scene(path: Path) {
    let (mut stage, _) = panel_on(path);
    let list = stage.program.beside("scene");
    stage.desk.click(list);
    // Another one follows below the first.
    stage.desk.click([list[0], list[1] + 40]);
    let scene = stage
        .program
        .wait("another run", |line| Some(line.strip_prefix("run ")?.split(' ').next()?.to_owned()));
    assert_ne!(scene, "gas");
    assert_eq!(stage.program.wait_frame().steps, 0);
}

fn the_mouse_over_the_panel_does_not_move_the_view(path: Path) {
    let (mut stage, frame) = panel_on(path);
    let empty = empty_place(&mut stage);
    stage.desk.point(empty);
    stage.desk.press(4);
    stage.desk.release(4);
    stage.desk.press(1);
    stage.desk.point([700, 400]);
    stage.desk.release(1);
    let still = stage.step(&frame);
    assert_eq!(still.camera, frame.camera);
    // Beside it, it moves the view as ever, over the panel too.
    stage.desk.point([700, 100]);
    let still = stage.step(&still);
    stage.desk.press(1);
    stage.desk.point(empty);
    stage.desk.release(1);
    stage.program.wait_line("panned");
    let moved = stage.step(&still);
    let under = frame.camera.to_world(Vec2::new(700.0, 100.0));
    let to = moved.camera.to_pixel(under);
    assert!(to.distance(Vec2::from(empty.map(f32::from))) < 0.1, "{to}");
}

fn a_resized_window_keeps_the_picture_sharp_beside_the_panel(path: Path) {
    let (mut stage, _) = panel_on(path);
    for size in [[800, 600], [1, 1], [1399, 851], [517, 333]] {
        stage.desk.resize(stage.window, size);
        stage.program.wait_line(&format!("resized {}x{}", size[0], size[1]));
        let frame = stage.program.wait_frame();
        assert_eq!(frame.size, size);
        if size[0] > 500 {
            wait_for_panel(&mut stage, &frame);
            stage.expect_beside(&frame, WIDTH);
        }
    }
}

fn the_glow_only_adds_light_and_goes_away_again(path: Path) {
    let (mut stage, frame) = panel_on(path);
    stage.desk.click(stage.program.text("glow"));
    stage.program.wait_line("glow on");
    let plain = stage.draw(&frame);
    let width = frame.size[0] as usize;
    // Between the status line and the legend.
    let rows = 96 * width..plain.len() - 130 * width;
    let beside = |at: &usize| {
        let pixel = [at % width, at / width];
        pixel[0] >= WIDTH && !frame.hud.covers(pixel)
    };
    let glowing = wait_for("the glow", || {
        let shown = stage.desk.pixels(stage.window, frame.size)?;
        rows.clone().filter(beside).any(|at| shown[at] != plain[at]).then_some(shown)
    });
    for at in rows.filter(beside) {
        let lighter = glowing[at].iter().zip(&plain[at]).all(|(now, before)| now >= before);
        assert!(lighter, "{:?} from {:?} at {at}", glowing[at], plain[at]);
    }
    stage.desk.click(stage.program.text("glow"));
    stage.program.wait_line("glow off");
    stage.expect_beside(&frame, WIDTH);
}

/// Nothing is drawn, laid out or waited for in a loop.
fn a_paused_window_without_input_takes_no_cpu_time(path: Path) {
    let while_idle = Duration::from_secs(4);
    for panel in [false, true] {
        let (stage, _) = if panel { panel_on(path) } else { Stage::paused(path) };
        // Pending work of the display and of the driver ends first; on a busy machine that takes
        // time.
        wait_for("a window that sleeps", || {
            let before = stage.program.cpu_time();
            std::thread::sleep(while_idle);
            let worked = stage.program.cpu_time().abs_diff(before);
            (worked <= while_idle / 50).then_some(())
        });
    }
}

/// Milliseconds per frame that the process works, drivers in software too: the median of seven runs
/// of [`FRAMES`].
fn cost(stage: &mut Stage) -> f64 {
    let mut costs: Vec<f64> = (0..7)
        .map(|_| {
            let before = stage.program.cpu_time();
            for _ in 0..FRAMES {
                stage.program.wait_frame();
            }
            stage.program.cpu_time().abs_diff(before).as_secs_f64() * 1e3 / f64::from(FRAMES)
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

const FRAMES: u32 = 60;

#[test]
#[ignore = "measures, which wants a quiet machine"]
fn cost_of_the_panel() {
    let mut stage = Stage::of(Path::Gpu, 500_000);
    let closed = cost(&mut stage);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    let open = cost(&mut stage);
    println!("{closed:.2} ms per frame, {open:.2} ms with the panel");
    // Other programs don't lengthen the time of a process.
    assert!(open <= closed * 1.15, "the panel takes more than 15 %");
}
