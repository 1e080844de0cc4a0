//! World files in the window: the file is watched, values change by keys, and what is found is
//! saved.

use std::fs;

use crate::{
    desk::keysym,
    program::{Program, open},
    snapshots::pause,
};

const WORLD: &str = include_str!("../../worlds/particle-life.toml");

/// The lines of the program that are for users.
fn notice(program: &mut Program, begin: &str) -> String {
    program.wait(begin, |line| line.starts_with(begin).then(|| line.to_owned()))
}

#[test]
fn a_window_follows_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("life.toml");
    let text = WORLD.replace("agents = 30_000", "agents = 800");
    fs::write(&path, &text).expect("a file");
    let (desk, mut program) = open(folder.path(), &["--scene", "life.toml"]);
    assert!(
        desk.title(desk.window()).contains("life, 800 agents"),
        "{}",
        desk.title(desk.window())
    );
    // At once.
    fs::write(&path, text.replace("value = 40", "value = 55")).expect("a file");
    notice(&mut program, "jostle: life.toml has changed, and the run with it after step ");
    // A wrong file leaves the run going.
    fs::write(&path, text.replace("force * fx", "force * fq")).expect("a file");
    let wrong = notice(&mut program, "jostle: life.toml:");
    assert!(wrong.contains("`fq`") && wrong.ends_with("the run goes on as it was"), "{wrong}");
    let steps = program.wait_frame().steps;
    program.wait_past(steps + 5);
    fs::write(&path, text.replace("value = 40", "value = 55")).expect("a file");
    notice(&mut program, "jostle: life.toml is again as the run has it");
    // Other agents: another start.
    fs::write(&path, text.replace("agents = 800", "agents = 900")).expect("a file");
    notice(&mut program, "jostle: life.toml asks for another start");
    program.wait_line("run life 900");
    // A restart keeps the rules.
    desk.key(keysym::R);
    program.wait_line("restarted");
    assert!(desk.title(desk.window()).contains("life, 900 agents"));
    // What is saved while another run is shown counts when its own run is shown again.
    desk.key(keysym::ONE);
    program.wait("run gas", |line| line.starts_with("run gas ").then_some(()));
    fs::write(&path, text.replace("agents = 800", "agents = 700")).expect("a file");
    desk.ctrl_key(keysym::Z);
    program.wait("the run", |line| line.starts_with("undone: back in life").then_some(()));
    notice(&mut program, "jostle: life.toml asks for another start");
    program.wait_line("run life 700");
    // A folder in its place is no reason to end.
    fs::remove_file(&path).expect("it is there");
    fs::create_dir(&path).expect("a folder");
    let steps = program.wait_frame().steps;
    program.wait_past(steps + 5);
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
}

#[test]
fn the_panel_has_the_values_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = WORLD.replace("agents = 30_000", "agents = 500");
    fs::write(folder.path().join("life.toml"), text).expect("a file");
    let (desk, mut program) = open(folder.path(), &["--scene", "life.toml"]);
    pause(&desk, &mut program);
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    for (typed, answer) in [("12.5", "param force 12.5"), ("900", "jostle: ")] {
        desk.click(program.beside("force"));
        desk.key(keysym::END);
        (0..6).for_each(|_| desk.key(keysym::BACKSPACE));
        desk.type_text(typed);
        desk.key(keysym::RETURN);
        if answer.ends_with("12.5") {
            program.wait_line(answer);
        } else {
            program.wait("a refusal", |line| line.contains("expected 0 to 200").then_some(()));
            desk.key(keysym::ESCAPE);
        }
    }
    desk.click(program.text("new random values"));
    program.wait("matrices", |line| line.starts_with("matrices 36 new values").then_some(()));
    desk.click(program.text("save as a file"));
    program.wait_line("jostle: saved jostle.world.toml");
    let saved = fs::read_to_string(folder.path().join("jostle.world.toml")).expect("a file");
    assert!(saved.contains("value = 12.5\n"), "{saved}");
}

#[test]
fn drawn_matrices_are_undone_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = WORLD.replace("agents = 30_000", "agents = 500");
    fs::write(folder.path().join("life.toml"), &text).expect("a file");
    let (desk, mut program) = open(folder.path(), &["--scene", "life.toml"]);
    pause(&desk, &mut program);
    desk.key(keysym::M);
    program.wait("matrices", |line| line.starts_with("matrices 36 new values").then_some(()));
    desk.ctrl_key(keysym::E);
    program.wait_line("jostle: saved jostle.world.toml");
    let saved = fs::read_to_string(folder.path().join("jostle.world.toml")).expect("a file");
    assert!(saved != text && saved.len() > text.len() / 2);
    desk.ctrl_key(keysym::Z);
    program.wait_line("undone: set 36 values");
    desk.ctrl_key(keysym::E);
    program.wait_line("jostle: saved jostle-2.world.toml");
    assert_eq!(
        fs::read_to_string(folder.path().join("jostle-2.world.toml")).expect("a file"),
        text
    );
    // What was saved is a world file, and a scene is one too.
    desk.ctrl_key(keysym::Q);
    program.end();
    let (desk, mut program) = open(folder.path(), &["--scene", "jostle.world.toml"]);
    desk.key(keysym::ONE);
    program.wait("run gas", |line| line.starts_with("run gas ").then_some(()));
    desk.ctrl_key(keysym::E);
    let saved = "jostle: saved jostle-3.world.toml; it begins as gas does: Ctrl-S saves the agents themselves";
    program.wait_line(saved);
    let scene = fs::read_to_string(folder.path().join("jostle-3.world.toml")).expect("a file");
    assert!(scene.contains("start = \"gas\""), "{scene}");
}

/// Few large agents among many small ones, which may lie on each other: no scene has room for so many large ones.
#[test]
fn a_world_of_agents_of_two_sizes_is_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = include_str!("../../worlds/boids.toml");
    fs::write(folder.path().join("flock.toml"), text).expect("a file");
    let (desk, mut program) = open(folder.path(), &["--scene", "flock.toml"]);
    desk.key(keysym::R);
    program.wait_line("restarted");
    desk.key(keysym::ONE);
    program.wait("run gas", |line| line.starts_with("run gas ").then_some(()));
    desk.ctrl_key(keysym::Z);
    let undone =
        program.wait("the flock", |line| line.starts_with("undone: ").then(|| line.to_owned()));
    assert!(undone.starts_with("undone: back in flock, step "), "{undone}");
    // More of the large ones in the file are another start.
    let more = text.replace("count = 30,", "count = 31,");
    assert_ne!(more, text);
    fs::write(folder.path().join("flock.toml"), more).expect("a file");
    notice(&mut program, "jostle: flock.toml asks for another start");
    program.wait("the start", |line| line.starts_with("run flock ").then_some(()));
}
