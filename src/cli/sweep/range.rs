//! Ranges of numbers in a text: `1..20`, `0.1..0.9 step 0.1`. In whole multiples of a power of ten, so
//! that 0.1 + 0.2 is 0.3.

/// Runs that a sweep may have, and so values of a range.
pub(super) const RUNS_MAX: usize = 100_000;

/// Digits that a number of a range may have, of which this many may stand behind the point.
const DIGITS_MAX: usize = 15;

/// A number as its digits and the power of ten that divides them.
type Decimal = (i128, u32);

/// The numbers of a range, its last one included; none of a text without `..`.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub(super) fn numbers(text: &str) -> Option<Result<Vec<String>, String>> {
    let (first, rest) = text.split_once("..")?;
    Some(listed(text, first, rest))
}

fn listed(text: &str, first: &str, rest: &str) -> Result<Vec<String>, String> {
    let (last, step) = match rest.split_once("step") {
        Some((last, step)) => (last, Some(step)),
        None => (rest, None),
    };
    let read = |part: &str| {
        decimal(part.trim()).ok_or_else(|| {
            "is no range of numbers; write one like \"1..20\" or \"0.1..0.9 step 0.1\", or a list"
                .to_owned()
        })
    };
    let (first, last) = (read(first)?, read(last)?);
    let step = match step {
        Some(step) => read(step)?,
        None if first.1 == 0 && last.1 == 0 => (1, 0),
        None => return Err(format!("has no step; write one like \"{text} step 0.1\"")),
    };
    let places = first.1.max(last.1).max(step.1);
    let [first, last, step] =
        [first, last, step].map(|(digits, own)| digits * 10_i128.pow(places - own));
    if step <= 0 {
        return Err("has a step that is not above 0; write the smaller number first".into());
    }
    if first > last {
        return Err("has the larger number first; swap the two".into());
    }
    let steps = (last - first) / step;
    if steps >= RUNS_MAX as i128 {
        return Err(format!("has {} values: expected at most {RUNS_MAX}", steps + 1));
    }
    Ok((0..=steps).map(|at| shown(first + at * step, places)).collect())
}

fn decimal(text: &str) -> Option<Decimal> {
    let (sign, number) = match text.strip_prefix('-') {
        Some(number) => (-1, number),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}").replace('_', "");
    let is_number = !digits.is_empty()
        && digits.len() <= DIGITS_MAX
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    let digits: i128 = if is_number { digits.parse().ok()? } else { return None };
    Some((sign * digits, fraction.replace('_', "").len() as u32))
}

/// A number without zeros at the end of its fraction.
fn shown(digits: i128, places: u32) -> String {
    let one = 10_i128.pow(places);
    let sign = if digits < 0 { "-" } else { "" };
    let (whole, fraction) = (digits.abs() / one, digits.abs() % one);
    if fraction == 0 {
        return format!("{sign}{whole}");
    }
    let fraction = format!("{fraction:0width$}", width = places as usize);
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_exact_decimals_and_its_end() {
        for (text, expected) in [
            ("1..4", "1 2 3 4"),
            ("0.1..0.5 step 0.1", "0.1 0.2 0.3 0.4 0.5"),
            ("0..1 step 0.25", "0 0.25 0.5 0.75 1"),
            ("-0.2 .. 0.2 step 0.2", "-0.2 0 0.2"),
            ("0..1 step 0.3", "0 0.3 0.6 0.9"),
            ("7..7", "7"),
            ("1_000..3_000 step 1000", "1000 2000 3000"),
        ] {
            let numbers = numbers(text).expect("a range").expect(text);
            assert_eq!(numbers.join(" "), expected, "{text}");
        }
        assert!(numbers("gas").is_none());
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for (text, part) in [
            ("0.1..0.9", "has no step; write one like \"0.1..0.9 step 0.1\""),
            ("1..2 step 0", "not above 0"),
            ("1..2 step -1", "not above 0"),
            ("2..1", "larger number first"),
            ("a..b", "no range of numbers"),
            ("..", "no range of numbers"),
            ("1e3..2e3", "no range of numbers"),
            ("1..99999999999999999999999999999999999999999", "no range of numbers"),
            ("0..1 step 0.0000000000000001", "no range of numbers"),
            ("0..100000000000000 step 0.00001", "expected at most"),
        ] {
            let why = numbers(text).expect("it has two points").expect_err(text);
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
