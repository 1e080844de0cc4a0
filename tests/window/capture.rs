//! Pictures and films of the window, read back.

use std::{
    fs::File,
    io::{BufReader, Cursor},
    path::Path as FilePath,
    time::{Duration, Instant},
};

use jostle::raster::Camera;

use crate::{
    Path,
    desk::keysym,
    expected::Stage,
    program::{Frame, command, open},
};

crate::on_both_paths! {
    a_picture_is_the_view_without_the_interface
    a_film_has_as_many_frames_as_it_reports
}

/// The frames of a PNG or an APNG as they are in the file, and their announced number.
fn frames(path: &FilePath) -> (u32, Vec<Vec<u8>>) {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG");
    let announced = reader.info().animation_control().map_or(1, |control| control.num_frames);
    let size = reader.output_buffer_size().expect("a size");
    let frames = (0..announced).map(|_| {
        let mut frame = vec![0; size];
        let info = reader.next_frame(&mut frame).expect("a frame");
        frame.truncate(info.buffer_size());
        frame
    });
    (announced, frames.collect())
}

/// The pixels of a PNG.
pub(crate) fn pixels(png: Cursor<Vec<u8>>) -> Vec<u8> {
    let mut reader = png::Decoder::new(png).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a picture");
    pixels
}

/// The number of frames that a line reports.
fn reported_frames(line: &str) -> Option<u32> {
    line.strip_prefix("jostle: saved jostle.apng: ")?.split(' ').next()?.parse().ok()
}

/// Starts a film; returns the next frame.
fn begin_film(stage: &mut Stage) -> Frame {
    stage.desk.key(keysym::V);
    stage.program.wait_line("filming jostle.apng");
    stage.program.wait_frame()
}

/// Closes the window by its key, and checks the film that it reports.
#[track_caller]
fn close_with_film(stage: Stage) {
    stage.desk.ctrl_key(keysym::Q);
    let Stage { program, folder, .. } = stage;
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    let reported = lines.iter().find_map(|line| reported_frames(line)).expect("a film");
    assert_eq!(frames(&folder.path().join("jostle.apng")).0, reported);
}

/// Fitted to the whole frame, with the panel over a part of the window, too.
fn a_picture_is_the_view_without_the_interface(path: Path) {
    let (mut stage, frame) = Stage::paused(path);
    let world = stage.sim.world();
    let whole = Frame { camera: Camera::fit(&world, frame.size[0], frame.size[1]), ..frame };
    let expected = stage.draw(&whole);
    for name in ["jostle.png", "jostle-2.png"] {
        stage.desk.key(keysym::F2);
        stage.program.wait_line(&format!("jostle: saved {name}"));
        assert!(picture(&stage, name) == expected, "{name}");
        stage.desk.key(keysym::TAB);
        stage.program.wait_line(if name == "jostle.png" { "panel on" } else { "panel off" });
    }
}

/// The pixels of a picture.
fn picture(stage: &Stage, name: &str) -> Vec<[u8; 3]> {
    let (_, frames) = frames(&stage.folder.path().join(name));
    frames[0].chunks(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

fn a_film_has_as_many_frames_as_it_reports(path: Path) {
    let mut stage = Stage::new(path);
    let frame = begin_film(&mut stage);
    stage.program.wait_past(frame.steps + 30);
    stage.desk.key(keysym::V);
    let reported = stage.program.wait("the end of the film", reported_frames);
    assert!(reported > 2, "{reported} frames of half a second");
    let file = stage.folder.path().join("jostle.apng");
    let (announced, frames) = frames(&file);
    assert_eq!((announced, frames.len()), (reported, reported as usize));
    let size = frame.size[0] as usize * frame.size[1] as usize * 4;
    assert_eq!(frames[0].len(), size, "the first is all of the window");
    // The next is another file.
    stage.desk.key(keysym::V);
    stage.program.wait_line("filming jostle-2.apng");
}

#[test]
fn a_picture_glows_as_the_window_does() {
    let (mut stage, frame) = Stage::paused(Path::Softbuffer);
    let [width, height] = frame.size;
    let whole = Frame { camera: Camera::fit(&stage.sim.world(), width, height), ..frame };
    let plain = stage.draw(&whole);
    stage.desk.key(keysym::L);
    stage.program.wait_line("glow on");
    stage.desk.key(keysym::F2);
    stage.program.wait_line("jostle: saved jostle.png");
    let glowing = picture(&stage, "jostle.png");
    assert!(glowing != plain, "no glow");
    for (glowing, plain) in glowing.iter().zip(&plain) {
        let lighter = glowing.iter().zip(plain).all(|(now, before)| now >= before);
        assert!(lighter, "{glowing:?} from {plain:?}");
    }
}

/// Its first frame is the picture of the same moment: no status line, message or panel is in it.
#[test]
fn a_film_is_the_view_without_the_interface() {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    stage.desk.key(keysym::F2);
    stage.program.wait_line("jostle: saved jostle.png");
    let frame = begin_film(&mut stage);
    stage.step(&frame);
    stage.desk.key(keysym::V);
    stage.program.wait("the film", reported_frames);
    assert!(picture(&stage, "jostle.apng") == picture(&stage, "jostle.png"));
}

/// A film of simulated time has each second step of 60 per second, however slowly they come.
#[test]
fn films_of_each_format_follow_simulated_time() {
    for (format, expected) in [("gif", "16 frames"), ("y4m", "16 frames"), ("apng", "16 frames")] {
        let folder = tempfile::tempdir().expect("a folder");
        let flags = ["--agents", "500", "--size", "320x200", "--film", format];
        let (desk, mut program) = open(folder.path(), &flags);
        desk.key(keysym::SPACE);
        program.wait_line("paused");
        let mut steps = program.wait_frame().steps;
        desk.key(keysym::V);
        program.wait_line(&format!("filming jostle.{format}"));
        for _ in 0..30 {
            desk.key(keysym::PERIOD);
            steps += 1;
            program.wait_steps(steps);
        }
        desk.key(keysym::V);
        let begin = format!("jostle: saved jostle.{format}: {expected}, 0.53 s at 30 frames/s");
        program.wait("the film", |line| line.starts_with(&begin).then_some(()));
        let bytes = std::fs::read(folder.path().join(format!("jostle.{format}"))).expect("a film");
        let head: &[u8] = match format {
            "gif" => b"GIF89a",
            "y4m" => b"YUV4MPEG2 W320 H200 F30:1",
            _ => b"\x89PNG",
        };
        assert!(bytes.starts_with(head), "{format}");
    }
}

/// With labels, the corners at the left are written on, and the rest is as it was.
#[test]
fn labels_are_a_choice() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pictures = Vec::new();
    for (labels, name) in [("--labels=off", "jostle.png"), ("--labels", "jostle-2.png")] {
        let flags = ["--scene", "gas", "--agents", "500", "--size", "640x480", labels];
        let (desk, mut program) = open(folder.path(), &flags);
        desk.key(keysym::SPACE);
        program.wait_line("paused");
        desk.key(keysym::R);
        program.wait_line("restarted");
        desk.key(keysym::F2);
        program.wait_line(&format!("jostle: saved {name}"));
        pictures.push(frames(&folder.path().join(name)).1.remove(0));
    }
    let [plain, labeled] = &pictures[..] else { panic!("two pictures") };
    let pixels = plain.chunks_exact(4).zip(labeled.chunks_exact(4)).enumerate();
    let differ: Vec<_> = pixels.filter(|(_, (plain, labeled))| plain != labeled).collect();
    let at = |left: bool, top: bool| {
        let differs = |at: usize| (at % 640 < 320) == left && (at / 640 < 240) == top;
        differ.iter().filter(|(at, _)| differs(*at)).count()
    };
    assert!(at(true, true) > 500 && at(true, false) > 5_000, "a clock; a scale and a legend");
    assert_eq!(at(false, true) + at(false, false), 0);
}

/// It shows what the window shows, larger, each step, and goes on in a window of another size.
#[test]
fn a_film_may_have_a_size_and_a_rate_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = "--agents 500 --scene gas --size 320x180 --film y4m --film-size 1280x720 --film-rate 60 --glow";
    let (desk, mut program) = open(folder.path(), &flags.split(' ').collect::<Vec<_>>());
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let mut steps = program.wait_frame().steps;
    desk.key(keysym::V);
    program.wait_line("filming jostle.y4m");
    assert_eq!(program.wait_frame().steps, steps);
    for _ in 0..6 {
        desk.key(keysym::PERIOD);
        steps += 1;
        program.wait_steps(steps);
    }
    desk.resize(desk.window(), [400, 300]);
    program.wait_line("resized 400x300");
    desk.key(keysym::PERIOD);
    program.wait_steps(steps + 1);
    desk.key(keysym::V);
    let begin = "jostle: saved jostle.y4m: 8 frames, 0.13 s at 60 frames/s";
    program.wait("the film", |line| line.starts_with(begin).then_some(()));
    let film = std::fs::read(folder.path().join("jostle.y4m")).expect("a film");
    assert!(film.starts_with(b"YUV4MPEG2 W1280 H720 F60:1"));
    // The first frame is that of `run` in the same step, but for rounding of colors.
    let run = format!(
        "run --scene gas --agents 500 --steps {} --frame run.png --size 1280x720 --glow",
        steps - 6
    );
    let output = command(folder.path()).args(run.split(' ')).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let (_, pictures) = frames(&folder.path().join("run.png"));
    let luma = &film[film.windows(6).position(|head| head == b"FRAME\n").expect("a frame") + 6..];
    let differ = pictures[0].chunks_exact(4).zip(luma).filter(|(pixel, luma)| {
        let [red, green, blue] = [0, 1, 2].map(|channel| i32::from(pixel[channel]));
        let expected = ((66 * red + 129 * green + 25 * blue + 128) >> 8) + 16;
        (expected - i32::from(**luma)).abs() > 1
    });
    assert_eq!(differ.count(), 0);
}

#[test]
fn a_large_film_says_how_large_it_gets() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "20k", "--size", "1000x600"]);
    desk.key(keysym::V);
    let begin = "jostle: a minute of this film takes ";
    let size = program.wait("its size", |line| line.strip_prefix(begin).map(str::to_owned));
    assert!(size.contains(" GiB; for a long one choose a smaller size, or y4m"), "{size}");
    desk.key(keysym::V);
    program.wait("the film", |line| line.starts_with("jostle: saved jostle.apng").then_some(()));
}

/// A film of wall time goes on while the run is paused and the user moves the view.
#[test]
fn a_film_of_wall_time_has_what_is_seen_in_a_pause() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "500", "--size", "320x200", "--film-time", "wall"];
    let (desk, mut program) = open(folder.path(), &flags);
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    let begin = program.wait_frame();
    desk.key(keysym::V);
    program.wait_line("filming jostle.apng");
    let started = Instant::now();
    desk.point([160, 100]);
    while started.elapsed() < Duration::from_secs(1) {
        desk.press(4);
        desk.release(4);
        program.wait_line("zoomed");
        assert_eq!(program.wait_frame().steps, begin.steps);
    }
    desk.key(keysym::V);
    let frames = program.wait("the film", reported_frames);
    // There are 30 per second, of which a busy machine leaves most out. A film of simulated time has one.
    assert!(frames >= 3, "{frames} frames of a second");
}

#[test]
fn a_window_of_another_size_ends_the_film() {
    let mut stage = Stage::new(Path::Softbuffer);
    begin_film(&mut stage);
    stage.desk.resize(stage.window, [640, 400]);
    let reported = stage.program.wait("the end of the film, and why", |line| {
        reported_frames(line).filter(|_| line.ends_with("as the window got another size"))
    });
    assert_eq!(frames(&stage.folder.path().join("jostle.apng")).0, reported);
}

#[test]
fn closing_the_window_ends_the_film() {
    let mut stage = Stage::new(Path::Softbuffer);
    begin_film(&mut stage);
    close_with_film(stage);
}

#[test]
fn closing_the_window_waits_for_a_film_that_is_still_written() {
    let mut stage = Stage::new(Path::Softbuffer);
    let frame = begin_film(&mut stage);
    stage.program.wait_past(frame.steps + 20);
    stage.desk.key(keysym::V);
    close_with_film(stage);
}

/// Only the end of the film wakes the window.
#[test]
fn a_sleeping_window_reports_its_film() {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    begin_film(&mut stage);
    stage.desk.key(keysym::V);
    let reported = stage.program.wait("the end of the film", reported_frames);
    assert_eq!(frames(&stage.folder.path().join("jostle.apng")).0, reported);
}

#[test]
fn a_lost_display_ends_in_one_line_and_saves_the_film() {
    let mut stage = Stage::new(Path::Softbuffer);
    let frame = begin_film(&mut stage);
    stage.program.wait_past(frame.steps + 10);
    // Asleep, so that the end of the display wakes it: Xlib would end the program itself.
    stage.pause();
    stage.program.wait_asleep(&stage.desk);
    stage.desk.kill();
    let Stage { program, folder, .. } = stage;
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    let last = lines.iter().rposition(|line| line.starts_with("frame ")).expect("frames");
    let [film, lost] = &lines[last + 1..] else { panic!("not two lines: {lines:#?}") };
    assert!(lost.starts_with("jostle: the display was lost ("), "{lost}");
    let reported = reported_frames(film).expect("a film");
    assert_eq!(frames(&folder.path().join("jostle.apng")).0, reported);
}

#[test]
fn a_signal_closes_a_sleeping_window_and_ends_its_film() {
    let mut stage = Stage::new(Path::Softbuffer);
    begin_film(&mut stage);
    stage.desk.key(keysym::SPACE);
    stage.program.wait_line("paused");
    stage.program.signal("TERM");
    stage.program.wait_line("closed");
    let reported = stage.program.wait("the end of the film", reported_frames);
    let (status, lines) = stage.program.end();
    assert_eq!(status.code(), Some(143), "{lines:#?}");
    assert_eq!(frames(&stage.folder.path().join("jostle.apng")).0, reported);
    assert!(stage.folder.path().join("settings/jostle/window.toml").is_file());
}
