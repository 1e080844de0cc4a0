//! The gather: the sums of all agents over their neighbors.
//!
//! Up to eight agents of neighboring slots have their candidates in common, which are copied once.
//! Each of the eight tests all of them; those within range are packed into one stream of pairs, the
//! rule runs over the stream, and the segment of each agent is added up:
//!
//! ```text
//! slots       [ i0 i1 … i7 ]          a group: neighbors in a row of cells
//! candidates  x [ .. .. .. …          the slots near the group, ascending; in the nearest cache
//!             y [ .. .. .. …
//! stream     dx [ i0 i0 i0 | i1 i1 | i2 i2 i2 i2 | …      one entry per neighbor
//!             j [ .. .. .. | .. .. | ..            …      and per column read
//! out         k [ .. .. .. | .. .. | ..            …      what the rule returned
//! lanes       k [ 16 lanes of i0 ] …                       neighbor n of an agent is added to lane n mod 16
//! sums           s0 = ((l0 + l8) + (l4 + l12)) + …         16 → 8 → 4 → 2 → 1
//! ```
//!
//! Invariant: the bits of a sum depend on the order of the slots alone, and a snapshot has that.
//! Groups, blocks and threads decide only what is tested: neighbor n is the n-th slot within range,
//! ascending, whatever else was tested between.

use std::ops::Range;

use glam::Vec2;

use super::{
    pair::{PairRule, RulePair},
    walk::Walk,
};
use crate::{
    geometry::{Rect, Space},
    grid::Grid,
    simd::compact::{self, Compact, CompactKernel, WIDTH, Wide},
};

/// Agents of a group.
const GROUP: usize = 8;

/// Candidates that are copied at once.
const CANDIDATES: usize = 512;

/// Pairs in the stream from which on the rule runs; so few that all of it stays in the nearest cache.
const FLUSH: usize = 192;

/// Pairs that the rule runs over at once.
const BLOCK: usize = 32;

/// Pairs that the stream holds at most.
const STREAM: usize = (FLUSH + CANDIDATES).next_multiple_of(BLOCK);

/// Width of a group, in cells and ranges, beyond which its candidates would be too many.
const WIDTH_CELLS: f32 = 8.0;

/// A column that a rule reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum ColumnValues<'a> {
    Numbers(&'a [f32]),
    Bytes(&'a [u8]),
}

/// The gather of some rows for one rule.
pub(super) struct GatherSums<'a, R, const C: usize, const K: usize> {
    pub(super) rule: &'a R,
    pub(super) range: f32,
    pub(super) grid: &'a Grid,
    pub(super) space: &'a Space,
    pub(super) x: &'a [f32],
    pub(super) y: &'a [f32],
    pub(super) sources: [ColumnValues<'a>; C],
    /// No agent is smaller.
    pub(super) radius_min: f32,
    pub(super) rows: Range<u32>,
    /// The sums of the agents in these rows.
    pub(super) sums: &'a mut [[f32; K]],
}

/// The candidates of a group.
struct Candidates<const C: usize> {
    x: [f32; CANDIDATES + WIDTH],
    y: [f32; CANDIDATES + WIDTH],
    columns: [[f32; CANDIDATES + WIDTH]; C],
    count: usize,
    /// Where each agent of the group is among them.
    own: [usize; GROUP],
}

/// Neighbors of several agents, one after the other.
struct Stream<const C: usize> {
    dx: [f32; STREAM + WIDTH],
    dy: [f32; STREAM + WIDTH],
    i: [[f32; STREAM + WIDTH]; C],
    j: [[f32; STREAM + WIDTH]; C],
    count: usize,
    /// The part of each agent of the group.
    segments: [Range<usize>; GROUP],
}

/// The agents of a group, and what they have added up.
struct AgentGroup<const C: usize, const K: usize> {
    slots: Range<usize>,
    center: [[f32; 2]; GROUP],
    columns: [[f32; C]; GROUP],
    /// Neighbors so far.
    ranks: [usize; GROUP],
    lanes: [[[f32; WIDTH]; K]; GROUP],
    /// True if displacements to the nearest copy differ from plain ones.
    crosses: bool,
}

impl<R: PairRule<C, K>, const C: usize, const K: usize> CompactKernel for GatherSums<'_, R, C, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Compact>(self, level: L) {
        let range = self.range;
        let mut walk = Walk::new(self.grid, self.space, range, self.radius_min);
        let cell = self.grid.config().loose_size.max_element();
        let width = WIDTH_CELLS * cell + range;
        let mut candidates = Candidates {
            x: [0.0; CANDIDATES + WIDTH],
            y: [0.0; CANDIDATES + WIDTH],
            columns: [[0.0; CANDIDATES + WIDTH]; C],
            count: 0,
            own: [usize::MAX; GROUP],
        };
        let mut stream = Stream {
            dx: [0.0; STREAM + WIDTH],
            dy: [0.0; STREAM + WIDTH],
            i: [[0.0; STREAM + WIDTH]; C],
            j: [[0.0; STREAM + WIDTH]; C],
            count: 0,
            segments: std::array::from_fn(|_| 0..0),
        };
        let mut out = [[0.0; STREAM + WIDTH]; K];
        let mut group = AgentGroup {
            slots: 0..0,
            center: [[0.0; 2]; GROUP],
            columns: [[0.0; C]; GROUP],
            ranks: [0; GROUP],
            lanes: [[[0.0; WIDTH]; K]; GROUP],
            crosses: false,
        };
        let first = self.grid.row_slots(self.rows.start).start;
        for row in self.rows.clone() {
            let mut slots = self.grid.row_slots(row);
            while !slots.is_empty() {
                let area = self.begin(&mut group, slots.clone(), width);
                slots.start = group.slots.end;
                let nearby = walk.find(&area);
                group.crosses = nearby.crosses;
                for mut found in walk.slots(&nearby) {
                    loop {
                        let room = CANDIDATES - candidates.count;
                        let now = found.start..found.end.min(found.start + room);
                        found.start = now.end;
                        self.copy(&mut candidates, now, &group.slots);
                        if found.is_empty() {
                            break;
                        }
                        self.meet(level, &mut candidates, &mut stream, &mut out, &mut group);
                    }
                }
                self.meet(level, &mut candidates, &mut stream, &mut out, &mut group);
                for (at, slot) in group.slots.clone().enumerate() {
                    group.total(at, &mut self.sums[slot - first]);
                }
            }
        }
    }
}

impl<R: PairRule<C, K>, const C: usize, const K: usize> GatherSums<'_, R, C, K> {
    /// Begins a group with the first of some slots; returns the rectangle around its centers.
    #[inline(always)]
    fn begin(&self, group: &mut AgentGroup<C, K>, slots: Range<usize>, width: f32) -> Rect {
        let mut area = Rect::EMPTY;
        let mut count = 0;
        for slot in slots.clone().take(GROUP) {
            let center = Vec2::new(self.x[slot], self.y[slot]);
            let with = area.union(&Rect::new(center, center));
            if count > 0 && with.size().max_element() > width {
                break;
            }
            area = with;
            group.center[count] = center.to_array();
            for (number, source) in group.columns[count].iter_mut().zip(&self.sources) {
                *number = source.get(slot);
            }
            count += 1;
        }
        group.slots = slots.start..slots.start + count;
        group.ranks = [0; GROUP];
        area
    }

    /// Appends some slots to the candidates, for which there is room.
    #[inline(always)]
    fn copy(&self, to: &mut Candidates<C>, slots: Range<usize>, group: &Range<usize>) {
        let at = to.count;
        copy(self.x, slots.clone(), &mut to.x[at..]);
        copy(self.y, slots.clone(), &mut to.y[at..]);
        for (source, column) in self.sources.iter().zip(&mut to.columns) {
            match source {
                ColumnValues::Numbers(numbers) => copy(numbers, slots.clone(), &mut column[at..]),
                ColumnValues::Bytes(bytes) => copy(bytes, slots.clone(), &mut column[at..]),
            }
        }
        for slot in slots.start.max(group.start)..slots.end.min(group.end) {
            to.own[slot - group.start] = at + slot - slots.start;
        }
        to.count = at + slots.len();
    }

    /// Adds up what the agents of a group feel of the candidates, and drops these.
    #[inline(always)]
    fn meet<L: Compact>(
        &self,
        level: L,
        candidates: &mut Candidates<C>,
        stream: &mut Stream<C>,
        out: &mut [[f32; STREAM + WIDTH]; K],
        group: &mut AgentGroup<C, K>,
    ) {
        // Behind the last candidate, numbers that are no neighbors.
        let end = candidates.count;
        candidates.x[end..end + WIDTH].fill(f32::NAN);
        let mut first = 0;
        for at in 0..group.slots.len() {
            if group.crosses {
                self.select::<L, true>(level, candidates, stream, group, at);
            } else {
                self.select::<L, false>(level, candidates, stream, group, at);
            }
            if stream.count >= FLUSH || at + 1 == group.slots.len() {
                evaluate(self.rule, stream, out);
                for agent in first..=at {
                    add(level, out, stream.segments[agent].clone(), group, agent);
                }
                first = at + 1;
                stream.count = 0;
            }
        }
        candidates.count = 0;
        candidates.own = [usize::MAX; GROUP];
    }

    /// Appends the neighbors of an agent to the stream.
    #[inline(always)]
    fn select<L: Compact, const CROSSES: bool>(
        &self,
        level: L,
        candidates: &Candidates<C>,
        stream: &mut Stream<C>,
        group: &AgentGroup<C, K>,
        at: usize,
    ) {
        let [x, y] = group.center[at].map(|center| level.splat(center));
        let range2 = level.splat(self.range * self.range);
        let period = self.space.world().size();
        let repeats = self.space.repeats();
        let (own_block, own_bit) = (candidates.own[at] / WIDTH, 1 << (candidates.own[at] % WIDTH));
        let start = stream.count;
        let mut count = start;
        for block in 0..candidates.count.div_ceil(WIDTH).min(CANDIDATES / WIDTH) {
            let first = block * WIDTH;
            let mut dx = level.load(window(&candidates.x, first)) - x;
            let mut dy = level.load(window(&candidates.y, first)) - y;
            if CROSSES {
                if repeats[0] {
                    dx = dx.nearest(level.splat(period.x), level.splat(0.5 * period.x));
                }
                if repeats[1] {
                    dy = dy.nearest(level.splat(period.y), level.splat(0.5 * period.y));
                }
            }
            let near = (dx * dx + dy * dy).below(range2);
            let near = near & !(if block == own_block { own_bit } else { 0 });
            let to = count.min(STREAM);
            dx.pack(near, window_mut(&mut stream.dx, to));
            dy.pack(near, window_mut(&mut stream.dy, to));
            for (from, column) in candidates.columns.iter().zip(&mut stream.j) {
                level.load(window(from, first)).pack(near, window_mut(column, to));
            }
            count += near.count_ones() as usize;
        }
        for (&number, column) in group.columns[at].iter().zip(&mut stream.i) {
            let end = count.min(STREAM);
            for first in (start..end).step_by(WIDTH) {
                *window_mut(column, first.min(STREAM)) = [number; WIDTH];
            }
        }
        stream.count = count;
        stream.segments[at] = start..count;
    }
}

/// Runs a rule over all pairs of the stream.
#[inline(always)]
fn evaluate<R: PairRule<C, K>, const C: usize, const K: usize>(
    rule: &R,
    stream: &Stream<C>,
    out: &mut [[f32; STREAM + WIDTH]; K],
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

/// Adds a segment of the stream to the lanes of an agent.
#[inline(always)]
fn add<L: Compact, const C: usize, const K: usize>(
    level: L,
    out: &[[f32; STREAM + WIDTH]; K],
    segment: Range<usize>,
    group: &mut AgentGroup<C, K>,
    agent: usize,
) {
    let (lanes, rank) = (&mut group.lanes[agent], group.ranks[agent]);
    group.ranks[agent] += segment.len();
    let Range { mut start, end } = segment;
    if rank % WIDTH != 0 {
        // The neighbors before ended within a round of lanes.
        let head = end.min(start + WIDTH - rank % WIDTH);
        for k in 0..K {
            for (lane, &value) in lanes[k][rank % WIDTH..].iter_mut().zip(&out[k][start..head]) {
                *lane += value;
            }
        }
        start = head;
    }
    for k in 0..K {
        let mut sum = if rank == 0 { level.splat(0.0) } else { level.load(&lanes[k]) };
        for first in (start..end).step_by(WIDTH) {
            // No lane is ever −0, so that adding 0 changes none.
            let values = level.load(window(&out[k], first.min(STREAM)));
            sum = sum + values.keep_first((end - first).min(WIDTH));
        }
        sum.store(&mut lanes[k]);
    }
}

impl<const C: usize, const K: usize> AgentGroup<C, K> {
    /// The sums of an agent: halves, quarters and so forth of the lanes.
    #[inline(always)]
    fn total(&self, agent: usize, sums: &mut [f32; K]) {
        for (sum, lanes) in sums.iter_mut().zip(&self.lanes[agent]) {
            *sum = if self.ranks[agent] == 0 { 0.0 } else { compact::total(lanes) };
        }
    }
}

impl ColumnValues<'_> {
    /// The number in a slot.
    #[inline(always)]
    fn get(&self, slot: usize) -> f32 {
        match self {
            Self::Numbers(numbers) => numbers[slot],
            Self::Bytes(bytes) => bytes[slot].into(),
        }
    }
}

/// Copies some slots of a column, and arbitrary numbers behind them: whole blocks, whose length the
/// compiler knows.
#[inline(always)]
fn copy<T: Copy + Into<f32>>(from: &[T], slots: Range<usize>, to: &mut [f32]) {
    for (done, first) in slots.clone().step_by(WIDTH).enumerate() {
        let to = &mut to[done * WIDTH..];
        if let (Some(from), Some(to)) = (from[first..].first_chunk(), to.first_chunk_mut()) {
            let mut block = [0.0; WIDTH];
            for lane in 0..WIDTH {
                let from: &[T; WIDTH] = from;
                block[lane] = from[lane].into();
            }
            *to = block;
        } else {
            for (to, &from) in to.iter_mut().zip(&from[first..slots.end]) {
                *to = from.into();
            }
        }
    }
}

/// Sixteen numbers from an index on.
#[inline(always)]
fn window(numbers: &[f32], first: usize) -> &[f32; WIDTH] {
    part(numbers, first)
}

#[inline(always)]
fn window_mut(numbers: &mut [f32], first: usize) -> &mut [f32; WIDTH] {
    numbers[first..].first_chunk_mut().expect("room behind")
}

#[inline(always)]
fn part<const N: usize>(numbers: &[f32], first: usize) -> &[f32; N] {
    numbers[first..].first_chunk().expect("room behind")
}
