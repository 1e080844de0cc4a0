//! The gather: the sums of all agents over their neighbors.
//!
//! Up to twelve agents of neighboring slots have their candidates in common, which are copied once:
//! all that are near the rectangle around them. Each of the twelve tests all of them; those
//! within range are packed into one stream of pairs. The rule runs over the stream when the pairs
//! of several
//! groups are in it, and the segment of each agent is added up:
//!
//! ```text
//! slots       [ i0 i1 … i11 ]         a group: neighbors in a row of cells
//! candidates  x [ .. .. .. …          the slots near the group, ascending; in the nearest cache
//!             y [ .. .. .. …
//! stream     dx [ i0 i0 i0 | i1 i1 | i2 i2 i2 i2 | …      one entry per neighbor
//!             j [ .. .. .. | .. .. | ..            …      and per column read
//! out         k [ .. .. .. | .. .. | ..            …      what the rule returned
//! lanes       k [ 16 lanes of i0 ] …                       neighbor n of an agent is added to lane n mod 16
//! sums           s0 = ((l0 + l8) + (l4 + l12)) + …         16 → 8 → 4 → 2 → 1
//! ```
//!
//! A group with more candidates than there is room for meets them in turns, and keeps its lanes
//! between these.
//!
//! Invariant: the bits of a sum depend on the order of the slots alone, and a snapshot has that.
//! Groups, blocks and threads decide only what is tested: neighbor n is the n-th slot within range,
//! ascending, whatever else was tested between. What is near no agent of a group is a neighbor of
//! none: differences, squares and sums are rounded monotonically, so a candidate is no farther from
//! the rectangle than from an agent in it, also as it is computed.

use std::ops::Range;

use glam::Vec2;

use super::{
    picks::{Candidate, NONE},
    stream::{
        Between, CANDIDATES, ColumnValues, FLUSH, GROUP, ROOM, SEGMENTS, STREAM, Stream,
        StreamRule, window, window_mut,
    },
    sums::{SumsMut, add, total},
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
    pub(super) sums: SumsMut<'a>,
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

/// The agents of a group.
struct AgentGroup<const C: usize, const K: usize> {
    slots: Range<usize>,
    /// The number of the first among the agents in the rows.
    first: usize,
    /// The rectangle around their centers.
    area: Rect,
    center: [[f32; 2]; GROUP],
    columns: [[f32; C]; GROUP],
    /// True if displacements to the nearest copy differ from plain ones.
    crosses: bool,
    /// True if it meets its candidates in turns: then the neighbors so far, and their lanes.
    in_turns: bool,
    ranks: [usize; GROUP],
    lanes: [[[f32; WIDTH]; K]; GROUP],
    picked: [Candidate; GROUP],
}

/// Pairs that the rule has not run over yet, and what it returns for them.
struct PairBatch<'a, const C: usize, const K: usize, S> {
    stream: Stream<C>,
    /// The agents of the stream, one after the other.
    segments: [StreamSegment; SEGMENTS],
    agents: usize,
    out: [[f32; ROOM]; K],
    scratch: S,
    /// The sums of all agents in the rows.
    sums: SumsMut<'a>,
}

/// The pairs of an agent in the stream.
#[derive(Clone, Copy)]
struct StreamSegment {
    place: SumPlace,
    /// Behind its last pair.
    end: usize,
}

/// Where the sums of an agent go.
#[derive(Clone, Copy)]
enum SumPlace {
    /// To the sums of the agents in the rows, by its number there.
    Sums(usize),
    /// To the lanes of the group, by its number there.
    Lanes(usize),
}

impl<R: StreamRule<C, K>, const C: usize, const K: usize> CompactKernel
    for GatherSums<'_, R, C, K>
{
    type Output = ();

    #[inline(always)]
    fn run<L: Compact>(mut self, level: L) {
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
        let mut pairs = PairBatch {
            stream: Stream {
                dx: [0.0; ROOM],
                dy: [0.0; ROOM],
                i: [[0.0; ROOM]; C],
                j: [[0.0; ROOM]; C],
                count: 0,
            },
            segments: [StreamSegment { place: SumPlace::Sums(0), end: 0 }; SEGMENTS],
            agents: 0,
            out: [[0.0; ROOM]; K],
            scratch: self.rule.scratch(),
            sums: std::mem::take(&mut self.sums),
        };
        let (between, width_of_sums) = (self.rule.between(), self.rule.sums());
        let mut group = AgentGroup {
            slots: 0..0,
            first: 0,
            area: Rect::EMPTY,
            center: [[0.0; 2]; GROUP],
            columns: [[0.0; C]; GROUP],
            crosses: false,
            in_turns: false,
            ranks: [0; GROUP],
            lanes: [[[0.0; WIDTH]; K]; GROUP],
            picked: [NONE; GROUP],
        };
        let first = self.grid.row_slots(self.rows.start).start;
        let mut rows = self.rows.clone();
        let mut slots = 0..0;
        loop {
            while slots.is_empty()
                && let Some(row) = rows.next()
            {
                slots = self.grid.row_slots(row);
            }
            // Behind the last group, what is in the stream is added up.
            let ends = slots.is_empty();
            self.begin(&mut group, slots.clone(), width);
            slots.start = group.slots.end;
            group.first = group.slots.start.saturating_sub(first);
            let of_group = group.first..group.first + group.slots.len();
            if !ends && between.is_some_and(|between| !group.has(&between)) {
                pairs.sums.clear(of_group, width_of_sums);
                continue;
            }
            let nearby = walk.find(&group.area);
            group.crosses = nearby.crosses;
            let mut ranges = walk.slots(&nearby);
            let mut found = if ends { None } else { ranges.next() };
            loop {
                while let Some(slots) = &mut found
                    && candidates.count <= CANDIDATES - WIDTH
                {
                    let now = slots.start..slots.end.min(slots.start + WIDTH);
                    slots.start = now.end;
                    self.copy(level, &mut candidates, now, &group);
                    if slots.start >= slots.end {
                        found = ranges.next();
                    }
                }
                let more = found.is_some();
                if more && !group.in_turns {
                    group.in_turns = true;
                    group.ranks = [0; GROUP];
                    group.picked = [NONE; GROUP];
                }
                let all = ends | (group.in_turns & !more);
                self.meet(level, &mut candidates, &mut pairs, &mut group, all);
                if !more {
                    break;
                }
            }
            if ends {
                break;
            }
            if group.in_turns {
                group.in_turns = false;
                for (at, agent) in of_group.enumerate() {
                    let sums = &mut pairs.sums.numbers[agent * width_of_sums..][..width_of_sums];
                    for (sum, lanes) in sums.iter_mut().zip(&group.lanes[at]) {
                        *sum = compact::total(lanes);
                    }
                    if let Some(picked) = pairs.sums.picked.get_mut(agent) {
                        *picked = group.picked[at].1;
                    }
                }
            }
        }
    }
}

impl<R: StreamRule<C, K>, const C: usize, const K: usize> GatherSums<'_, R, C, K> {
    /// Begins a group with the first of some slots.
    #[inline(always)]
    fn begin(&self, group: &mut AgentGroup<C, K>, slots: Range<usize>, width: f32) {
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
        group.area = area;
    }

    /// Appends those of at most sixteen slots to the candidates that are near the group.
    #[inline(always)]
    fn copy<L: Compact>(
        &self,
        level: L,
        to: &mut Candidates<C>,
        slots: Range<usize>,
        group: &AgentGroup<C, K>,
    ) {
        let at = to.count.min(CANDIDATES);
        let [x, y] = [self.x, self.y]
            .map(|column| ColumnValues::Numbers(column).sixteen(level, slots.start));
        let mut near = (1 << slots.len()) - 1;
        if !group.crosses {
            let Rect { min, max } = group.area;
            let dx = (level.splat(min.x) - x).largest(x - level.splat(max.x), level.splat(0.0));
            let dy = (level.splat(min.y) - y).largest(y - level.splat(max.y), level.splat(0.0));
            near &= (dx * dx + dy * dy).below(level.splat(self.range * self.range));
        }
        let columns = self.rule.columns();
        if let Some(Between { column, species: [_, species] }) = self.rule.between() {
            let of = self.sources[column].sixteen(level, slots.start);
            near &= !of.below(level.splat(species)) & of.below(level.splat(species + 0.5));
        }
        x.pack(near, window_mut(&mut to.x, at));
        y.pack(near, window_mut(&mut to.y, at));
        for (source, column) in self.sources[..columns].iter().zip(&mut to.columns) {
            source.sixteen(level, slots.start).pack(near, window_mut(column, at));
        }
        for slot in slots.start.max(group.slots.start)..slots.end.min(group.slots.end) {
            let bit = 1 << (slot - slots.start);
            if near & bit != 0 {
                to.own[slot - group.slots.start] = at + (near & (bit - 1)).count_ones() as usize;
            }
        }
        to.count = at + near.count_ones() as usize;
    }

    /// Appends the neighbors of a group to the stream, and drops its candidates. Where the stream
    /// is full, and at the end if `all` is to be added up, the rule runs over it.
    #[inline(always)]
    fn meet<L: Compact>(
        &self,
        level: L,
        candidates: &mut Candidates<C>,
        pairs: &mut PairBatch<'_, C, K, R::Scratch>,
        group: &mut AgentGroup<C, K>,
        all: bool,
    ) {
        // Behind the last candidate, numbers that are no neighbors.
        let end = candidates.count;
        candidates.x[end..end + WIDTH].fill(f32::NAN);
        for at in 0..=group.slots.len() {
            let ends = at == group.slots.len();
            let full = (pairs.stream.count >= FLUSH) | (pairs.agents == SEGMENTS);
            if full | (ends & all) {
                self.flush(level, pairs, group);
            }
            if ends {
                break;
            }
            if group.crosses {
                self.select::<L, true>(level, candidates, &mut pairs.stream, group, at);
            } else {
                self.select::<L, false>(level, candidates, &mut pairs.stream, group, at);
            }
            let place =
                if group.in_turns { SumPlace::Lanes(at) } else { SumPlace::Sums(group.first + at) };
            pairs.segments[pairs.agents] = StreamSegment { place, end: pairs.stream.count };
            pairs.agents += 1;
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
        let repeats = if CROSSES { self.space.repeats() } else { [false; 2] };
        let (own_block, own_bit) = (candidates.own[at] / WIDTH, 1 << (candidates.own[at] % WIDTH));
        let start = stream.count;
        let mut count = start;
        if self.rule.between().is_some_and(|between| !between.counts(&group.columns[at])) {
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
            let near = near & !(if block == own_block { own_bit } else { 0 });
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
    }

    /// Runs the rule over the stream, adds up the segment of each agent, and empties the stream.
    #[inline(always)]
    fn flush<L: Compact>(
        &self,
        level: L,
        pairs: &mut PairBatch<'_, C, K, R::Scratch>,
        group: &mut AgentGroup<C, K>,
    ) {
        let PairBatch { stream, segments, agents, out, scratch, sums } = pairs;
        self.rule.evaluate(stream, out, scratch);
        let (width, picking) = (self.rule.sums(), self.rule.picking());
        let mut start = 0;
        for &StreamSegment { place, end } in &segments[..*agents] {
            let best = |before| match picking {
                Some(picking) => {
                    let [i, j] = [&stream.i, &stream.j].map(|of| &of[picking.ids][start..end]);
                    picking.best(i, j, &out[width][start..end], before)
                }
                None => before,
            };
            match place {
                SumPlace::Sums(agent) => {
                    let numbers = &mut sums.numbers[agent * width..][..width];
                    for (sum, out) in numbers.iter_mut().zip(&*out) {
                        *sum = total(level, out, start..end);
                    }
                    if picking.is_some() {
                        sums.picked[agent] = best(NONE).1;
                    }
                }
                SumPlace::Lanes(at) => {
                    let (lanes, rank) = (&mut group.lanes[at], &mut group.ranks[at]);
                    add(level, &out[..width], start..end, lanes, rank);
                    group.picked[at] = best(group.picked[at]);
                }
            }
            start = end;
        }
        (*agents, stream.count) = (0, 0);
    }
}

impl<const C: usize, const K: usize> AgentGroup<C, K> {
    /// True if one of the agents has neighbors that count.
    #[inline(always)]
    fn has(&self, between: &Between) -> bool {
        self.columns[..self.slots.len()].iter().any(|columns| between.counts(columns))
    }
}
