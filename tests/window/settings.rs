//! Settings that the window saves.

use std::{
    fs,
    os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    path::{Path as FilePath, PathBuf},
    process::Command,
};

use x11rb::protocol::xproto::Window;

use crate::{
    Path,
    desk::{Desk, keysym},
    program::{Program, QUESTION, command_on},
};

/// The program on its own screen, with the settings in `folder`.
struct Visit {
    desk: Desk,
    program: Program,
    window: Window,
    /// The line of its first event.
    ready: String,
}

impl Visit {
    fn new(folder: &FilePath, flags: &[&str]) -> Self {
        let desk = Desk::new();
        let mut command = command_on(&desk, folder, Path::Gpu);
        let mut program = Program::start(command.args(["--agents", "500"]).args(flags));
        let ready =
            program.wait("ready", |line| line.starts_with("ready ").then(|| line.to_owned()));
        program.wait_past(0);
        let window = desk.window();
        desk.focus(window);
        Self { desk, program, window, ready }
    }

    /// The palette, which an event reports with the next meaning of colors.
    fn palette(&mut self) -> String {
        self.desk.key(keysym::C);
        self.program.wait("the colors", |line| line.strip_prefix("colors size ").map(str::to_owned))
    }

    /// Closes the window; returns all lines.
    fn leave(self) -> Vec<String> {
        self.desk.ctrl_key(keysym::Q);
        let (status, lines) = self.program.end();
        assert_eq!(status.code(), Some(0), "{lines:#?}");
        lines
    }
}

/// What the first window of a user says for ten seconds.
const HINTS: &str =
    "K, and drag to poke; Tab: the panel; O: all scenes and worlds; T: a tour; H: all keys";

fn notes(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("jostle: ")).collect()
}

#[test]
fn the_first_window_says_what_there_is_to_do_for_a_while() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut visit = Visit::new(folder.path(), &["--size", "900x500"]);
    // The status has two lines, and then one.
    for status in ["; status 0,0 900x34", "; status 0,0 900x20"] {
        visit.program.wait("the status", |line| line.contains(status).then_some(()));
    }
    visit.leave();
}

#[test]
fn settings_are_restored_and_flags_override_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = Visit::new(folder.path(), &[]);
    assert!(!first.program.has_printed("panel on"));
    assert!(first.program.has_printed(HINTS));
    first.desk.key(keysym::TAB);
    first.program.wait_line("panel on");
    first.desk.key(keysym::P);
    first.program.wait("a palette", |line| line.starts_with("colors speed").then_some(()));
    first.desk.key(keysym::E);
    first.program.wait_line("tool erase");
    first.desk.resize(first.window, [1000, 600]);
    first.program.wait_line("resized 1000x600");
    first.program.wait_frame();
    let palette = first.palette();
    assert!(notes(&first.leave()).is_empty());

    let mut second = Visit::new(folder.path(), &[]);
    assert!(second.ready.starts_with("ready 1000x600 "), "{}", second.ready);
    assert!(!second.program.has_printed(HINTS));
    assert_eq!(second.palette(), palette);
    second.desk.key(keysym::TAB);
    second.program.wait_line("panel off");
    // The tool is the hand again: there is nothing to close but the window.
    second.desk.key(keysym::ESCAPE);
    second.program.wait_line(QUESTION);
    second.desk.key(keysym::ESCAPE);
    second.program.wait_line("closed");
    assert!(!second.program.has_printed("tool hand"));
    let (_, lines) = second.program.end();
    assert!(notes(&lines).is_empty());

    let file = folder.path().join("settings/jostle/window.toml");
    let text = fs::read_to_string(&file).expect("the settings");
    assert!(text.contains("panel = false") && !text.contains("tool ="), "{text}");

    let mut third = Visit::new(folder.path(), &["--palette", "cividis"]);
    assert_eq!(third.palette(), "cividis");
    third.desk.key(keysym::TAB);
    third.program.wait_line("panel on");
    third.leave();
}

#[test]
fn plots_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings/jostle/window.toml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let chosen = r#"["g(r)", "temperature"]"#;
    fs::write(&file, format!("panel = true\nplots = {chosen}")).expect("a file");
    let mut visit = Visit::new(folder.path(), &[]);
    for plot in ["plot temperature at ", "plot g(r) at "] {
        visit.program.wait(plot, |line| line.starts_with(plot).then_some(()));
    }
    assert!(notes(&visit.leave()).is_empty());
    let text = fs::read_to_string(&file).expect("the settings");
    assert!(text.contains(r#"plots = ["temperature", "g(r)"]"#), "not in their order: {text}");
}

#[test]
fn broken_settings_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings/jostle/window.toml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, "size = [").expect("a file");
    let lines = Visit::new(folder.path(), &[]).leave();
    let notes = notes(&lines);
    assert!(notes.len() == 1 && notes[0].contains("window.toml can't be used"), "{notes:#?}");
    let text = fs::read_to_string(&file).expect("written again");
    assert!(text.contains("palette = \"plasma\""), "{text}");
    let kept = notes[0].rsplit(' ').next().expect("the name of what is kept");
    assert_eq!(fs::read_to_string(kept).expect("what was there"), "size = [");
}

/// The file with the settings of a window, whose folder is created.
fn file_in(folder: &FilePath) -> PathBuf {
    let file = folder.join("settings/jostle/window.toml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    file
}

/// A pipe would be read until somebody writes into it.
#[test]
fn settings_that_are_no_file_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_in(folder.path());
    assert!(Command::new("mkfifo").arg(&file).status().expect("mkfifo is there").success());
    let lines = Visit::new(folder.path(), &[]).leave();
    let notes = notes(&lines);
    assert!(notes.len() == 1 && notes[0].contains("window.toml can't be used"), "{notes:#?}");
    assert!(fs::metadata(&file).expect("the pipe").file_type().is_fifo());
    assert!(!file.with_extension("toml.bak").exists());
}

#[test]
fn what_is_ignored_in_the_settings_is_named_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_in(folder.path());
    for (text, expected, others) in [
        ("palette = \"pink\"", "palette \"pink\" is no known palette; ", "viridis"),
        ("palete = \"plasma\"", "palete is no known setting; did you mean palette? ", "glow"),
        ("panel = 1", "panel 1 is out of range: expected true or false", ""),
        // No name clears a terminal.
        (r#""a\u001b[2Jb" = 1"#, r"a\u{1b}[2Jb is no known setting; ", "size"),
        ("interface_scale = 9", "interface_scale 9 is out of range: expected 0.5 to 4", ""),
        ("film = \"mp4\"", "film \"mp4\" is no known format; ", "y4m"),
        (
            "size = [0, 5]\nzoom = 2",
            "size [0, 5] is out of range: expected ",
            "zoom is no known setting",
        ),
    ] {
        fs::write(&file, text).expect("a file");
        let lines = Visit::new(folder.path(), &[]).leave();
        let notes = notes(&lines);
        assert_eq!(notes.len(), 1, "{notes:#?}");
        for part in [&file.display().to_string(), expected, others] {
            assert!(notes[0].contains(part), "{part}: {notes:#?}");
        }
        assert_eq!(fs::read_to_string(file.with_extension("toml.bak")).expect("kept"), text);
        assert!(fs::read_to_string(&file).expect("written again").contains("overlay = \"none\""));
    }
}

/// A file that is replaced keeps its permissions; a link to a file stays one.
#[test]
fn settings_are_saved_as_other_files_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_in(folder.path());
    let target = folder.path().join("mine.toml");
    fs::write(&target, "glow = true").expect("a file");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("its owner");
    symlink(&target, &file).expect("a link");
    assert!(notes(&Visit::new(folder.path(), &[]).leave()).is_empty());
    assert!(fs::symlink_metadata(&file).expect("the link").is_symlink());
    assert!(fs::read_to_string(&target).expect("the settings").contains("panel = false"));
    let mode = fs::metadata(&target).expect("the settings").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn settings_that_cannot_be_written_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    // A file where the folder should be: not even root can write into it.
    fs::write(folder.path().join("settings"), "").expect("a file");
    let lines = Visit::new(folder.path(), &[]).leave();
    let last = lines.last().expect("a note");
    assert!(last.contains("settings can't be written to"), "{lines:#?}");
}

/// They are saved, too: the next window has them without the flags.
#[test]
fn flags_choose_the_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = [
        ["--size", "900x500", "--panel", "--glow", "--interface-scale", "1.5", "--film", "gif"],
        ["--size", "640x400", "--panel=off", "--glow=off", "--film-time", "wall", "--film", "y4m"],
    ];
    let saved = [
        ["size = [900, 500]", "panel = true", "glow = true", "interface_scale = 1.5"],
        ["size = [640, 400]", "panel = false", "glow = false", "film_time = \"wall\""],
    ];
    for (flags, saved) in flags.iter().zip(saved) {
        let visit = Visit::new(folder.path(), flags);
        assert!(visit.ready.starts_with(&format!("ready {} ", flags[1])), "{}", visit.ready);
        assert!(notes(&visit.leave()).is_empty());
        let text = fs::read_to_string(file_in(folder.path())).expect("the settings");
        for line in saved {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}

#[test]
fn a_window_opens_in_full_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    let desk = Desk::managed();
    let mut command = command_on(&desk, folder.path(), Path::SoftwareDriver);
    let mut program = Program::start(command.args(["--agents", "500", "--fullscreen"]));
    program.wait_line("full screen on");
    program.wait("the whole screen", |line| line.starts_with("resized 1400x900").then_some(()));
    desk.focus(desk.window());
    desk.key(keysym::F11);
    program.wait_line("full screen off");
}
