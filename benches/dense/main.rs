//! jostle beside physics engines: a pile of discs, from the same states, in one run.
//!
//! Run `cargo bench --features peers --bench dense`, which takes about an hour. `-- --agents 20k
//! --only settled --threads 1` measures a part of it, `-- --help` lists the flags, and
//! `-- --record` stores the figures in `benches/record`. Without `--bench`, as in the tests, the
//! run is small and only checks that all engines simulate the same pile.
//!
//! A pile of jostle runs until it is at rest. It gives three states: while it falls, at half of the
//! time until the fall is over, and at rest. Positions, velocities, radii and walls of a state go
//! to each engine. Each first runs alone, to find its own contacts, impulses and, from the state at
//! rest, its own equilibrium. Then the engines take turns, so that a noisy moment affects all of
//! them. A line of the table shows:
//!
//! - the median of all turns, nanoseconds per body and step, with the lowest and the highest: on
//!   one thread processor time of the process, on several threads wall time;
//! - that median in ratio to jostle's;
//! - the largest overlap of two bodies at the end of any turn, and the mean over all pairs that
//!   overlap, as shares of the smaller radius, computed by one function from positions and radii;
//! - the root of the mean square of the speeds at the end;
//! - the share of bodies that the last turn did not move at all, such as bodies that sleep;
//! - bytes per body at the end: the bytes that jostle reports, and the bytes that a peer has
//!   allocated and not freed.
//!
//! The peers run as their documentation calls fastest: bodies created in Morton order, SIMD (eight
//! lanes in `rapier2d`, AVX2 in `Box2D`), no contact events. Without friction, their rotation is
//! locked; `--friction 0,0.5` measures rough discs, which turn in all engines. Solver iterations and
//! substeps are their defaults (4), as are all parameters that are not named here.
//!
//! Differences beside the method:
//!
//! - Walls are the borders of the world in jostle, and static boxes in the peers.
//! - `rapier2d` is compiled for the target, as everything else. Where the target lacks AVX, as
//!   x86-64 does by default, its eight lanes are two registers of four; the head of the output says
//!   so. `RUSTFLAGS="-C target-feature=+avx2,+fma"` gives it registers of eight. `Box2D` is
//!   compiled for AVX2, and left out where the machine lacks it. jostle chooses its instructions at
//!   run time.
//! - `rapier2d` and `Box2D` have continuous collision against walls, on by default. jostle has
//!   none.
//! - The peers keep the orientation of a body. jostle has discs, and spins in runs with friction.
//! - All engines use the restitution of the scene. Each has its own speed below which nothing
//!   bounces.
//! - Sleep: `rapier2d` and `Box2D` put islands to sleep after 2 and 0.5 seconds of rest; a pile is
//!   one island. The larger it is, the longer it takes to come to rest (`--rest`). jostle puts bands
//!   of the world to sleep after 0.5 seconds.
//! - On one thread, `rapier2d` runs in a pool of one thread, since it is compiled for several.

#[path = "../common/args.rs"]
mod args;
mod bodies;
mod box2d;
mod engine;
mod own;
mod rapier;
#[path = "../common/record.rs"]
mod record;
#[path = "../common/spread.rs"]
mod spread;
mod state;
mod walls;

use clap::{Parser, ValueEnum};
use jostle::{Scene, Setup, simd::SimdLevel};

use crate::{
    args::Common,
    bodies::Overlaps,
    box2d::Box2d,
    engine::{Clock, Entry, Mode, Outcome},
    own::Jostle,
    rapier::Rapier,
    record::Record,
    spread::Spread,
    state::{Moment, State, states},
};

/// Times jostle and physics engines on a pile of discs.
#[derive(Parser, Debug)]
struct Flags {
    /// Numbers of agents: `20k`, `100k`
    #[arg(long, value_delimiter = ',', default_value = "20k,100k", value_parser = args::count)]
    agents: Vec<u32>,
    /// States; all of them if not given
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Moment>,
    /// Numbers of threads
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,2",
        value_parser = clap::value_parser!(u32).range(1..=32)
    )]
    threads: Vec<u32>,
    /// Whether bodies may sleep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "off,on")]
    sleep: Vec<Sleep>,
    /// Coefficients of friction
    #[arg(long, value_delimiter = ',', default_value = "0")]
    friction: Vec<f32>,
    /// Turns of each engine
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    turns: u32,
    /// Steps per turn
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Simulated seconds that each engine runs from the state at rest before it is timed
    #[arg(long, default_value_t = 12.0)]
    rest: f64,
    /// Length of a step of the peers, seconds; as jostle's if not given
    #[arg(long)]
    peer_step: Option<f32>,
    /// Solver iterations or substeps of the peers
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    peer_substeps: u8,
    #[command(flatten)]
    common: Common,
}

impl Flags {
    /// Simulated seconds that each engine runs before it is timed.
    fn warm_up(&self, moment: Moment) -> f64 {
        match moment {
            Moment::Falling => 0.2,
            Moment::Settling => 0.5,
            Moment::Settled => self.rest,
        }
    }
}

/// Whether bodies may sleep.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Sleep {
    Off,
    On,
}

fn main() {
    if let Err(error) = run(Flags::parse()) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(mut flags: Flags) -> Outcome<()> {
    if !flags.common.bench {
        (flags.agents, flags.turns, flags.steps) = (vec![500], 1, 3);
        flags.friction = vec![0.0, 0.5];
    }
    if flags.only.is_empty() {
        flags.only = Moment::ALL.to_vec();
    }
    if let Some(step) = flags.peer_step.filter(|&step| !(step > 0.0 && step <= 1.0)) {
        return Err(format!("invalid step length {step}: expected above 0, at most 1").into());
    }
    if !(0.0..=1_000.0).contains(&flags.rest) {
        return Err(format!("invalid time {}: expected 0 to 1000 seconds", flags.rest).into());
    }
    let mut record = Record::new("dense", 0, flags.common.bench);
    record.line(&format!("engines   {}", versions()));
    if !box2d::runs_here() {
        record.line("          no Box2D: it is compiled for AVX2, which this machine lacks");
    }
    for &agents in &flags.agents {
        for &friction in &flags.friction {
            let setup = Setup { friction, ..Setup::with_agents(Scene::Pile, agents) };
            for state in states(&setup, &flags.only)? {
                compare(&flags, &state, &mut record)?;
            }
        }
    }
    if flags.common.record {
        let path = record.keep()?;
        eprintln!("written to {}", path.display());
    }
    Ok(())
}

/// Versions of the engines, and the instructions that each is run with.
fn versions() -> String {
    let lanes = if cfg!(target_feature = "avx") { "8 lanes" } else { "8 lanes as 2 x 4" };
    format!(
        "jostle ({}); rapier2d {} ({lanes}); Box2D of boxdd {}",
        SimdLevel::best().name(),
        locked_version("rapier2d"),
        locked_version("boxdd"),
    )
}

/// The version of a crate in the lock file.
fn locked_version(name: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("\"{name}\"\nv")));
    entry.and_then(|entry| entry.split("version = \"").nth(1)?.split('"').next()).unwrap_or("?")
}

/// Measures all engines in one state.
fn compare(flags: &Flags, state: &State, record: &mut Record) -> Outcome<()> {
    record.line("");
    record.line(&format!(
        "pile, {} agents, friction {}, {}: {:.2} s after the start, {} s in each engine, {} turns of \
         {} steps",
        state.start.agents.len(),
        state.setup.friction,
        state.moment.name(),
        state.seconds,
        flags.warm_up(state.moment),
        flags.turns,
        flags.steps,
    ));
    for &threads in &flags.threads {
        for &sleep in &flags.sleep {
            let mode = Mode { threads: threads as usize, sleep: sleep == Sleep::On };
            let mut entries = entries(flags, state, mode)?;
            for _ in 0..flags.turns {
                entries.iter_mut().try_for_each(|entry| entry.turn(flags.steps, state))?;
            }
            table(record, mode, &entries)?;
            if !flags.common.bench {
                check(&entries, state);
            }
        }
    }
    Ok(())
}

/// jostle first.
fn entries(flags: &Flags, state: &State, mode: Mode) -> Outcome<Vec<Entry>> {
    let step = flags.peer_step.unwrap_or(state.dt);
    let warm_up = |dt: f32| {
        let steps = (flags.warm_up(state.moment) / f64::from(dt)).ceil() as u32;
        if flags.common.bench { steps } else { steps.min(2) }
    };
    let (own, peers) = (warm_up(state.dt), warm_up(step));
    let mut entries =
        vec![Entry::new(state, own, mode, || Ok(Box::new(Jostle::new(state, mode)?)))?];
    entries.push(Entry::new(state, peers, mode, || {
        Ok(Box::new(Rapier::new(state, mode, step, flags.peer_substeps.into())?))
    })?);
    if box2d::runs_here() {
        entries.push(Entry::new(state, peers, mode, || {
            Ok(Box::new(Box2d::new(state, mode, step, flags.peer_substeps.into())?))
        })?);
    }
    Ok(entries)
}

/// Writes one line per engine.
fn table(record: &mut Record, mode: Mode, entries: &[Entry]) -> Outcome<()> {
    let title = format!(
        "{} thread{}, {}, {}",
        mode.threads,
        if mode.threads == 1 { "" } else { "s" },
        Clock::of(mode).name(),
        if mode.sleep { "sleep" } else { "no sleep" },
    );
    record.line(&format!(
        "{title:34} {:>8} {:>17} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7}",
        "ns", "lowest..highest", "x jostle", "largest", "mean", "rms", "still", "B/body"
    ));
    let jostle = entries[0].spread().median;
    for entry in entries {
        let Spread { low, median, high } = entry.spread();
        let Overlaps { largest, mean } = entry.overlaps();
        record.line(&format!(
            "{:34} {:>8} {:>17} {:>8} {largest:>8.3} {mean:>8.4} {:>8.3} {:>6.3} {:>7.0}",
            entry.name(),
            figure(median),
            format!("{}..{}", figure(low), figure(high)),
            figure(median / jostle),
            entry.bodies.rms_speed(),
            entry.still(),
            entry.bytes_per_body()?,
        ));
    }
    Ok(())
}

/// A figure with its significant digits: a world asleep takes a thousandth of one awake.
fn figure(value: f64) -> String {
    match value {
        ..0.1 => format!("{value:.4}"),
        ..10.0 => format!("{value:.2}"),
        _ => format!("{value:.0}"),
    }
}

/// Checks that all engines simulate the pile that jostle does.
///
/// # Panics
/// If a body left the world, an overlap is not a number or none, or the bodies of a peer have
/// another mean height or vertical velocity than the bodies of jostle.
fn check(entries: &[Entry], state: &State) {
    let world = state.start.world;
    let [height, rise] = entries[0].bodies.mean_height_and_rise();
    for entry in entries {
        let (name, moment) = (entry.name(), state.moment.name());
        let outside = entry.bodies.outside(&world);
        assert_eq!(outside, 0, "{name}, {moment}: bodies outside the world");
        let Overlaps { largest, mean } = entry.overlaps();
        assert!((0.0..2.0).contains(&largest), "{name}, {moment}: overlap {largest}");
        assert!((0.0..=largest).contains(&mean), "{name}, {moment}: mean overlap {mean}");
        let [own_height, own_rise] = entry.bodies.mean_height_and_rise();
        let near = (own_height - height).abs() < 0.05 && (own_rise - rise).abs() < 1.0;
        assert!(
            near,
            "{name}, {moment}: height {own_height}, rise {own_rise}; jostle: {height}, {rise}"
        );
        assert!(entry.bytes_per_body().is_ok_and(|bytes| bytes > 24.0), "{name}: bytes");
        assert!(entry.still() < 1.0 || state.moment == Moment::Settled, "{name}, {moment}: still");
    }
}
