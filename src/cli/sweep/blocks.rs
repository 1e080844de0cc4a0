//! The mean of values that are not independent, and its standard error by blocking.
//!
//! Neighboring values of a run resemble each other, so that their spread over √n is too small an
//! error. Blocking (H. Flyvbjerg and H. G. Petersen, J. Chem. Phys. 91, 461 (1989)) replaces pairs of
//! values by their means again and again: once a block is longer than the values remember, its mean
//! is independent of the next one, and the error does not grow further. The largest error of all
//! levels that still have enough blocks is taken. All levels are kept as sums, so that a run of any
//! length takes the same few bytes.

/// Blocks that a level needs to have an error: it is known to 18 % then.
const BLOCKS_MIN: u64 = 16;

/// Values from which on there are two levels, without which nothing shows whether they depend on each
/// other.
const VALUES_MIN: u64 = 2 * BLOCKS_MIN;

/// A mean that grows with its values.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockedMean {
    levels: Vec<BlockLevel>,
    /// True once a value was not a number.
    lacks: bool,
}

/// Blocks of one length.
#[derive(Clone, Copy, Debug, Default)]
struct BlockLevel {
    count: u64,
    mean: f64,
    /// Σ (value − mean)².
    squares: f64,
    /// The first half of a block of the next level.
    half: Option<f64>,
}

impl BlockedMean {
    /// Adds the next value.
    pub(super) fn add(&mut self, mut value: f64) {
        self.lacks |= !value.is_finite();
        if self.lacks {
            return;
        }
        for depth in 0.. {
            if depth == self.levels.len() {
                self.levels.push(BlockLevel::default());
            }
            let level = &mut self.levels[depth];
            level.count += 1;
            let off = value - level.mean;
            level.mean += off / level.count as f64;
            level.squares += off * (value - level.mean);
            let Some(half) = level.half.take() else {
                level.half = Some(value);
                return;
            };
            value = 0.5 * (half + value);
        }
    }

    /// The mean; none without values, and if one of them was not a number.
    pub(super) fn mean(&self) -> Option<f64> {
        self.levels.first().filter(|_| !self.lacks).map(|level| level.mean)
    }

    /// The standard error of the mean; none of fewer than 32 values.
    pub(super) fn error(&self) -> Option<f64> {
        let enough = self.levels.first().is_some_and(|level| level.count >= VALUES_MIN);
        let levels = self.levels.iter().filter(|level| level.count >= BLOCKS_MIN);
        let error = |level: &BlockLevel| {
            let count = level.count as f64;
            (level.squares / (count * (count - 1.0))).sqrt()
        };
        (enough && !self.lacks).then(|| levels.map(error).fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Runs of values that remember a share `memory` of the one before, each with its mean and its
    /// error: the spread of the means, and the mean error.
    fn spread_and_error(memory: f64, values: usize) -> [f64; 2] {
        const RUNS: usize = 400;
        let mut rng = Rng::new(7);
        let (mut means, mut errors) = (Vec::new(), 0.0);
        for _ in 0..RUNS {
            let (mut blocked, mut value) = (BlockedMean::default(), 0.0);
            for step in 0..values + 200 {
                value = memory * value + f64::from(rng.between(-1.0, 1.0));
                if step >= 200 {
                    blocked.add(value);
                }
            }
            means.push(blocked.mean().expect("values"));
            errors += blocked.error().expect("enough of them") / RUNS as f64;
        }
        let mean = means.iter().sum::<f64>() / RUNS as f64;
        let squares: f64 = means.iter().map(|own| (own - mean).powi(2)).sum();
        [(squares / (RUNS - 1) as f64).sqrt(), errors]
    }

    #[test]
    fn errors_are_the_spread_of_means() {
        // Memories of 0, 3 and 20 values, of which the spread over the root of n is 1, 2.6 and 6.2 times
        // too small, in runs of 400 memories and more; and a run of 50 memories, which is too short.
        for (memory, values, least, most) in [
            (0.0, 2_000, 0.95, 1.2),
            (0.75, 2_000, 0.95, 1.2),
            (0.95, 8_000, 0.9, 1.1),
            (0.95, 1_000, 0.6, 0.8),
        ] {
            let [spread, error] = spread_and_error(memory, values);
            let ratio = error / spread;
            assert!((least..most).contains(&ratio), "memory {memory}: {ratio} times the spread");
        }
    }

    #[test]
    fn few_values_and_values_that_are_no_number_have_no_error() {
        let mut blocked = BlockedMean::default();
        assert_eq!((blocked.mean(), blocked.error()), (None, None));
        for value in 0..31_u8 {
            blocked.add(value.into());
        }
        assert_eq!((blocked.mean(), blocked.error()), (Some(15.0), None));
        blocked.add(15.0);
        assert!(blocked.error().is_some_and(|error| error > 2.0), "{:?}", blocked.error());
        blocked.add(f64::NAN);
        blocked.add(1.0);
        assert_eq!((blocked.mean(), blocked.error()), (None, None));
    }
}
