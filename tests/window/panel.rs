//! The control panel: shown and hidden, clicked and typed into.

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
};

#[test]
fn tab_shows_the_panel_and_hides_it() {
    let (mut stage, _) = Stage::paused(Path::Pixels);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    let frame = stage.program.wait_frame();
    let plain = stage.draw(&frame);
    let width = frame.size[0] as usize;
    // Where the panel is, and where it isn't, a row of pixels in the middle.
    let row = frame.size[1] as usize / 2 * width;
    let (left, right) = (row + 16..row + 200, row + width / 2..row + width);
    wait_for("the panel at the left", || {
        let shown = stage.desk.pixels(stage.window, frame.size)?;
        assert!(shown[right.clone()] == plain[right.clone()], "the picture beside it is as ever");
        (shown[left.clone()] != plain[left.clone()]).then_some(())
    });
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel off");
    let hidden = stage.step(&frame);
    stage.expect(&hidden);
}
