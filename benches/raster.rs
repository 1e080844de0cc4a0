//! The time of a frame of half a million agents, beside the time to fill and to copy the frame, and
//! beside tiny-skia.
//!
//! `cargo bench --bench raster` prints a table; an argument selects the rows by a part of their
//! names. Times vary between machines and from minute to minute, so the ratio counts: all rows are
//! measured in turns, and each is the minimum of its turns. `cargo test --benches` draws each row
//! once, with 2,000 agents, and checks that something is drawn.

#[path = "common/cpu_time.rs"]
mod cpu_time;

use std::{collections::BTreeMap, time::Duration};

use jostle::{
    Scene, Setup, Sim,
    raster::{Camera, ColorBy, DrawOrder, Frame, Renderer, Style, View},
};
use rayon::ThreadPoolBuilder;

use crate::cpu_time::Took;

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// Turns per row of the table.
const TURNS: usize = 25;

/// Steps before the first frame, after which agents overlap and lie in memory as they do in a run.
const WARMUP: usize = 20;

/// One row of the table. `across` is the extent of the world that the frame shows, world units (0:
/// the whole world).
struct Case {
    name: &'static str,
    agents: u32,
    across: f32,
    threads: usize,
    style: fn(&Setup) -> Style,
}

const CASES: [Case; 8] = [
    Case { name: "500k", agents: 500_000, across: 0.0, threads: 1, style: Style::from_setup },
    Case {
        name: "500k, two threads",
        agents: 500_000,
        across: 0.0,
        threads: 2,
        style: Style::from_setup,
    },
    Case { name: "500k, random order", agents: 500_000, across: 0.0, threads: 1, style: random },
    Case { name: "500k, by start", agents: 500_000, across: 0.0, threads: 1, style: start },
    Case {
        name: "500k, 9,000 shown",
        agents: 500_000,
        across: 310.0,
        threads: 1,
        style: Style::from_setup,
    },
    Case {
        name: "500k, 1,000 shown",
        agents: 500_000,
        across: 104.0,
        threads: 1,
        style: Style::from_setup,
    },
    Case { name: "60k", agents: 60_000, across: 0.0, threads: 1, style: Style::from_setup },
    Case { name: "10M", agents: 10_000_000, across: 0.0, threads: 1, style: Style::from_setup },
];

fn random(setup: &Setup) -> Style {
    Style { order: DrawOrder::Random, ..Style::from_setup(setup) }
}

fn start(setup: &Setup) -> Style {
    Style { color_by: ColorBy::Start, ..Style::from_setup(setup) }
}

fn main() {
    // Cargo passes `--bench` when it measures; without it, every row runs once.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let real = arguments.iter().any(|argument| argument == "--bench");
    let wanted = arguments.iter().find(|argument| !argument.starts_with("--"));
    let cases: Vec<&Case> =
        CASES.iter().filter(|case| wanted.is_none_or(|part| case.name.contains(part))).collect();
    let agents = |case: &Case| if real { case.agents } else { 2_000 };
    let turns = if real { TURNS } else { 1 };

    let mut sims = BTreeMap::new();
    for case in &cases {
        sims.entry(agents(case)).or_insert_with(|| settled(agents(case)));
    }
    let pools = [1, 2]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let mut frame = Frame::new(WIDTH, HEIGHT).expect("the size is valid");
    let mut shown = Frame::new(WIDTH, HEIGHT).expect("the size is valid");
    let mut renderers: Vec<Renderer> = cases
        .iter()
        .map(|case| {
            let sim = &sims[&agents(case)];
            let mut renderer =
                Renderer::new(WIDTH, HEIGHT, (case.style)(sim.setup())).expect("the size is valid");
            renderer.record_starts(&View::from_sim(sim));
            renderer
        })
        .collect();

    let (mut fill, mut copy) = (Duration::MAX, Duration::MAX);
    let mut least = vec![Duration::MAX; cases.len()];
    for _ in 0..turns {
        // One fill before the measurement: the last draw has evicted the frame from the caches.
        frame.pixels.fill([0; 4]);
        fill = fill.min(time(1, || frame.pixels.fill(std::hint::black_box([11, 13, 20, 255]))));
        copy = copy.min(time(1, || {
            shown.pixels.copy_from_slice(std::hint::black_box(&frame.pixels));
            std::hint::black_box(&mut shown);
        }));
        for ((case, renderer), least) in cases.iter().zip(&mut renderers).zip(&mut least) {
            let sim = &sims[&agents(case)];
            let camera = camera(case, sim);
            pools[case.threads - 1].install(|| {
                let draw = || renderer.draw(&mut frame, &camera, &View::from_sim(sim));
                *least = (*least).min(time(case.threads, draw));
            });
            check(&frame, case.name);
        }
    }
    if wanted.is_none() {
        let sim = sims.entry(if real { 500_000 } else { 2_000 }).or_insert_with(|| settled(2_000));
        let took = skia(sim, &mut frame);
        row("500k, tiny-skia", took, fill + copy);
    }
    let floor = fill + copy;
    row("fill and copy", floor, floor);
    row("fill", fill, floor);
    for (case, least) in cases.iter().zip(least) {
        row(case.name, least, floor);
    }
}

/// The smaller of two times that tiny-skia takes for the discs of the whole world, in cell order
/// and one color. Both frames have to be nearly equal.
fn skia(sim: &Sim, frame: &mut Frame) -> Duration {
    let camera = Camera::fit(&sim.world(), WIDTH, HEIGHT);
    // Every radius lies above this range, so all agents have the last color.
    let style = Style {
        color_by: ColorBy::Size,
        radius: [1e-6, 1e-5],
        border: [0; 3],
        ground: [0; 3],
        outside: [0; 3],
        shading: 0.0,
        ..Style::default()
    };
    Renderer::new(WIDTH, HEIGHT, style).expect("the size is valid").draw(
        frame,
        &camera,
        &View::from_sim(sim),
    );
    let brightest = frame
        .pixels
        .iter()
        .max_by_key(|[r, g, b, _]| u32::from(*r) + u32::from(*g) + u32::from(*b));
    let [r, g, b, _] = *brightest.expect("a frame has pixels");
    let mut paint = tiny_skia::Paint { anti_alias: true, ..tiny_skia::Paint::default() };
    paint.set_color_rgba8(r, g, b, 255);
    let mut pixmap = tiny_skia::Pixmap::new(WIDTH, HEIGHT).expect("the size is above 0");
    let mut least = Duration::MAX;
    for _ in 0..2 {
        pixmap.fill(tiny_skia::Color::BLACK);
        least = least.min(time(1, || {
            for slot in 0..sim.agents().len() {
                let agent = sim.agents().get(slot);
                let at = camera.to_pixel(agent.position);
                let disc =
                    tiny_skia::PathBuilder::from_circle(at.x, at.y, agent.radius * camera.scale)
                        .expect("a disc of an agent is finite");
                let rule = tiny_skia::FillRule::Winding;
                pixmap.fill_path(&disc, &paint, rule, tiny_skia::Transform::identity(), None);
            }
        }));
    }
    let off = frame.bytes().iter().zip(pixmap.data()).map(|(a, b)| f64::from(a.abs_diff(*b)));
    let mean = off.sum::<f64>() / frame.bytes().len() as f64;
    // With four samples per pixel and direction, discs of one pixel are only approximate.
    assert!(mean < 6.0, "tiny-skia draws something else: mean difference {mean} of 255");
    least
}

fn row(name: &str, took: Duration, floor: Duration) {
    let [took, floor] = [took, floor].map(|time| time.as_secs_f64() * 1e3);
    println!("{name:24} {took:9.3} ms {:9.2} x", took / floor);
}

/// The time that `work` takes: with one thread processor time, which other processes don't
/// lengthen.
fn time(threads: usize, work: impl FnOnce()) -> Duration {
    let took = Took::by(work);
    if threads == 1 { took.cpu } else { took.wall }
}

/// A run of the default scene after some steps.
fn settled(agents: u32) -> Sim {
    let mut sim = Sim::new(&Setup { agents, ..Setup::new(Scene::Gas) }).expect("it can be placed");
    (0..WARMUP).for_each(|_| sim.step().expect("there is memory"));
    sim
}

fn camera(case: &Case, sim: &Sim) -> Camera {
    let world = sim.world();
    if case.across > 0.0 {
        Camera::new(world.center(), case.across.min(world.width()), WIDTH, HEIGHT)
    } else {
        Camera::fit(&world, WIDTH, HEIGHT)
    }
}

/// Checks that some pixels are brighter than the ground: a benchmark that draws nothing is fast.
fn check(frame: &Frame, name: &str) {
    let drawn = frame.pixels.iter().step_by(7).filter(|pixel| pixel[0] > 40).count();
    assert!(drawn > 100, "{drawn} pixels of {name}");
}
