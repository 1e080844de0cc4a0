//! Groups of world files: agents from tables are those of the tables, velocities and columns follow
//! formulas, and what can't be is refused.
#![cfg(feature = "cli")]

use std::{fs, path::Path};

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::tempdir;

fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = cargo_bin_cmd!("jostle");
    let output = command.current_dir(folder).args(arguments.split(' ')).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The columns of some names in a table, row by row.
fn columns(folder: &Path, file: &str, names: &[&str]) -> Vec<Vec<f32>> {
    let table = fs::read_to_string(folder.join(file)).expect("a table");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let places: Vec<usize> = names
        .iter()
        .map(|name| header.iter().position(|column| column == name).expect("a column"))
        .collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        places.iter().map(|&place| cells[place].parse().expect("a number")).collect()
    };
    lines.map(row).collect()
}

const FIRST: &str = r#"
world = { size = [120, 90], agents = 2_000, speed = 4, radius = [0.2, 0.4], boundary = "periodic" }
species = { red = 2, blue = 1 }
columns = { age = 0, Food = 5 }
[agent]
set.age = "age + random(1)"
"#;

const AGAIN: &str = r#"
world = { size = [120, 90], boundary = "periodic" }
species = { red = 2, blue = 1 }
columns = { age = 0, Food = 5 }
[[group]]
from = "FILE"
[agent]
set.age = "age + random(1)"
"#;

#[test]
fn agents_of_a_table_are_those_of_the_table() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::create_dir(folder.join("in")).expect("a folder");
    fs::write(folder.join("first.toml"), FIRST).expect("a file");
    let names = ["x", "y", "vx", "vy", "radius", "species", "age", "Food"];
    for file in ["out.csv", "out.npz"] {
        let (status, _, errors) =
            run(folder, &format!("run --scene first.toml --steps 7 --export in/{file}"));
        assert_eq!(status, Some(0), "{errors}");
        run(folder, "run --scene first.toml --steps 7 --export in/whole.csv");
        fs::write(folder.join("in/again.toml"), AGAIN.replace("FILE", file)).expect("a file");
        let line = "run --scene in/again.toml --steps 0 --export in/again.csv --save again.jostle";
        let (status, _, errors) = run(folder, line);
        assert_eq!(status, Some(0), "{errors}");
        let [one, other] =
            ["in/whole.csv", "in/again.csv"].map(|file| columns(folder, file, &names));
        assert_eq!(one.len(), 2_000);
        assert!(one == other, "{file}");
        // A snapshot needs no table.
        fs::remove_file(folder.join("in").join(file)).expect("a file less");
        let (status, _, errors) =
            run(folder, "run --load again.jostle --steps 2 --frame a.png --size 64x48");
        assert_eq!(status, Some(0), "{errors}");
        let (status, _, errors) = run(folder, "run --scene in/again.toml --steps 1");
        assert_eq!(status, Some(2), "{errors}");
        assert!(errors.contains("again.toml:6:8: ") && errors.contains(file), "{errors}");
    }
}

#[test]
fn velocities_and_columns_follow_formulas() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    let text = r#"
world = { size = [100, 100], collisions = false }
columns = { charge = 3, mark = 1 }
param = { turn = 0.5 }
[[group]]
agents = 400
disc = [50, 50, 30]
velocity = ["turn*(50 - y)", "turn*(x - 50)"]
columns = { charge = "select(x < 50, -1, 1_000)" }
radius = 0.2
[[group]]
agents = 300
lattice = [0, 0, 100, 100]
velocity = [1_000, "random(1)"]
radius = 0.2
"#
    .replace("1_000)\"", "1000)\"");
    fs::write(folder.join("world.toml"), text).expect("a file");
    let (status, _, errors) = run(folder, "run --scene world.toml --steps 0 --export out.csv");
    assert_eq!(status, Some(0), "{errors}");
    let rows = columns(folder, "out.csv", &["x", "y", "vx", "vy", "charge", "mark"]);
    let mut drawn: Vec<f32> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let [x, y, vx, vy, charge, mark] = row[..] else { panic!() };
        assert_eq!(mark, 1.0);
        if at < 400 {
            assert_eq!((vx, vy), (0.5 * (50.0 - y), 0.5 * (x - 50.0)));
            assert_eq!(charge, if x < 50.0 { -1.0 } else { 1_000.0 });
        } else {
            assert!(vx == 1_000.0 && (0.0..1.0).contains(&vy) && charge == 3.0);
            drawn.push(vy);
        }
    }
    drawn.sort_by(f32::total_cmp);
    drawn.dedup();
    assert!(drawn.len() > 295);
}

/// A table has species by number or by name; that it has none is said, where the group does not say it.
#[test]
fn species_of_a_table_have_names_or_numbers() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    let of_table = |table: &str, group: &str| {
        fs::write(folder.join("people.csv"), table).expect("a table");
        let text = format!(
            "world = {{ size = [60, 60] }}\nspecies = {{ well = 1, ill = 1, \"2\" = 0 }}\n[[group]]\n\
             from = \"people.csv\"\n{group}\n"
        );
        fs::write(folder.join("world.toml"), text).expect("a file");
        run(folder, "run --scene world.toml --steps 0 --export out.csv")
    };
    for kinds in [["ill", "well", "ill"], ["1", "0", "1"], [" ill", "0", "\"ill\""]] {
        let [a, b, c] = kinds;
        let (status, _, errors) =
            of_table(&format!("x,y,Species\n1,2,{a}\n9,9,{b}\n5,5,{c}\n"), "");
        assert!(status == Some(0) && errors.is_empty(), "{errors}");
        assert_eq!(columns(folder, "out.csv", &["species"]), [[1.0], [0.0], [1.0]]);
    }
    let (status, _, errors) = of_table("x,y,species\n1,2,ill\n9,9,wel\n", "");
    let expected = "4:8: people.csv, line 3: species \"wel\" is not the number or the name of one of well, ill, 2";
    assert!(status == Some(2) && errors.contains(expected), "{errors}");
    let said = "people.csv has no column `species`, so that the species of its agents are drawn by the shares";
    for (table, group, is_said) in [
        ("x,y\n1,2\n9,9\n", "", true),
        ("x,y,specis\n1,2,ill\n9,9,well\n", "", true),
        ("x,y\n1,2\n9,9\n", "species = \"ill\"", false),
        ("x,y,species\n1,2,ill\n9,9,well\n", "", false),
    ] {
        let (status, _, errors) = of_table(table, group);
        assert_eq!(status, Some(0), "{errors}");
        assert_eq!(errors.contains(said), is_said, "{table}{errors}");
        assert_eq!(
            errors.contains("not used: specis"),
            table.contains("specis,") || table.contains("specis\n")
        );
    }
}

#[test]
fn wrong_groups_are_refused() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::create_dir(folder.join("sub")).expect("a folder");
    for (name, text) in [
        ("far.csv", "x,y\n1,2\n3,700\n"),
        ("blank.csv", "x,z\n1,2\n"),
        ("none.csv", "x,y\n"),
        ("half.csv", "x,y,vx\n1,2,3\n"),
        ("kind.csv", "x,y,species\n1,2,0\n1,2,9\n"),
        ("big.csv", "x,y,radius\n1,2,0.5\n1,2,0\n"),
        ("wild.csv", "x,y,age\n1,2,nan\n"),
        ("fast.csv", "x,y,vx,vy\n1,2,0,1e30\n"),
        ("full.csv", "x,y,vx,vy,radius,species\n1,2,0,1,0.5,0\n"),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let base =
        "world = { size = [60, 60] }\nspecies = { hare = 1 }\ncolumns = { age = 1 }\n[[group]]\n";
    for (group, expected) in [
        ("from = \"far.csv\"", "5:8: far.csv, line 3: y 700 is out of range: expected 0 to 60"),
        ("from = \"blank.csv\"", "5:8: blank.csv can't be used: it has no column y among x, z"),
        ("from = \"none.csv\"", "5:8: none.csv can't be used: it has 0 rows"),
        ("from = \"half.csv\"", "5:8: half.csv can't be used: it has no column vy"),
        (
            "from = \"kind.csv\"",
            "5:8: kind.csv, line 3: species 9 is out of range: expected 0 to 0",
        ),
        ("from = \"big.csv\"", "5:8: big.csv, line 3: radius 0 is out of range"),
        ("from = \"wild.csv\"", "5:8: wild.csv, line 2: age"),
        ("from = \"fast.csv\"", "5:8: fast.csv, line 2: vy"),
        ("from = \"sub\"", "5:8: sub can't be used: it is no file"),
        ("from = \"gone.csv\"", "5:8: "),
        ("from = 7", "5:8: from 7 can't be used: expected the name of a file"),
        (
            "from = \"full.csv\"\nagents = 3",
            "6:1: `agents` has no effect, as the file has a row for each",
        ),
        ("from = \"full.csv\"\nspecies = \"hare\"", "6:1: `species` has no effect"),
        (
            "from = \"full.csv\"\nvelocity = [1, 2]",
            "6:1: `velocity` has no effect, as the file has vx and vy",
        ),
        ("from = \"full.csv\"\ndisc = [9, 9, 3]", "a group has two places"),
        (
            "agents = 9\ndisc = [9, 9, 3]\nvelocity = [\"xx\", 2]",
            "7:14: there is no value or function `xx`",
        ),
        (
            "agents = 9\ndisc = [9, 9, 3]\nvelocity = 4",
            "7:12: velocity 4 can't be used: expected two formulas",
        ),
        ("agents = 9\ndisc = [9, 9, 3]\ncolumns.age = \"x > 1\"", "7:16: `age` takes a number"),
        (
            "agents = 5_000\ndisc = [9, 9, 3]\nradius = 0.5",
            "4:3: the discs of the groups have an area of 3,926",
        ),
    ] {
        fs::write(folder.join("world.toml"), format!("{base}{group}\n")).expect("a file");
        for command in ["run --scene world.toml --steps 1", "check world world.toml"] {
            let (status, _, errors) = run(folder, command);
            assert_eq!(status, Some(2), "{group}: {errors}");
            assert!(
                errors.contains("world.toml:") && errors.contains(expected),
                "{group}: {errors}"
            );
            assert!(!errors.contains("panicked"), "{errors}");
        }
    }
    // What a formula gives that no agent can have is refused when agents are placed.
    for value in ["velocity = [\"1e30*x*1e30\", 0]", "columns.age = \"1e30*x*1e30\""] {
        let text = format!("{base}agents = 9\ndisc = [9, 9, 3]\n{value}\n");
        fs::write(folder.join("world.toml"), text).expect("a file");
        let (status, _, errors) = run(folder, "check world world.toml");
        assert_eq!(status, Some(2), "{value}: {errors}");
    }
    // Agents that pass through each other need no room.
    let text = "world = { size = [60, 60], collisions = false }\n[[group]]\nagents = 5_000\ndisc = [9, 9, 3]\nradius = 0.5\n";
    fs::write(folder.join("world.toml"), text).expect("a file");
    assert_eq!(run(folder, "run --scene world.toml --steps 1").0, Some(0));
}

/// Polylines in any direction are walls too, and their points may be in a table.
#[test]
fn slanted_polylines_are_walls() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    let base = "world = { size = [60, 60], speed = 8 }\n[[group]]\nagents = 80\n\
                rectangle = [26, 26, 34, 34]\nradius = 0.3\n[[static]]\n";
    let points = "[[30, 18], [42, 29], [30, 42], [18, 31], [30, 18]]";
    let slanted = format!("polyline = {points}\nthickness = 1\n");
    let table = "from = \"points.csv\"\nthickness = 1\n";
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("points.csv", "x,y\n30,18\n42,29\n30,42\n18,31\n30,18\n");
    for more in ["", " --collisions swept", " --solver contact"] {
        let exports = [&slanted, table].map(|wall| {
            write("world.toml", &format!("{base}{wall}"));
            let line = format!("run --scene world.toml --steps 600 --json --export out.csv{more}");
            let (status, json, errors) = run(folder, &line);
            assert_eq!(status, Some(0), "{errors}");
            assert!(json.contains("\"statics\":4,"), "four capsules: {json}");
            fs::read_to_string(folder.join("out.csv")).expect("an export")
        });
        assert_eq!(exports[0], exports[1]);
        for row in columns(folder, "out.csv", &["x", "y"]) {
            let apart: f32 = row.iter().map(|at| (at - 30.0).abs()).sum();
            assert!(apart < 13.0, "{more}: {row:?}");
        }
    }
    for (points, expected) in [
        ("x,y\n30,18\n", "7:8: from \"points.csv\" can't be used: expected a file of two or more"),
        ("x,y\n30,18\n30,61\n", "points.csv, line 3: y 61 is out of range: expected 0 to 60"),
        ("x,y\n30,18\n30,18\n", "point 2 of points.csv, [30, 18], can't be used: expected another"),
        ("x,y\n30,18\n59.9,19\n", "point 2 of points.csv, [59.9, 19], can't be used: expected at"),
        ("x,z\n30,18\n59.9,19\n", "it has no column y"),
    ] {
        write("points.csv", points);
        write("world.toml", &format!("{base}{table}"));
        for command in ["run --scene world.toml --steps 1", "check world world.toml"] {
            let (status, _, errors) = run(folder, command);
            assert_eq!(status, Some(2), "{points}: {errors}");
            assert!(errors.contains(expected), "{points}: {errors}");
        }
    }
}

/// Agents run along a wall without a bump, around its corners too, and never through it.
#[test]
fn polylines_are_walls() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    let base = "world = { size = [60, 60], speed = 8 }\n[[group]]\nagents = 300\nrectangle = [22, 22, 38, 38]\nradius = 0.3\n[[static]]\n";
    let wall = "polyline = [[20, 20], [40, 20], [40, 40], [20, 40], [20, 20]]\nthickness = 1\n";
    fs::write(folder.join("world.toml"), format!("{base}{wall}")).expect("a file");
    for more in ["", " --collisions swept", " --solver contact"] {
        let line = format!("run --scene world.toml --steps 600 --json --export out.csv{more}");
        let (status, json, errors) = run(folder, &line);
        assert_eq!(status, Some(0), "{errors}");
        assert!(json.contains("\"statics\":8,"), "four boxes and four discs: {json}");
        for row in columns(folder, "out.csv", &["x", "y"]) {
            assert!(row.iter().all(|at| (20.5..=39.5).contains(at)), "{more}: {row:?}");
        }
    }
    for (shape, expected) in [
        ("polyline = [[20, 20], [40, 20]]", "7:1: a polyline has a thickness; add `thickness = 1`"),
        (
            "polyline = [[20, 20]]\nthickness = 1",
            "7:12: polyline [[20, 20]] can't be used: expected two",
        ),
        (
            "polyline = [[20, 20], [59.8, 21]]\nthickness = 1",
            "7:23: the point [59.8, 21] can't be used: expected at the ends of a slanted part, one at \
             least half of the thickness away from the border, 0.5; a part along x or y may reach it",
        ),
        ("polyline = [[0, 20], [20, 30]]\nthickness = 1", "7:13: the point [0, 20] can't be used"),
        (
            "polyline = [[20, 20], [20, 20]]\nthickness = 1",
            "7:23: the point [20, 20] can't be used: expected another",
        ),
        (
            "polyline = [[20, 20], [40]]\nthickness = 1",
            "7:23: the point [40] can't be used: expected two numbers",
        ),
        ("polyline = [[20, 20], [70, 20]]\nthickness = 1", "expected one in the world, 0 to 60"),
        ("polyline = [[20, 20], [40, 20]]\nthickness = 0", "8:13: thickness 0 can't be used"),
        ("polyline = [[20, 20], [1e38, 20]]\nthickness = 1e38", "expected one in the world, 0 to"),
        ("box = [20, 20, 40, 21]\nthickness = 1", "8:1: `thickness` belongs to polylines"),
        ("thickness = 1", "expected one of disc, box, capsule, polyline and from"),
    ] {
        fs::write(folder.join("world.toml"), format!("{base}{shape}\n")).expect("a file");
        for command in ["run --scene world.toml --steps 1", "check world world.toml"] {
            let (status, _, errors) = run(folder, command);
            assert_eq!(status, Some(2), "{shape}: {errors}");
            assert!(errors.contains(expected), "{shape}: {errors}");
        }
    }
}

#[test]
fn agents_without_groups_begin_beside_statics() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    let text = "world = { size = [60, 60], agents = 2_000, boundary = \"periodic\" }\n[[static]]\n\
                box = [5, 5, 35, 50]\n[[static]]\ndisc = [48, 40, 6]\n";
    fs::write(folder.join("world.toml"), text).expect("a file");
    let (status, _, errors) = run(folder, "run --scene world.toml --steps 0 --export out.csv");
    assert_eq!(status, Some(0), "{errors}");
    assert!(!errors.contains("inside statics"), "{errors}");
    let rows = columns(folder, "out.csv", &["x", "y", "radius"]);
    assert_eq!(rows.len(), 2_000);
    for row in rows {
        let [x, y, radius] = row[..] else { panic!() };
        let apart = (x - x.clamp(5.0, 35.0)).hypot(y - y.clamp(5.0, 50.0));
        assert!(apart >= radius && (x - 48.0).hypot(y - 40.0) - 6.0 >= radius - 1e-4, "{x} {y}");
    }
}
