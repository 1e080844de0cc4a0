//! The scene that opens without a flag, keys for scenes beyond the tenth, and the tour.

use crate::{
    Path,
    desk::{Desk, keysym},
    program::{Program, command_on},
};

fn opened(folder: &tempfile::TempDir, desk: &Desk, flags: &[&str]) -> Program {
    let mut command = command_on(desk, folder.path(), Path::Softbuffer);
    let mut program = Program::start_as_given(command.args(flags));
    program.wait_past(0);
    desk.focus(desk.window());
    program
}

#[test]
fn without_a_scene_the_window_shows_streams_in_their_colors() {
    let (folder, desk) = (tempfile::tempdir().expect("a folder"), Desk::new());
    let mut program = opened(&folder, &desk, &["--agents", "5k"]);
    let title = desk.title(desk.window());
    assert!(title.contains("shear"), "{title}");
    // A palette does not change the color mode.
    desk.key(keysym::P);
    program.wait("colors", |line| line.starts_with("colors start ").then_some(()));
    for (key, scene) in [
        (keysym::PAGE_DOWN, "shock"),
        (keysym::PAGE_DOWN, "crystal"),
        (keysym::PAGE_DOWN, "cooling"),
        (keysym::PAGE_DOWN, "gas"),
        (keysym::PAGE_UP, "cooling"),
        (keysym::PAGE_UP, "crystal"),
        (keysym::PAGE_UP, "shock"),
        (keysym::PAGE_UP, "shear"),
    ] {
        desk.key(key);
        program.wait_line(&format!("run {scene} 5000"));
    }
}

#[test]
fn a_tour_shows_scene_after_scene_until_a_key_acts() {
    let (folder, desk) = (tempfile::tempdir().expect("a folder"), Desk::new());
    let mut program = opened(&folder, &desk, &["--tour", "--scene", "dam", "--agents", "5k"]);
    // A pointer that moves does nothing.
    desk.point([300, 300]);
    program.wait_line("run shear 5000");
    program.wait_line("run shock 5000");
    desk.key(keysym::P);
    program.wait_line("tour off");
    program.wait("colors", |line| line.starts_with("colors density ").then_some(()));
    desk.key(keysym::G);
    program.wait_line("overlay loose");
    // The next scene keeps the choices of the user except the overlay. The color mode was not
    // chosen, so the scene sets it.
    desk.key(keysym::T);
    program.wait_line("tour on");
    program.wait_line("run crystal 5000");
    desk.key(keysym::ESCAPE);
    program.wait_line("tour off");
    desk.key(keysym::G);
    program.wait("the first overlay again", |line| line.starts_with("overlay ").then_some(()));
    assert_eq!(program.count(|line| line == "overlay loose"), 2);
    desk.key(keysym::C);
    program.wait("colors", |line| line.starts_with("colors cell ").then_some(()));
    assert_eq!(program.count(|line| line.starts_with("run ")), 3, "no scene after the tour");
}
