//! The comparison as text: for a terminal, in Markdown, as CSV.

use std::fmt::Write;

use super::{
    super::{
        format::{bytes, grouped, short},
        timing::Spread,
    },
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
            "{BOLD}{:<width$}{:>10}{:>10}{:>10}{:>10}{:>9}{:>11}{:>9}{:>8}{BOLD:#}",
            "milliseconds",
            "update",
            "pairs",
            "both",
            "p99",
            "spread",
            "memory",
            "B/agent",
            "times"
        );
        for row in &case {
            let _ = match &row.skipped {
                Some(why) => writeln!(text, "{:<width$}  {}", row.index, skipped(why)),
                None => writeln!(
                    text,
                    "{:<width$}{:>10}{:>10}{:>10}{:>10}{:>9}{:>11}{:>9}{:>8}",
                    row.index,
                    milliseconds(row.update_ms.p50),
                    milliseconds(row.pairs_ms.p50),
                    milliseconds(row.index_ms.p50),
                    milliseconds(row.index_ms.p99),
                    row.spread.map_or(String::new(), |share| format!("{:.0} %", share * 100.0)),
                    row.bytes.map_or(String::new(), |held| bytes(held as u64)),
                    row.bytes_per_agent.map_or(String::new(), |held| format!("{held:.1}")),
                    times(row, &case).map_or(String::new(), |times| format!("{times:.2}")),
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
        "| scene | agents | threads | index | update ms | pairs ms | both ms | p99 ms | spread | \
         bytes an agent | times |\n|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|\n",
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
                Some(why) => writeln!(text, " {} | | | | | | |", skipped(why)),
                None => writeln!(
                    text,
                    " {} | {} | {} | {} | {:.0} % | {:.1} | {} |",
                    milliseconds(row.update_ms.p50),
                    milliseconds(row.pairs_ms.p50),
                    milliseconds(row.index_ms.p50),
                    milliseconds(row.index_ms.p99),
                    row.spread.unwrap_or(0.0) * 100.0,
                    row.bytes_per_agent.unwrap_or(0.0),
                    times(row, &case).map_or(String::new(), |times| format!("{times:.2}")),
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
    let spreads = ["update_ms", "pairs_ms", "index_ms"];
    let mut head: Vec<String> =
        ["scene", "agents", "threads", "input", "index", "skipped", "overlaps"]
            .map(String::from)
            .into();
    for name in spreads {
        head.extend(["mean", "p50", "p99", "max"].map(|figure| format!("{name}_{figure}")));
    }
    head.extend(["spread", "bytes", "bytes_per_agent", "growths"].map(String::from));
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
        for Spread { mean, p50, p99, max } in [row.update_ms, row.pairs_ms, row.index_ms] {
            line.extend([mean, p50, p99, max].map(known));
        }
        line.extend([
            known(row.spread),
            known(row.bytes),
            known(row.bytes_per_agent),
            known(row.growths),
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

/// How many times as long as the double grid it takes.
fn times(row: &Row, case: &[&Row]) -> Option<f64> {
    let hero = case.iter().find(|row| row.index == HERO)?;
    Some(row.index_ms.p50? / hero.index_ms.p50?)
}

/// What a reader has to know about all of it.
fn caption(comparison: &Comparison) -> String {
    let Comparison { version, simd, input, warmup, steps, repeats, .. } = comparison;
    let order = match *input {
        "cell" => "in the order of the cells at the start of the measurement",
        _ => "in the order of their ids, which are dealt at random",
    };
    format!(
        "Medians of {repeats} x {steps} steps after {warmup}; an index gets the agents {order}. Times are \
         compared with {HERO}; spread is between repeats. jostle {version}, {simd}."
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
