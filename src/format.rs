//! Numbers as people type and read them: `500k`, `1.5M`, `500_000`; 1,500,000, 1.50 KiB.
//!
//! A parse error is the second part of a message; the caller puts the parsed text before it:
//! "abc" + " is not a whole number; …".

use std::{borrow::Cow, ops::RangeInclusive};

use crate::limits;

type Read<T> = Result<T, String>;

/// Parses a number of agents, 1 to [`limits::AGENTS_MAX`].
///
/// # Errors
/// As [`count_within`].
pub(crate) fn agents(text: &str) -> Read<u32> {
    let within = 1..=u64::from(limits::AGENTS_MAX);
    count_within(text, within, " agents; try 500k").map(|agents| agents as u32)
}

/// Parses a whole number within a range; `rest` ends the message for one outside of it.
///
/// # Errors
/// If the text is no whole number, or is out of range.
pub(crate) fn count_within(text: &str, range: RangeInclusive<u64>, rest: &str) -> Read<u64> {
    let (least, most) = (grouped(*range.start()), grouped(*range.end()));
    let count = u64::try_from(count(text)?).ok().filter(|count| range.contains(count));
    count.ok_or_else(|| format!("is out of range: expected {least} to {most}{rest}"))
}

/// Parses a whole number that fits into `T`, which is unsigned.
///
/// # Errors
/// If the text is no whole number, or one that is too large.
pub(crate) fn whole<T: TryFrom<u128>>(text: &str) -> Read<T> {
    let bits = 8 * size_of::<T>();
    let large = || format!("is above the limit of {bits} bits; try a smaller number");
    T::try_from(count(text)?).map_err(|_| large())
}

/// Parses a random seed: all numbers of 64 bits are.
///
/// # Errors
/// If the text is no whole number, or is out of range.
pub(crate) fn seed(text: &str) -> Read<u64> {
    let large = |_| format!("is out of range: expected 0 to {}", u64::MAX);
    u64::try_from(count(text)?).map_err(large)
}

/// Parses a whole number of at least 0. It may have underscores between digits or commas between
/// thousands, a decimal point, `k`, `M`, `G` or an exponent. Before `k`, `M` or `G`, a comma that is
/// not between thousands is a decimal one. Exact, since no float is involved.
///
/// # Errors
/// If the text is no such number.
pub(crate) fn count(text: &str) -> Read<u128> {
    let wrong =
        || "is not a whole number; write one like 500000, 500_000, 500k or 1.5M".to_string();
    if text.starts_with('-') && text[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return Err("is below 0; write a whole number like 500000, 500_000, 500k or 1.5M".into());
    }
    let (number, unit) = unit(text);
    let (number, exponent) = match number.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().map_err(|_| wrong())?),
        None => (number, 0),
    };
    let is_decimal = unit > 0 && !number.contains('.') && !is_grouped(number);
    let point = if is_decimal { ',' } else { '.' };
    let (int, fraction) = number.split_once(point).unwrap_or((number, ""));
    let is_thousand = |text: &str| text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
    if unit + exponent == 0 && is_grouped(int) && is_thousand(fraction) {
        return Err(format!(
            "can be read as {int}{fraction} or as {}; write it without a point, like 30000 or 30k",
            format!("{int}.{fraction}").trim_end_matches('0').trim_end_matches('.')
        ));
    }
    let int = if is_grouped(int) { int.replace(',', "") } else { int.to_owned() };
    let digits = format!("{int}{fraction}").replace('_', "");
    if digits.is_empty() || int.starts_with('_') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let fraction = fraction.bytes().filter(u8::is_ascii_digit).count();
    let fraction = i32::try_from(fraction).unwrap_or(i32::MAX);
    let places = unit.saturating_add(exponent).saturating_sub(fraction);
    let power = 10_u128.checked_pow(places.unsigned_abs());
    // A number too large for u128 saturates: it is above every limit.
    let digits: u128 = digits.parse().unwrap_or(u128::MAX);
    match (places >= 0, power) {
        (true, power) => Ok(power.map_or(u128::MAX, |power| digits.saturating_mul(power))),
        (false, Some(power)) if digits.is_multiple_of(power) => Ok(digits / power),
        (false, _) => Err("is not a whole number; write one like 500000, 500k or 1.5M".into()),
    }
}

/// Whether the commas of a whole number are between its thousands.
fn is_grouped(int: &str) -> bool {
    let mut groups = int.split(',');
    let is_group = |text: &str| text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(is_group)
}

/// Parses a number with a decimal point or a decimal comma. Commas between thousands, as numbers are
/// shown, are left out.
///
/// # Errors
/// If the text is no number.
#[cfg(feature = "window")]
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Read<T> {
    let wrong = || "is not a number; write one like 0.25, 1500 or 1e-3".to_owned();
    let int = text.split(['.', 'e', 'E']).next().unwrap_or(text).trim_start_matches(['-', '+']);
    let plain = if is_grouped(int) && !int.starts_with('0') {
        text.replacen(',', "", int.matches(',').count())
    } else if text.contains('.') {
        text.to_owned()
    } else {
        text.replacen(',', ".", 1)
    };
    let digits = plain.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    plain.parse().ok().filter(|_| digits).ok_or_else(wrong)
}

/// The number without its suffix, and the power of ten of the suffix.
pub(crate) fn unit(text: &str) -> (&str, i32) {
    match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 3),
        Some((at, 'm' | 'M')) => (&text[..at], 6),
        Some((at, 'g' | 'G')) => (&text[..at], 9),
        _ => (text, 0),
    }
}

/// A text for a terminal, with visible escapes in the place of characters that
/// control it or the direction of writing. Line breaks stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let controls = |it: char| {
        it.is_control() && it != '\n'
            || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for letter in text.chars() {
        if controls(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// A count with commas between its thousands.
pub(crate) fn grouped(count: impl Into<u128>) -> String {
    let digits = count.into().to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count as people type it: 1G, 1.5M, 500k, 1234.
pub(crate) fn short(count: u32) -> String {
    let shorter = |unit: u32| count >= unit && count.is_multiple_of(unit / 10);
    match count {
        _ if shorter(1_000_000_000) => format!("{}G", f64::from(count) / 1e9),
        _ if shorter(1_000_000) => format!("{}M", f64::from(count) / 1e6),
        _ if shorter(1_000) => format!("{}k", f64::from(count) / 1e3),
        _ => count.to_string(),
    }
}

/// Bytes with three digits and a binary unit.
pub(crate) fn bytes(bytes: u64) -> String {
    let units = [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
    three_digits(bytes as f64, 1024.0, &units)
}

/// A rate or another large number with three digits: 931, 27.5 M.
pub(crate) fn large(value: f64) -> String {
    three_digits(value, 1000.0, &["", " k", " M", " G", " T"])
}

/// A value with three significant digits in the smallest of the units that suits it; each unit is
/// `step` times the one before it.
fn three_digits(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    digits(value) + units[unit]
}

/// Three significant digits, more for large values.
pub(crate) fn digits(value: f64) -> String {
    let decimals = match value {
        _ if value.fract() == 0.0 || value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// A count of things: 1 agent, 2,000 agents.
pub(crate) fn plural(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {one}{s}", grouped(count as u64))
}

/// A value rounded to four digits.
pub(crate) fn four_digits(value: f32) -> f32 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_shown() {
        assert_eq!(printable("a\u{1b}[2J\tb\nc é\u{9b}1m"), "a\\u{1b}[2J\\tb\nc é\\u{9b}1m");
        assert_eq!(printable("cod.\u{202e}gpj"), "cod.\\u{202e}gpj");
    }

    #[test]
    fn counts_are_read_as_they_are_shown() {
        for shown in [999_u32, 1_000, 30_000, 1_234_567] {
            assert_eq!(count(&grouped(shown)), Ok(u128::from(shown)));
        }
        for text in [
            "30,00", "1,5", ",000", "1,0000", "1,000,0", "0.5,000", "1e1,000", ",", "1234,567",
            "1,_00",
        ] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_comma_is_decimal_before_a_unit_and_a_point_before_thousands_is_refused() {
        for (text, expected) in
            [("2,5k", 2_500), ("0,25M", 250_000), ("2,500k", 2_500_000), ("1.234k", 1_234)]
        {
            assert_eq!(count(text), Ok(expected), "{text}");
        }
        for (text, readings) in [
            ("30.000", "can be read as 30000 or as 30; "),
            ("1.500", "can be read as 1500 or as 1.5; "),
            ("1.500.000", "is not a whole number; "),
            ("2,5,0k", "is not a whole number; "),
        ] {
            let refused = count(text).expect_err(text);
            assert!(refused.starts_with(readings), "{text} {refused}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0_u32, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        for (count, expected) in [
            (0, "0"),
            (1_234, "1234"),
            (500_000, "500k"),
            (1_500_000, "1.5M"),
            (999_000_000, "999M"),
            (2_500_000_000, "2.5G"),
        ] {
            assert_eq!(short(count), expected);
        }
        let sizes = [0, 1536, 70 << 30, u64::MAX];
        assert_eq!(sizes.map(bytes), ["0 B", "1.50 KiB", "70 GiB", "16 EiB"]);
        assert_eq!([54.9, 27_450_000.0].map(large), ["54.9", "27.4 M"]);
    }
}
