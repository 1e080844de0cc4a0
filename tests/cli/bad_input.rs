//! Unusable input: status 2, one sentence with the value and the remedy, and nothing runs.

use jostle::simd::SimdLevel;

use crate::harness::Place;

/// Arguments of `jostle run`, the value that the message names, and the remedy that it suggests.
const REFUSED: &[(&str, &str, &str)] = &[
    // Counts.
    ("--agents 0", "--agents 0", "try 500k"),
    ("--agents -5", "--agents -5", "500k"),
    ("--agents=-5", "--agents -5", "500k"),
    ("--agents -5k", "--agents -5k", "500k"),
    ("--agents 1e99", "--agents 1e99", "1,000,000,000"),
    ("--agents abc", "--agents abc", "500k"),
    ("--agents 4_294_967_296", "--agents 4_294_967_296", "1,000,000,000"),
    ("--agents 1.5", "--agents 1.5", "whole"),
    ("--agents 0.1k5", "--agents 0.1k5", "500k"),
    ("--agents k", "--agents k", "500k"),
    ("--agents _5", "--agents _5", "500k"),
    ("--agents ٣", "--agents ٣", "500k"),
    ("--agents 1e-1", "--agents 1e-1", "whole"),
    ("--agents 2.50", "--agents 2.50", "whole"),
    ("--agents 30.000", "--agents 30.000", "can be read as 30000 or as 30; write it without"),
    ("--agents 1e999999999999", "--agents 1e999999999999", "500k"),
    ("--agents --json", "--agents --json", "500k"),
    ("--steps -1", "--steps -1", "500k"),
    ("--steps 1e30", "--steps 1e30", "1,000,000,000,000,000"),
    ("--warmup x", "--warmup x", "500k"),
    ("--threads 0", "--threads 0", "leave it out"),
    ("--threads -1", "--threads -1", "write a whole number"),
    ("--threads 1000000", "--threads 1000000", "1,024"),
    ("--substeps 0", "--substeps 0", "1"),
    ("--substeps -2", "--substeps -2", "write a whole number"),
    ("--substeps 1G", "--substeps 1000000000", "1000"),
    ("--seed -1", "--seed -1", "write a whole number"),
    ("--seed 18446744073709551616", "--seed 18446744073709551616", "0 to 18446744073709551615"),
    ("--tight 0", "--tight 0", "1"),
    ("--tight -1", "--tight -1", "write a whole number"),
    // Borders.
    ("--boundary torus", "--boundary torus", "walls, periodic, periodic-x"),
    ("--collisions late", "--collisions late", "overlap, swept"),
    ("--collisions swept --scene pile", "--collisions swept", "try --solver impulse"),
    ("--collisions swept --scene melee", "--collisions swept", "try --solver impulse"),
    ("--boundary periodic --scene dam", "--boundary periodic", "try --boundary walls"),
    ("--boundary periodic-x --scene shock", "--boundary periodic-x", "try --boundary walls"),
    ("--boundary periodic --gravity 3", "--gravity 3", "try --gravity 0"),
    (
        "--boundary periodic-x --gravity 3 --restitution 0.5",
        "--boundary periodic-x",
        "try --solver impulse",
    ),
    ("--boundary periodic --solver contact", "--boundary periodic", "try --solver impulse"),
    ("--boundary periodic --agents 3 --world 60x3.5", "--world 60x3.5", "try --world 60x3.7"),
    // Radii, room.
    ("--radius 0", "--radius 0", "1e-6"),
    ("--radius -1", "--radius -1", "1e-6"),
    ("--radius nan", "--radius nan", "0.5..1"),
    ("--radius inf", "--radius inf", "0.5..1"),
    ("--radius 1..inf", "--radius 1..inf", "0.5..1"),
    ("--radius 2..1", "--radius 2..1", "1..2"),
    ("--radius 1..2..3", "--radius 1..2..3", "0.5..1"),
    ("--density 0", "--density 0", "0.3"),
    ("--density -0.1", "--density -0.1", "0.3"),
    ("--density 0.99", "--density 0.99", "try --density 0.5"),
    ("--density nan", "--density nan", "0.5"),
    ("--agents 1 --world 0.5x0.5", "0.5", "--world"),
    ("--agents 1 --world 100x0.5", "0.5", "--world"),
    ("--agents 1 --radius 30 --world 50x50", "50", "--world"),
    ("--agents 100 --world 3x3", "--world 3x3", "try --world "),
    ("--world 0x10", "--world 0x10", "--world"),
    ("--world -10x10", "--world -10x10", "--world"),
    ("--world 10", "--world 10", "2000x1000"),
    ("--world infxinf", "--world infxinf", "2000x1000"),
    ("--world 100x100 --density 0.3", "--world", "cannot be used with '--density"),
    ("--world 1e9x1e9", "1e9", "--world"),
    ("--agents 10 --world 1e9x1e9 --cell 1e6", "1e9", "--world"),
    ("--scene cannon --radius 0.5", "--world 9.6x6.4", "try fewer --agents or a smaller --radius"),
    ("--scene cannon --agents 1 --radius 4", "--world 9.6x6.4", "; try a smaller --radius"),
    ("--scene cannon --radius 0.01..1e4", "--world 9.6x6.4", "; try a smaller --radius"),
    // Physics.
    ("--hz 0", "--hz 0", "0.001"),
    ("--hz -60", "--hz -60", "0.001"),
    ("--hz inf", "--hz inf", "finite"),
    ("--hz nan", "--hz nan", "finite"),
    ("--hz 1e39", "--hz 1e39", "smaller"),
    ("--speed inf", "--speed inf", "finite"),
    ("--speed nan", "--speed nan", "finite"),
    ("--speed 1e39", "--speed 1e39", "smaller"),
    ("--speed x", "--speed x", "write one like 0.5"),
    ("--speed -1", "--speed -1", "0"),
    ("--gravity -inf", "--gravity -inf", "finite"),
    ("--gravity 1e30", "--gravity 1e30", "1e9"),
    ("--restitution 2", "--restitution 2", "0 to 1"),
    ("--restitution -0.5", "--restitution -0.5", "0 to 1"),
    ("--restitution inf", "--restitution inf", "finite"),
    // Cells.
    ("--cell 1e-6", "--cell 1e-6", "--cell"),
    ("--cell 0", "--cell 0", "--cell"),
    ("--cell -4", "--cell -4", "--cell"),
    ("--cell inf", "--cell inf", "finite"),
    ("--tight 1e9", "--tight 1000000000", "32767"),
    // Names.
    ("--scene gsa", "--scene gsa", "mean gas?"),
    ("--scene liquid", "--scene liquid", "is no known scene; there are gas, mixed"),
    ("--index octree", "--index octree", "is no known index; there are"),
    ("--scene brust", "--scene brust", "did you mean burst? There are gas"),
    ("--scene g", "--scene g", "is no known scene; there are gas"),
    ("--scene gas,mixed", "--scene gas,mixed", "names more than one scene; try gas"),
    ("--scene boids", "--scene boids", "`jostle scenes --print boids > boids.toml`"),
    ("--scene ocean", "--scene ocean", "is no known scene; there are gas"),
    ("--scene pils", "--scene pils", "mean pile?"),
    ("--index quadtre", "--index quadtre", "mean quadtree?"),
    ("--simd avx3", "--simd avx3", "mean avx2?"),
    ("--color-by faction", "--color-by faction", "--scene melee"),
    ("--color-by spin", "--color-by spin", "--friction 0.5"),
    ("--color-by sped", "--color-by sped", "mean speed?"),
    ("--palette viridish", "--palette viridish", "mean viridis?"),
    ("--draw-order sell", "--draw-order sell", "mean cell?"),
    // Pictures and files.
    ("--size 0x0", "--size 0x0", "1280x720"),
    ("--size 100000x100000", "--size 100000x100000", "16384"),
    ("--size 1280", "--size 1280", "1280x720"),
    ("--size -1x5", "--size -1x5", "1280x720"),
    ("--view 1,2", "--view 1,2", "500,300,80"),
    ("--view 1,2,0", "--view 1,2,0", "try 1,2,100"),
    ("--view 1,2,-3", "--view 1,2,-3", "try 1,2,100"),
    ("--view 1,2,3,4", "--view 1,2,3,4", "500,300,80"),
    ("--view nan,2,3", "--view nan,2,3", "500,300,80"),
    ("--size 640x360", "--size has no effect", "add --frame FILE.png, or --draw"),
    ("--view 1,2,3", "--view has no effect", "add --frame FILE.png, or --draw"),
    ("--draw-order cell", "--draw-order has no effect", "add --frame FILE.png, or --draw"),
    ("--frame picture.jpg", "picture.jpg", ".png"),
    ("--frame picture", "picture", ".png"),
    ("--export table.xls", "table.xls", ".csv or .npz"),
    ("--export table", "table", ".csv or .npz"),
    // Flags.
    ("--agnets 5", "--agnets", "mean --agents?"),
    ("--minutes 5", "'--minutes' found; try --help", ""),
    ("--agents", "--agents", "--help"),
    ("now", "now", "--help"),
    ("--save x", "--save x", ".jostle"),
];

/// As above, for `jostle record`.
const REFUSED_FILMS: &[(&str, &str, &str)] = &[
    ("", "<FILE>", "--help"),
    ("film", "film has no extension", ".gif, .apng, .mp4 or .y4m"),
    ("film.webp", "film.webp", ".gif, .apng, .mp4 or .y4m"),
    ("film.png", "film.png", "frame-%05d.png"),
    ("film-%d-%d.png", "film-%d-%d.png", "frame-%05d.png"),
    ("film-%5d.png", "film-%5d.png", "frame-%05d.png"),
    ("film-%x.png", "film-%x.png", "frame-%05d.png"),
    ("%.png", "%.png", "frame-%05d.png"),
    ("%%d.png", "%%d.png", "frame-%05d.png"),
    ("%099d.png", "%099d.png", "frame-%05d.png"),
    ("%05.png", "%05.png", "frame-%05d.png"),
    ("a.gif b.gif", "b.gif", "--help"),
    ("--steps -1 a.gif", "--steps -1", "500k"),
    ("--fps 0 a.gif", "--fps 0", "30"),
    ("--fps -1 a.gif", "--fps -1", "30"),
    ("--fps x a.gif", "--fps x", "29.97"),
    ("--fps nan a.gif", "--fps nan", "29.97"),
    ("--fps inf a.gif", "--fps inf", "29.97"),
    ("--fps 1/0 a.gif", "--fps 1/0", "29.97"),
    ("--fps 0/0 a.gif", "--fps 0/0", "29.97"),
    ("--fps 1/2/3 a.gif", "--fps 1/2/3", "29.97"),
    ("--fps 1e3 a.gif", "--fps 1e3", "29.97"),
    ("--fps . a.gif", "--fps .", "29.97"),
    ("--fps 29.97002997002997 a.y4m", "--fps 29.97002997002997", "try 30"),
    ("--fps 0.001 a.y4m", "--fps 0.001", "0.01 to 1,000"),
    ("--fps 1001 a.y4m", "--fps 1001", "0.01 to 1,000"),
    ("--fps 29.9701 a.apng", "--fps 29.9701", "try 29.97, or .y4m"),
    ("--fps 3.14159265358979 a.y4m", "--fps 3.14159265358979", "try 30"),
    ("--fps 60 a.gif", "--fps 60", "--fps 50, or .apng"),
    ("--fps 50.01 A.GIF", "--fps 50.01", "--fps 50, or .apng"),
    ("--steps 1e15 a.apng", "1,073,741,824", "fewer --steps"),
    ("--steps 1e15 --fps 1000 --hz 1 a.y4m", "1,000,000,000,000,000", "fewer"),
    ("a.apng --size 0x5", "--size 0x5", "1280x720"),
    ("a.gif --view 1,2", "--view 1,2", "500,300,80"),
    ("a.gif --agents 0", "--agents 0", "500k"),
    ("a.gif --frame b.png", "--frame", "--help"),
    ("a.gif --palette viridish", "--palette viridish", "mean viridis?"),
];

#[test]
fn rejects_impossible_films() {
    refused("record", REFUSED_FILMS);
}

#[test]
fn rejects_impossible_seconds() {
    let rows = [
        ("--seconds 0", "--seconds 0", "like 2"),
        ("--seconds -1", "--seconds -1", "like 2"),
        ("--seconds 1e15", "--seconds 1000000000000000", "at most --seconds 16666666666666"),
        ("--seconds 1 --steps 60", "--steps", "--seconds"),
    ];
    refused("run", &rows);
    refused("record a.y4m", &rows);
}

#[test]
fn rejects_invalid_values() {
    refused("run --steps 0", REFUSED);
}

/// Asserts that a command rejects each of these flags with its value and a remedy, before it runs.
#[track_caller]
fn refused(command: &str, rows: &[(&str, &str, &str)]) {
    let place = Place::new();
    for (args, value, remedy) in rows {
        let ended = place.jostle(&format!("{command} {args}"));
        assert_eq!(ended.status, Some(2), "{args}: {ended:?}");
        let line = ended.line();
        assert!(line.contains(value), "{args}: names {value}: {line}");
        assert!(line.contains(remedy), "{args}: suggests {remedy}: {line}");
        assert_eq!(ended.stdout, "", "{args}: nothing ran");
    }
    assert_eq!(place.names(), [""; 0], "no file is left behind");
}

#[test]
fn names_the_commands_of_a_misplaced_flag() {
    let place = Place::new();
    let panel = ("--panel off", "--panel has its value behind =; try --panel=off");
    let cases = [
        ("--frame a.png", "--frame belongs to jostle run; try jostle run --help"),
        ("watch --frame=a.png", "--frame belongs to jostle run; try jostle run --help"),
        ("--agents 5k run", "--agents <N> comes after the command: jostle run --agents <N>"),
        ("--agents 5k note.txt", "note.txt is neither a command nor a file that jostle opens"),
        ("note.txt", "expected a snapshot or a journal (.jostle), a world file (.toml) or a table"),
        ("run note.txt", "note.txt is neither a command nor a file that jostle opens"),
        ("bench /", "/ is neither a command nor a file that jostle opens"),
        (".", ". is neither a command nor a file that jostle opens"),
        ("./folder", "./folder is neither a command nor a file that jostle opens"),
        ("gas", "gas is a scene; try --scene gas"),
        (
            "boids",
            "boids is a world file of the program; write it with `jostle scenes --print boids",
        ),
        ("run --agents 5k shear", "shear is a scene; try --scene shear"),
        ("run a.toml b.toml", "b.toml is a second file, and jostle opens one; leave one out"),
        ("a.csv b.csv", "b.csv is a second file, and jostle opens one; leave one out"),
        (
            "--agents 5k a.csv b.toml",
            "b.toml is a second file, and jostle opens one; leave one out",
        ),
        ("scenes gas", "unexpected argument 'gas' found; try --help"),
        ("runs", "did you mean run?"),
        ("run --fps 3", "--fps belongs to jostle record; try jostle record --help"),
        ("--csv", "--csv belongs to jostle bench; try jostle bench --help"),
        ("--steps 5", "--steps belongs to jostle run, jostle bench, jostle record; try jostle run"),
    ];
    // A build without the window has no such flag.
    let panel = cfg!(feature = "window").then_some(panel);
    for (args, message) in cases.into_iter().chain(panel) {
        let ended = place.jostle(args);
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{args}: {ended:?}");
        assert!(ended.line().contains(message), "{args}: {ended:?}");
    }
}

#[test]
fn watch_rejects_invalid_values() {
    let place = Place::new();
    for args in
        ["--agents 0", "watch --agents 0", "watch --scene nothing", "--density 0.99", "walk"]
    {
        let ended = place.jostle(args);
        assert_eq!(ended.status, Some(2), "{args}: {ended:?}");
        ended.line();
    }
}

#[cfg(feature = "window")]
#[test]
fn watch_rejects_windows_that_cannot_be() {
    let place = Place::new();
    for (args, message) in [
        ("--size 5x500", "--size 5x500 is out of range: expected sides of 160 to 16,384"),
        ("--size 900", "--size 900 is not a width and a height in pixels"),
        ("--interface-scale 9", "--interface-scale 9 is out of range: expected 0.5 to 4"),
        ("--film mp4", "--film mp4 is no known format; there are apng, gif, y4m"),
        ("--film-time simulate", "did you mean simulated?"),
        ("--panel=maybe", "is no known switch; there are on, off"),
        ("--glow=of", "--glow of is no known switch; did you mean on?"),
    ] {
        let ended = place.jostle(args);
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{args}: {ended:?}");
        assert!(ended.line().contains(message), "{args}: {ended:?}");
    }
}

#[test]
fn accepts_unusual_values() {
    let place = Place::new();
    for args in [
        "--agents 1",
        "--agents 2 --gravity -1",
        "--agents 0.1k --speed 0",
        "--agents 1e2 --restitution 0",
        "--agents 5 --radius 3 --scene burst",
        "--agents 1_0 --seed 18446744073709551615 --seed 3",
        "--agents 3 --speed 2k --substeps 100 --simd SCALAR --scene Gas",
        "--agents 4 --world 20x1e3",
        "--agents 10 --tight 1",
        "--agents 10 --threads 7",
    ] {
        place.json(&format!("--steps 2 {args}"));
    }
}

#[test]
fn an_unavailable_instruction_set_is_reported_and_replaced() {
    let place = Place::new();
    let best = place.json("--agents 10 --steps 1")["simd"].clone();
    // No machine has both.
    let foreign = if cfg!(target_arch = "x86_64") { "--simd neon" } else { "--simd avx2" };
    let ended = place.jostle(&format!("run --json --agents 10 --steps 1 {foreign}"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.line().contains(foreign), "{ended:?}");
    assert_eq!(crate::harness::parse(&ended.stdout)["simd"], best);
    place.json("--agents 10 --steps 1 --index double-grid --simd auto");
}

#[test]
fn every_instruction_set_gives_the_same_result() {
    let place = Place::new();
    let hash = &place.json("--agents 500 --steps 20")["state_hash"];
    for level in SimdLevel::available() {
        let json = place.json(&format!("--agents 500 --steps 20 --simd {}", level.name()));
        assert_eq!((&json["simd"], &json["state_hash"]), (&level.name().into(), hash));
    }
}

#[test]
fn warns_of_agents_that_may_have_passed_through_others() {
    let place = Place::new();
    let ended = place.jostle("run --json --agents 50 --speed 600 --steps 3");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.line().contains("--substeps"), "{ended:?}");
    let ended = place.jostle("run --json --agents 50 --speed 5e8 --steps 3");
    let line = ended.line();
    assert!(line.ends_with("--substeps 1000, the limit, is too few; try slower agents"), "{line}");
}

#[test]
fn warns_of_steps_that_positions_round_away() {
    let place = Place::new();
    let slow = "run --json --agents 10 --world 1000x1000 --speed 0.1 --steps 1";
    let ended = place.jostle(slow);
    let (_, remedy) = ended.line().split_once("; try ").expect("a remedy");
    let hz = remedy.strip_suffix(" or a smaller world").expect("a number of steps");
    let ended = place.jostle(&format!("{slow} {hz}"));
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{hz}: {ended:?}");
}

#[test]
fn warns_of_threads_that_share_cores() {
    let ended = Place::new().jostle("run --json --agents 10 --steps 1 --threads 1000");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.line().contains("1000 threads share"), "{ended:?}");
}

#[test]
fn the_default_speed_of_a_scene_gives_no_warning() {
    let place = Place::new();
    let run = "run --scene mixed --agents 5k --steps 60";
    let ended = place.jostle(run);
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.contains("smallest radii"), "the summary shows it: {ended:?}");
    let ended = place.jostle(&format!("{run} --speed 7"));
    assert!(ended.line().contains("--substeps"), "a flag does: {ended:?}");
}

#[cfg(feature = "window")]
#[test]
fn a_size_of_the_history_that_can_not_be_had_is_refused() {
    let place = Place::new();
    for (size, expected) in [
        ("lots", "--history lots is not a size; write one like 1GB, 512MiB or 0"),
        ("-1", "--history -1 is not a size"),
        ("1e9", "--history 1e9 is not a size"),
        ("900PB", "of memory that is available; leave it out for"),
    ] {
        let run = place.jostle(&format!("watch --history {size}"));
        assert_eq!(run.status, Some(2), "{size}: {}", run.stderr);
        assert!(run.line().contains(expected), "{size}: {}", run.stderr);
    }
}
