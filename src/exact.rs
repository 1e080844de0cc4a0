//! Sums without an order: of numbers in double precision, exact until they are rounded once.
//!
//! A sum of floats depends on the order in which it is taken, and so on how agents are split among
//! threads, bands or machines. This one is kept as an integer of 2144 bits, in units of the smallest
//! number, 2⁻¹⁰⁷⁴: each number adds its bits to three digits, and carries wait until the end.
//!
//! ```text
//! digit       0     1     2     …    32     33     …    66      of 32 bits, in i64: room for carries
//! weight   2⁻¹⁰⁷⁴  2⁻¹⁰⁴² …          2⁻⁵⁰   2⁻¹⁸        2¹⁰³⁸
//!                                     └─ 1.0 is here
//! ```

use std::ops::AddAssign;

/// Bits per digit, and digits: all finite numbers, 2³¹ of the largest.
const DIGIT: usize = 32;
const DIGITS: usize = 67;

/// Bits of the fraction of a number.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;

/// A sum of up to 2³¹ numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExactSum {
    /// Digits without carries.
    digits: [i64; DIGITS],
    /// The sum of those numbers that are infinite or none.
    infinite: f64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { digits: [0; DIGITS], infinite: 0.0 }
    }
}

impl AddAssign<f64> for ExactSum {
    fn add_assign(&mut self, number: f64) {
        const IMPLICIT: u64 = 1 << FRACTION;
        if !number.is_finite() {
            self.infinite += number;
            return;
        }
        let bits = number.to_bits();
        let (exponent, fraction) = (bits >> FRACTION & 0x7ff, bits & (IMPLICIT - 1));
        // Numbers below the smallest normal one have its exponent without its first bit.
        let (shift, mantissa) = if exponent == 0 {
            (0, fraction)
        } else {
            (exponent as usize - 1, fraction | IMPLICIT)
        };
        let mut rest = u128::from(mantissa) << (shift % DIGIT);
        let sign = if number < 0.0 { -1 } else { 1 };
        for digit in &mut self.digits[shift / DIGIT..][..3] {
            *digit += sign * i64::from(rest as u32);
            rest >>= DIGIT;
        }
    }
}

impl ExactSum {
    /// The sums of two groups of numbers together.
    pub(crate) fn merge(mut self, Self { digits, infinite }: Self) -> Self {
        for (digit, other) in self.digits.iter_mut().zip(digits) {
            *digit += other;
        }
        self.infinite += infinite;
        self
    }

    /// The sum of those numbers of this one that are not in another one.
    pub(crate) fn without(mut self, Self { digits, infinite }: &Self) -> Self {
        for (digit, other) in self.digits.iter_mut().zip(digits) {
            *digit -= other;
        }
        self.infinite -= infinite;
        self
    }

    /// The digits that are not zero, and the sum of the numbers that are not finite as the one behind all.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, u64)> {
        let digits = self.digits.iter().map(|&digit| digit.cast_unsigned());
        digits.chain([self.infinite.to_bits()]).enumerate().filter(|&(_, part)| part != 0)
    }

    /// The sum of these parts.
    ///
    /// # Panics
    /// If there are no such parts.
    pub(crate) fn from_parts(parts: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut sum = Self::default();
        for (index, part) in parts {
            if index == DIGITS {
                sum.infinite = f64::from_bits(part);
            } else {
                sum.digits[index] = part.cast_signed();
            }
        }
        sum
    }

    /// The sum, rounded to the nearest number.
    pub(crate) fn total(&self) -> f64 {
        let (digits, carry) = carried(self.digits);
        let (sign, digits) =
            if carry < 0 { (-1.0, carried(digits.map(|digit| -digit)).0) } else { (1.0, digits) };
        let Some(first) = digits.iter().rposition(|&digit| digit != 0) else {
            return self.infinite;
        };
        // Three digits have more bits than a number, and another bit says whether more follow.
        let last = first.saturating_sub(2);
        let leading = digits[last..=first].iter().rev();
        let mut bits = leading.fold(0, |bits, &digit| bits << DIGIT | digit as u128);
        bits |= u128::from(digits[..last].iter().any(|&digit| digit != 0));
        sign * bits as f64 * weight(last) + self.infinite
    }
}

/// The same digits from 0 to 2³² - 1, and what is carried beyond the last: -1 if they are negative.
fn carried(mut digits: [i64; DIGITS]) -> ([i64; DIGITS], i64) {
    let mut carry = 0;
    for digit in &mut digits {
        let all = *digit + carry;
        (*digit, carry) = (all & 0xffff_ffff, all >> DIGIT);
    }
    (digits, carry)
}

/// The weight of a digit.
fn weight(digit: usize) -> f64 {
    let bits = (digit * DIGIT) as u64;
    let fraction = u64::from(FRACTION);
    // The smallest numbers have no exponent.
    f64::from_bits(if bits < fraction { 1 << bits } else { (bits - fraction + 1) << FRACTION })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(numbers: impl IntoIterator<Item = f64>) -> ExactSum {
        let mut sum = ExactSum::default();
        numbers.into_iter().for_each(|number| sum += number);
        sum
    }

    #[test]
    fn is_exact_where_a_sum_of_floats_is_not() {
        assert_eq!(sum([]).total().to_bits(), 0);
        assert_eq!(sum([1e300, 1.0, -1e300]).total(), 1.0);
        assert_eq!(sum([1e16, 1.0, 1.0, -1e16]).total(), 2.0);
        assert_eq!(sum([-1e16, -1.0, -1.0]).total(), -1e16 - 2.0);
        assert_eq!(sum([0.1; 10]).total(), 1.0, "rounded once");
        let tiny = f64::from_bits(1);
        assert_eq!(sum([tiny, tiny, f64::MIN_POSITIVE, -tiny]).total(), tiny + f64::MIN_POSITIVE);
        assert_eq!(sum([f64::MAX, f64::MAX, -f64::MAX]).total(), f64::MAX);
        assert_eq!(sum([f64::MAX, f64::MAX]).total(), f64::INFINITY);
        assert_eq!(sum([1.0, f64::NEG_INFINITY]).total(), f64::NEG_INFINITY);
        assert!(sum([1.0, f64::NAN]).total().is_nan());
        // A tie goes to the even number, unless something follows.
        let half = f64::EPSILON / 2.0;
        assert_eq!(sum([1.0, half]).total(), 1.0);
        assert_eq!(sum([1.0, half, 1e-200]).total(), 1.0 + f64::EPSILON);
        assert_eq!(sum([1.0, half, -1e-200]).total(), 1.0);
    }

    proptest! {
        #[test]
        fn one_number_is_itself(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            // Nothing plus minus zero is zero.
            prop_assert_eq!(sum([number]).total(), number);
            prop_assert_eq!(sum([number, -number]).total(), 0.0);
        }

        #[test]
        fn two_numbers_are_their_rounded_sum(one: f64, other: f64) {
            prop_assert_eq!(sum([one, other]).total(), one + other);
        }

        #[test]
        fn neither_order_nor_split_changes_it(
            numbers in prop::collection::vec(any::<f32>().prop_map(f64::from), 0..60),
            at: prop::sample::Index,
        ) {
            let whole = sum(numbers.iter().copied()).total();
            let reversed = sum(numbers.iter().rev().copied()).total();
            prop_assert_eq!(whole.to_bits(), reversed.to_bits());
            let (lower, upper) = numbers.split_at(at.index(numbers.len() + 1));
            let halves = [lower, upper].map(|part| sum(part.iter().copied()));
            let [lower, upper] = halves;
            prop_assert_eq!(upper.merge(lower).total().to_bits(), whole.to_bits());
        }
    }
}
