//! What the library and the commands refuse, they refuse in terms of flags. Whoever looks at a window has none.

use crate::{count, error::Error};

/// A refusal without flags, and with its thousands apart: `--agents 20000` is "20,000 agents", and `--gravity` is
/// "gravity".
pub(super) fn plain(refusal: &Error) -> String {
    let refusal = refusal.to_string();
    let mut plain = Vec::new();
    let mut words = refusal.split(' ');
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some("agents") => {
                let value = grouped(words.next().unwrap_or_default());
                let (value, rest) = value.split_at(value.trim_end_matches([',', ';']).len());
                plain.push(format!("{value} agents{rest}"));
            }
            Some(flag) => plain.push(flag.to_owned()),
            None => plain.push(grouped(word)),
        }
    }
    plain.join(" ")
}

/// A whole number with commas between its thousands; any other word as it is, and what somebody typed.
fn grouped(word: &str) -> String {
    let digits = word.trim_matches(['-', ',', ';', ':']);
    match digits.parse::<u64>() {
        Ok(number) => word.replacen(digits, &count::grouped(number), 1),
        Err(_) => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_words_and_thousands_are_apart() {
        for (refusal, wanted) in [
            (
                "--agents 20000000 of gas would take 3 GiB, and 2 GiB can be had here; try --agents 15M",
                "20,000,000 agents of gas would take 3 GiB, and 2 GiB can be had here; try 15M agents",
            ),
            (
                "--gravity 1e9 can't be; it goes from -10000 to 10000",
                "gravity 1e9 can't be; it goes from -10,000 to 10,000",
            ),
            (
                "try --threads 1, a larger --cell or a smaller --size",
                "try threads 1, a larger cell or a smaller size",
            ),
            (
                "there is room for 7000; --agents 6000, not 999 or 1.5",
                "there is room for 7,000; 6,000 agents, not 999 or 1.5",
            ),
            ("\"90000000000\" is above the limit", "\"90000000000\" is above the limit"),
        ] {
            assert_eq!(plain(&Error::invalid(refusal)), wanted);
        }
    }
}
