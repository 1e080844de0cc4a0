//! A random order of numbers, of which any entry is computed alone.
//!
//! A Feistel network: a number is a column and a row of a table about as wide as high, and in each
//! round one of the two is shifted by a random amount that depends on the other. The last row of
//! the table may be incomplete. A number that lands behind its end goes through the network again,
//! until it does not.
//!
//! J. Black and P. Rogaway, "Ciphers with arbitrary finite domains", 2002.

use crate::rng::{Rng, keyed_below};

/// Rounds of the network.
const ROUNDS: usize = 6;

/// A random order of the numbers below a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    count: u32,
    cols: u32,
    rows: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The order of a key, of the numbers below `count`, which is at least 1.
    pub(crate) fn new(key: u64, count: u32) -> Self {
        let cols = f64::from(count).sqrt().ceil().max(1.0) as u32;
        let mut keys = Rng::new(key);
        Self { count, cols, rows: count.div_ceil(cols), keys: [(); ROUNDS].map(|()| keys.bits()) }
    }

    /// The number at a place, which is below the count.
    #[inline]
    pub(crate) fn at(&self, place: u32) -> u32 {
        let mut number = place;
        loop {
            number = self.once(number);
            if number < self.count {
                return number;
            }
        }
    }

    #[inline]
    fn once(&self, number: u32) -> u32 {
        let Self { cols, rows, keys, .. } = *self;
        let (mut col, mut row) = (number % cols, number / cols);
        for (round, key) in (0..).zip(keys) {
            if round % 2 == 0 {
                col = shifted(col, keyed_below(key, row, cols), cols);
            } else {
                row = shifted(row, keyed_below(key, col, rows), rows);
            }
        }
        row * cols + col
    }
}

/// The sum of two numbers below `count`, modulo it.
#[inline]
fn shifted(number: u32, by: u32, count: u32) -> u32 {
    let sum = number + by;
    if sum < count { sum } else { sum - count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_one_place() {
        for count in (1..70).chain([1_000, 1_024, 1_025, 99_999]) {
            for key in [0, 7] {
                let order = Permutation::new(key, count);
                let mut numbers: Vec<u32> = (0..count).map(|place| order.at(place)).collect();
                let stay = (0..).zip(&numbers).filter(|&(place, &number)| place == number).count();
                assert!(count < 100 || stay < 12, "{count}: {stay} stay");
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..count), "{count}");
            }
        }
    }

    /// Pairs of neighboring places, in a table of 16 × 16 parts of the numbers: chi-square with 255
    /// degrees of freedom, whose standard deviation is 22.6.
    #[test]
    fn neighbors_are_unrelated() {
        for key in 0..10 {
            let order = Permutation::new(key, 100_000);
            let part = |place| order.at(place) as usize * 16 / 100_000;
            let mut pairs = [0.0_f64; 256];
            for place in (0..100_000).step_by(2) {
                pairs[part(place) * 16 + part(place + 1)] += 1.0;
            }
            let mean = 50_000.0 / 256.0;
            let square: f64 = pairs.iter().map(|count| (count - mean).powi(2) / mean).sum();
            assert!((150.0..370.0).contains(&square), "{key}: {square}");
        }
    }
}
