//! Numbers out of their ranges are refused where they are: in the file, or in the flag that set them.

use std::fs;

use tempfile::tempdir;

use crate::{BASE, LIFE, refused, run};

/// A value of `--set` is no fault of the file.
#[test]
fn values_of_flags_are_faults_of_the_flags() {
    let folder = tempdir().expect("a folder");
    for (range, value, expected) in [
        ("min = 0, max = 1", "5", "0 to 1"),
        ("min = 0", "-5", "at least 0"),
        ("max = 1", "5", "at most 1"),
    ] {
        let text =
            format!("{BASE}[param]\nvacc = {{ value = 0.5, {range} }}\n[agent]\ndrag = \"vacc\"\n");
        let set = format!("vacc={value}");
        let found = refused(&folder, &text, &["--set", &set]);
        let expected = format!(
            "jostle: --set vacc={value} is out of range: expected {expected}, as the file says of the param \
             `vacc`\n"
        );
        assert_eq!(found, expected);
    }
    let found = refused(&folder, LIFE, &["--set", "forc=1"]);
    assert!(
        found.starts_with("jostle: --set forc is no known param; did you mean force?"),
        "{found}"
    );
    for (set, expected) in [
        ("force", "--set force has no number after =; try force=0.5"),
        ("=3", "--set =3 names no param; write NAME=VALUE"),
        ("force=inf", "try force=0.5"),
    ] {
        let found = refused(&folder, LIFE, &["--set", set]);
        assert!(found.contains(expected) && !found.contains("pull"), "{found}");
    }
    let found = refused(&folder, BASE, &["--start", "agents.csv"]);
    assert!(found.contains("[[group]] with from = \"FILE.csv\""), "{found}");
}

/// What is farther away than the world is large is no neighbor of anything.
#[test]
fn a_range_is_within_the_world() {
    let folder = tempdir().expect("a folder");
    let pair = "[pair.p]\nrange = RANGE\nsum.n = \"1\"\n[agent]\ndrag = \"n\"\n";
    let walls = BASE.replace("periodic", "walls");
    for (base, range, world, expected) in [
        (BASE, "26", "100x100", Some("at most 25, a quarter of a side that repeats")),
        (
            &walls,
            "142",
            "100x100",
            Some(
                "5:9: range 142 can't be used: expected more than 0, at most 141.42136, the \
          diagonal of the world",
            ),
        ),
        (&walls, "1e-20", "100x100", Some("at least 1e-18")),
        (&walls, "141", "100x100", None),
        (
            &walls,
            "141",
            "90x90",
            Some("the pair `p` has range 141: expected more than 0, at most 127"),
        ),
        (
            BASE,
            "25",
            "90x90",
            Some("the pair `p` has range 25: expected more than 0, at most 22.5, a quarter"),
        ),
    ] {
        let text = format!("{base}{}", pair.replace("RANGE", range));
        let path = folder.path().join("world.toml");
        fs::write(&path, &text).expect("a file");
        let name = path.to_str().expect("a name");
        if let Some(expected) = expected {
            let found = refused(&folder, &text, &["--world", world]);
            assert!(found.contains(expected) && found.lines().count() == 1, "{found}");
        } else {
            let output = run(&["check", "world", name, "--threads", "1"]);
            let report = String::from_utf8_lossy(&output.stdout).into_owned();
            // No more agents are in range than there are.
            assert!(report.contains("about 200 agents in range"), "{report}");
        }
    }
}

/// Numbers that can't be are refused before the run; formulas that come to them have a meaning.
#[test]
fn limits_below_zero_are_refused() {
    let folder = tempdir().expect("a folder");
    let base = BASE.replace("boundary =", "speed = 4, boundary =");
    for (key, expected) in [
        ("speed_max = \"-6\"", "5:14: `speed_max` is -6: expected at least 0"),
        ("speed_max = -6", "5:13: `speed_max` is -6: expected at least 0"),
        ("drag = \"2 - 3\"", "5:9: `drag` is -1: expected at least 0"),
        ("drag = \"log(0)\"", "5:9: `drag` is -inf: expected at least 0"),
        ("births.red = \"-1\"", "5:15: `births` is -1: expected 0 to 15"),
        ("births.red = 16", "5:14: `births` is 16: expected 0 to 15"),
    ] {
        let found = refused(&folder, &format!("{base}[agent]\n{key}\n"), &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{key}\n{found}");
    }
    let path = folder.path().join("world.toml");
    let name = path.to_str().expect("a name");
    let energy = |key: &str| {
        fs::write(&path, format!("{base}[param]\nless = -6\n[agent]\n{key}\n")).expect("a file");
        let output = run(&["run", "--scene", name, "--steps", "3", "--json"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (json["kinetic_energy"].as_f64().expect("a number"), errors)
    };
    let (begin, _) = energy("");
    let (still, _) = energy("speed_max = \"less\"");
    assert!(still == 0.0, "{still}");
    let (faster, errors) = energy("drag = \"less\"");
    assert!(faster > begin && errors.is_empty(), "{begin} {faster} {errors}");
    // Steps of 1/60 s have no such drag.
    let (kept, errors) = energy("drag = \"10 * less\"");
    assert!((kept - begin).abs() < 1e-3 * begin, "{begin} {kept}");
    assert!(errors.contains("600") && errors.contains("line 7"), "{errors}");
}

/// Numbers as people write them, and tables of which there may be several, have their remedy.
#[test]
fn what_toml_refuses_has_a_remedy() {
    let folder = tempdir().expect("a folder");
    for (text, expected) in [
        (
            "world = { size = [100, 100], agents = 2,000 }\n",
            "1:39: 2,000 is no number in TOML; write 2_000",
        ),
        (
            "[world]\nsize = [100, 100]\nagents = 1,200,000\n",
            "3:10: 1,200,000 is no number in TOML; write 1_200_000",
        ),
        ("[world]\nsize = [100, 100]\nagents = 2k\n", "3:10: 2k is no number in TOML; write 2_000"),
        (
            "[world]\nsize = [100, 100]\nagents = 1M # all\n",
            "3:10: 1M is no number in TOML; write 1_000_000",
        ),
        (
            "[world]\nsize = [100, 100]\nagents = \"20\"\n",
            "a whole number from 1 to 1000000000, without quotes",
        ),
        (
            "world = { size = [9, 9], agents = 5, }\n[static]\ndisc = [5, 5, 1]\n",
            "several of `static`; write [[static]] above each",
        ),
        (
            "world = { size = [9, 9] }\n[group]\nagents = 5\ndisc = [5, 5, 1]\n",
            "2:2: a file may have several of `group`; write [[group]] above each",
        ),
        (
            "world = { size = [9, 9], agents = 5 }\n[static.a]\ndisc = [5, 5, 1]\n",
            "write [[static]] above each",
        ),
        (
            "world = { size = [9, 9], agents = 5 }\nstatic = 3\n",
            "static 3 can't be used: expected tables [[static]]",
        ),
    ] {
        let found = refused(&folder, text, &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{text}\n{found}");
    }
}

/// Words that formulas and TOML can't read have what to write in their place, as one fault.
#[test]
fn words_have_a_remedy() {
    let folder = tempdir().expect("a folder");
    let pull = "[matrix.pull]\nred = [1, 2]\nblue = [1, 2]\n[pair.p]\nrange = 3\nsum.n = ";
    let entry = |formula: &str| format!("{BASE}{pull}\"{formula}\"\n");
    for (text, expected) in [
        (
            entry("pull[i]"),
            "9:16: `pull` is a matrix, with an entry for the species of both; write `pull[i,j]`",
        ),
        (entry("pull(i,j)"), "9:14: `pull` is a matrix"),
        (entry("pull[red,blue]"), "9:15: `pull` is a matrix"),
        (
            format!("{}sum.m = \"n\"\n", entry("1")),
            "10:10: `n` is a sum, which is known once all neighbors",
        ),
        (
            format!("{}sum.m = \"p.n\"\n", entry("1")),
            "10:10: `p.n` is a sum, which is known once all",
        ),
        (BASE.replace("\"periodic\"", "periodic"), "is no value in TOML; write \"periodic\""),
        (
            format!("{BASE}[params]\nturn = 3\n[agent]\ndrag = \"turn\"\n"),
            "4:2: `params` is no known section; did you mean param?",
        ),
        (BASE.replace("world =", "wrld ="), "`wrld` is no known section; did you mean world?"),
    ] {
        let found = refused(&folder, &text, &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{text}\n{found}");
    }
}
