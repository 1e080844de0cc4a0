//! The stream of pairs, and what runs over it: rules of one pair at a time, and formulas.

use super::{
    pair::{PairRule, PickRule, RulePair},
    picks::Picking,
};
use crate::{
    formula,
    simd::compact::{Compact, WIDTH},
};

/// Agents of a group: with more, the copy of their candidates is shared by more, and each tests more of
/// them in vain.
pub(super) const GROUP: usize = 12;

/// Candidates that are copied at once.
pub(super) const CANDIDATES: usize = 512;

/// Pairs in the stream from which on the rule runs: about a block of formulas, so that few
/// instructions run over less, and so few that all of it stays in the nearest cache.
pub(super) const FLUSH: usize = 240;

/// Agents in the stream from which on the rule runs.
pub(super) const SEGMENTS: usize = 64;

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

    /// How agents pick one of their neighbors: by the plane behind those of the sums, which is not 0
    /// where they may.
    #[inline(always)]
    fn picking(&self) -> Option<Picking> {
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

/// A rule by which agents pick, whose code sees one pair at a time: `C` columns of the stream, and
/// behind them the bits of the ids.
pub(super) struct PerPick<'a, R, const C: usize> {
    pub(super) rule: &'a R,
    pub(super) key: u64,
}

impl<R: PickRule<C>, const C: usize, const D: usize> StreamRule<D, 1> for PerPick<'_, R, C> {
    type Scratch = ();

    #[inline(always)]
    fn scratch(&self) {}

    #[inline(always)]
    fn columns(&self) -> usize {
        C + 1
    }

    #[inline(always)]
    fn sums(&self) -> usize {
        0
    }

    #[inline(always)]
    fn picking(&self) -> Option<Picking> {
        Some(Picking { ids: C, key: self.key })
    }

    #[inline(always)]
    fn evaluate(&self, stream: &mut Stream<D>, [may]: &mut [[f32; ROOM]; 1], (): &mut ()) {
        let Stream { dx, dy, i, j, count } = stream;
        for (at, may) in may[..*count].iter_mut().enumerate() {
            let [i, j] = [&*i, &*j].map(|of| std::array::from_fn(|c| of[c][at]));
            let picks = self.rule.picks(&RulePair::new(dx[at], dy[at], i, j));
            *may = if picks { 1.0 } else { 0.0 };
        }
    }
}

/// Neighbors of several agents, one after the other.
pub(super) struct Stream<const C: usize> {
    pub(super) dx: [f32; ROOM],
    pub(super) dy: [f32; ROOM],
    pub(super) i: [[f32; ROOM]; C],
    pub(super) j: [[f32; ROOM]; C],
    pub(super) count: usize,
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

    /// Sixteen numbers from a slot on; behind the last slot, arbitrary ones.
    #[inline(always)]
    pub(super) fn sixteen<L: Compact>(&self, level: L, first: usize) -> L::Wide {
        match self {
            Self::Numbers(numbers) => level.load(chunk(numbers, first, &mut [0.0; WIDTH])),
            Self::Bytes(bytes) => level.load(&chunk(bytes, first, &mut [0; WIDTH]).map(f32::from)),
            Self::Bits(bits) => {
                level.load(&chunk(bits, first, &mut [0; WIDTH]).map(f32::from_bits))
            }
        }
    }
}

/// Sixteen items from an index on, copied where there are fewer.
#[inline(always)]
fn chunk<'a, T: Copy>(from: &'a [T], first: usize, tail: &'a mut [T; WIDTH]) -> &'a [T; WIDTH] {
    let from = &from[first..];
    from.first_chunk().unwrap_or_else(|| {
        tail[..from.len()].copy_from_slice(from);
        tail
    })
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
