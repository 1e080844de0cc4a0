//! `jostle bench`: spatial indexes side by side, with any number of agents, in any scene
//! or world file.
//!
//! An index alone is measured by its update and its search for all overlapping pairs, with
//! positions by id from a running simulation. The pairs go into a hash, as part of the measured
//! time, and the hash is compared with the simulation's own search after every step. Whole steps
//! are measured in the same simulation with the index in place of the double grid; it has to reach
//! the same state.
//!
//! Read [`case`] for the procedure, [`measure`] for what is timed, then [`table`] and [`chart`].

mod admit;
mod case;
mod chart;
mod measure;
mod row;
mod table;

use crate::parallel::pool;
use serde::Serialize;

use self::row::BenchRow;
use super::{
    Failure, Outcome, interrupt, json, notes,
    origin::{Origin, Revision},
    output::Output,
    print, print_beside, say,
};
use crate::cli::args::{BenchArgs, names::InputOrder};

/// Exit status if a check failed.
const CHECK: u8 = 3;

/// Relative range of medians above which the machine was busy.
const NOISY: f64 = 0.1;

/// All results: the object of `--json`.
#[derive(Debug, Serialize)]
struct Comparison {
    #[serde(flatten)]
    origin: Origin,
    simd: &'static str,
    /// Order in which the indexes got the agents.
    input: InputOrder,
    warmup: u64,
    steps: u64,
    repeats: u64,
    limit_s: f64,
    rows: Vec<BenchRow>,
}

/// Measures, prints, and writes the chart if there is a file for it.
///
/// # Errors
/// If a flag can't be used, memory or the file can't be had, or an index found wrong pairs or led
/// to a wrong state. In that last case the results are printed all the same.
pub(super) fn bench(args: &BenchArgs, revision: Revision) -> Outcome<u8> {
    let stdout_is_taken = args.stdout_is_taken()?;
    let most_threads = args.threads().last().copied().unwrap_or(1);
    admit::admit(args)?;
    interrupt::listen(|| ());
    let open = |path| Output::open_as("--svg", path, &["svg"]);
    let svg = args.svg.as_deref().map(open).transpose()?;
    args.simd.note();
    notes::crowd(most_threads);

    let rows = compare(args)?;
    let comparison = Comparison {
        origin: Origin::new(revision),
        simd: args.simd.usable().name(),
        input: args.input,
        warmup: args.warmup,
        steps: args.steps,
        repeats: args.repeats,
        limit_s: args.limit,
        rows,
    };
    warn_of_noise(&comparison.rows);
    let printed = if args.json {
        print(&json(&comparison))
    } else if args.csv {
        print(&table::csv(&comparison))
    } else if args.markdown {
        print(&table::markdown(&comparison))
    } else {
        print_beside(stdout_is_taken, &table::plain(&comparison))
    };
    let drawn = svg.map(|output| draw(&comparison, output));
    printed?;
    drawn.transpose()?;
    check(&comparison.rows)?;
    Ok(interrupt::status())
}

/// Writes the chart, unless it is empty.
fn draw(comparison: &Comparison, output: Output) -> Outcome<()> {
    if let Some(chart) = chart::svg(comparison) {
        output.write(|to| to.write_all(chart.as_bytes()))?;
    } else if interrupt::asked().is_some() {
        say("there is no chart, because nothing was measured yet");
    } else {
        let message = "there is no chart, because nothing was measured; try a longer --limit";
        return Err(Failure { status: 1, message: message.to_owned() });
    }
    Ok(())
}

/// All cases in turn, until they are done or interrupted.
fn compare(args: &BenchArgs) -> Outcome<Vec<BenchRow>> {
    let mut rows = Vec::new();
    for scene in args.scenes() {
        for threads in args.threads() {
            let pool = pool(threads)?;
            let beginnings = case::beginnings(args, &scene)?;
            let mut predictions = case::predict(args, &scene, &beginnings)?;
            for beginning in &beginnings {
                if interrupt::asked().is_some() {
                    return Ok(rows);
                }
                rows.extend(case::measure(args, beginning, &pool, &mut predictions)?);
            }
        }
    }
    Ok(rows)
}

/// Warns if the machine was busy.
fn warn_of_noise(rows: &[BenchRow]) {
    let spreads = rows.iter().filter_map(|row| Some((row.spread?, row)));
    let noisy: Vec<_> = spreads.filter(|&(spread, _)| spread > NOISY).collect();
    if let Some((spread, row)) = noisy.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
        say(&format!(
            "the machine was busy: in {} of {} rows the repeats differ by more than {:.0} %, by \
             {:.0} % for {}; close other programs, or use more --repeats",
            noisy.len(),
            rows.len(),
            NOISY * 100.0,
            spread * 100.0,
            row.name()
        ));
    }
}

/// Fails if an index found wrong pairs or led to a wrong state: its measurements are meaningless.
fn check(rows: &[BenchRow]) -> Outcome<()> {
    for row in rows {
        let after = row.differs_after.map(|step| format!("; its state is wrong after step {step}"));
        let after = after.unwrap_or_default();
        let wrong = match (&row.wrong, &row.state_hash, &row.expected_hash) {
            (Some([found, expected]), ..) => {
                format!("found {found} pairs that are not the expected {expected}")
            }
            (None, Some(hash), Some(expected)) => {
                format!("led to the state {hash} and not to {expected}{after}")
            }
            _ if row.differs_after.is_some() => {
                "came to the right state by a wrong way".to_owned() + &after
            }
            _ => continue,
        };
        let message = format!("{} {wrong}; its measurements are meaningless", row.name());
        return Err(Failure { status: CHECK, message });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::index::Naive;

    use super::*;

    #[test]
    fn a_wrong_state_ends_in_status_3() {
        let mut row = BenchRow::new(&Naive::KIND, "gas".to_owned(), 500_000, 1);
        row.set_hashes(0xabc, 0xabc);
        assert!(check(&[row.clone()]).is_ok());
        row.differs_after = Some(60);
        let failure = check(&[row.clone()]).expect_err("the way differs");
        assert!(failure.message.contains("by a wrong way; its state is wrong after step 60;"));
        row.set_hashes(0xabc, 0xdef);
        row.differs_after = Some(120);
        let failure = check(&[row]).expect_err("the states differ");
        assert_eq!(failure.status, 3);
        let expected = "naive at 500k agents of gas led to the state 0000000000000abc and not to";
        assert!(failure.message.starts_with(expected), "{}", failure.message);
        assert!(failure.message.contains("0def; its state is wrong after step 120;"));
    }
}
