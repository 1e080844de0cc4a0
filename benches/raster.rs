//! A frame of half a million agents, beside the time that it takes to fill and to copy the frame.
//!
//! `cargo bench --bench raster` measures; run by `cargo test --benches` it draws each picture once, of
//! 2,000 agents, and checks that something is in it. One thread throughout.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use jostle::{
    Camera, Scene, Setup, Sim, Vec2,
    raster::{Colouring, DrawOrder, Frame, Look, Painter, Picture},
};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// What is measured: a name, how many agents, what the frame shows across (0: the whole world), and the
/// look.
struct Case {
    name: &'static str,
    agents: u32,
    across: f32,
    look: fn(&Setup) -> Look,
}

const CASES: [Case; 6] = [
    Case { name: "cell order", agents: 500_000, across: 0.0, look: Look::of },
    Case { name: "random order", agents: 500_000, across: 0.0, look: random },
    Case { name: "by start", agents: 500_000, across: 0.0, look: start },
    Case { name: "60k, discs of a few pixels", agents: 60_000, across: 0.0, look: Look::of },
    Case { name: "zoomed to 1,000", agents: 500_000, across: 104.0, look: Look::of },
    Case { name: "4M, density", agents: 4_000_000, across: 0.0, look: Look::of },
];

fn random(setup: &Setup) -> Look {
    Look { order: DrawOrder::Random, ..Look::of(setup) }
}

fn start(setup: &Setup) -> Look {
    Look { colouring: Colouring::Start, ..Look::of(setup) }
}

fn draw(criterion: &mut Criterion) {
    // Criterion passes this on when it measures; without it everything runs once.
    let real = std::env::args().any(|argument| argument == "--bench");
    let mut group = criterion.benchmark_group("draw 1920x1080");
    group.sample_size(10);

    let mut frame = Frame::new(WIDTH, HEIGHT);
    let mut shown = Frame::new(WIDTH, HEIGHT);
    group.bench_function("fill and copy", |bencher| {
        bencher.iter(|| {
            frame.pixels.fill(black_box([11, 13, 20, 255]));
            shown.pixels.copy_from_slice(black_box(&frame.pixels));
            black_box(&mut shown);
        });
    });

    for case in CASES {
        let agents = if real { case.agents } else { 2_000 };
        let setup = Setup { agents, ..Setup::new(Scene::Gas) };
        let sim = Sim::new(&setup).expect("the default scene can be placed");
        let picture = Picture { agents: sim.agents(), grid: sim.grid(), world: sim.world() };
        let camera = if case.across > 0.0 {
            Camera::view(sim.world().center(), case.across.min(sim.world().width()), WIDTH, HEIGHT)
        } else {
            Camera::fit(&sim.world(), WIDTH, HEIGHT)
        };
        let mut painter = Painter::new(WIDTH, HEIGHT, (case.look)(&setup));
        painter.mark_start(&picture);
        group.bench_function(case.name, |bencher| {
            bencher.iter(|| painter.draw(&mut frame, &camera, &picture));
        });
        check(&frame, &camera, &picture);
    }
    group.finish();
}

/// A benchmark that draws nothing is fast: some pixel must be brighter than the ground.
fn check(frame: &Frame, camera: &Camera, picture: &Picture<'_>) {
    let drawn = frame.pixels.iter().filter(|pixel| pixel[0] > 40).count();
    let middle = camera.to_world(Vec2::new(WIDTH as f32, HEIGHT as f32) * 0.5);
    assert!(drawn > 1_000, "{drawn} pixels of {} agents around {middle}", picture.agents.len());
}

criterion_group!(benches, draw);
criterion_main!(benches);
