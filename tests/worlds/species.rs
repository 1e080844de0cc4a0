//! The section `[species]`: as many agents of each, as large and as fast as it says.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{refused, run};

/// An agent of an export: species, radius, and the components of its velocity.
struct Row {
    species: usize,
    radius: f32,
    velocity: [f32; 2],
}

/// The agents at the start of a world, and the report of the run.
fn start(folder: &TempDir, text: &str, more: &[&str]) -> (Vec<Row>, Value) {
    let [path, table] = ["world.toml", "out.csv"].map(|name| folder.path().join(name));
    fs::write(&path, text).expect("a file");
    let [name, out] = [&path, &table].map(|path| path.to_str().expect("a name"));
    let arguments = ["run", "--scene", name, "--steps", "0", "--json", "--export", out];
    let output = run(&[&arguments[..], more].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(!errors.contains("overlap"), "{errors}");
    let json = serde_json::from_slice(&output.stdout).expect("JSON");
    (rows(&table), json)
}

fn rows(table: &Path) -> Vec<Row> {
    let text = fs::read_to_string(table).expect("a table");
    let (header, lines) = text.split_once('\n').expect("lines");
    let place = |name: &str| header.split(',').position(|column| column == name).expect("a column");
    let [species, radius, vx, vy] = ["species", "radius", "vx", "vy"].map(place);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse().expect("a number");
        Row {
            species: cells[species].parse().expect("a species"),
            radius: number(radius),
            velocity: [vx, vy].map(number),
        }
    };
    lines.lines().map(row).collect()
}

fn counts(rows: &[Row]) -> Vec<usize> {
    let most = rows.iter().map(|row| row.species).max().unwrap_or(0);
    (0..=most).map(|of| rows.iter().filter(|row| row.species == of).count()).collect()
}

/// The smallest radius, the mean and the largest of a species; and the same of speeds.
fn of_species(rows: &[Row], species: usize) -> [[f32; 3]; 2] {
    let own: Vec<&Row> = rows.iter().filter(|row| row.species == species).collect();
    let speed = |row: &Row| row.velocity[0].hypot(row.velocity[1]);
    let [radii, speeds]: [Vec<f32>; 2] =
        [own.iter().map(|row| row.radius).collect(), own.iter().map(|row| speed(row)).collect()];
    [radii, speeds].map(|all| {
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        [all.iter().copied().fold(f32::MAX, f32::min), mean, all.into_iter().fold(0.0, f32::max)]
    })
}

#[test]
fn counts_are_exact_and_shares_divide_the_others() {
    let folder = tempdir().expect("a folder");
    let world = "world = { size = [300, 300], agents = 1_000 }\n";
    for (species, more, expected) in [
        ("red = { count = 7 }\nblue = 1\ngreen = 3", &[][..], &[7, 248, 745][..]),
        ("red = 1\nblue = { count = 999 }", &[], &[1, 999]),
        ("red = 1\nblue = { count = 0 }", &[], &[1_000]),
        ("red = { count = 400 }\nblue = { count = 600 }\ngreen = 0", &[], &[400, 600]),
        ("red = { count = 7 }\nblue = 1", &["--agents", "2k"], &[7, 1_993]),
    ] {
        let (rows, _) = start(&folder, &format!("{world}[species]\n{species}\n"), more);
        assert_eq!(counts(&rows), expected, "{species}");
    }
    // Without a number of agents, they are those that are counted.
    let open = "world = { size = [300, 300] }\n[species]\nred = { count = 30 }\nblue = 0\n\
                green = { count = 12 }\n";
    assert_eq!(counts(&start(&folder, open, &[]).0), [30, 0, 12]);
    let scene = "world = { start = \"gas\" }\n[species]\nred = { count = 30 }\n\
                 blue = { count = 12, color = \"#0080ff\" }\n";
    assert_eq!(counts(&start(&folder, scene, &[]).0), [30, 12]);
}

#[test]
fn a_species_is_as_large_and_as_fast_as_it_says() {
    let folder = tempdir().expect("a folder");
    let text = "world = { size = [400, 300], agents = 4_000, radius = 0.4, speed = 3, hz = 120 }\n\
                [species]\ndust = 1\nball = { count = 50, radius = [2, 4], speed = 12 }\n\
                stone = { count = 300, radius = 1.5, speed = 0 }\n";
    for more in [&[][..], &["--boundary", "periodic"]] {
        let (rows, json) = start(&folder, text, more);
        assert_eq!(counts(&rows), [3_650, 50, 300]);
        assert_eq!(json["radius"], serde_json::json!([0.4, 4.0]));
        let [radii, speeds] = of_species(&rows, 0);
        assert_eq!(radii[0].to_bits(), radii[2].to_bits());
        assert_eq!(radii[0], 0.4);
        assert!(speeds[0] >= 1.5 && speeds[2] <= 4.5 && (speeds[1] - 3.0).abs() < 0.1);
        let [radii, speeds] = of_species(&rows, 1);
        assert!(radii[0] < 2.1 && radii[2] > 3.9 && (radii[1] - 3.0).abs() < 0.01, "{radii:?}");
        assert!(speeds[0] >= 6.0 && speeds[2] <= 18.0 && (speeds[1] - 12.0).abs() < 2.0);
        let [radii, speeds] = of_species(&rows, 2);
        assert_eq!((radii[0], radii[2], speeds[2]), (1.5, 1.5, 0.0));
    }
    // None overlaps another, so that nothing collides before it moves.
    let still = text.replace("speed = 3", "speed = 0").replace("speed = 12", "speed = 0");
    let (_, json) = start(&folder, &still, &[]);
    assert_eq!(json["kinetic_energy"].as_f64(), Some(0.0), "{json}");
    assert_eq!(json["max_overlap"].as_f64(), Some(0.0), "{json}");
    let path = folder.path().join("world.toml");
    let name = path.to_str().expect("a name");
    let output = run(&["run", "--scene", name, "--steps", "1", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["kinetic_energy"].as_f64(), Some(0.0), "{json}");
    // A check says it all.
    fs::write(&path, text).expect("a file");
    let output = run(&["check", "world", name]);
    let found = String::from_utf8(output.stdout).expect("text");
    for line in [
        "species    dust: 3,650\n",
        "species    ball: 50, radius 2 to 4, speed 12\n",
        "species    stone: 300, radius 1.5, speed 0\n",
    ] {
        assert!(found.contains(line), "{found}");
    }
}

/// A group says how large and how fast its agents are; where it does not, their species does, and
/// else the world.
#[test]
fn groups_come_first_then_species_then_the_world() {
    let folder = tempdir().expect("a folder");
    let text = "world = { size = [200, 200], radius = 0.2, speed = 5 }\n\
                species = { red = { radius = [0.5, 0.7], speed = 0 }, blue = 1 }\n\
                [[group]]\nagents = 300\nrectangle = [5, 5, 90, 195]\nspecies = { red = 1, blue = 2 }\n\
                [[group]]\nagents = 40\nrectangle = [100, 5, 195, 90]\nspecies = \"red\"\nradius = 1.5\n\
                velocity = [\"2\", \"0\"]\n\
                [[group]]\nfrom = \"some.csv\"\n";
    let table = "x,y,species\n150,150,0\n155,150,1\n160,150,0\n";
    fs::write(folder.path().join("some.csv"), table).expect("a table");
    let (rows, json) = start(&folder, text, &[]);
    assert_eq!(counts(&rows), [142, 201]);
    assert_eq!(json["radius"], serde_json::json!([0.2, 1.5]));
    for row in &rows[..300] {
        let speed = row.velocity[0].hypot(row.velocity[1]);
        if row.species == 0 {
            assert!((0.5..=0.7).contains(&row.radius) && speed == 0.0);
        } else {
            assert!(row.radius == 0.2 && (2.5..=7.5).contains(&speed));
        }
    }
    let red: f32 = rows[..300].iter().filter(|row| row.species == 0).map(|row| row.radius).sum();
    assert!((red / 100.0 - 0.6).abs() < 1e-3, "{red}");
    for row in &rows[300..340] {
        assert_eq!((row.radius, row.velocity), (1.5, [2.0, 0.0]));
    }
    let of_table: Vec<f32> = rows[340..].iter().map(|row| row.radius).collect();
    assert!(of_table[1] == 0.2 && of_table[0] < 0.6 && of_table[2] > 0.6, "{of_table:?}");
    // The radii of one group are not those of another that states none.
    let plain = text.replace("{ radius = [0.5, 0.7], speed = 0 }", "1");
    let (rows, _) = start(&folder, &plain, &[]);
    assert!(rows[..300].iter().all(|row| row.radius == 0.2), "{}", rows[0].radius);
}

/// The bits depend on neither threads, SIMD level, index nor saving and loading.
#[test]
fn species_begin_with_the_same_bits_everywhere() {
    let folder = tempdir().expect("a folder");
    let [path, saved] = ["world.toml", "half.jostle"].map(|name| folder.path().join(name));
    let [name, saved] = [&path, &saved].map(|path| path.to_str().expect("a name"));
    let text = "world = { size = [300, 200], agents = 3_000, seed = 5, boundary = \"periodic\" }\n\
                [species]\ndust = { radius = [0.2, 0.3], speed = 6 }\nball = { count = 9, radius = 6, speed = 2 }\n\
                [pair.pull]\nbetween = [\"dust\", \"ball\"]\nrange = 20\nsum = { x = \"dx/r2\", y = \"dy/r2\" }\n\
                [agent.dust]\nacceleration = [\"9*x/r\", \"9*y\"]\n"
        .replace("9*x/r", "9*pull.x")
        .replace("9*y", "9*pull.y");
    fs::write(&path, text).expect("a file");
    let hash = |arguments: &[&str]| {
        let output = run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json["state_hash"].clone()
    };
    let run_of = |more: &[&str]| hash(&[&["run", "--json", "--scene", name], more].concat());
    let one = run_of(&["--steps", "40", "--threads", "1"]);
    for more in [
        ["--steps", "40", "--threads", "2", "--simd", "scalar"],
        ["--steps", "40", "--index", "naive", "--threads", "1"],
    ] {
        assert_eq!(run_of(&more), one, "{more:?}");
    }
    run_of(&["--steps", "15", "--save", saved]);
    assert_eq!(hash(&["run", "--json", "--load", saved, "--steps", "25"]), one);
    assert_ne!(run_of(&["--steps", "40", "--seed", "6"]), one);
}

#[test]
fn species_that_can_not_be_are_refused_at_their_place() {
    let folder = tempdir().expect("a folder");
    let world = "world = { size = [60, 60], agents = 50 }\n";
    let group = "[[group]]\nagents = 9\ndisc = [30, 30, 9]\n";
    for (species, expected) in [
        (
            "a = { count = 51 }\nb = 1",
            "3:7: the species count 51 agents, and there are 50; take more agents, or lower",
        ),
        (
            "a = { count = 20 }\nb = { count = 20 }",
            "3:7: the species count 40 agents, and there are 50; take as many, or give a species a share",
        ),
        (
            "a = { count = 0 }\nb = 0",
            "2:2: all species have share 0; give one of them a share above 0",
        ),
        ("a = { share = 1, count = 2 }", "3:18: a species has a share and a count; remove one"),
        ("a = { count = 2, share = 1 }", "3:18: a species has a share and a count; remove one"),
        ("a = { count = -1 }", "3:15: count -1 can't be used: expected a whole number from 0 to"),
        ("a = { count = 1.5 }", "3:15: count 1.5 can't be used: expected a whole number from 0 to"),
        ("a = { radius = 0 }", "3:16: radius 0 can't be used: expected a number above 0"),
        ("a = { radius = [2, 1] }", "3:16: radius [2, 1] can't be used: expected a number above 0"),
        ("a = { radius = 1e9 }", "3:16: radius 1e9 can't be used: expected 1e-6 to 1e6"),
        ("a = { speed = -1 }", "3:15: speed -1 can't be used: expected 0 to 5e8"),
        ("a = { speed = \"x\" }", "3:15: speed \"x\" can't be used: expected a number"),
        (
            "a = { mass = 2 }",
            "3:7: `mass` can't be set, as the mass of a disc is its radius squared",
        ),
        ("a = { raduis = 2 }", "3:7: `raduis` is no known key; did you mean radius?"),
        (
            "a = { radius = 9 }",
            "2:2: the discs of the species have an area of 12,723, and the world has",
        ),
        (
            "a = { count = 50, radius = 4.3 }",
            "no room is found for the discs of all species, which",
        ),
    ] {
        let found = refused(&folder, &format!("{world}[species]\n{species}\n"), &[]);
        assert!(found.contains(expected) && found.lines().count() == 1, "{species}\n{found}");
    }
    let grouped = format!("world = {{ size = [60, 60] }}\n[species]\na = {{ count = 9 }}\n{group}");
    let found = refused(&folder, &grouped, &[]);
    let expected =
        "3:7: `count` has no effect, as groups say how many agents there are; give a group";
    assert!(found.contains(expected) && found.lines().count() == 1, "{found}");
    for key in ["radius", "speed"] {
        let scene =
            format!("world = {{ start = \"gas\", agents = 90 }}\n[species]\na = {{ {key} = 1 }}\n");
        let found = refused(&folder, &scene, &[]);
        let expected =
            format!("3:7: `{key}` has no effect, as agents begin as those of a scene do");
        assert!(found.contains(&expected) && found.lines().count() == 1, "{found}");
    }
    // Flags are refused as files are.
    let counted = format!("{world}[species]\na = {{ count = 40, speed = 2 }}\nb = 1\n");
    let found = refused(&folder, &counted, &["--agents", "30"]);
    assert!(found.contains("the species count 40 agents, and there are 30; take more"), "{found}");
    let found = refused(&folder, &counted, &["--speed", "30"]);
    assert!(found.contains("--speed has no effect, as a world file says how fast"), "{found}");
}

/// So many that they are placed tile by tile.
#[test]
fn each_of_many_agents_has_a_radius_of_its_species() {
    let folder = tempdir().expect("a folder");
    let text = "world = { size = [400, 300], speed = 1 }\n[species]\n\
                large = { count = 4_000, radius = [0.9, 1.0], speed = 2 }\n\
                small = { count = 6_000, radius = [0.7, 0.8] }\n";
    let (rows, _) = start(&folder, text, &[]);
    assert_eq!(counts(&rows), [4_000, 6_000]);
    for (species, low, high) in [(0, 0.9, 1.0), (1, 0.7, 0.8)] {
        let [radii, _] = of_species(&rows, species);
        assert!(radii[0] >= low && radii[2] <= high, "{species}: {radii:?}");
    }
}
