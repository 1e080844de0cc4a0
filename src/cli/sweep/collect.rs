//! A sweep of a host: its table in memory, without a file and without a bar.

use std::{
    iter,
    path::Path,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use super::{
    plan::SweepPlan,
    receive,
    rows::SweepTable,
    worker::{self, RunEnd},
};
use crate::cli::{Outcome, format::plural, say, worlds};

/// Time between two questions whether the sweep is to stop, also while runs end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs all runs of a file, or of a text in place of it, until `stops` returns true; returns the
/// names of the columns and the rows. Says which runs failed, and whether some may be wrong.
///
/// # Errors
/// If the file of the sweep is wrong, or the system refuses threads.
pub(in crate::cli) fn collect(
    path: &Path,
    text: Option<&str>,
    threads: usize,
    stops: &mut dyn FnMut() -> bool,
) -> Outcome<(Vec<String>, Vec<Vec<String>>)> {
    let read = text.is_none().then(|| worlds::text_of(path)).transpose()?;
    let text = text.or(read.as_deref()).unwrap_or_default();
    let (plan, needs) = SweepPlan::of_text(path, text, threads)?;
    let mut table = SweepTable::new(path, &plan);
    let runs = table.missing();
    let workers = needs.workers.min(runs.len()).max(1);
    let pools = worker::pools(workers, threads)?;
    let is_over = AtomicBool::new(false);
    let outcome = worker::run_all(&plan, &runs, &pools, &is_over, |ends| {
        let mut asked = Instant::now();
        let mut is_stopped = || {
            if asked.elapsed() >= PATIENCE {
                asked = Instant::now();
                if stops() {
                    is_over.store(true, Ordering::Relaxed);
                }
            }
            is_over.load(Ordering::Relaxed)
        };
        let ends = iter::from_fn(|| next(&ends, &mut is_stopped));
        receive(&plan, &mut table, &is_over, ends)
    })?;
    outcome.note(&plan);
    if outcome.failed > 0 {
        say(&format!(
            "{} failed, and the table has no rows of them",
            plural(outcome.failed, "run")
        ));
    }
    Ok((plan.columns(), table.values().collect()))
}

/// The next run that ends; none after the last one, or when the sweep is to stop.
fn next(ends: &Receiver<RunEnd>, is_stopped: &mut dyn FnMut() -> bool) -> Option<RunEnd> {
    while !is_stopped() {
        match ends.recv_timeout(PATIENCE) {
            Ok(end) => return Some(end),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}
