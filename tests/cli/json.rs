//! The JSON object: its keys, their order and their values.

use serde_json::Value;

use crate::harness::{Place, parse};

/// All keys, depth first.
const KEYS: &str = "version revision date machine cpu cores os scene agents seed threads simd index solver boundary collision_mode steps warmup dt substeps \
    density radius speed gravity restitution friction rolling world width height world_file \
    grid loose_cols loose_rows loose_size tight_cols tight_rows tight_size \
    step_ms mean p50 p99 max \
    phases_ms contacts mean p50 p99 max resolve mean p50 p99 max integrate mean p50 p99 max \
    regrid mean p50 p99 max order mean p50 p99 max forces mean p50 p99 max \
    draw_ms mean p50 p99 max \
    steps_per_s agent_steps_per_s \
    contacts collisions kinetic_energy momentum rotational_energy angular_momentum \
    temperature pressure collision_rate max_overlap fastest \
    bytes agents grid contacts frame total bytes_per_agent statics spawned removed refused awake ranks agents_per_rank communication border_rows observed state_hash hashes";

/// The keys in the order of the text; no value has a colon after a quote.
fn keys(json: &str) -> Vec<&str> {
    json.split("\":")
        .filter_map(|before| before.rsplit('"').next())
        .take(KEYS.split(' ').count())
        .collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

#[test]
fn every_key_is_present_and_in_order() {
    let place = Place::new();
    let wanted: Vec<&str> = KEYS.split_whitespace().collect();
    for args in ["--steps 0", "--steps 3", "--steps 3 --draw", "--steps 1 --frame a.png"] {
        let ended = place.jostle(&format!("run --json --agents 100 {args}"));
        assert_eq!(keys(&ended.stdout), wanted, "{args}");
        assert_eq!(ended.stdout.matches("\":").count(), wanted.len(), "{args}: no other key");
    }
}

/// The same keys name program, day and machine in every object with figures, so that figures can be
/// traced.
#[test]
fn reports_name_their_origin() {
    let place = Place::new();
    let version = place.jostle("--version").stdout;
    let run = place.json("--agents 100 --steps 0");
    let bench = "bench --json --agents 100 --steps 1 --repeats 1 --warmup 0 --index naive";
    let bench = parse(&place.jostle(bench).stdout);
    for json in [&run, &bench] {
        assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
        match json["revision"].as_str() {
            Some(revision) => assert!(version.contains(&format!("revision {revision},"))),
            None => assert!(!version.contains("revision"), "{version}"),
        }
        let date = json["date"].as_str().expect("a date");
        let digits = date.replace(|char: char| char.is_ascii_digit(), "0");
        assert_eq!(digits, "0000-00-00T00:00:00Z", "{date}");
        let cores = std::thread::available_parallelism().expect("a number of cores").get();
        assert_eq!(json["machine"]["cores"], cores);
        for key in ["cpu", "os"] {
            let known = json["machine"][key].as_str().is_some_and(|name| !name.is_empty());
            assert!(known || json["machine"][key].is_null(), "{json}");
        }
    }
    assert_eq!(run["machine"], bench["machine"]);
}

#[test]
fn no_steps_measure_nothing() {
    let json = Place::new().json("--agents 100 --steps 0");
    for spread in ["/step_ms", "/draw_ms", "/phases_ms/contacts", "/phases_ms/order"] {
        for figure in ["mean", "p50", "p99", "max"] {
            let path = format!("{spread}/{figure}");
            assert_eq!(json.pointer(&path), Some(&Value::Null), "{path}");
        }
    }
    for key in ["steps_per_s", "agent_steps_per_s", "fastest"] {
        assert_eq!(json[key], Value::Null, "{key}");
    }
    assert_eq!((&json["steps"], &json["collisions"]), (&0.into(), &0.into()));
    assert!(number(&json["kinetic_energy"]) > 0.0);
}

#[test]
fn counts_have_underscores_units_and_exponents() {
    let place = Place::new();
    for (text, count) in [
        ("500_000", 500_000),
        ("500k", 500_000),
        ("1.5M", 1_500_000),
        ("0.001M", 1_000),
        ("1e6", 1_000_000),
        ("2.50e2", 250),
        ("4G", 4_000_000_000_u64),
    ] {
        let json = place.json(&format!("--agents 10 --steps 0 --seed {text}"));
        assert_eq!(json["seed"], count, "{text}");
    }
}

/// A gas of points would have the pressure N·kT/A.
#[test]
fn the_gas_has_its_density_temperature_and_pressure() {
    let json = Place::new().json("--agents 2k --seconds 2 --hz 50 --radius 0.5 --speed 4");
    assert_eq!((&json["steps"], &json["radius"][1]), (&100.into(), &0.5.into()));
    assert_eq!((&json["speed"], &json["gravity"]), (&4.0.into(), &0.0.into()));
    assert_eq!(json["restitution"], 1.0);
    let of = |key: &str| number(&json[key]);
    assert!((of("density") - 0.3).abs() < 1e-3, "{}", json["density"]);
    assert!((of("temperature") / (of("kinetic_energy") / 2000.0) - 1.0).abs() < 1e-12);
    let rate = of("collisions") / 1000.0 / 2.0;
    assert!((of("collision_rate") / rate - 1.0).abs() < 1e-6, "{}", json["collision_rate"]);
    let area = number(&json["world"]["width"]) * number(&json["world"]["height"]);
    let compressed = of("pressure") * area / (2000.0 * of("temperature"));
    // At a density of 0.3, hard discs have 2.0.
    assert!((1.7..2.3).contains(&compressed), "{compressed}");
    let none = Place::new().json("--agents 2k --steps 0");
    assert!(none["pressure"].is_null() && none["collision_rate"].is_null());
}

#[test]
fn values_are_consistent() {
    let json = Place::new().json("--agents 2k --steps 20 --warmup 3 --seed 7 --hz 50 --threads 2");
    for (key, wanted) in [
        ("scene", Value::from("gas")),
        ("agents", 2000.into()),
        ("seed", 7.into()),
        ("threads", 2.into()),
        ("steps", 20.into()),
        ("warmup", 3.into()),
        ("substeps", 1.into()),
        ("statics", 0.into()),
        ("spawned", 0.into()),
        ("removed", 0.into()),
    ] {
        assert_eq!(json[key], wanted, "{key}");
    }
    assert_eq!(number(&json["dt"]) as f32, 0.02);
    let step = |figure| number(&json["step_ms"][figure]);
    assert!(0.0 < step("p50") && step("p50") <= step("p99") && step("p99") <= step("max"));
    let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 1e-12;
    assert!(near(number(&json["steps_per_s"]), 1000.0 / step("mean")));
    assert!(near(number(&json["agent_steps_per_s"]), 2000.0 * number(&json["steps_per_s"])));
    let phases = ["contacts", "resolve", "integrate", "regrid", "order", "forces"];
    let phases: f64 = phases.iter().map(|phase| number(&json["phases_ms"][phase]["mean"])).sum();
    assert!(phases > 0.0 && phases <= step("mean") * 1.000_1, "{phases} {}", step("mean"));
    let bytes = |part| number(&json["bytes"][part]);
    let held = bytes("agents") + bytes("grid") + bytes("contacts");
    assert_eq!(bytes("total"), held + bytes("frame"));
    assert_eq!(number(&json["bytes_per_agent"]), held / 2000.0);
    assert_eq!(json["state_hash"].as_str().map(str::len), Some(16));
    assert!(number(&json["collisions"]) > 0.0, "2000 agents meet in 20 steps");
    assert!(number(&json["fastest"]) > 0.0);
}

#[test]
fn the_phases_of_all_substeps_add_up() {
    let json = Place::new().json("--agents 5k --steps 20 --substeps 10");
    let phases = ["contacts", "resolve", "integrate", "regrid"];
    let phases: f64 = phases.iter().map(|phase| number(&json["phases_ms"][phase]["mean"])).sum();
    let step = number(&json["step_ms"]["mean"]);
    assert!(phases > 0.5 * step && phases <= step * 1.000_1, "{phases} {step}");
}

#[test]
fn drawing_is_measured_separately() {
    let place = Place::new();
    let json = place.json("--agents 100 --steps 4");
    assert_eq!(json["draw_ms"]["mean"], Value::Null);
    assert_eq!(json["bytes"]["frame"], 0);
    for order in ["cell", "random"] {
        let json =
            place.json(&format!("--agents 100 --steps 4 --size 64x48 --draw --draw-order {order}"));
        assert!(number(&json["draw_ms"]["mean"]) > 0.0);
        assert!(number(&json["bytes"]["frame"]) >= 64.0 * 48.0 * 4.0);
    }
    let json = place.json("--agents 100 --steps 0 --size 64x48 --frame a.png");
    assert!(number(&json["draw_ms"]["mean"]) > 0.0, "the only draw");
}

#[test]
fn the_hash_depends_on_the_set_up_only() {
    let place = Place::new();
    let hash =
        |args: &str| place.json(&format!("--agents 3k --scene mixed {args}"))["state_hash"].clone();
    let wanted = hash("--steps 12 --threads 1");
    for args in [
        "--steps 12 --threads 2",
        "--steps 12 --threads 3",
        "--steps 5 --warmup 7",
        "--steps 0 --warmup 12",
        "--steps 12 --draw --size 32x32",
        "--steps 12 --tight 3",
    ] {
        assert_eq!(hash(args), wanted, "{args}");
    }
    assert_ne!(hash("--steps 11"), wanted);
    assert_ne!(hash("--steps 12 --seed 1"), wanted);
}

#[test]
fn each_scene_runs() {
    let place = Place::new();
    for scene in [
        "gas", "mixed", "giants", "burst", "sparse", "pile", "pegs", "cannon", "melee", "dam",
        "shear", "shock", "crystal", "cooling",
    ] {
        let json = place.json(&format!("--agents 1k --steps 2 --scene {scene}"));
        assert_eq!((&json["scene"], &json["agents"]), (&scene.into(), &1000.into()));
    }
}

#[test]
fn uses_the_given_world() {
    let json = Place::new().json("--agents 10 --steps 1 --world 300x200");
    assert_eq!(json["world"], serde_json::json!({ "width": 300.0, "height": 200.0 }));
    parse(&serde_json::to_string(&json).expect("what was read can be written"));
}

#[test]
fn an_index_changes_timings_and_no_result() {
    let place = Place::new();
    let own = place.json("--agents 500 --scene mixed --steps 20");
    for index in ["linked-double-grid", "unit-grid", "spatial-hash", "naive"] {
        let args = format!("--agents 500 --scene mixed --steps 20 --threads 2 --index {index}");
        let json = place.json(&args);
        assert_eq!(json["index"], index);
        for key in ["state_hash", "contacts", "collisions", "max_overlap", "grid"] {
            assert_eq!(json[key], own[key], "{index}: {key}");
        }
        for phase in ["contacts", "order", "regrid"] {
            assert!(number(&json["phases_ms"][phase]["max"]) > 0.0, "{index}: {phase}");
        }
        assert_ne!(json["bytes"]["grid"], own["bytes"]["grid"], "{index}");
        let sum: f64 = ["agents", "grid", "contacts", "frame"]
            .map(|part| number(&json["bytes"][part]))
            .iter()
            .sum();
        assert_eq!(sum, number(&json["bytes"]["total"]), "{index}");
    }
    assert_eq!(number(&own["phases_ms"]["order"]["max"]), 0.0);
}
