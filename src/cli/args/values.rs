//! Values of flags: `500k`, `1.5M`, `500_000`, `500,000`, `0.5..1`, `1280x720`, `30000/1001`.
//!
//! An error is the end of a sentence that starts with the flag and its value: "--agents abc" + " is
//! not a count; …".

use crate::{
    Vec2,
    format::{count, count_within, unit},
    limits,
    raster::Exposure,
};

pub(crate) use crate::format::{agents, grouped, seed, whole};

type Parsed<T> = Result<T, String>;

/// A number of agents in a list, in which a comma begins the next number.
pub(crate) fn listed_agents(text: &str) -> Parsed<u32> {
    if text.len() > 1 && text.starts_with('0') && text.bytes().all(|it| it.is_ascii_digit()) {
        return Err(
            "begins with 0; a comma begins the next number here, so write 30,000 as 30k".into()
        );
    }
    agents(text)
}

/// The name of a param, and a number: `pull=0.5`.
pub(crate) fn setting(text: &str) -> Parsed<(String, f32)> {
    let (name, value) = text.rsplit_once('=').unwrap_or((text, ""));
    let name = name.trim();
    if name.is_empty() {
        return Err("names no param; write NAME=VALUE".to_owned());
    }
    let value: f32 =
        value.trim().parse().map_err(|_| format!("has no number after =; try {name}=0.5"))?;
    if value.is_finite() {
        Ok((name.to_owned(), value))
    } else {
        Err(format!("is not finite; try {name}=0.5"))
    }
}

/// A number of steps, 0 included.
pub(crate) fn steps(text: &str) -> Parsed<u64> {
    count_within(text, 0..=limits::STEPS_MAX, " steps; try 1000")
}

/// A number of steps or repeats, at least 1.
pub(crate) fn some_steps(text: &str) -> Parsed<u64> {
    count_within(text, 1..=limits::STEPS_MAX, "; try 1 or more")
}

/// A number of threads.
pub(crate) fn threads(text: &str) -> Parsed<usize> {
    let within = 1..=limits::THREADS_MAX as u64;
    count_within(text, within, "; leave it out to use all cores").map(|threads| threads as usize)
}

/// A number of ranks, which is 1: the launcher has the others.
pub(crate) fn ranks(text: &str) -> Parsed<u32> {
    count_within(text, 1..=1, "; mpirun -n 4 starts 4 ranks").map(|ranks| ranks as u32)
}

/// Seconds above 0, as they were typed.
pub(crate) fn seconds(text: &str) -> Parsed<f64> {
    number(text)?;
    match digits(text).parse() {
        Ok(n) if n > 0.0 => Ok(n),
        _ => Err("is not above 0; write seconds like 2".into()),
    }
}

/// A size in bytes, as people write it: `1GB`, `512MiB`.
#[cfg(feature = "window")]
pub(crate) fn memory(text: &str) -> Parsed<usize> {
    let none = || "is not a size; write one like 1GB, 512MiB or 0".to_owned();
    // The library counts a number that is too large as the largest one.
    let bytes = text.replace('_', "").parse::<bytesize::ByteSize>().map_err(|_| none())?.as_u64();
    usize::try_from(bytes).map_err(|_| none())
}

/// A finite number.
pub(crate) fn number(text: &str) -> Parsed<f32> {
    match digits(text).parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) if value.is_infinite() && !text.to_ascii_lowercase().contains("inf") => {
            Err(format!("is above the largest 32-bit number, {:e}; try a smaller one", f32::MAX))
        }
        Ok(_) => Err("is not a finite number; write one like 0.5".into()),
        Err(_) => Err("is not a number; write one like 0.5".into()),
    }
}

/// An exposure: `auto`, or stops.
pub(crate) fn exposure(text: &str) -> Parsed<Exposure> {
    const STOPS: f32 = limits::EXPOSURE_STOPS_MAX;
    if text.eq_ignore_ascii_case("auto") {
        return Ok(Exposure::Auto);
    }
    match number(text) {
        Ok(stops) if (-STOPS..=STOPS).contains(&stops) => Ok(Exposure::Stops(stops)),
        Ok(_) => Err(format!("is not -{STOPS} to {STOPS} stops; try auto")),
        Err(_) => Err("is no exposure; write auto, or stops like -1 or 2".into()),
    }
}

/// A number without separators, and with an exponent in the place of a unit.
fn digits(text: &str) -> String {
    let (digits, exponent) = unit(text);
    let digits = digits.replace('_', "");
    if exponent == 0 { digits } else { format!("{digits}e{exponent}") }
}

/// One radius, or the smallest and the largest one: `R` or `A..B`.
pub(crate) fn radius(text: &str) -> Parsed<[f32; 2]> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let of = |part| {
        number(part).map_err(|_| "is not a radius; write one like 0.5 or 0.5..1".to_string())
    };
    match (of(low)?, of(high)?) {
        (low, high) if low > high => {
            Err(format!("has the larger radius first; write {high}..{low}"))
        }
        (low, high) => Ok([low, high]),
    }
}

/// A width and a height in world units: `WxH`.
pub(crate) fn world(text: &str) -> Parsed<Vec2> {
    let wrong = "is not a width and a height in world units; write them like 2000x1000";
    Ok(sides(text, number).ok_or(wrong)?.into())
}

/// A width and a height in pixels: `WxH`.
pub(crate) fn size(text: &str) -> Parsed<[u32; 2]> {
    let most = limits::FRAME_SIDE_MAX;
    let wrong = "is not a width and a height in pixels; write them like 1280x720";
    let sides = sides(text, count).ok_or(wrong)?;
    if sides.iter().all(|side| (1..=u128::from(most)).contains(side)) {
        Ok(sides.map(|side| side as u32))
    } else {
        Err(format!("has a side that is not 1 to {most} pixels; try 1280x720"))
    }
}

/// Two values as in `WxH`.
fn sides<T>(text: &str, read: impl Fn(&str) -> Parsed<T>) -> Option<[T; 2]> {
    let (width, height) = text.split_once(['x', 'X', '×'])?;
    Some([read(width).ok()?, read(height).ok()?])
}

/// A part of the world: its center and its width, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ViewArg {
    pub(crate) center: Vec2,
    pub(crate) width: f32,
}

/// `X,Y,WIDTH`.
pub(crate) fn view(text: &str) -> Parsed<ViewArg> {
    let parts: Vec<f32> = text.split(',').map_while(|part| number(part).ok()).collect();
    let [x, y, width] = parts[..] else {
        return Err("is not X,Y,WIDTH in world units; write it like 500,300,80".into());
    };
    if text.split(',').count() != 3 {
        return Err("has more than X,Y,WIDTH; write it like 500,300,80".into());
    }
    if width <= 0.0 {
        return Err(format!("has a width that is not above 0; try {x},{y},100"));
    }
    Ok(ViewArg { center: Vec2::new(x, y), width })
}

/// A rate of `num / den` per second, without a common divisor. Films count frames exactly, since
/// rounding would lose the last one.
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
pub(crate) fn fps(text: &str) -> Parsed<Rate> {
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
