//! The workers of a sweep: each takes the next run and steps it to its end, in a pool of its own.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
    time::Instant,
};

use rayon::ThreadPool;

use super::{average::RunAverages, plan::SweepPlan};
use crate::{
    Sim,
    cli::{
        Failure, Outcome,
        args::{RunArgs, run_flags, steps_of},
        held, interrupt, notes,
        panics::unless_refused,
        snapshots::Beginning,
    },
    observe::Warning,
    parallel::pool,
};

/// The end of a run.
#[derive(Debug)]
pub(super) struct SweptRun {
    /// Its place in the sweep.
    pub(super) run: usize,
    /// In the order of the columns of averages.
    pub(super) values: Vec<Option<f64>>,
    pub(super) hash: u64,
    pub(super) seconds: f64,
    /// True if agents moved so far in a step that they may have missed others, or if a formula had values
    /// that were not written.
    pub(super) is_doubtful: bool,
}

/// A run that ended, or that failed.
pub(super) type RunEnd = Result<SweptRun, (usize, Failure)>;

/// One pool per worker. Threads that are left over go to the first ones.
///
/// # Errors
/// If the system refuses a thread.
pub(super) fn pools(workers: usize, threads: usize) -> Outcome<Vec<ThreadPool>> {
    let share = |worker: usize| threads / workers + usize::from(worker < threads % workers);
    (0..workers).map(|worker| Ok(pool(share(worker).max(1))?)).collect()
}

/// Runs all of `runs` and hands over their ends as they come; `receive` gets the channel, and sets
/// `is_over` to end the runs early.
pub(super) fn run_all<T>(
    plan: &SweepPlan,
    runs: &[usize],
    pools: &[ThreadPool],
    is_over: &AtomicBool,
    receive: impl FnOnce(Receiver<RunEnd>) -> T,
) -> T {
    let next = AtomicUsize::new(0);
    let (to, ends) = channel();
    thread::scope(|scope| {
        for pool in pools {
            let (to, next, notes) = (to.clone(), &next, held::current());
            scope.spawn(move || {
                let mut flags = run_flags();
                let stops = || is_over.load(Ordering::Relaxed) || interrupt::asked().is_some();
                while let Some(&run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let is_first = Some(&run) == runs.first();
                    let end = match plan.args(&mut flags, run) {
                        Ok(args) => unless_refused(|| {
                            pool.install(|| {
                                held::within(notes.clone(), || {
                                    complete(plan, run, &args, is_first, &stops)
                                })
                            })
                        }),
                        Err(why) => Err(Failure::usage(why)),
                    };
                    let sent = match end {
                        Ok(Some(end)) => to.send(Ok(end)),
                        Ok(None) => return,
                        Err(failure) => to.send(Err((run, failure))),
                    };
                    if sent.is_err() {
                        return;
                    }
                }
            });
        }
        drop(to);
        receive(ends)
    })
}

/// Runs one run to its end, on the threads of the pool that it is called in; none if it is stopped.
/// The first one of a sweep prints the notes that `jostle run` prints before its steps.
///
/// # Errors
/// If the run can't begin, or a step fails.
fn complete(
    plan: &SweepPlan,
    run: usize,
    args: &RunArgs,
    is_first: bool,
    stops: &dyn Fn() -> bool,
) -> Outcome<Option<SweptRun>> {
    let begun = Instant::now();
    let (mut sim, steps) = place(args, is_first)?;
    for _ in 0..args.warmup {
        if stops() {
            return Ok(None);
        }
        sim.step().map_err(Failure::midway)?;
    }
    let (every, before) = (plan.every(steps), sim.counters().tunnelled);
    let mut averages = RunAverages::begin(&sim);
    for step in 1..=steps {
        if stops() {
            return Ok(None);
        }
        sim.step().map_err(Failure::midway)?;
        if step.is_multiple_of(every) {
            averages.sample(&mut sim).map_err(Failure::midway)?;
        }
    }
    let tunnelled = sim.counters().tunnelled - before;
    let (setup, agents) = (sim.setup(), sim.setup().agents as usize);
    let long_moves = Warning::long_moves(setup, agents, steps, tunnelled);
    Ok(Some(SweptRun {
        run,
        is_doubtful: (sim.collides() && long_moves.is_some())
            || !sim.unwritten_formulas().is_empty(),
        hash: sim.state_hash(),
        values: averages.end(&mut sim, &plan.observed).map_err(Failure::midway)?,
        seconds: begun.elapsed().as_secs_f64(),
    }))
}

/// The run at its beginning, and the number of its measured steps.
fn place(args: &RunArgs, is_first: bool) -> Outcome<(Sim, u64)> {
    let beginning = Beginning::new(&args.world, args.snapshot.load.as_deref())?;
    let steps = steps_of(args.steps, args.seconds, beginning.setup())?;
    let mut sim = beginning.sim()?;
    if is_first {
        beginning.note(&sim)?;
        notes::print(beginning.setup(), rayon::current_num_threads(), args.world.simd);
    }
    sim.set_simd(args.world.simd.usable());
    sim.set_index(args.world.index)?;
    Ok((sim, steps))
}

/// About how many seconds a run takes: its placing, and a few of its steps.
///
/// # Errors
/// As [`complete`].
pub(super) fn predicted(plan: &SweepPlan, args: &RunArgs) -> Outcome<f64> {
    /// Seconds that are measured, and steps at most.
    const MEASURED: f64 = 0.2;
    const STEPS: u64 = 200;
    let begun = Instant::now();
    let (mut sim, steps) = place(args, false)?;
    let placed = begun.elapsed().as_secs_f64();
    let (begun, mut taken) = (Instant::now(), 0);
    let all = args.warmup.saturating_add(steps);
    while taken < all.min(STEPS) && begun.elapsed().as_secs_f64() < MEASURED {
        sim.step().map_err(Failure::midway)?;
        taken += 1;
    }
    let step = begun.elapsed().as_secs_f64() / taken.max(1) as f64;
    let mut averages = RunAverages::begin(&sim);
    let begun = Instant::now();
    averages.sample(&mut sim).map_err(Failure::midway)?;
    let sample = begun.elapsed().as_secs_f64();
    Ok(placed + step * all as f64 + sample * (steps / plan.every(steps)) as f64)
}
