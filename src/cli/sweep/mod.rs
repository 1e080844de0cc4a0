//! `jostle sweep FILE.toml`: all combinations of the values in a file, run side by side, as a table.
//!
//! ```text
//! file ─► plan ─► workers ─────────► table ─► plot
//!  range   all runs   average, blocks   one row per run, as soon as it ends
//!          checked
//! ```
//!
//! Each run is the run of `jostle run` with its flags, to the last bit.

mod average;
mod blocks;
mod collect;
mod file;
mod plan;
mod plot;
mod range;
mod rows;
mod worker;

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

pub(super) use self::collect::collect;
use self::{
    plan::{SweepNeeds, SweepPlan},
    plot::SweepPlot,
    rows::SweepTable,
    worker::RunEnd,
};
use super::{
    Failure, Outcome,
    args::{SweepArgs, run_flags},
    format::{bytes, grouped, plural},
    interrupt,
    output::{self, Output},
    print,
    progress::Progress,
    say,
};

/// Failed runs that are named.
const FAILED_MAX: usize = 10;

/// What came of the runs.
#[derive(Debug, Default)]
struct SweepOutcome {
    done: usize,
    /// The first run that may be wrong, and their number.
    doubtful: Option<usize>,
    doubtful_count: usize,
    failed: usize,
}

impl SweepOutcome {
    /// Says how many runs may be wrong.
    fn note(&self, plan: &SweepPlan) {
        if let Some(first) = self.doubtful {
            say(&format!(
                "{} may be wrong, the first with {}; jostle run says why at its end",
                plural(self.doubtful_count, "run"),
                plan.label(first)
            ));
        }
    }
}

/// Runs all runs that have no row yet, and draws the chart.
///
/// # Errors
/// If the file of the sweep is wrong, the table belongs to another one or can't be written, or a run
/// fails.
pub(super) fn sweep(args: &SweepArgs) -> Outcome<u8> {
    args.check_stdout()?;
    let threads = args.threads();
    interrupt::listen(|| ());
    let (plan, needs) = SweepPlan::read(&args.file, threads)?;
    let plot = SweepPlot::new(args, &plan)?;
    let mut table = match &args.out {
        Some(path) => SweepTable::open(path, &plan)?,
        None => SweepTable::new(Path::new(""), &plan),
    };
    let runs = table.missing();
    let workers = needs.workers.min(runs.len()).max(1);
    if args.dry_run {
        return predict(&plan, &table, needs, workers, threads);
    }
    let open = |path| Output::open_as("--plot", path, &["svg"]);
    let chart = args.plot.as_deref().map(open).transpose()?;
    let pools = worker::pools(workers, threads)?;
    table.begin()?;
    interrupt::begun();
    let begun = Instant::now();
    let is_over = AtomicBool::new(false);
    let written = worker::run_all(&plan, &runs, &pools, &is_over, |ends| {
        let progress = Progress::of("sweep", runs.len() as u64, "runs");
        let ends = ends.into_iter().inspect(|_| progress.step());
        let written = receive(&plan, &mut table, &is_over, ends);
        is_over.store(true, Ordering::Relaxed);
        written
    });
    let outcome = written.map_err(|failure| failure.with(&kept(args, &table)))?;
    outcome.note(&plan);
    let SweepOutcome { done, failed, .. } = outcome;
    if table.is_closed() {
        return Ok(0);
    }
    let (has, all) = (table.count(), plan.count);
    let name = args.out.as_deref().map_or("stdout".into(), |path| {
        if output::is_stdout(path) { "stdout".into() } else { path.display().to_string() }
    });
    let header = plan.columns();
    let rows: Vec<Vec<String>> =
        if chart.is_some() { table.values().collect() } else { Vec::new() };
    table.end()?;
    if let Some(status) = interrupt::asked() {
        let goes_on = if name == "stdout" { "" } else { "; the same command goes on from there" };
        say(&format!(
            "stopped: {name} has {} of {} runs{goes_on}",
            grouped(has as u64),
            grouped(all as u64)
        ));
        return Ok(status);
    }
    if let (Some(chart), Some(plot)) = (chart, plot) {
        let drawn = plot.svg(&header, &rows);
        chart.write(|to| to.write_all(drawn.as_bytes()))?;
    }
    if failed > 0 {
        return Err(Failure {
            status: 1,
            message: format!("{} failed, and {name} has no rows of them", plural(failed, "run")),
        });
    }
    let took = Duration::from_secs(begun.elapsed().as_secs_f64().ceil() as u64);
    let took = humantime::format_duration(took);
    let new = match done {
        0 => "which it had before".to_owned(),
        _ if done == all => format!("in {took}"),
        _ => format!("{} of them new, in {took}", grouped(done as u64)),
    };
    say(&format!("{name} has all {}, {new}", plural(all, "run")));
    Ok(0)
}

/// Writes the rows of runs as they end.
fn receive(
    plan: &SweepPlan,
    table: &mut SweepTable,
    is_over: &AtomicBool,
    ends: impl Iterator<Item = RunEnd>,
) -> Outcome<SweepOutcome> {
    let mut outcome = SweepOutcome::default();
    for end in ends {
        match end {
            Ok(end) => {
                if let Err(failure) = table.add(plan, &end) {
                    is_over.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
                outcome.done += 1;
                if end.is_doubtful {
                    outcome.doubtful_count += 1;
                    outcome.doubtful =
                        Some(outcome.doubtful.map_or(end.run, |run| run.min(end.run)));
                }
                if table.is_closed() {
                    is_over.store(true, Ordering::Relaxed);
                }
            }
            Err((run, failure)) => {
                outcome.failed += 1;
                if outcome.failed <= FAILED_MAX {
                    say(&format!("the run with {}: {}", plan.label(run), failure.message));
                }
            }
        }
    }
    Ok(outcome)
}

/// The end of a sentence about a table that could not be written further.
fn kept(args: &SweepArgs, table: &SweepTable) -> String {
    let path = args.out.as_deref().filter(|path| !output::is_special(path));
    path.map_or(String::new(), |path| {
        format!("; {} has {} so far", path.display(), plural(table.count(), "run"))
    })
}

/// Prints what the runs that are missing take.
fn predict(
    plan: &SweepPlan,
    table: &SweepTable,
    needs: SweepNeeds,
    workers: usize,
    threads: usize,
) -> Outcome<u8> {
    /// Runs that are tried.
    const TRIED: usize = 8;
    let missing = table.missing();
    let (mut flags, mut seconds) = (run_flags(), Vec::new());
    let pools = worker::pools(workers, threads)?;
    for run in missing.iter().step_by(missing.len().div_ceil(TRIED).max(1)) {
        let args = plan.args(&mut flags, *run).map_err(Failure::usage)?;
        seconds.push(pools[0].install(|| worker::predicted(plan, &args))?);
    }
    let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
    let all = mean * missing.len() as f64 / workers as f64;
    // Centuries are long enough.
    let all = Duration::from_secs(all.clamp(0.0, 1e10).ceil() as u64);
    let each = threads / workers;
    print(&format!(
        "runs     {}, of which {} are missing\nworkers  {workers}, of {} each\nmemory   {}\ntime     about {}\n",
        grouped(plan.count as u64),
        grouped(missing.len() as u64),
        plural(each.max(1), "thread"),
        bytes((needs.bytes + average::BYTES).saturating_mul(workers as u64)),
        humantime::format_duration(all)
    ))
}
