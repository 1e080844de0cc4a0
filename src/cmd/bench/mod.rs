//! `jostle bench`: spatial indexes side by side, at any number of agents, on any scene.
//!
//! What is timed is an index's share of a step: its update, and all pairs that overlap. Both take positions by
//! id from a simulation that runs on; each pair that comes out goes into a digest, whose cost is charged. The
//! digest is held against the simulation's own search after every step.

mod case;
mod chart;
mod digest;
mod forecast;
mod input;
mod row;
mod subject;
mod table;

use std::path::Path;

use jostle::{Result, Setup, par::Crew};
use serde::Serialize;

use self::{case::Case, row::Row};
use super::{
    Ended, Failure, Outcome, export, interrupt, memory,
    output::{self, Output},
    print, say,
};
use crate::cli::BenchArgs;

/// Exit status if a check did not hold.
const CHECK: u8 = 3;

/// Medians of repeats that differ by more than this share were taken on a busy machine.
const NOISY: f64 = 0.1;

/// Bytes an agent that an index takes, beside its cells.
const INDEX_BYTES: f64 = 64.0;
/// Bytes a cell of an index that has all cells of the world: a head and a box, and a mark.
const CELL_BYTES: f64 = 28.0;
/// Cells an agent that an index has at most, however empty the world.
const CELLS_MAX: f64 = 64.0;

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
    limit_s: f64,
    rows: Vec<Row>,
}

/// Measures, prints, and draws the chart if it was asked for.
///
/// # Errors
/// If a flag can't be used, memory or the file can't be had, or an index found other pairs than there are.
/// What was measured is printed all the same in that last case.
pub(super) fn bench(args: &BenchArgs) -> Outcome<Ended> {
    let most_threads = args.compared.threads.0.iter().copied().max().unwrap_or(1);
    for &scene in &args.compared.scene.0 {
        for &agents in &args.compared.agents.0 {
            let setup = args.setup(scene, agents)?;
            let indexes = args.compared.index.0.len() as f64 * index_bytes(&setup);
            memory::check(&setup, indexes as u64, most_threads)?;
        }
    }
    interrupt::listen();
    let svg = args.output.svg.as_deref().map(open_svg).transpose()?;
    for note in args.notes() {
        say(&note);
    }

    let rows = compare(args)?;
    let comparison = Comparison {
        version: env!("CARGO_PKG_VERSION"),
        simd: args.simd().level().name(),
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
    let drawn = svg.map(|svg| svg.write(|to| to.write_all(chart::svg(&comparison).as_bytes())));
    printed?;
    drawn.transpose()?;
    check(&comparison.rows)?;
    Ok(interrupt::asked().map_or(Ended::Done, Ended::Signal))
}

/// Bytes that an index takes, at most: the smallest cells are as wide as the largest agent.
fn index_bytes(setup: &Setup) -> f64 {
    let (size, widest) = (setup.world().size(), f64::from(2.0 * setup.radius[1]));
    let agents = f64::from(setup.agents);
    let cells = f64::from(size.x) * f64::from(size.y) / (widest * widest);
    agents * INDEX_BYTES + cells.min(CELLS_MAX * agents) * CELL_BYTES
}

/// All cases, one after the other, until somebody interrupts.
fn compare(args: &BenchArgs) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for &scene in &args.compared.scene.0 {
        for &threads in &args.compared.threads.0 {
            let crew = Crew::new(threads)?;
            let mut forecasts = case::foretell(args, scene)?;
            for &agents in &args.compared.agents.0 {
                if interrupt::asked().is_some() {
                    return Ok(rows);
                }
                rows.extend(case::measure(args, Case { scene, agents }, &crew, &mut forecasts)?);
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

/// An index that found other pairs than there are was not measured at what it is for.
fn check(rows: &[Row]) -> Outcome<()> {
    let wrong = rows.iter().find_map(|row| Some((row, row.wrong?)));
    wrong.map_or(Ok(()), |(row, [found, there])| {
        Err(Failure {
            status: CHECK,
            sentence: format!(
                "{} found {found} pairs that are not the {there} there were; its figures mean nothing",
                row.what()
            ),
        })
    })
}

fn open_svg(path: &Path) -> Result<Output> {
    match export::extension(path).as_deref() {
        Some("svg") => Output::open(path),
        None if output::is_special(path) => Output::open(path),
        _ => Err(export::unknown("--svg", path, ".svg")),
    }
}
