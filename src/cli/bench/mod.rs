//! `jostle bench`: spatial indexes side by side, at any number of agents, on any scene.
//!
//! What is timed is an index's share of a step: its update, and all pairs that overlap. Both take positions by
//! id from a simulation that runs on; each pair that comes out goes into a digest, whose cost is charged. The
//! digest is held against the simulation's own search after every step. And the whole step: of the same
//! simulation with each index in the place of its own, which has to come to the same state.

mod case;
mod chart;
mod digest;
mod forecast;
mod input;
mod row;
mod subject;
mod table;
mod whole;

use crate::{Setup, estimate, index::IndexKind, parallel::pool};
use serde::Serialize;

use self::{case::Case, row::Row};
use super::{Completion, Failure, Outcome, interrupt, memory, output::Output, print, say};
use crate::cli::args::BenchArgs;

/// Exit status if a check did not hold.
const CHECK: u8 = 3;

/// Medians of repeats that differ by more than this share were taken on a busy machine.
const NOISY: f64 = 0.1;

/// All that came out: the object of `--json`.
#[derive(Debug, Serialize)]
struct Comparison {
    version: &'static str,
    simd: &'static str,
    /// The order in which the indexes got the agents.
    input: &'static str,
    warmup: u64,
    steps: u64,
    repeats: u64,
    limit_s: f32,
    rows: Vec<Row>,
}

/// Measures, prints, and draws the chart if it was asked for.
///
/// # Errors
/// If a flag can't be used, memory or the file can't be had, or an index found other pairs than there are, or
/// led to another state.
/// What was measured is printed all the same in that last case.
pub(super) fn bench(args: &BenchArgs) -> Outcome<Completion> {
    let most_threads = args.compared.threads.0.iter().copied().max().unwrap_or(1);
    for &scene in &args.compared.scene.0 {
        for &agents in &args.compared.agents.0 {
            let setup = args.setup(scene, agents)?;
            memory::check_with(&setup, &|setup| beside(args, setup), most_threads)?;
        }
    }
    interrupt::listen();
    let open = |path| Output::open_as("--svg", path, &["svg"]);
    let svg = args.output.svg.as_deref().map(open).transpose()?;
    for note in args.notes() {
        say(&note);
    }

    let rows = compare(args)?;
    let comparison = Comparison {
        version: env!("CARGO_PKG_VERSION"),
        simd: args.simd().name(),
        input: args.compared.input.name(),
        warmup: args.length.warmup,
        steps: args.length.steps,
        repeats: args.length.repeats,
        limit_s: args.length.limit,
        rows,
    };
    warn_of_noise(&comparison.rows);
    let printed = print(&match &args.output {
        output if output.json => format!("{}\n", serde_json::json!(comparison)),
        output if output.csv => table::csv(&comparison),
        output if output.markdown => table::markdown(&comparison),
        _ => table::plain(&comparison),
    });
    let drawn = svg.map(|(output, _)| draw(&comparison, output));
    printed?;
    drawn.transpose()?;
    check(&comparison.rows)?;
    Ok(interrupt::asked().map_or(Completion::Done, Completion::Signal))
}

/// Writes the chart, if there is anything to be seen on it.
fn draw(comparison: &Comparison, output: Output) -> Outcome<()> {
    if let Some(chart) = chart::svg(comparison) {
        output.write(|to| to.write_all(chart.as_bytes()))?;
    } else if interrupt::asked().is_some() {
        say("there is no chart, since nothing was measured yet");
    } else {
        let sentence = "there is no chart, since nothing was measured; a longer --limit would do";
        return Err(Failure { status: 1, message: sentence.to_owned() });
    }
    Ok(())
}

/// Bytes that the indexes take, each alone and with a simulation of its own.
fn beside(args: &BenchArgs, setup: &Setup) -> u64 {
    let one = |&kind: &IndexKind| {
        memory::index_alone(setup) + estimate::bytes(setup) + memory::index(setup, kind)
    };
    args.compared.index.0.iter().map(one).sum()
}

/// All cases, one after the other, until somebody interrupts.
fn compare(args: &BenchArgs) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for &scene in &args.compared.scene.0 {
        for &threads in &args.compared.threads.0 {
            let pool = pool(threads)?;
            let mut forecasts = case::foretell(args, scene)?;
            for &agents in &args.compared.agents.0 {
                if interrupt::asked().is_some() {
                    return Ok(rows);
                }
                rows.extend(case::measure(args, Case { scene, agents }, &pool, &mut forecasts)?);
            }
        }
    }
    Ok(rows)
}

/// Says so if the machine was busy.
fn warn_of_noise(rows: &[Row]) {
    let noisy = |row: &&Row| row.spread.is_some_and(|spread| spread > NOISY);
    let count = rows.iter().filter(noisy).count();
    let most = rows
        .iter()
        .filter(noisy)
        .max_by(|a, b| a.spread.partial_cmp(&b.spread).unwrap_or(std::cmp::Ordering::Equal));
    if let Some(row) = most {
        say(&format!(
            "the machine was busy: in {count} of {} rows the repeats differ by more than {:.0} %, by \
             {:.0} % for {}; leave it alone, or take more --repeats",
            rows.len(),
            NOISY * 100.0,
            row.spread.unwrap_or(0.0) * 100.0,
            row.what()
        ));
    }
}

/// An index that found other pairs than there are was not measured at what it is for, and a run that it led
/// elsewhere neither.
fn check(rows: &[Row]) -> Outcome<()> {
    let sentence = rows.iter().find_map(|row| match (&row.wrong, &row.state_hash, &row.expected_hash) {
        (Some([found, there]), ..) => Some(format!(
            "{} found {found} pairs that are not the {there} there were; its figures mean nothing",
            row.what()
        )),
        (None, Some(hash), Some(expected)) => Some(format!(
            "{} led to the state {hash} and not to {expected}; its figures mean nothing",
            row.what()
        )),
        _ => None,
    });
    sentence.map_or(Ok(()), |sentence| Err(Failure { status: CHECK, message: sentence }))
}

#[cfg(test)]
mod tests {
    use crate::{Scene, index::Naive};

    use super::*;

    #[test]
    fn a_run_that_an_index_led_elsewhere_ends_in_status_3() {
        let mut row = Row::new(&Naive::KIND, &Setup::new(Scene::Gas), 1);
        row.came_to(0xabc, 0xabc);
        assert!(check(&[row.clone()]).is_ok());
        row.came_to(0xabc, 0xdef);
        let failure = check(&[row]).expect_err("the states differ");
        assert_eq!(failure.status, 3);
        let expected = "naive at 500k agents of gas led to the state 0000000000000abc and not to";
        assert!(failure.message.starts_with(expected), "{}", failure.message);
    }
}
