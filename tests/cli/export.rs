//! Exports parse to the same bits: the contents of a file have the hash of the run.

use std::{fs::File, io::Read};

use jostle::{Agent, Agents, Statics, Vec2, sim::state_hash};
use serde_json::Value;

use crate::harness::{Place, jostle, skip, works};

const RUN: &str = "--agents 2k --scene mixed --steps 30";

fn hash_of(steps: u64, agents: &Agents) -> Value {
    format!("{:016x}", state_hash(steps, agents, &Statics::default())).into()
}

#[test]
fn csv_parses_to_the_same_bits() {
    let place = Place::new();
    let json = place.json(&format!("{RUN} --export a.csv"));
    let mut table = csv::Reader::from_path(place.path("a.csv")).expect("a table");
    assert_eq!(table.headers().expect("a head"), vec!["id", "x", "y", "vx", "vy", "radius"]);
    let mut agents = Agents::default();
    for row in table.deserialize() {
        let (id, x, y, vx, vy, radius): (u32, f32, f32, f32, f32, f32) = row.expect("a row");
        assert_eq!(id as usize, agents.len(), "ordered by id");
        agents.push(Agent { position: Vec2::new(x, y), velocity: Vec2::new(vx, vy), radius, id });
    }
    assert_eq!(hash_of(30, &agents), json["state_hash"]);
}

/// `-` is stdout. The summary gives way to the file.
#[test]
fn a_file_goes_to_stdout() {
    let place = Place::new();
    let summary = place.jostle(&format!("run {RUN} --export a.csv --frame a.png --size 64x48"));
    let csv = place.jostle(&format!("run {RUN} --export -"));
    let file = std::fs::read_to_string(place.path("a.csv")).expect("the table");
    assert_eq!((csv.status, csv.stdout == file), (Some(0), true));
    let hash = |text: &str| text.split("state hash").nth(1).map(|rest| rest[..20].to_owned());
    assert_eq!(hash(&csv.stderr), hash(&summary.stdout));
    assert!(hash(&csv.stderr).is_some() && !csv.stderr.contains("jostle:"), "{}", csv.stderr);
    let frame = jostle(&place, &format!("run {RUN} --frame - --size 64x48"));
    let frame = { frame }.output().expect("the program can be started");
    assert_eq!(frame.status.code(), Some(0));
    assert!(frame.stdout == std::fs::read(place.path("a.png")).expect("the frame"));
    assert_eq!(place.names(), ["a.csv", "a.png"]);
    let chart = "bench --agents 100,200 --steps 2 --repeats 1 --index naive --svg -";
    let chart = place.jostle(chart);
    assert!(chart.stdout.starts_with("<svg") && chart.stderr.contains("milliseconds"), "{chart:?}");
}

#[test]
fn stdout_takes_one_file_only() {
    let place = Place::new();
    for (args, flags, last) in [
        ("run --json --export -", "--json and --export -", "--export"),
        ("run --json --frame -", "--json and --frame -", "--frame"),
        ("run --frame - --export -", "--frame - and --export -", "--export"),
        ("bench --csv --svg -", "--csv and --svg -", "--svg"),
    ] {
        let ended = place.jostle(args);
        let expected = format!("jostle: {flags} both write to stdout; name a file after {last}");
        assert_eq!((ended.status, ended.line()), (Some(2), expected.as_str()), "{args}");
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn npz_parses_to_the_same_bits() {
    let place = Place::new();
    let json = place.json(&format!("{RUN} --export A.NPZ"));
    let file = File::open(place.path("A.NPZ")).expect("the file");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let names: Vec<String> =
        archive.file_names().map(|name| name.expect("a name").into_owned()).collect();
    assert_eq!(names, ["id.npy", "x.npy", "y.npy", "vx.npy", "vy.npy", "radius.npy"]);
    let mut bytes = |name: &str| {
        let mut bytes = Vec::new();
        archive.by_name(name).expect(name).read_to_end(&mut bytes).expect(name);
        bytes
    };
    let mut floats = |name: &str| -> Vec<f32> {
        let bytes = bytes(name);
        npyz::NpyFile::new(&bytes[..]).expect(name).into_vec().expect(name)
    };
    let [x, y, vx, vy, radius] =
        ["x.npy", "y.npy", "vx.npy", "vy.npy", "radius.npy"].map(&mut floats);
    let id = bytes("id.npy");
    let id: Vec<u32> = npyz::NpyFile::new(&id[..]).expect("ids").into_vec().expect("ids");
    assert!(id.is_sorted(), "ordered by id");
    let agents = Agents { x, y, vx, vy, radius, id, units: None, own: None };
    assert_eq!(agents.len(), 2000);
    assert_eq!(hash_of(30, &agents), json["state_hash"]);
}

#[test]
fn npz_contains_statics() {
    let place = Place::new();
    let json = place.json("--scene pegs --agents 50 --steps 3 --export a.npz");
    let file = File::open(place.path("a.npz")).expect("the file");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut floats = |name: &str| -> Vec<f32> {
        let mut bytes = Vec::new();
        archive.by_name(name).expect(name).read_to_end(&mut bytes).expect(name);
        npyz::NpyFile::new(&bytes[..]).expect(name).into_vec().expect(name)
    };
    let [left, bottom, right, top, radius] = ["left", "bottom", "right", "top", "radius"]
        .map(|name| floats(&format!("static_{name}.npy")));
    assert_eq!(json["statics"], left.len());
    let columns = [&left, &bottom, &right, &top, &radius];
    assert!(columns.iter().all(|column| column.len() == left.len() && !left.is_empty()));
    let (discs, boxes): (Vec<usize>, Vec<usize>) =
        (0..left.len()).partition(|&place| radius[place] > 0.0);
    assert!(discs.iter().all(|&at| left[at] == right[at] && bottom[at] == top[at]));
    assert!(!boxes.is_empty() && boxes.iter().all(|&at| left[at] < right[at]));
}

/// Units have their side and their health in both formats, and both change in a battle.
#[test]
fn units_have_faction_and_health() {
    let place = Place::new();
    let run = "--scene melee --agents 300 --steps 120";
    place.json(&format!("{run} --export a.csv"));
    place.json(&format!("{run} --export a.npz"));
    let mut table = csv::Reader::from_path(place.path("a.csv")).expect("a table");
    let head = vec!["id", "x", "y", "vx", "vy", "radius", "faction", "health"];
    assert_eq!(table.headers().expect("a head"), head);
    let units: Vec<[u8; 2]> = table
        .records()
        .map(|row| {
            let row = row.expect("a row");
            [6, 7].map(|column| row[column].parse().expect("a small number"))
        })
        .collect();
    assert!([0, 1].iter().all(|side| units.iter().any(|unit| unit[0] == *side)), "{units:?}");
    let [least, most] =
        [units.iter().map(|unit| unit[1]).min(), units.iter().map(|unit| unit[1]).max()];
    assert!(least < most, "nobody was struck: {least:?}");
    let file = File::open(place.path("a.npz")).expect("the file");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    for (name, column) in [("faction.npy", 0), ("health.npy", 1)] {
        let mut bytes = Vec::new();
        archive.by_name(name).expect(name).read_to_end(&mut bytes).expect(name);
        let values: Vec<u8> = npyz::NpyFile::new(&bytes[..]).expect(name).into_vec().expect(name);
        assert!(values.iter().eq(units.iter().map(|unit| &unit[column])), "{name}");
    }
}

#[test]
fn numpy_reads_the_npz() {
    if !works("python3", &["-c", "import numpy"]) {
        return skip("numpy_reads_the_npz", "there is no python3 with numpy");
    }
    let place = Place::new();
    place.json(&format!("{RUN} --export a.npz"));
    place.json(&format!("{RUN} --export a.csv"));
    let program = "import numpy as n; z = n.load('a.npz'); \
        t = n.genfromtxt('a.csv', delimiter=',', names=True, dtype='u4,f4,f4,f4,f4,f4'); \
        assert list(z) == list(t.dtype.names) and all((z[c] == t[c]).all() for c in z)";
    let python = place.command("python3").args(["-c", program]).output().expect("python3 runs");
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
}

#[test]
fn on_stdout_the_table_follows_the_report() {
    let place = Place::new();
    let ended = place.jostle("run --json --agents 3 --steps 1 --export /dev/stdout");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{ended:?}");
    assert!(lines[0].starts_with('{'));
    assert_eq!(lines[1], "id,x,y,vx,vy,radius");
}

#[test]
fn the_frame_is_a_picture_of_the_agents() {
    let place = Place::new();
    place.json("--agents 500 --steps 2 --size 320x200 --frame a.png");
    place.json("--agents 500 --steps 2 --size 320x200 --frame b.png --view 10,10,20");
    place.json("--agents 500 --steps 2 --size 320x200 --frame c.png --threads 1");
    let [whole, part, again] = ["a.png", "b.png", "c.png"].map(|name| picture(&place, name));
    let colors: std::collections::BTreeSet<_> = whole.chunks(4).collect();
    assert!(colors.len() > 16, "agents, ground and blends: {}", colors.len());
    assert_ne!(whole, part, "a part of the world looks different");
    assert_eq!(whole, again, "the same for any number of threads");
}

/// The 320 x 200 RGBA pixels of a picture.
fn picture(place: &Place, name: &str) -> Vec<u8> {
    let file = std::io::BufReader::new(File::open(place.path(name)).expect("the file"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    assert_eq!((info.width, info.height, info.color_type), (320, 200, png::ColorType::Rgba));
    pixels
}
