//! The tools of the mouse, and undo.

use jostle::{Spawn, Vec2, raster::Overlay};

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::{Stage, differences},
    program::{Frame, QUESTION},
};

crate::on_both_paths! {
    overlays_are_those_of_the_library
}

/// Place where tools are used: the middle of the lower half, away from the HUD.
const AT: [i16; 2] = [500, 420];

/// Radius of a tool at first, pixels.
const RADIUS: f32 = 40.0;

/// Waits for a line that begins like this; returns its rest.
fn rest_of_line(stage: &mut Stage, begin: &str) -> String {
    stage.program.wait(begin, |line| line.strip_prefix(begin).map(str::to_owned))
}

/// The first number in a sentence.
fn number(sentence: &str) -> usize {
    let word = sentence.split(' ').find_map(|word| word.replace(',', "").parse().ok());
    word.unwrap_or_else(|| panic!("a number in {sentence:?}"))
}

/// Takes a tool, uses it once and takes the hand again; returns the event of the tool.
fn use_tool(stage: &mut Stage, key: u32, name: &str) -> String {
    stage.desk.key(key);
    stage.program.wait_line(&format!("tool {name}"));
    stage.desk.click(AT);
    let did = rest_of_line(stage, &format!("{name}: "));
    stage.desk.key(keysym::M);
    stage.program.wait_line("tool hand");
    did
}

/// The next frame, which shows the tool's effect without its ring.
fn shown(stage: &mut Stage) -> Frame {
    stage.program.wait_frame()
}

fn overlays_are_those_of_the_library(path: Path) {
    let (mut stage, mut frame) = Stage::paused(path);
    for _ in Overlay::ALL {
        stage.desk.key(keysym::G);
        stage.style.overlay = stage.style.overlay.next();
        stage.program.wait_line(&format!("overlay {}", stage.style.overlay.name()));
        frame = stage.step(&frame);
        stage.expect(&frame);
    }
    assert_eq!(stage.style.overlay, Overlay::None);
}

#[test]
fn poke_and_attract_steer_only_agents_inside_the_ring() {
    for (key, name, speed) in [(keysym::K, "poke", 15.0), (keysym::A, "attract", -15.0)] {
        let (mut stage, frame) = Stage::paused(Path::Softbuffer);
        stage.expect(&frame);
        let steered = number(&use_tool(&mut stage, key, name));
        let frame = shown(&mut stage);
        // The same in the test's own run. Colors are speeds, so that each wrong one differs.
        let center = frame.camera.to_world(Vec2::new(f32::from(AT[0]), f32::from(AT[1])));
        let radius = RADIUS / frame.camera.scale;
        assert_eq!(stage.sim.steer(center, radius, speed).expect("numbers"), steered);
        assert!(steered > 10, "{steered}");
        stage.expect(&frame);
        let next = stage.step(&frame);
        stage.expect(&next);
    }
}

#[test]
fn undo_of_a_stroke_under_way_is_told_after_it() {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    stage.desk.key(keysym::S);
    stage.program.wait_line("tool spawn");
    stage.desk.point(AT);
    stage.desk.press(1);
    stage.desk.ctrl_key(keysym::Z);
    let undone = rest_of_line(&mut stage, "undone: removed ");
    assert_eq!(stage.program.count(|line| line.starts_with("spawn: spawned ")), 1, "{undone}");
    stage.desk.release(1);
}

#[test]
fn a_held_tool_works_before_every_step() {
    let stage = &mut Stage::new(Path::Softbuffer);
    stage.desk.key(keysym::K);
    stage.program.wait_line("tool poke");
    stage.desk.point(AT);
    let frame = stage.program.wait_frame();
    stage.desk.press(1);
    stage.program.wait_past(frame.steps + 40);
    stage.desk.release(1);
    let held = number(&rest_of_line(stage, "poke: "));
    assert!(held > 100, "{held}");
}

#[test]
fn a_larger_tool_meets_more_agents() {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    let middling = number(&use_tool(&mut stage, keysym::K, "poke"));
    stage.desk.key(keysym::BRACKET_RIGHT);
    stage.program.wait_line("tool size 60");
    let larger = number(&use_tool(&mut stage, keysym::K, "poke"));
    for size in [40, 26] {
        stage.desk.key(keysym::BRACKET_LEFT);
        stage.program.wait_line(&format!("tool size {size}"));
    }
    let smaller = number(&use_tool(&mut stage, keysym::K, "poke"));
    assert!(smaller < middling && middling < larger, "{smaller} {middling} {larger}");
}

#[test]
fn ctrl_z_removes_spawned_agents() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    let plain = stage.draw(&frame);
    let spawned = use_tool(&mut stage, keysym::S, "spawn");
    assert!(spawned.starts_with("spawned ") && number(&spawned) > 2, "{spawned}");
    let more = 50 * number(&spawned);
    changes(&mut stage, &plain, more);
    stage.desk.ctrl_key(keysym::Z);
    let undone = rest_of_line(&mut stage, "undone: ");
    assert_eq!(undone, format!("removed {} agents", number(&spawned)));
    // Spawning and removing sort all agents, which decides which are drawn on top.
    let middle = stage.sim.world().center();
    let guests = stage.sim.spawn(&[Spawn::new(middle, Vec2::ZERO, 0.5)]).expect("there is room");
    stage.sim.remove(&guests.collect::<Vec<_>>()).expect("there is memory");
    let frame = shown(&mut stage);
    stage.expect(&frame);
}

#[test]
fn ctrl_z_restores_erased_agents() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    stage.expect(&frame);
    let center = frame.camera.to_world(Vec2::new(f32::from(AT[0]), f32::from(AT[1])));
    let mut slots = Vec::new();
    let radius = RADIUS / frame.camera.scale;
    stage.sim.grid().visit_disc(stage.sim.agents(), center, radius, |slot| slots.push(slot));
    slots.sort_unstable();
    let there = slots.len();
    let erased = use_tool(&mut stage, keysym::E, "erase");
    assert_eq!(erased, format!("erased {there} agents"));
    let after = shown(&mut stage);
    // The ground shows where they were.
    let ground = stage.style.ground;
    wait_for("bare ground", || {
        let pixels = stage.desk.pixels(stage.window, after.size)?;
        let at = AT[1] as usize * after.size[0] as usize + AT[0] as usize;
        (pixels[at - 20..at + 20].iter().all(|pixel| *pixel == ground)).then_some(())
    });
    stage.desk.ctrl_key(keysym::Z);
    let undone = rest_of_line(&mut stage, "undone: ");
    assert_eq!(undone, format!("restored {there} agents"));
    restore(&mut stage, &slots);
    let frame = shown(&mut stage);
    stage.expect(&frame);
    stage.desk.ctrl_key(keysym::Z);
    stage.program.wait_line("nothing to undo");
}

/// Removes agents from the test's own run, and adds them again as undo does.
fn restore(stage: &mut Stage, slots: &[u32]) {
    let agents = stage.sim.agents();
    let ids: Vec<u32> = slots.iter().map(|&slot| agents.id[slot as usize]).collect();
    let again: Vec<Spawn> = slots.iter().map(|&slot| agents.respawn(slot as usize)).collect();
    stage.sim.remove(&ids).expect("there is memory");
    stage.sim.spawn(&again).expect("there is room");
}

/// Waits until the window differs in more than this many pixels.
fn changes(stage: &mut Stage, before: &[[u8; 3]], pixels: usize) {
    let frame = shown(stage);
    wait_for("another picture", || {
        let now = stage.desk.pixels(stage.window, frame.size)?;
        (differences(&now, before, &frame) > pixels).then_some(())
    });
}

/// A restored agent has its former position and speed, under another id.
#[test]
fn ctrl_y_and_ctrl_shift_z_do_again_what_was_undone() {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    let spawned = number(&use_tool(&mut stage, keysym::S, "spawn"));
    let erased = number(&use_tool(&mut stage, keysym::E, "erase"));
    for redo in [keysym::Y, keysym::UPPER_Z] {
        stage.desk.ctrl_key(keysym::Z);
        stage.program.wait_line(&format!("undone: restored {erased} agents"));
        stage.desk.ctrl_key(keysym::Z);
        stage.program.wait_line(&format!("undone: removed {spawned} agents"));
        stage.desk.ctrl_key(keysym::Z);
        stage.program.wait_line("nothing to undo");
        stage.desk.ctrl_key(redo);
        stage.program.wait_line(&format!("redone: restored {spawned} agents"));
        stage.desk.ctrl_key(redo);
        stage.program.wait_line(&format!("redone: removed {erased} agents"));
        stage.desk.ctrl_key(redo);
        stage.program.wait_line("nothing to redo");
    }
}

#[test]
fn ctrl_z_removes_walls() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    let plain = stage.draw(&frame);
    stage.desk.key(keysym::W);
    stage.program.wait_line("tool wall");
    stage.desk.point(AT);
    stage.desk.press(1);
    stage.desk.point([AT[0] + 200, AT[1]]);
    stage.desk.release(1);
    let built = rest_of_line(&mut stage, "wall: ");
    let discs = built.split_once("built ").map_or(0, |(_, discs)| number(discs));
    assert!(built.starts_with("erased ") && discs > 3, "{built}");
    stage.desk.key(keysym::M);
    stage.program.wait_line("tool hand");
    changes(&mut stage, &plain, 5_000);
    stage.desk.ctrl_key(keysym::Z);
    let undone = rest_of_line(&mut stage, "undone: ");
    assert_eq!(undone, built.replace("erased", "restored").replace("built", "removed"));
    // The same in the test's own run: the press builds the first disc, and the drag the others.
    let (mut slots, radius) = (Vec::new(), RADIUS / frame.camera.scale);
    for discs in [0..1, 1..discs] {
        let before = slots.len();
        for n in discs {
            let at = Vec2::new(f32::from(AT[0]) + 30.0 * n as f32, f32::from(AT[1]));
            let center = frame.camera.to_world(at);
            stage.sim.visit_disc(center, radius, |slot| {
                if !slots.contains(&slot) {
                    slots.push(slot);
                }
            });
        }
        slots[before..].sort_unstable();
    }
    restore(&mut stage, &slots);
    let frame = shown(&mut stage);
    stage.expect(&frame);
}

#[test]
fn inspecting_an_agent_shows_it_and_follows_it() {
    let (mut stage, start) = Stage::paused(Path::Softbuffer);
    stage.draw(&start);
    let place = start.camera.to_world(Vec2::new(f32::from(AT[0]), f32::from(AT[1])));
    let nearest = stage.sim.grid().nearest(stage.sim.agents(), place, |_| true);
    let agent = stage.sim.agents().get(nearest.expect("there are agents").element as usize);
    stage.desk.key(keysym::N);
    stage.program.wait_line("tool inspect");
    let pixel = start.camera.to_pixel(agent.position);
    stage.desk.click([pixel.x as i16, pixel.y as i16]);
    stage.program.wait_line(&format!("inspect {}", agent.id));
    let mut frame = stage.program.wait_frame();
    let plain = stage.draw(&frame);
    assert!(frame.camera.center.distance(agent.position) < 1e-3, "{frame:?}");
    assert!(frame.camera.scale * agent.radius >= 13.9, "{frame:?}");
    wait_for("marks on what the search met", || {
        let pixels = stage.desk.pixels(stage.window, frame.size)?;
        (differences(&pixels, &plain, &frame) > 2_000).then_some(())
    });
    // The view follows the agent until it is fitted.
    for _ in 0..3 {
        frame = stage.step(&frame);
        stage.draw(&frame);
        let slot = stage.sim.agents().id.iter().position(|&id| id == agent.id);
        let now = stage.sim.agents().get(slot.expect("it lives"));
        assert!(frame.camera.center.distance(now.position) < 1e-3, "{frame:?} {now:?}");
    }
    stage.desk.key(keysym::F);
    stage.program.wait_line("fitted");
    assert_eq!(stage.step(&frame).camera, start.camera);
}

#[test]
fn a_double_click_zooms_in_with_a_mini_map_and_f_fits() {
    let (mut stage, start) = Stage::paused(Path::Softbuffer);
    let corner = |stage: &Stage, frame: &Frame| {
        let pixels = wait_for("the pixels", || stage.desk.pixels(stage.window, frame.size));
        let [width, height] = frame.size.map(|side| side as usize);
        pixels[(height - 40) * width..][width - 200..width - 40].to_vec()
    };
    let plain = stage.draw(&start);
    stage.expect(&start);
    let bare = corner(&stage, &start);
    let [width, height] = start.size.map(|side| side as usize);
    assert!(bare == plain[(height - 40) * width..][width - 200..width - 40], "no map at first");

    stage.desk.click(AT);
    stage.desk.click(AT);
    stage.program.wait_line("zoomed");
    let near = stage.step(&start);
    assert!((near.camera.scale / start.camera.scale - 4.0).abs() < 1e-3, "{near:?}");
    stage.expect(&near);
    let plain = stage.draw(&near);
    let beneath = &plain[(height - 40) * width..][width - 200..width - 40];
    wait_for("the mini-map", || (corner(&stage, &near) != beneath).then_some(()));

    // A click on the map goes there.
    stage.desk.click(start.size.map(|side| i16::try_from(side - 50).expect("a small window")));
    stage.program.wait_line("mapped");
    let there = stage.step(&near);
    assert_eq!(there.camera.scale, near.camera.scale);
    assert!(there.camera.center.x > near.camera.center.x, "{there:?}");
    assert!(there.camera.center.y < near.camera.center.y, "{there:?}");

    stage.desk.key(keysym::F);
    stage.program.wait_line("fitted");
    let fitted = stage.step(&there);
    assert_eq!(fitted.camera, start.camera);
    stage.expect(&fitted);
}

#[test]
fn digits_start_scenes_with_the_same_or_their_own_number_of_agents() {
    let stage = &mut Stage::new(Path::Softbuffer);
    assert_eq!(stage.desk.title(stage.window), "jostle: gas, 2,000 agents");
    stage.desk.key(keysym::TWO);
    stage.program.wait_line("run mixed 2000");
    stage.program.wait_past(0);
    let title = "jostle: mixed, 2,000 agents";
    wait_for("the title", || (stage.desk.title(stage.window) == title).then_some(()));
    // `cannon` has its own number, which `gas` does not take over.
    for (key, run) in [(keysym::EIGHT, "run cannon 100"), (keysym::ONE, "run gas 2000")] {
        stage.desk.key(key);
        stage.program.wait_line(run);
    }
}

#[test]
fn escape_closes_what_is_open_and_asks_before_it_closes_the_window() {
    let mut stage = Stage::new(Path::Softbuffer);
    for (key, line) in [
        (keysym::H, "help on"),
        (keysym::K, "tool poke"),
        (keysym::TAB, "panel on"),
        (keysym::V, "filming jostle.apng"),
    ] {
        stage.desk.key(key);
        stage.program.wait_line(line);
    }
    stage.desk.key(keysym::ESCAPE);
    stage.program.wait_line("help off");
    stage.desk.key(keysym::ESCAPE);
    let film = "jostle: saved jostle.apng: ";
    stage.program.wait("the film", |line| line.starts_with(film).then_some(()));
    for line in ["tool hand", "panel off", QUESTION] {
        stage.desk.key(keysym::ESCAPE);
        stage.program.wait_line(line);
    }
    // Another key answers no.
    stage.desk.key(keysym::C);
    stage.program.wait("colors", |line| line.starts_with("colors ").then_some(()));
    for (key, line) in [
        (keysym::Q, QUESTION),
        (keysym::SPACE, "paused"),
        // The question holds whatever is open.
        (keysym::K, "tool poke"),
        (keysym::Q, QUESTION),
        (keysym::ESCAPE, "closed"),
    ] {
        stage.desk.key(key);
        stage.program.wait_line(line);
    }
}

/// Paused, too, and after a tour.
#[test]
fn what_replaces_a_run_names_the_way_back() {
    const WAY_BACK: &str = "Ctrl-Z brings the run before this one back";
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    for (key, run) in [
        (keysym::R, "restarted"),
        (keysym::TWO, "run mixed 2000"),
        (keysym::PAGE_UP, "run gas 2000"),
    ] {
        stage.desk.key(key);
        stage.program.wait_line(run);
        stage.program.wait_line(WAY_BACK);
    }
    stage.desk.ctrl_key(keysym::S);
    stage.program.wait_line("jostle: saved jostle.jostle");
    stage.desk.ctrl_key(keysym::O);
    let opened = "jostle: opened jostle.jostle after step 0; ".to_owned() + WAY_BACK;
    stage.program.wait_line(&opened);
}

#[test]
fn a_button_of_the_bar_takes_its_tool_until_the_bar_is_hidden() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    let [columns, rows]: [[i16; 2]; 2] =
        frame.hud.tools.map(|side| side.map(|at| at.try_into().expect("a pixel")));
    let button = |number: i16| {
        let side = (rows[1] - rows[0]) / 8;
        [i16::midpoint(columns[0], columns[1]), rows[0] + number * side + side / 2]
    };
    stage.desk.click(button(1));
    stage.program.wait_line("tool poke");
    stage.desk.click(button(6));
    stage.program.wait_line("tool inspect");
    stage.desk.click(button(0));
    stage.program.wait_line("tool hand");
    stage.desk.key(keysym::U);
    stage.program.wait_line("tool bar off");
    let hidden = stage.program.wait_frame();
    assert_eq!(hidden.hud.tools, [[0; 2]; 2]);
    stage.expect(&hidden);
    // There is a view to drag now.
    stage.desk.click(button(1));
    stage.desk.key(keysym::U);
    stage.program.wait_line("tool bar on");
    assert_eq!(stage.program.count(|line| line == "tool poke"), 1);
}
