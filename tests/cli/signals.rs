//! Ctrl-C: the results so far are printed, and the exit status names the signal.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{Read, Write},
    process::{Child, Command, Stdio},
};

use crate::{
    child::{end, signal, sizes, wait_until, work},
    harness::{JOSTLE, Place, jostle, parse, skip, works},
};

/// Starts a run without an end, and waits until it has done some steps.
fn started(place: &Place, args: &str) -> Child {
    started_as(place, &format!("run --steps 1e15 --threads 1 {args}"))
}

/// As [`started`], for any command.
fn started_as(place: &Place, args: &str) -> Child {
    begun(&mut jostle(place, args))
}

fn begun(command: &mut Command) -> Child {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // About ten times the time that placing a few agents takes.
    work(&mut child, 100);
    child
}

#[test]
fn ctrl_c_prints_what_was_measured() {
    let place = Place::new();
    let child = started(&place, "--agents 20 --json --export a.csv --frame a.png --size 32x32");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(130), ""), "{ended:?}");
    let json = parse(&ended.stdout);
    assert!(json["steps"].as_u64() > Some(0) && json["step_ms"]["mean"].as_f64() > Some(0.0));
    assert_eq!(place.names(), ["a.csv", "a.png"], "the files are written, and no others");
    assert_eq!(fs::read_to_string(place.path("a.csv")).expect("a table").lines().count(), 21);
    let steps = json["steps"].as_u64().expect("a count");
    if steps < 3_000_000 {
        let again = place.json(&format!("--agents 20 --steps {steps}"));
        assert_eq!(again["state_hash"], json["state_hash"], "it stopped between two steps");
    }
}

#[test]
fn ctrl_c_ends_a_check_in_the_middle_of_a_case() {
    let place = Place::new();
    let child = started_as(&place, "check physics --json --svg a.svg");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(130), ""), "{ended:?}");
    let json = parse(&ended.stdout);
    assert_eq!(json["holds"], false);
    assert_eq!(json["cases"].as_array().map(Vec::len), Some(0), "the first takes half a minute");
    assert_eq!(place.names(), [""; 0], "no chart of a part");
}

#[test]
fn ctrl_c_in_the_warm_up_measures_nothing() {
    let place = Place::new();
    let child = started(&place, "--agents 20 --json --warmup 1e15");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!(ended.status, Some(130), "{ended:?}");
    let json = parse(&ended.stdout);
    assert_eq!((&json["steps"], &json["step_ms"]["mean"]), (&0.into(), &serde_json::Value::Null));
    assert!(json["warmup"].as_u64() > Some(0), "the completed ones");
}

#[test]
fn ctrl_c_prints_a_summary() {
    let place = Place::new();
    let child = started(&place, "--agents 20");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!(ended.status, Some(130), "{ended:?}");
    assert!(ended.stdout.contains("state hash"), "{ended:?}");
    let (_, early) = ended.stdout.split_once("stopped early, after ").expect(&ended.stdout);
    let (done, all) = early.split_once(" of ").expect(early);
    assert!(done.starts_with(|digit: char| digit.is_ascii_digit()), "{early}");
    assert!(all.starts_with("1,000,000,000,000,000 steps\n"), "{early}");
}

#[test]
fn ctrl_c_prints_a_comparison() {
    for endless in ["--steps 1e12", "--steps 1 --repeats 1e12"] {
        let place = Place::new();
        let args = format!("bench --json --agents 1k,2k {endless} --svg a.svg");
        let child = started_as(&place, &args);
        signal(&child, "INT");
        let ended = end(child);
        assert_eq!(ended.status, Some(130), "{ended:?}");
        let rows = parse(&ended.stdout)["rows"].clone();
        let measured = |row: &serde_json::Value| row["index_ms"]["p50"].as_f64() > Some(0.0);
        let drawn = rows.as_array().expect("rows").iter().any(measured);
        assert_eq!(ended.stderr.contains("there is no chart"), !drawn, "{ended:?}");
        assert_eq!(place.names().len(), usize::from(drawn), "no empty chart is left");
    }
}

#[test]
fn sigterm_is_like_ctrl_c() {
    let place = Place::new();
    let child = started(&place, "--agents 20 --json");
    signal(&child, "TERM");
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    parse(&ended.stdout);
}

/// Signals a run as `timeout` does: first the child, then the group of the child.
#[test]
fn simultaneous_signals_are_one_request() {
    let place = Place::new();
    let child = started(&place, "--agents 20k --index naive --json");
    // Two equal signals may arrive as one.
    let id = child.id();
    assert!(works("sh", &["-c", &format!("kill -INT {id}; kill -TERM {id}")]));
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    parse(&ended.stdout);
}

/// Signals a run as service managers do: by SIGTERM and SIGHUP.
#[test]
fn a_hangup_after_another_signal_is_no_second_request() {
    let place = Place::new();
    let child = started(&place, "--agents 20k --index naive --json --export a.csv");
    signal(&child, "TERM");
    signal(&child, "HUP");
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    parse(&ended.stdout);
    assert_eq!(place.names(), ["a.csv"]);
}

#[test]
fn a_closed_terminal_is_like_ctrl_c_unless_hangups_are_ignored() {
    let place = Place::new();
    if !works("env", &["--default-signal=HUP", "true"]) {
        let test = "a_closed_terminal_is_like_ctrl_c_unless_hangups_are_ignored";
        return skip(test, "env(1) sets no signals here");
    }
    let run = format!("{JOSTLE} run --steps 1e15 --threads 1 --agents 20 --json --export");
    let listening = format!("exec env --default-signal=HUP {run} a.csv");
    let child = begun(place.command("sh").args(["-c", &listening]));
    signal(&child, "HUP");
    let ended = end(child);
    assert_eq!(ended.status, Some(129), "{ended:?}");
    parse(&ended.stdout);
    assert_eq!(place.names(), ["a.csv"]);

    // As `nohup` does.
    let deaf = format!("trap '' HUP; exec {run} b.csv");
    let child = begun(place.command("sh").args(["-c", &deaf]));
    signal(&child, "HUP");
    signal(&child, "TERM");
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    parse(&ended.stdout);
    assert_eq!(place.names(), ["a.csv", "b.csv"]);
}

/// As a shell begins what runs in the background of a script.
#[test]
fn an_ignored_ctrl_c_stays_ignored() {
    let place = Place::new();
    let deaf =
        format!("trap '' INT; exec {JOSTLE} run --steps 1e15 --threads 1 --agents 20 --json");
    let mut child = begun(place.command("sh").args(["-c", &deaf]));
    signal(&child, "INT");
    work(&mut child, 20);
    signal(&child, "TERM");
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    parse(&ended.stdout);
}

#[test]
fn ctrl_c_during_placement_exits_at_once_and_leaves_nothing() {
    for args in [
        "run --agents 5M --json --export a.csv",
        "record --agents 5M film.gif",
        "bench --agents 5M --index double-grid --svg a.svg",
    ] {
        let place = Place::new();
        let mut command = jostle(&place, args);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("it starts");
        // The file is created, then placing the agents takes seconds.
        wait_until(&mut child, |child| sizes(&place, child).next().is_some());
        signal(&child, "INT");
        let ended = end(child);
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(130), ""), "{args}: {ended:?}");
        let line = "jostle: stopped before the first step; no incomplete file is left";
        assert_eq!(ended.line(), line, "{args}");
        assert_eq!(place.names(), [""; 0], "{args}");
    }
}

#[test]
fn a_second_ctrl_c_exits_at_once_and_leaves_nothing() {
    let place = Place::new();
    // A step takes long, so it is still running at the second signal. Placing the agents takes less
    // than a tenth of that.
    let mut child = started(&place, "--agents 200k --index naive --json --export a.csv");
    work(&mut child, 300);
    while child.try_wait().expect("its state").is_none() {
        signal(&child, "INT");
    }
    let ended = end(child);
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(130), ""), "{ended:?}");
    assert!(!ended.stderr.contains("before the first step"), "{ended:?}");
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn a_terminal_shows_what_a_second_ctrl_c_does() {
    if !works("script", &["-qec", "true", "/dev/null"]) {
        let why = "there is no script(1) that makes a terminal";
        return skip("a_terminal_shows_what_a_second_ctrl_c_does", why);
    }
    let place = Place::new();
    let run = format!("{JOSTLE} run --agents 100 --steps 1e9 --threads 1");
    let mut command = place.command("script");
    command.args(["-qec", &run, "/dev/null"]).env("TERM", "xterm-256color");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("script runs");
    let mut screen = child.stdout.take().expect("a pipe");
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("of 1,000,000,000 steps") {
        let mut more = [0; 1024];
        let read = screen.read(&mut more).expect("a screen");
        assert!(read > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&more[..read]);
    }
    child.stdin.as_mut().expect("a pipe").write_all(b"\x03").expect("a keyboard");
    seen.clear();
    screen.read_to_end(&mut seen).expect("a screen");
    let seen = String::from_utf8_lossy(&seen);
    assert!(
        seen.contains("stopping; Ctrl-C again exits at once, and leaves no incomplete file"),
        "{seen}"
    );
    assert!(seen.contains("stopped early, after "), "{seen}");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}
