//! `jostle bench`: every index in every case, in every output format, and invalid flags.

use serde_json::Value;

use crate::harness::{Ended, Place, parse};

const SMALL: &str = "bench --agents 200,1k --steps 2 --repeats 2 --warmup 10";

/// Runs `bench`, which may report only a busy machine and skipped indexes.
fn bench(place: &Place, args: &str) -> Ended {
    let ended = place.jostle(&format!("{SMALL} {args}"));
    let known = |line: &str| line.contains("the machine was busy") || line.contains("is skipped");
    assert!(ended.status == Some(0) && ended.stderr.lines().all(known), "{args}: {ended:?}");
    ended
}

fn rows(place: &Place, args: &str) -> Vec<Value> {
    let json = parse(&bench(place, &format!("--json {args}")).stdout);
    json["rows"].as_array().expect("rows").clone()
}

#[test]
fn every_index_is_measured_in_every_case() {
    let rows = rows(&Place::new(), "--scene gas,mixed --threads 1,2");
    for index in [
        "double-grid",
        "naive",
        "spatial-hash",
        "unit-grid",
        "quadtree",
        "loose-quadtree",
        "linked-double-grid",
    ] {
        let own: Vec<&Value> = rows.iter().filter(|row| row["index"] == index).collect();
        assert_eq!(own.len(), 2 * 2 * 2, "{index}: scenes, threads, counts");
        for row in own {
            assert_eq!((&row["skipped"], &row["wrong"]), (&Value::Null, &Value::Null), "{row}");
            let figure = |name: &str, figure: &str| row[name][figure].as_f64().expect("a time");
            let both = figure("update_ms", "mean") + figure("pairs_ms", "mean");
            assert!((both / figure("index_ms", "mean") - 1.0).abs() < 1e-3, "{row}");
            assert!(figure("index_ms", "p50") <= figure("index_ms", "p99"), "{row}");
            assert!(row["bytes"].as_u64() > Some(0) || index == "naive", "{row}");
            assert!(figure("step_ms", "p50") <= figure("step_ms", "p99"), "{row}");
            assert_eq!(row["order_ms"]["p50"].is_null(), index == "double-grid", "{row}");
            assert!(row["state_hash"].is_string() && row["expected_hash"].is_null(), "{row}");
        }
    }
    let pairs = |scene: &str, agents: u64| -> Vec<&Value> {
        let case = rows.iter().filter(|row| row["scene"] == scene && row["agents"] == agents);
        case.map(|row| &row["pairs"]).collect()
    };
    for (scene, agents) in [("gas", 200), ("gas", 1_000), ("mixed", 1_000)] {
        let pairs = pairs(scene, agents);
        assert!(pairs.iter().all(|found| found == &pairs[0]), "{scene}: {pairs:?}");
    }
}

/// A flag that suits one case may not suit another, and a value that one scene accepts another may
/// refuse.
#[test]
fn remedies_hold_in_all_cases() {
    let place = Place::new();
    let short = "bench --steps 1 --repeats 1 --warmup 0 --index naive,unit-grid";
    for (args, remedy) in [
        ("--agents 100,2k --world 1x1", Some("--world 96x96")),
        ("--agents 100 --scene gas,mixed --world 2x2", Some("--world")),
        ("--agents 100 --scene gas,cannon --density 0.2", None),
    ] {
        let ended = place.jostle(&format!("{short} {args}"));
        assert_eq!(ended.status, Some(2), "{args}: {ended:?}");
        let Some(remedy) = remedy else {
            assert!(ended.line().ends_with("; compare --scene cannon alone"), "{ended:?}");
            continue;
        };
        let (_, tried) = ended.line().split_once("; try ").expect("a remedy");
        assert!(tried.starts_with(remedy), "{args}: {tried}");
        let again = place.jostle(&format!("{short} {args} {tried}"));
        assert_eq!(again.status, Some(0), "{args} {tried}: {again:?}");
    }
}

#[test]
fn lists_have_each_value_once() {
    let args = "--index naive,unit-grid,NAIVE --scene pegs,gas,pegs --agents 0.3k,100,1_00";
    let rows = rows(&Place::new(), args);
    let cases = rows.iter().map(|row| format!("{} {}", row["scene"], row["agents"]));
    let expected = ["\"pegs\" 100", "\"pegs\" 300", "\"gas\" 100", "\"gas\" 300"];
    assert!(cases.eq(expected.iter().flat_map(|case| [*case; 2])), "{rows:?}");
    assert!(rows.iter().map(|row| &row["index"]).eq(["naive", "unit-grid"].repeat(4)));
}

#[test]
fn the_input_order_does_not_change_pairs() {
    let place = Place::new();
    for input in ["id", "cell"] {
        let rows = rows(&place, &format!("--input {input} --index quadtree"));
        assert!(rows.iter().all(|row| row["wrong"].is_null()), "{rows:?}");
    }
}

#[test]
fn every_index_follows_spawned_and_removed_agents() {
    let place = Place::new();
    for input in ["id", "cell"] {
        let args = "bench --json --scene melee,cannon --agents 300 --steps 150 --repeats 1";
        let ended = place.jostle(&format!("{args} --warmup 250 --input {input} --index all"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        let json = parse(&ended.stdout);
        let rows = json["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["wrong"].is_null()), "{rows:?}");
    }
}

#[test]
fn slow_indexes_are_skipped_with_a_message() {
    let place = Place::new();
    let args =
        "bench --json --index naive,double-grid --agents 20k --steps 1 --repeats 1 --warmup 0";
    let ended = place.jostle(&format!("{args} --limit 0.0005"));
    assert!(ended.stderr.contains("--limit is 0.0005 s"), "{ended:?}");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("naive at 20k agents of gas is skipped"), "{ended:?}");
    let json = parse(&ended.stdout);
    let naive = &json["rows"][0];
    assert!(naive["skipped"]["slow"]["foretold_s"].as_f64() > Some(0.0005), "{naive}");
    assert_eq!(naive["index_ms"]["p50"], Value::Null);
}

#[test]
fn a_limit_is_kept_as_it_was_typed() {
    let args = "bench --json --agents 20k --index naive --steps 1 --repeats 1 --warmup 0";
    let ended = Place::new().jostle(&format!("{args} --limit 1e-9"));
    assert!(ended.line().ends_with("--limit is 0.000000001 s"), "{ended:?}");
    assert!(!ended.line().contains("to take 0.0 s"), "{ended:?}");
    assert_eq!(parse(&ended.stdout)["limit_s"], 1e-9);
}

#[test]
fn text_csv_and_markdown_have_a_line_per_index() {
    let place = Place::new();
    let count = |text: &str, part: &str| text.lines().filter(|line| line.contains(part)).count();
    let plain = bench(&place, "").stdout;
    assert_eq!((count(&plain, "quadtree "), count(&plain, "1,000 agents")), (4, 1), "{plain}");
    assert!(plain.contains("in the order of their ids"), "{plain}");
    assert_eq!(count(&plain, "     step      p99"), 2, "{plain}");

    let markdown = bench(&place, "--markdown").stdout;
    assert_eq!(count(&markdown, "`double-grid`"), 2, "{markdown}");
    let columns = |line: &str| line.matches('|').count();
    let table: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert!(table.iter().all(|line| columns(line) == columns(table[0])), "{markdown}");

    let table = bench(&place, "--csv").stdout;
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let head = table.headers().expect("a head").clone();
    assert!(head.iter().any(|name| name == "index_ms_p99"), "{head:?}");
    assert!(head.iter().any(|name| name == "step_ms_p50"), "{head:?}");
    // With the feature `peers` there are more.
    let indexes = jostle::index::IndexKind::all().count();
    assert_eq!(table.records().flatten().count(), 2 * indexes);
}

#[test]
fn the_chart_names_every_index() {
    let place = Place::new();
    bench(&place, "--scene gas,pile --svg chart.svg");
    let chart = std::fs::read_to_string(place.path("chart.svg")).expect("a chart");
    assert!(chart.starts_with("<svg") && chart.trim_end().ends_with("</svg>"), "{chart}");
    for text in [
        "double-grid",
        "naive",
        "spatial-hash",
        "gas, 1 thread",
        "pile, 1 thread: the whole step",
        "agents",
    ] {
        assert!(chart.contains(text), "{text}");
    }
    assert_eq!(place.names(), ["chart.svg"]);
}

#[test]
fn rejects_invalid_flags() {
    let place = Place::new();
    for (args, value, remedy) in [
        ("--agents 0", "--agents 0", "500k"),
        ("--agents 1k,,2k", "--agents \"\"", "500k"),
        ("--agents 1k,x", "--agents x", "500k"),
        ("--agents 30,000", "--agents 000 begins with 0", "write 30,000 as 30k"),
        ("--index quadtre", "--index quadtre", "mean quadtree?"),
        ("--index naive,alll", "--index alll is no known index", "double-grid"),
        ("--index naive,quadtre", "--index quadtre is no known index", "mean quadtree?"),
        ("--scene gsa", "--scene gsa", "mean gas?"),
        ("--threads 0", "--threads 0", "leave it out"),
        ("--threads 1,x", "--threads x", "500k"),
        ("--steps 0", "--steps 0", "try 3"),
        ("--repeats 0", "--repeats 0", "try 3"),
        ("--limit 0", "--limit 0", "like 2"),
        ("--limit -1", "--limit -1", "like 2"),
        ("--input cel", "--input cel", "mean cell?"),
        ("--density 0.99", "--density 0.99", "try --density 0."),
        ("--world 100x100 --density 0.3", "--world", "cannot be used with '--density"),
        ("--agents 1G", "--agents 1G of gas", "; try --agents "),
        ("--json --csv", "--csv", "--help"),
        ("--csv --markdown", "--markdown", "--help"),
        ("--svg chart.png", "chart.png", ".svg"),
        ("--svg missing/chart.svg", "missing", "create it"),
    ] {
        let ended = place.jostle(&format!("bench {args}"));
        let status = if args.contains("missing") { 1 } else { 2 };
        assert_eq!(ended.status, Some(status), "{args}: {ended:?}");
        let line = ended.line();
        assert!(line.contains(value) && line.contains(remedy), "{args}: {line}");
        assert_eq!(ended.stdout, "", "{args}: nothing ran");
    }
    assert_eq!(place.names(), [""; 0], "no file is left");
}

#[test]
fn help_groups_the_flags_and_names_the_indexes() {
    let help = Place::new().jostle("bench --help").stdout;
    for heading in ["Compared:", "World:", "Length:", "Output:"] {
        assert!(help.lines().any(|line| line == heading), "{heading} {help}");
    }
    for index in ["linked-double-grid", "unit-grid", "spatial-hash", "loose-quadtree", "naive"] {
        assert!(help.contains(index), "{index} {help}");
    }
}

#[test]
fn without_measurements_there_is_no_chart() {
    let place = Place::new();
    let ended = place.jostle(
        "bench --index naive --agents 20k --warmup 0 --steps 1 --limit 0.0005 --svg chart.svg",
    );
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let said = ended.stderr.lines().last().expect("a sentence");
    assert!(said.contains("nothing was measured; try a longer --limit"), "{ended:?}");
    assert_eq!(place.names(), [""; 0]);
}
