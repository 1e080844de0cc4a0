//! World files: the ones that are kept in `worlds` run, wrong ones are refused with their lines,
//! and snapshots have their rules.
#![cfg(feature = "cli")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use assert_cmd::cargo::cargo_bin_cmd;
use jostle::rng::Rng;
use tempfile::{TempDir, tempdir};

fn run(arguments: &[&str]) -> Output {
    cargo_bin_cmd!("jostle").args(arguments).output().expect("it runs")
}

/// The end of the report of a run: its hash, and how many agents there are.
fn report(arguments: &[&str]) -> (String, u64) {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (json["state_hash"].as_str().expect("a hash").to_owned(), json["agents"].as_u64().unwrap())
}

fn kept() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds");
    let files =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    assert!(files.len() >= 3);
    files
}

/// The standard error of a run that is refused, without the name of the file.
fn refused(folder: &TempDir, text: &str, more: &[&str]) -> String {
    let path = folder.path().join("world.toml");
    fs::write(&path, text).expect("a file");
    let name = path.to_str().expect("a name");
    let output = run(&[&["run", "--scene", name, "--steps", "3"], more].concat());
    let errors = String::from_utf8(output.stderr).expect("text").replace(name, "world.toml");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    errors
}

#[test]
fn each_world_runs_with_the_same_bits_on_any_threads_and_level() {
    for path in kept() {
        let name = path.to_str().expect("a name");
        let scene = ["run", "--scene", name, "--steps", "12", "--json"];
        let one = report(&[&scene[..], &["--threads", "1"]].concat());
        let two = report(&[&scene[..], &["--threads", "2", "--simd", "scalar"]].concat());
        assert_eq!(one, two, "{name}");
    }
}

#[test]
fn the_examples_run_as_they_are_written() {
    let folder = tempdir().expect("a folder");
    for text in EXAMPLES {
        let path = folder.path().join("example.toml");
        fs::write(&path, text).expect("a file");
        let name = path.to_str().expect("a name");
        let (_, agents) =
            report(&["run", "--scene", name, "--agents", "5k", "--steps", "8", "--json"]);
        assert!((4_990..=5_000).contains(&agents), "{agents}");
    }
}

#[test]
fn a_snapshot_has_the_rules_and_the_params() {
    let folder = tempdir().expect("a folder");
    let (half, whole) = (folder.path().join("half.jostle"), folder.path().join("whole.jostle"));
    let [half, whole] = [&half, &whole].map(|path| path.to_str().expect("a name"));
    for path in kept() {
        let name = path.to_str().expect("a name");
        let set: &[&str] =
            if name.ends_with("epidemic.toml") { &["--set", "infectivity=9"] } else { &[] };
        let scene = [&["run", "--json", "--scene", name][..], set].concat();
        report(&[&scene[..], &["--steps", "9", "--save", half]].concat());
        let all = report(&[&scene[..], &["--steps", "20", "--save", whole]].concat());
        let rest = report(&["run", "--json", "--load", half, "--steps", "11"]);
        assert_eq!(rest, all, "{name}");
    }
}

/// Cells of matrices are set as params are; reports and snapshots have the name and the params.
#[test]
fn reports_name_the_world_and_its_values() {
    let folder = tempdir().expect("a folder");
    let saved = folder.path().join("life.jostle");
    let saved = saved.to_str().expect("a name");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/particle-life.toml");
    let begin = ["run", "--json", "--agents", "800", "--steps", "5", "--scene"];
    let begin = [&begin[..], &[path.to_str().expect("a name")]].concat();
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(arguments).stdout).expect("JSON")
    };
    let set = ["--set", "force=12", "--set", "pull[red,blue]=0.75", "--save", saved];
    let report = json(&[&begin[..], &set].concat());
    assert_eq!(report["world_file"]["name"], "particle-life");
    assert_eq!(report["world_file"]["params"]["force"], 12.0);
    assert_ne!(report["state_hash"], json(&begin)["state_hash"]);
    let loaded = json(&["run", "--json", "--load", saved, "--steps", "0"]);
    assert_eq!(loaded["state_hash"], report["state_hash"]);
    assert_eq!(loaded["world_file"], report["world_file"]);
    let info = String::from_utf8(run(&["info", saved]).stdout).expect("text");
    assert!(info.contains("particle-life, a world file"), "{info}");
    assert!(info.contains("force = 12"), "{info}");
    let refused = run(&[&begin[..], &["--set", "pull[red,grey]=1"]].concat());
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(errors.contains("write MATRIX[FEELS,FELT]; matrices: pull"), "{errors}");
    assert!(json(&["run", "--json", "--agents", "100", "--steps", "0"])["world_file"].is_null());
}

/// A scene is printed as a file that runs to the same hash, and so is a world of the program.
#[test]
fn scenes_are_printed_as_files() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    let name = path.to_str().expect("a name");
    for scene in ["pegs", "cannon", "shock"] {
        let printed = run(&["scenes", "--print", scene]);
        assert!(printed.status.success());
        let text = String::from_utf8(printed.stdout).expect("text");
        assert_eq!(text.contains("rule = "), scene != "pegs", "{text}");
        fs::write(&path, text).expect("a file");
        let steps = ["run", "--json", "--steps", "3", "--scene"];
        let file = report(&[&steps[..], &[name]].concat());
        assert_eq!(file, report(&[&steps[..], &[scene]].concat()), "{scene}");
    }
    for path in kept() {
        let stem = path.file_stem().expect("a name").to_str().expect("a name");
        let printed = run(&["scenes", "--print", stem]).stdout;
        let text = fs::read(&path).expect("a file");
        assert_eq!(printed, text, "{stem} belongs into src/world/bundled.rs as it is");
    }
    let unknown = run(&["scenes", "--print", "boid"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("boids"));
    for (world, expected) in [
        ("start = \"cannon\"", "`cannon`"),
        ("start = \"gas\"\nrule = \"shock\"", "has both a start and a rule"),
        ("start = \"gas\"\nsubsteps = 0", "substeps 0"),
        ("start = \"gas\"\ndensity = 7", "density"),
        ("start = \"gas\"\nagents = 0", "agents 0"),
        ("size = [50, 50]\nagents = 5\ndensity = 0.2", "`density` is for worlds that begin"),
        ("start = \"gas\"\n[[group]]\nagents = 5\ndisc = [5, 5, 1]", "and so do groups"),
        ("rule = \"cannon\"\nsize = [9, 9]", ""),
        ("start = \"gas\"\n[species]\na = { share = 1, color = \"#12345\" }", "such as"),
        ("start = \"gas\"\n[species]\na = { share = 1, color = \"#+12345\" }", "such as"),
        ("start = \"gas\"\n[species]\na = { colour = \"red\" }", "did you mean color?"),
        ("start = \"gas\"\n[view]\ncamera = [1, 2, 0]", "a width above 0"),
        ("start = \"gas\"\n[view]\ncaption = \"a\\nb\"", "a sentence in quotes"),
    ] {
        let found = refused(&folder, &format!("[world]\n{world}\n"), &[]);
        assert!(found.contains(expected) && !found.contains("panicked"), "{world}: {found}");
    }
}

/// The examples of the documentation of the format, as they stand there.
const EXAMPLES: [&str; 3] = [
    r#"# Particle life.
world = { size = [1000, 1000], boundary = "periodic", agents = 500_000, seed = 1, collisions = false }
species = { red = 1, green = 1, blue = 1, cyan = 1, pink = 1, gold = 1 }   # shares
agent = { acceleration = ["40 * fx", "40 * fy"], drag = "2" }
[matrix.pull]   # row: who feels; column: whom
red   = [ 0.8, -0.2,  0.1,  0.0,  0.4, -0.6]
green = [-0.1,  0.6,  0.5, -0.7,  0.0,  0.2]
blue  = [ 0.3, -0.4,  0.7,  0.1, -0.5,  0.0]
cyan  = [ 0.0,  0.2, -0.3,  0.9,  0.6, -0.1]
pink  = [-0.6,  0.0,  0.4, -0.2,  0.5,  0.3]
gold  = [ 0.2, -0.5,  0.0,  0.3, -0.4,  0.8]
[pair.life]
range = 5
let.f = "select(r < 1.5, r/1.5 - 1, pull[i,j] * (1 - abs(2*r - 6.5)/3.5))"
sum = { fx = "f/r * dx", fy = "f/r * dy" }
"#,
    r#"# Boids and hawks.
world = { size = [800, 800], boundary = "periodic", agents = 100_000, seed = 1, collisions = false }
species = { boid = 0.999, hawk = 0.001 }
[pair]
flock.between = ["boid", "boid"]
flock.range = 4
flock.let.q = "select(r < 1.5, 1/r2, 0)"
flock.sum = { n = "1", vx = "j.vx", vy = "j.vy", cx = "dx", cy = "dy", sx = "q*dx", sy = "q*dy" }
fear = { between = ["boid", "hawk"], range = 12, sum = { x = "dx/r2", y = "dy/r2" } }
hunt = { between = ["hawk", "boid"], range = 12, sum = { x = "dx/r2", y = "dy/r2" } }
[agent]
boid.acceleration = ["flock.vx/n - vx + 0.3*cx/n - 2*sx - 60*fear.x", "flock.vy/n - vy + 0.3*cy/n - 2*sy - 60*fear.y"]
boid.speed_max = "12"
hawk = { acceleration = ["30*hunt.x", "30*hunt.y"], speed_max = "15" }
"#,
    r#"# Susceptible, infected, recovered.
world = { size = [2000, 2000], agents = 200_000, seed = 1, speed = 3, collisions = true }
species = { susceptible = 0.999, infected = 0.001, recovered = 0 }
columns = { age = 0 }   # seconds since the infection
[pair.contagion]
between = ["susceptible", "infected"]
range = 2
sum.dose = "1 - r/2"
[agent.susceptible]
becomes.infected = "random(1) < 0.8 * dose * dt"
[agent.infected]
set.age = "age + dt"
becomes.recovered = "age > 14"
dies = "random(2) < 0.002 * dt"
"#,
];

const LIFE: &str = include_str!("../worlds/particle-life.toml");

const BASE: &str = "world = { size = [100, 100], agents = 200, boundary = \"periodic\" }\n\
                    species = { red = 1, blue = 1 }\ncolumns = { age = 0 }\n";

#[test]
fn faults_have_a_line_a_column_and_a_remedy() {
    let folder = tempdir().expect("a folder");
    for (text, expected) in [
        ("wrld = 1", "world.toml:1:1: `wrld` is no known section; did you mean world?"),
        ("[species]\na = 1", "world.toml:1:1: there is no [world]; begin with"),
        ("world = { size = [1, 2", "world.toml:1:"),
        (
            &format!("{BASE}[pair.p]\nrange = 5\nsum.n = \"1 + q\""),
            "world.toml:6:14: there is no value or function `q`; there are",
        ),
        (
            &format!("{BASE}[pair.p]\nrange = 5\nsum.n = \"j.aage\""),
            "world.toml:6:10: there is no value or function `j.aage`; did you mean j.age?",
        ),
        (
            &format!("{BASE}[pair.p]\nrange = 50\nsum.n = \"1\""),
            "world.toml:5:9: range 50 can't be used: expected more than 0, at most 25",
        ),
        (
            &format!("{BASE}[agent]\nacceleration = [\"1\", \"j.vx\"]"),
            "world.toml:5:23: `j.vx` belongs to pairs, and an agent has no neighbor",
        ),
        (
            &format!("{BASE}[agent.green]\ndrag = \"1\""),
            "world.toml:4:8: `green` is no known key; there are let, acceleration,",
        ),
        (
            &format!("{BASE}[matrix.pull]\nred = [1]\nblue = [1, 2]"),
            "world.toml:5:7: the row `red` [1] can't be used: expected 2 numbers",
        ),
        (
            &format!("{BASE}[matrix.pull]\nred = [1, 2]"),
            "world.toml:4:9: the matrix `pull` has 1 rows: expected 2",
        ),
        ("world = { size = [10, 10], agents = 0 }", "world.toml:1:37: agents 0 can't be used"),
        ("world = { size = [10, 10], agents = 5, speed = -1 }", "world.toml:1:40: "),
        (
            &format!("{BASE}[agent]\ndies = \"age\""),
            "world.toml:5:9: `dies` takes a condition, found a number; write `a < b`, or for a rate per second \
             `random(1) < rate * dt`",
        ),
        (
            &format!("{BASE}[view]\ncolor_by = \"specis\""),
            "world.toml:5:12: `specis` is no known color mode; did you mean species?",
        ),
    ] {
        let found = refused(&folder, text, &[]);
        assert!(found.contains(expected), "{text}\n{found}");
        assert!(!found.contains("panicked"), "{found}");
    }
    let unset = refused(&folder, LIFE, &["--set", "forc=1"]);
    assert!(unset.contains("--set forc is no known param; did you mean force?"), "{unset}");
    let out = refused(&folder, LIFE, &["--set", "force=900"]);
    assert!(out.contains("the param `force` is 900: expected 0 to 200"), "{out}");
}

#[test]
fn all_faults_are_named_at_once_at_most_ten() {
    let folder = tempdir().expect("a folder");
    let sums: Vec<String> = (0..14).map(|n| format!("sum.n{n} = \"q{n}\"")).collect();
    let sums = sums.join("\n");
    let found = refused(&folder, &format!("{BASE}[pair.p]\nrange = 5\n{sums}"), &[]);
    assert_eq!(found.matches("there is no value").count(), 10, "{found}");
    assert!(found.contains("world.toml has 14 faults; these are the first 10"), "{found}");
    let both = format!("{BASE}[pair.p]\nrange = 5\nrnge = 5\nsum.n = \"q\"");
    let found = refused(&folder, &both, &[]);
    assert!(
        found.contains("world.toml:6:1: `rnge`") && found.contains("world.toml:7:10: "),
        "{found}"
    );
}

/// A wrong value is one fault: neither what it lacks nor what uses it is another.
#[test]
fn a_wrong_value_is_one_fault() {
    let folder = tempdir().expect("a folder");
    let pair = "[pair.p]\nrange = 5\nsum.n = \"1\"\n";
    for text in [
        format!("{BASE}[pair.p]\nrange = \"five\"\nsum.n = \"1\"\n[agent]\ndrag = \"n\"\n"),
        format!("{BASE}[pair.p]\nrange = 5\nsum.n = true\n[agent]\ndrag = \"n + p.n\"\n"),
        format!("{BASE}[matrix.pull]\nrde = [1, 2]\nblue = [1, 2]\n"),
        format!("{BASE}[table.bump]\npoints = [[0, \"x\"]]\n{pair}"),
        format!("{BASE}[agent]\nlet.a = true\nset.age = \"a + a\"\n"),
        "world = { size = [9, true] }\n[[group]]\nagents = 9\ndisc = [50, 50, 9]\n\
         [[static]]\npolyline = [[10, 50], [40, 50]]\nthickness = 1\n"
            .to_owned(),
        "world = { size = [-9, 9], agents = 9 }\n[[static]]\ndisc = [5, 5, 1]\n".to_owned(),
        "world = { size = [50, 50], agents = 9 }\nspecies = 3\n[agent.red]\ndrag = \"1\"\n"
            .to_owned(),
        "world = { size = [50, 50], agents = 9 }\ncolumns = 3\n[agent]\nset.age = \"age + 1\"\n"
            .to_owned(),
        "world = { size = [50, 50], agents = 9, capacity = 20 }\nspecies = { red = 1 }\n\
         [agent]\nbirths.red = true\n"
            .to_owned(),
        "world = { size = [50, 50], agents = 9 }\n[param]\np = { value = 3, min = 9, max = 1 }\n"
            .to_owned(),
    ] {
        let found = refused(&folder, &text, &[]);
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
        assert!(found.contains("world.toml:"), "{found}");
    }
}

/// What other languages write is refused with what a formula has in its place.
#[test]
fn foreign_words_have_their_remedy() {
    let folder = tempdir().expect("a folder");
    for (formula, expected) in [
        ("age > 1 && x > 2", "6:17: a formula has no `&&`; write `and`"),
        ("age > 1 || x > 2", "no `||`; write `or`"),
        ("age = 3", "6:13: a formula has no `=`; compare with `==`"),
        ("age ^ 2 > 1", "no `^`; write `x * x`"),
        ("age ** 2 > 1", "6:13: a formula has no `**`; write `x * x`"),
        ("!(age > 1)", "no `!`; write `not`"),
        ("age % 2 > 1", "no `%`; write `x - y * floor(x / y)`"),
        ("age > 1 ? x : y", "no `?`; write `select(c, a, b)`"),
        ("age => 1", "no `=>`; write `>=`"),
        ("pow(age, 2) > 1", "there is no value or function `pow`; write `x * x`"),
        ("if(age > 1, x, y) > 0", "`if`; write `select(c, a, b)`"),
        ("age > 1 # old", "a formula has no `#`; leave it out"),
    ] {
        let found =
            refused(&folder, &format!("{BASE}[agent]\ndrag = \"0\"\ndies = \"{formula}\""), &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{formula}\n{found}");
    }
}

/// What a file can't mean is refused, by a check as by a run.
#[test]
fn files_that_mean_nothing_are_refused() {
    let folder = tempdir().expect("a folder");
    let world = "world = { size = [60, 60], agents = 50, radius = 0.5 }\n";
    // More values at once than a pair has room for.
    let lets: Vec<_> = (0..75).map(|n| format!("let.v{n} = \"dx + {n}.5\"\n")).collect();
    let lets = lets.concat();
    let all: Vec<String> = (0..75).map(|n| format!("v{n}*v{}", (n + 37) % 75)).collect();
    let crowded = format!("[pair.p]\nrange = 5\n{lets}sum.one = \"{}\"\n", all.join(" + "));
    for (text, expected) in [
        (crowded.as_str(), "too many values at once"),
        ("[[static]]\n", "one of disc, box, polyline and from"),
        (
            "[[static]]\ndisc = [9, 9, 2]\nbox = [1, 1, 3, 3]\n",
            "one of disc, box, polyline and from",
        ),
        ("[[static]]\nbox = [50, 50, 70, 70]\n", "is out of range"),
        ("[columns]\nfaction = 1\n", "`faction` can't be a name"),
        ("[param]\np = { min = 0 }\n", "the param `p` has no value; add `value = 1`"),
        // The one fault that there is, in one sentence.
        (
            "[param]\np = { value = nan }\n",
            "world.toml:3:15: value nan can't be used: expected a number",
        ),
    ] {
        let found = refused(&folder, &format!("{world}{text}"), &[]);
        assert!(found.contains(expected), "{text}: {found}");
        assert!(!text.contains("nan") || found.lines().count() == 1, "{found}");
        let path = folder.path().join("world.toml");
        let checked = run(&["check", "world", path.to_str().expect("a name")]);
        assert_eq!(checked.status.code(), Some(2), "{text}");
    }
    let found = refused(&folder, "group = []\nworld = { size = [60, 60] }", &[]);
    assert!(found.contains("agents"), "{found}");
    let rolls = "world = { size = [60, 60], agents = 50, rolling = 0.2 }\n";
    assert!(refused(&folder, rolls, &[]).contains("friction"));
}

/// A largest speed below 0 stops agents, and one that is no number is counted.
#[test]
fn the_largest_speed_turns_no_agent_back() {
    let folder = tempdir().expect("a folder");
    let out = folder.path().join("out.csv");
    let speeds = |most: &str| {
        let path = folder.path().join("world.toml");
        let world = "world = { size = [60, 60], agents = 20, speed = 5, collisions = false }";
        fs::write(&path, format!("{world}\n[agent]\nspeed_max = \"{most}\"\n")).expect("a file");
        let [path, out] = [&path, &out].map(|path| path.to_str().expect("a name"));
        let output = run(&["run", "--scene", path, "--steps", "1", "--export", out]);
        assert!(output.status.success(), "{output:?}");
        let table = fs::read_to_string(out).expect("a table");
        let fastest = table.lines().skip(1).map(|line| {
            let cells: Vec<f32> = line.split(',').filter_map(|cell| cell.parse().ok()).collect();
            cells[3].hypot(cells[4])
        });
        (fastest.fold(0.0, f32::max), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(speeds("-1").0, 0.0);
    assert!((speeds("2").0 - 2.0).abs() < 1e-5);
    let (fastest, told) = speeds("sqrt(2) - 1e38*1e38 + 1e38*1e38*dt");
    assert!(fastest > 2.0 && told.contains("not written"), "{fastest} {told}");
}

/// A restored run looks as its world file says.
#[test]
fn a_snapshot_keeps_the_look() {
    let folder = tempdir().expect("a folder");
    let [saved, one, other] = ["saved.jostle", "one.png", "other.png"]
        .map(|name| folder.path().join(name).to_str().expect("a name").to_owned());
    // Colors of the start begin with the file that was loaded.
    let has_starts =
        |path: &PathBuf| fs::read_to_string(path).expect("a text").contains("color_by = \"start\"");
    for path in kept().into_iter().filter(|path| !has_starts(path)) {
        let name = path.to_str().expect("a name");
        let size = ["--size", "160x90", "--json"];
        let first = ["run", "--scene", name, "--steps", "2", "--save", &saved, "--frame", &one];
        report(&[&first[..], &size].concat());
        let then = ["run", "--load", &saved, "--steps", "0", "--frame", &other];
        report(&[&then[..], &size].concat());
        assert_eq!(
            fs::read(&one).expect("a picture"),
            fs::read(&other).expect("another"),
            "{name}"
        );
    }
}

/// Files with a few bytes changed are refused, or run without a number that is not finite.
#[test]
fn changed_files_are_refused_or_run() {
    let folder = tempdir().expect("a folder");
    let cases = std::env::var("JOSTLE_SOAK_WORLDS").map_or(60, |cases| cases.parse().unwrap());
    let mut rng = Rng::new(0x746f_6d6c);
    let of_files = kept().into_iter().map(|path| fs::read(path).expect("a file"));
    let texts: Vec<Vec<u8>> =
        of_files.chain(EXAMPLES.map(|text| text.as_bytes().to_vec())).collect();
    let path = folder.path().join("changed.toml");
    let out = folder.path().join("out.csv");
    let [name, out] = [&path, &out].map(|path| path.to_str().expect("a name"));
    let (mut ran, mut refused) = (0, 0);
    for case in 0..cases {
        let mut text = texts[rng.below(texts.len() as u32) as usize].clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(text.len() as u32) as usize;
            let other = text[rng.below(text.len() as u32) as usize];
            match rng.below(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, other),
                2 => text[at] = other,
                _ => {
                    let end = (at + rng.below(12) as usize).min(text.len());
                    let part: Vec<u8> = text[at..end].to_vec();
                    let to = rng.below(text.len() as u32) as usize;
                    text.splice(to..to, part);
                }
            }
        }
        fs::write(&path, &text).expect("a file");
        let output = run(&["run", "--scene", name, "--steps", "3", "--export", out]);
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {
                let table = fs::read_to_string(out).expect("a table").to_lowercase();
                assert!(!table.contains("nan") && !table.contains("inf"), "case {case}");
                ran += 1;
            }
            Some(2) => {
                let located = errors.lines().any(|line| line.contains("changed.toml"));
                assert!(located || errors.contains("--"), "case {case}: {errors}");
                refused += 1;
            }
            _ => panic!("case {case}: {errors}"),
        }
    }
    assert!(ran > 0 && refused > 0, "{ran} {refused}");
}

/// A saved run goes on with another value, from the next step on, as a run of the window would.
#[test]
fn a_saved_run_takes_values() {
    let folder = tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let [world, saved, again] = ["life.toml", "life.jostle", "again.jostle"].map(file);
    fs::write(&world, LIFE.replace("agents = 30_000", "agents = 2_000")).expect("a file");
    let begin = run(&["run", "--scene", &world, "--steps", "4", "--save", &saved]);
    assert!(begin.status.success(), "{}", String::from_utf8_lossy(&begin.stderr));
    let load = ["run", "--load", &saved, "--steps", "4", "--json"];
    let set = ["--set", "force=31", "--set", "pull[red,blue]=0.5", "--save", &again];
    let plain = report(&load);
    let changed = report(&[&load[..], &set].concat());
    assert_ne!(plain, changed);
    assert_eq!(plain.1, changed.1);
    let info = run(&["info", &again]);
    assert!(String::from_utf8_lossy(&info.stdout).contains("force = 31"));
    for (set, expected) in [
        ("force=900", "the param `force` is 900: expected 0 to 200"),
        ("forc=1", "--set forc is no known param; did you mean force?"),
        ("pull[red,grey]=1", "is no cell of a matrix"),
    ] {
        let output = run(&[&load[..], &["--set", set]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(expected), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    let gas = file("gas.jostle");
    run(&["run", "--agents", "100", "--steps", "1", "--save", &gas]);
    let output = run(&["run", "--load", &gas, "--steps", "1", "--set", "force=3"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && errors.contains("belongs to a world"), "{errors}");
}

/// A picture shows what the file says, unless a flag says otherwise; so does one of a saved run.
#[test]
fn pictures_have_the_camera_of_the_file() {
    let folder = tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let [world, saved, out] = ["seen.toml", "seen.jostle", "seen.png"].map(file);
    let text = "world = { size = [90, 60], agents = 300 }\n";
    let picture = |text: &str, from: &[&str], more: &[&str]| {
        fs::write(&world, text).expect("a file");
        let arguments = ["--steps", "2", "--size", "320x240", "--frame", &out];
        let output = run(&[&["run"], from, &arguments[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(&out).expect("a picture")
    };
    let scene = ["--scene", &*world];
    let part = ["--view", "30,40,20"];
    let seen = format!("{text}view = {{ camera = [30, 40, 20] }}\n");
    let whole = picture(text, &scene, &[]);
    let zoomed = picture(text, &scene, &part);
    assert_ne!(whole, zoomed);
    assert_eq!(picture(&seen, &scene, &["--save", &saved]), zoomed);
    assert_ne!(picture(&seen, &scene, &["--view", "45,30,90"]), zoomed);
    let load = ["--load", &*saved];
    assert_eq!(picture(&seen, &load, &[]), picture(&seen, &load, &part));
}

/// A check names all that decides a run: friction, statics, what agents do, and the start of scenes.
#[test]
fn a_check_leaves_nothing_out() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("all.toml");
    let name = path.to_str().expect("a name");
    let checked = |text: &str| {
        fs::write(&path, text).expect("a file");
        let output = run(&["check", "world", name, "--threads", "1"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let found = checked(
        "world = { size = [80, 80], friction = 0.4, rolling = 0.1, restitution = 0.5, gravity = 3 }\n\
         species = { red = 1, blue = 1 }\ncolumns = { age = 0 }\n\
         [matrix.pull]\nred = [1, 2]\nblue = [3, 4]\n[table.bump]\npoints = [[0, 1], [1, 0]]\n\
         [[group]]\nagents = 50\ndisc = [40, 60, 15]\n[[static]]\nbox = [0, 0, 80, 3]\n\
         [[static]]\ndisc = [20, 20, 5]\n[pair.p]\nrange = 3\nbetween = [\"red\", \"blue\"]\n\
         sum.n = \"1\"\n[agent]\nset.age = \"age + n\"\nspeed_max = \"9\"\n\
         [agent.red]\ndrag = \"0.5\"\nbecomes.blue = \"age > 90\"\ndies = \"age > 99\"\n",
    );
    for line in [
        "friction 0.4, rolling 0.1",
        "restitution 0.5",
        "gravity    3",
        "group      50 agents in a disc around 40, 60",
        "statics    1 disc, 1 box",
        "matrix     pull: 2 x 2",
        "table      bump: 2 points",
        "pair       p: range 3, red feel blue, sums n",
        "agent      all: age = age + n",
        "agent      all: speed_max 9",
        "agent      red: drag 0.5",
        "agent      red: becomes blue if age > 90",
        "agent      red: dies if age > 99",
    ] {
        assert!(found.contains(line), "{line}\n{found}");
    }
    let found = checked("world = { start = \"dam\", agents = 800, friction = 0.3 }");
    for line in ["begins as dam", "contact solver", "friction 0.3", "gravity"] {
        assert!(found.contains(line), "{line}\n{found}");
    }
}

#[test]
fn a_check_prints_what_a_file_says() {
    for path in kept() {
        let output = run(&["check", "world", path.to_str().expect("a name")]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("agents "), "{text}");
        assert!(text.contains("\nstep ") && text.contains(" ms at the start"), "{text}");
    }
}

/// A rule that takes seconds per step is named before it runs, and a check does not wait for it.
#[test]
fn a_slow_rule_is_named_before_it_runs() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("slow.toml");
    let name = path.to_str().expect("a name");
    let world =
        "world = { size = [300, 300], agents = 60_000, radius = 0.1, collisions = false }\n";
    for (range, is_slow) in [(100, true), (3, false)] {
        fs::write(&path, format!("{world}[pair.all]\nrange = {range}\nsum.n = \"1\"\n"))
            .expect("a file");
        let output = run(&["check", "world", name]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert_eq!(errors.contains("the pair `all` has about"), is_slow, "{errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).contains("\nstep "), !is_slow);
    }
}
