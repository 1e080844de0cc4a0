//! Unwritable files: rejected before the run where possible, and never half-written.

use std::{fs, process::Stdio};

use crate::child::{signal, work};
use crate::harness::{JOSTLE, Place, ended, jostle, parse, said, skip, works};

#[test]
fn rejects_unwritable_files_before_the_run() {
    let place = Place::new();
    fs::write(place.path("file"), "").expect("a file");
    for (flag, path, cause) in [
        ("--export", "nowhere/a.csv", "its folder doesn't exist"),
        ("--export", "nowhere/a.npz", "its folder doesn't exist"),
        ("--frame", "nowhere/a.png", "its folder doesn't exist"),
        ("--frame", "file/a.png", "its parent is a file"),
        ("--export", "file/a.csv", "its parent is a file"),
        ("--export", "/proc/a.csv", "no file can be created there"),
        ("--frame", "/proc/self/a.png", "no file can be created there"),
    ] {
        // A run of that many steps would never end.
        let ended = place.jostle(&format!("run --agents 100 --steps 1e15 {flag} {path}"));
        assert_eq!(ended.status, Some(1), "{path}: {ended:?}");
        assert!(ended.line().contains(path) && ended.line().contains(cause), "{ended:?}");
        assert_eq!(ended.stdout, "", "nothing ran");
    }
    assert_eq!(place.names(), ["file"]);
}

#[test]
fn rejects_a_folder_as_a_file() {
    let place = Place::new();
    fs::create_dir(place.path("a.csv")).expect("a folder");
    let ended = place.jostle("run --agents 10 --steps 1e15 --export a.csv");
    assert_eq!(ended.status, Some(1));
    assert!(ended.line().contains("it is a folder"), "{ended:?}");
}

#[test]
fn an_unwritable_file_leaves_no_other_file() {
    let place = Place::new();
    let ended = place.jostle("run --agents 10 --steps 1e15 --frame a.png --export nowhere/a.csv");
    assert_eq!(ended.status, Some(1));
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn replaces_an_existing_file() {
    let place = Place::new();
    fs::write(place.path("a.csv"), "old").expect("a file");
    place.json("--agents 10 --steps 1 --export a.csv");
    let text = fs::read_to_string(place.path("a.csv")).expect("the table");
    assert_eq!(text.lines().count(), 11);
    assert_eq!(place.names(), ["a.csv"]);
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let path = place.path("a.csv");
    fs::write(&path, "old").expect("a file");
    for mode in [0o600, 0o664, 0o755] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its owner");
        place.json("--agents 10 --steps 1 --export a.csv");
        let now = fs::metadata(&path).expect("the table").permissions().mode();
        assert_eq!(now & 0o7777, mode);
    }
}

#[test]
fn a_link_leads_to_the_file_that_is_written() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    fs::create_dir(place.path("there")).expect("a folder");
    symlink("there/next.csv", place.path("a.csv")).expect("a link");
    symlink("b.csv", place.path("there/next.csv")).expect("a link");
    for _ in 0..2 {
        place.json("--agents 10 --steps 1 --export a.csv");
        let there = fs::symlink_metadata(place.path("there/b.csv")).expect("it is created");
        assert!(there.is_file());
    }
    for (link, to) in [("one.csv", "two.csv"), ("two.csv", "one.csv")] {
        symlink(to, place.path(link)).expect("a link");
    }
    let ended = place.jostle("run --agents 10 --steps 1e15 --export one.csv");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.line().contains("its links lead in a circle"), "{ended:?}");
    assert_eq!(place.names(), ["a.csv", "one.csv", "there", "two.csv"]);
}

#[test]
fn a_name_that_is_too_long_is_refused_before_the_run() {
    let name = format!("{}.csv", "a".repeat(300));
    let ended = Place::new().jostle(&format!("run --agents 10 --steps 1e15 --export {name}"));
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.line().ends_with("its name is too long; name it shorter"), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_protected_file_is_refused_before_the_run() {
    let place = Place::new();
    for attribute in ["i", "a"] {
        let path = place.path("a.csv");
        fs::write(&path, "old").expect("a file");
        let path = path.to_str().expect("a path of letters");
        if !works("chattr", &[&format!("+{attribute}"), path]) {
            return skip("a_protected_file_is_refused_before_the_run", "no file can be protected");
        }
        let ended = place.jostle("run --agents 10 --steps 1e15 --export a.csv");
        assert!(works("chattr", &[&format!("-{attribute}"), path]));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.line().contains("it is protected from changes"), "{ended:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn too_few_open_files_are_named_with_the_limit() {
    let place = Place::new();
    // Standard streams, two of the run, and none for its file.
    for most in 4..8 {
        let script =
            format!("ulimit -n {most} && exec {JOSTLE} run --agents 10 --steps 1 --frame a.png");
        let ended = said(place.command("sh").args(["-c", &script]).output().expect("a shell"));
        if ended.stderr.contains("a.png") {
            assert!(
                ended.line().ends_with("too many files are open; raise ulimit -n"),
                "{ended:?}"
            );
            return;
        }
    }
    panic!("no limit was met");
}

/// Nothing is left of a killed process, or the next one removes it.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_nothing() {
    let place = Place::new();
    let args = "run --agents 20 --steps 1e15 --threads 1 --frame a.png --export a.csv";
    let mut child = jostle(&place, args).stdout(Stdio::null()).spawn().expect("it starts");
    work(&mut child, 100);
    signal(&child, "KILL");
    child.wait().expect("it ends");
    let stale = place.path(".jostle-stale1.part");
    let held = place.path(".jostle-lives1.part");
    for path in [&stale, &held] {
        let file = fs::File::create(path).expect("a part");
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("its owner");
    }
    let lives = fs::File::open(&held).expect("a part");
    lives.try_lock().expect("no other process has it");
    place.json("--agents 10 --steps 1 --export b.csv");
    assert_eq!(place.names(), [".jostle-lives1.part", "b.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_film_to_a_closed_stdout_is_a_failure() {
    let place = Place::new();
    let script = format!("exec {JOSTLE} record --agents 10 --steps 3 --size 64x36 - >&-");
    let ended = said(place.command("sh").args(["-c", &script]).output().expect("a shell"));
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.line().contains("stdout can't be written: it is closed"), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_report_is_printed_despite_a_full_device() {
    let place = Place::new();
    for flag in ["--export", "--frame"] {
        let ended = place.jostle(&format!("run --json --agents 100 --steps 1 {flag} /dev/full"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.line().contains("/dev/full can't be written: the disk is full"), "{ended:?}");
        assert_eq!(parse(&ended.stdout)["steps"], 1);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_a_failure() {
    let place = Place::new();
    for args in [
        "scenes",
        "run --agents 10 --steps 1",
        "run --agents 10 --steps 1 --json",
        "bench --agents 100 --steps 1 --repeats 1 --warmup 0 --csv",
        "record --agents 10 --steps 3 --size 64x36 -",
        "--help",
        "help run",
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let ended = ended(jostle(&place, args).stdout(Stdio::from(full)));
        assert_eq!(ended.status, Some(1), "{args}: {ended:?}");
        assert!(ended.line().contains("stdout"), "{args}: {ended:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_does_not_prevent_others() {
    let place = Place::new();
    let args = "run --json --agents 10 --steps 1 --frame /dev/full --export a.csv";
    assert_eq!(place.jostle(args).status, Some(1));
    assert_eq!(place.names(), ["a.csv"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let args = "run --agents 10 --steps 1 --export b.csv";
    assert_eq!(ended(jostle(&place, args).stdout(Stdio::from(full))).status, Some(1));
    assert_eq!(place.names(), ["a.csv", "b.csv"]);
}

/// In a mount namespace of its own, in which a disk of 64 KiB exists as long as the process.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_existing_file() {
    const DISK: &str = "mount -t tmpfs -o size=64k none . && cd . ";
    if !works("unshare", &["-rm", "sh", "-c", "mount -t tmpfs none /mnt"]) {
        return skip("a_full_disk_keeps_the_existing_file", "no disk can be mounted here");
    }
    for file in
        ["--export a.csv", "--export a.npz", "--frame a.png --size 4000x3000 --draw-order random"]
    {
        let place = Place::new();
        let name = file.split(' ').nth(1).expect("a name");
        let script = format!(
            "cd {folder} && {DISK} && cd {folder} && echo old > {name} && \
             {JOSTLE} run --json --agents 20k --steps 1 {file}; \
             status=$?; ls -A; cat {name}; exit $status",
            folder = place.folder().display()
        );
        let output = place.command("unshare").args(["-rm", "sh", "-c", &script]).output();
        let ended = said(output.expect("unshare runs"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.line().contains("the disk is full"), "{ended:?}");
        let lines: Vec<&str> = ended.stdout.lines().collect();
        assert_eq!(lines.len(), 3, "{ended:?}");
        assert_eq!(parse(lines[0])["steps"], 1, "the report is there");
        assert_eq!(lines[1..], [name, "old"], "the file is unchanged, and the only one");
    }
}

#[test]
fn a_closed_stdout_is_no_failure() {
    let place = Place::new();
    for args in [
        "scenes",
        "--help",
        "--version",
        "run --agents 10 --steps 1",
        "run --agents 10 --steps 1 --json",
        "bench --agents 100 --steps 1 --repeats 1 --warmup 0 --csv",
        "record --agents 10 --steps 3 --size 64x36 -",
        "run --agents 10 --steps 1 --json --export a.csv",
        "run --agents 10 --steps 1 --json --export /dev/stdout",
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = ended(jostle(&place, args).stdout(writer));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{args}");
    }
    assert_eq!(place.names(), ["a.csv"], "files are written all the same");
}

#[test]
fn a_closed_stderr_is_no_failure() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    // Fast agents give a warning.
    let args = "run --agents 10 --steps 1 --json --speed 600";
    let ended = ended(jostle(&place, args).stderr(writer));
    assert_eq!(ended.status, Some(0));
    parse(&ended.stdout);
}

#[test]
fn names_of_files_do_not_control_the_terminal() {
    let place = Place::new();
    let name = "a\u{1b}[2J\u{9b}2J";
    // The parser of the flags has no terminal sequences in what it says.
    for (args, shown) in [
        (&["info", name][..], "a\\u{1b}[2J\\u{9b}2J"),
        (&["verify", name, name], "a\\u{1b}[2J\\u{9b}2J"),
        (&["run", name], "a\\u{1b}[2J\\u{9b}2J"),
        (&["scenes", name], "a\\u{9b}2J"),
    ] {
        let ended = ended(place.command(JOSTLE).args(args));
        assert_ne!(ended.status, Some(0), "{args:?}");
        assert!(ended.stderr.contains(shown), "{ended:?}");
        assert!(!ended.stderr.contains(|it: char| it.is_control() && it != '\n'), "{ended:?}");
    }
}
