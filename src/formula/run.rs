//! The evaluator: one instruction at a time over blocks of numbers.
//!
//! Numbers of a block never mix, so a result depends on its own operands alone, whatever block it
//! is in. The loops are plain Rust, which the compiler makes vector code of where they are inlined.
//! It can do so since no instruction writes to a plane that it reads.

use std::cell::Cell;

use super::{
    code::{Code, Instruction},
    functions,
    matrix::SpeciesMatrix,
    ops::{Op, by_op},
};
use crate::rng::{Rng, keyed};

/// Numbers of a block.
pub(crate) const BLOCK: usize = 256;

/// Numbers that an instruction computes at once.
const LANES: usize = 16;

/// The numbers of one plane.
pub(crate) type Block = [Cell<f32>; BLOCK];

/// The planes of a task, on its stack.
pub(crate) struct Workspace<const N: usize>(pub(crate) [[f32; BLOCK]; N]);

impl<const N: usize> Workspace<N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([[0.0; BLOCK]; N])
    }
}

/// A function given as points, ascending, at most this many.
pub(crate) const POINTS_MAX: usize = 64;

/// What code reads beside its planes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedData<'a> {
    pub(crate) matrices: &'a [SpeciesMatrix],
    pub(crate) tables: &'a [Vec<[f32; 2]>],
    /// One key for each stream of random numbers.
    pub(crate) keys: &'a [u64],
}

impl Code {
    /// Runs over the first `count` numbers of the planes, whose constants and uniforms are set, and
    /// over some more, so that all vectors are whole.
    #[inline(always)]
    pub(crate) fn run(&self, planes: &[&Block], count: usize, data: NamedData<'_>) {
        let count = count.next_multiple_of(LANES).min(BLOCK);
        for &Instruction { op, from, to } in &self.instructions {
            let lanes = |plane: u8| planes[usize::from(plane)].as_chunks::<LANES>().0;
            let ([first, second, third], to) = (from.map(lanes), lanes(to));
            macro_rules! lanes {
                ($a:ident $b:ident $c:ident => $value:expr) => {
                    // Through arrays, so that the compiler need not ask which planes are the same.
                    for ((first, second), (third, to)) in
                        first.iter().zip(second).zip(third.iter().zip(to)).take(count / LANES)
                    {
                        let [first, second, third] =
                            [first, second, third].map(|lanes| lanes.each_ref().map(Cell::get));
                        let mut values = [0.0; LANES];
                        for lane in 0..LANES {
                            let ($a, $b, $c) = (first[lane], second[lane], third[lane]);
                            let _ = ($a, $b, $c);
                            values[lane] = $value;
                        }
                        for (to, value) in to.iter().zip(values) {
                            to.set(value);
                        }
                    }
                };
            }
            by_op!(op, lanes, {
                match op {
                    Op::Matrix(which) => {
                        let matrix = &data.matrices[usize::from(which)];
                        lanes!(a b c => matrix.get(a, b));
                    }
                    Op::Table(which) => {
                        let points = &data.tables[usize::from(which)][..];
                        lanes!(a b c => interpolated(points, a));
                    }
                    Op::Random(stream) => {
                        let key = data.keys[usize::from(stream)];
                        if from[0] == from[1] {
                            lanes!(a b c => uniform(of_id(key, a)));
                        } else {
                            lanes!(a b c => uniform(of_id(of_id(key, a), b)));
                        }
                    }
                    Op::Normal(stream) => {
                        let key = data.keys[usize::from(stream)];
                        if from[0] == from[1] {
                            lanes!(a b c => normal(of_id(key, a)));
                        } else {
                            lanes!(a b c => normal(of_id(of_id(key, a), b)));
                        }
                    }
                    _ => {}
                }
            });
        }
    }
}

/// The key of an id, whose bits a lane has.
#[inline(always)]
fn of_id(key: u64, id: f32) -> u64 {
    keyed(key, u64::from(id.to_bits()))
}

/// Uniform in `0.0..1.0` in steps of 2⁻²⁴, as [`Rng::unit`] of that seed.
#[inline(always)]
fn uniform(key: u64) -> f32 {
    (Rng::new(key).bits() >> 40) as i32 as f32 * (1.0 / 16_777_216.0)
}

/// Normally distributed with mean 0 and deviation 1 (Box and Muller), up to 5.7 in size.
#[inline(always)]
fn normal(key: u64) -> f32 {
    const TURN: f32 = std::f32::consts::TAU / 16_777_216.0;
    let bits = Rng::new(key).bits();
    let angle = (bits >> 16 & 0x00ff_ffff) as i32 as f32 * TURN;
    (-2.0 * functions::log(1.0 - uniform(key))).sqrt() * functions::cos(angle)
}

/// The value of a function given as points, which is constant before the first and behind the last.
#[inline(always)]
fn interpolated(points: &[[f32; 2]], x: f32) -> f32 {
    let mut value = points[0][1];
    for pair in points.windows(2) {
        let [[x0, y0], [x1, y1]] = [pair[0], pair[1]];
        let inside = y0 + (x - x0) * ((y1 - y0) / (x1 - x0));
        let reached = if x < x1 { inside } else { y1 };
        value = if x > x0 { reached } else { value };
    }
    if x.is_nan() { x } else { value }
}
