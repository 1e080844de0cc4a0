//! `--series`: one whole row every N steps, whatever ends the run.

use std::{
    fs,
    io::Read,
    time::{Duration, Instant},
};

use crate::harness::{Place, jostle};

/// The columns that the contract names, in its order.
const CONTRACT: &str = "step,time,agents,awake,kinetic_energy,temperature,momentum_x,momentum_y,\
    contacts,collisions,max_overlap,pressure_virial,pressure_wall";

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("a number: {text}"))
}

#[test]
fn rows_add_up_to_the_report() {
    let place = Place::new();
    let args = "--agents 500 --steps 100 --warmup 10";
    let json = place.json(&format!("{args} --series a.csv --series-every 30"));
    let text = fs::read_to_string(place.path("a.csv")).expect("the table");
    assert!(text.starts_with(CONTRACT), "{text}");
    let rows = rows(&text);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let steps: Vec<&str> = rows[1..].iter().map(|row| row[0]).collect();
    assert_eq!(steps, ["10", "40", "70", "100"]);
    // The rows end at step 100, the run at step 110.
    let shorter = place.json("--agents 500 --steps 90 --warmup 10");
    let collisions: f64 = rows[1..].iter().map(|row| number(row[9])).sum();
    assert_eq!(collisions, number(&shorter["collisions"].to_string()));
    let last = rows.last().expect("rows");
    assert_eq!(number(last[4]), number(&shorter["kinetic_energy"].to_string()));
    assert_eq!(number(last[8]), number(&shorter["contacts"].to_string()));
    // The first row has no time behind it, and what takes some is empty.
    assert_eq!((rows[1][11], rows[1][12], rows[1][13]), ("", "", ""));
    assert!(number(last[11]) > 0.0 && number(last[12]) > 0.0);
    let without = place.json(args);
    assert_eq!(json["state_hash"], without["state_hash"]);
}

#[test]
fn a_series_changes_no_bit() {
    let place = Place::new();
    for args in [
        "--scene pile --agents 400 --steps 700",
        "--scene melee --agents 500 --steps 300",
        "--agents 500 --steps 200 --collisions swept --boundary periodic",
    ] {
        let [with, without] = [" --series a.csv --series-every 7", ""]
            .map(|series| place.json(&format!("{args}{series}"))["state_hash"].clone());
        assert_eq!(with, without, "{args}");
    }
}

/// The rows behind which a table ends that is not the run's own are left as they are.
#[test]
fn what_stood_in_a_file_stays_there() {
    let place = Place::new();
    let before = "a line of another program\n".repeat(400);
    fs::write(place.path("log"), &before).expect("a file");
    let run = format!("{} run --agents 100 --steps 500 --series -", env!("CARGO_BIN_EXE_jostle"));
    let ended = std::process::Command::new("sh")
        .args(["-c", &format!("ulimit -f 40; exec {run} >> log")])
        .current_dir(place.path(""))
        .output()
        .expect("a shell");
    assert!(!ended.status.success(), "{ended:?}");
    let after = fs::read_to_string(place.path("log")).expect("a file");
    assert!(after.starts_with(&before) && after.len() > before.len(), "{}", after.len());

    // A run that is refused before its first row leaves the table of another.
    fs::write(place.path("old.csv"), "a table\n").expect("a file");
    let ended = place.jostle("run --agents 10 --density 0.89 --series old.csv --steps 1");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert_eq!(fs::read_to_string(place.path("old.csv")).expect("a file"), "a table\n");
}

#[test]
fn a_run_ends_when_nothing_reads_its_rows() {
    let place = Place::new();
    let mut run = jostle(&place, "run --agents 10 --steps 1e9 --series -");
    run.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut child = run.spawn().expect("it starts");
    let mut some = [0; 100];
    let mut rows = child.stdout.take().expect("piped");
    rows.read_exact(&mut some).expect("rows");
    drop(rows);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn what_is_not_available_is_empty() {
    let place = Place::new();
    place.json("--agents 300 --steps 5 --scene pile --series pile.csv");
    place.json("--agents 300 --steps 5 --boundary periodic --series free.csv");
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("the table");
    let (pile, free) = (read("pile.csv"), read("free.csv"));
    for row in &rows(&pile)[1..] {
        assert_eq!((row[11], row[12]), ("", ""), "contacts of a pile last");
    }
    for row in &rows(&free)[2..] {
        assert!(number(row[11]) > 0.0 && row[12].is_empty(), "there is no wall");
    }
}

#[test]
fn a_killed_run_leaves_whole_rows() {
    let place = Place::new();
    let mut run = jostle(&place, "run --agents 2k --steps 1e9 --series a.csv");
    let mut child = run.spawn().expect("it starts");
    let begun = Instant::now();
    let read = || fs::read_to_string(place.path("a.csv")).unwrap_or_default();
    while read().lines().count() < 20 {
        assert!(begun.elapsed() < Duration::from_mins(1), "rows come while it runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let text = read();
    assert!(text.ends_with('\n'));
    let rows = rows(&text);
    assert!(rows.len() >= 20 && rows.iter().all(|row| row.len() == rows[0].len()));
}

#[test]
fn bad_files_are_one_sentence() {
    let place = Place::new();
    for (args, part, status) in [
        ("--series /dev/full", "the disk is full", 1),
        ("--series nowhere/a.csv", "its folder doesn't exist", 1),
        ("--series a.txt", "ends in .csv", 2),
        ("--series a.csv --series-every 0", "--series-every 0", 2),
        ("--series-every 3", "--series", 2),
        ("--series - --export -", "both write to stdout", 2),
        ("--series a.csv --export ./a.csv", "both name a.csv", 2),
    ] {
        let ended = place.jostle(&format!("run --agents 10 --steps 3 {args}"));
        assert!(ended.line().contains(part), "{args}: {ended:?}");
        assert_eq!(ended.status, Some(status), "{args}: {ended:?}");
    }
    assert!(place.names().is_empty(), "{:?}", place.names());
}

#[test]
fn rows_go_to_stdout() {
    let place = Place::new();
    let mut run = jostle(&place, "run --agents 10 --steps 3 --series -");
    run.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut child = run.spawn().expect("it starts");
    let mut text = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut text).expect("UTF-8");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(rows(&text).len(), 5, "{text}");
}
