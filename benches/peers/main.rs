//! jostle beside its peers: one run, one scene, one thread, and the same pairs from all.
//!
//! Run `cargo bench --features peers --bench peers`. `-- --help` lists the flags, and `-- --record`
//! stores the figures in `benches/record`. Without `--bench`, as in the tests, the run is small and
//! only checks the pairs.
//!
//! The agents come from a run of jostle after 100 steps, and they keep moving: each peer is updated
//! to their present positions and then finds all pairs. So no peer is timed on a tree that fits by
//! chance. Peers take turns, so that a noisy moment affects all of them.
//!
//! A round is 12 steps of jostle, since some of its work is not done in every step. jostle, the
//! copy and the peers that update incrementally are timed in each step. Peers that rebuild are
//! timed once per round. The figure of a round is the mean of its measurements. The table shows the
//! median of all rounds, with the lowest and the highest.
//!
//! Agents in jostle lie in the order of its cells. A peer receives them by id: once with ids that
//! were neighbors where the agents were neighbors at the start (`near`), which is its best case,
//! and once with random ids.

#[path = "../common/args.rs"]
mod args;
#[path = "../common/floor.rs"]
mod floor;
mod input;
mod peer;
#[path = "../common/record.rs"]
mod record;
#[path = "../common/spread.rs"]
mod spread;

use std::time::Duration;

use clap::Parser;
use jostle::{
    Result, Scene, Setup, Sim,
    index::{IndexConfig, IndexKind},
    step::{Phase, Probe},
};

use crate::{
    args::Common,
    input::{Input, Order},
    peer::Peer,
    record::Record,
    spread::{Samples, Spread, time},
};

/// Times jostle and its peers.
#[derive(Parser, Debug)]
struct Flags {
    /// Number of agents: `500000`, `500k`, `1.5M`
    #[arg(long, default_value = "500k", value_parser = args::count)]
    agents: u32,
    /// Scenes
    #[arg(long, value_delimiter = ',', default_value = "gas,mixed")]
    scenes: Vec<String>,
    /// Peers; all of them if not given
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Rounds of 12 steps
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    #[command(flatten)]
    common: Common,
}

/// Number of steps before the first round.
const WARM_UP: u32 = 100;
/// Steps per round. Work that jostle does only every few steps has its usual share in this number.
const STEPS: u32 = 12;

fn main() {
    if let Err(error) = run(Flags::parse()) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(mut flags: Flags) -> std::result::Result<(), Box<dyn std::error::Error>> {
    if !flags.common.bench {
        (flags.agents, flags.rounds) = (2_000, 1);
    }
    if let Some(name) =
        flags.peers.iter().find(|name| IndexKind::PEERS.iter().all(|kind| kind.name != **name))
    {
        let names = IndexKind::PEERS.map(|kind| kind.name).join(", ");
        return Err(format!("unknown peer {name:?}: expected one of {names}").into());
    }
    let scene = |name: &String| {
        let found = Scene::ALL.into_iter().find(|scene| scene.name() == name);
        found.ok_or_else(|| format!("unknown scene {name:?}"))
    };
    let scenes = flags.scenes.iter().map(scene).collect::<std::result::Result<Vec<_>, _>>()?;
    let mut record = Record::new("peers", 0, flags.common.bench);
    for scene in scenes {
        compare(&flags, scene, &mut record)?;
    }
    if flags.common.record {
        let path = record.keep()?;
        eprintln!("written to {}", path.display());
    }
    Ok(())
}

/// Measures all peers in one scene.
fn compare(flags: &Flags, scene: Scene, record: &mut Record) -> Result<()> {
    let setup = Setup { agents: flags.agents, ..Setup::new(scene) };
    let mut sim = Sim::new(&setup)?;
    for _ in 0..WARM_UP {
        sim.step()?;
    }
    let mut inputs = [Order::Near, Order::Random].map(|order| Input::new(sim.agents(), order));
    let mut peers = peers(flags, &sim)?;
    let mut copy = sim.agents().clone();
    let [mut floor, mut search, mut whole] = [(); 3].map(|()| Samples::default());
    let mut pairs = 0;
    for _ in 0..flags.rounds {
        let mut clock = Clock::default();
        let (mut stepped, mut copied) = (Duration::ZERO, Duration::ZERO);
        for step in 1..=STEPS {
            stepped += time(|| sim.step_with(&mut clock)).0;
            copied += (0..3)
                .map(|_| time(|| floor::copy(&mut copy, sim.agents())).0)
                .min()
                .unwrap_or_default();
            for input in &mut inputs {
                pairs = input.update(&mut sim)?;
            }
            for peer in peers.iter_mut().filter(|peer| peer.incremental || step == STEPS) {
                peer.measure(&inputs[peer.order as usize])?;
            }
        }
        floor.push(copied / STEPS);
        search.push(clock.searching / STEPS);
        whole.push(stepped / STEPS);
        peers.iter_mut().for_each(Peer::end_round);
    }
    record.line("");
    record.line(&format!(
        "{scene}: {} agents, {} steps after {WARM_UP}, one thread, {}; {pairs} pairs; state {:016x}",
        sim.agents().len(),
        flags.rounds * STEPS,
        sim.simd().name(),
        sim.state_hash(),
    ));
    let own = [
        ("copy of the arrays", floor),
        ("jostle: regrid, contacts", search),
        ("jostle: all of a step", whole),
    ];
    table(record, own, &peers, &sim);
    Ok(())
}

/// The selected peers, each in both orders.
fn peers(flags: &Flags, sim: &Sim) -> Result<Vec<Peer>> {
    let agents = sim.agents();
    let radius = agents
        .radius
        .iter()
        .fold([f32::INFINITY, 0.0], |[low, high], &r| [r.min(low), r.max(high)]);
    let config = IndexConfig { grid: *sim.grid().config(), radius };
    let selected = |kind: &IndexKind| {
        flags.peers.is_empty() || flags.peers.iter().any(|name| name == kind.name)
    };
    let mut peers = Vec::new();
    for kind in IndexKind::PEERS.into_iter().filter(selected) {
        for order in [Order::Near, Order::Random] {
            peers.push(Peer::new(kind, order, &config)?);
        }
    }
    Ok(peers)
}

/// Writes one line per measured subject.
fn table(record: &mut Record, own: [(&str, Samples); 3], peers: &[Peer], sim: &Sim) {
    record.line(&format!(
        "{:26} {:>9} {:>9} {:>9} {:>17} {:>8} {:>9} {:>9}",
        "milliseconds",
        "update",
        "pairs",
        "both",
        "lowest..highest",
        "x copy",
        "x jostle",
        "B/agent"
    ));
    let spreads = own.map(|(name, samples)| (name, samples.spread().expect("there was a round")));
    let [copy, jostle] = [spreads[0].1.median, spreads[1].1.median];
    let mut line = |name: &str, parts: [String; 2], all: Spread, bytes: Option<usize>| {
        let Spread { low, median, high } = all;
        let range = format!("{}..{}", ms(low), ms(high));
        let bytes = bytes.map_or(String::new(), |bytes| {
            format!("{:.1}", bytes as f64 / sim.agents().len() as f64)
        });
        let [update, pairs] = parts;
        let (floors, times) = (median / copy, median / jostle);
        record.line(&format!(
            "{name:26} {update:>9} {pairs:>9} {:>9} {range:>17} {floors:>8.1} {times:>9.2} {bytes:>9}",
            ms(median)
        ));
    };
    let bytes = sim.memory();
    let held =
        [None, Some(bytes.grid + bytes.contacts), Some(bytes.agents + bytes.grid + bytes.contacts)];
    for ((name, spread), bytes) in spreads.into_iter().zip(held) {
        line(name, [String::new(), String::new()], spread, bytes);
    }
    for peer in peers {
        let [update, pairs, both] = peer.spreads();
        let name = format!("{}, {}", peer.kind.name, peer.order.name());
        line(&name, [ms(update.median), ms(pairs.median)], both, Some(peer.memory()));
    }
}

/// Milliseconds with their significant digits.
fn ms(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// Adds up the time that jostle spends on the work of its peers: the update, and the search for
/// pairs.
#[derive(Default)]
struct Clock {
    searching: Duration,
    since: Option<std::time::Instant>,
}

impl Probe for Clock {
    fn begin(&mut self, phase: Phase) {
        self.end();
        if matches!(phase, Phase::Contacts | Phase::Regrid) {
            self.since = Some(std::time::Instant::now());
        }
    }

    fn end(&mut self) {
        self.searching += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }
}
