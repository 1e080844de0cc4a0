//! Sixteen numbers in plain Rust.

use std::ops::{Add, Mul, Sub};

use super::{Compact, WIDTH, Wide};

/// The numbers of every machine.
#[derive(Clone, Copy)]
pub(super) struct PlainLevel;

/// Sixteen numbers in an array.
#[derive(Clone, Copy)]
pub(super) struct PlainWide([f32; WIDTH]);

impl PlainWide {
    #[inline(always)]
    fn with(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

impl Add for PlainWide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for PlainWide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for PlainWide {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl Wide for PlainWide {
    #[inline(always)]
    fn nearest(self, period: Self, half: Self) -> Self {
        Self(std::array::from_fn(|lane| {
            let (d, period, half) = (self.0[lane], period.0[lane], half.0[lane]);
            let d = if d > half { d - period } else { d };
            if d < -half { d + period } else { d }
        }))
    }

    #[inline(always)]
    fn below(self, other: Self) -> u32 {
        let bit = |lane: usize| u32::from(self.0[lane] < other.0[lane]) << lane;
        (0..WIDTH).fold(0, |bits, lane| bits | bit(lane))
    }

    #[inline(always)]
    fn largest(self, other: Self, third: Self) -> Self {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        self.with(other, larger).with(third, larger)
    }

    #[inline(always)]
    fn keep_first(self, count: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < count { self.0[lane] } else { 0.0 }))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        *to = self.0;
    }

    #[inline(always)]
    fn pack(self, mask: u32, to: &mut [f32; WIDTH]) {
        // Writes each number and moves on only behind those that count: no branch to predict.
        let mut at = 0;
        for lane in 0..WIDTH {
            to[at % WIDTH] = self.0[lane];
            at += (mask >> lane & 1) as usize;
        }
    }
}

impl Compact for PlainLevel {
    type Wide = PlainWide;

    #[inline(always)]
    fn splat(self, number: f32) -> PlainWide {
        PlainWide([number; WIDTH])
    }

    #[inline(always)]
    fn load(self, from: &[f32; WIDTH]) -> PlainWide {
        PlainWide(*from)
    }
}
