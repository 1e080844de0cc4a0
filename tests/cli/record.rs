//! Films have the right frames with the right durations in every format.

use std::{fs, process::Stdio};

use jostle::raster::Style;

use crate::{
    film::{Film, difference},
    harness::{Ended, JOSTLE, Place, ended, jostle, skip, works},
};

/// File names of all single-file formats.
const FILMS: [&str; 3] = ["film.gif", "film.apng", "film.y4m"];

/// Records a film, which has to succeed with nothing on stdout and one line about the film.
#[track_caller]
fn record(place: &Place, args: &str) -> String {
    let ended = place.jostle(&format!("record {args}"));
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(0), ""), "{args}: {ended:?}");
    ended.line().to_string()
}

#[test]
fn every_format_has_the_requested_frames_and_rate() {
    let place = Place::new();
    for (args, frames, fps) in [
        ("--steps 30", 16, 30.0),
        ("--steps 0", 1, 30.0),
        ("--steps 1 --fps 20", 1, 20.0),
        ("--steps 2", 2, 30.0),
        ("--steps 7 --fps 50", 6, 50.0),
        ("--steps 25 --fps 7", 3, 7.0),
        ("--steps 24 --fps 25/2", 6, 12.5),
        ("--steps 999 --fps 20 --hz 49.95", 401, 20.0),
        ("--steps 24 --fps 50", 21, 50.0),
        ("--steps 100 --fps 29.97", 50, 29.97),
        ("--steps 100 --fps 24000/1001 --hz 59.94", 41, 24000.0 / 1001.0),
        ("--steps 10 --fps 25 --hz 10", 26, 25.0),
        ("--steps 9 --fps 0.5 --hz 1 --speed 0.01", 5, 0.5),
    ] {
        for name in FILMS {
            let line = record(&place, &format!("--agents 40 --size 48x27 {args} {name}"));
            let film = Film::read(&place.path(name));
            assert_eq!((film.size, film.frames.len()), ([48, 27], frames), "{name} {args}");
            // Frames of a GIF start at whole hundredths, without drift.
            let off = if name == "film.gif" { 0.005 } else { 1e-4 };
            for shown in 1..=frames {
                let ends: f64 = film.delays[..shown].iter().sum();
                assert!((ends - shown as f64 / fps).abs() <= off + 1e-9, "{name} {args}: {ends}");
            }
            let s = if frames == 1 { "" } else { "s" };
            assert!(line.contains(&format!("{name} has {frames} frame{s}, ")), "{line}");
        }
    }
    assert_eq!(place.names(), ["film.apng", "film.gif", "film.y4m"], "and nothing else");
}

#[test]
fn every_format_shows_the_same_frames() {
    let place = Place::new();
    for look in
        ["--scene gas --agents 300", "--scene burst --agents 3k --color-by start --palette viridis"]
    {
        let args = format!("{look} --steps 40 --fps 15 --size 160x100 --view 20,12,60");
        record(&place, &format!("{args} frame-%03d.png"));
        let films = FILMS.map(|name| {
            record(&place, &format!("{args} {name}"));
            Film::read(&place.path(name))
        });
        for k in 0..11 {
            let still = Film::read(&place.path(&format!("frame-{k:03}.png")));
            let differences = films.each_ref().map(|f| difference(&f.frames[k], &still.frames[0]));
            let [gif, apng, y4m] = differences;
            assert!(gif < 3.0 && apng == 0.0 && y4m < 1.5, "{look}, frame {k}: {differences:?}");
            if k == 0 {
                let style = Style::default();
                let flat = [style.ground, style.outside, style.border];
                let mut pixels = films[0].frames[k].iter().zip(&still.frames[0]);
                let exact = |(gif, png): (&[u8; 3], &[u8; 3])| gif == png || !flat.contains(png);
                assert!(pixels.all(exact), "{look}: flat colors have no noise");
            }
        }
        assert_eq!(place.names().len(), 11 + FILMS.len());
    }
}

#[test]
fn a_frame_is_what_run_draws_at_its_time() {
    let place = Place::new();
    let args = "--agents 200 --scene mixed --size 120x80";
    for view in ["", "--view 30,10,25"] {
        record(&place, &format!("{args} {view} --steps 10 --fps 18 --warmup 5 %d.png"));
        // Frames are 3 1/3 steps apart: each shows the last step that is not later.
        for (frame, steps) in [5, 8, 11, 15].into_iter().enumerate() {
            place.json(&format!("{args} {view} --steps {steps} --frame run.png"));
            let [run, film] = ["run.png".to_string(), format!("{frame}.png")]
                .map(|name| fs::read(place.path(&name)).expect("a picture"));
            assert!(run == film, "{view}, frame {frame}, step {steps}");
        }
    }
}

#[test]
fn threads_do_not_change_a_film() {
    let place = Place::new();
    for name in FILMS {
        let bytes = ["1", "3"].map(|threads| {
            record(
                &place,
                &format!("--agents 2k --steps 20 --size 96x54 --threads {threads} {name}"),
            );
            fs::read(place.path(name)).expect("the film")
        });
        assert!(bytes[0] == bytes[1], "{name}");
    }
}

#[test]
fn a_dash_writes_y4m_to_a_pipe() {
    let place = Place::new();
    let args = "record --agents 40 --steps 10 --size 48x27";
    record(&place, "--agents 40 --steps 10 --size 48x27 film.y4m");
    let film = fs::read(place.path("film.y4m")).expect("the film");
    for file in ["-", "/dev/stdout"] {
        let output = jostle(&place, &format!("{args} {file}")).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout == film, "the same bytes and no more");
        let line = String::from_utf8(output.stderr).expect("text");
        assert!(line.contains(" has 6 frames, 0.20 s at 30 frames/s"), "{line}");
    }
    // Earlier contents of the file stay.
    let file = fs::OpenOptions::new().append(true).open(place.path("film.y4m")).expect("the file");
    assert_eq!(ended(jostle(&place, &format!("{args} -")).stdout(file)).status, Some(0));
    assert_eq!(fs::read(place.path("film.y4m")).expect("both"), [&film[..], &film].concat());
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    // Films of that length would never end.
    for file in ["-", "/dev/stdout"] {
        let args = format!("record --agents 40 --steps 1e13 --size 64x64 {file}");
        let ended = ended(jostle(&place, &args).stdout(writer.try_clone().expect("a pipe")));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{file}");
    }
}

#[test]
fn unchanged_pixels_take_no_space() {
    let place = Place::new();
    for name in ["film.gif", "film.apng"] {
        let size = |steps: u32| {
            record(
                &place,
                &format!("--agents 500 --speed 0 --steps {steps} --size 320x180 {name}"),
            );
            fs::metadata(place.path(name)).expect("the film").len()
        };
        let (one, many) = (size(0), size(200));
        assert!(many - one < 100 * 128, "{name}: {one} bytes, and {many} with 100 more frames");
        let film = Film::read(&place.path(name));
        assert_eq!(film.frames.len(), 101);
        assert!(film.frames.iter().all(|frame| *frame == film.frames[0]));
    }
}

#[test]
fn warns_of_pictures_of_a_longer_film() {
    let place = Place::new();
    record(&place, "--agents 40 --steps 8 --size 48x27 %d.png");
    let ended = place.jostle("record --agents 40 --steps 4 --size 48x27 %d.png");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("3.png belongs to another film"), "{ended:?}");
    record(&place, "--agents 40 --steps 8 --size 48x27 %d.png");
}

#[test]
fn a_numbered_name_may_contain_percent_signs() {
    let place = Place::new();
    record(&place, "--agents 40 --steps 2 --size 48x27 b%03d-100%%.png");
    assert_eq!(place.names(), ["b000-100%.png", "b001-100%.png"]);
}

/// The bytes of a name need not be text.
#[cfg(target_os = "linux")]
#[test]
fn a_numbered_name_may_be_any_bytes() {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let place = Place::new();
    let mut command = jostle(&place, "record --agents 40 --steps 2 --size 48x27");
    let made = ended(command.arg(std::ffi::OsStr::from_bytes(b"a\xff%%\xc3\xa4-%02d.png")));
    assert_eq!(made.status, Some(0), "{made:?}");
    let names = fs::read_dir(place.folder()).expect("the folder");
    let mut names: Vec<_> =
        names.map(|entry| entry.expect("an entry").file_name().into_vec()).collect();
    names.sort();
    assert_eq!(names, [&b"a\xff%\xc3\xa4-00.png"[..], b"a\xff%\xc3\xa4-01.png"]);
}

#[test]
fn replaces_an_older_film() {
    let place = Place::new();
    for name in FILMS {
        fs::write(place.path(name), vec![7; 1_000_000]).expect("a file");
        record(&place, &format!("--agents 40 --steps 4 --size 48x27 {name}"));
        assert_eq!(Film::read(&place.path(name)).frames.len(), 3, "{name}");
    }
}

/// The output of ffprobe for a film.
fn probed(place: &Place, name: &str) -> Ended {
    ended(place.command("ffprobe").args([
        "-v",
        "error",
        "-count_frames",
        "-show_entries",
        "stream=width,height,avg_frame_rate,nb_read_frames",
        "-of",
        "default=noprint_wrappers=1",
        name,
    ]))
}

#[test]
fn ffmpeg_plays_them() {
    if !works("ffprobe", &["-version"]) {
        return skip("ffmpeg_plays_them", "there is no ffprobe");
    }
    for fps in [30, 25, 50] {
        let place = Place::new();
        let args = format!("--agents 200 --steps 60 --fps {fps} --size 128x72");
        record(&place, &format!("{args} frame-%05d.png"));
        let frames = fps + 1;
        for name in FILMS {
            record(&place, &format!("{args} {name}"));
            let seen = probed(&place, name);
            assert_eq!((seen.status, seen.stderr.as_str()), (Some(0), ""), "{name}: {seen:?}");
            for fact in [
                "width=128".to_string(),
                "height=72".to_string(),
                format!("avg_frame_rate={fps}/1"),
                format!("nb_read_frames={frames}"),
            ] {
                assert!(seen.stdout.lines().any(|line| line == fact), "{name}: {fact}: {seen:?}");
            }
        }
        let seen = probed(&place, "frame-%05d.png");
        assert!(seen.stdout.contains(&format!("nb_read_frames={frames}")), "{seen:?}");
    }
}

#[test]
fn ffmpeg_sees_the_colors() {
    if !works("ffmpeg", &["-version"]) {
        return skip("ffmpeg_sees_the_colors", "there is no ffmpeg");
    }
    let place = Place::new();
    let args = "--agents 200 --steps 8 --size 128x72";
    record(&place, &format!("{args} frame-%d.png"));
    for name in FILMS {
        record(&place, &format!("{args} {name}"));
        let args =
            ["-v", "error", "-i", name, "-vsync", "0", "-pix_fmt", "rgb24", "-y", "seen-%d.png"];
        let ended = ended(place.command("ffmpeg").args(args));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{name}");
        for frame in 0..5 {
            let still = Film::read(&place.path(&format!("frame-{frame}.png")));
            let seen = picture(&place, &format!("seen-{}.png", frame + 1));
            let off = difference(&seen, &still.frames[0]);
            assert!(off < 3.0, "{name}, frame {frame}: {off}");
        }
    }
}

/// The pixels of a PNG without alpha.
fn picture(place: &Place, name: &str) -> Vec<[u8; 3]> {
    let file = std::io::BufReader::new(fs::File::open(place.path(name)).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("a picture");
    bytes.as_chunks().0.to_vec()
}

#[test]
fn a_terminal_shows_progress() {
    if !works("script", &["-qec", "true", "/dev/null"]) {
        return skip("a_terminal_shows_progress", "there is no script(1) that makes a terminal");
    }
    let place = Place::new();
    let run = format!("{JOSTLE} record --agents 100 --steps 200 --size 64x36 film.gif");
    let mut script = place.command("script");
    script.args(["-qec", &run, "/dev/null"]).env("TERM", "xterm-256color").stderr(Stdio::null());
    let seen = String::from_utf8_lossy(&script.output().expect("script runs").stdout).into_owned();
    assert!(seen.contains("of 101 frames, ") && seen.contains(" left"), "{seen:?}");
    // A terminal is rejected as the output.
    let run = format!("{JOSTLE} record --agents 100 -; echo status $?");
    let seen =
        place.command("script").args(["-qec", &run, "/dev/null"]).output().expect("script runs");
    let seen = String::from_utf8_lossy(&seen.stdout);
    assert!(
        seen.contains("stdout is a terminal; pipe it") && seen.contains("status 2"),
        "{seen:?}"
    );
}
