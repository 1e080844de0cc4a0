//! Vectors in plain Rust.

use std::{
    array,
    ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub},
};

use super::{LANES, LaneMask, Numbers, Slots, Vectors, total};

#[derive(Clone, Copy)]
pub(super) struct Plain;

#[derive(Clone, Copy)]
pub(super) struct PlainNumbers([f32; LANES]);

#[derive(Clone, Copy)]
pub(super) struct PlainMask([bool; LANES]);

macro_rules! operator {
    ($of:ident, $trait:ident, $method:ident, $operator:tt) => {
        impl $trait for $of {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(array::from_fn(|lane| self.0[lane] $operator other.0[lane]))
            }
        }
    };
}

operator!(PlainNumbers, Add, add, +);
operator!(PlainNumbers, Sub, sub, -);
operator!(PlainNumbers, Mul, mul, *);
operator!(PlainNumbers, Div, div, /);
operator!(PlainMask, BitAnd, bitand, &);
operator!(PlainMask, BitOr, bitor, |);

impl Not for PlainMask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|lane| !lane))
    }
}

impl Numbers for PlainNumbers {
    type Mask = PlainMask;

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let smaller = |lane: usize| self.0[lane] < other.0[lane];
        Self(array::from_fn(|lane| if smaller(lane) { self.0[lane] } else { other.0[lane] }))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let larger = |lane: usize| self.0[lane] > other.0[lane];
        Self(array::from_fn(|lane| if larger(lane) { self.0[lane] } else { other.0[lane] }))
    }

    #[inline(always)]
    fn above(self, other: Self) -> PlainMask {
        PlainMask(array::from_fn(|lane| self.0[lane] > other.0[lane]))
    }

    #[inline(always)]
    fn differs(self, other: Self) -> PlainMask {
        PlainMask(array::from_fn(|lane| self.0[lane] != other.0[lane]))
    }
}

impl LaneMask for PlainMask {
    type Numbers = PlainNumbers;

    #[inline(always)]
    fn select(self, yes: PlainNumbers, no: PlainNumbers) -> PlainNumbers {
        PlainNumbers(array::from_fn(|lane| if self.0[lane] { yes.0[lane] } else { no.0[lane] }))
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.iter().rev().fold(0, |bits, &lane| bits << 1 | u32::from(lane))
    }
}

impl Vectors for Plain {
    type Numbers = PlainNumbers;

    #[inline(always)]
    fn splat(self, number: f32) -> PlainNumbers {
        PlainNumbers([number; LANES])
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> PlainNumbers {
        PlainNumbers(*from)
    }

    #[inline(always)]
    fn load_first(self, from: &[f32]) -> PlainNumbers {
        PlainNumbers(array::from_fn(|lane| from.get(lane).copied().unwrap_or(0.0)))
    }

    #[inline(always)]
    fn equal(self, numbers: &[u32; LANES], value: u32) -> PlainMask {
        PlainMask(numbers.map(|number| number == value))
    }

    #[inline(always)]
    fn totals(self, sums: [PlainNumbers; 4]) -> [f32; 4] {
        sums.map(|sum| total(sum.0))
    }

    #[inline(always)]
    fn look_up(self, numbers: &[u16], indices: &[u32; LANES]) -> [u32; LANES] {
        let last = numbers.len().checked_sub(2).expect("two numbers");
        indices.map(|index| u32::from(numbers[(index as usize).min(last)]))
    }

    #[inline(always)]
    fn read_bodies(
        self,
        bodies: &[[f32; 4]],
        numbers: &[f32],
        slots: [&Slots; 2],
    ) -> [([PlainNumbers; 4], PlainNumbers); 2] {
        slots.map(|slots| {
            (columns(bodies, slots), PlainNumbers(slots.map(|slot| numbers[slot as usize])))
        })
    }

    #[inline(always)]
    fn update_bodies(
        self,
        bodies: &mut [[f32; 4]],
        slots: [&Slots; 2],
        update: impl FnOnce([[PlainNumbers; 4]; 2]) -> [[PlainNumbers; 2]; 2],
    ) {
        let updated = update(slots.map(|slots| columns(bodies, slots)));
        for (slots, [vx, vy]) in slots.into_iter().zip(updated) {
            for (lane, &slot) in slots.iter().enumerate().rev() {
                let body = &mut bodies[slot as usize];
                (body[0], body[1]) = (vx.0[lane], vy.0[lane]);
            }
        }
    }

    #[inline(always)]
    fn gather(self, numbers: &[f32], slots: [&Slots; 2]) -> [PlainNumbers; 2] {
        slots.map(|slots| PlainNumbers(slots.map(|slot| numbers[slot as usize])))
    }

    #[inline(always)]
    fn scatter(self, numbers: &mut [f32], slots: [&Slots; 2], to: [PlainNumbers; 2]) {
        for (slots, to) in slots.into_iter().zip(to) {
            for (&slot, to) in slots.iter().zip(to.0).rev() {
                numbers[slot as usize] = to;
            }
        }
    }
}

#[inline(always)]
fn columns(bodies: &[[f32; 4]], slots: &Slots) -> [PlainNumbers; 4] {
    let rows = slots.map(|slot| bodies[slot as usize]);
    array::from_fn(|column| PlainNumbers(rows.map(|row| row[column])))
}
