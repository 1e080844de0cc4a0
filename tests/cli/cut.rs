//! Films that are stopped by Ctrl-C or a full disk are shorter, and play.
#![cfg(target_os = "linux")]

use std::{
    fs,
    process::{Child, Stdio},
};

use crate::{
    child::{end, signal, sizes, wait_until, work},
    film::Film,
    harness::{Ended, JOSTLE, Place, jostle, said, skip, works},
};

const FILMS: [&str; 3] = ["film.gif", "film.apng", "film.y4m"];

/// Starts a film without an end, and waits until a part of it is written.
fn started(place: &Place, file: &str) -> Child {
    let args = format!("record --agents 50 --steps 1e9 --size 96x54 --threads 1 {file}");
    let mut command = jostle(place, &args);
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    wait_until(&mut child, |child| sizes(place, child).sum::<u64>() >= 100_000);
    child
}

/// The number of frames in the message.
#[track_caller]
fn frames(ended: &Ended) -> usize {
    let line = ended.line();
    let (_, rest) = line.rsplit_once(" has ").unwrap_or_else(|| panic!("frames: {line}"));
    let count = rest.split(' ').next().expect("a count").replace(',', "");
    count.parse().unwrap_or_else(|_| panic!("a count: {line}"))
}

#[test]
fn ctrl_c_leaves_a_shorter_film() {
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        for file in FILMS {
            let place = Place::new();
            let child = started(&place, file);
            signal(&child, name);
            let ended = end(child);
            assert_eq!(ended.status, Some(status), "{ended:?}");
            assert!(ended.line().contains("stopped early; film."), "{ended:?}");
            assert!(ended.line().contains(" of 500,000,001 frames, "), "{ended:?}");
            let film = Film::read(&place.path(file));
            assert_eq!(film.frames.len(), frames(&ended), "{file}");
            assert!((film.seconds() - film.frames.len() as f64 / 30.0).abs() < 0.006, "{file}");
            assert_eq!(place.names(), [file]);
        }
    }
}

#[test]
fn ctrl_c_leaves_whole_pictures() {
    let place = Place::new();
    let child = started(&place, "%04d.png");
    signal(&child, "INT");
    let ended = end(child);
    assert_eq!(ended.status, Some(130), "{ended:?}");
    let expected: Vec<String> = (0..frames(&ended)).map(|n| format!("{n:04}.png")).collect();
    assert_eq!(place.names(), expected);
    for name in expected {
        assert_eq!(Film::read(&place.path(&name)).size, [96, 54]);
    }
}

#[test]
fn a_second_ctrl_c_exits_at_once_and_leaves_nothing() {
    let place = Place::new();
    // A step takes long, so it is still running at the second signal.
    let args = "record --agents 200k --index naive --size 96x54 --threads 1 film.y4m";
    let mut child = jostle(&place, args).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until(&mut child, |child| sizes(&place, child).sum::<u64>() > 0);
    // The first frame is drawn in less time. Without a step, the film would have this frame only.
    work(&mut child, 100);
    while child.try_wait().expect("its state").is_none() {
        signal(&child, "INT");
    }
    assert_eq!(end(child).status, Some(130));
    assert_eq!(place.names(), [""; 0]);
}

/// Runs jostle with a limit on file sizes, in KiB.
fn limited(place: &Place, kib: u32, args: &str) -> Ended {
    let script = format!("ulimit -f {} && exec {JOSTLE} {args}", kib * 1024 / block());
    said(place.command("sh").args(["-c", &script]).output().expect("a shell"))
}

/// Unit of `ulimit -f` in bytes: 512 in POSIX and dash, 1024 in bash.
fn block() -> u32 {
    if works("sh", &["-c", "[ -n \"$BASH_VERSION\" ]"]) { 1024 } else { 512 }
}

#[test]
fn a_limit_on_file_sizes_leaves_a_shorter_film() {
    for (file, kib) in [("film.gif", 100), ("film.apng", 200), ("film.y4m", 1000)] {
        let place = Place::new();
        let ended =
            limited(&place, kib, &format!("record --agents 400 --steps 1e9 --size 128x72 {file}"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        let line = ended.line();
        assert!(
            line.contains("can't be written: it has reached the limit on file sizes"),
            "{line}"
        );
        let film = Film::read(&place.path(file));
        assert_eq!(film.frames.len(), frames(&ended), "{line}");
        assert!(film.frames.len() > 5, "{line}");
        assert_eq!(place.names(), [file]);
    }
}

/// Any limit leaves the start of the whole film, at worst without frames.
#[test]
fn any_limit_leaves_the_start_of_the_film() {
    for file in ["film.gif", "film.apng"] {
        let place = Place::new();
        let args = format!("record --agents 30 --steps 80 --size 64x36 {file}");
        assert_eq!(place.jostle(&args).status, Some(0));
        let whole = Film::read(&place.path(file)).frames;
        fs::remove_file(place.path(file)).expect("a file");
        let mut counts = Vec::new();
        for kib in 1..40 {
            let ended = limited(&place, kib, &args);
            if ended.status == Some(0) {
                break;
            }
            assert_eq!(ended.status, Some(1), "{ended:?}");
            if place.names().is_empty() {
                assert!(
                    ended.line().ends_with(&format!("nothing of {file} was written")),
                    "{ended:?}"
                );
                counts.push(0);
                continue;
            }
            let film = Film::read(&place.path(file)).frames;
            assert_eq!(film.len(), frames(&ended), "{ended:?}");
            assert!(film[..] == whole[..film.len()], "{kib} KiB: the same frames");
            counts.push(film.len());
            fs::remove_file(place.path(file)).expect("a file");
        }
        assert!(counts.is_sorted() && counts.len() > 3 && counts.last() > Some(&10), "{counts:?}");
    }
}

/// In a mount namespace of its own, in which a small disk exists as long as the process.
#[test]
fn a_full_disk_leaves_a_shorter_film() {
    if !works("unshare", &["-rm", "sh", "-c", "mount -t tmpfs none /mnt"]) {
        return skip("a_full_disk_leaves_a_shorter_film", "no disk can be mounted here");
    }
    for (file, to) in [
        ("film.gif", "film.gif"),
        ("film.apng", "film.apng"),
        ("film.y4m", "film.y4m"),
        ("film.y4m", "- > film.y4m"),
        ("%d.png", "%d.png"),
    ] {
        let place = Place::new();
        let script = format!(
            "mkdir disk && mount -t tmpfs -o size=1m none disk && cd disk && \
             {JOSTLE} record --agents 400 --steps 1e9 --size 128x72 {to}; \
             status=$?; cp -r . ../kept; exit $status"
        );
        let output = place.command("unshare").args(["-rm", "sh", "-c", &script]).output();
        let ended = said(output.expect("unshare runs"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.line().contains("the disk is full; make room there"), "{ended:?}");
        let frames = frames(&ended);
        assert!(frames > 5, "{ended:?}");
        let kept = fs::read_dir(place.path("kept")).expect("what there is").count();
        if file == "%d.png" {
            assert_eq!(kept, frames);
            for frame in 0..frames {
                Film::read(&place.path(&format!("kept/{frame}.png")));
            }
        } else {
            assert_eq!(kept, 1);
            assert_eq!(Film::read(&place.path(&format!("kept/{file}"))).frames.len(), frames);
        }
    }
}

#[test]
fn a_full_device_is_reported() {
    let place = Place::new();
    let ended = place.jostle("record --agents 40 --steps 1e9 --size 64x36 /dev/full");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.line().contains("/dev/full can't be written: the disk is full"), "{ended:?}");
    assert!(ended.line().ends_with("nothing of /dev/full was written"), "{ended:?}");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let mut command = jostle(&place, "record --agents 40 --steps 1e9 --size 64x36 -");
    let ended = crate::harness::ended(command.stdout(Stdio::from(full)));
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.line().contains("stdout can't be written: the disk is full"), "{ended:?}");
}

#[test]
fn rejects_unwritable_films_before_the_run() {
    let place = Place::new();
    fs::write(place.path("file"), "").expect("a file");
    fs::create_dir(place.path("folder.gif")).expect("a folder");
    for (file, cause) in [
        ("nowhere/film.gif", "its folder doesn't exist"),
        ("nowhere/%d.png", "its folder doesn't exist"),
        ("file/film.apng", "its parent is a file"),
        ("/proc/film.y4m", "no file can be created there"),
        ("folder.gif", "it is a folder"),
    ] {
        // A film of that length would never end.
        let ended = place.jostle(&format!("record --agents 100 --steps 1e9 {file}"));
        assert_eq!(ended.status, Some(1), "{file}: {ended:?}");
        assert!(ended.line().contains(cause), "{ended:?}");
    }
    assert_eq!(place.names(), ["file", "folder.gif"]);
}

/// The header of a journal does not fit; nothing of it stays.
#[cfg(feature = "window")]
#[test]
fn a_journal_on_a_full_disk_leaves_no_file() {
    let place = Place::new();
    let ended = limited(&place, 0, "--agents 40 --journal a.jostle");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.line().contains("a.jostle can't be written: "), "{ended:?}");
    assert_eq!(place.names(), [""; 0]);
}
