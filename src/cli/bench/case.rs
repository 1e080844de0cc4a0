//! One case: a scene, a number of agents, a number of threads; all indexes side by side.
//!
//! A simulation runs on. After each of its steps every index gets the same positions, one after the other, and
//! each time another begins: whatever disturbs the machine for a while disturbs all of them. Beside it, the same
//! simulation runs once more on each index, in step with it: that is where the whole steps are from.

use std::collections::BTreeMap;

use rayon::ThreadPool;

use crate::{Scene, Setup, Sim, index::IndexKind};

use super::{
    super::{Failure, Outcome, format, interrupt, progress::Progress, say},
    forecast::Forecast,
    input::Input,
    row::{Row, Skipped},
    subject::Subject,
    whole::Whole,
};
use crate::cli::args::BenchArgs;

/// Steps of an index that are not measured: the first fills it.
const FILLING_STEPS: u64 = 2;

/// Sizes that are tried first, to foretell the others.
const TRIAL_SIZES: [u32; 2] = [1_000, 4_000];

/// Smaller cases than this are not foretold, but done.
const FORETOLD_FROM: u32 = 4_000;

/// What is known about each index on one scene with one number of threads.
pub(super) type Forecasts = BTreeMap<&'static str, Forecast>;

/// Which case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) scene: Scene,
    pub(super) agents: u32,
}

/// An index in a case: by itself, and with a simulation on it.
struct Entrant {
    subject: Subject,
    whole: Whole,
}

/// Tries all indexes with few agents.
pub(super) fn foretell(args: &BenchArgs, scene: Scene) -> Outcome<Forecasts> {
    let mut forecasts = Forecasts::new();
    for agents in TRIAL_SIZES {
        let Ok(setup) = args.setup(scene, agents) else { continue };
        let Ok(mut sim) = Sim::new(&setup) else { continue };
        let mut input =
            Input::new(sim.agents(), sim.index_config().grid.capacity, args.compared.input);
        input.take(sim.agents());
        let expected = input.expected(&mut sim)?;
        for &kind in &args.compared.index.0 {
            let Ok(mut subject) = Subject::new(kind, &sim.index_config()) else { continue };
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let took = subject.try_out(&input.discs(), expected)?;
                best = best.min(took.as_secs_f64());
            }
            forecasts.entry(kind.name).or_default().learn(agents, best);
        }
    }
    Ok(forecasts)
}

/// Measures all indexes that are foretold to be quick enough; a row each, whatever becomes of it.
pub(super) fn measure(
    args: &BenchArgs,
    case: Case,
    pool: &ThreadPool,
    forecasts: &mut Forecasts,
) -> Outcome<Vec<Row>> {
    let setup = args.setup(case.scene, case.agents)?;
    let threads = pool.current_num_threads();
    let mut rows: Vec<Row> =
        args.compared.index.0.iter().map(|kind| Row::new(kind, &setup, threads)).collect();
    for row in &mut rows {
        let foretold = forecasts.get(row.index).and_then(|known| known.seconds(case.agents));
        let foretold = foretold.filter(|&seconds| {
            case.agents > FORETOLD_FROM && seconds > f64::from(args.length.limit)
        });
        if let Some(seconds) = foretold {
            say(&skipping(row, seconds, args.length.limit));
            row.skipped = Some(Skipped::Slow { foretold_s: seconds });
        }
    }
    if rows.iter().all(|row| row.skipped.is_some()) {
        return Ok(rows);
    }
    let entrants = pool.install(|| run(args, &setup, &mut rows))?;
    for Entrant { subject, whole } in &entrants {
        let Some(row) = rows.iter_mut().find(|row| row.index == subject.kind.name) else {
            continue;
        };
        let measured = subject.measured();
        if let Some(median) = measured.index.p50 {
            forecasts.entry(subject.kind.name).or_default().learn(case.agents, median / 1e3);
        }
        row.measured(&measured, &whole.measured());
        row.wrong = subject.wrong;
    }
    Ok(rows)
}

/// Steps a simulation, and all indexes with it, until it is done or somebody interrupts.
fn run(args: &BenchArgs, setup: &Setup, rows: &mut [Row]) -> Outcome<Vec<Entrant>> {
    let length = &args.length;
    let placing = Progress::wait("placing", format!("{} agents", format::grouped(setup.agents)));
    let mut sim = Sim::new(setup)?;
    sim.set_simd(args.simd());
    drop(placing);
    interrupt::begun();

    let progress = Progress::steps("warm-up", length.warmup);
    while sim.steps() < length.warmup && interrupt::asked().is_none() {
        sim.step().map_err(Failure::midway)?;
        progress.step();
    }
    drop(progress);

    let mut entrants = build(args, &sim, rows);
    let mut input = Input::new(sim.agents(), sim.index_config().grid.capacity, args.compared.input);
    let progress = Progress::steps("measured", FILLING_STEPS + length.steps * length.repeats);
    let mut step = 0;
    for repeat in 0..=length.repeats {
        let steps = if repeat == 0 { FILLING_STEPS } else { length.steps };
        for _ in 0..steps {
            if interrupt::asked().is_some() {
                break;
            }
            sim.step().map_err(Failure::midway)?;
            input.take(sim.agents());
            let expected = input.expected(&mut sim).map_err(Failure::midway)?;
            let count = entrants.len();
            for turn in 0..count {
                let Entrant { subject, whole } = &mut entrants[(turn + step) % count];
                if repeat == 0 {
                    subject.try_out(&input.discs(), expected).map_err(Failure::midway)?;
                    whole.try_out().map_err(Failure::midway)?;
                } else {
                    subject.measure(&input.discs(), expected).map_err(Failure::midway)?;
                    whole.measure().map_err(Failure::midway)?;
                }
            }
            step += 1;
            progress.step();
        }
        if repeat > 0 {
            for entrant in &mut entrants {
                entrant.subject.end_repeat();
            }
        }
    }
    let pairs = input.expected(&mut sim).map_err(Failure::midway)?.pairs;
    let hash = sim.state_hash();
    for row in rows {
        row.pairs = Some(pairs);
        let entrant = entrants.iter().find(|entrant| entrant.subject.kind.name == row.index);
        if let Some(Entrant { whole, .. }) = entrant {
            row.came_to(whole.hash(), hash);
        }
    }
    Ok(entrants)
}

/// The indexes that are not skipped; one that can't be made is, and says why.
fn build(args: &BenchArgs, sim: &Sim, rows: &mut [Row]) -> Vec<Entrant> {
    let config = sim.index_config();
    let kinds: &[IndexKind] = &args.compared.index.0;
    let waiting: Vec<_> = kinds.iter().zip(rows).filter(|(_, row)| row.skipped.is_none()).collect();
    let progress = Progress::steps("one run an index", waiting.len() as u64);
    let mut entrants = Vec::new();
    for (&kind, row) in waiting {
        let whole = || Whole::new(sim.setup(), args.simd(), sim.steps(), kind);
        let built = Subject::new(kind, &config)
            .and_then(|subject| Ok(Entrant { subject, whole: whole()? }));
        progress.step();
        if interrupt::asked().is_some() {
            // Its warm-up may be cut short.
            break;
        }
        match built {
            Ok(entrant) => entrants.push(entrant),
            Err(error) => {
                say(&format!("{} is skipped: {error}", row.what()));
                row.skipped = Some(Skipped::Refused(error.to_string()));
            }
        }
    }
    entrants
}

fn skipping(row: &Row, seconds: f64, limit: f32) -> String {
    format!(
        "{} is skipped: foretold to take {:.1} s a step, and --limit is {limit} s",
        row.what(),
        seconds
    )
}
