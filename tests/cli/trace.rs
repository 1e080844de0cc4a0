//! `--trace`: a file in the trace event format, whose spans nest and have the names of `phases_ms`.

use std::{collections::BTreeMap, fs};

use serde_json::Value;

use crate::harness::{Ended, Place, parse};

/// A span, with its thread, and its first and last moment in nanoseconds.
#[derive(Clone, Debug)]
struct Event {
    name: String,
    category: String,
    thread: u64,
    start: u64,
    end: u64,
    step: Option<u64>,
}

/// Runs a command that writes `t.json`; returns what it printed, and the spans.
fn traced(place: &Place, args: &str) -> (Ended, Vec<Event>) {
    let ended = place.jostle(&format!("{args} --trace t.json"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let spans = spans(&fs::read_to_string(place.path("t.json")).expect("a trace"));
    (ended, spans)
}

fn spans(text: &str) -> Vec<Event> {
    let file: Value = serde_json::from_str(text).expect("one JSON object");
    let events = file["traceEvents"].as_array().expect("an array").iter();
    let nanoseconds = |value: &Value| (value.as_f64().expect("microseconds") * 1e3).round() as u64;
    let spans = events.filter(|event| event["ph"] == "X").map(|event| {
        let text = |key: &str| event[key].as_str().expect("a text").to_owned();
        let start = nanoseconds(&event["ts"]);
        Event {
            name: text("name"),
            category: text("cat"),
            thread: event["tid"].as_u64().expect("a thread"),
            start,
            end: start + nanoseconds(&event["dur"]),
            step: event["args"]["step"].as_u64(),
        }
    });
    spans.collect()
}

/// Checks that two spans of one thread are disjoint or one within the other, and calls `inside` with each span
/// and those around it.
fn walk(spans: &[Event], mut inside: impl FnMut(&Event, &[&Event])) {
    let mut threads: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for span in spans {
        threads.entry(span.thread).or_default().push(span);
    }
    for spans in threads.values_mut() {
        // Spans are written as they end, so of two with the same times, the outer one is the later.
        spans.reverse();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut open: Vec<&Event> = Vec::new();
        for &span in spans.iter() {
            while open.last().is_some_and(|outer| outer.end <= span.start) {
                // An empty span at the end of another one is within it.
                if open.last().is_some_and(|outer| outer.end == span.end && span.start == span.end)
                {
                    break;
                }
                open.pop();
            }
            let within = open.last().is_none_or(|outer| span.end <= outer.end);
            assert!(within, "{span:?} begins in {:?} and ends after it", open.last());
            inside(span, &open);
            open.push(span);
        }
    }
}

#[test]
fn phases_are_within_steps_and_pieces_within_phases() {
    let place = Place::new();
    for (flags, rounds) in [
        ("--agents 20k", 0),
        ("--agents 5k --collisions swept", 1),
        ("--scene pile --agents 5k --substeps 2", 8),
    ] {
        let (ended, spans) =
            traced(&place, &format!("run --json {flags} --steps 7 --warmup 2 --threads 1 --draw"));
        let phases = parse(&ended.stdout)["phases_ms"].clone();
        let steps: Vec<_> = spans.iter().filter_map(|span| span.step).collect();
        assert_eq!(steps, [1, 2, 3, 4, 5, 6, 7], "{flags}");
        assert_eq!(spans.iter().filter(|span| span.category == "draw").count(), 7, "{flags}");
        assert!(spans.iter().filter(|span| span.category == "round").count() >= 7 * rounds);
        let mut of_phase: BTreeMap<&str, u64> = BTreeMap::new();
        walk(&spans, |span, around| {
            let outer = around.first().map(|outer| &outer.category[..]);
            match &span.category[..] {
                "step" | "draw" => assert_eq!(outer, None, "{span:?}"),
                "phase" => {
                    assert!(phases[&span.name].is_object(), "{span:?} of {phases}");
                    assert_eq!(outer, Some("step"), "{span:?}");
                }
                "round" => assert!(around.iter().any(|outer| outer.name == "resolve"), "{span:?}"),
                "piece" => {
                    assert!(around.iter().any(|outer| outer.name == span.name), "{span:?}");
                }
                other => panic!("{other}: {span:?}"),
            }
        });
        for span in spans.iter().filter(|span| span.category == "phase") {
            *of_phase.entry(&span.name).or_default() += span.end - span.start;
        }
        // The same clock readings: the means of all steps, which a report rounds to nanoseconds.
        for (name, nanoseconds) in of_phase {
            let mean = phases[name]["mean"].as_f64().expect("a mean");
            assert!((mean * 7e6 - nanoseconds as f64).abs() < 10.0, "{name}: {mean} {nanoseconds}");
        }
    }
}

#[test]
fn each_thread_has_a_number_and_a_name() {
    let place = Place::new();
    // A second thread may sleep through a few short loops, but not through these.
    let (_, spans) = traced(&place, "run --agents 100k --steps 20 --threads 2");
    let mut threads: Vec<_> = spans.iter().map(|span| span.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    assert_eq!(threads, [1, 2]);
    walk(&spans, |span, _| {
        assert!(span.category == "piece" || span.step.is_some() || span.category == "phase");
    });
    let text = fs::read_to_string(place.path("t.json")).expect("a trace");
    let file = parse(&text);
    let names =
        file["traceEvents"].as_array().expect("an array").iter().filter(|it| it["ph"] == "M");
    let names: Vec<_> = names.map(|it| (it["tid"].as_u64(), it["args"]["name"].as_str())).collect();
    assert_eq!(names, [(Some(1), Some("jostle-0")), (Some(2), Some("jostle-1"))]);
    assert_eq!(file["otherData"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_film_has_the_frames_in_its_trace() {
    let place = Place::new();
    let (_, spans) = traced(&place, "record --agents 500 --steps 20 --size 64x36 a.gif");
    let count = |category| spans.iter().filter(|span| span.category == category).count();
    assert_eq!((count("step"), count("draw")), (20, 11));
}

#[test]
fn a_full_trace_ends_with_a_step_and_says_so() {
    let place = Place::new();
    let (ended, spans) = traced(&place, "run --agents 10 --steps 80k --threads 1");
    let steps = spans.iter().filter_map(|span| span.step).max().expect("steps");
    assert!((1_000..80_000).contains(&steps), "{steps}");
    assert!(spans.last().is_some_and(|span| span.step == Some(steps)), "the last one is whole");
    let grouped = format!("{},{:03}", steps / 1_000, steps % 1_000);
    let said = format!(
        "jostle: t.json has the first {grouped} steps: a trace has room for 524,288 spans; "
    );
    assert!(ended.stderr.contains(&said), "{} {said}", ended.stderr);
}

#[test]
fn a_trace_has_no_effect_on_the_run() {
    let place = Place::new();
    let flags = "--scene dam --agents 2k --steps 50 --threads 2";
    let plain = place.json(flags);
    let (traced, _) = traced(&place, &format!("run --json {flags}"));
    assert_eq!(parse(&traced.stdout)["state_hash"], plain["state_hash"]);
}

#[test]
fn what_cannot_be_traced_is_one_sentence() {
    let place = Place::new();
    for (args, said) in [
        (
            "run --trace t.txt",
            "--trace t.txt has the extension .txt; name a file that ends in .json",
        ),
        ("run --trace none/t.json", "none/t.json can't be written: its folder doesn't exist"),
        ("run --json --trace -", "--json and --trace - both write to stdout"),
        ("record --trace - -", "the film - and --trace - both write to stdout"),
    ] {
        let ended = place.jostle(&format!("{args} --agents 10 --steps 1"));
        assert!(ended.status.is_some_and(|status| status > 0), "{ended:?}");
        assert!(ended.line().contains(said), "{ended:?}");
        assert_eq!(place.names(), [""; 0], "{args}");
    }
    let ended = place.jostle("run --agents 10 --steps 3 --trace -");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(spans(&ended.stdout).iter().filter_map(|span| span.step).max(), Some(3));
}
