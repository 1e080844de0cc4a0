//! The functions of formulas that IEEE 754 does not define, as polynomials in `f64`.
//!
//! Each takes and returns `f32`, and is within 1 unit in the last place of the true value, `sin` and
//! `cos` up to 10⁸ from 0. They have + − × ÷ alone, no table and no branch, so that a loop over them
//! becomes vector code and every machine computes the same bits.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI, SQRT_2};

/// Added to and subtracted from a number below 2⁵¹, it rounds to the nearest whole number, which its
/// lowest bits then are.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The value of a polynomial, the highest coefficient first.
macro_rules! polynomial {
    ($x:expr; $first:expr $(, $next:expr)*) => {{
        let sum = $first;
        $(let sum = sum * $x + $next;)*
        sum
    }};
}

/// e to the power of a number.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let wide = f64::from(x);
    // Beyond these, the result is 0 or infinite.
    let bounded = if wide > -200.0 { wide } else { -200.0 };
    let bounded = if bounded < 200.0 { bounded } else { 200.0 };
    let shifted = bounded * LOG2_E + ROUND;
    let r = bounded - (shifted - ROUND) * LN_2;
    let power = polynomial!(r; 1.0 / 40_320.0, 1.0 / 5_040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0,
        0.5, 1.0, 1.0);
    // 2 to the whole power: its exponent's bits.
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1_023) << 52);
    let value = (power * scale) as f32;
    if x.is_nan() { x } else { value }
}

/// The natural logarithm: −∞ of 0, and no number of a negative one.
#[inline(always)]
pub(super) fn log(x: f32) -> f32 {
    let bits = f64::from(x).to_bits();
    let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    // The exponent as a number: the low bits of one whose unit is 1.
    let whole = f64::from_bits(0x4330_0000_0000_0000 | (bits >> 52 & 0x7ff));
    let exponent = whole - (4_503_599_627_370_496.0 + 1_023.0);
    let halved = mantissa > SQRT_2;
    let m = if halved { 0.5 * mantissa } else { mantissa };
    let exponent = if halved { exponent + 1.0 } else { exponent };
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = polynomial!(z; 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0);
    let value = (exponent * LN_2 + 2.0 * s * series) as f32;
    let value = if x > 0.0 { value } else { f32::NAN };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    if x == f32::INFINITY { x } else { value }
}

#[inline(always)]
pub(super) fn sin(x: f32) -> f32 {
    quarter_turns(f64::from(x), 0)
}

#[inline(always)]
pub(super) fn cos(x: f32) -> f32 {
    quarter_turns(f64::from(x), 1)
}

/// The sine of an angle and some quarter turns.
#[inline(always)]
fn quarter_turns(x: f64, quarters: u64) -> f32 {
    // π/2 in two parts, of which the first times a number below 2²⁸ is exact.
    const HIGH: f64 = 1.570_796_310_901_641_8;
    const LOW: f64 = 1.589_325_477_352_819_6e-8;
    let shifted = x * FRAC_2_PI + ROUND;
    let turns = shifted - ROUND;
    let r = (x - turns * HIGH) - turns * LOW;
    // So far from 0 the angle means nothing, but a sine stays one.
    let r = if r > FRAC_PI_4 + 0.01 { FRAC_PI_4 } else { r };
    let r = if r < -FRAC_PI_4 - 0.01 { -FRAC_PI_4 } else { r };
    let z = r * r;
    let sine = r * polynomial!(z; 1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0);
    let cosine =
        polynomial!(z; -1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0);
    let quarter = shifted.to_bits().wrapping_add(quarters);
    let value = if quarter & 1 == 0 { sine } else { cosine };
    (if quarter & 2 == 0 { value } else { -value }) as f32
}

/// The angle of a point, from −π to π; 0 for the origin.
#[inline(always)]
pub(super) fn atan2(y: f32, x: f32) -> f32 {
    let (y, x) = (f64::from(y), f64::from(x));
    let (tall, wide) = (y.abs(), x.abs());
    let steep = tall > wide;
    let (low, high) = if steep { (wide, tall) } else { (tall, wide) };
    let slope = if high == 0.0 { 0.0 } else { low / high };
    // Beyond tan(π/8), the angle from the diagonal.
    let far = slope > 0.414_213_562_373_095_05;
    let t = if far { (slope - 1.0) / (slope + 1.0) } else { slope };
    let z = t * t;
    let series = polynomial!(z; 1.0 / 21.0, -1.0 / 19.0, 1.0 / 17.0, -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0,
        1.0 / 9.0, -1.0 / 7.0, 0.2, -1.0 / 3.0, 1.0);
    let angle = t * series + if far { FRAC_PI_4 } else { 0.0 };
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x < 0.0 { PI - angle } else { angle };
    (if y < 0.0 { -angle } else { angle }) as f32
}
