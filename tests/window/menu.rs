//! The menu of all scenes and worlds.

use crate::{
    Path,
    desk::{Desk, keysym},
    program::{Program, command_on},
};

#[test]
fn keys_and_clicks_in_the_menu_start_scenes_and_worlds() {
    let (folder, desk) = (tempfile::tempdir().expect("a folder"), Desk::new());
    let mut command = command_on(&desk, folder.path(), Path::Softbuffer);
    let mut program = Program::start_as_given(command.args(["--scene", "gas", "--agents", "5k"]));
    program.wait_past(0);
    desk.focus(desk.window());
    desk.point([1, 1]);
    // The run in the window is selected at first.
    desk.key(keysym::O);
    program.wait_line("menu on");
    desk.key(keysym::RIGHT);
    desk.key(keysym::RETURN);
    program.wait_line("run mixed 5000");
    desk.key(keysym::O);
    for key in [keysym::DOWN; 10].into_iter().chain([keysym::RIGHT; 28]) {
        desk.key(key);
    }
    desk.key(keysym::RETURN);
    program.wait_line("run door 6000");
    // Each press takes effect once, and the panel does not get it.
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    desk.key(keysym::O);
    program.wait_line("menu on");
    let [columns, rows] = loop {
        let frame = program.wait_frame();
        if frame.hud.menu != [[0; 2]; 2] {
            break frame.hud.menu.map(|[begin, _]| i16::try_from(begin).expect("a pixel"));
        }
    };
    desk.click([columns + 20, rows + 20]);
    program.wait("gas", |line| line.starts_with("run gas ").then_some(()));
    // Esc closes the menu, and so does a click beside the pictures.
    desk.key(keysym::O);
    program.wait_line("menu on");
    desk.key(keysym::ESCAPE);
    program.wait_line("menu off");
    desk.key(keysym::O);
    program.wait_line("menu on");
    desk.click([1, 1]);
    program.wait_line("menu off");
}
