//! `--start`: what `--export` writes comes in again, and so do tables of other programs; a line that
//! can't be used is named.

use std::fs;

use serde_json::Value;

use crate::harness::{Ended, Place, parse, skip, works};

/// The state hash that a run reports, whatever it says beside.
fn hash(ended: &Ended) -> Value {
    assert_eq!(ended.status, Some(0), "{ended:?}");
    parse(&ended.stdout)["state_hash"].clone()
}

/// Every scene at its start, with the world that a table does not say, comes in with the same hash, from
/// both formats; its statics come from the archive or from the scene. The gate of `dam` depends on the
/// radii of the set-up, which CSV does not have.
#[test]
fn what_goes_out_comes_in() {
    let place = Place::new();
    for (scene, agents, world) in [
        ("gas", 900, "--world 80x60"),
        ("mixed", 900, "--world 900x600"),
        ("sparse", 900, "--world 3000x2000"),
        ("melee", 900, "--world 120x80"),
        ("pile", 900, "--world 80x60"),
        ("pegs", 200, "--world 150x150"),
        ("dam", 500, "--world 100x60"),
        ("shear", 900, "--world 80x60"),
        ("shock", 900, "--world 80x60"),
        ("crystal", 900, "--world 60x40"),
        ("cannon", 40, ""),
    ] {
        let out = format!("run --scene {scene} --agents {agents} {world} --steps 0 --json");
        let expected = hash(&place.jostle(&format!("{out} --export a.npz")));
        assert_eq!(hash(&place.jostle(&format!("{out} --export a.csv"))), expected);
        for file in ["a.npz", "a.csv"].into_iter().take(if scene == "dam" { 1 } else { 2 }) {
            let back = format!("run --scene {scene} {world} --start {file} --steps 0 --json");
            assert_eq!(hash(&place.jostle(&back)), expected, "{scene} from {file}");
        }
    }
}

/// After some steps, discs may touch walls and each other; what a run reached comes in, too.
#[test]
fn the_end_of_a_run_is_the_start_of_another() {
    let place = Place::new();
    for scene in ["gas --world 80x60", "pile --world 80x60", "shear --world 80x60"] {
        let out = format!("run --scene {scene} --agents 900 --steps 200 --json --export a.csv");
        assert_eq!(place.jostle(&out).status, Some(0));
        let back = format!("run --scene {scene} --start a.csv --steps 0 --json --export b.csv");
        assert_eq!(place.jostle(&back).status, Some(0), "{scene}");
        let [out, back] = ["a.csv", "b.csv"].map(|name| fs::read(place.path(name)).expect("it"));
        assert!(out == back, "{scene}");
    }
}

/// The run is saved, restored and replayed as any other.
#[test]
fn such_a_run_goes_on_from_a_snapshot() {
    let place = Place::new();
    place.jostle("run --agents 900 --world 80x60 --steps 20 --export a.csv");
    let start = "--world 80x60 --start a.csv";
    let whole = hash(&place.jostle(&format!("run {start} --steps 60 --json")));
    let threads = "--threads 1 --index quadtree --simd scalar";
    assert_eq!(hash(&place.jostle(&format!("run {start} --steps 60 --json {threads}"))), whole);
    place.jostle(&format!("run {start} --steps 25 --save a.jostle"));
    assert_eq!(hash(&place.jostle("run --load a.jostle --steps 35 --json")), whole);
    let film =
        place.jostle(&format!("record {start} --steps 60 --size 64x48 a.gif --save b.jostle"));
    assert_eq!(film.status, Some(0), "{film:?}");
    assert_eq!(parse(&place.jostle("info b.jostle --json").stdout)["state_hash"], whole);
    let both = place.jostle(&format!("run {start} --load a.jostle"));
    let expected = "jostle: --start a.csv contradicts a.jostle, which has a state of its own; leave \
                    out --start";
    assert_eq!((both.status, both.line()), (Some(2), expected));
    let bench =
        format!("bench {start} --index double-grid,naive --steps 2 --repeats 1 --warmup 3 --json");
    let bench = parse(&place.jostle(&bench).stdout);
    assert_eq!(bench["rows"][0]["agents"], 900);
    assert_eq!(bench["rows"][0]["state_hash"], bench["rows"][1]["state_hash"]);
}

/// What a table lacks is drawn, as flags say.
#[test]
fn flags_say_what_a_table_lacks() {
    let place = Place::new();
    fs::write(place.path("a.csv"), "y,x\n10,20\n30,40\n50,60\n").expect("a file");
    let run = |flags: &str| {
        let out = format!("run --start a.csv --world 100x80 --steps 0 --export b.csv {flags}");
        let ended = place.jostle(&out);
        assert_eq!(ended.status, Some(0), "{ended:?}");
        fs::read_to_string(place.path("b.csv")).expect("a table")
    };
    // A direction times 0 may be -0.
    let table = run("--radius 2 --speed 0").replace("-0.0", "0.0");
    let rows =
        ["0,20.0,10.0", "1,40.0,30.0", "2,60.0,50.0"].map(|row| row.to_owned() + ",0.0,0.0,2.0\n");
    assert_eq!(table, "id,x,y,vx,vy,radius\n".to_owned() + &rows.concat());
    assert_ne!(run("--seed 1"), run("--seed 2"));
    assert_eq!(run("--seed 1"), run("--seed 1"));
}

/// Tables as other programs write them.
#[test]
fn tables_of_other_programs_are_read() {
    let place = Place::new();
    let plain = "x,y,vx,vy,radius,id\n10.5,20.25,1,-2,0.5,7\n30,40,0.125,0,1.5,3\n";
    let run = |text: &str| {
        fs::write(place.path("a.csv"), text).expect("a file");
        let ended = place.jostle("run --start a.csv --world 100x80 --steps 0 --json");
        (hash(&ended), ended.stderr)
    };
    let (expected, said) = run(plain);
    assert_eq!(said, "");
    for text in [
        plain.replace('\n', "\r\n"),
        format!("{plain}\n\n"),
        plain.replace("\n30", "\n\n\n30"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
        plain.replace(',', "\t"),
        plain.replace(',', ";"),
        format!("\u{feff}{}", plain.replace(',', ";").replace('.', ",").replace('\n', "\r\n")),
        plain.replace("10.5", "\"10.5\"").replace("\nx", "\n\"x\""),
        plain.replace("x,y", " X , Y "),
        plain.replace("x,y,vx", "# x,y,vx"),
        plain.replace(",7", ",7.0").replace("10.5", "1.05e1"),
        format!("{plain},,,,,\n"),
    ] {
        assert_eq!(run(&text), (expected.clone(), String::new()), "{text:?}");
    }
    let wider =
        "x,y,mass,vx,vy,radius,id,Name\n10.5,20.25,1,1,-2,0.5,7,a\n30,40,2,0.125,0,1.5,3,b\n";
    let (wider, said) = run(wider);
    assert_eq!((wider, said.as_str()), (expected, "jostle: a.csv: not used: mass, name\n"));
}

#[test]
fn a_line_that_is_wrong_is_named() {
    let place = Place::new();
    let head = "x,y,vx,vy,radius,id\n10,20,1,-2,0.5,7\n";
    for (text, flags, expected) in [
        (format!("{head}30,abc,0,0,1,3\n"), "", "line 3: y \"abc\" is not a number; mend the line"),
        (format!("{head}\n\n30,,0,0,1,3\n"), "", "line 5: y \"\" is not a number; mend the line"),
        (format!("{head}30,40,0,0,1\n"), "", "line 3: it has 5 fields, and the first line has 6; "),
        (format!("{head}30,40,0,0,1,3,4\n"), "", "line 3: it has 7 fields, and the first line"),
        (
            format!("{head}30,40,0,0,1,-3\n"),
            "",
            "line 3: id \"-3\" is not a whole number from 0 to",
        ),
        (
            format!("{head}30,40,0,0,1,7\n"),
            "",
            "line 3: agent id 7 is not unique: expected one agent",
        ),
        (
            format!("{head}30,40,0,0,-1,3\n"),
            "",
            "line 3: agent radius -1 is out of range: expected",
        ),
        (
            format!("{head}300,40,0,0,1,3\n"),
            "",
            "line 3: agent position (300, 40) is out of range: ",
        ),
        (format!("{head}30,40,inf,0,1,3\n"), "", "line 3: agent velocity (inf, 0) is out of range"),
        (format!("{head}NaN,40,0,0,1,3\n"), "", "line 3: agent position (NaN, 40) is out of range"),
        (format!("{head}30,40,0,0,1,3\n"), "--speed 3", "--speed has no effect, as a.csv says it"),
        (
            format!("{head}30,40,0,0,1,3\n"),
            "--radius 3",
            "--radius has no effect, as a.csv says it",
        ),
        (
            format!("{head}30,40,0,0,1,3\n"),
            "--agents 3",
            "--agents has no effect, as a.csv says it",
        ),
        (
            "x,z\n1,2\n".to_owned(),
            "",
            "it has no column y among x, z; name the columns as --export",
        ),
        ("x,y,vx\n1,2,3\n".to_owned(), "", "it has vx and no vy; add vy"),
        ("x,y,x\n1,2,3\n".to_owned(), "", "it has two columns x; rename one of them"),
        ("x,y\n".to_owned(), "", "it has no agents; name a file with one or more"),
        (String::new(), "", "it is empty; its first line is to name the columns"),
        ("\0\0\0".to_owned(), "", "it is neither CSV nor NPZ; save it as CSV in UTF-8"),
        ("PK\u{3}\u{4}".to_owned(), "", "a.csv can't be used: "),
    ] {
        fs::write(place.path("a.csv"), &text).expect("a file");
        let ended = place.jostle(&format!("run --start a.csv --world 100x80 --steps 1 {flags}"));
        assert_eq!(ended.status, Some(2), "{text:?}: {ended:?}");
        assert!(ended.line().contains(expected), "{text:?}: {}", ended.line());
    }
    fs::write(place.path("a.csv"), format!("{head}30,40,0,0,1,3\n")).expect("a file");
    let ended = place.jostle("run --start a.csv");
    let expected = "jostle: a.csv does not say how large its world is; add --world 31x41 or a larger \
                    one";
    assert_eq!((ended.status, ended.line()), (Some(2), expected));
    // No world is large enough for these.
    for place_in_file in ["NaN,40", "30,NaN", "inf,40", "30,-inf"] {
        fs::write(place.path("a.csv"), format!("{head}{place_in_file},0,0,1,3\n")).expect("a file");
        let ended = place.jostle("run --start a.csv");
        assert_eq!(ended.status, Some(2), "{place_in_file}");
        let expected = "is not finite; mend the line, or remove it";
        assert!(ended.line().contains("a.csv, line 3: agent position"), "{}", ended.line());
        assert!(ended.line().ends_with(expected), "{}", ended.line());
    }
    fs::write(place.path("a.csv"), format!("{head}30,40,0,0,1,3\n1,-1e30,0,0,1,4\n"))
        .expect("a file");
    let ended = place.jostle("run --start a.csv");
    let expected = "jostle: a.csv, line 4: agent of radius 1.0 at (1.0, -1e30) is too far away for agents of radius 0.5: ";
    assert_eq!(ended.status, Some(2));
    assert!(ended.line().starts_with(expected), "{}", ended.line());
    let ended = place.jostle("run --start b.csv");
    let expected = "jostle: b.csv can't be read: there is no such file; name another file";
    assert_eq!((ended.status, ended.line()), (Some(1), expected));
    assert_eq!(place.names(), ["a.csv"]);
}

#[test]
fn overlap_is_reported() {
    let place = Place::new();
    fs::write(place.path("a.csv"), "x,y,radius\n10,20,2\n11,20,1\n50,50,1\n").expect("a file");
    let ended = place.jostle("run --start a.csv --world 100x80 --steps 50 --json --export b.csv");
    let expected = "jostle: a.csv: pairs of agents overlap: 1, by up to 2 (2.00 of the smaller radius); \
                    the first steps push them apart";
    assert_eq!((ended.status, ended.line()), (Some(0), expected));
    assert_eq!(parse(&ended.stdout)["contacts"], 0);
    fs::write(place.path("w.csv"), "x,y,radius\n50,52,2\n").expect("a file");
    let ended = place.jostle("run --start a.csv --walls w.csv --world 100x80 --steps 1");
    assert!(
        ended.stderr.contains("a.csv: agents overlap walls: 1, by up to 1 (1.00 of"),
        "{ended:?}"
    );
}

#[test]
fn walls_come_from_a_table() {
    let place = Place::new();
    fs::write(place.path("a.csv"), "x,y\n10,20\n30,40\n").expect("a file");
    let walls = [
        ("left,bottom,right,top\n0,50,60,55\n70,0,75,30\n", 2),
        ("x,y,radius\n50,50,3\n", 1),
        ("left,bottom,right,top,radius\n50,50,50,50,3\n0,60,10,70,0\n", 2),
        // From left, bottom to right, top: here to the lower left.
        ("left,bottom,right,top,radius\n50,50,40,30,3\n", 1),
    ];
    for (text, count) in walls {
        fs::write(place.path("w.csv"), text).expect("a file");
        let run = "run --start a.csv --walls w.csv --world 100x80 --steps 5 --json";
        let ended = place.jostle(&format!("{run} --export b.npz"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert_eq!(parse(&ended.stdout)["statics"], count);
        let again = place.jostle("run --start b.npz --world 100x80 --steps 0 --json");
        assert_eq!(parse(&again.stdout)["statics"], count);
    }
    for (text, expected) in [
        ("left,bottom,right,top\n0,50,60,55\n9,1,5,4\n", "w.csv, line 3: static "),
        (
            "left,bottom,right,top\n0,50,600,55\n",
            "w.csv, line 2: static box from (0, 50) to (600, 55)",
        ),
        (
            "left,bottom,right,top,radius\n50,50,99,30,3\n",
            "w.csv, line 2: static capsule of radius 3 from (50, 50) to (99, 30)",
        ),
        ("left,bottom,right,top,radius\n50,50,60,30,-3\n", "w.csv, line 2: static capsule of "),
        (
            "left,bottom,right\n0,50,60\n",
            "w.csv can't be used: it has the columns left, bottom, right; ",
        ),
    ] {
        fs::write(place.path("w.csv"), text).expect("a file");
        let ended = place.jostle("run --start a.csv --walls w.csv --world 100x80 --steps 5");
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert!(ended.line().contains(expected), "{}", ended.line());
    }
}

#[test]
fn archives_of_numpy_are_read() {
    let numpy = "archives_of_numpy_are_read";
    if !works("python3", &["-c", "import numpy"]) {
        return skip(numpy, "there is no python3 with numpy");
    }
    let place = Place::new();
    let run = |program: &str| {
        let program = format!(
            "import numpy as n\nx, y = n.array([10.5, 30]), n.array([20.25, 40])\n{program}"
        );
        let python =
            place.command("python3").args(["-c", &program]).output().expect("python3 runs");
        assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
        place.jostle("run --start a.npz --world 100x80 --speed 0 --radius 2 --steps 0 --json")
    };
    let expected = hash(&run("n.savez('a.npz', x=x, y=y)"));
    for program in [
        "n.savez_compressed('a.npz', x=x, y=y)",
        "n.savez('a.npz', x=x.astype('f4'), y=y.astype('>f8'), id=n.arange(2))",
        "n.savez_compressed('a.npz', y=y, x=x, id=n.arange(2.0))",
        "n.savez('a.npz', x=x, y=y, id=n.arange(2, dtype='i2'))",
    ] {
        assert_eq!(hash(&run(program)), expected, "{program}");
    }
    for (program, expected) in [
        ("n.savez('a.npz', pos=n.stack([x, y]))", "it has no column x among pos; name the columns"),
        ("n.savez('a.npz', x=x, y=y[:1])", "array y has 1 values, and the first has 2"),
        ("n.savez('a.npz', x=n.stack([x, y]), y=y)", "array x has 2 dimensions: expected 1"),
        ("n.savez('a.npz', x=x, y=n.array(['a', 'b']))", "a.npz, index 0: y \"a\" is not a number"),
        ("n.savez('a.npz', x=x, y=y*1e9)", "a.npz, index 0: agent position (10.5, 2.025e10)"),
        ("n.savez('a.npz', x=x, y=y, id=n.array([1, -1]))", "a.npz, index 1: id -1 is not a whole"),
        (
            "n.savez('a.npz', x=x, y=y); b = open('a.npz', 'rb').read(); open('a.npz', 'wb').write(b[:300])",
            "a.npz can't be used: ",
        ),
    ] {
        let ended = run(program);
        assert_eq!(ended.status, Some(2), "{program}: {ended:?}");
        assert!(ended.line().contains(expected), "{program}: {}", ended.line());
    }
}
