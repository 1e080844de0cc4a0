//! Extrapolation of an index's time to more agents: a power law through the two largest known
//! numbers below.

/// Known numbers of agents and their seconds per step, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct Extrapolation {
    known: Vec<(f64, f64)>,
}

/// Range of exponents: no index grows more slowly than its input, or much faster than all pairs.
const EXPONENTS: std::ops::RangeInclusive<f64> = 1.0..=2.2;

impl Extrapolation {
    /// Adds a measurement.
    pub(super) fn add(&mut self, agents: u32, seconds: f64) {
        self.known.push((f64::from(agents), seconds));
        self.known.sort_by(|one, other| one.0.total_cmp(&other.0));
    }

    /// Predicted seconds per step; `None` without a measurement of as many or fewer agents.
    pub(super) fn seconds(&self, agents: u32) -> Option<f64> {
        let agents = f64::from(agents);
        let smaller = self.known.partition_point(|&(size, _)| size <= agents);
        let &(size, seconds) = self.known[..smaller].last()?;
        let exponent = match self.known[..smaller] {
            [.., (before, least), _] if before < size => {
                (seconds / least).ln() / (size / before).ln()
            }
            _ => *EXPONENTS.start(),
        };
        let exponent = exponent.clamp(*EXPONENTS.start(), *EXPONENTS.end());
        Some(seconds * (agents / size).powf(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_power_law_of_the_two_largest_smaller_numbers() {
        let mut naive = Extrapolation::default();
        assert_eq!(naive.seconds(1_000), None);
        // A single number gives a proportion. The power is that of the two largest, and at least 1.
        for (known, agents, expected) in [
            ((1_000, 0.001), 2_000, 0.002),
            ((4_000, 0.016), 500_000, 250.0),
            ((8_000, 0.020), 16_000, 0.040),
        ] {
            naive.add(known.0, known.1);
            let seconds = naive.seconds(agents).expect("a smaller number");
            assert!((seconds / expected - 1.0).abs() < 1e-9, "{agents}: {seconds}");
        }
    }
}
