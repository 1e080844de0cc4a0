//! The split picture: a run beside its twin, which has another future.

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
    program::Frame,
};

crate::on_both_paths! {
    both_futures_are_shown_until_escape
}

/// The share of pixels that differ between the halves, without those of the interface.
fn difference(stage: &Stage, frame: &Frame) -> Option<f64> {
    let shown = stage.desk.pixels(stage.window, frame.size)?;
    let [width, height] = frame.size.map(|side| side as usize);
    let (mut all, mut differ) = (0, 0);
    for y in 0..height {
        for x in 4..width / 2 - 4 {
            let pair = [x, x + width / 2];
            if pair.iter().all(|x| !frame.hud.covers([*x, y])) {
                let [one, other] = pair.map(|x| shown[y * width + x]);
                all += 1;
                // Cameras round.
                differ += usize::from((0..3).any(|of| one[of].abs_diff(other[of]) > 32));
            }
        }
    }
    Some(f64::from(differ as u32) / f64::from(all))
}

/// The number of pixels of the left half that show an agent far from its twin.
fn bright(stage: &Stage, frame: &Frame) -> Option<usize> {
    let shown = stage.desk.pixels(stage.window, frame.size)?;
    let width = frame.size[0] as usize;
    let pixels = shown.iter().enumerate().filter(|(index, [red, ..])| {
        let pixel = [index % width, index / width];
        *red > 190 && pixel[0] + 4 < width / 2 && !frame.hud.covers(pixel)
    });
    Some(pixels.count())
}

fn both_futures_are_shown_until_escape(path: Path) {
    let (mut stage, frame) = Stage::paused(path);
    for _ in 0..2 {
        stage.desk.key(keysym::B);
        stage.program.wait_line("split on");
        let split = stage.program.wait_frame();
        assert_eq!(split.steps, frame.steps);
        wait_for("equal halves", || (difference(&stage, &split)? < 0.005).then_some(()));
        assert_eq!(bright(&stage, &split), Some(0));
        stage.desk.key(keysym::ESCAPE);
        stage.program.wait_line("split off");
        let alone = stage.program.wait_frame();
        assert_eq!(alone.camera, frame.camera);
        stage.expect(&alone);
    }
    // A poke in the left half works at that place in the right one.
    stage.desk.key(keysym::B);
    stage.program.wait_line("split on");
    stage.desk.key(keysym::K);
    let [width, height] = frame.size.map(|side| side as i16);
    stage.desk.point([width / 4, height / 2]);
    stage.desk.press(1);
    stage.desk.release(1);
    stage.program.wait("a poke", |line| line.starts_with("poke: steered ").then_some(()));
    let mut split = stage.program.wait_frame();
    for _ in 0..30 {
        split = stage.step(&split);
    }
    wait_for("agents far from their twins", || (bright(&stage, &split)? > 100).then_some(()));
    stage.desk.key(keysym::B);
    stage.program.wait_line("split off");
}
