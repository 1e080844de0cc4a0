//! Help, the version and the list of scenes.

use crate::harness::{Place, parse};

#[test]
fn help_groups_flags_with_units_and_defaults() {
    let place = Place::new();
    let ended = place.jostle("run --help");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    for heading in ["World:", "Machine:", "Length:", "Picture:", "Style:", "Output:"] {
        assert!(ended.stdout.lines().any(|line| line == heading), "{heading} {}", ended.stdout);
    }
    for flag in [
        "agents",
        "scene",
        "radius",
        "density",
        "world",
        "speed",
        "restitution",
        "gravity",
        "hz",
        "substeps",
        "seed",
        "threads",
        "simd",
        "index",
        "cell",
        "tight",
        "steps",
        "warmup",
        "frame",
        "size",
        "view",
        "draw",
        "draw-order",
        "export",
        "json",
    ] {
        assert!(ended.stdout.contains(&format!("--{flag} ")), "--{flag} {}", ended.stdout);
    }
    for fact in ["[default: 500k]", "[default: 1280x720]", "world units per second", "pixels"] {
        assert!(ended.stdout.contains(fact), "{fact} {}", ended.stdout);
    }
}

#[test]
fn record_help_shows_formats_and_defaults() {
    let place = Place::new();
    let ended = place.jostle("record --help");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    for heading in ["World:", "Machine:", "Length:", "Picture:", "Style:"] {
        assert!(ended.stdout.lines().any(|line| line == heading), "{heading} {}", ended.stdout);
    }
    for fact in [
        "<FILE>",
        "--steps ",
        "--warmup ",
        "--fps ",
        "--size ",
        "--view ",
        "[default: 30]",
        "ffmpeg -i -",
    ] {
        assert!(ended.stdout.contains(fact), "{fact} {}", ended.stdout);
    }
}

#[test]
fn help_is_a_command_too() {
    let place = Place::new();
    for (asked, flag) in [
        ("help", "--help"),
        ("help run", "run --help"),
        ("help --help", "--help"),
        ("help run -h", "run --help"),
    ] {
        let ended = place.jostle(asked);
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{asked}");
        assert_eq!(ended.stdout, place.jostle(flag).stdout, "{asked}");
    }
    let ended = place.jostle("help rum");
    assert!(ended.status == Some(2) && ended.line().contains("'rum'"), "{ended:?}");
}

#[test]
fn prints_the_version_with_what_decides_its_speed() {
    let place = Place::new();
    let ended = place.jostle("--version");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    let start = concat!("jostle ", env!("CARGO_PKG_VERSION"), " (");
    let line = ended.stdout.strip_suffix(")\n").expect(&ended.stdout);
    let built = line.strip_prefix(start).expect(line);
    let (revision, simd) = built.rsplit_once(", ").unwrap_or(("", built));
    assert_eq!(place.json("--agents 10 --steps 0")["simd"], simd, "{line}");
    assert!(revision.is_empty() || revision.starts_with("revision "), "{line}");
    assert_eq!(place.jostle("-V").stdout, ended.stdout);
}

#[test]
fn prints_a_line_per_scene() {
    let ended = Place::new().jostle("scenes");
    let names: Vec<&str> =
        ended.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let expected = [
        "gas", "mixed", "giants", "burst", "sparse", "pile", "pegs", "cannon", "melee", "dam",
        "shear", "shock", "crystal", "cooling",
    ];
    assert_eq!(names, expected);
    let columns: Vec<_> = ended.stdout.lines().map(|line| line.find("  ").is_some()).collect();
    assert_eq!(columns, [true; 14]);
    assert_eq!(ended.status, Some(0));

    let json = Place::new().jostle("scenes --json");
    assert_eq!((json.status, json.stderr.as_str()), (Some(0), ""));
    let scenes = parse(&json.stdout);
    let scenes = scenes.as_array().expect("an array");
    assert_eq!(scenes.len(), names.len());
    for (scene, line) in scenes.iter().zip(ended.stdout.lines()) {
        let text = |key| scene[key].as_str().expect("text");
        let words: Vec<&str> = line.splitn(2, "  ").map(str::trim).collect();
        assert_eq!([text("name"), text("summary")], *words, "{scene}");
        let run = Place::new().json(&format!("--steps 0 --agents 100 --scene {}", text("name")));
        assert_eq!(scene["solver"], run["solver"], "{scene}");
        for key in ["agents", "radius", "world", "speed", "restitution", "gravity", "hz"] {
            assert!(!scene[key].is_null(), "{key}: {scene}");
        }
    }
}
