//! Quantities that world files observe: their values are those of the agents, and the same on any
//! threads; wrong ones are refused with their lines.
#![cfg(feature = "cli")]

use std::{fs, path::Path};

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use tempfile::tempdir;

const WORLD: &str = r#"
world = { size = [120, 90], agents = 40_000, speed = 4, collisions = false, radius = 0.1 }
species = { red = 3, "blue, pale" = 1 }
columns = { age = 0, gray = 2 }
param = { limit = 5 }
[agent]
set.age = "age + random(1)"
[pair.near]
range = 1
sum.n = "1"
[observe]
energy = "0.5*radius*radius*(vx*vx + vy*vy)"
age = { of = "age", over = "red", as = "mean" }
oldest = { of = "age", as = "max" }
youngest = { of = "age", over = "blue, pale", as = "min" }
left = { of = "x < width/2", as = "count" }
share = "x < width/2"
all = { as = "count", over = "red" }
total = { of = "gray * limit", as = "sum" }
wrong = "1e30 * 1e30 * age"
"#;

fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = cargo_bin_cmd!("jostle");
    let output = command.current_dir(folder).args(arguments.split(' ')).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn quantities_are_those_of_the_agents() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    // A species and a column can't both be observed as `age`.
    fs::write(folder.join("world.toml"), WORLD.replace("\nage = {", "\nmean_age = {"))
        .expect("a file");
    let line = "run --scene world.toml --steps 20 --json --export out.csv --series out.series.csv --series-every 10";
    let observed = |more: &str| {
        let (status, json, errors) = run(folder, &format!("{line} {more}"));
        assert_eq!(status, Some(0), "{errors}");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let series = fs::read_to_string(folder.join("out.series.csv")).expect("a table");
        (json["observed"].clone(), series)
    };
    let (values, series) = observed("--threads 1");
    assert_eq!(observed("--threads 2 --simd scalar"), (values.clone(), series.clone()));
    let names = ",red,\"blue, pale\",energy,mean_age,oldest,youngest,left,share,all,total,wrong\n";
    assert!(series.contains(names), "{series}");
    let table = fs::read_to_string(folder.join("out.csv")).expect("a table");
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let header = rows.next().expect("a header");
    let rows: Vec<Vec<f64>> =
        rows.map(|row| row.iter().map(|cell| cell.parse().expect("a number")).collect()).collect();
    let at = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    let column = |name: &str, species: Option<f64>| -> Vec<f64> {
        let is_in = |row: &&Vec<f64>| species.is_none_or(|species| row[at("species")] == species);
        rows.iter().filter(is_in).map(|row| row[at(name)]).collect()
    };
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let energy: Vec<f64> = rows
        .iter()
        .map(|row| 0.5 * 0.01 * (row[at("vx")].powi(2) + row[at("vy")].powi(2)))
        .collect();
    let left = rows.iter().filter(|row| row[at("x")] < 60.0).count() as f64;
    let ages = column("age", None);
    let young = column("age", Some(1.0));
    for (name, expected, error) in [
        ("red", 30_000.0, 0.0),
        ("blue, pale", 10_000.0, 0.0),
        ("energy", mean(&energy), 1e-6),
        ("mean_age", mean(&column("age", Some(0.0))), 1e-6),
        ("oldest", ages.iter().copied().fold(0.0, f64::max), 1e-6),
        ("youngest", young.iter().copied().fold(f64::MAX, f64::min), 1e-6),
        ("left", left, 0.0),
        ("share", left / 40_000.0, 1e-9),
        ("all", 30_000.0, 0.0),
        ("total", 400_000.0, 0.0),
    ] {
        let found = values[name].as_f64().expect(name);
        assert!(
            (found - expected).abs() <= error * expected.max(1.0),
            "{name}: {found} {expected}"
        );
    }
    assert!(values["wrong"].is_null());
    let last = series.lines().last().expect("a row");
    assert!(
        last.ends_with(&format!(",{},400000,", values["all"].as_f64().expect("a number"))),
        "{last}"
    );
    let (_, none, _) = run(folder, "run --agents 50 --steps 1 --json");
    let json: Value = serde_json::from_str(&none).expect("JSON");
    assert!(json["observed"].is_null() && json.get("observed").is_some());
    // A restored run observes the same.
    let (status, ..) = run(folder, "run --scene world.toml --steps 20 --save half.jostle");
    assert_eq!(status, Some(0));
    let (_, json, _) = run(folder, "run --load half.jostle --steps 0 --json");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["observed"], values);
    let (_, checked, _) = run(folder, "check world world.toml");
    assert!(checked.contains("observed   mean_age: mean of age over red\n"), "{checked}");
    assert!(checked.contains("observed   red: count of agents over red\n"), "{checked}");
}

#[test]
fn wrong_quantities_are_refused() {
    let folder = tempdir().expect("a folder");
    let (base, _) = WORLD.split_once("[observe]").expect("a section");
    for (quantity, expected) in [
        ("n = \"near.n\"", "12:6: `near.n` is a sum, which is known within a step alone; keep it"),
        ("m = \"n\"", "12:6: `n` is a sum"),
        ("m = \"agee\"", "12:6: there is no value or function `agee`; did you mean age?"),
        ("m = { of = \"x\", over = \"rd\" }", "12:24: `rd` is no known species; did you mean red?"),
        (
            "m = { of = \"x\", as = \"men\" }",
            "12:22: `men` is no known value of `as`; did you mean mean?",
        ),
        ("m = { of = \"x\", as = \"count\" }", "12:13: `count` takes a condition, found a number"),
        ("m = { as = \"mean\" }", "12:1: `m` has no formula; add `of = \"x\"`"),
        ("m = { off = \"x\" }", "12:7: `off` is no known key; did you mean of?"),
        ("red = \"x\"", "12:1: `red` can't be observed: the number of that species is observed"),
        ("agents = \"x\"", "12:1: `agents` can't be observed: each run has a quantity"),
        ("x = \"1\"", "12:1: `x` can't be a name: it has a meaning already"),
        ("m = [1]", "12:5: m [1] can't be used: expected a formula in quotes"),
    ] {
        let text = format!("{base}[observe]\n{quantity}\n");
        fs::write(folder.path().join("world.toml"), text).expect("a file");
        for command in ["run --scene world.toml --steps 1", "check world world.toml"] {
            let (status, _, errors) = run(folder.path(), command);
            assert_eq!(status, Some(2), "{quantity}: {errors}");
            assert!(errors.contains(&format!("world.toml:{expected}")), "{quantity}: {errors}");
        }
    }
}

/// Agents die in step 4 if they are old, and in step 7 in the left half: a row of the series has the
/// living alone, and so has the end.
#[test]
fn the_dead_are_not_observed() {
    const DYING: &str = r#"
world = { size = [100, 100], agents = 2_000, collisions = false, radius = 0.1 }
species = { old = 1, young = 1 }
columns = { t = 0 }
[agent]
set.t = "t + 1"
dies = "step >= 6 and x < 50"
[agent.old]
dies = "step >= 3"
[observe]
old_mean = { of = "t", over = "old" }
young_sum = { of = "t", over = "young", as = "sum" }
least_x = { of = "x", as = "min" }
left = { of = "x < 50", as = "count" }
all = { as = "count" }
"#;
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("world.toml"), DYING).expect("a file");
    let line = "run --scene world.toml --steps 9 --json --export out.csv --series out.series.csv --series-every 1";
    let (status, json, errors) = run(folder, line);
    assert_eq!(status, Some(0), "{errors}");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let series = fs::read_to_string(folder.join("out.series.csv")).expect("a table");
    let mut lines = series.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 10);
    let cell = |step: usize, name: &str| -> Option<f64> {
        let column = header.iter().position(|column| *column == name).expect("a column");
        rows[step][column].parse().ok()
    };
    let [old, young] = ["old", "young"].map(|name| cell(0, name).expect("a count"));
    assert_eq!(old + young, 2_000.0);
    for (step, row) in rows.iter().enumerate() {
        let is_left = |dead: bool, count: f64| if dead { 0.0 } else { count };
        let old = is_left(step >= 4, old);
        assert_eq!(cell(step, "old"), Some(old), "{row:?}");
        // Without agents there is no mean: the cell is empty.
        assert_eq!(cell(step, "old_mean"), (step < 4).then_some(step as f64), "{row:?}");
        let young = cell(step, "young").expect("a count");
        assert_eq!(cell(step, "young_sum"), Some(young * step as f64), "{row:?}");
        assert_eq!(cell(step, "all"), Some(old + young), "{row:?}");
        assert_eq!(cell(step, "left") == Some(0.0), step >= 7, "{row:?}");
        assert_eq!(cell(step, "least_x") >= Some(50.0), step >= 7, "{row:?}");
    }
    let exported = fs::read_to_string(folder.join("out.csv")).expect("a table");
    let living = exported.lines().count() - 1;
    assert!(living > 400 && living < 600, "{living}");
    assert_eq!(json["observed"]["all"], living as f64);
}
