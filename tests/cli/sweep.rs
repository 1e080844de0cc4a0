//! `jostle sweep`: the runs of a file as rows of a table, however it ends, and their chart.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read,
    path::Path,
    process::Stdio,
};

use crate::harness::{Ended, JOSTLE, Place, ended, jostle};

const GAS: &str = "\
[run]
scene = \"gas\"
agents = 60
steps = 64
warmup = 3
hz = 100
[sweep]
density = \"0.1..0.3 step 0.1\"
seed = [1, 2]
";

/// A row by the names of its columns.
type Row = BTreeMap<String, String>;

fn sweep(place: &Place, text: &str, args: &str) -> Ended {
    fs::write(place.path("a.toml"), text).expect("the file of a sweep");
    place.jostle(&format!("sweep a.toml {args}"))
}

/// The rows of a table in their order.
fn rows(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("names").clone();
    let row = |record: csv::StringRecord| {
        header.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect()
    };
    reader.records().map(|record| row(record.expect("a row of as many cells"))).collect()
}

fn table(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path(name)).expect("the table")
}

/// A table without the last column, which has seconds.
fn without_seconds(text: &str) -> String {
    text.lines().map(|line| line.rsplit_once(',').expect("columns").0.to_owned() + "\n").collect()
}

fn number(row: &Row, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("a number for {name}: {row:?}"))
}

#[test]
fn each_run_is_that_of_run() {
    let place = Place::new();
    let ended = sweep(&place, GAS, "--out a.csv");
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(0), ""), "{ended:?}");
    assert!(ended.line().starts_with("jostle: a.csv has all 6 runs, in "), "{ended:?}");
    let rows = rows(&table(&place, "a.csv"));
    let values: Vec<_> = rows.iter().map(|row| (&*row["density"], &*row["seed"])).collect();
    let expected = ["0.1", "0.2", "0.3"].map(|density| [(density, "1"), (density, "2")]);
    assert_eq!(values, expected.concat(), "in the order of the file");
    for row in &rows {
        let (density, seed) = (&row["density"], &row["seed"]);
        let json = place.json(&format!(
            "--agents 60 --steps 64 --warmup 3 --hz 100 --density {density} --seed {seed}"
        ));
        assert_eq!(json["state_hash"], row["state_hash"].as_str(), "{density} {seed}");
        // Averages over each step are those over all of them; the energy is constant.
        for (mean, whole) in
            [("pressure_virial_mean", "pressure"), ("collision_rate_mean", "collision_rate")]
        {
            let expected = json[whole].as_f64().expect("a number");
            let found = number(row, mean);
            assert!((found / expected - 1.0).abs() < 1e-4, "{mean}: {found}, not {expected}");
        }
        assert_eq!(number(row, "agents_mean"), 60.0);
        assert_eq!(number(row, "agents_error"), 0.0);
        assert!(number(row, "pressure_virial_error") > 0.0);
        assert!(number(row, "compressibility_theory") > 1.0);
        assert_eq!(row["rotational_energy_mean"], "", "there is no friction");
    }
    assert_eq!(place.names(), ["a.csv", "a.toml"]);
}

#[test]
fn workers_change_no_byte_but_seconds() {
    let place = Place::new();
    for threads in ["1", "2", "5"] {
        let args = format!("--threads {threads} --out {threads}.csv");
        assert_eq!(sweep(&place, GAS, &args).status, Some(0));
    }
    let one = without_seconds(&table(&place, "1.csv"));
    assert_eq!(one, without_seconds(&table(&place, "2.csv")));
    assert_eq!(one, without_seconds(&table(&place, "5.csv")));
    // The order of flags, and comments, are no other sweep.
    let other = GAS.replace("steps = 64\nwarmup = 3", "# shorter\nwarmup = 3\nsteps = 64");
    let ended = sweep(&place, &other, "--out 1.csv");
    assert_eq!(ended.status, Some(0));
    assert_eq!(ended.line(), "jostle: 1.csv has all 6 runs, which it had before");
}

#[test]
#[cfg(target_os = "linux")]
fn a_sweep_that_ends_early_goes_on() {
    use crate::child::{end, signal, wait_until};
    const LONG: &str = "[run]\nagents = 1000\nsteps = 300\n[sweep]\nseed = \"1..10\"\n";
    let place = Place::new();
    assert_eq!(sweep(&place, LONG, "--out whole.csv").status, Some(0));
    let whole = without_seconds(&table(&place, "whole.csv"));
    for name in ["KILL", "INT", "TERM"] {
        let out = format!("{name}.csv");
        let mut command = jostle(&place, &format!("sweep a.toml --threads 1 --out {out}"));
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let lines = || fs::read_to_string(place.path(&out)).unwrap_or_default().lines().count();
        wait_until(&mut child, |_| lines() > 2);
        signal(&child, name);
        let ended = end(child);
        let so_far = table(&place, &out);
        let had = so_far.lines().count() - 1;
        assert!((2..10).contains(&had) && so_far.ends_with('\n'), "{so_far}");
        assert!(whole.starts_with(&without_seconds(&so_far)));
        if name != "KILL" {
            assert_eq!(ended.status, Some(if name == "INT" { 130 } else { 143 }), "{ended:?}");
            let said = format!("stopped: {out} has {had} of 10 runs; the same command goes on");
            assert!(ended.line().contains(&said), "{ended:?}");
        }
        // A machine that loses power may leave a part of a row.
        let cut = format!("{so_far}{}", &so_far.lines().nth(1).expect("a row")[..40]);
        fs::write(place.path(&out), cut).expect("the table");
        let ended = place.jostle(&format!("sweep a.toml --out {out}"));
        let new = format!("{out} has all 10 runs, {} of them new, in ", 10 - had);
        assert!(ended.status == Some(0) && ended.line().contains(&new), "{ended:?}");
        assert_eq!(without_seconds(&table(&place, &out)), whole);
    }
}

#[test]
fn more_values_are_added() {
    let place = Place::new();
    assert_eq!(sweep(&place, GAS, "--out a.csv").status, Some(0));
    let more = GAS.replace("seed = [1, 2]", "seed = \"1..3\"");
    let ended = sweep(&place, &more, "--out a.csv");
    assert!(ended.line().contains("all 9 runs, 3 of them new, in "), "{ended:?}");
    assert_eq!(sweep(&place, &more, "--out b.csv").status, Some(0));
    let [one, other] = ["a.csv", "b.csv"].map(|name| without_seconds(&table(&place, name)));
    assert_eq!(one, other);
}

#[test]
fn a_table_of_another_sweep_is_refused() {
    let place = Place::new();
    assert_eq!(sweep(&place, GAS, "--out a.csv").status, Some(0));
    let before = table(&place, "a.csv");
    for (from, to, part) in [
        ("steps = 64", "steps = 65", "line 2 belongs to another sweep, with other flags in [run]"),
        ("[run]", "every = 2\n[run]", "line 2 belongs to another sweep"),
        ("0.1..0.3", "0.2..0.4", "line 2 has values that this sweep does not have"),
        ("seed", "speed", "the column \"seed\" where this one has the column \"speed\""),
    ] {
        let ended = sweep(&place, &GAS.replace(from, to), "--out a.csv");
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert!(ended.line().contains("a.csv can't be continued: "), "{ended:?}");
        assert!(ended.line().contains(part), "{part}: {ended:?}");
        assert!(ended.line().ends_with("; name another file"), "{ended:?}");
        assert_eq!(table(&place, "a.csv"), before, "it stays");
    }
    let first = before.lines().nth(1).expect("a row");
    for (text, part) in [
        (format!("{before}{first}\n"), "line 8 repeats a row above"),
        (format!("{before}1,2\n"), "line 8 has other columns"),
        ("x,y\n1,2\n".to_owned(), "it is the table of another sweep"),
        ("no table".to_owned(), "it is the table of another sweep"),
    ] {
        fs::write(place.path("a.csv"), &text).expect("a file");
        let ended = sweep(&place, GAS, "--out a.csv");
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert!(ended.line().contains(part), "{part}: {ended:?}");
        assert_eq!(table(&place, "a.csv"), text);
    }
    fs::write(place.path("a.csv"), b"\xff\xfe\n").expect("a file");
    assert!(sweep(&place, GAS, "--out a.csv").line().contains("no table of text"));
    fs::write(place.path("a.csv"), "").expect("an empty file, as mktemp makes one");
    assert_eq!(sweep(&place, GAS, "--out a.csv").status, Some(0));
}

#[test]
fn everything_wrong_is_named_at_once() {
    let place = Place::new();
    let text = "evry = 3\n[run]\nagnets = 5\nframe = \"a.png\"\nthreads = 2\ndensity = [1, 2]\n\
        seed = 1\n[sweep]\nseed = \"1..3\"\nhz = \"a..b\"\nspeed = []\nradius = [0.5, 0.5]\n";
    let ended = sweep(&place, text, "--out a.csv");
    assert_eq!(ended.status, Some(2));
    for part in [
        "a.toml:1:1: `evry` is no known section; did you mean every?",
        "a.toml:3:1: `agnets` is no known flag; did you mean agents?",
        "a.toml:4:1: `frame` is what a run draws or writes; leave it out",
        "a.toml:5:1: `threads` belongs to the command; try jostle sweep --threads",
        "a.toml:6:11: density [1, 2] can't be used: expected one value; a list belongs to [sweep]",
        "a.toml:9:8: `seed` is in the file twice",
        "a.toml:10:6: hz \"a..b\" is no range of numbers",
        "a.toml:11:9: speed [] can't be used: expected a list of one or more values",
        "a.toml:12:16: radius 0.5 is in the list twice",
        "a.toml has 9 faults; nothing was started",
    ] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    for (text, part) in [
        ("", "a.toml:1:1: there is no [sweep]"),
        (
            "[sweep]\n\"set.noise\" = [1, 2]\n",
            "a.toml:2:1: `set.noise` is one word in quotes; write set.noise without them",
        ),
        ("[sweep]", "[sweep] has no flag"),
        ("[sweep]\nseed = ", "a.toml:2:"),
        ("[sweep]\nseed = 0x10", "seed 0x10 can't be used: expected a number"),
        ("[sweep]\nhz = [inf]", "--hz inf is not a finite number"),
        ("[sweep]\nseed = \"1..1000000000000\"", "expected at most 100000"),
        ("[sweep]\nseed = \"1..1000\"\nhz = \"1..1000\"", "there are 1000000 runs"),
        (
            "[sweep]\nseed = \"1..100000\"\nhz = \"1..100000\"\nspeed = \"1..100000\"\ntight = \"1..100000\"",
            "runs: expected at most",
        ),
        (
            "[run]\nagents = 9\n[sweep]\ndensity = [0.3, 7]",
            "a.toml:4:17: --density 7 is out of range",
        ),
        (
            "[run]\nfriction = 11\n[sweep]\nseed = [1, 2]",
            "a.toml:2:12: --friction 11 is out of range",
        ),
        ("[run]\nworld = \"9x9\"\n[sweep]\ndensity = [0.3]", "--density"),
        ("[run]\nagents = \"1G\"\n[sweep]\nseed = [1]", "(in the run with seed 1)"),
        ("[sweep]\nset.noise = [1]", "belongs to a world file"),
        ("[run]\nscene = \"none.toml\"\n[sweep]\nseed = [1]", "none.toml can't be read"),
        ("[sweep]\nset.\"a\\nb\" = [1]", "line break"),
        ("[sweep]\nscene = [\"a\\nb\"]", "can't be used"),
        ("every = 0\n[sweep]\nseed = [1]", "every 0 can't be used: expected a whole number"),
    ] {
        let ended = sweep(&place, text, "--out a.csv");
        assert!(matches!(ended.status, Some(1 | 2)), "{text}: {ended:?}");
        assert!(ended.line().contains(part), "{text}: {ended:?}");
    }
    // Keys and values that can't be read, all at once.
    let text =
        "[run]\nagents = \"x\"\nsteps = -3\n[sweep]\ndensity = [0.1, \"q\"]\nsede = \"1..2\"";
    let ended = sweep(&place, text, "--out a.csv");
    for place in ["a.toml:2:10: ", "a.toml:3:9: ", "a.toml:5:17: ", "a.toml:6:1: "] {
        assert!(ended.stderr.contains(place), "{ended:?}");
    }
    assert_eq!(place.names(), ["a.toml"], "nothing was started");
    for (args, part) in [
        ("", "--out"),
        ("--out a.txt", "ends in .csv"),
        ("--out a.csv --plot a.svg", "--observable"),
        ("--out a.csv --observable agents", "--plot"),
        ("--out a.csv --plot a.svg --observable presure_wall", "did you mean pressure_wall?"),
        ("--out a.csv --plot a.svg --observable agents --over sed", "--over sed is no known"),
        ("--out a.csv --plot a.png --observable agents", "ends in .svg"),
        ("--out - --plot - --observable agents", "both write to stdout"),
        ("--out no/a.csv", "its folder doesn't exist"),
    ] {
        let ended = sweep(&place, GAS, args);
        assert!(matches!(ended.status, Some(1 | 2)), "{args}: {ended:?}");
        assert!(ended.line().contains(part), "{args}: {ended:?}");
    }
    assert_eq!(place.names(), ["a.toml"]);
}

const WORLD: &str = "\
world = { size = [30, 20], boundary = \"periodic\", agents = 50, speed = 5 }
species = { \"big, red\" = 1, blue = 1 }
param = { push = { value = 1, min = 0, max = 5 } }
observe = { right = \"vx\" }
agent = { acceleration = [\"push\", \"0\"] }
";

/// A table that a world file reads its agents from is part of what all runs have.
#[test]
fn another_table_of_agents_is_another_sweep() {
    let place = Place::new();
    let world = "world = { size = [30, 20], radius = 0.5 }\ngroup = [{ from = \"start.csv\" }]\n";
    fs::write(place.path("World.TOML"), world).expect("a world file");
    let table = |y: u32| format!("x,y,vx,vy\n3,4,1,0\n9,{y},0,1\n");
    fs::write(place.path("start.csv"), table(4)).expect("a table");
    let text = "[run]\nscene = \"World.TOML\"\nsteps = 5\n[sweep]\nseed = [1, 2]\n";
    fs::write(place.path("a.toml"), text).expect("a file");
    let sweep = || place.jostle("sweep a.toml --out a.csv");
    assert_eq!(sweep().status, Some(0));
    assert!(sweep().stderr.contains("all 2 runs"), "the same table");
    fs::write(place.path("start.csv"), table(5)).expect("a table");
    let other = sweep();
    assert_eq!(other.status, Some(2), "{other:?}");
    assert!(other.line().contains("another sweep"), "{other:?}");
}

#[test]
fn world_files_are_beside_the_sweep_and_have_their_quantities() {
    let place = Place::new();
    fs::create_dir(place.path("my sweeps")).expect("a folder");
    fs::write(place.path("my sweeps/my world.toml"), WORLD).expect("a world file");
    let text = "[run]\nscene = \"my world.toml\"\nsteps = 40\n[sweep]\nset.push = [0, 2]\n";
    let [file, out, plot] = ["my sweeps/push it.toml", "my table.csv", "my plot.svg"];
    fs::write(place.path(file), text).expect("a file");
    let mut command = place.command(JOSTLE);
    let ended =
        ended(command.args(["sweep", file, "--out", out, "--plot", plot, "--observable", "right"]));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let rows = rows(&table(&place, out));
    for (row, push) in rows.iter().zip(["0", "2"]) {
        assert_eq!(row["push"], push);
        assert_eq!(number(row, "big, red_mean") + number(row, "blue_mean"), 50.0);
        assert_eq!(row["compressibility_theory"], "", "theory knows no rules");
        let mut run = place.command(JOSTLE);
        run.args(["run", "--steps", "40", "--json", "--scene", "my sweeps/my world.toml"]);
        let json = crate::harness::ended(run.args(["--set", &format!("push={push}")])).stdout;
        assert_eq!(crate::harness::parse(&json)["state_hash"], row["state_hash"].as_str());
    }
    assert!(number(&rows[1], "right_mean") > number(&rows[0], "right_mean") + 0.3);
    // Another world is another sweep, and so is a wrong value.
    fs::write(place.path("my sweeps/my world.toml"), WORLD.replace("speed = 5", "speed = 6"))
        .expect("a world file");
    let mut command = place.command(JOSTLE);
    let other = crate::harness::ended(command.args(["sweep", file, "--out", out]));
    assert!(other.line().contains("another world file"), "{other:?}");
    fs::write(place.path(file), text.replace('2', "9")).expect("a file");
    let mut command = place.command(JOSTLE);
    let wrong = crate::harness::ended(command.args(["sweep", file, "--out", "b.csv"]));
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.line().contains("push it.toml:5:16: "), "{wrong:?}");
    assert!(wrong.line().contains("--set push=9 is out of range: expected 0 to 5"), "{wrong:?}");
    fs::write(
        place.path("my sweeps/my world.toml"),
        WORLD.replace("vx", "vz").replace("speed", "spede"),
    )
    .expect("a world file");
    let mut command = place.command(JOSTLE);
    let broken = crate::harness::ended(command.args(["sweep", file, "--out", "b.csv"]));
    assert_eq!(broken.status, Some(2));
    let faults = ["my world.toml:1:", "my world.toml:4:", "has 2 faults"];
    let counts = faults.map(|fault| broken.stderr.matches(fault).count());
    assert_eq!(counts, [1; 3], "once each: {broken:?}");
}

#[test]
fn full_disks_and_closed_pipes() {
    let place = Place::new();
    if Path::new("/dev/full").exists() {
        let full = sweep(&place, GAS, "--out /dev/full");
        assert_eq!(full.status, Some(1));
        assert!(full.line().contains("/dev/full can't be written: the disk is full"), "{full:?}");
    }
    let piped = sweep(&place, GAS, "--threads 1 --out -");
    assert_eq!((piped.status, rows(&piped.stdout).len()), (Some(0), 6), "{piped:?}");
    let mut command = jostle(&place, "sweep a.toml --threads 1 --out -");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut begin = [0; 20];
    child.stdout.take().expect("a pipe").read_exact(&mut begin).expect("the header");
    let ended = crate::harness::said(child.wait_with_output().expect("it ends"));
    assert!(ended.status == Some(0) && !ended.stderr.contains("can't"), "{ended:?}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new();
    let ended = sweep(&place, GAS, "--threads 2 --dry-run");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    for part in ["6, of which 6 are missing", "2, of 1 thread each", "MiB", "about "] {
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
    assert_eq!(place.names(), ["a.toml"]);
    let one = sweep(&place, "[run]\nagents = 30\n[sweep]\nseed = 4", "--threads 3 --dry-run");
    assert!(one.stdout.contains("1, of 3 threads each"), "{one:?}");
    sweep(&place, GAS, "--out a.csv");
    let ended = sweep(&place, GAS, "--dry-run --out a.csv");
    assert!(ended.stdout.contains("6, of which 0 are missing"), "{ended:?}");
}

/// Checks that each tag of a text is closed where XML has it, and returns the number of each.
fn tags(svg: &str) -> BTreeMap<String, usize> {
    let (mut open, mut counts) = (Vec::new(), BTreeMap::new());
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("an end of the tag");
        assert!(!text.contains('>') && tag.matches('"').count() % 2 == 0, "{part}");
        assert!(!text.replace("&amp;", "").replace("&lt;", "").contains('&'), "{part}");
        let name = tag.split([' ', '/', '\n']).find(|word| !word.is_empty()).expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{part}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        if !tag.starts_with('/') {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    assert!(open.is_empty(), "{open:?}");
    counts
}

#[test]
fn a_chart_has_a_curve_for_each_second_value() {
    let place = Place::new();
    let text = GAS.replace("seed = [1, 2]", "seed = [1, 2]\nspeed = [5, 6]");
    let plot = "--out a.csv --plot a.svg --observable compressibility";
    assert_eq!(sweep(&place, &text, plot).status, Some(0));
    let svg = table(&place, "a.svg");
    // Three points per curve, and one in its legend; seeds are one point.
    assert_eq!(tags(&svg)["circle"], 8, "{svg}");
    for text in ["speed 5", "speed 6", "theory", "compressibility over density"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // The rows are there, so that another chart runs nothing.
    let ended = sweep(&place, &text, "--out a.csv --plot - --observable agents --over speed");
    assert!(ended.line().contains("which it had before"), "{ended:?}");
    assert_eq!(tags(&ended.stdout)["circle"], 6, "{ended:?}");
    assert!(ended.stdout.contains("density 0.3"), "{ended:?}");
    let scenes = GAS.replace("seed = [1, 2]", "boundary = [\"walls\", \"periodic\"]");
    let ended =
        sweep(&place, &scenes, "--out b.csv --plot b.svg --observable agents --over boundary");
    assert!(ended.line().contains("walls is no number"), "{ended:?}");
}

/// The sweeps of the program, with fewer values, agents and steps.
#[test]
fn published_curves_come_out() {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let smaller = |name: &str, changes: &[(&str, &str)]| {
        let text = fs::read_to_string(folder.join("sweeps").join(name)).expect("a sweep");
        let world = folder.join("worlds").display().to_string();
        changes.iter().fold(text.replace("../worlds", &world), |text, (from, to)| {
            assert!(text.contains(from), "{name} has {from}");
            text.replace(from, to)
        })
    };
    let pressure = smaller(
        "pressure.toml",
        &[
            ("agents = 1000", "agents = 300"),
            ("steps = 4000", "steps = 1000"),
            ("0.05..0.6 step 0.05", "0.1..0.5 step 0.2"),
            ("1..8", "1..2"),
        ],
    );
    assert_eq!(sweep(&place, &pressure, "--out pressure.csv").status, Some(0));
    for row in rows(&table(&place, "pressure.csv")) {
        let [found, error, expected] =
            ["mean", "error", "theory"].map(|of| number(&row, &format!("compressibility_{of}")));
        assert!((found - expected).abs() < 5.0 * error + 0.01, "{found} ± {error}, not {expected}");
        assert!(error < 0.05 * expected, "{error}");
    }
    let vicsek = smaller(
        "vicsek.toml",
        &[
            ("0..6.25 step 0.25", "0.5..6 step 5.5"),
            ("[100, 400]", "[400]"),
            ("1..4", "1..2"),
            ("warmup = 2000", "warmup = 1000"),
            ("steps = 8000", "steps = 1000"),
        ],
    );
    assert_eq!(sweep(&place, &vicsek, "--out vicsek.csv").status, Some(0));
    let rows = rows(&table(&place, "vicsek.csv"));
    for row in &rows {
        let order = number(row, "polar_order_mean");
        let expected = if row["noise"] == "0.5" { 0.9..1.0 } else { 0.03..0.07 };
        assert!(expected.contains(&order), "{row:?}");
    }
    let hashes: BTreeSet<&String> = rows.iter().map(|row| &row["state_hash"]).collect();
    assert_eq!(hashes.len(), 4, "each run is another one");
}
