//! `--hash-every`: hashes on the way find the first step in which two runs differ.

use serde_json::{Value, json};

use crate::harness::{Place, parse};

/// The steps and hashes of a run.
fn hashes(json: &Value) -> Vec<(u64, String)> {
    let pairs = json["hashes"].as_array().expect("an array");
    let pair = |pair: &Value| {
        let hash = pair[1].as_str().expect("a hash").to_owned();
        (pair[0].as_u64().expect("a step"), hash)
    };
    pairs.iter().map(pair).collect()
}

#[test]
fn hashes_are_those_of_runs_that_end_there() {
    let place = Place::new();
    let flags = "--scene melee --agents 300 --hash-every 7";
    let json = place.json(&format!("{flags} --steps 30 --threads 2"));
    let found = hashes(&json);
    assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [0, 7, 14, 21, 28]);
    for (steps, hash) in &found {
        let ended = place.json(&format!("--scene melee --agents 300 --steps {steps}"));
        assert_eq!(ended["state_hash"], hash[..], "{steps}");
        assert_eq!(ended["hashes"], json!([]), "nothing asks for any");
    }
    // They are counted from the beginning of the run, whatever the warm-up or the command.
    let warmed = place.json(&format!("{flags} --warmup 10 --steps 20"));
    assert_eq!(hashes(&warmed), found[2..]);
    let saved = place.jostle("run --scene melee --agents 300 --steps 10 --save half.jostle");
    assert_eq!(saved.status, Some(0), "{saved:?}");
    let loaded = place.json("--load half.jostle --steps 20 --hash-every 7");
    assert_eq!(hashes(&loaded), found[2..]);
    let text = place.jostle(&format!("run {flags} --steps 30")).stdout;
    for (steps, hash) in &found {
        assert!(text.contains(&format!("state hash    {hash} after step {steps}\n")), "{text}");
    }
}

#[test]
fn the_first_step_in_which_two_runs_differ_is_found() {
    let place = Place::new();
    let run = |restitution| {
        let flags = format!("--agents 40 --steps 60 --restitution {restitution} --hash-every 1");
        hashes(&place.json(&flags))
    };
    let (one, other) = (run("1"), run("0.5"));
    assert_eq!(one.len(), 61);
    let first = one.iter().zip(&other).position(|(one, other)| one != other).expect("they differ");
    // They are the same until an agent meets another or a wall.
    assert!((1..60).contains(&first), "{first}");
    let hash = |restitution, steps: usize| {
        let flags = format!("--agents 40 --steps {steps} --restitution {restitution}");
        place.json(&flags)["state_hash"].clone()
    };
    assert_eq!(hash("1", first - 1), hash("0.5", first - 1));
    assert_ne!(hash("1", first), hash("0.5", first));
    assert!(one[first..].iter().zip(&other[first..]).all(|(one, other)| one != other));
}

#[test]
fn a_bench_compares_the_states_on_its_way() {
    let place = Place::new();
    let flags = "bench --agents 500 --warmup 5 --steps 4 --repeats 2 --index naive,double-grid";
    let ended = place.jostle(&format!("{flags} --hash-every 3 --json"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let rows = parse(&ended.stdout)["rows"].clone();
    let run = place.json("--agents 500 --steps 15 --hash-every 3");
    for row in [&rows[0], &rows[1]] {
        // Steps 6 and 7 fill the indexes, and 8 are measured.
        assert_eq!(hashes(row), hashes(&run)[2..], "{row}");
        assert_eq!(row["differs_after"], Value::Null);
        assert_eq!(row["state_hash"], run["state_hash"]);
    }
}

#[test]
fn numbers_that_are_no_interval_are_one_sentence() {
    let place = Place::new();
    for command in ["run", "bench"] {
        for wrong in ["0", "-1", "1.5", "often", ""] {
            let ended = place.jostle(&format!("{command} --agents 10 --hash-every={wrong}"));
            assert_eq!(ended.status, Some(2), "{ended:?}");
            assert!(ended.line().contains("--hash-every"), "{ended:?}");
        }
    }
    std::fs::write(place.path("a.toml"), "[run]\nhash-every = 3\n[sweep]\nseed = [1, 2]\n")
        .expect("a file");
    let ended = place.jostle("sweep a.toml --out a.csv");
    assert!(ended.status == Some(2) && ended.line().contains("hash-every"), "{ended:?}");
}
