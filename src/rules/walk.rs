//! The candidates of a group: the slots of all agents that may be within range of one of some
//! neighboring agents, ascending.
//!
//! ```text
//! rows  ─► [ 0..2 ]            [ 40..44 ]      across the seam, a block is up to three along an axis
//! cols  ─► [ 0..7 ] [ 90..99 ]                 row by row, and the outliers from elsewhere between
//! ```
//!
//! The home cells of all agents whose center is near lie in a block around the group. Where an
//! outlier has drifted far, that block would be large: then it holds the others alone, and the tight
//! grid lists the outliers.

use std::ops::Range;

use glam::Vec2;

use crate::{
    geometry::{Rect, Space},
    grid::Grid,
};

/// Outliers from elsewhere that one group may meet. With more, the block is enlarged instead.
const OUTLIERS: usize = 64;

/// Drift of outliers, in ranges and near limits, up to which the block is enlarged for them.
const DRIFT: f32 = 0.25;

/// The walk of all groups of a step, for one range.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    grid: &'a Grid,
    space: &'a Space,
    world: Rect,
    repeats: [bool; 2],
    range: f32,
    /// The farthest that centers lie outside their home cells: of the agents that a block finds, and
    /// of all.
    reach: f32,
    reach_of_all: f32,
    /// The outliers that were found last, ascending.
    outliers: [u32; OUTLIERS],
}

/// Where the candidates of a group are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearby {
    rows: Intervals,
    cols: Intervals,
    /// Number of outliers beside the block.
    outliers: usize,
    /// True if displacements to the nearest copy may differ from plain ones.
    pub(super) crosses: bool,
}

/// Up to three intervals of rows or columns, ascending and disjoint.
#[derive(Clone, Copy, Debug)]
struct Intervals {
    /// The first and the last of each.
    ends: [[u32; 2]; 3],
    count: usize,
    /// True if copies across the seam are among them.
    crosses: bool,
}

/// The candidates of a group that were not visited yet.
pub(super) struct SlotRanges<'a> {
    grid: &'a Grid,
    rows: Intervals,
    cols: Intervals,
    /// The next row, the interval that it is in, and the interval of columns.
    row: u32,
    of_rows: usize,
    of_cols: usize,
    /// The next slots of the block, if there are outliers.
    pending: Range<usize>,
    outliers: &'a [u32],
}

/// No slots of a block any more.
const END: Range<usize> = usize::MAX..usize::MAX;

impl<'a> Walk<'a> {
    /// The walk over a grid that is exact for agents of at least that radius.
    pub(super) fn new(grid: &'a Grid, space: &'a Space, range: f32, radius_min: f32) -> Self {
        let near = grid.near_center_reach(radius_min);
        let reach_of_all = grid.center_reach(radius_min);
        let small = reach_of_all <= 2.0 * near + DRIFT * range;
        let reach = if small { reach_of_all } else { near };
        let (world, repeats) = (space.world(), space.repeats());
        let outliers = [0; OUTLIERS];
        Self { grid, space, world, repeats, range, reach, reach_of_all, outliers }
    }

    /// Finds where the candidates of agents are whose centers lie in an area.
    #[inline(always)]
    pub(super) fn find(&mut self, area: &Rect) -> Nearby {
        let area = area.expanded(self.range);
        let near = self.reach == self.reach_of_all;
        let found = if near { 0 } else { self.find_outliers(&area) };
        // Too many outliers: the block is enlarged to hold them.
        let reach = if found > OUTLIERS { self.reach_of_all } else { self.reach };
        let block = self.grid.homes_of_centers(&area, reach);
        let mut rows = Intervals::of(block.row);
        let mut cols = Intervals::of(block.col);
        if self.repeats != [false; 2] {
            [cols, rows] = [0, 1].map(|axis| self.across(&area, reach, axis));
        }
        let crosses = rows.crosses | cols.crosses | (!near & (self.repeats != [false; 2]));
        Nearby { rows, cols, crosses, outliers: if found > OUTLIERS { 0 } else { found } }
    }

    /// The candidates.
    #[inline(always)]
    pub(super) fn slots<'b>(&'b self, nearby: &Nearby) -> SlotRanges<'b> {
        let &Nearby { rows, cols, outliers, .. } = nearby;
        let outliers = &self.outliers[..outliers.min(OUTLIERS)];
        let row = rows.ends[0][0];
        let pending = 0..0;
        SlotRanges { grid: self.grid, rows, cols, row, of_rows: 0, of_cols: 0, pending, outliers }
    }

    /// The columns (axis 0) or rows (axis 1) of the home cells of all agents that come within
    /// `reach` of them and have a center, or a copy of it, in an area.
    #[inline(never)]
    fn across(&self, area: &Rect, reach: f32, axis: usize) -> Intervals {
        let Self { grid, world, repeats, .. } = self;
        let mut found = Intervals { ends: [[0; 2]; 3], count: 0, crosses: false };
        let copies = if repeats[axis] { -1..=1_i8 } else { 0..=0 };
        for copy in copies {
            let mut shift = Vec2::ZERO;
            shift[axis] = f32::from(copy) * world.size()[axis];
            let area = area.shifted(shift);
            let reached = area.expanded(reach);
            let outside =
                reached.max[axis] < world.min[axis] || reached.min[axis] > world.max[axis];
            if repeats[axis] && outside {
                continue;
            }
            let block = grid.homes_of_centers(&area, reach);
            found.push(if axis == 0 { block.col } else { block.row });
            found.crosses |= copy != 0;
        }
        found
    }

    /// Finds the outliers with a center, or a copy of it, in an area, and others near them; some may
    /// be there twice. Returns their number, also if there is no room for them.
    #[inline(never)]
    fn find_outliers(&mut self, area: &Rect) -> usize {
        let Self { grid, space, outliers, .. } = self;
        let mut found = 0;
        let radius = 0.5 * area.size().max_element();
        for shift in std::iter::once(Vec2::ZERO).chain(space.shifts()) {
            grid.visit_outliers(area.center() + shift, radius, |slot| {
                if let Some(place) = outliers.get_mut(found) {
                    *place = slot;
                }
                found += 1;
            });
        }
        outliers[..found.min(OUTLIERS)].sort_unstable();
        found
    }
}

impl SlotRanges<'_> {
    /// The next candidates: ranges of slots, ascending and disjoint. [`END`] behind the last.
    #[inline(always)]
    fn next_of_block(&mut self) -> Range<usize> {
        let Self { grid, rows, cols, .. } = self;
        while self.of_rows < rows.count {
            let between = cols.ends[self.of_cols];
            let slots = grid.slots_between(self.row, between);
            self.of_cols += 1;
            if self.of_cols >= cols.count {
                self.of_cols = 0;
                self.row += 1;
                if self.row > rows.ends[self.of_rows][1] {
                    self.of_rows += 1;
                    self.row = rows.ends[self.of_rows.min(2)][0];
                }
            }
            if !slots.is_empty() {
                return slots;
            }
        }
        END
    }

    /// The next range of candidates, and the outliers from elsewhere between them.
    #[inline(never)]
    fn next_merged(&mut self) -> Range<usize> {
        loop {
            if self.pending.is_empty() && self.pending != END {
                self.pending = self.next_of_block();
            }
            let Some((&first, rest)) = self.outliers.split_first() else { break };
            let slot = first as usize;
            if slot >= self.pending.end {
                break;
            }
            self.outliers = rest;
            let twice = rest.first() == Some(&first);
            if slot < self.pending.start && !twice {
                return slot..slot + 1;
            }
        }
        let next = self.pending.clone();
        if next != END {
            self.pending = 0..0;
        }
        next
    }
}

impl Iterator for SlotRanges<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let plain = self.outliers.is_empty() & self.pending.is_empty();
        let slots = if plain { self.next_of_block() } else { self.next_merged() };
        (slots != END).then_some(slots)
    }
}

impl Intervals {
    #[inline(always)]
    fn of(interval: [u32; 2]) -> Self {
        Self { ends: [interval; 3], count: 1, crosses: false }
    }

    /// Adds an interval that begins no earlier than the others.
    fn push(&mut self, [from, to]: [u32; 2]) {
        if let Some(last) = self.count.checked_sub(1)
            && from <= self.ends[last][1]
        {
            self.ends[last][1] = self.ends[last][1].max(to);
        } else {
            self.ends[self.count] = [from, to];
            self.count += 1;
        }
    }
}
