//! Set-ups that need too much memory are rejected before anything is allocated.
#![cfg(target_os = "linux")]

use std::{fs, path::PathBuf};

use crate::{
    harness::{Ended, JOSTLE, Place, said, skip},
    snapshots::forged,
};

/// Runs jostle in a shell, after `first`.
fn after(first: &str, args: &str) -> Ended {
    let place = Place::new();
    let script = format!("{first} && exec {JOSTLE} run --json --steps 1 {args}");
    said(place.command("sh").args(["-c", &script]).output().expect("a shell"))
}

#[track_caller]
fn refused(ended: &Ended, needed: &str) {
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    let line = ended.line();
    assert!(line.contains(needed) && line.contains("is available; try "), "{line}");
}

#[test]
fn rejects_more_agents_than_fit() {
    // A fixed limit, so that a large machine rejects them, too.
    let ended = after("ulimit -v 32000000", "--agents 1G --density 0.9 --radius 1");
    refused(&ended, "--agents 1G");
    assert!(ended.line().contains("GiB"), "{ended:?}");
}

#[test]
fn the_limit_of_the_shell_counts() {
    let limit = "ulimit -v 1000000";
    refused(&after(limit, "--agents 50M"), "--agents 50M");
    refused(&after(limit, "--agents 8M --cell 0.3"), "--agents 8M");
    refused(&after(limit, "--agents 10k --size 16384x16384 --draw"), "--agents 10k");
    let ended = after(limit, "--agents 10k --threads 1");
    assert_eq!(ended.status, Some(0), "{ended:?}");
}

/// Memory is checked first, in set-ups with other faults, too.
#[test]
fn too_many_agents_are_the_first_error() {
    for args in ["--agents 1G", "--agents 500M", "--agents 1G --density 0.8", "--agents 1G --hz 0"]
    {
        let ended = after("ulimit -v 2000000", args);
        refused(&ended, &args[..args.find(" --d").or(args.find(" --h")).unwrap_or(args.len())]);
        let (_, fewer) = ended.line().rsplit_once("; try --agents ").expect(args);
        let digits = fewer.strip_suffix('M').expect(fewer);
        assert!(digits.len() <= 3 && digits.parse::<f32>().is_ok(), "readable: {fewer}");
    }
}

#[test]
fn the_remedy_works() {
    let ended = after("ulimit -v 300000", "--agents 50M --threads 1");
    let remedy = ended.line().rsplit("try ").next().expect("a remedy").to_string();
    assert!(remedy.starts_with("--agents "), "{remedy}");
    // The estimate holds: the remedy runs within the same limit.
    let ended = after("ulimit -v 300000", &format!("{remedy} --threads 1"));
    assert_eq!(ended.status, Some(0), "{remedy}: {ended:?}");
}

/// A thread of the pool, even of one, reserves addresses for an arena of its own.
#[test]
fn whatever_the_limit_nothing_aborts() {
    for kib in (130_000..250_000).step_by(7_500) {
        let ended = after(&format!("ulimit -v {kib}"), "--agents 300k --threads 1");
        if ended.status != Some(0) {
            assert!(matches!(ended.status, Some(1 | 2)), "{kib} KiB: {ended:?}");
            assert!(!ended.line().is_empty());
        }
    }
}

/// Where nothing fits, the limit is the remedy.
#[test]
fn limits_of_the_process_are_named() {
    for (limit, remedy) in
        [("ulimit -v 60000", "raise ulimit -v"), ("ulimit -s 64", "raise ulimit -s")]
    {
        let ended = after(limit, "--agents 10 --threads 1");
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(1), ""), "{limit}: {ended:?}");
        assert!(ended.line().ends_with(remedy), "{ended:?}");
    }
}

/// The journal has the set-up: its name is said, and no flag.
#[test]
fn a_journal_of_more_agents_than_fit_is_refused_by_its_name() {
    let place = Place::new();
    let played = format!("{}/tests/kept/played.jostle", env!("CARGO_MANIFEST_DIR"));
    let journal = fs::read(played).expect("a journal");
    let large = forged(&journal, "agents = 60", "agents = 20000000");
    fs::write(place.path("a.jostle"), large).expect("a file");
    for command in ["run --json --replay", "record a.gif --replay"] {
        let script = format!("ulimit -v 1000000 && exec {JOSTLE} {command} a.jostle");
        let ended = said(place.command("sh").args(["-c", &script]).output().expect("a shell"));
        assert_eq!(ended.status, Some(2), "{command}: {ended:?}");
        let line = ended.line();
        let begins = "jostle: a.jostle can't be loaded: its run of gas has room for 20,002,000 agents \
                      and would take ";
        assert!(line.starts_with(begins) && !line.contains("--"), "{command}: {line}");
        assert_eq!(place.names(), ["a.jostle"], "{command}");
    }
}

#[test]
fn the_limit_of_a_container_counts() {
    let Some(group) = Group::new("500000000") else {
        return skip("the_limit_of_a_container_counts", "no control group can be made here");
    };
    refused(&group.run("--agents 50M"), "--agents 50M");
    let ended = group.run("--agents 10k");
    assert_eq!(ended.status, Some(0), "{ended:?}");
}

/// A control group with a memory limit, as in a container.
struct Group(PathBuf);

impl Group {
    fn new(limit: &str) -> Option<Self> {
        [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")]
            .into_iter()
            .find_map(|(root, file)| {
                let folder =
                    PathBuf::from(root).join(format!("jostle-test-{}", std::process::id()));
                if !PathBuf::from(root).join("cgroup.procs").exists() {
                    return None;
                }
                fs::create_dir(&folder).ok()?;
                let group = Self(folder);
                let set =
                    group.0.join(file).exists() && fs::write(group.0.join(file), limit).is_ok();
                set.then_some(group)
            })
    }

    fn run(&self, args: &str) -> Ended {
        after(&format!("echo $$ > {}/cgroup.procs", self.0.display()), args)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// A gas that falls to the floor has ever more contacts: their list grows in the middle of the run.
#[test]
fn memory_refused_in_a_step_is_said_and_the_snapshot_named() {
    let args = "run --scene gas --agents 1M --gravity -2000 --restitution 0 --solver impulse \
                --threads 1 --json --steps 40 --save a.jostle --save-every 5";
    let mut midway = 0;
    for kib in (240_000..310_000).step_by(10_000) {
        let place = Place::new();
        let script = format!("ulimit -v {kib} && exec {JOSTLE} {args}");
        let ended = said(place.command("sh").args(["-c", &script]).output().expect("a shell"));
        match ended.status {
            Some(0 | 2) => {}
            Some(1) => {
                let line = ended.line();
                assert!(line.contains(" would take ") && line.contains("; try "), "{kib}: {line}");
                midway += usize::from(line.ends_with("; the last snapshot is a.jostle"));
            }
            _ => panic!("{kib} KiB: {ended:?}"),
        }
    }
    assert!(midway > 0, "the list of contacts has grown");
}
