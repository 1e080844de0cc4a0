//! The summary and the progress bar, with colors on a terminal only.

use crate::harness::{JOSTLE, Place, skip, works};

#[test]
fn the_summary_is_complete() {
    let ended =
        Place::new().jostle("run --agents 2k --steps 5 --warmup 2 --draw --size 64x64 --seed 9");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    for fact in [
        "gas, 2,000 agents, seed 9",
        "5, after 2 not measured",
        "milliseconds",
        "step  ",
        "regrid  ",
        "draw  ",
        "steps/s",
        "contacts",
        "collisions",
        "state hash",
        "bytes per agent",
    ] {
        assert!(ended.stdout.contains(fact), "{fact}: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains("stopped early"), "{}", ended.stdout);
    assert!(!ended.stdout.contains('\x1b'), "no colors in a pipe");
}

#[test]
fn without_steps_there_is_no_table() {
    let ended = Place::new().jostle("run --agents 10 --steps 0");
    assert_eq!(ended.status, Some(0));
    assert!(!ended.stdout.contains("milliseconds"), "{}", ended.stdout);
}

/// Both streams as a terminal shows them.
fn on_a_terminal(settings: &str) -> String {
    let place = Place::new();
    let run = format!("{settings} {JOSTLE} run --agents 100 --steps 200");
    let script = place
        .command("script")
        .args(["-qec", &run, "/dev/null"])
        .env("TERM", "xterm-256color")
        .output()
        .expect("script runs");
    String::from_utf8_lossy(&script.stdout).into_owned()
}

#[test]
fn a_terminal_shows_progress() {
    if !works("script", &["-qec", "true", "/dev/null"]) {
        return skip("a_terminal_shows_progress", "there is no script(1) that makes a terminal");
    }
    let seen = on_a_terminal("");
    assert!(seen.contains("of 200 steps"), "{seen:?}");
    assert!(seen.contains("\x1b[1m"), "headings are bold: {seen:?}");
    let plain = on_a_terminal("NO_COLOR=1");
    assert!(!plain.contains("\x1b[1m") && !plain.contains("\x1b[36m"), "no colors: {plain:?}");
}
