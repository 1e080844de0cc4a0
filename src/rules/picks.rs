//! Picks: the one neighbor of an agent that has the smallest random number, and an id below others of
//! the same.
//!
//! The number depends on the seed, the step, the rule and both ids. A minimum is exact in any order,
//! so neither slots nor groups change what is picked.

use crate::{
    agents::Agents,
    rng::{Rng, keyed},
};

/// Streams of random numbers for picks, one per rule; those of formulas end at 2²⁴.
pub(super) const PICKS: u64 = 1 << 35;

/// How agents pick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picking {
    /// Which column has the bits of the ids.
    pub(super) ids: usize,
    /// The key of the random numbers.
    pub(super) key: u64,
}

/// A candidate: its random number and its id.
pub(super) type Candidate = (u64, u32);

/// No candidate.
pub(super) const NONE: Candidate = (u64::MAX, Agents::GONE);

impl Picking {
    /// The best of a candidate and of the neighbors of an agent that it may pick, from the bits of
    /// their ids, and numbers that are not 0 where it may.
    #[inline(never)]
    pub(super) fn best(self, i: &[f32], j: &[f32], may: &[f32], before: Candidate) -> Candidate {
        let Some(i) = i.first() else { return before };
        let of_agent = keyed(self.key, i.to_bits().into());
        let open = j.iter().zip(may).filter(|(_, may)| **may != 0.0);
        open.fold(before, |best, (j, _)| {
            let j = j.to_bits();
            best.min((Rng::new(keyed(of_agent, j.into())).bits(), j))
        })
    }
}
