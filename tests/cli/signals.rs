//! Ctrl-C: what was measured so far comes out, and the status says how it ended.
#![cfg(target_os = "linux")]

use std::{
    fs,
    process::{Child, Stdio},
    thread,
};

use crate::harness::{Ended, Place, jostle, parse, said, works};

/// A run that would not end by itself, once it has done some of it.
fn started(place: &Place, args: &str) -> Child {
    started_as(place, &format!("run --steps 1e15 --threads 1 {args}"))
}

/// The same for any command.
fn started_as(place: &Place, args: &str) -> Child {
    let mut command = jostle(place, args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while processor_ticks(&child) < 10 {
        thread::yield_now();
    }
    child
}

/// Hundredths of a second that the process has worked.
fn processor_ticks(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it still runs");
    let fields = stat.rsplit(") ").next().expect("what comes after the name");
    fields.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).expect("ticks")
}

fn signal(child: &Child, name: &str) {
    works("sh", &["-c", &format!("kill -{name} {}", child.id())]);
}

fn end(child: Child) -> Ended {
    said(child.wait_with_output().expect("it ends"))
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
    assert_eq!(place.names(), ["a.csv", "a.png"], "the files are written, and no other is left");
    assert_eq!(fs::read_to_string(place.path("a.csv")).expect("a table").lines().count(), 21);
    let steps = json["steps"].as_u64().expect("a count");
    if steps < 3_000_000 {
        let again = place.json(&format!("--agents 20 --steps {steps}"));
        assert_eq!(again["state_hash"], json["state_hash"], "it stopped between two steps");
    }
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
    assert!(json["warmup"].as_u64() > Some(0), "those that were done");
}

#[test]
fn a_summary_comes_out_too() {
    let place = Place::new();
    let child = started(&place, "--agents 20");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!(ended.status, Some(130), "{ended:?}");
    assert!(ended.stdout.contains("state hash"), "{ended:?}");
}

#[test]
fn a_comparison_comes_out_too() {
    let place = Place::new();
    let child = started_as(&place, "bench --json --agents 1k,2k --steps 1e12 --svg a.svg");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!(ended.status, Some(130), "{ended:?}");
    let rows = parse(&ended.stdout)["rows"].clone();
    let measured = |row: &serde_json::Value| row["index_ms"]["p50"].as_f64() > Some(0.0);
    let drawn = rows.as_array().expect("rows").iter().any(measured);
    assert_eq!(ended.stderr.contains("there is no chart"), !drawn, "{ended:?}");
    assert_eq!(place.names().len(), usize::from(drawn), "no chart of nothing is left");
}

#[test]
fn being_asked_to_end_is_like_ctrl_c() {
    let place = Place::new();
    let child = started(&place, "--agents 20 --json");
    signal(&child, "TERM");
    let ended = end(child);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    parse(&ended.stdout);
}

#[test]
fn more_ctrl_c_ends_at_once_and_leaves_nothing() {
    let place = Place::new();
    // Slow to place, so that it is still at it when the second comes.
    let mut child = started(&place, "--agents 2M --json --export a.csv");
    while child.try_wait().expect("its state").is_none() {
        signal(&child, "INT");
    }
    assert_eq!(end(child).status, Some(130));
    assert!(place.names().iter().all(|name| name == "a.csv"), "{:?}", place.names());
}
