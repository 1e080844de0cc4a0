//! Frames and steps per second and the work per frame with half a million agents:
//! `cargo test --release --test window -- --ignored --nocapture frame_rates`.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    Path,
    desk::{Desk, keysym},
    program::{Program, command_on},
};

crate::on_both_paths! {
    #[ignore = "measures, which wants a quiet machine"]
    half_a_million_agents
    #[ignore = "measures, which wants a quiet machine"]
    a_hundred_thousand_with_rules
}

/// Steps after which most of the rain of `pile` has fallen and the heap settles.
const SETTLING: &str = "1950";

/// Frames before the measurement, and its duration.
const WARM_UP: u32 = 30;
const DURATION: Duration = Duration::from_secs(4);

/// Layouts of an open panel per second, as in the window.
const LAYOUTS: f64 = 2.0;

/// The figures of one window.
struct Rate {
    frames_per_s: f64,
    steps_per_s: f64,
    /// Milliseconds per frame of steps, drawing and panel.
    work: f64,
    /// Milliseconds of one step, one draw, one layout, and of presenting a frame.
    times: [f64; 4],
}

fn half_a_million_agents(path: Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let settling = folder.path().join("settling.jostle");
    let run = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(["run", "--scene", "pile", "--agents", "500k", "--steps", SETTLING, "--save"])
        .arg(&settling)
        .output()
        .expect("jostle runs");
    assert!(run.status.success(), "{run:?}");
    let settling = settling.to_str().expect("a path of text");
    println!("{path:?}: frames/s, steps/s, work ms per frame (step, draw, layout, present)");
    for size in [[1280, 720], [1920, 1080]] {
        for (name, args) in [
            ("gas", ["--scene", "gas", "--agents", "500k"].as_slice()),
            ("giants", &["--scene", "giants", "--agents", "500k"]),
            ("mixed", &["--scene", "mixed", "--agents", "500k"]),
            ("shear", &["--scene", "shear", "--agents", "500k"]),
            ("shock", &["--scene", "shock", "--agents", "500k"]),
            ("crystal", &["--scene", "crystal", "--agents", "500k"]),
            ("cooling", &["--scene", "cooling", "--agents", "500k"]),
            ("dam", &["--scene", "dam", "--agents", "500k"]),
            ("pile", &["--scene", "pile", "--agents", "500k"]),
            ("settling", &["--load", settling]),
        ] {
            for panel in [false, true] {
                let Rate { frames_per_s, steps_per_s, work, times } =
                    measure(path, args, size, panel);
                let [step, draw, layout, present] = times;
                println!(
                    "{:>9} {name:8} panel {:5} {frames_per_s:5.1} {steps_per_s:5.1} {work:6.2} \
                     ({step:.2}, {draw:.2}, {layout:.2}, {present:.2})",
                    format!("{}x{}", size[0], size[1]),
                    if panel { "open" } else { "shut" },
                );
            }
        }
    }
}

/// Particle life of 100,000 agents with about 20 neighbors each where they are spread evenly, as at the
/// start.
fn a_hundred_thousand_with_rules(path: Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("life.toml");
    let kept = include_str!("../../worlds/particle-life.toml");
    let world = kept.replace("[320, 180]", "[840, 470]").replace("30_000", "100_000");
    assert!(world.contains("840") && world.contains("100_000"));
    fs::write(&file, world).expect("a file");
    let args = ["--scene", file.to_str().expect("a path of text")];
    println!("{path:?}: frames/s, steps/s, work ms per frame (step, draw, layout, present)");
    for size in [[1280, 720], [1920, 1080]] {
        let Rate { frames_per_s, steps_per_s, work, times } = measure(path, &args, size, false);
        println!("{size:?} life {frames_per_s:5.1} {steps_per_s:5.1} {work:6.2} {times:?}");
    }
}

fn measure(path: Path, args: &[&str], size: [u32; 2], panel: bool) -> Rate {
    let desk = Desk::sized([1920, 1080]);
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command_on(&desk, folder.path(), path);
    let mut program = Program::start(command.args(args));
    program.wait_frame();
    let window = desk.window();
    desk.focus(window);
    if desk.size(window) != size {
        desk.resize(window, size);
        program.wait_line(&format!("resized {}x{}", size[0], size[1]));
    }
    if panel {
        desk.key(keysym::TAB);
        program.wait_line("panel on");
    }
    for _ in 0..WARM_UP {
        assert_eq!(program.wait_frame().size, size);
    }
    let (begin, first) = (Instant::now(), program.wait_frame());
    let mut last = first;
    while begin.elapsed() < DURATION {
        last = program.wait_frame();
    }
    let frames = (last.number - first.number) as f64;
    let seconds = begin.elapsed().as_secs_f64();
    let frames_per_s = frames / seconds;
    let steps_per_s = (last.steps - first.steps) as f64 / seconds;
    let steps = steps_per_s / frames_per_s;
    desk.ask_to_close(window);
    let (_, lines) = program.end();
    let line = lines.iter().find(|line| line.starts_with("times ")).expect("times");
    let mut words = line.split(' ').skip(2).step_by(2);
    let times = [(); 4].map(|()| words.next().expect("a time").parse::<f64>().expect("a number"));
    let [step, draw, layout, _] = times;
    let work = steps * step + draw + if panel { layout * LAYOUTS / frames_per_s } else { 0.0 };
    Rate { frames_per_s, steps_per_s, work, times }
}
