//! The sums of a pair rule: `width` numbers per agent, slot by slot, and how a segment of the
//! stream becomes one.

use std::ops::Range;

use super::stream::{ROOM, STREAM, window};
use crate::{
    agents::Agents,
    simd::compact::{self, Compact, WIDTH, Wide},
};

/// The sums of all agents.
#[derive(Debug)]
pub(super) struct PairSums {
    /// Sums per agent.
    pub(super) width: usize,
    pub(super) numbers: Vec<f32>,
    /// The id of what each agent has picked, or that of none; empty if the rule does not pick.
    pub(super) picked: Vec<u32>,
}

impl PairSums {
    /// The sums of the agent in a slot.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> &[f32] {
        &self.numbers[slot * self.width..][..self.width]
    }

    /// The id of what the agent in a slot has picked, or that of none.
    #[inline(always)]
    pub(super) fn picked(&self, slot: usize) -> u32 {
        self.picked.get(slot).copied().unwrap_or(Agents::GONE)
    }
}

/// The results of some agents, to be written.
#[derive(Default)]
pub(super) struct SumsMut<'a> {
    pub(super) numbers: &'a mut [f32],
    /// Empty if the rule does not pick.
    pub(super) picked: &'a mut [u32],
}

impl SumsMut<'_> {
    /// Those of the first agents, whose sums are `width` each, and of the others.
    pub(super) fn split_at(self, agents: usize, width: usize) -> (Self, Self) {
        let (numbers, numbers2) = self.numbers.split_at_mut(agents * width);
        let (picked, picked2) = self.picked.split_at_mut(agents.min(self.picked.len()));
        (Self { numbers, picked }, SumsMut { numbers: numbers2, picked: picked2 })
    }

    /// Writes what agents have that no other is a neighbor of.
    #[inline(always)]
    pub(super) fn clear(&mut self, agents: Range<usize>, width: usize) {
        self.numbers[agents.start * width..agents.end * width].fill(0.0);
        if let Some(picked) = self.picked.get_mut(agents) {
            picked.fill(Agents::GONE);
        }
    }
}

/// The sum of a segment of the stream.
#[inline(always)]
pub(super) fn total<L: Compact>(level: L, out: &[f32; ROOM], segment: Range<usize>) -> f32 {
    let mut lanes = [0.0; WIDTH];
    sum(level, level.splat(0.0), out, segment).store(&mut lanes);
    compact::total(&lanes)
}

/// Adds a segment of the stream to the lanes of an agent that has `rank` neighbors there.
#[inline(always)]
pub(super) fn add<L: Compact>(
    level: L,
    out: &[[f32; ROOM]],
    segment: Range<usize>,
    lanes: &mut [[f32; WIDTH]],
    rank: &mut usize,
) {
    let before = *rank;
    *rank += segment.len();
    let Range { mut start, end } = segment;
    if !before.is_multiple_of(WIDTH) {
        // The neighbors before ended within a round of lanes.
        let head = end.min(start + WIDTH - before % WIDTH);
        for (lanes, out) in lanes.iter_mut().zip(out) {
            for (lane, &value) in lanes[before % WIDTH..].iter_mut().zip(&out[start..head]) {
                *lane += value;
            }
        }
        start = head;
    }
    for (lanes, out) in lanes.iter_mut().zip(out) {
        let old = if before == 0 { level.splat(0.0) } else { level.load(lanes) };
        sum(level, old, out, start..end).store(lanes);
    }
}

/// The lanes with those of a segment, which begins in the first lane.
#[inline(always)]
fn sum<L: Compact>(level: L, lanes: L::Wide, out: &[f32; ROOM], segment: Range<usize>) -> L::Wide {
    let mut sum = lanes;
    for first in segment.clone().step_by(WIDTH) {
        // No lane is ever −0, so that adding 0 changes none.
        let values = level.load(window(out, first.min(STREAM)));
        sum = sum + values.keep_first((segment.end - first).min(WIDTH));
    }
    sum
}
