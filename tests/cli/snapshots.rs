//! Snapshots as files: runs that go on, flags that contradict, and files that are whole whenever
//! the program ends.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::CommandExt,
    },
    process::Stdio,
    thread,
    time::Duration,
};

use jostle::{Sim, Snapshot};

use crate::harness::{Ended, JOSTLE, Place, ended, jostle, parse, said, skip, works};

/// The state hash that a run reports.
fn hash(ended: &Ended) -> String {
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let report = parse(&ended.stdout);
    report["state_hash"].as_str().expect("a hash").to_owned()
}

/// What a world file says is set again, and wakes nothing.
#[test]
fn a_world_that_sleeps_goes_on_as_if_it_had_not_stopped() {
    let place = Place::new();
    let text = place.jostle("scenes --print pile").stdout;
    fs::write(place.path("heap.toml"), text).expect("a world file");
    let run = |flags: &str| place.jostle(&format!("run {flags} --json"));
    let world = "--scene heap.toml --agents 300 --steps";
    assert_eq!(parse(&run(&format!("{world} 1200 --save a.jostle")).stdout)["awake"], 0);
    let whole = hash(&run(&format!("{world} 1500")));
    assert_eq!(hash(&run("--load a.jostle --steps 300")), whole);
}

#[test]
fn a_saved_run_goes_on_as_if_it_had_not_stopped() {
    let place = Place::new();
    for scene in ["gas", "pile", "melee"] {
        let world = format!("--agents 800 --scene {scene}");
        let whole = hash(&place.jostle(&format!("run {world} --steps 90 --json")));
        let saved = place.jostle(&format!("run {world} --steps 40 --save a.jostle --json"));
        assert!(saved.line().contains("saved a.jostle after step 40"), "{saved:?}");
        let info = parse(&place.jostle("info a.jostle --json").stdout);
        assert_eq!(info["state_hash"].as_str(), Some(&hash(&saved)[..]));
        assert_eq!(
            (&info["steps"], &info["agents"]),
            (&40.into(), &parse(&saved.stdout)["agents"])
        );
        assert_eq!(info["setup"]["scene"], scene);
        let other = "--threads 1 --simd scalar --index quadtree";
        let rest = format!("run --load a.jostle {other} {world} --warmup 20 --steps 30 --json");
        assert_eq!(hash(&place.jostle(&rest)), whole, "{scene}");
        let film =
            place.jostle("record b.gif --load a.jostle --steps 50 --size 64x36 --save b.jostle");
        assert_eq!(film.status, Some(0), "{film:?}");
        let info = parse(&place.jostle("info b.jostle --json").stdout);
        assert_eq!(info["state_hash"], whole, "{scene}: the film is of the same run");
    }
    assert_eq!(place.names(), ["a.jostle", "b.gif", "b.jostle"]);
    let text = place.jostle("info a.jostle").stdout;
    let meaning = [
        "format 1",
        "step 40",
        "scene         melee",
        "radius        0.5 to 1",
        "world         102.1 x 57.43, from agents and density",
        "substeps      1, from solver and hz",
        "solver        contact, from scene and gravity",
        "section       health",
    ];
    for part in meaning {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(" none\n"), "{text}");
}

#[test]
fn saves_on_the_way() {
    let place = Place::new();
    let saving = "--save a.jostle --save-every 7 --json";
    let ended = place.jostle(&format!("run --agents 100 --steps 20 {saving}"));
    assert!(ended.line().contains("after step 20"), "the last one is of the end: {ended:?}");
    for (flags, message) in [
        ("--save - --save-every 7", "--save-every replaces a file"),
        ("--save a.jostle --save-every 0", "--save-every 0 is out of range"),
        ("--save-every 7", "--save"),
        ("--save a.csv", "name a file that ends in .jostle"),
        ("--save - --json", "both write to stdout"),
    ] {
        let ended = place.jostle(&format!("run --agents 100 --steps 1e15 {flags}"));
        assert_eq!(ended.status, Some(2), "{flags}: {ended:?}");
        assert!(ended.line().contains(message), "{flags}: {ended:?}");
    }
    assert_eq!(place.names(), ["a.jostle"]);
}

#[test]
fn flags_that_contradict_the_snapshot_are_refused_with_both_values() {
    let place = Place::new();
    let world = "--scene pile --agents 300 --seed 5 --radius 0.5..0.75 --gravity 8";
    place.jostle(&format!("run {world} --steps 3 --save a.jostle"));
    for (flags, message) in [
        ("--scene gas", "--scene gas contradicts a.jostle, which has pile; leave out --scene"),
        ("--agents 301", "--agents 301 contradicts a.jostle, which has 300"),
        ("--seed 6", "--seed 6 contradicts a.jostle, which has 5"),
        ("--radius 0.5", "--radius 0.5..0.5 contradicts a.jostle, which has 0.5..0.75"),
        ("--gravity 9", "--gravity 9 contradicts a.jostle, which has 8"),
        ("--substeps 2", "--substeps 2 contradicts a.jostle, which has none"),
        ("--sleep off", "--sleep off contradicts a.jostle, which has on"),
        ("--solver impulse", "--solver impulse contradicts a.jostle, which has auto"),
        ("--world 90x50", "--world 90x50 contradicts a.jostle, which has none"),
    ] {
        for command in ["run", "watch"] {
            let ended = place.jostle(&format!("{command} --load a.jostle {flags}"));
            assert_eq!(ended.status, Some(2), "{command} {flags}: {ended:?}");
            assert!(ended.line().contains(message), "{command} {flags}: {ended:?}");
        }
    }
    let same = place.jostle(&format!("run --load a.jostle {world} --steps 1"));
    assert_eq!(same.status, Some(0), "{same:?}");
}

#[test]
fn a_file_that_is_no_snapshot_is_one_sentence() {
    let place = Place::new();
    place.jostle("run --agents 300 --steps 3 --save a.jostle");
    let whole = fs::read(place.path("a.jostle")).expect("a snapshot");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    let grown = [&whole[..], b"more"].concat();
    fs::write(place.path("cut.jostle"), &whole[..whole.len() / 2]).expect("a file");
    fs::write(place.path("flipped.jostle"), flipped).expect("a file");
    fs::write(place.path("grown.jostle"), grown).expect("a file");
    fs::write(place.path("text.jostle"), "id,x,y\n").expect("a file");
    fs::write(place.path("empty.jostle"), "").expect("a file");
    fs::create_dir(place.path("folder.jostle")).expect("a folder");
    symlink("circle.jostle", place.path("circle.jostle")).expect("a link");
    for (file, message, status) in [
        ("cut.jostle", "is cut off", 2),
        ("flipped.jostle", "is damaged", 2),
        ("grown.jostle", "goes on behind its end", 2),
        ("text.jostle", "does not begin as a snapshot", 2),
        ("empty.jostle", "does not begin as a snapshot", 2),
        ("folder.jostle", "it is a folder", 1),
        ("none.jostle", "there is no such file", 1),
        ("circle.jostle", "symbolic links", 1),
    ] {
        for command in ["run --steps 1e15 --load", "record a.gif --load", "info"] {
            let ended = place.jostle(&format!("{command} {file}"));
            assert_eq!(ended.status, Some(status), "{command} {file}: {ended:?}");
            assert!(ended.line().contains(message), "{command} {file}: {ended:?}");
            assert_eq!(ended.stdout, "", "{command} {file}");
        }
    }
    assert!(!place.path("a.gif").exists());
}

#[test]
fn a_snapshot_that_cannot_be_written_is_refused_before_the_run() {
    let place = Place::new();
    fs::write(place.path("file"), "").expect("a file");
    fs::create_dir(place.path("a.jostle")).expect("a folder");
    symlink("circle.jostle", place.path("circle.jostle")).expect("a link");
    for (file, message) in [
        ("nowhere/a.jostle", "its folder doesn't exist"),
        ("file/a.jostle", "its parent is a file"),
        ("a.jostle", "it is a folder"),
        ("circle.jostle", "its links lead in a circle"),
        ("/proc/a.jostle", "no file can be created there"),
    ] {
        let ended = place.jostle(&format!("run --agents 100 --steps 1e15 --save {file}"));
        assert_eq!(ended.status, Some(1), "{file}: {ended:?}");
        assert!(ended.line().contains(message), "{file}: {ended:?}");
    }
    let full = place.jostle("run --agents 100 --steps 1 --save /dev/full");
    assert_eq!(full.status, Some(1), "{full:?}");
    assert!(full.stderr.contains("the disk is full"), "{full:?}");
    assert!(!full.stdout.is_empty(), "the results are printed all the same");
}

/// A link stays one: the file that it leads to is replaced.
#[test]
fn a_snapshot_is_written_and_read_through_a_link() {
    let place = Place::new();
    fs::write(place.path("to.jostle"), "old").expect("a file");
    symlink("to.jostle", place.path("link.jostle")).expect("a link");
    place.jostle("run --agents 100 --steps 3 --save link.jostle");
    assert_eq!(place.jostle("info link.jostle").status, Some(0));
    assert_eq!(place.jostle("info to.jostle").status, Some(0));
    assert_eq!(place.names(), ["link.jostle", "to.jostle"]);
}

/// Skipped as root, who may read and write everything.
#[test]
fn a_file_without_permission_is_one_sentence_and_stays() {
    const NOBODY: u32 = 65_534;
    let place = Place::new();
    let mode = |name: &str, mode| {
        let path = place.path(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its owner");
    };
    fs::create_dir(place.path("closed")).expect("a folder");
    for file in ["closed/a.jostle", "secret.jostle"] {
        place.jostle(&format!("run --agents 100 --steps 3 --save {file}"));
    }
    let old = fs::read(place.path("closed/a.jostle")).expect("a snapshot");
    mode(".", 0o755);
    mode("closed", 0o555);
    mode("secret.jostle", 0o000);
    let is_root = fs::read(place.path("secret.jostle")).is_ok();
    let run = |args: &str| {
        let mut command = jostle(&place, args);
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output().map(said)
    };
    if run("--version").map_or(true, |ended| ended.status != Some(0)) {
        let why = "no other user can run the program";
        return skip("a_file_without_permission_is_one_sentence_and_stays", why);
    }
    let unreadable = "secret.jostle can't be read: permission denied; name a file that you may";
    let unwritable = "permission denied; name a folder that you may write to";
    for (args, message) in [
        ("run --steps 1e15 --load secret.jostle", unreadable),
        ("record /dev/null --load secret.jostle", unreadable),
        ("info secret.jostle", unreadable),
        ("run --agents 100 --steps 1e15 --save closed/a.jostle", unwritable),
        ("run --agents 100 --steps 1e15 --save closed/b.jostle", unwritable),
        ("run --steps 1e15 --load closed/a.jostle --save closed/a.jostle", unwritable),
    ] {
        let ended = run(args).expect("it ran before");
        assert_eq!((ended.status, &ended.stdout[..]), (Some(1), ""), "{args}: {ended:?}");
        assert!(ended.line().contains(message), "{args}: {ended:?}");
    }
    mode("closed", 0o755);
    assert_eq!(fs::read(place.path("closed/a.jostle")).expect("a snapshot"), old);
    assert_eq!(fs::read_dir(place.path("closed")).expect("a folder").count(), 1);
}

/// In a mount namespace of its own, in which a disk exists as long as the process.
#[cfg(target_os = "linux")]
#[test]
fn a_full_or_protected_disk_keeps_the_snapshot_before() {
    if !works("unshare", &["-rm", "sh", "-c", "mount -t tmpfs none /mnt"]) {
        let why = "no disk can be mounted here";
        return skip("a_full_or_protected_disk_keeps_the_snapshot_before", why);
    }
    for (protect, args, message) in [
        ("true", "--agents 20k --steps 3", "the disk is full"),
        ("true", "--agents 20k --steps 3 --save-every 1", "the disk is full"),
        ("mount -o remount,ro .", "--agents 100 --steps 1e15", "the file system is read-only"),
        ("mount -o remount,ro .", "--load a.jostle --steps 1e15", "the file system is read-only"),
    ] {
        let place = Place::new();
        let script = format!(
            "cd {folder} && mount -t tmpfs -o size=64k none . && cd {folder} && \
             {JOSTLE} run --agents 100 --steps 7 --save a.jostle 2>/dev/null >&2 && {protect} && \
             {JOSTLE} run --save a.jostle {args} >/dev/null; \
             status=$?; ls -A; {JOSTLE} info a.jostle --json; exit $status",
            folder = place.folder().display()
        );
        let output = place.command("unshare").args(["-rm", "sh", "-c", &script]).output();
        let ended = said(output.expect("unshare runs"));
        assert!(ended.status.is_some_and(|status| status > 0), "{args}: {ended:?}");
        assert!(ended.line().contains(message), "{args}: {ended:?}");
        let (names, info) = ended.stdout.split_once('\n').expect("a list and a snapshot");
        assert_eq!(names, "a.jostle", "{args}: the file is the only one");
        assert_eq!(parse(info)["steps"], 7, "{args}: the snapshot before");
    }
}

/// Whenever the program is killed, the file is the old snapshot or the new one.
#[test]
fn a_kill_leaves_a_whole_snapshot() {
    let place = Place::new();
    let kills = std::env::var("JOSTLE_SOAK_ENDS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    place.jostle("run --agents 2000 --steps 1 --save a.jostle");
    let mut last = 1;
    for kill in 0..kills {
        let saving = "run --load a.jostle --steps 1e15 --save a.jostle --save-every 1";
        let mut command = jostle(&place, saving);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        // Spread over starting, loading, stepping and saving.
        thread::sleep(Duration::from_micros(500 + kill * 7_919 % 60_000));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let info = ended(&mut jostle(&place, "info a.jostle --json"));
        assert_eq!(info.status, Some(0), "kill {kill}: {info:?}");
        let steps = parse(&info.stdout)["steps"].as_u64().expect("a number");
        assert!(steps >= last, "kill {kill}: step {steps} after step {last}");
        last = steps;
    }
    assert!(last > 1, "snapshots were written");
}

#[test]
fn verify_names_the_first_difference() {
    let place = Place::new();
    let world = "--scene melee --agents 300 --seed 4";
    place.jostle(&format!("run {world} --steps 20 --save a.jostle"));
    place.jostle(&format!("run {world} --steps 5 --threads 1 --simd scalar --save b.jostle"));
    place.jostle("run --load b.jostle --steps 15 --index quadtree --save same.jostle");
    place.jostle(&format!("run {world} --steps 20 --speed 13 --save faster.jostle"));

    let snapshot = fs::read(place.path("a.jostle")).expect("a snapshot");
    let snapshot = Snapshot::from_bytes(snapshot).expect("a snapshot");
    let save = |name: &str, change: &dyn Fn(&mut Sim)| {
        let mut sim = Sim::restore(&snapshot).expect("a run");
        change(&mut sim);
        let bytes = sim.snapshot().expect("memory").into_bytes();
        fs::write(place.path(name), bytes).expect("a file");
    };
    save("without.jostle", &|sim| {
        sim.remove(&[250, 17]).expect("memory");
    });
    save("next.jostle", &|sim| sim.step().expect("memory"));
    save("soft.jostle", &|sim| {
        let restitution = sim.setup().restitution;
        sim.set_restitution(0.9).expect("a restitution");
        sim.step().expect("memory");
        sim.set_restitution(restitution).expect("a restitution");
    });

    let same = place.jostle("verify a.jostle same.jostle");
    assert_eq!(same.status, Some(0), "{same:?}");
    assert_eq!(same.stdout, "a.jostle and same.jostle hold the same state, after step 20\n");
    for (one, other, difference) in [
        ("a", "b", "they are after step 20 and after step 5"),
        ("a", "faster", "speed of the set-up is 12 and 13"),
        ("a", "without", "after step 20, agent 17 exists only in the first"),
        ("without", "a", "after step 20, agent 17 exists only in the second"),
        ("next", "soft", "after step 21, agent "),
    ] {
        let ended = place.jostle(&format!("verify {one}.jostle {other}.jostle"));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(3), ""), "{ended:?}");
        let begin = format!("{one}.jostle and {other}.jostle differ: {difference}");
        assert!(ended.stdout.starts_with(&begin), "{ended:?}");
    }
    let soft = place.jostle("verify next.jostle soft.jostle").stdout;
    assert!(soft.contains(" has vx ") || soft.contains(" has vy "), "{soft}");
    let missing = place.jostle("verify a.jostle none.jostle");
    assert_eq!(missing.status, Some(1), "{missing:?}");
    assert!(missing.line().contains("none.jostle can't be read: there is no such file"));
}

/// A run is the same whether it is only measured on its way or not: measuring searches for contacts.
#[test]
fn verify_takes_no_measurement_for_a_difference() {
    let place = Place::new();
    let world =
        "world = { size = [40, 40], agents = 300, radius = 0.8, speed = 5, collisions = false }";
    fs::write(place.path("apart.toml"), world).expect("a file");
    let moving = world.replace("collisions = false", "restitution = 0.5");
    fs::write(place.path("meet.toml"), moving).expect("a file");
    for scene in ["apart.toml", "meet.toml", "pile", "shear"] {
        let agents = if scene.ends_with("toml") { "" } else { "--agents 300" };
        let run = format!("run --scene {scene} {agents} --steps 20 --save");
        let saved = [
            place.jostle(&format!("{run} a.jostle")),
            place.jostle(&format!("{run} b.jostle --series b.csv")),
        ];
        assert!(saved.iter().all(|ended| ended.status == Some(0)), "{saved:?}");
        let ended = place.jostle("verify a.jostle b.jostle");
        assert_eq!(ended.status, Some(0), "{scene}: {ended:?}");
    }
}

/// A journal with another text in its first section that has `from`. A section has a checksum of all
/// that follows, 40 bytes in all before its text, and zeros up to a multiple of 8.
pub(crate) fn forged(journal: &[u8], from: &str, to: &str) -> Vec<u8> {
    let (header, mut rest) = journal.split_at(48);
    let mut forged = header.to_vec();
    let mut is_done = false;
    while !rest.is_empty() {
        let length = u64::from_le_bytes(rest[32..40].try_into().expect("8 bytes")) as usize;
        let mut section = rest[8..40 + length].to_vec();
        let found = section.windows(from.len()).position(|part| part == from.as_bytes());
        if let Some(at) = found.filter(|_| !is_done) {
            section.splice(at..at + from.len(), to.bytes());
            let length = (section.len() - 32) as u64;
            section[24..32].copy_from_slice(&length.to_le_bytes());
            is_done = true;
        }
        section.resize((8 + section.len()).next_multiple_of(8) - 8, 0);
        forged.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(&section).to_le_bytes());
        forged.extend_from_slice(&section);
        rest = &rest[(40 + length).next_multiple_of(8)..];
    }
    assert!(is_done, "{from}");
    forged
}

/// A journal is refused for a value as a flag is, in its set-up and in each change.
#[test]
fn a_value_out_of_range_in_a_journal_is_refused() {
    let place = Place::new();
    let played = format!("{}/tests/kept/played.jostle", env!("CARGO_MANIFEST_DIR"));
    let journal = fs::read(played).expect("a journal");
    let steer = "207 steer 14.225111 7.1792583 0.91374034 15";
    for (from, to, reason) in [
        (steer, "207 gravity 2e9", "--gravity 2e9 is out of range: expected -1e9 to 1e9"),
        (steer, "207 gravity NaN", "--gravity NaN is out of range: "),
        (steer, "207 restitution 7", "--restitution 7 is out of range: expected 0 to 1"),
        (steer, "207 friction 11", "--friction 11 is out of range: expected 0 to 10"),
        (steer, "207 rolling 0.1", "--rolling 0.1 needs friction: without it, nothing rolls"),
        (steer, "207 scale_speeds -1", "speed factor -1 is out of range: "),
        (steer, "207 scale_speeds 1e30", "speed factor 1e30 leads to "),
        (steer, "207 steer 1 inf 1 3", "brush center (1, inf) is invalid: "),
        (steer, "207 steer 1 1 inf 3", "brush radius inf is invalid: "),
        (steer, "207 steer 1 1 1 1e30", "brush speed 1e30 is out of range: "),
        (steer, "207 spawn 1 1 0 0 99 0 60", "agent radius 99 is out of range: "),
        (steer, "207 spawn 1 1 0 0 0.5 7 60", "faction 7 is out of range: expected 0 to 1"),
        (steer, "207 spawn 1 1 0 0 0.5 0 0", "health 0 is out of range: expected 1 to "),
        (steer, "207 add_statics disc 1 1 1e9", "static disc of radius 1e9 at (1, 1) is "),
        (steer, "207 add_statics box 5 5 1 1", "static box from (5, 5) to (1, 1) has no "),
        (steer, "207 position 3 1e9 0", "agent position (1e9, 0) is out of range: "),
        (steer, "207 velocity 3 1e30 0", "agent velocity (1e30, 0) is out of range: "),
        (steer, "207 velocity 9999 1 1", "agent id 9999 is unknown: "),
        (steer, "207 force 3 1e38 0", "force (1e38, 0) is out of range: "),
        (steer, "207 values push 99", "a value of a world file was to be set, "),
        (steer, "207 world a.toml a", "another world file was to be taken, "),
        ("agents = 60", "agents = 0", "--agents 0 is out of range: expected 1 to "),
        ("agents = 60", "agents = 2000000000", "--agents 2000000000 is out of range: "),
        ("spare_agents = 2000", "spare_agents = 4000000000", "spare_agents 4000000000 is "),
        ("radius = 0.5 1", "radius = 0 1", "--radius 0 is out of range: "),
        ("radius = 0.5 1", "radius = 1 0.5", "--radius 1..0.5 runs from large to small"),
        ("density = 0.3", "density = 7", "--density 7 is out of range: "),
        ("world = none", "world = 1 1", "--world 1x1 is too small for 60 agents "),
        ("speed = 6", "speed = -6", "--speed -6 is out of range: expected 0 to 5e8"),
        ("restitution = 1", "restitution = 7", "--restitution 7 is out of range: "),
        ("gravity = 0", "gravity = 1e12", "--gravity 1e12 is out of range: "),
        ("substeps = none", "substeps = 0", "--substeps 0 is out of range: "),
        ("cell = none", "cell = 0", "--cell 0 can't divide a world of "),
        ("tight = none", "tight = 0", "--tight 0 is out of range: "),
        ("spare_statics = 4096", "spare_statics = 99999999", "spare_statics 99999999 is "),
    ] {
        fs::write(place.path("a.jostle"), forged(&journal, from, to)).expect("a file");
        let replayed = place.jostle("run --replay a.jostle");
        assert_eq!(replayed.status, Some(2), "{to}: {replayed:?}");
        let line = replayed.line();
        let begins = line.starts_with(&format!("jostle: a.jostle can't be loaded: {reason}"));
        // The flags of remedies have no effect beside a journal.
        assert!(begins && !line.contains("; try --"), "{to}: {line}");
    }
}
