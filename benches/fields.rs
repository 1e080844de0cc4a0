//! The additional time of color modes that show a field, in a frame of half a million agents, in
//! comparison with the color by speed.
//!
//! `cargo bench --bench fields` prints a table per number of threads: the time of a frame by speed,
//! and the additional time of the others. `-- --scenes`, `--sizes` and `--agents` choose a part,
//! and `--turns` the number of turns. The modes take turns, and each figure is the minimum of its
//! turns: processor time with one thread, and wall time with two. Before each draw, the bench reads
//! more memory than the second-level cache holds, as a step does between two frames. Without
//! `--bench`, as in the tests, it draws each frame once, and small.

#[path = "common/args.rs"]
mod args;
#[path = "common/cpu_time.rs"]
mod cpu_time;
#[path = "common/drawn.rs"]
mod drawn;

use std::time::Duration;

use clap::Parser;
use jostle::{
    Scene, Sim,
    raster::{Camera, ColorBy, Frame, Renderer, Style, View},
};
use rayon::ThreadPoolBuilder;

use crate::{
    args::Common,
    cpu_time::Took,
    drawn::{Evictor, Size, scene},
};

/// Times frames by color mode.
#[derive(Parser, Debug)]
struct Flags {
    /// Number of agents: `500k`
    #[arg(long, default_value = "500k", value_parser = args::count)]
    agents: u32,
    /// Scenes
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "gas,mixed,shear,crystal,pile",
        value_parser = scene
    )]
    scenes: Vec<Scene>,
    /// Sizes of the frame
    #[arg(long, value_delimiter = ',', default_value = "384x216,1280x720,1920x1080,2560x1440")]
    sizes: Vec<Size>,
    /// Color modes; the others are compared with the first
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "speed,flow,temperature,density,order",
        value_parser = color
    )]
    colors: Vec<ColorBy>,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Turns
    #[arg(long, default_value_t = 15)]
    turns: u32,
    #[command(flatten)]
    common: Common,
}

fn color(name: &str) -> Result<ColorBy, String> {
    let named = |color: &ColorBy| color.name() == name;
    ColorBy::ALL.into_iter().find(named).ok_or_else(|| "no such color mode".to_owned())
}

fn main() {
    let mut flags = Flags::parse();
    if !flags.common.bench {
        (flags.agents, flags.turns) = (2_000, 1);
        flags.sizes.truncate(1);
    }
    let warm = |&scene| drawn::warm(scene, flags.agents).expect("it can be placed");
    let sims: Vec<Sim> = flags.scenes.iter().map(warm).collect();
    let mut cache = Evictor::new();
    for &threads in &flags.threads {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        println!("{threads} threads, milliseconds; behind the first color: what others take more");
        println!(
            "{:10} {:8} {}",
            "size",
            "scene",
            columns(flags.colors.iter().map(|by| by.name()))
        );
        let mut most = vec![f64::MIN; flags.colors.len()];
        for &size in &flags.sizes {
            let Size { width, height } = size;
            let mut frame = Frame::new(width, height).expect("the size is valid");
            for (scene, sim) in flags.scenes.iter().zip(&sims) {
                let camera = Camera::fit(&sim.world(), width, height);
                let mut renderers: Vec<Renderer> = (flags.colors.iter())
                    .map(|&color_by| {
                        let style = Style { color_by, ..Style::from_setup(sim.setup()) };
                        Renderer::new(width, height, style).expect("the size is valid")
                    })
                    .collect();
                let mut least = vec![Duration::MAX; renderers.len()];
                for _ in 0..flags.turns {
                    for (renderer, least) in renderers.iter_mut().zip(&mut least) {
                        cache.evict();
                        let took = pool.install(|| {
                            Took::by(|| renderer.draw(&mut frame, &camera, &View::from_sim(sim)))
                        });
                        *least = (*least).min(if threads == 1 { took.cpu } else { took.wall });
                    }
                }
                let mut times: Vec<f64> =
                    least.iter().map(|took| took.as_secs_f64() * 1e3).collect();
                let first = times[0];
                for time in &mut times[1..] {
                    *time -= first;
                }
                for (most, time) in most.iter_mut().zip(&times) {
                    *most = most.max(*time);
                }
                println!("{size:10} {:8} {}", scene.name(), figures(&times));
            }
        }
        println!("{:10} {:8} {}", "at most", "", figures(&most));
    }
}

fn figures(milliseconds: &[f64]) -> String {
    columns(milliseconds.iter().map(|time| format!("{time:.2}")))
}

fn columns(entries: impl Iterator<Item = impl std::fmt::Display>) -> String {
    entries.fold(String::new(), |line, entry| format!("{line}{entry:>12}"))
}
