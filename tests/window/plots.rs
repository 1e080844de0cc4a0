//! The plots of the panel: a clicked plot is measured, and shows the values that the library
//! measures.

use std::fs;

use jostle::{
    Sim,
    observe::{Axis, Meter, Mixture, ProfileBin, RadialDistribution, hexagonal_order, profile},
};

use crate::{
    Path,
    desk::{keysym, wait_for},
    expected::Stage,
    program::{Frame, Program},
};

/// A low window, in which the panel has to be scrolled.
const SIZE: [u32; 2] = [900, 500];

/// A plot that the program reports.
struct Reported {
    step: u64,
    /// The measured and the expected curves.
    curves: Vec<Vec<[f64; 2]>>,
}

/// Reads `plot density x at 3: 0.5,0.3 1.5,0.31; ; 0.5,0.3`.
fn reported(line: &str, name: &str) -> Option<Reported> {
    let rest = line.strip_prefix("plot ")?.strip_prefix(name)?.strip_prefix(" at ")?;
    let (step, curves) = rest.split_once(':')?;
    let point = |text: &str| {
        let (x, y) = text.split_once(',').expect("a point");
        [x, y].map(|number| number.parse::<f64>().expect("a number"))
    };
    let curve = |text: &str| text.split_whitespace().map(point).collect();
    let step = step.parse().expect("a step");
    Some(Reported { step, curves: curves.split(';').map(curve).collect() })
}

/// The plot of a step, which may have been reported already.
fn plot_at(program: &mut Program, name: &str, step: u64) -> Reported {
    let beginning = format!("plot {name} at {step}:");
    match program.last(&beginning).and_then(|line| reported(line, name)) {
        Some(plot) => plot,
        None => program.wait(name, |line| reported(line, name).filter(|plot| plot.step == step)),
    }
}

/// A paused run, its panel scrolled to the plots.
fn plots_on() -> (Stage, Frame) {
    let (mut stage, _) = Stage::paused(Path::Softbuffer);
    stage.desk.resize(stage.window, SIZE);
    stage.program.wait_line(&format!("resized {}x{}", SIZE[0], SIZE[1]));
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    let frame = stage.program.wait_frame();
    scroll(&mut stage);
    (stage, frame)
}

/// Scrolls the panel to its end.
fn scroll(stage: &mut Stage) {
    stage.desk.point([150, 330]);
    for _ in 0..60 {
        stage.desk.press(5);
        stage.desk.release(5);
    }
    // The window handles this key after the wheel, and after a layout that knows the wheel: the
    // next texts that hold still are those at the end.
    stage.desk.ctrl_key(keysym::Z);
    stage.program.wait_line("nothing to undo");
}

/// Goes to that step of the same run.
fn advance(sim: &mut Sim, step: u64) {
    while sim.steps() < step {
        sim.step().expect("a step");
    }
}

#[test]
fn what_is_chosen_is_measured_as_the_library_does() {
    let (mut stage, mut frame) = plots_on();
    let mut names = Vec::new();
    for name in ["temperature", "collisions", "g(r)", "order", "density x", "velocity y"] {
        stage.desk.click(stage.program.text(name));
        names.push(name);
        stage.program.wait_line(&format!("plots {}", names.join(", ")));
    }
    advance(&mut stage.sim, frame.steps);
    let (sim, program) = (&stage.sim, &mut stage.program);
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-6 * other.abs().max(1e-3);
    let count = sim.agents().len() as f64;
    let temperature = sim.agents().kinetic_energy() / count;
    let plot = plot_at(program, "temperature", frame.steps);
    let [[_, measured], [_, expected]] = [&plot.curves[0], &plot.curves[2]].map(|curve| curve[0]);
    assert!(near(measured, temperature) && near(expected, temperature), "{measured} {expected}");
    let order = plot_at(program, "order", frame.steps).curves[0][0][1];
    assert!(near(order, hexagonal_order(sim, 1.5)), "{order}");
    let mean = sim.agents().radius.iter().map(|&r| 2.0 * f64::from(r)).sum::<f64>() / count;
    let mut radial = RadialDistribution::new((mean / 16.0) as f32, 64);
    radial.add(sim);
    let plot = plot_at(program, "g(r)", frame.steps);
    assert_eq!(plot.curves[0].len(), 64);
    for ([at, g], [when, value]) in plot.curves[0].iter().zip(radial.curve()) {
        assert!(near(*at, when / mean) && near(*g, value), "{at}: {g}, not {value}");
    }
    let profiles = |name: &str, axis, value: &dyn Fn(&ProfileBin) -> f64, program: &mut Program| {
        let plot = plot_at(program, name, frame.steps);
        assert_eq!(plot.curves[0].len(), 40, "{name}");
        for ([at, found], strip) in plot.curves[0].iter().zip(profile(sim, axis, 40)) {
            assert!(near(*at, strip.at) && near(*found, value(&strip)), "{name} at {at}: {found}");
        }
    };
    profiles("density x", Axis::X, &|strip| strip.covered, program);
    profiles("velocity y", Axis::Y, &|strip| strip.velocity[0], program);

    // Rates are means between two samples, which are one step apart here.
    for _ in 0..3 {
        frame = stage.step(&frame);
    }
    let plot = plot_at(&mut stage.program, "collisions", frame.steps);
    let [.., [before, _], [_, measured]] = plot.curves[0][..] else { panic!("some points") };
    let [.., [_, expected]] = plot.curves[2][..] else { panic!("theory") };
    advance(&mut stage.sim, (before * 60.0).round() as u64);
    let mut meter = Meter::new(&stage.sim);
    advance(&mut stage.sim, frame.steps);
    let reading = meter.read(&stage.sim);
    assert!(near(measured, reading.collision_rate), "{measured} {reading:?}");
    let size = stage.sim.world().size().as_dvec2();
    let mixture = Mixture::new(&stage.sim.agents().radius, size.x * size.y);
    assert!(near(expected, mixture.collision_rate(reading.temperature)), "{expected}");

    // Hidden plots are not measured.
    stage.desk.click(stage.program.text("temperature"));
    stage.program.wait_line(&format!("plots {}", names[1..].join(", ")));
    let count = |stage: &Stage| stage.program.count(|line| line.starts_with("plot temperature"));
    let before = count(&stage);
    frame = stage.step(&frame);
    plot_at(&mut stage.program, "collisions", frame.steps);
    assert_eq!(count(&stage), before);
}

/// The hint of the times lies over the buttons of the plots. The pointer comes from there and
/// clicks at once.
#[test]
fn a_hint_that_the_pointer_leaves_takes_no_click() {
    let (mut stage, _) = plots_on();
    let button = stage.program.text("temperature");
    let around = || {
        let pixels = stage.desk.pixels(stage.window, SIZE)?;
        let [x, y] = button.map(|at| at as usize);
        let row = y * SIZE[0] as usize;
        Some(pixels[row + x - 30..row + x + 30].to_vec())
    };
    stage.desk.point([450, 300]);
    stage.program.wait_asleep(&stage.desk);
    let before = around().expect("the window");
    stage.desk.point([150, 330]);
    wait_for("a hint over the button", || (around()? != before).then_some(()));
    stage.desk.click(button);
    stage.program.wait_line("plots temperature");
}

#[test]
fn agents_are_followed_while_their_displacement_is_shown() {
    let (mut stage, frame) = plots_on();
    stage.desk.click(stage.program.text("displacement"));
    stage.program.wait_line("plots displacement");
    stage.desk.key(keysym::SPACE);
    stage.program.wait_line("running");
    let plot = stage.program.wait("some steps", |line| {
        reported(line, "displacement").filter(|plot| plot.curves[0].len() > 30)
    });
    assert!(plot.step >= frame.steps + 30);
    // At first, light discs are no faster than heavy ones; theory has a gas in equilibrium.
    for ([at, square], [when, expected]) in plot.curves[0].iter().zip(&plot.curves[2]).skip(1) {
        assert_eq!(at, when);
        assert!((0.6..1.3).contains(&(square / expected)), "{at}: {square} {expected}");
    }
    // The plots of another run start empty.
    stage.desk.key(keysym::R);
    stage.program.wait_line("restarted");
    let plot = stage.program.wait("a new plot", |line| reported(line, "displacement"));
    assert!(plot.curves[0].len() < 30 && plot.step < 60, "{} {}", plot.step, plot.curves[0].len());
}

#[test]
fn a_plot_can_be_enlarged_and_saved() {
    let (mut stage, frame) = plots_on();
    stage.desk.click(stage.program.text("temperature"));
    stage.program.wait_line("plots temperature");
    let plot = plot_at(&mut stage.program, "temperature", frame.steps);
    scroll(&mut stage);
    stage.desk.click(stage.program.text("save csv"));
    stage.program.wait_line("jostle: saved jostle.csv");
    let table = fs::read_to_string(stage.folder.path().join("jostle.csv")).expect("a table");
    let [x, y] = plot.curves[0][0];
    assert!(table.starts_with(&format!("curve,x,y\nmeasured,{x},{y}\n")), "{table}");
    // The plot closes before the tool and the panel do.
    stage.desk.key(keysym::S);
    stage.program.wait_line("tool spawn");
    stage.desk.click(stage.program.text("enlarge"));
    stage.program.text("close");
    stage.desk.key(keysym::ESCAPE);
    stage.program.wait_line("enlarged plot off");
    assert!(!["panel off", "tool hand"].iter().any(|line| stage.program.has_printed(line)));
    stage.desk.click(stage.program.text("enlarge"));
    stage.desk.click(stage.program.text("close"));
    stage.program.wait("a small plot", |line| {
        (line.starts_with("texts; ") && !line.contains(" close")).then_some(())
    });
    stage.desk.click(stage.program.text("save svg"));
    stage.program.wait_line("jostle: saved jostle.svg");
    let chart = fs::read_to_string(stage.folder.path().join("jostle.svg")).expect("a chart");
    assert!(chart.starts_with("<svg ") && chart.contains("temperature kT"), "{chart}");
}

/// A hidden panel measures nothing. When it is shown again, its plots start empty.
#[test]
fn a_hidden_panel_measures_nothing() {
    let (mut stage, frame) = plots_on();
    stage.desk.click(stage.program.text("temperature"));
    stage.program.wait_line("plots temperature");
    let mut frame = stage.step(&frame);
    assert_eq!(plot_at(&mut stage.program, "temperature", frame.steps).curves[0].len(), 2);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel off");
    let count = |stage: &Stage| stage.program.count(|line| line.starts_with("plot "));
    let before = count(&stage);
    for _ in 0..3 {
        frame = stage.step(&frame);
    }
    assert_eq!(count(&stage), before);
    stage.desk.key(keysym::TAB);
    stage.program.wait_line("panel on");
    assert_eq!(plot_at(&mut stage.program, "temperature", frame.steps).curves[0].len(), 1);
}
