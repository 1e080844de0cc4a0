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
        ("--steps 0", "--steps 0", "try 1"),
        ("--repeats 0", "--repeats 0", "try 1"),
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

/// A world file is measured as a scene is: its steps have its rules.
#[test]
fn world_files_are_measured_as_scenes_are() {
    let place = Place::new();
    let pairs = "[pair.p]\nrange = 3\nsum = { x = \"dx / r2\", y = \"dy / r2\" }\n\
                 [agent]\nacceleration = [\"-p.x\", \"-p.y\"]\n";
    let write = |name: &str, world: &str, more: &str| {
        std::fs::write(place.path(name), format!("world = {{ {world} }}\n{pairs}{more}"))
            .expect("a file");
    };
    let size = "size = [50, 30], radius = 0.5, speed = 4";
    write("walls.toml", &format!("{size}, agents = 400"), "");
    // Pairs across the seam, births and deaths, and agents that do not collide.
    write(
        "seam.toml",
        &format!("{size}, agents = 400, boundary = \"periodic\", collisions = false"),
        "dies = \"random(1) < 0.02\"\nbirths.red = \"random(2) < 0.02\"\n[species]\nred = 1\n",
    );
    write(
        "groups.toml",
        size,
        "[[group]]\nagents = 5000\nrectangle = [1, 1, 49, 29]\nradius = 0.05\n",
    );
    write("swept.toml", &format!("{size}, agents = 40, collisions = \"swept\""), "");
    write("param.toml", &format!("{size}, agents = 300"), "[param]\npull = 2\n");
    let short = "--steps 2 --repeats 1 --warmup 5 --index double-grid,quadtree,unit-grid,naive";
    for (args, scene, agents) in [
        ("walls.toml", "walls", 400),
        ("--scene seam.toml", "seam", 400),
        ("--input cell --scene seam.toml", "seam", 400),
        ("--scene groups.toml", "groups", 5000),
        ("walls.toml --agents 200 --threads 2", "walls", 200),
        ("--scene walls.toml,gas --agents 200", "walls", 200),
        ("param.toml --set pull=3", "param", 300),
    ] {
        let ended = place.jostle(&format!("bench {args} {short} --json"));
        assert_eq!(ended.status, Some(0), "{args}: {ended:?}");
        let json = parse(&ended.stdout);
        let rows = json["rows"].as_array().expect("rows");
        for row in &rows[..4] {
            assert_eq!((&row["scene"], &row["agents"]), (&scene.into(), &agents.into()), "{row}");
            assert_eq!((&row["skipped"], &row["wrong"]), (&Value::Null, &Value::Null), "{row}");
            assert!(row["state_hash"].is_string() && row["expected_hash"].is_null(), "{row}");
            assert!(row["phases_ms"]["forces"]["p50"].as_f64() > Some(0.0), "{row}");
            let phases = row["phases_ms"].as_object().expect("phases");
            let all: f64 = phases.values().map(|phase| phase["mean"].as_f64().unwrap()).sum();
            let step =
                ["step_ms", "order_ms"].map(|name| row[name]["mean"].as_f64().unwrap_or(0.0));
            assert!(all <= 1.01 * (step[0] + step[1]), "{row}");
        }
    }
    let plain = place.jostle(&format!("bench walls.toml {short}"));
    assert!(plain.stdout.contains("walls, 400 agents, 1 thread, "), "{plain:?}");
    assert!(plain.stdout.contains(", forces 0."), "{plain:?}");
    let slow = place.jostle("bench groups.toml --limit 1e-6 --index naive --steps 1 --repeats 1");
    assert!(slow.stderr.contains("naive at 5k agents of groups is skipped"), "{slow:?}");
    for (args, expected) in [
        ("groups.toml --agents 200", "--agents has no effect, as a world file says how many"),
        ("walls.toml --density 0.2", "--density has no effect"),
        ("swept.toml", "swept has swept collisions"),
        ("--scene gas --set pull=3", "--set pull belongs to a world file"),
        ("walls.toml --set pull=3", "--set pull is no param: the file has none"),
        ("none.toml", "none.toml can't be read"),
        ("walls.toml --start walls.csv", "both say where agents begin"),
    ] {
        let ended = place.jostle(&format!("bench {args} {short}"));
        assert_ne!(ended.status, Some(0), "{args}: {ended:?}");
        assert!(ended.stderr.contains(expected), "{args}: {ended:?}");
    }
}
