//! `--series`: one whole row every N steps, however the run ends.

use std::{
    fs,
    io::Read,
    time::{Duration, Instant},
};

use jostle::{
    Agent, Agents, Boundary, Rect, Scene, Setup, Sim, Vec2, observe::RadialDistribution,
    scene::Start,
};

use crate::harness::{Place, jostle};

/// The columns of every table, in order. Other programs rely on them.
const COLUMNS: &str = "step,time,agents,awake,kinetic_energy,temperature,momentum_x,momentum_y,\
    contacts,collisions,max_overlap,pressure_virial,pressure_wall,collision_rate,mean_free_path,\
    square_displacement,velocity_correlation,hexagonal_order,rotational_energy,\
    angular_momentum,compressibility,polar_order";

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
    assert_eq!(text.lines().next(), Some(COLUMNS));
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
    // No time has passed before the first row, so its rates are empty.
    assert_eq!((rows[1][11], rows[1][12], rows[1][13]), ("", "", ""));
    assert!(number(last[11]) > 0.0 && number(last[12]) > 0.0);
    let without = place.json(args);
    assert_eq!(json["state_hash"], without["state_hash"]);
}

#[test]
fn spins_have_energy_and_angular_momentum() {
    let place = Place::new();
    let args =
        "--scene dam --agents 300 --friction 0.5 --steps 90 --series a.csv --series-every 90";
    let json = place.json(&format!("{args} --export b.csv"));
    let text = fs::read_to_string(place.path("a.csv")).expect("the table");
    let (series, text) =
        (rows(&text), fs::read_to_string(place.path("b.csv")).expect("the agents"));
    let exported = rows(&text);
    let column = |name: &str| {
        let at = exported[0].iter().position(|column| *column == name).expect(name);
        exported[1..].iter().map(|row| number(row[at])).collect::<Vec<_>>()
    };
    let [x, y, vx, vy, radius, spin] = ["x", "y", "vx", "vy", "radius", "spin"].map(column);
    let center = ["width", "height"].map(|side| 0.5 * number(&json["world"][side].to_string()));
    let [mut energy, mut momentum] = [0.0; 2];
    for agent in 0..x.len() {
        let mass = radius[agent] * radius[agent];
        let inertia = mass * mass / 2.0;
        energy += inertia * spin[agent] * spin[agent] / 2.0;
        let [x, y] = [x[agent] - center[0], y[agent] - center[1]];
        momentum += mass * (x * vy[agent] - y * vx[agent]) + inertia * spin[agent];
    }
    assert!(energy > 0.0 && momentum != 0.0);
    let last = series.last().expect("rows");
    for (name, at, expected) in
        [("rotational_energy", 18, energy), ("angular_momentum", 19, momentum)]
    {
        let found = number(last[at]);
        assert!((found / expected - 1.0).abs() < 1e-4, "{name}: {found}, not {expected}");
        assert_eq!(number(&json[name].to_string()), found);
    }
    assert_eq!(json["friction"].to_string(), "0.5");
    let json = place.json("--scene dam --agents 300 --steps 90 --series a.csv --series-every 90");
    assert!(json["rotational_energy"].is_null() && json["angular_momentum"].is_null());
    let text = fs::read_to_string(place.path("a.csv")).expect("the table");
    assert_eq!(rows(&text)[1][18..20], ["", ""]);
}

/// The left half of a world of 40 × 20, with a disc of diameter 0.8 on each of its unit squares. It
/// moves to the right, its lower half up and its upper half down.
fn half_a_lattice(place: &Place) {
    let mut agents = Agents::with_capacity(400);
    for id in 0..400 {
        let cell = Vec2::new((id % 20) as f32, (id / 20) as f32);
        let velocity = Vec2::new(2.0, if cell.y < 10.0 { 1.0 } else { -1.0 });
        agents.push(Agent { position: cell + 0.5, velocity, radius: 0.4, id });
    }
    let world = Rect::from_size(40.0, 20.0);
    let setup = Setup {
        boundary: Boundary::Periodic,
        radius: [0.4; 2],
        ..Setup::with_agents(Scene::Gas, 400)
    };
    let start = Start { world, agents, statics: Vec::new(), populated: 800.0 };
    let sim = Sim::from_start(&setup, start).expect("they fit");
    let snapshot = sim.snapshot().expect("there is memory");
    fs::write(place.path("half.jostle"), snapshot.as_bytes()).expect("a file");
}

#[test]
fn curves_have_a_column_for_each_point() {
    let place = Place::new();
    half_a_lattice(&place);
    let names = "velocity_y,g,density_x,velocity_x,density_y,g";
    place.json(&format!(
        "--load half.jostle --steps 3 --series a.csv --series-every 3 --series-columns {names}"
    ));
    let text = fs::read_to_string(place.path("a.csv")).expect("the table");
    let rows = rows(&text);
    assert!(text.starts_with(&format!("{COLUMNS},vx_y_0.025,vx_y_0.075,")), "{text}");
    assert_eq!(rows[0].len(), 22 + 50 + 6 * 20);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let value = |row: usize, name: &str| {
        let at = rows[0].iter().position(|column| *column == name).expect(name);
        rows[row][at]
    };
    for strip in 0..20 {
        let at = format!("{:.3}", (f64::from(strip) + 0.5) / 20.0);
        let near = |name: &str, expected: f64| {
            let found = number(value(1, &format!("{name}_{at}")));
            assert!((found - expected).abs() < 1e-6, "{name}_{at}: {found}");
        };
        near("density_x", if strip < 10 { 1.0 } else { 0.0 });
        near("density_y", 0.5);
        near("vx_y", 2.0);
        near("vy_y", if strip < 10 { 1.0 } else { -1.0 });
        if strip < 10 {
            near("vx_x", 2.0);
            near("vy_x", 0.0);
        } else {
            assert_eq!(value(1, &format!("vx_x_{at}")), "", "nothing moves there");
            assert_eq!(value(1, &format!("vy_x_{at}")), "");
        }
    }
    // Four neighbors at a distance of 1, which is 1.25 diameters, but three at the left and right.
    let expected =
        400.0 * 399.0 / 800.0 * std::f64::consts::PI * (1.04_f64.powi(2) - 0.96_f64.powi(2));
    let g = (400.0 * 4.0 - 40.0) / expected;
    assert!((number(value(1, "g_1.25")) / g - 1.0).abs() < 1e-5, "{} {g}", value(1, "g_1.25"));
    for nearer in ["g_0.05", "g_0.95", "g_1.15"] {
        assert_eq!(number(value(1, nearer)), 0.0, "{nearer}");
    }
    // The next at this distance are two and three squares away.
    assert!(number(value(1, "g_4.55")) > 1.0 && number(value(1, "g_4.95")) == 0.0);
    // After three steps of 1/30, the front of the stream is 0.1 farther, and nothing else has
    // changed.
    assert_eq!(value(2, "step"), "3");
    assert_eq!(value(2, "density_x_0.025"), "1");
}

/// A distance that is too long for the world has no g, and each row has the curves of its own
/// moment.
#[test]
fn g_is_that_of_the_library() {
    let place = Place::new();
    let args = "--agents 300 --boundary periodic --world 12x60 --radius 0.5 --seed 3";
    place.json(&format!("{args} --steps 20 --series a.csv --series-every 20 --series-columns g"));
    let text = fs::read_to_string(place.path("a.csv")).expect("the table");
    let rows = rows(&text);
    let setup = Setup {
        boundary: Boundary::Periodic,
        world: Some(Vec2::new(12.0, 60.0)),
        radius: [0.5; 2],
        seed: 3,
        ..Setup::with_agents(Scene::Gas, 300)
    };
    let mut sim = Sim::new(&setup).expect("they fit");
    for row in &rows[1..] {
        let mut radial = RadialDistribution::new(0.1, 50);
        radial.add(&sim);
        for ([_, g], column) in radial.curve().zip(&row[22..]) {
            assert!((number(column) - g).abs() < 1e-9 * g.max(1.0), "{column} {g}");
        }
        (0..20).for_each(|_| sim.step().expect("there is memory"));
    }
    place.json(
        "--agents 20 --world 6x20 --boundary periodic --steps 0 --series b.csv --series-columns g",
    );
    let text = fs::read_to_string(place.path("b.csv")).expect("the table");
    let row = text.lines().nth(1).expect("a row");
    // The mean diameter is 1.5 or so, and 4.5 are three quarters of 6.
    let empty = row.split(',').skip(22).filter(|column| column.is_empty()).count();
    assert!((15..25).contains(&empty), "{row}");
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

/// A run appends no rows to the table of another run.
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
        ("--series-columns g", "--series", 2),
        ("--series a.csv --series-columns density", "did you mean density_x?", 2),
        ("--series a.csv --series-columns ,", "is no known curve", 2),
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
