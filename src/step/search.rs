//! The search for the pairs of a band that overlap.
//!
//! Overlap is `dx·dx + dy·dy < (ri + rj)²` in f32, in that order of operations, strict.
//!
//! Near agents meet those in their two windows, in passes over some slots at a time:
//!
//! ```text
//! note      [ 2 4 5 11 …      who overlaps anybody where their windows begin? 16 candidates at once
//! sift      [ 2 5 11 …        noted for windows that go on: does anybody overlap them there?
//! meet      (2,3) (5,9) …     with whom, then, one by one
//! leave out                   pairs with a far agent: they have a search of their own
//! ```
//!
//! A far agent, too big for its cell or too far from it, meets the near ones in the rows that it reaches,
//! and the far ones that the tight grid lists where it is.

use std::ops::Range;

use glam::Vec2;

use super::contacts::Pair;
use crate::{
    agents::Agents,
    geometry::{Rect, discs_overlap},
    grid::{Grid, PackedWindows, Windows},
    simd::{Kernel, SimdLevel},
};

/// Finds the pairs whose first agent is in some slots and puts them into the room as long as there is any, in
/// canonical order; returns how many there are of near agents, and with far ones. Without the room for all
/// of them, it may be fewer.
pub(super) fn search(
    discs: Columns<'_>,
    grid: &Grid,
    slots: Range<usize>,
    room: &mut [Pair],
    simd: SimdLevel,
) -> [usize; 2] {
    let windows = &grid.packed_windows()[..discs.x.len()];
    let mut list = List { room, found: 0 };
    let mut noted = [0; CHUNK];
    for first in slots.clone().step_by(CHUNK) {
        let slots = first..slots.end.min(first + CHUNK);
        let count = simd.run(Note { discs, windows, slots, noted: &mut noted });
        let count = simd.run(Sift { discs, windows, noted: &mut noted[..count] });
        simd.run(Meet { discs, grid, noted: &noted[..count], list: &mut list });
    }
    if grid.outlier_count() == 0 {
        return [list.found, 0];
    }
    list.leave_out(0, |[i, j]| grid.is_outlier(i) | grid.is_outlier(j));
    let near = list.found;
    simd.run(Reach { discs, grid, slots, list: &mut list });
    [near, list.found - near]
}

/// Slots whose windows are searched before those that touch somebody are looked at.
const CHUNK: usize = 256;

/// Notes which of some slots overlap somebody among the first block of each window, or have windows that go
/// on behind it. In a gas that is one of ten: too few to be foreseen by a branch, and too many to pay for
/// each that isn't. So there is none. A block may read past the end of its window.
struct Note<'a> {
    discs: Columns<'a>,
    windows: &'a [PackedWindows],
    slots: Range<usize>,
    noted: &'a mut [u32; CHUNK],
}

impl Kernel for Note<'_> {
    /// How many are noted.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { discs, windows, slots, noted } = self;
        // Slices that are seen to be of one length are checked once.
        let discs = discs.cut(0..windows.len());
        let mut count = 0;
        for i in slots {
            let touches = discs.touches(i, [i + 1, windows[i].below(i)]);
            noted[count % CHUNK] = i as u32;
            count += usize::from(touches | !windows[i].is_short());
        }
        count
    }
}

/// Keeps those who overlap somebody among the first two blocks of each window. Who has windows that are longer
/// still is taken to.
struct Sift<'a> {
    discs: Columns<'a>,
    windows: &'a [PackedWindows],
    noted: &'a mut [u32],
}

impl Kernel for Sift<'_> {
    /// How many are kept.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { discs, windows, noted } = self;
        let discs = discs.cut(0..windows.len());
        let mut kept = 0;
        for place in 0..noted.len() {
            let i = noted[place] as usize;
            let (along, below) = (i + 1, windows[i].below(i));
            let touches =
                discs.touches(i, [along, below]) | discs.touches(i, [along + LANES, below + LANES]);
            let known = windows[i].is_short() | windows[i].is_longer_than(2 * LANES);
            noted[kept] = i as u32;
            kept += usize::from(touches | known);
        }
        kept
    }
}

/// Puts down the pairs of the slots that are left.
struct Meet<'a, 'b> {
    discs: Columns<'a>,
    grid: &'a Grid,
    noted: &'a [u32],
    list: &'a mut List<'b>,
}

impl Kernel for Meet<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { discs, grid, noted, list } = self;
        for &i in noted {
            let Windows { along, below } = grid.windows(i as usize);
            list.meet(discs, i, along);
            list.meet(discs, i, below);
        }
    }
}

/// Puts down the pairs of the far agents among some slots.
struct Reach<'a, 'b> {
    discs: Columns<'a>,
    grid: &'a Grid,
    slots: Range<usize>,
    list: &'a mut List<'b>,
}

impl Kernel for Reach<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { discs, grid, slots, list } = self;
        for i in grid.outliers_in(slots) {
            list.reach(discs, grid, i);
        }
    }
}

/// Pairs, put down as long as there is room and counted in any case.
struct List<'a> {
    room: &'a mut [Pair],
    found: usize,
}

impl List<'_> {
    /// Puts down the pairs of agent `i` with those in a window. A pair is written whether it touches or not,
    /// and the next is written over it if not: which do can't be foreseen.
    #[inline(always)]
    fn meet(&mut self, discs: Columns<'_>, i: u32, window: Range<usize>) {
        let (disc, Columns { x, y, radius }) = (discs.get(i as usize), discs.cut(window.clone()));
        let (room, mut found) = (&mut *self.room, self.found);
        let candidates = x.iter().zip(y).zip(radius).zip(window.start as u32..);
        for (((&x, &y), &radius), j) in candidates {
            if let Some(place) = room.get_mut(found) {
                *place = [i, j];
            }
            found += usize::from(discs_overlap(disc, [x, y, radius]));
        }
        self.found = found;
    }

    /// As [`Self::meet`], of a window in which hardly anybody overlaps: blocks with nobody are passed over.
    #[inline(always)]
    fn meet_few(&mut self, discs: Columns<'_>, i: u32, window: Range<usize>) {
        for first in window.clone().step_by(2 * LANES) {
            if discs.touches(i as usize, [first, first + LANES]) {
                self.meet(discs, i, first..window.end.min(first + 2 * LANES));
            }
        }
    }

    /// Puts down the pairs of far agent `i`: with near ones by their slots, then with far ones in later slots
    /// by theirs. The lower slot of a pair stands first.
    #[inline(always)]
    fn reach(&mut self, discs: Columns<'_>, grid: &Grid, i: u32) {
        let start = self.found;
        let [x, y, radius] = discs.get(i as usize);
        let bounds = Rect::around(Vec2::new(x, y), radius);
        grid.slots_near(&bounds, |slots| self.meet_few(discs, i, slots));
        self.leave_out(start, |[_, j]| grid.is_outlier(j));
        let far = self.found;
        grid.visit_outliers(Vec2::new(x, y), radius, |j| {
            if j > i && discs_overlap([x, y, radius], discs.get(j as usize)) {
                if let Some(place) = self.room.get_mut(self.found) {
                    *place = [i, j];
                }
                self.found += 1;
            }
        });
        if let Some(found) = self.room.get_mut(start..self.found) {
            // The tight grid's order is its own.
            found[far - start..].sort_unstable();
            for pair in found {
                pair.sort_unstable();
            }
        }
    }

    /// Leaves out some of the pairs that were put down from `start` on.
    fn leave_out(&mut self, start: usize, unwanted: impl Fn(Pair) -> bool) {
        if let Some(found) = self.room.get_mut(start..self.found) {
            let mut kept = 0;
            for place in 0..found.len() {
                let pair = found[place];
                found[kept] = pair;
                kept += usize::from(!unwanted(pair));
            }
            self.found = start + kept;
        }
    }
}

/// Candidates that are tested at once.
const LANES: usize = PackedWindows::SHORT;

/// Discs: their x, their y, their radii; slices of one length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'a> {
    x: &'a [f32],
    y: &'a [f32],
    radius: &'a [f32],
}

impl<'a> Columns<'a> {
    pub(super) fn of(agents: &'a Agents) -> Self {
        Self { x: &agents.x, y: &agents.y, radius: &agents.radius }
    }

    #[inline(always)]
    fn cut(self, slots: Range<usize>) -> Self {
        let Self { x, y, radius } = self;
        Self { x: &x[slots.clone()], y: &y[slots.clone()], radius: &radius[slots] }
    }

    #[inline(always)]
    fn get(self, slot: usize) -> [f32; 3] {
        [self.x[slot], self.y[slot], self.radius[slot]]
    }

    /// True if a disc overlaps one of two blocks, or one of these is not there.
    #[inline(always)]
    fn touches(self, i: usize, [one, other]: [usize; 2]) -> bool {
        let (Some(one), Some(other)) = (self.block(one), self.block(other)) else { return true };
        let (disc, mut any) = (self.get(i), false);
        for lane in 0..LANES {
            any |= discs_overlap(disc, one.map(|column| column[lane]));
            any |= discs_overlap(disc, other.map(|column| column[lane]));
        }
        any
    }

    /// So many discs from a slot on, if there are so many.
    #[inline(always)]
    fn block(self, start: usize) -> Option<[&'a [f32; LANES]; 3]> {
        Some([
            self.x.get(start..)?.first_chunk()?,
            self.y.get(start..)?.first_chunk()?,
            self.radius.get(start..)?.first_chunk()?,
        ])
    }
}
