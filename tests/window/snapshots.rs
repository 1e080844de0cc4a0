//! Snapshots of the window: saved and opened by keys, on the way, at the end and at the start.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{
    desk::{Desk, keysym},
    program::{Program, open},
};

/// Place where tools are used.
const AT: [i16; 2] = [500, 420];

/// Pauses the run; returns the steps so far.
pub(crate) fn pause(desk: &Desk, program: &mut Program) -> u64 {
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    program.wait_frame().steps
}

/// Takes a tool and uses it once.
pub(crate) fn use_tool(desk: &Desk, program: &mut Program, key: u32, name: &str) {
    desk.key(key);
    program.wait_line(&format!("tool {name}"));
    desk.click(AT);
    program.wait(name, |line| line.starts_with(&format!("{name}: ")).then_some(()));
}

/// The report of `jostle run` for a snapshot after some more steps.
fn run(folder: &Path, file: &str, steps: u64) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jostle"));
    command.current_dir(folder).args(["run", "--json", "--load", file]);
    let output = command.args(["--steps", &steps.to_string()]).output().expect("it starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// A run that was opened has the bytes of the saved run, random numbers and start colors included.
#[test]
fn a_run_that_is_opened_is_the_one_that_was_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = |name: &str| fs::read(folder.path().join(name)).expect(name);
    let (desk, mut program) = open(folder.path(), &["--agents", "2000", "--scene", "pile"]);
    use_tool(&desk, &mut program, keysym::S, "spawn");
    program.wait_past(40);
    pause(&desk, &mut program);
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");

    // The run goes on, and other agents come and go.
    desk.key(keysym::SPACE);
    program.wait_line("running");
    let steps = program.wait_frame().steps;
    use_tool(&desk, &mut program, keysym::E, "erase");
    use_tool(&desk, &mut program, keysym::S, "spawn");
    program.wait_past(steps + 20);
    pause(&desk, &mut program);
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle-2.jostle");
    assert_ne!(bytes("jostle-2.jostle"), bytes("jostle.jostle"));
    fs::rename(folder.path().join("jostle.jostle"), folder.path().join("jostle-2.jostle"))
        .expect("a name");

    desk.ctrl_key(keysym::O);
    program.wait_line("run pile 2000");
    program.wait("the run", |line| {
        line.starts_with("jostle: opened jostle-2.jostle after step ").then_some(())
    });
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    assert_eq!(bytes("jostle.jostle"), bytes("jostle-2.jostle"));
}

#[test]
fn a_window_begins_with_a_snapshot_and_saves_on_the_way_and_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = ["--agents", "3000", "--scene", "melee"];
    let flags = ["--save", "run.jostle", "--save-every", "10"];
    let (_desk, mut program) = open(folder.path(), &[world, flags].concat());
    program.wait_line("jostle: saved run.jostle");
    let begun = run(folder.path(), "run.jostle", 0)["agents"].as_u64();
    assert_eq!(begun, Some(3000));
    let saved = program.count(|line| line == "jostle: saved run.jostle");
    program.wait_line("jostle: saved run.jostle");
    assert!(program.count(|line| line == "jostle: saved run.jostle") > saved);
    program.signal("TERM");
    let (_, lines) = program.end();
    assert_eq!(lines.last().map(String::as_str), Some("jostle: saved run.jostle"), "{lines:#?}");
    fs::rename(folder.path().join("run.jostle"), folder.path().join("first.jostle")).expect("it");

    let flags = ["--load", "first.jostle", "--save", "end.jostle"];
    let (desk, mut program) = open(folder.path(), &flags);
    program.wait_past(60);
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    let steps = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jostle"));
        command.current_dir(folder.path()).args(["info", "--json", name]);
        let output = command.output().expect("it starts");
        let info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        info["steps"].as_u64().unwrap_or_else(|| panic!("{info}"))
    };
    let more = steps("end.jostle") - steps("first.jostle");
    assert!(more > 0);
    let hash = |file, steps| run(folder.path(), file, steps)["state_hash"].clone();
    assert_eq!(hash("end.jostle", 0), hash("first.jostle", more));
}

#[test]
fn what_is_no_snapshot_is_refused_in_one_sentence_and_the_run_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "2000"]);
    desk.ctrl_key(keysym::O);
    program.wait_line(
        "jostle: no snapshot was saved or opened in this window; save one with Ctrl-S, or drop a \
         .jostle file here",
    );
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    fs::write(folder.path().join("jostle.jostle"), "not a run").expect("a file");
    desk.ctrl_key(keysym::O);
    let refusal = program.wait("a refusal", |line| {
        line.strip_prefix("jostle: jostle.jostle can't be loaded: ").map(str::to_owned)
    });
    assert!(refusal.contains("snapshot"), "{refusal}");
    let steps = program.wait_frame().steps;
    program.wait_past(steps);
}
