//! Figures and warnings of the window are the figures and warnings of `jostle run`.

use std::process::Command;

use serde_json::Value;

use crate::{desk::keysym, program::open};

/// The report of `jostle run` after some steps.
fn run(flags: &[&str], steps: u64) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jostle"));
    command.args(["run", "--json", "--steps", &steps.to_string()]).args(flags);
    let output = command.output().expect("the program starts");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The words of a line as names and numbers.
fn number(line: &str, name: &str) -> f64 {
    let mut words = line.split(' ').skip_while(|word| *word != name);
    words.nth(1).expect(name).parse().expect("a number")
}

/// Few giants have most of the energy: no sample has it.
#[test]
fn figures_of_the_panel_are_those_of_a_run() {
    for scene in ["giants", "mixed", "pile"] {
        let flags = ["--scene", scene, "--agents", "20000"];
        let folder = tempfile::tempdir().expect("a folder");
        let (desk, mut program) = open(folder.path(), &flags);
        desk.key(keysym::TAB);
        let mut steps = 0;
        for _ in 0..2 {
            let line = program.wait("figures", |line| {
                let steps_now = line.starts_with("figures ").then(|| number(line, "steps"))? as u64;
                (steps_now > steps).then(|| line.to_owned())
            });
            steps = number(&line, "steps") as u64;
            let expected = run(&flags, steps);
            for (name, key) in [
                ("agents", "agents"),
                ("awake", "awake"),
                ("contacts", "contacts"),
                ("overlap", "max_overlap"),
                ("energy", "kinetic_energy"),
            ] {
                let (shown, expected) =
                    (number(&line, name), expected[key].as_f64().expect("a number"));
                // A run without room for tools may keep the same agents in another order.
                let rounding = if name == "energy" { 1e-12 * expected } else { 0.0 };
                assert!(
                    (shown - expected).abs() <= rounding,
                    "{scene} {name} at step {steps}: {shown}, not {expected}"
                );
            }
        }
        desk.ctrl_key(keysym::Q);
        let (status, lines) = program.end();
        assert_eq!(status.code(), Some(0), "{lines:#?}");
    }
}

/// Also of a run that stands still.
#[test]
fn figures_are_those_after_the_last_stroke() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--scene", "gas", "--agents", "2000"]);
    desk.key(keysym::TAB);
    program.wait("figures", |line| line.starts_with("figures ").then_some(()));
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    desk.key(keysym::S);
    program.wait_line("tool spawn");
    desk.click([800, 400]);
    let spawned: f64 = program.wait("a stroke", |line| {
        line.strip_prefix("spawn: spawned ")?.split(' ').next()?.parse().ok()
    });
    let mut expect = |agents: f64| {
        program.wait("figures", |line| {
            (line.starts_with("figures ") && number(line, "agents") == agents).then_some(())
        });
    };
    expect(2000.0 + spawned);
    desk.ctrl_key(keysym::Z);
    expect(2000.0);
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
}

/// The remedy is a value for the panel; typed there, it ends the warning.
#[test]
fn the_window_warns_as_a_run_does() {
    for (speed, expected) in
        [("200", "may have passed through another agent"), ("0.0005", "positions are rounded to ")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let (desk, mut program) = open(folder.path(), &["--agents", "2000", "--speed", speed]);
        let warning =
            program.wait("a warning", |line| line.strip_prefix("warning: ").map(str::to_owned));
        assert!(warning.contains(expected), "{warning}");
        assert!(!warning.contains("--"), "flags are no help in a window: {warning}");
        let (_, remedy) = warning.rsplit_once("set all speeds to ").expect("a remedy");
        let remedy = remedy.split(' ').next().expect("a number");
        desk.key(keysym::TAB);
        program.wait("the panel", |line| line.starts_with("figures ").then_some(()));
        program.wait_frame();
        // Enter opens the number beside the slider, and a click does.
        let speeds = [223, 241];
        desk.click(speeds);
        desk.type_text(remedy);
        desk.key(keysym::RETURN);
        program.wait_line(&format!("mean speed {remedy}"));
        // A click that is slow sets the speed under it first, and that ends the warning, too.
        if program.last_of(&["warning: ", "no warnings"]) != Some("no warnings") {
            program.wait_line("no warnings");
        }
    }
}
