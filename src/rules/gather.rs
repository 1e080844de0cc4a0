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
    stream::{
        Between, CANDIDATES, ColumnValues, FLUSH, GROUP, ROOM, STREAM, Stream, StreamRule, copy,
        window, window_mut,
    },
    walk::Walk,
};
use crate::{
    geometry::{Rect, Space},
    grid::Grid,
    simd::compact::{self, Compact, CompactKernel, WIDTH, Wide},
};

/// Width of a group, in cells and ranges, beyond which its candidates would be too many.
const WIDTH_CELLS: f32 = 8.0;

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
    pub(super) sums: &'a mut [f32],
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

impl<R: StreamRule<C, K>, const C: usize, const K: usize> CompactKernel
    for GatherSums<'_, R, C, K>
{
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
            dx: [0.0; ROOM],
            dy: [0.0; ROOM],
            i: [[0.0; ROOM]; C],
            j: [[0.0; ROOM]; C],
            count: 0,
            segments: std::array::from_fn(|_| 0..0),
        };
        let mut out = [[0.0; ROOM]; K];
        let mut scratch = self.rule.scratch();
        let (between, width_of_sums) = (self.rule.between(), self.rule.sums());
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
                let sums = group.slots.start - first..group.slots.end - first;
                let sums = sums.start * width_of_sums..sums.end * width_of_sums;
                if between.is_some_and(|between| !group.has(&between)) {
                    self.sums[sums].fill(0.0);
                    continue;
                }
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
                        let (found, out) = (&mut candidates, &mut out);
                        self.meet(level, found, &mut stream, out, &mut scratch, &mut group);
                    }
                }
                let found = &mut candidates;
                self.meet(level, found, &mut stream, &mut out, &mut scratch, &mut group);
                for (at, sums) in self.sums[sums].chunks_exact_mut(width_of_sums).enumerate() {
                    group.total(at, sums);
                }
            }
        }
    }
}

impl<R: StreamRule<C, K>, const C: usize, const K: usize> GatherSums<'_, R, C, K> {
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
            let sources = &self.sources[..self.rule.columns()];
            for (number, source) in group.columns[count].iter_mut().zip(sources) {
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
        copy(self.x, slots.clone(), &mut to.x[at..], f32::from);
        copy(self.y, slots.clone(), &mut to.y[at..], f32::from);
        for (source, column) in self.sources[..self.rule.columns()].iter().zip(&mut to.columns) {
            let to = &mut column[at..];
            match source {
                ColumnValues::Numbers(numbers) => copy(numbers, slots.clone(), to, f32::from),
                ColumnValues::Bytes(bytes) => copy(bytes, slots.clone(), to, f32::from),
                ColumnValues::Bits(bits) => copy(bits, slots.clone(), to, f32::from_bits),
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
        out: &mut [[f32; ROOM]; K],
        scratch: &mut R::Scratch,
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
                self.rule.evaluate(stream, out, scratch);
                let out = &out[..self.rule.sums()];
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
        let between = self.rule.between();
        if between.is_some_and(|between| !between.counts(&group.columns[at])) {
            stream.segments[at] = start..start;
            return;
        }
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
            let mut near = near & !(if block == own_block { own_bit } else { 0 });
            if let Some(Between { column, species: [_, species] }) = between {
                let of = level.load(window(&candidates.columns[column], first));
                near &= !of.below(level.splat(species)) & of.below(level.splat(species + 0.5));
            }
            let to = count.min(STREAM);
            dx.pack(near, window_mut(&mut stream.dx, to));
            dy.pack(near, window_mut(&mut stream.dy, to));
            let columns = &candidates.columns[..self.rule.columns()];
            for (from, column) in columns.iter().zip(&mut stream.j) {
                level.load(window(from, first)).pack(near, window_mut(column, to));
            }
            count += near.count_ones() as usize;
        }
        let columns = &group.columns[at][..self.rule.columns()];
        for (&number, column) in columns.iter().zip(&mut stream.i) {
            let end = count.min(STREAM);
            for first in (start..end).step_by(WIDTH) {
                *window_mut(column, first.min(STREAM)) = [number; WIDTH];
            }
        }
        stream.count = count;
        stream.segments[at] = start..count;
    }
}

/// Adds a segment of the stream to the lanes of an agent.
#[inline(always)]
fn add<L: Compact, const C: usize, const K: usize>(
    level: L,
    out: &[[f32; ROOM]],
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
        for (lanes, out) in lanes.iter_mut().zip(out) {
            for (lane, &value) in lanes[rank % WIDTH..].iter_mut().zip(&out[start..head]) {
                *lane += value;
            }
        }
        start = head;
    }
    for (lanes, out) in lanes.iter_mut().zip(out) {
        let mut sum = if rank == 0 { level.splat(0.0) } else { level.load(lanes) };
        for first in (start..end).step_by(WIDTH) {
            // No lane is ever −0, so that adding 0 changes none.
            let values = level.load(window(out, first.min(STREAM)));
            sum = sum + values.keep_first((end - first).min(WIDTH));
        }
        sum.store(lanes);
    }
}

impl<const C: usize, const K: usize> AgentGroup<C, K> {
    /// True if one of the agents has neighbors that count.
    #[inline(always)]
    fn has(&self, between: &Between) -> bool {
        self.columns[..self.slots.len()].iter().any(|columns| between.counts(columns))
    }

    /// The sums of an agent: halves, quarters and so forth of the lanes.
    #[inline(always)]
    fn total(&self, agent: usize, sums: &mut [f32]) {
        for (sum, lanes) in sums.iter_mut().zip(&self.lanes[agent]) {
            *sum = if self.ranks[agent] == 0 { 0.0 } else { compact::total(lanes) };
        }
    }
}
