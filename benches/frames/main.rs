//! The time of a frame by scene, size, zoom and number of agents, in ratio to the time that filling
//! and copying a frame of 1920×1080 takes.
//!
//! `cargo bench --bench frames` draws half a million agents on one thread. `-- --agents 10k,10M`
//! takes other numbers of agents, `--scenes` and `--sizes` a part of the sweep, `--threads 2`
//! compares that many threads with one, and `--record` stores the tables in `benches/record` and
//! the heat map in `docs/images/frames.svg`. Without `--bench`, as in the tests, the sweep is small
//! and only checks that every frame shows agents.
//!
//! A zoom is given by the number of agents that it shows: the frame is as high as the disc around
//! an agent in the middle of the crowd that contains this number. All cells of a scene take turns,
//! and each is the minimum of its turns: processor time, which other processes hardly lengthen.
//! Before each draw, the bench reads more memory than the second-level cache holds, as a step does
//! between two frames.

#[path = "../common/args.rs"]
mod args;
mod chart;
#[path = "../common/cpu_time.rs"]
mod cpu_time;
#[path = "../common/drawn.rs"]
mod drawn;
#[path = "../common/record.rs"]
mod record;
mod report;
mod sweep;

use clap::Parser;
use jostle::Scene;

use crate::{
    args::Common,
    drawn::{Size, scene},
    record::Record,
    sweep::{Floor, Sweep},
};

/// The result of a part of the bench.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Times frames by scene, size, zoom and number of agents.
#[derive(Parser, Debug)]
struct Flags {
    /// Numbers of agents: `10k`, `10M`
    #[arg(long, value_delimiter = ',', default_value = "500k", value_parser = args::count)]
    agents: Vec<u32>,
    /// Scenes
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "gas,giants,mixed,burst,sparse,pile",
        value_parser = scene
    )]
    scenes: Vec<Scene>,
    /// Sizes of the frame, from the smallest to the largest
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "320x180,400x225,640x360,800x450,960x540,1111x625,1280x720,1710x962,\
                         1920x1080,2560x1440"
    )]
    sizes: Vec<Size>,
    /// Threads that are compared with one thread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Turns of each cell
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    turns: u32,
    #[command(flatten)]
    common: Common,
}

fn main() {
    if let Err(error) = run(Flags::parse()) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(mut flags: Flags) -> Outcome<()> {
    if !flags.common.bench {
        (flags.agents, flags.turns) = (vec![2_000], 1);
        flags.sizes.retain(|size| size.width <= 400);
    }
    let mut record = Record::new("frames", 0, flags.common.bench);
    let mut floor = Floor::new();
    let mut sweeps = Vec::new();
    for &agents in &flags.agents {
        for &scene in &flags.scenes {
            match Sweep::run(scene, agents, &flags, &mut floor) {
                Ok(sweep) => sweeps.push(sweep),
                Err(error) => record.line(&format!("no {}: {error}", scene.name())),
            }
        }
    }
    report::write(&mut record, &sweeps, &flags, floor.milliseconds());
    let map = chart::svg(&sweeps, floor.milliseconds())?;
    if flags.common.record {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/images/frames.svg");
        std::fs::write(path, map)?;
        eprintln!("written to {} and {path}", record.keep()?.display());
    }
    Ok(())
}
