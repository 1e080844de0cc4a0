//! Rates per second as exact fractions: films count frames, and rounding would lose the last one.

use super::values::grouped;

/// A rate of `num / den` per second, without a common divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(crate) num: u64,
    pub(crate) den: u64,
}

/// Highest frame rate, per second: screens show a few hundred.
const FPS_MAX: u64 = 1_000;

/// Largest number in a rate: players read signed 32-bit numbers.
const NUMBER_MAX: u64 = i32::MAX as u64;

/// Longest frame, in seconds.
const SECONDS_PER_FRAME_MAX: u64 = 100;

/// Frames per second: `30`, `29.97` or `30000/1001`.
pub(crate) fn fps(text: &str) -> Result<Rate, String> {
    let (num, den) = text.split_once('/').unwrap_or((text, "1"));
    let rate = (|| Rate::new(decimal(num)?, decimal(den)?))();
    let rate = rate.ok_or("is not a rate; write frames per second like 30, 29.97 or 30000/1001")?;
    let Rate { num, den } = rate;
    if num.max(den) > NUMBER_MAX {
        return Err(format!(
            "has too many digits: the largest number is {}; try 30",
            grouped(NUMBER_MAX)
        ));
    }
    if num > FPS_MAX * den || num * SECONDS_PER_FRAME_MAX < den {
        let least = 1.0 / SECONDS_PER_FRAME_MAX as f64;
        return Err(format!("is not {least} to {} frames per second; try 30", grouped(FPS_MAX)));
    }
    Ok(rate)
}

impl Rate {
    /// Steps per second as they were typed: the shortest decimal that parses to the same bits.
    pub(crate) fn from_hz(hz: f32) -> Option<Self> {
        Self::new(decimal(&hz.to_string())?, (1, 1))
    }

    /// The quotient of two decimals; `None` if it is not above 0 or doesn't fit into two 64-bit
    /// numbers.
    fn new(num: (u64, u64), den: (u64, u64)) -> Option<Self> {
        let (num, den) = (num.0.checked_mul(den.1)?, num.1.checked_mul(den.0)?);
        let divisor = gcd(num, den);
        let (num, den) = (num.checked_div(divisor)?, den.checked_div(divisor)?);
        (num > 0 && den > 0).then_some(Self { num, den })
    }

    /// The rate as a floating-point number.
    pub(crate) fn decimal(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

/// A decimal without a sign, as its digits and the power of ten that divides them.
fn decimal(text: &str) -> Option<(u64, u64)> {
    let (int, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{int}{fraction}");
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let power = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    if plain { Some((digits.parse().ok()?, power)) } else { None }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
