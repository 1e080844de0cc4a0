//! The comparison as text: for a terminal, in Markdown, as CSV.

use std::fmt::Write;

use crate::timing::TimeSummary;

use super::{
    super::format::{bytes, grouped, short},
    Comparison,
    row::{Row, Skipped},
};

const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// The index that the others are compared with.
pub(super) const HERO: &str = "double-grid";

/// A block of lines for each case, the quickest index first.
pub(super) fn plain(comparison: &Comparison) -> String {
    let mut text = String::new();
    let width = comparison.rows.iter().map(|row| row.index.len()).max().unwrap_or(0).max(12);
    for case in cases(comparison) {
        let Some(first) = case.first() else { continue };
        let pairs = case.iter().find_map(|row| row.pairs);
        let pairs = pairs.map_or(String::new(), |pairs| format!(", {} pairs", grouped(pairs)));
        let _ = writeln!(
            text,
            "{BOLD}{}, {} agents, {} thread{}{BOLD:#}{pairs}",
            first.scene,
            grouped(first.agents),
            first.threads,
            if first.threads == 1 { "" } else { "s" },
        );
        let _ = writeln!(
            text,
            "{BOLD}{:<width$}{:>9}{:>9}{:>9}{:>9}{:>8}{:>9}{:>9}{:>8}{:>9}{:>9}{:>11}{:>9}{BOLD:#}",
            "milliseconds",
            "update",
            "pairs",
            "both",
            "p99",
            "times",
            "step",
            "p99",
            "times",
            "order",
            "spread",
            "memory",
            "B/agent",
        );
        for row in &case {
            let _ = match &row.skipped {
                Some(why) => writeln!(text, "{:<width$}  {}", row.index, skipped(why)),
                None => writeln!(
                    text,
                    "{:<width$}{:>9}{:>9}{:>9}{:>9}{:>8}{:>9}{:>9}{:>8}{:>9}{:>9}{:>11}{:>9}",
                    row.index,
                    milliseconds(row.update_ms.p50),
                    milliseconds(row.pairs_ms.p50),
                    milliseconds(row.index_ms.p50),
                    milliseconds(row.index_ms.p99),
                    times(row, &case, index),
                    milliseconds(row.step_ms.p50),
                    milliseconds(row.step_ms.p99),
                    times(row, &case, step),
                    milliseconds(row.order_ms.p50),
                    row.spread.map_or(String::new(), |share| format!("{:.0} %", share * 100.0)),
                    row.bytes.map_or(String::new(), |held| bytes(held as u64)),
                    row.bytes_per_agent.map_or(String::new(), |held| format!("{held:.1}")),
                ),
            };
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", caption(comparison));
    text
}

/// One table, a row an index and case, with what it needs to be read alone.
pub(super) fn markdown(comparison: &Comparison) -> String {
    let mut text = String::from(
        "| scene | agents | threads | index | update ms | pairs ms | both ms | p99 ms | times | step ms | \
         p99 ms | times | order ms | spread | bytes an agent |\n\
         |---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for case in cases(comparison) {
        for row in &case {
            let _ = write!(
                text,
                "| {} | {} | {} | `{}` |",
                row.scene,
                short(row.agents),
                row.threads,
                row.index
            );
            let _ = match &row.skipped {
                Some(why) => writeln!(text, " {} {}", skipped(why), "| ".repeat(11).trim_end()),
                None => writeln!(
                    text,
                    " {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} % | {:.1} |",
                    milliseconds(row.update_ms.p50),
                    milliseconds(row.pairs_ms.p50),
                    milliseconds(row.index_ms.p50),
                    milliseconds(row.index_ms.p99),
                    times(row, &case, index),
                    milliseconds(row.step_ms.p50),
                    milliseconds(row.step_ms.p99),
                    times(row, &case, step),
                    milliseconds(row.order_ms.p50),
                    row.spread.unwrap_or(0.0) * 100.0,
                    row.bytes_per_agent.unwrap_or(0.0),
                ),
            };
        }
    }
    let _ = writeln!(text, "\n{}", caption(comparison));
    text
}

/// A line an index and case; what is not known is empty.
pub(super) fn csv(comparison: &Comparison) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    let spreads = ["update_ms", "pairs_ms", "index_ms", "step_ms", "order_ms"];
    let mut head: Vec<String> =
        ["scene", "agents", "threads", "input", "index", "skipped", "overlaps"]
            .map(String::from)
            .into();
    for name in spreads {
        head.extend(["mean", "p50", "p99", "max"].map(|figure| format!("{name}_{figure}")));
    }
    head.extend(["spread", "bytes", "bytes_per_agent", "growths", "state_hash"].map(String::from));
    // Writing to memory does not fail.
    let _ = table.write_record(&head);
    for row in &comparison.rows {
        let mut line = vec![
            row.scene.to_string(),
            row.agents.to_string(),
            row.threads.to_string(),
            comparison.input.to_string(),
            row.index.to_string(),
            row.skipped.as_ref().map(skipped).unwrap_or_default(),
            known(row.pairs),
        ];
        let spreads = [row.update_ms, row.pairs_ms, row.index_ms, row.step_ms, row.order_ms];
        for TimeSummary { mean, p50, p99, max } in spreads {
            line.extend([mean, p50, p99, max].map(known));
        }
        line.extend([
            known(row.spread),
            known(row.bytes),
            known(row.bytes_per_agent),
            known(row.growths),
            known(row.state_hash.as_ref()),
        ]);
        let _ = table.write_record(&line);
    }
    let bytes = table.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The rows of each case, the quickest first and those that were skipped last.
fn cases(comparison: &Comparison) -> Vec<Vec<&Row>> {
    let mut cases: Vec<Vec<&Row>> = Vec::new();
    let case = |row: &Row| (row.scene, row.agents, row.threads);
    for row in &comparison.rows {
        match cases.last_mut() {
            Some(last) if case(last[0]) == case(row) => last.push(row),
            _ => cases.push(vec![row]),
        }
    }
    for case in &mut cases {
        let took = |row: &Row| row.index_ms.p50.unwrap_or(f64::INFINITY);
        case.sort_by(|one, other| took(one).total_cmp(&took(other)));
    }
    cases
}

/// Milliseconds of an index's share.
fn index(row: &Row) -> Option<f64> {
    row.index_ms.p50
}

/// Milliseconds of a whole step.
fn step(row: &Row) -> Option<f64> {
    row.step_ms.p50
}

/// How many times as long as the double grid it takes.
fn times(row: &Row, case: &[&Row], took: fn(&Row) -> Option<f64>) -> String {
    let hero = case.iter().find(|row| row.index == HERO);
    let times = hero.and_then(|hero| Some(took(row)? / took(hero)?));
    times.map_or(String::new(), |times| match times {
        _ if times >= 99.95 => format!("{times:.0}"),
        _ if times >= 9.995 => format!("{times:.1}"),
        _ => format!("{times:.2}"),
    })
}

/// What a reader has to know about all of it.
fn caption(comparison: &Comparison) -> String {
    let Comparison { version, simd, input, warmup, steps, repeats, .. } = comparison;
    let order = match *input {
        "cell" => "in the order of the cells at the start of the measurement",
        _ => "in the order of their ids, which are dealt at random",
    };
    format!(
        "Medians of {repeats} x {steps} steps after {warmup}; an index gets the agents {order}. Both: update and \
         pairs.\nStep: a whole step of a simulation on that index, without keeping the agents' order (order). \
         Times are those of\n{HERO}; spread is between repeats. jostle {version}, {simd}."
    )
}

fn skipped(why: &Skipped) -> String {
    match why {
        Skipped::Slow { foretold_s } => {
            format!("skipped: foretold to take {foretold_s:.1} s a step")
        }
        Skipped::Refused(why) => format!("skipped: {why}"),
    }
}

/// Milliseconds with three digits or more.
fn milliseconds(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| match value {
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ if value >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    })
}

fn known(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
