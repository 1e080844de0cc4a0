//! The stream of pairs, and what runs over it: rules of one pair at a time, and formulas.

use std::ops::Range;

use super::pair::{PairRule, RulePair};
use crate::{formula, simd::compact::WIDTH};

/// Agents of a group.
pub(super) const GROUP: usize = 8;

/// Candidates that are copied at once.
pub(super) const CANDIDATES: usize = 512;

/// Pairs in the stream from which on the rule runs; so few that all of it stays in the nearest cache.
pub(super) const FLUSH: usize = 192;

/// Pairs that the rule runs over at once.
const BLOCK: usize = 32;

/// Pairs that the stream holds at most: whole blocks of formulas.
pub(super) const STREAM: usize = (FLUSH + CANDIDATES).next_multiple_of(formula::BLOCK);

/// The numbers of a column of the stream, with room for the last sixteen.
pub(super) const ROOM: usize = STREAM + WIDTH;

/// A column that a rule reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum ColumnValues<'a> {
    Numbers(&'a [f32]),
    Bytes(&'a [u8]),
    /// Numbers that have these bits.
    Bits(&'a [u32]),
}

/// What runs over the stream: at most `C` columns of both agents, and at most `K` sums.
pub(super) trait StreamRule<const C: usize, const K: usize>: Sync {
    /// Memory for one task.
    type Scratch;

    fn scratch(&self) -> Self::Scratch;

    /// Number of columns.
    fn columns(&self) -> usize {
        C
    }

    /// Number of sums.
    fn sums(&self) -> usize {
        K
    }

    /// The pairs that count, if not all do.
    #[inline(always)]
    fn between(&self) -> Option<Between> {
        None
    }

    /// Runs over all pairs of the stream.
    fn evaluate(
        &self,
        stream: &mut Stream<C>,
        out: &mut [[f32; ROOM]; K],
        scratch: &mut Self::Scratch,
    );
}

/// Pairs of two species.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    /// Which column has the species.
    pub(super) column: usize,
    /// Those of `i` and of `j`.
    pub(super) species: [f32; 2],
}

/// A pair rule whose code sees one pair at a time.
pub(super) struct PerPair<R>(pub(super) R);

impl<R: PairRule<C, K>, const C: usize, const K: usize> StreamRule<C, K> for PerPair<R> {
    type Scratch = ();

    #[inline(always)]
    fn scratch(&self) {}

    #[inline(always)]
    fn evaluate(&self, stream: &mut Stream<C>, out: &mut [[f32; ROOM]; K], (): &mut ()) {
        evaluate(&self.0, stream, out);
    }
}

/// Neighbors of several agents, one after the other.
pub(super) struct Stream<const C: usize> {
    pub(super) dx: [f32; ROOM],
    pub(super) dy: [f32; ROOM],
    pub(super) i: [[f32; ROOM]; C],
    pub(super) j: [[f32; ROOM]; C],
    pub(super) count: usize,
    /// The part of each agent of the group.
    pub(super) segments: [Range<usize>; GROUP],
}

impl Between {
    /// True if an agent with these columns has neighbors that count.
    #[inline(always)]
    pub(super) fn counts(&self, columns: &[f32]) -> bool {
        columns[self.column] == self.species[0]
    }
}

/// Runs a rule over all pairs of the stream.
#[inline(always)]
fn evaluate<R: PairRule<C, K>, const C: usize, const K: usize>(
    rule: &R,
    stream: &Stream<C>,
    out: &mut [[f32; ROOM]; K],
) {
    for block in 0..stream.count.div_ceil(BLOCK).min(STREAM / BLOCK) {
        let first = block * BLOCK;
        let (dx, dy): (&[f32; BLOCK], &[f32; BLOCK]) =
            (part(&stream.dx, first), part(&stream.dy, first));
        let i: [&[f32; BLOCK]; C] = std::array::from_fn(|c| part(&stream.i[c], first));
        let j: [&[f32; BLOCK]; C] = std::array::from_fn(|c| part(&stream.j[c], first));
        let mut found = [[0.0; BLOCK]; K];
        for n in 0..BLOCK {
            let (mut of_i, mut of_j) = ([0.0; C], [0.0; C]);
            for c in 0..C {
                (of_i[c], of_j[c]) = (i[c][n], j[c][n]);
            }
            let sums = rule.pair(&RulePair::new(dx[n], dy[n], of_i, of_j));
            for k in 0..K {
                found[k][n] = sums[k];
            }
        }
        for (found, out) in found.iter().zip(&mut *out) {
            out[first..first + BLOCK].copy_from_slice(found);
        }
    }
}

impl ColumnValues<'_> {
    /// The number in a slot.
    #[inline(always)]
    pub(super) fn get(&self, slot: usize) -> f32 {
        match self {
            Self::Numbers(numbers) => numbers[slot],
            Self::Bytes(bytes) => bytes[slot].into(),
            Self::Bits(bits) => f32::from_bits(bits[slot]),
        }
    }
}

/// Copies some slots of a column as numbers, and arbitrary ones behind them: whole blocks, whose length
/// the compiler knows.
#[inline(always)]
pub(super) fn copy<T: Copy>(
    from: &[T],
    slots: Range<usize>,
    to: &mut [f32],
    number: impl Fn(T) -> f32,
) {
    for (done, first) in slots.clone().step_by(WIDTH).enumerate() {
        let to = &mut to[done * WIDTH..];
        if let (Some(from), Some(to)) = (from[first..].first_chunk(), to.first_chunk_mut()) {
            let mut block = [0.0; WIDTH];
            for lane in 0..WIDTH {
                let from: &[T; WIDTH] = from;
                block[lane] = number(from[lane]);
            }
            *to = block;
        } else {
            for (to, &from) in to.iter_mut().zip(&from[first..slots.end]) {
                *to = number(from);
            }
        }
    }
}

/// Sixteen numbers from an index on.
#[inline(always)]
pub(super) fn window(numbers: &[f32], first: usize) -> &[f32; WIDTH] {
    part(numbers, first)
}

#[inline(always)]
pub(super) fn window_mut(numbers: &mut [f32], first: usize) -> &mut [f32; WIDTH] {
    numbers[first..].first_chunk_mut().expect("room behind")
}

#[inline(always)]
fn part<const N: usize>(numbers: &[f32], first: usize) -> &[f32; N] {
    numbers[first..].first_chunk().expect("room behind")
}
