//! Random numbers: the same sequence for the same seed on every machine.
//!
//! `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
//! one `u64` of state; it passes `BigCrush`, and it is so simple that its output never has to
//! change.

use glam::Vec2;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed. Streams of different seeds are unrelated.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The state: the seed of a stream that goes on as this one.
    pub const fn state(&self) -> u64 {
        self.0
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0.0..1.0`, in steps of 2⁻²⁴; never 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// A point in the square from (0, 0) to (1, 1), as two of [`Self::unit`] of one draw.
    pub(crate) fn point(&mut self) -> Vec2 {
        let bits = self.bits();
        let unit = |bits: u64| (bits & 0xff_ffff) as f32 * (1.0 / 16_777_216.0);
        Vec2::new(unit(bits >> 40), unit(bits >> 16))
    }

    /// Uniform among the integers below `end`, up to a bias of 2⁻³² each; 0 if `end` is 0.
    pub const fn below(&mut self, end: u32) -> u32 {
        (((self.bits() >> 32) * end as u64) >> 32) as u32
    }

    /// Uniform between two bounds.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A unit vector in a uniform direction: a point drawn in the disc by rejection and scaled,
    /// which needs no sine or cosine of the platform.
    pub fn direction(&mut self) -> Vec2 {
        loop {
            let point = Vec2::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let square = point.x * point.x + point.y * point.y;
            if square > 0.01 && square < 1.0 {
                let length = square.sqrt();
                return Vec2::new(point.x / length, point.y / length);
            }
        }
    }
}

/// Uniform among the integers below `end`, as [`Rng::below`], from a key and a number alone.
#[inline(always)]
pub(crate) const fn keyed_below(key: u64, number: u32, end: u32) -> u32 {
    (((keyed(key, number as u64) >> 32) * end as u64) >> 32) as u32
}

/// The key that follows from a key and a number: for numbers that depend on a seed, a step and ids
/// alone, whatever else is drawn.
#[inline(always)]
pub(crate) const fn keyed(key: u64, number: u64) -> u64 {
    Rng::new(key ^ number.rotate_left(32)).bits().wrapping_add(number)
}
