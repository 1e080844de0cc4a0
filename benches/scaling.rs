//! Scaling: the time and the memory of a step by agents, threads, instructions and scenes.
//!
//! `cargo bench --bench scaling` takes some minutes; `-- --up-to 100M` goes on to a hundred million
//! agents, for which it takes some 6 GB and a quarter of an hour. `-- --only sizes,threads` does a
//! part of it, `-- --record` keeps the figures in `benches/record`. Without `--bench`, as the tests
//! run it, it is small, and checks that the state depends on no number of threads and no
//! instructions.
//!
//! The compared runs take turns of 12 steps, so that a noisy moment affects all of them. The
//! figures are medians of the turns, in nanoseconds per agent and step. Only the sizes come one
//! after the other, since the largest would leave no memory for the rest.

#[path = "common/args.rs"]
mod args;
#[path = "common/record.rs"]
mod record;
#[path = "common/spread.rs"]
mod spread;

use std::thread;

use clap::{Parser, ValueEnum};
use jostle::{Result, Scene, Setup, Sim, simd::SimdLevel};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    args::Common,
    record::Record,
    spread::{Samples, Spread, time},
};

/// Times steps by size, threads, instructions and scene.
#[derive(Parser, Debug)]
struct Flags {
    /// The most agents of `gas`: the sizes are 10k, then ten times the last one, up to this
    #[arg(long, default_value = "10M", value_parser = args::count)]
    up_to: u32,
    /// Agents in everything but the sizes
    #[arg(long, default_value = "500k", value_parser = args::count)]
    agents: u32,
    /// Agents in `sparse`: in a wider world f32 would be too coarse
    #[arg(long, default_value = "200k", value_parser = args::count)]
    sparse: u32,
    /// Turns of 12 steps
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    turns: u32,
    /// Which parts; all of them if not given
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    #[command(flatten)]
    common: Common,
}

/// A table.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Sizes,
    Threads,
    Simd,
    Scenes,
    Sparse,
}

/// Steps per turn. Work that is done only every few steps has the same share as in a long run.
const STEPS: u32 = 12;
/// Share of the world that the clusters of `sparse` cover by default.
const SPARSE_SHARE: f32 = 1e-3;

/// The cases to be timed.
struct Entry {
    name: String,
    pool: ThreadPool,
    sim: Sim,
    samples: Samples,
}

impl Entry {
    fn new(
        name: impl Into<String>,
        setup: &Setup,
        threads: usize,
        simd: SimdLevel,
    ) -> Result<Self> {
        let (pool, mut sim) = (
            ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"),
            Sim::new(setup)?,
        );
        sim.set_simd(simd);
        let mut entry = Self { name: name.into(), pool, sim, samples: Samples::default() };
        entry.advance(2 * STEPS)?;
        Ok(entry)
    }

    fn advance(&mut self, steps: u32) -> Result<()> {
        let Self { pool, sim, .. } = self;
        pool.install(|| (0..steps).try_for_each(|_| sim.step()))
    }

    fn turn(&mut self) -> Result<()> {
        let (took, done) = time(|| self.advance(STEPS));
        self.samples.push(took / STEPS);
        done
    }

    /// Nanoseconds per agent and step.
    fn spread(&self) -> Spread {
        let Spread { low, median, high } = self.samples.spread().expect("it had a turn");
        let an_agent = 1e6 / self.sim.agents().len() as f64;
        Spread { low: low * an_agent, median: median * an_agent, high: high * an_agent }
    }

    fn bytes_per_agent(&self) -> f64 {
        let bytes = self.sim.memory();
        (bytes.agents + bytes.grid + bytes.contacts) as f64 / self.sim.agents().len() as f64
    }

    /// A line of a table, in ratio to another one's time and memory.
    fn line(&self, [time, bytes]: [f64; 2]) -> String {
        let Spread { low, median, high } = self.spread();
        let (held, hash) = (self.bytes_per_agent(), self.sim.state_hash());
        format!(
            "{:38} {median:>8.2} {:>17} {:>7.2} {held:>9.1} {:>7.2}   {hash:016x}",
            self.name,
            format!("{low:.2}..{high:.2}"),
            median / time,
            held / bytes,
        )
    }
}

fn main() {
    if let Err(error) = run(Flags::parse()) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(mut flags: Flags) -> std::result::Result<(), Box<dyn std::error::Error>> {
    if !flags.common.bench {
        (flags.up_to, flags.agents, flags.sparse, flags.turns) = (2_000, 2_000, 2_000, 1);
    }
    let mut record = Record::new("scaling", 0, flags.common.bench);
    let asked = |part| flags.only.is_empty() || flags.only.contains(&part);
    if asked(Part::Sizes) {
        sizes(&flags, &mut record)?;
    }
    if asked(Part::Threads) {
        let entries = by_threads(&flags)?;
        same_bits(&race(&flags, &mut record, "threads, gas", entries)?);
    }
    if asked(Part::Simd) {
        let entries = by_simd(&flags)?;
        same_bits(&race(&flags, &mut record, "instructions, gas, one thread", entries)?);
    }
    if asked(Part::Scenes) {
        let entries = by_scene(&flags)?;
        race(&flags, &mut record, "scenes, one thread", entries)?;
    }
    if asked(Part::Sparse) {
        let entries = by_coverage(&flags)?;
        race(&flags, &mut record, "clumps in an empty world, one thread", entries)?;
    }
    if flags.common.record {
        let path = record.keep()?;
        eprintln!("kept in {}", path.display());
    }
    Ok(())
}

fn head(record: &mut Record, title: &str) {
    record.line("");
    record.line(&format!(
        "{title:38} {:>8} {:>17} {:>7} {:>9} {:>7}   {}",
        "ns", "lowest..highest", "ratio", "B/agent", "ratio", "state"
    ));
}

/// All entries in turn, and a table in ratio to the first.
fn race(
    flags: &Flags,
    record: &mut Record,
    title: &str,
    mut entries: Vec<Entry>,
) -> Result<Vec<Entry>> {
    for _ in 0..flags.turns {
        entries.iter_mut().try_for_each(Entry::turn)?;
    }
    head(record, title);
    let first = [entries[0].spread().median, entries[0].bytes_per_agent()];
    for entry in &entries {
        record.line(&entry.line(first));
    }
    Ok(entries)
}

/// Times one size after the other, in ratio to the first. The last line is the ratio of the slowest
/// to the fastest.
fn sizes(flags: &Flags, record: &mut Record) -> Result<()> {
    head(record, "sizes, gas, one thread");
    let decades = [10_000, 100_000, 500_000, 1_000_000, 10_000_000, 100_000_000];
    let mut counts: Vec<u32> = decades.into_iter().filter(|&count| count < flags.up_to).collect();
    counts.push(flags.up_to);
    let mut first = None;
    let (mut best, mut worst) = (f64::INFINITY, 0.0_f64);
    for count in counts {
        let setup = Setup { agents: count, ..Setup::new(Scene::Gas) };
        let mut entry = Entry::new(format!("{count} agents"), &setup, 1, SimdLevel::best())?;
        // Small sizes get more turns, which together take about the time of half a million agents.
        let turns = (flags.turns * 500_000 / count).clamp(flags.turns.min(3), 50 * flags.turns);
        (0..turns).try_for_each(|_| entry.turn())?;
        let median = entry.spread().median;
        let reference = *first.get_or_insert([median, entry.bytes_per_agent()]);
        (best, worst) = (best.min(median), worst.max(median));
        record.line(&entry.line(reference));
    }
    record.line(&format!("{:38} {:.2} times the best", "the worst takes", worst / best));
    Ok(())
}

fn by_threads(flags: &Flags) -> Result<Vec<Entry>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let setup = Setup { agents: flags.agents, ..Setup::new(Scene::Gas) };
    // Every number up to four, then doubled.
    (1..=cores)
        .filter(|&threads| threads <= 4 || threads.is_power_of_two() || threads == cores)
        .map(|threads| {
            Entry::new(format!("{threads} of {cores}"), &setup, threads, SimdLevel::best())
        })
        .collect()
}

fn by_simd(flags: &Flags) -> Result<Vec<Entry>> {
    let setup = Setup { agents: flags.agents, ..Setup::new(Scene::Gas) };
    let mut levels: Vec<_> = SimdLevel::available().collect();
    levels.reverse();
    levels.into_iter().map(|level| Entry::new(level.name(), &setup, 1, level)).collect()
}

/// `gas` first. A pile is another kind of work: eight substeps, and ten contacts per agent.
fn by_scene(flags: &Flags) -> Result<Vec<Entry>> {
    [Scene::Gas, Scene::Mixed, Scene::Giants, Scene::Burst]
        .into_iter()
        .map(|scene| {
            let setup = Setup { agents: flags.agents, ..Setup::new(scene) };
            Entry::new(scene.name(), &setup, 1, SimdLevel::best())
        })
        .collect()
}

/// First `gas`, as dense as the clusters.
fn by_coverage(flags: &Flags) -> Result<Vec<Entry>> {
    let sparse = Setup { agents: flags.sparse, ..Setup::new(Scene::Sparse) };
    let dense = Setup { agents: flags.sparse, density: sparse.density, ..Setup::new(Scene::Gas) };
    let mut entries = vec![Entry::new("gas", &dense, 1, SimdLevel::best())?];
    for share in [1e-2, 1e-3, 1e-4] {
        let size = sparse.world().size() * (SPARSE_SHARE / share).sqrt();
        let setup = Setup { world: Some(size), ..sparse.clone() };
        entries.push(Entry::new(
            format!("sparse, {share:e} covered"),
            &setup,
            1,
            SimdLevel::best(),
        )?);
    }
    Ok(entries)
}

/// Asserts that all runs have the same state.
fn same_bits(entries: &[Entry]) {
    let first = entries[0].sim.state_hash();
    for entry in entries {
        assert_eq!(entry.sim.state_hash(), first, "{} against {}", entry.name, entries[0].name);
    }
}
