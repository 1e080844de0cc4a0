//! Video by ffmpeg, films of replays, and glow in pictures and films.
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::{
    film::Film,
    harness::{Ended, Place, ended, jostle},
};

/// Puts a program named ffmpeg into a folder of a place, and runs jostle with that folder alone in
/// its path.
fn with_ffmpeg(place: &Place, script: &str, args: &str) -> Ended {
    let folder = place.path("bin");
    fs::create_dir_all(&folder).expect("a folder");
    if !script.is_empty() {
        let program = folder.join("ffmpeg");
        fs::write(&program, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")).expect("a file");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
    ended(jostle(place, args).env("PATH", folder))
}

#[test]
fn a_video_gets_all_frames_with_even_sides() {
    let place = Place::new();
    let args = "record --agents 40 --steps 10 --size 49x27 film.mp4";
    let script = "echo \"$@\" > args; for last; do :; done; cat > \"$last\"";
    let made = with_ffmpeg(&place, script, args);
    assert_eq!(made.status, Some(0), "{made:?}");
    assert!(made.line().contains("film.mp4 has 6 frames, 0.20 s at 30 frames/s"), "{made:?}");
    assert_eq!(place.names(), ["args", "bin", "film.mp4"]);
    let asked = fs::read_to_string(place.path("args")).expect("its arguments");
    assert!(asked.contains("-pix_fmt yuv420p -crf 18 -f mp4 "), "{asked}");
    fs::rename(place.path("film.mp4"), place.path("film.y4m")).expect("the frames");
    let film = Film::read(&place.path("film.y4m"));
    assert_eq!((film.size, film.frames.len()), ([50, 28], 6));
}

#[test]
fn ffmpeg_that_is_absent_or_fails_leaves_no_file_and_one_sentence() {
    let place = Place::new();
    let args = "record --agents 40 --steps 400 --size 640x360 film.mp4";
    let absent = with_ffmpeg(&place, "", args);
    assert_eq!(absent.status, Some(2), "{absent:?}");
    let command = "ffmpeg -i film.y4m -pix_fmt yuv420p film.mp4";
    assert!(absent.line().ends_with(command), "{absent:?}");
    for script in ["echo no encoder >&2; exit 1", "cat > /dev/null; echo no encoder >&2; exit 1"] {
        let failed = with_ffmpeg(&place, script, args);
        assert_eq!(failed.status, Some(1), "{failed:?}");
        let why = "film.mp4 can't be written: ffmpeg has failed: no encoder; ";
        assert!(failed.line().contains(why), "{failed:?}");
    }
    assert_eq!(place.names(), ["bin"]);
}

/// The last frame of a film.
#[track_caller]
fn last_frame(path: &Path) -> Vec<[u8; 3]> {
    Film::read(path).frames.pop().expect("a frame")
}

#[test]
fn a_film_of_a_replay_has_all_runs_and_ends_where_they_end() {
    let place = Place::new();
    let played = format!("{}/tests/kept/compared.jostle", env!("CARGO_MANIFEST_DIR"));
    let look = format!("--replay {played} --size 160x90 --glow");
    // A frame for each step of the second run, so that the last one shows the last step.
    let film = place.jostle(&format!("record {look} --fps 120 film.apng"));
    assert_eq!(film.status, Some(0), "{film:?}");
    assert!(film.stderr.contains("73 changes and 10 compared states: all the same"), "{film:?}");
    let run = place.jostle(&format!("run {look} --frame end.png"));
    assert_eq!(run.status, Some(0), "{run:?}");
    let end = last_frame(&place.path("end.png"));
    assert!(last_frame(&place.path("film.apng")) == end, "the film ends elsewhere");
    // 507 steps of 60 per second and 100 of 120, each run from its first state on.
    let frames = Film::read(&place.path("film.apng")).frames.len();
    assert_eq!(frames, (2 * 507 + 1) + (100 + 1));
    let refused = place.jostle(&format!("record --replay {played} --steps 9 film.gif"));
    assert_eq!(refused.status, Some(2), "{refused:?}");
}

#[test]
fn pictures_and_films_glow_alike() {
    let place = Place::new();
    let args = "--agents 400 --scene burst --size 160x90";
    for glow in ["", "--glow"] {
        place.json(&format!("{args} {glow} --steps 8 --frame run{glow}.png"));
        let film = place.jostle(&format!("record {args} {glow} --steps 8 film.apng"));
        assert_eq!(film.status, Some(0), "{film:?}");
        let run = last_frame(&place.path(&format!("run{glow}.png")));
        assert!(last_frame(&place.path("film.apng")) == run, "{glow:?}");
    }
    assert!(last_frame(&place.path("run.png")) != last_frame(&place.path("run--glow.png")));
}
