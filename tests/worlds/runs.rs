//! The world files that are kept run, snapshots have their rules, and pictures their looks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::tempdir;

use crate::{EXAMPLES, LIFE, kept, refused, report, run};
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

/// A largest speed below 0 stops agents, and one that is no number is counted.
#[test]
fn the_largest_speed_turns_no_agent_back() {
    let folder = tempdir().expect("a folder");
    let out = folder.path().join("out.csv");
    let speeds = |most: &str| {
        let path = folder.path().join("world.toml");
        let world = "world = { size = [60, 60], agents = 20, speed = 5, collisions = false }";
        let text = format!("{world}\nparam = {{ less = -1 }}\n[agent]\nspeed_max = \"{most}\"\n");
        fs::write(&path, text).expect("a file");
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
    assert_eq!(speeds("less").0, 0.0);
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
        (
            "force=900",
            "life.jostle can't go on: --set force=900 is out of range: expected 0 to 200",
        ),
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

/// The beads have the colors of their spins in the file, and without friction none spins.
#[test]
fn flags_may_take_away_what_the_colors_show() {
    let folder = tempdir().expect("a folder");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/galton.toml");
    let (path, frame) = (path.to_str().expect("a name"), folder.path().join("a.png"));
    let frame = frame.to_str().expect("a name");
    report(&[
        "run",
        "--json",
        "--scene",
        path,
        "--friction",
        "0",
        "--steps",
        "1",
        "--frame",
        frame,
    ]);
}

/// Whole worlds in the documentation run, and do what it says of them.
#[test]
fn the_documentation_runs_as_it_is_written() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("example.toml");
    let name = path.to_str().expect("a name");
    let blocks = include_str!("../../docs/worlds.md").split("```toml\n").skip(1);
    let worlds = blocks.filter_map(|block| block.split("```").next());
    // What a world reads from files is tested with these.
    let is_whole = |text: &&str| text.starts_with("world = ") && !text.contains("from = ");
    let worlds: Vec<&str> = worlds.filter(is_whole).collect();
    assert_eq!(worlds.len(), 5, "the first, of species, a maze, an epidemic, and of picks");
    for text in worlds {
        fs::write(&path, text).expect("a file");
        let output = run(&["run", "--scene", name, "--steps", "300", "--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        if text.contains("pick = ") {
            let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(json["observed"]["coins"], 30_000.0, "{json}");
            let poor = json["observed"]["poor"].as_f64().expect("a share");
            assert!((0.01..0.2).contains(&poor), "{poor}");
            let checked = run(&["check", "world", name]);
            let checked = String::from_utf8_lossy(&checked.stdout);
            for line in [
                "pay: range 2, picks payee by i.coins > 0 and random(1) < dt; about",
                "take: range 2, sums got; about",
            ] {
                assert!(checked.contains(line), "{checked}");
            }
        }
    }
}

/// What two species exchange is what one loses and the other gains: hares that are eaten, and foxes
/// that have eaten.
#[test]
fn one_fox_eats_one_hare() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("hunt.toml");
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/predators.toml"))
            .expect("a world");
    // Nothing is born and no fox starves; foxes count what they eat, and never more than one.
    let text = text
        .replace("size = [480, 270]", "size = [480, 270], collisions = false")
        .replace(", collisions = false, capacity = 240_000", "")
        .replace("births.hare = \"growth*dt * max(0, 1 - crowding*near)\"\n", "")
        .replace(
            "births.fox = \"brood*eaten\"\n",
            "set.meals = \"meals + eaten\"\nset.most = \"max(most, eaten)\"\n",
        )
        .replace("dies = \"random(4) < hunger*dt\"\n", "")
        .replace("[param]", "[columns]\nmeals = 0\nmost = 0\n[param]")
        .replace("hunt = { value = 0.45, min = 0, max = 2 }", "hunt = 60");
    let observed = "[observe]\nmeals = { of = \"meals\", as = \"sum\" }\nmost = { of = \"most\", as = \"max\" }\n\
                    hares = \"species == hare\"\n";
    fs::write(&path, format!("{text}\n{observed}")).expect("a file");
    let name = path.to_str().expect("a name");
    let output = run(&["run", "--scene", name, "--steps", "50", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let value = |name: &str| json["observed"][name].as_f64().expect(name);
    assert_eq!(value("meals"), 45_000.0 - value("hare"));
    assert_eq!((value("most"), value("fox")), (1.0, 9_000.0));
    assert!(value("meals") > 10_000.0, "{json}");
    assert!((value("hares") - value("hare") / (value("hare") + 9_000.0)).abs() < 1e-9);
}
