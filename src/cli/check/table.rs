//! The rows as text.

use std::fmt::Write;

use super::row::CheckRow;

const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// One line per row, and one for all of them, which says if cases are missing.
pub(super) fn text(rows: &[CheckRow], seconds: f64, complete: bool) -> String {
    let width = rows.iter().map(|row| row.case.len()).max().unwrap_or(4);
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{BOLD}{:<width$}  {:>12} {:>12} {:>9} {:>9} {:>9}        source{BOLD:#}",
        "case", "measured", "expected", "error %", "sigma %", "within %"
    );
    for row in rows {
        let percent = |share: Option<f64>| {
            share.map_or("-".to_owned(), |share| format!("{:.3}", share * 100.0))
        };
        let verdict = match row.tolerance {
            None => "",
            Some(_) if row.holds() => "holds",
            Some(_) => "FAILS",
        };
        let _ = writeln!(
            text,
            "{:<width$}  {:>12} {:>12} {:>9} {:>9} {:>9} {verdict:>6} {}",
            row.case,
            digits(row.measured),
            digits(row.expected),
            percent(Some(row.error())),
            percent(row.sigma),
            row.tolerance.map_or("-".to_owned(), |most| small(most * 100.0)),
            row.source
        );
    }
    let judged = rows.iter().filter(|row| row.tolerance.is_some()).count();
    let failed = rows.iter().filter(|row| !row.holds()).count();
    let missing = if complete { "" } else { "interrupted, other cases were not run: " };
    let shown = match rows.len() - judged {
        0 => String::new(),
        shown => format!(", {shown} more without a tolerance are only shown"),
    };
    let _ = writeln!(
        text,
        "\n{missing}{failed} of {judged} judged rows fail{shown}; after {seconds:.0} s"
    );
    text
}

/// Five digits, or an exponent.
fn digits(value: f64) -> String {
    if value == 0.0 || value.abs() >= 1e-3 { format!("{value:.5}") } else { format!("{value:.1e}") }
}

/// A share without digits that say nothing.
fn small(value: f64) -> String {
    if value >= 0.01 { format!("{value:.2}") } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_far_off_or_no_number_fails() {
        let row = |measured, tolerance| CheckRow {
            case: "a case".to_owned(),
            measured,
            expected: 2.0,
            sigma: None,
            tolerance,
            source: "a source",
        };
        let mut rows =
            [2.0, 2.019, 1.97, f64::NAN].map(|measured| row(measured, Some(0.01))).to_vec();
        let holds: Vec<bool> = rows.iter().map(CheckRow::holds).collect();
        assert_eq!(holds, [true, true, false, false]);
        let whole = text(&rows, 3.0, true);
        assert_eq!(whole.matches("FAILS").count(), 2, "{whole}");
        assert!(whole.ends_with("\n2 of 4 judged rows fail; after 3 s\n"), "{whole}");
        rows.push(row(9.0, None));
        let whole = text(&rows, 3.0, true);
        let end =
            "\n2 of 4 judged rows fail, 1 more without a tolerance are only shown; after 3 s\n";
        assert!(whole.ends_with(end), "{whole}");
        let part = text(&rows, 3.0, false);
        assert!(part.contains("interrupted") && !whole.contains("interrupted"), "{part}");
    }
}
