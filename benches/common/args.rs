//! Flags of the benches that do not use criterion.

use clap::Args;

/// Flags that all these benches have: whether to measure, and whether to keep the figures.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Common {
    /// Keep the figures in benches/record
    #[arg(long)]
    pub(crate) record: bool,
    /// Cargo says so when it measures; without it, everything runs once and small, as a test
    #[arg(long, hide = true)]
    pub(crate) bench: bool,
}

/// A number of agents as people write it: `500000`, `500_000`, `500k`, `1.5M`.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    let plain = text.replace('_', "");
    let (digits, unit) = match plain.strip_suffix(['k', 'M']) {
        Some(digits) => (digits, if plain.ends_with('k') { 1e3 } else { 1e6 }),
        None => (plain.as_str(), 1.0),
    };
    let number = digits.parse::<f64>().map_err(|_| "not a number such as 500k".to_owned())?;
    let agents = number * unit;
    if (1.0..=f64::from(u32::MAX)).contains(&agents) {
        Ok(agents as u32)
    } else {
        Err("not a number of agents".to_owned())
    }
}
