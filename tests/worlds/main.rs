//! World files through the program: they run with the same bits, wrong ones are refused with their
//! lines, and a check prints them.
#![cfg(feature = "cli")]

mod changed;
mod checks;
mod faults;
mod files;
mod names;
mod ranges;
mod runs;
mod species;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;
pub(crate) const LIFE: &str = include_str!("../../worlds/particle-life.toml");

pub(crate) const BASE: &str = "world = { size = [100, 100], agents = 200, boundary = \"periodic\" }\n\
                    species = { red = 1, blue = 1 }\ncolumns = { age = 0 }\n";

/// The examples of the documentation of the format, as they stand there.
pub(crate) const EXAMPLES: [&str; 3] = [
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

pub(crate) fn run(arguments: &[&str]) -> Output {
    cargo_bin_cmd!("jostle").args(arguments).output().expect("it runs")
}

/// The end of the report of a run: its hash, and how many agents there are.
pub(crate) fn report(arguments: &[&str]) -> (String, u64) {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (json["state_hash"].as_str().expect("a hash").to_owned(), json["agents"].as_u64().unwrap())
}

pub(crate) fn kept() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds");
    let files =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    assert!(files.len() >= 3);
    files
}

/// The standard error of a run that is refused, without the name of the file.
pub(crate) fn refused(folder: &TempDir, text: &str, more: &[&str]) -> String {
    let path = folder.path().join("world.toml");
    fs::write(&path, text).expect("a file");
    let name = path.to_str().expect("a name");
    let output = run(&[&["run", "--scene", name, "--steps", "3"], more].concat());
    let errors = String::from_utf8(output.stderr).expect("text").replace(name, "world.toml");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    errors
}
