//! Numbers as text.

use crate::count::digits;
pub(super) use crate::count::{bytes, grouped, round_down, short};

/// A rate or another large number with three digits: 931, 27.5 M.
pub(super) fn large(value: f64) -> String {
    let units = ["", " k", " M", " G", " T"];
    let mut value = value;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{}{}", digits(value), units[unit])
}

/// A count of events: once, twice, 3 times.
pub(super) fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        count => format!("{} times", grouped(count)),
    }
}

/// A count of things: 1 agent, 2,000 agents.
pub(super) fn plural(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {one}{s}", grouped(count as u64))
}

/// A value rounded to four digits.
pub(super) fn four_digits(value: f32) -> f32 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits_and_a_unit() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1536), "1.50 KiB");
        assert_eq!(bytes(70 << 30), "70 GiB");
        assert_eq!(bytes(u64::MAX), "16 EiB");
        assert_eq!(large(54.9), "54.9");
        assert_eq!(large(27_450_000.0), "27.4 M");
    }
}
