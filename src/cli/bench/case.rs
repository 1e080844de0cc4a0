//! One case: a scene or a world file, a number of agents and a number of threads, with all indexes side by side.
//!
//! A simulation runs. After each of its steps every index gets the same positions, in a different
//! order each time, so a disturbance of the machine hits all of them. Beside it, one simulation per
//! index runs in lockstep; the times of whole steps come from these.

use std::collections::BTreeMap;

use rayon::ThreadPool;

use crate::{Sim, index::DoubleGrid};

use super::{
    super::{
        Failure, Outcome,
        args::{BenchArgs, names::SceneArg},
        format::four_digits,
        hashes::StateHashes,
        interrupt,
        progress::Progress,
        run, say, sentence,
        snapshots::Beginning,
        start::{StatedStart, UnstatedWorld},
        worlds::{StatedWorld, WorldFlags},
    },
    measure::{BenchInput, IndexBench, StepBench},
    row::{BenchRow, Skipped},
};

/// Steps of an index that are not measured: the first fills it.
const FILLING_STEPS: u64 = 2;

/// Numbers of agents that are tried first, to predict the times of others.
const TRIAL_SIZES: [u32; 2] = [1_000, 4_000];

/// Cases up to this number of agents are never skipped.
const PREDICTED_FROM: u32 = 4_000;

/// Range of exponents: no index grows more slowly than its input, or much faster than all pairs.
const EXPONENTS: std::ops::RangeInclusive<f64> = 1.0..=2.2;

/// Extrapolation of an index's time to more agents: a power law through the two largest known
/// numbers below. Holds the known numbers of agents and their seconds per step, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Extrapolation {
    known: Vec<(f64, f64)>,
}

impl Extrapolation {
    /// Adds a measurement.
    fn add(&mut self, agents: u32, seconds: f64) {
        self.known.push((f64::from(agents), seconds));
        self.known.sort_by(|one, other| one.0.total_cmp(&other.0));
    }

    /// Predicted seconds per step; `None` without a measurement of that number of agents or fewer.
    fn seconds(&self, agents: u32) -> Option<f64> {
        let agents = f64::from(agents);
        let smaller = self.known.partition_point(|&(size, _)| size <= agents);
        let &(size, seconds) = self.known[..smaller].last()?;
        let exponent = match self.known[..smaller] {
            [.., (before, least), _] if before < size => {
                (seconds / least).ln() / (size / before).ln()
            }
            _ => *EXPONENTS.start(),
        };
        let exponent = exponent.clamp(*EXPONENTS.start(), *EXPONENTS.end());
        Some(seconds * (agents / size).powf(exponent))
    }
}

/// Predictions by name of the index, for one scene and one number of threads.
pub(super) type Predictions = BTreeMap<&'static str, Extrapolation>;

/// An index in a case: alone, and in a simulation.
struct Contestant {
    index: IndexBench,
    step: StepBench,
    /// State hashes of the simulation on its way.
    hashes: StateHashes,
}

/// Tries all indexes with few agents: of a scene, or of those of the largest case of a world file.
///
/// # Errors
/// If there is not enough memory, or a file can't be used.
pub(super) fn predict(
    args: &BenchArgs,
    scene: &SceneArg,
    beginnings: &[Beginning],
) -> Outcome<Predictions> {
    let mut predictions = Predictions::new();
    let largest = beginnings.iter().max_by_key(|it| it.setup().agents);
    for agents in TRIAL_SIZES {
        let mut sim = match (scene, largest) {
            (SceneArg::Scene(scene), _) => match Sim::new(&args.setup(*scene, agents)) {
                Ok(sim) => sim,
                Err(_) => continue,
            },
            (SceneArg::File(_), Some(it)) if it.setup().agents > PREDICTED_FROM => {
                some_of(it.sim()?, agents as usize)?
            }
            _ => continue,
        };
        let config = sim.index_config();
        let mut input = BenchInput::new(&sim, args.input)?;
        input.update(sim.agents())?;
        let expected = input.expected(&mut sim)?;
        for kind in args.indexes() {
            let Ok(mut index) = IndexBench::new(kind, &config) else { continue };
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let took = index.run(&input.discs(), expected)?;
                best = best.min(took.as_secs_f64());
            }
            predictions.entry(kind.name).or_default().add(agents, best);
        }
    }
    Ok(predictions)
}

/// A run with some of its agents, anywhere among them.
fn some_of(mut sim: Sim, agents: usize) -> Outcome<Sim> {
    let all = &sim.agents().id;
    let stays = |at: usize| (at + 1) * agents / all.len() > at * agents / all.len();
    let gone: Vec<u32> = (0..all.len()).filter(|&at| !stays(at)).map(|at| all[at]).collect();
    sim.remove(&gone)?;
    Ok(sim)
}

/// The beginnings of the cases of a scene: the agents of a file, or any number of them.
///
/// # Errors
/// If the file can't be used.
pub(super) fn beginnings(args: &BenchArgs, scene: &SceneArg) -> Outcome<Vec<Beginning>> {
    let scene = match scene {
        SceneArg::Scene(scene) => *scene,
        SceneArg::File(path) => {
            let read = |fields| {
                let (params, has_start) = (args.params(), args.state.file.is_some());
                let world = StatedWorld::read(path, &WorldFlags { fields, params, has_start })?;
                Ok(Beginning::World(Box::new(world)))
            };
            return args.fields_of_cases().into_iter().map(read).collect();
        }
    };
    let Some(path) = &args.state.file else {
        let setups = args.agents().into_iter().map(|agents| args.setup(scene, agents));
        return Ok(setups.map(Beginning::Start).collect());
    };
    let setup = |known: &[_]| args.setup_with(scene, known);
    let is_given = |field| args.start.get(field).is_some();
    let stated =
        StatedStart::read_with(path, &args.state, setup, is_given, UnstatedWorld::Refused)?;
    Ok(vec![Beginning::Stated(Box::new(stated))])
}

/// Measures all indexes that are predicted to be fast enough. Returns one row per index, skipped
/// ones included.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn measure(
    args: &BenchArgs,
    beginning: &Beginning,
    pool: &ThreadPool,
    predictions: &mut Predictions,
) -> Outcome<Vec<BenchRow>> {
    let setup = beginning.setup();
    let agents = setup.agents;
    let threads = pool.current_num_threads();
    let limit = args.limit;
    let kinds = args.indexes();
    let mut rows: Vec<_> = (kinds.iter())
        .map(|kind| BenchRow::new(kind, beginning.scene(), agents, threads))
        .collect();
    for row in &mut rows {
        let predicted = predictions.get(row.index).and_then(|known| known.seconds(agents));
        if let Some(seconds) = predicted
            && agents > PREDICTED_FROM
            && seconds > limit
        {
            say(&format!(
                "{} is skipped: predicted to take {} s per step, and --limit is {limit} s",
                row.name(),
                four_digits(seconds as f32)
            ));
            row.skipped = Some(Skipped::Slow { predicted_s: seconds });
        }
    }
    if rows.iter().any(|row| row.skipped.is_none()) {
        pool.install(|| compare(args, beginning, &mut rows, predictions))?;
    }
    Ok(rows)
}

/// Steps a simulation and all indexes with it, until it is done or interrupted, and fills in the
/// rows.
fn compare(
    args: &BenchArgs,
    beginning: &Beginning,
    rows: &mut [BenchRow],
    predictions: &mut Predictions,
) -> Outcome<()> {
    let mut sim = run::place(beginning, args.simd.usable(), DoubleGrid::KIND)?;
    run::warm_up(&mut sim, args.warmup)?;
    let mut contestants = build(args, beginning, &sim, rows);
    let mut input = BenchInput::new(&sim, args.input)?;
    let measured = args.steps.saturating_mul(args.repeats);
    let progress = Progress::of("measured", measured.saturating_add(FILLING_STEPS), "steps");
    let (mut first, mut hashes) = (0, StateHashes::default());
    for repeat in 0..=args.repeats {
        if interrupt::asked().is_some() {
            break;
        }
        let steps = if repeat == 0 { FILLING_STEPS } else { args.steps };
        for _ in 0..steps {
            if interrupt::asked().is_some() {
                break;
            }
            sim.step().map_err(Failure::midway)?;
            input.update(sim.agents()).map_err(Failure::midway)?;
            let expected = input.expected(&mut sim).map_err(Failure::midway)?;
            let (before, from_first) = contestants.split_at_mut(first);
            for Contestant { index, step, hashes } in from_first.iter_mut().chain(before) {
                index.run(&input.discs(), expected).map_err(Failure::midway)?;
                step.run().map_err(Failure::midway)?;
                hashes.take(&step.sim, args.hash_every)?;
            }
            hashes.take(&sim, args.hash_every)?;
            first = (first + 1) % contestants.len().max(1);
            progress.step();
        }
        for Contestant { index, step, .. } in &mut contestants {
            if repeat == 0 {
                index.restart();
                step.restart();
            } else {
                index.end_repeat();
            }
        }
    }
    // Interrupted before the first step, the input is still empty.
    input.update(sim.agents()).map_err(Failure::midway)?;
    let pairs = input.expected(&mut sim).map_err(Failure::midway)?.pairs;
    let hash = sim.state_hash();
    for row in rows {
        row.pairs = Some(pairs);
        let own = contestants.iter_mut().find(|own| own.index.kind.name == row.index);
        let Some(Contestant { index, step, hashes: way }) = own else { continue };
        row.set_hashes(step.sim.state_hash(), hash);
        row.set_way(std::mem::take(way), &hashes);
        if let Some(median) = index.report(row) {
            step.report(row);
            predictions.entry(row.index).or_default().add(row.agents, median / 1e3);
        }
    }
    Ok(())
}

/// Builds the indexes that are not skipped. One that can't be built is skipped with the reason.
fn build(
    args: &BenchArgs,
    beginning: &Beginning,
    sim: &Sim,
    rows: &mut [BenchRow],
) -> Vec<Contestant> {
    let config = sim.index_config();
    let waiting: Vec<_> =
        args.indexes().into_iter().zip(rows).filter(|(_, row)| row.skipped.is_none()).collect();
    let progress = Progress::of("preparing", waiting.len() as u64, "indexes");
    let mut contestants = Vec::new();
    for (kind, row) in waiting {
        let built = IndexBench::new(kind, &config).and_then(|index| {
            let begun = match beginning {
                Beginning::Stated(stated) => stated.sim()?,
                Beginning::World(_) => sim.try_clone()?,
                other => Sim::new(other.setup())?,
            };
            let step = StepBench::new(begun, args.simd.usable(), sim.steps(), kind)?;
            Ok(Contestant { index, step, hashes: StateHashes::default() })
        });
        progress.step();
        if interrupt::asked().is_some() {
            // Its warm-up may be incomplete.
            break;
        }
        match built {
            Ok(contestant) => contestants.push(contestant),
            Err(error) => {
                let reason = sentence(&error);
                say(&format!("{} is skipped: {reason}", row.name()));
                row.skipped = Some(Skipped::Refused(reason));
            }
        }
    }
    contestants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_power_law_of_the_two_largest_smaller_numbers() {
        let mut naive = Extrapolation::default();
        assert_eq!(naive.seconds(1_000), None);
        // A single number gives a proportion. The two largest give the power, which is at least 1.
        for (known, agents, expected) in [
            ((1_000, 0.001), 2_000, 0.002),
            ((4_000, 0.016), 500_000, 250.0),
            ((8_000, 0.020), 16_000, 0.040),
        ] {
            naive.add(known.0, known.1);
            let seconds = naive.seconds(agents).expect("a smaller number");
            assert!((seconds / expected - 1.0).abs() < 1e-9, "{agents}: {seconds}");
        }
    }
}
