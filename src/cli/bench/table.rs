//! The comparison as text: for a terminal, in Markdown, as CSV.

use std::fmt::Write;

use crate::cli::{
    args::names::InputOrder,
    format::{bytes, four_digits, grouped, plural, short},
};

use super::{
    Comparison,
    row::{BenchRow, Skipped},
};

const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// The index that the others are compared with.
pub(super) const REFERENCE: &str = "double-grid";

/// The columns after the index: their headings in text and in Markdown, and their width in text.
const COLUMNS: [(&str, &str, usize); 12] = [
    ("update", "update ms", 9),
    ("pairs", "pairs ms", 9),
    ("index", "index ms", 9),
    ("p99", "p99 ms", 9),
    ("times", "times", 8),
    ("step", "step ms", 9),
    ("p99", "p99 ms", 9),
    ("times", "times", 8),
    ("order", "order ms", 9),
    ("spread", "spread", 9),
    ("memory", "memory", 11),
    ("B/agent", "bytes per agent", 9),
];

/// A block of lines per case, the fastest index first.
pub(super) fn plain(comparison: &Comparison) -> String {
    let mut text = String::new();
    let width = comparison.rows.iter().map(|row| row.index.len()).max().unwrap_or(0).max(12);
    for case in cases(comparison) {
        let BenchRow { scene, agents, threads, .. } = case[0];
        let forces = case.iter().find_map(|row| row.phases_ms.forces.p50.filter(|&it| it > 0.0));
        let forces =
            forces.map_or(String::new(), |ms| format!(", forces {} ms", digits(Some(ms), 3)));
        let pairs = case.iter().find_map(|row| row.pairs);
        let pairs = pairs.map_or(String::new(), |pairs| format!(", {} pairs", grouped(pairs)));
        let (agents, threads) = (plural(*agents as usize, "agent"), plural(*threads, "thread"));
        let _ = writeln!(text, "{BOLD}{scene}, {agents}, {threads}{BOLD:#}{pairs}{forces}");
        let _ = write!(text, "{BOLD}{:<width$}", "milliseconds");
        for (heading, _, width) in COLUMNS {
            let _ = write!(text, "{heading:>width$}");
        }
        let _ = writeln!(text, "{BOLD:#}");
        for row in &case {
            let _ = write!(text, "{:<width$}", row.index);
            if let Some(why) = &row.skipped {
                let _ = write!(text, "  {}", skipped(why));
            } else {
                for (value, (_, _, width)) in values(row, &case).into_iter().zip(COLUMNS) {
                    let _ = write!(text, "{value:>width$}");
                }
            }
            text.push('\n');
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", caption(comparison));
    text
}

/// One table with a row per index and case.
pub(super) fn markdown(comparison: &Comparison) -> String {
    let mut text = String::from("| scene | agents | threads | index |");
    for (_, heading, _) in COLUMNS {
        let _ = write!(text, " {heading} |");
    }
    let _ = writeln!(text, "\n|---|--:|--:|---|{}", "--:|".repeat(COLUMNS.len()));
    for case in cases(comparison) {
        for row in &case {
            let BenchRow { scene, agents, threads, index, .. } = row;
            let _ = write!(text, "| {scene} | {} | {threads} | `{index}` |", short(*agents));
            let values = match &row.skipped {
                Some(why) => {
                    std::array::from_fn(|n| if n == 0 { skipped(why) } else { String::new() })
                }
                None => values(row, &case),
            };
            for value in values {
                let _ = write!(text, " {value} |");
            }
            text.push('\n');
        }
    }
    let _ = writeln!(text, "\n{}", caption(comparison));
    text
}

/// One line per index and case; unknown values are empty.
pub(super) fn csv(comparison: &Comparison) -> String {
    let times = ["update_ms", "pairs_ms", "index_ms", "step_ms", "order_ms", "forces_ms"];
    let times = times
        .iter()
        .flat_map(|name| ["mean", "p50", "p99", "max"].map(|figure| format!("{name}_{figure}")));
    let case = ["scene", "agents", "threads", "input", "index", "skipped", "pairs"];
    let rest = ["spread", "bytes", "bytes_per_agent", "growths", "state_hash"];
    let head = case.map(String::from).into_iter().chain(times).chain(rest.map(String::from));
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = table.write_record(head.collect::<Vec<_>>());
    for row in &comparison.rows {
        let why = row.skipped.as_ref().map(skipped);
        let _ = table.serialize((
            (&row.scene, row.agents, row.threads, comparison.input, row.index, why, row.pairs),
            (row.update_ms, row.pairs_ms, row.index_ms),
            (row.step_ms, row.order_ms, row.phases_ms.forces),
            (row.spread, row.bytes, row.bytes_per_agent, row.growths, &row.state_hash),
        ));
    }
    let bytes = table.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The rows of each case, the fastest index first and the skipped ones last.
fn cases(comparison: &Comparison) -> impl Iterator<Item = Vec<&BenchRow>> {
    fn case(row: &BenchRow) -> (&str, u32, usize) {
        (&row.scene, row.agents, row.threads)
    }
    comparison.rows.chunk_by(|one, other| case(one) == case(other)).map(|rows| {
        let mut rows: Vec<&BenchRow> = rows.iter().collect();
        let took = |row: &BenchRow| row.index_ms.p50.unwrap_or(f64::INFINITY);
        rows.sort_by(|one, other| took(one).total_cmp(&took(other)));
        rows
    })
}

/// The values of a row in the [`COLUMNS`].
fn values(row: &BenchRow, case: &[&BenchRow]) -> [String; COLUMNS.len()] {
    let reference = case.iter().find(|row| row.index == REFERENCE);
    let times = |took: fn(&BenchRow) -> Option<f64>| {
        let times = reference.and_then(|reference| Some(took(row)? / took(reference)?));
        digits(times, 2)
    };
    [
        digits(row.update_ms.p50, 3),
        digits(row.pairs_ms.p50, 3),
        digits(row.index_ms.p50, 3),
        digits(row.index_ms.p99, 3),
        times(|row| row.index_ms.p50),
        digits(row.step_ms.p50, 3),
        digits(row.step_ms.p99, 3),
        times(|row| row.step_ms.p50),
        digits(row.order_ms.p50, 3),
        row.spread.map_or(String::new(), |share| format!("{:.0} %", share * 100.0)),
        row.bytes.map_or(String::new(), |held| bytes(held as u64)),
        row.bytes_per_agent.map_or(String::new(), |held| format!("{held:.1}")),
    ]
}

/// The facts about all rows.
fn caption(comparison: &Comparison) -> String {
    let Comparison { origin, simd, input, warmup, steps, repeats, .. } = comparison;
    let order = match *input {
        InputOrder::Cell => "in the order of the cells at the start of the measurement",
        InputOrder::Id => "in the order of their ids, which is random in space",
    };
    format!(
        "Medians of {repeats} x {steps} steps after {warmup}; an index gets the agents {order}. \
         Index: update and pairs.\nStep: a whole step of a simulation with that index, without \
         keeping the agents' order (order). Times are relative\nto \
         {REFERENCE}; spread is between repeats.\n{origin}, {simd}."
    )
}

fn skipped(why: &Skipped) -> String {
    match why {
        Skipped::Slow { predicted_s } => {
            format!("skipped: predicted to take {} s per step", four_digits(*predicted_s as f32))
        }
        Skipped::Refused(why) => format!("skipped: {why}"),
    }
}

/// A value with three digits or more, and at most that many decimals.
fn digits(value: Option<f64>, decimals: usize) -> String {
    value.map_or(String::new(), |value| match value {
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ if value >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.decimals$}"),
    })
}
