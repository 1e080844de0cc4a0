//! Journals of the window: the edits of a user are replayed without a window and in another one.

use std::{fs, path::Path as FilePath, process::Stdio};

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Path,
    desk::{Desk, keysym},
    program::{Program, command, command_on, open},
    snapshots::{pause, use_tool},
};

/// Replays a journal without a window; returns the output of the program.
pub(crate) fn replay(folder: &FilePath, file: &str) -> String {
    let output = command(folder).args(["run", "--replay", file]).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{said}");
    let told = format!("jostle: {file}: replayed ");
    let line = said.lines().find(|line| line.starts_with(&told)).unwrap_or_default();
    assert!(line.ends_with(": all the same"), "{said}");
    line.to_owned()
}

fn info(folder: &FilePath, file: &str) -> Value {
    let mut command = command(folder);
    let output = command.args(["info", "--json", file]).stdout(Stdio::piped()).output();
    let output = output.expect("it starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// Uses every tool, in two runs and a third that was opened.
fn play(desk: &Desk, program: &mut Program) {
    use_tool(desk, program, keysym::S, "spawn");
    use_tool(desk, program, keysym::K, "poke");
    use_tool(desk, program, keysym::W, "wall");
    use_tool(desk, program, keysym::E, "erase");
    desk.ctrl_key(keysym::Z);
    program.wait("undo", |line| line.starts_with("undone: ").then_some(()));
    let steps = program.wait_frame().steps;
    program.wait_past(steps + 70);
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    desk.key(keysym::ONE);
    program.wait("gas", |line| line.starts_with("run gas ").then_some(()));
    program.wait_past(3);
    use_tool(desk, program, keysym::E, "erase");
    // Edits while the run is paused count, too.
    let steps = pause(desk, program);
    use_tool(desk, program, keysym::S, "spawn");
    desk.ctrl_key(keysym::O);
    program.wait("a run", |line| line.starts_with("jostle: opened ").then_some(()));
    desk.key(keysym::SPACE);
    program.wait_line("running");
    program.wait_past(steps.min(60));
    use_tool(desk, program, keysym::K, "poke");
}

#[test]
fn what_a_user_does_is_replayed_without_a_window_and_in_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = ["--agents", "1500", "--scene", "pile"];
    let (desk, mut program) =
        open(folder.path(), &[&world[..], &["--journal", "a.jostle"]].concat());
    play(&desk, &mut program);
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");

    let said = replay(folder.path(), "a.jostle");
    let info = info(folder.path(), "a.jostle");
    let runs = info["runs"].as_array().expect("runs");
    let scenes: Vec<_> = runs.iter().map(|run| run["setup"]["scene"].as_str()).collect();
    assert_eq!(scenes, ["pile", "gas", "pile"].map(Some), "{said}");
    assert!(info["changes"].as_u64() >= Some(8), "{info}");
    assert!(info["closed"] == true && info["compared_states"].as_u64() >= Some(2), "{info}");

    let (desk, mut program) = open(folder.path(), &["--replay", "a.jostle"]);
    desk.key(keysym::E);
    program.wait_line("tool erase");
    desk.click([500, 420]);
    program.wait("a refusal", |line| line.starts_with("refused: a journal is being").then_some(()));
    (0..4).for_each(|_| desk.key(keysym::PLUS));
    program.wait("the end", |line| {
        line.strip_prefix("jostle: replayed 3 runs, ")?.ends_with(": all the same").then_some(())
    });
    // From here on the run is the user's.
    desk.click([500, 420]);
    program.wait("erase", |line| line.starts_with("erase: ").then_some(()));
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
}

/// The lines of a journal are text between its sections.
#[test]
fn a_film_of_a_journal_follows_what_the_window_showed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "900", "--journal", "a.jostle"]);
    program.wait_past(20);
    desk.point([300, 200]);
    (0..4).for_each(|_| {
        desk.press(4);
        desk.release(4);
    });
    program.wait_line("zoomed");
    let steps = program.wait_frame().steps;
    program.wait_past(steps + 20);
    desk.ctrl_key(keysym::Q);
    program.end();
    let bytes = fs::read(folder.path().join("a.jostle")).expect("a journal");
    let text = String::from_utf8_lossy(&bytes);
    let views = text.lines().filter_map(|line| line.split_once(" view "));
    let views: Vec<_> = views.map(|(_, view)| view.replace(' ', ",")).collect();
    let (first, last) = (views.first().expect("a view"), views.last().expect("a view"));
    assert!(first == "whole" && last.split(',').count() == 3, "{views:?}");
    let film = |flags: &[&str], file: &str| {
        let (size, replay) = (["--size", "160x90"], ["--replay", "a.jostle"]);
        let mut record = command(folder.path());
        record.arg("record").args(size).args(replay).args(flags).arg(file);
        let output = record.output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let bytes = fs::read(folder.path().join(file)).expect("a film");
        let mut decoder = y4m::decode(&bytes[..]).expect("a film");
        let frames = std::iter::from_fn(|| Some(decoder.read_frame().ok()?.get_y_plane().to_vec()));
        let frames: Vec<_> = frames.collect();
        (frames[0].clone(), frames[frames.len() - 1].clone())
    };
    let (followed, still) = (film(&[], "followed.y4m"), film(&["--view", last], "still.y4m"));
    assert!(followed.1 == still.1, "the film ends with another view than {last}");
    assert!(followed.0 != still.0, "the film begins with {last}");
    let frame = |flags: &[&str], file: &str| {
        let mut run = command(folder.path());
        run.args(["run", "--size", "160x90", "--replay", "a.jostle", "--frame", file]).args(flags);
        let output = run.output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        fs::read(folder.path().join(file)).expect("a picture")
    };
    let (followed, still) = (frame(&[], "followed.png"), frame(&["--view", last], "still.png"));
    assert!(followed == still, "the picture of the end has another view than {last}");
    assert!(followed != frame(&["--view", "5,5,4"], "part.png"), "--view has no effect");
    let json = info(folder.path(), "a.jostle");
    assert_eq!(json["changes"], 0, "{json}");
    replay(folder.path(), "a.jostle");
}

#[test]
fn a_journal_has_the_branches_with_the_names_that_they_were_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "700", "--journal", "a.jostle"]);
    let at_step = |program: &mut Program| {
        program.wait("a step", |line| line.strip_prefix("at step ")?.parse::<u64>().ok())
    };
    program.wait_past(100);
    pause(&desk, &mut program);
    desk.key(keysym::LEFT);
    let parts = at_step(&mut program);
    use_tool(&desk, &mut program, keysym::E, "erase");
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    desk.click(program.text("branch 1"));
    desk.type_text("gentle");
    desk.key(keysym::RETURN);
    program.wait_line("branch name gentle");
    // A name that is taken keeps the keyboard.
    desk.click(program.text("branch 2"));
    desk.type_text("gentle");
    desk.key(keysym::RETURN);
    program.wait("a refusal", |line| {
        line.starts_with("refused: \"gentle\" is the name of another branch").then_some(())
    });
    desk.key(keysym::ESCAPE);
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    let info = info(folder.path(), "a.jostle");
    assert_eq!(info["runs"][0]["branches"], serde_json::json!(["gentle"]), "{info}");
    replay(folder.path(), "a.jostle");

    let (desk, mut program) = open(folder.path(), &["--replay", "a.jostle"]);
    program.wait("the end", |line| {
        line.strip_prefix("jostle: replayed 1 run, ")?.ends_with(": all the same").then_some(())
    });
    // The panel is open, as it was.
    program.text("gentle");
    desk.click(program.text("go"));
    program.wait_line("branch gentle");
    assert_eq!(at_step(&mut program), parts);
    desk.key(keysym::END);
    assert!(at_step(&mut program) >= parts + 60);
    desk.ctrl_key(keysym::Q);
    program.end();
}

/// A GPU presents each frame while the next one is drawn, and that one may show another run.
#[test]
fn a_replay_shows_each_run_from_its_first_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "500", "--journal", "a.jostle"];
    let (desk, mut program) = open(folder.path(), &flags);
    program.wait_past(20);
    desk.key(keysym::TWO);
    program.wait_line("run mixed 500");
    program.wait_past(20);
    desk.ctrl_key(keysym::Q);
    program.end();
    let desk = Desk::new();
    let mut command = command_on(&desk, folder.path(), Path::Gpu);
    let mut program = Program::start(command.args(["--replay", "a.jostle"]));
    program.wait_line("run mixed 500");
    assert_eq!(program.wait_frame().steps, 0);
}

#[test]
fn a_kill_loses_at_most_the_last_second_of_a_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "1500", "--journal", "a.jostle"];
    let (desk, mut program) = open(folder.path(), &flags);
    use_tool(&desk, &mut program, keysym::E, "erase");
    let changed = program.wait_frame().steps;
    program.wait_past(changed + 100);
    let shown = program.wait_frame().steps;
    program.signal("KILL");
    program.end();
    replay(folder.path(), "a.jostle");
    let info = info(folder.path(), "a.jostle");
    assert_eq!((&info["closed"], &info["changes"]), (&Value::Bool(false), &1.into()));
    let reached = info["runs"][0]["last_step"].as_u64().expect("a step");
    // 60 steps are a second.
    assert!(reached + 60 >= shown, "{reached} of {shown}");
}

/// Refused memory ends the program by this signal, in the middle of a step and without a word.
#[test]
fn an_abort_leaves_the_journal_and_has_named_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "1500", "--journal", "a.jostle"];
    let (desk, mut program) = open(folder.path(), &flags);
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    program.wait_past(100);
    program.signal("ABRT");
    let (status, lines) = program.end();
    assert_eq!(status.code(), None, "{lines:#?}");
    let named = "jostle: all of the run goes to a.jostle, also if it is cut off";
    assert!(lines.iter().any(|line| line == named), "{lines:#?}");
    replay(folder.path(), "a.jostle");
}

/// Refuses the program any more memory. A gas that falls to the floor has ever more contacts, until their list
/// must grow.
#[test]
fn refused_memory_names_what_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let desk = Desk::new();
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let falls = ["--gravity", "60", "--solver", "impulse", "--restitution", "0", "--history", "0"];
    let flags = ["--agents", "100k", "--scene", "gas", "--journal", "a.jostle"];
    let mut program = Program::start(command.args(flags).args(falls));
    program.wait_past(0);
    desk.focus(desk.window());
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    program.wait_past(100);
    program.refuse_memory();
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    let last = lines.last().expect("a line");
    assert!(last.starts_with("jostle: "), "{last}");
    assert!(last.contains(" would take ") && last.contains(" is available; try "), "{last}");
    let kept = "; all of the run is in a.jostle; the last snapshot is jostle.jostle";
    assert!(last.ends_with(kept), "{last}");
    assert!(lines.iter().all(|line| !line.contains("panicked")), "{lines:#?}");
    replay(folder.path(), "a.jostle");
}

#[test]
fn a_lost_display_names_what_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "1500", "--journal", "a.jostle"];
    let (mut desk, mut program) = open(folder.path(), &flags);
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    program.wait_past(70);
    // Asleep, so that the end of the display wakes it: Xlib would end the program itself.
    desk.key(keysym::SPACE);
    program.wait_line("paused");
    desk.wait_served();
    program.wait_asleep(&desk);
    desk.kill();
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    let last = lines.last().expect("a line");
    assert!(last.starts_with("jostle: the display was lost ("), "{last}");
    let kept = "; all of the run is in a.jostle; the last snapshot is jostle.jostle";
    assert!(last.ends_with(kept), "{last}");
    replay(folder.path(), "a.jostle");
}

#[test]
fn a_journal_of_another_state_is_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "1500", "--journal", "a.jostle"];
    let (desk, mut program) = open(folder.path(), &flags);
    use_tool(&desk, &mut program, keysym::E, "erase");
    let steps = program.wait_frame().steps;
    program.wait_past(steps + 130);
    desk.ctrl_key(keysym::Q);
    program.end();
    let path = |name: &str| folder.path().join(name);
    let mut bytes = fs::read(path("a.jostle")).expect("a journal");
    change_first(&mut bytes, b" remove ");
    fs::write(path("b.jostle"), &bytes).expect("a file");

    let output = command(folder.path()).args(["run", "--replay", "b.jostle"]).output();
    let output = output.expect("it starts");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("b.jostle: the run differs from its journal after step "), "{said}");

    let verify = |other: &str| {
        let mut command = command(folder.path());
        let output = command.args(["verify", "a.jostle", other]).stdout(Stdio::piped()).output();
        let output = output.expect("it starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let (status, same) = verify("a.jostle");
    assert_eq!(status, Some(0), "{same}");
    assert!(same.contains("lead to the same states"), "{same}");
    let (status, differ) = verify("b.jostle");
    assert_eq!(status, Some(3), "{differ}");
    assert!(differ.contains("agent ") && differ.contains("exists only in the "), "{differ}");

    let (_desk, mut program) = open(folder.path(), &["--replay", "b.jostle"]);
    program.wait("a difference", |line| line.contains("differs from its journal").then_some(()));
    program.signal("TERM");
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(3), "{lines:#?}");
}

/// A user may look at the run up to there.
#[test]
fn a_journal_with_a_value_out_of_range_ends_with_status_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let played = format!("{}/tests/kept/played.jostle", env!("CARGO_MANIFEST_DIR"));
    let mut bytes = fs::read(played).expect("a journal");
    let [line, faster] = ["0.91374034 15", "0.9137403 9e9"].map(str::as_bytes);
    let at = bytes.windows(line.len()).position(|part| part == line).expect("a line");
    bytes[at..at + line.len()].copy_from_slice(faster);
    seal(&mut bytes, at);
    fs::write(folder.path().join("a.jostle"), &bytes).expect("a file");
    let (_desk, mut program) = open(folder.path(), &["--replay", "a.jostle"]);
    program.wait("a refusal", |line| {
        line.starts_with("jostle: the replay can't go on after step 207: ").then_some(())
    });
    program.signal("TERM");
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(2), "{lines:#?}");
}

/// Makes the first id of a list another one, with the checksum of its section as it should be.
fn change_first(bytes: &mut [u8], list: &[u8]) {
    let at = bytes.windows(list.len()).position(|part| part == list).expect("a list");
    let digit = &mut bytes[at + list.len()];
    *digit = if *digit == b'1' { b'2' } else { b'1' };
    seal(bytes, at);
}

/// Makes the checksum of the section with this offset what it should be.
fn seal(bytes: &mut [u8], at: usize) {
    let mut start = 48;
    loop {
        let length = u64::from_le_bytes(bytes[start + 32..start + 40].try_into().expect("8 bytes"));
        let end = (start + 40 + length as usize).next_multiple_of(8);
        if (start..end).contains(&at) {
            let sum = xxh3_64(&bytes[start + 8..end]).to_le_bytes();
            bytes[start..start + 8].copy_from_slice(&sum);
            return;
        }
        start = end;
    }
}

#[test]
fn journals_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("there.jostle"), "kept").expect("a file");
    for (flags, message) in [
        ("watch --journal a.txt", "name a file that has it"),
        ("watch --journal there.jostle", "exists already; name another file"),
        ("watch --journal none/a.jostle", "its folder doesn't exist"),
        ("watch --journal a.jostle --replay b.jostle", "--replay"),
        ("run --replay there.jostle", "there.jostle can't be loaded: "),
        ("run --replay none.jostle", "there is no such file"),
        ("run --replay none.jostle --steps 5", "--steps"),
    ] {
        let output = command(folder.path()).args(flags.split(' ')).output().expect("it starts");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{flags}: {said}");
        assert!(said.contains(message) && said.lines().count() == 1, "{flags}: {said}");
    }
    let output = command(folder.path())
        .args(["watch", "--agents", "100", "--journal", "a.jostle"])
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("jostle.png, without a.jostle"), "{said}");
    assert!(!folder.path().join("a.jostle").exists(), "there was no window");
    assert_eq!(fs::read_to_string(folder.path().join("there.jostle")).expect("it"), "kept");
}
