//! Changed world files are refused with lines, or run without a number that is not finite; a check
//! says the same as a run, and what runs can be saved and loaded. `JOSTLE_SOAK_WORLDS` is the number
//! of files, and `JOSTLE_SOAK_SEED` their seed.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::Output,
    time::Duration,
};

use assert_cmd::cargo::cargo_bin_cmd;
use jostle::rng::Rng;
use tempfile::tempdir;

use crate::{EXAMPLES, kept};

/// A file with all sections and nearly all keys.
const ALL: &str = r##"# All keys.
world = { size = [60, 40], boundary = "periodic-x", seed = 3, collisions = true, radius = [0.4, 0.6], speed = 4, restitution = 0.5, friction = 0.3, rolling = 0.1, hz = 120, cell = 3, substeps = 1, tight = 8, solver = "impulse", capacity = 300 }
columns = { age = 0, heat = 0.5 }

[species]
red = { share = 1, color = "#ff8000", radius = [0.2, 0.5], speed = 3 }
blue = 2

[param]
push = { value = 2, min = 0, max = 9, step = 0.5 }
rate = 0.1

[matrix.pull]
red = [1, -1]
blue = [0.5, 0.2]

[table.bump]
points = [[0, 0], [1, 1], [3, -1]]

[[group]]
agents = 60
rectangle = [2, 2, 58, 18]
species = { red = 1, blue = 3 }
velocity = ["20 - y", "x - 30"]
columns.age = "id / 2"

[[group]]
agents = 20
ring = [30, 30, 2, 6]
species = "red"
radius = 0.3

[[static]]
polyline = [[5, 20], [20, 22], [20, 30], [5, 20]]
thickness = 0.5

[[static]]
disc = [50, 20, 1.5]

[[static]]
box = [40, 19, 44, 21]

[pair.near]
range = 3
between = ["red", "blue"]
let.w = "bump(r) * pull[i,j] / (r2 + 0.1)"
sum = { n = "1", fx = "w * dx", fy = "w * dy", warmth = "j.heat - i.heat" }

[agent]
let.cold = "heat < 0.2"
acceleration = ["push * fx + normal(1)", "push * fy - 2 * wall_y / (wall + 1)"]
drag = "exp(-age) + 0.1"
speed_max = "min(20, 5 + sqrt(n))"
set.heat = "clamp(heat + dt * near.warmth, -1, 1)"
set.age = "select(random(2) < 0.01, 0, age + dt)"

[agent.blue]
velocity = ["vx * cos(dt) - vy * sin(dt)", "vx * sin(dt) + vy * cos(dt)"]
becomes.red = "n > 4 and not (age < 1)"
dies = "random(3) < rate * dt"
births.blue = { number = "0.4 * dt * log(2 + n)", at = ["1", "normal(4)"], velocity = ["0", "vy"], set.age = "age / 2" }

[observe]
warm = "heat"
old = { of = "age > 1", over = "blue", as = "count" }

[view]
color_by = "species"
palette = "plasma"
camera = [30, 20, 60]
caption = "All of it."
"##;

/// Numbers that a run can't use, or hardly.
const EXTREMES: [&str; 20] = [
    "0",
    "-0",
    "-1",
    "0.5",
    "1e308",
    "-1e308",
    "3e38",
    "nan",
    "inf",
    "-inf",
    "9007199254740992",
    "1e-300",
    "1e-45",
    "1e-30",
    "16777217",
    "1000000001",
    "255",
    "65536",
    "1e9",
    "1e18",
];

/// Agents of a changed file at most, unless they are more than a run can have.
const AGENTS: u64 = 400;

/// The parts of a text: words, numbers, and all other letters.
fn tokens(text: &str) -> Vec<String> {
    let kind = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '_' => 1,
        '0'..='9' | '.' => 2,
        _ => 0,
    };
    let mut all: Vec<String> = Vec::new();
    let mut last = 0;
    for letter in text.chars() {
        let this = kind(letter);
        // `10_000` is one number.
        let goes_on = this > 0 && (this == last || (last == 2 && letter == '_'));
        match all.last_mut() {
            Some(token) if goes_on => token.push(letter),
            _ => {
                all.push(letter.to_string());
                last = this;
            }
        }
    }
    all
}

/// The text with so few agents that a run of it takes no time.
fn tamed(text: &str, share: u64) -> String {
    let mut all = tokens(text);
    for at in 2..all.len() {
        let of_agents = all[..at].iter().rev().take(4).any(|it| it == "agents" || it == "capacity");
        let number = all[at].replace('_', "").parse::<u64>();
        if let (true, Ok(number)) = (of_agents, number)
            && number <= 1_000_000_000
            && number > AGENTS
        {
            all[at] = (number / share).clamp(1, AGENTS).to_string();
        }
    }
    all.concat()
}

/// Any of some words that begin so.
fn any_of(all: &[String], rng: &mut Rng, is_it: impl Fn(char) -> bool) -> Option<usize> {
    let fitting = (0..all.len()).filter(|&at| all[at].starts_with(&is_it));
    let fitting: Vec<usize> = fitting.collect();
    (!fitting.is_empty()).then(|| fitting[rng.below(fitting.len() as u32) as usize])
}

/// The text with one change; `other` is that of another file.
fn changed(text: &str, other: &str, rng: &mut Rng) -> Vec<u8> {
    let kind = rng.below(12);
    if kind < 2 {
        let mut bytes = text.as_bytes().to_vec();
        let at = rng.below(bytes.len() as u32) as usize;
        let byte = if kind == 0 {
            bytes[rng.below(bytes.len() as u32) as usize]
        } else {
            rng.bits() as u8
        };
        match rng.below(3) {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, byte),
            _ => bytes[at] = byte,
        }
        return bytes;
    }
    if kind < 9 {
        let mut all = tokens(text);
        let is_word = |letter: char| letter.is_ascii_alphabetic();
        let is_number = |letter: char| letter.is_ascii_digit();
        let word = [any_of(&all, rng, is_word), any_of(&all, rng, is_word)];
        let number = any_of(&all, rng, is_number);
        match (kind, number, word) {
            (2..=6, Some(at), _) => {
                EXTREMES[rng.below(EXTREMES.len() as u32) as usize].clone_into(&mut all[at]);
            }
            (7, _, [Some(one), Some(two)]) => all.swap(one, two),
            (7, _, _) => {}
            _ => {
                let at = rng.below(all.len() as u32) as usize;
                let more = all[rng.below(all.len() as u32) as usize].clone();
                match rng.below(3) {
                    0 => drop(all.remove(at)),
                    1 => all.insert(at, more),
                    _ => all[at] = more,
                }
            }
        }
        return all.concat().into_bytes();
    }
    let mut lines: Vec<&str> = text.lines().collect();
    let others: Vec<&str> = other.lines().collect();
    let [at, to] = [0; 2].map(|_| rng.below(lines.len() as u32) as usize);
    match kind {
        9 => drop(lines.remove(at)),
        10 => lines.insert(to, lines[at]),
        _ => lines.insert(at, others[rng.below(others.len() as u32) as usize]),
    }
    lines.join("\n").into_bytes()
}

/// A run of the program that ends, or it is a fault.
fn ended(arguments: &[&str], what: &str) -> Output {
    let mut program = cargo_bin_cmd!("jostle");
    let output = program.args(arguments).timeout(Duration::from_mins(1)).output();
    let output = output.unwrap_or_else(|error| panic!("{what}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{what}: {:?} {errors}", output.status);
    output
}

fn hash(output: &Output) -> serde_json::Value {
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    json["state_hash"].clone()
}

/// The file is refused with a line, or runs; then it may be saved and loaded.
fn judge(case: usize, folder: &Path, rng: &mut Rng) -> bool {
    let [file, out, saved] =
        ["changed.toml", "out.csv", "out.jostle"].map(|name| folder.join(name));
    let [file, out, saved] = [&file, &out, &saved].map(|path| path.to_str().expect("a name"));
    let what = format!("case {case}");
    let world = ["--scene", file, "--threads", "1"];
    let first = [&["run", "--json", "--steps", "3", "--export", out], &world[..]].concat();
    let output = ended(&first, &what);
    let runs = output.status.success();
    if runs {
        let table = fs::read_to_string(out).expect("a table").to_lowercase();
        assert!(!table.contains("nan") && !table.contains("inf"), "{what}");
    } else {
        let errors = String::from_utf8_lossy(&output.stderr);
        let located = errors.lines().any(|line| line.contains("changed.toml"));
        assert!(located, "{what}: {errors}");
        assert!(!errors.contains("panicked"), "{what}: {errors}");
    }
    if rng.below(10) == 0 {
        let checked = ended(&["check", "world", file], &what);
        let errors = String::from_utf8_lossy(&checked.stderr);
        assert_eq!(runs, checked.status.success(), "{what}: {errors}");
    }
    if runs && rng.below(10) == 0 {
        let part = [&["run", "--json", "--steps", "2", "--save", saved], &world[..]].concat();
        assert!(ended(&part, &what).status.success(), "{what}");
        let rest = ended(&["run", "--json", "--steps", "1", "--load", saved], &what);
        assert_eq!(hash(&output), hash(&rest), "{what}");
    }
    runs
}

#[test]
fn changed_files_are_refused_or_run() {
    let folder = tempdir().expect("a folder");
    let number = |name: &str| std::env::var(name).ok().map(|it| it.parse::<usize>().unwrap());
    let cases = number("JOSTLE_SOAK_WORLDS").unwrap_or(100);
    let mut rng = Rng::new(0x746f_6d6c + number("JOSTLE_SOAK_SEED").unwrap_or(0) as u64);
    let texts: Vec<String> = kept()
        .into_iter()
        .map(|path| fs::read_to_string(path).expect("a file"))
        .chain(EXAMPLES.iter().chain([&ALL]).map(|&text| text.to_owned()))
        .map(|text| tamed(&text, 200))
        .collect();
    fs::write(folder.path().join("changed.toml"), ALL).expect("a file");
    assert!(judge(0, folder.path(), &mut Rng::new(0)), "the file with all keys is refused");
    let (mut ran, mut refused, mut faults) = (0, 0, Vec::new());
    for case in 1..=cases {
        let [one, other] = [0; 2].map(|_| &texts[rng.below(texts.len() as u32) as usize]);
        let mut text = changed(one, other, &mut rng);
        for _ in 0..rng.below(3) {
            let Ok(before) = String::from_utf8(text.clone()) else { break };
            text = changed(&before, other, &mut rng);
        }
        if let Ok(whole) = std::str::from_utf8(&text) {
            text = tamed(whole, 1).into_bytes();
        }
        fs::write(folder.path().join("changed.toml"), &text).expect("a file");
        let judged = catch_unwind(AssertUnwindSafe(|| {
            judge(case, folder.path(), &mut Rng::new(case as u64))
        }));
        match judged {
            Ok(true) => ran += 1,
            Ok(false) => refused += 1,
            Err(_) => {
                let kept = format!("{}/changed-{case}.toml", env!("CARGO_TARGET_TMPDIR"));
                fs::write(&kept, &text).expect("a file");
                faults.push(kept);
            }
        }
    }
    println!("{ran} ran, {refused} were refused");
    assert!(faults.is_empty(), "{faults:?}");
    assert!(ran > 0 && refused > 0, "{ran} {refused}");
}
