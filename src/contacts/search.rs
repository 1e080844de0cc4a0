//! The search for the pairs of a band that overlap.
//!
//! Near discs are tested against their two windows, in passes over some slots at a time:
//!
//! ```text
//! prefilter [ 2 4 5 11 …      slots that overlap a candidate at the start of a window, or have a longer
//!                             window; 16 at once
//! emit      (2,3) (5,9) …     the pairs of these slots, candidate by candidate
//! discard                     pairs with an outlier, which have a search of their own
//! ```
//!
//! An outlier, a disc too large for its cell or too far from it, is tested against the near discs
//! in the rows that it reaches, and against the outliers that the tight grid lists near it.

use std::ops::Range;

use glam::Vec2;

use super::{
    bands::Pair,
    narrow::{self, Narrow},
};
use crate::{
    geometry::{DiscColumns, Rect, discs_overlap},
    grid::{Grid, PackedWindows, Windows},
    simd::{
        Kernel, SimdLevel,
        vectors::{self, LaneKernel, Vectors, overlap_bits},
    },
};

/// Finds the pairs of a band: pairs of the near discs in its slots, then pairs with its outliers,
/// both in canonical order.
///
/// Stores pairs until `storage` is full. Returns the number of pairs of near discs, and of pairs
/// with outliers; if `storage` is too small, the counts are too low, but larger than it. The
/// columns that a filter reads next are prefetched.
pub(super) fn search(
    discs: DiscColumns<'_>,
    grid: &Grid,
    slots: Range<usize>,
    storage: &mut [Pair],
    (near, by): (Near, Option<&dyn Narrow>),
    simd: SimdLevel,
) -> [usize; 2] {
    let windows = &grid.packed_windows()[..discs.x.len()];
    let (kept, searched) = match near {
        Near::Kept(pairs) => (pairs, slots.start..slots.start),
        Near::Sparse | Near::Dense => (0, slots.clone()),
    };
    let mut list = PairList { storage, found: kept };
    let mut selected = [0; CHUNK];
    for first in searched.step_by(CHUNK) {
        let slots = first..slots.end.min(first + CHUNK);
        if let Some(by) = by {
            narrow::prefetch(by, slots.clone());
        }
        if near == Near::Dense {
            simd.run_lanes(EmitAll { discs, grid, slots, list: &mut list });
            continue;
        }
        let count = simd.run(Prefilter { discs, windows, slots, selected: &mut selected });
        simd.run_lanes(Emit { discs, grid, selected: &selected[..count], list: &mut list });
    }
    if grid.outlier_count() == 0 {
        return [list.found, 0];
    }
    list.discard(kept, |[i, j]| grid.is_outlier(i) | grid.is_outlier(j));
    let near_found = list.found;
    simd.run_lanes(EmitOutliers { discs, grid, slots, list: &mut list });
    [near_found, list.found - near_found]
}

/// How the near pairs of a band are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// Not at all: this number of pairs is stored already.
    Kept(usize),
    /// Few slots have a pair: the others are filtered out.
    Sparse,
    /// Most slots have pairs, so that no filter pays.
    Dense,
}

/// Slots that pass through the two kernels together.
const CHUNK: usize = 256;

/// Selects the slots that overlap a candidate in the first block of a window, or have windows that
/// go on behind it.
///
/// In a gas that is one slot of ten: too few for a branch to predict, and too many to pay for each
/// of the others. So there is no branch. A block may read past the end of its window.
struct Prefilter<'a> {
    discs: DiscColumns<'a>,
    /// Words of [`PackedWindows`].
    windows: &'a [u32],
    slots: Range<usize>,
    selected: &'a mut [u32; CHUNK],
}

impl Kernel for Prefilter<'_> {
    /// Number of slots selected.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { discs, windows, slots, selected } = self;
        // Slices that are visibly of one length are checked once.
        let discs = slice(discs, 0..windows.len());
        if windows.len() < LANES {
            slots.clone().zip(selected).for_each(|(i, selected)| *selected = i as u32);
            return slots.len();
        }
        let last = windows.len() - LANES;
        let mut count = 0;
        #[expect(clippy::needless_range_loop, reason = "the bound of a slot is visible once")]
        for i in slots.start..slots.end.min(windows.len()) {
            // The last block of the columns has all candidates of a block that would reach past it.
            let along = whole_block(discs, (i + 1).min(last));
            let window = PackedWindows(windows[i]);
            let below = whole_block(discs, window.below(i).min(last));
            let touches = touches(get(discs, i), [along, below]);
            selected[count % CHUNK] = i as u32;
            count += usize::from(touches | !window.is_short());
        }
        count
    }
}

/// Emits the pairs of the selected slots.
struct Emit<'a, 'b> {
    discs: DiscColumns<'a>,
    grid: &'a Grid,
    selected: &'a [u32],
    list: &'a mut PairList<'b>,
}

impl LaneKernel for Emit<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, lanes: V) {
        let Self { discs, grid, selected, list } = self;
        // Columns that are visibly of one length are checked once.
        let discs = slice(discs, 0..discs.x.len());
        for &i in selected {
            let Windows { along, below } = grid.windows(i as usize);
            list.emit(lanes, discs, i, along);
            list.emit(lanes, discs, i, below);
        }
    }
}

/// Emits the pairs of all slots, of which many overlap a candidate.
struct EmitAll<'a, 'b> {
    discs: DiscColumns<'a>,
    grid: &'a Grid,
    slots: Range<usize>,
    list: &'a mut PairList<'b>,
}

impl LaneKernel for EmitAll<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, lanes: V) {
        let Self { discs, grid, slots, list } = self;
        let discs = slice(discs, 0..discs.x.len());
        for slot in slots {
            list.emit_both(lanes, discs, slot as u32, grid.windows(slot));
        }
    }
}

/// Emits the pairs of the outliers among some slots.
struct EmitOutliers<'a, 'b> {
    discs: DiscColumns<'a>,
    grid: &'a Grid,
    slots: Range<usize>,
    list: &'a mut PairList<'b>,
}

impl LaneKernel for EmitOutliers<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, lanes: V) {
        let Self { discs, grid, slots, list } = self;
        for i in grid.outliers_in(slots) {
            list.emit_outlier(lanes, discs, grid, i);
        }
    }
}

/// Pairs that are stored as long as there is storage, and counted in any case.
struct PairList<'a> {
    storage: &'a mut [Pair],
    found: usize,
}

impl PairList<'_> {
    /// Emits the pairs of disc `i` with the candidates of its two windows.
    #[inline(always)]
    fn emit_both(&mut self, lanes: impl Vectors, discs: DiscColumns<'_>, i: u32, windows: Windows) {
        let Windows { along, below } = windows;
        let tested = if (along.len() <= 2 * LANES) & (below.len() <= 3 * LANES) {
            hits(lanes, discs, i as usize, &along, &below)
        } else {
            None
        };
        if let Some([one, other]) = tested {
            self.push_hits::<4>(i, along.start, one);
            self.push_hits::<4>(i, below.start, other);
        } else {
            self.emit(lanes, discs, i, along);
            self.emit(lanes, discs, i, below);
        }
    }

    /// Appends the pairs of disc `i` with those discs from a slot on that have their bits set, in
    /// ascending order. Most have at most `MOST` pairs: this number is written, and the surplus is
    /// overwritten.
    #[inline(always)]
    fn push_hits<const MOST: usize>(&mut self, i: u32, first: usize, mut hits: u32) {
        let count = hits.count_ones() as usize;
        if let Some(entries) = self.storage.get_mut(self.found..self.found + MOST)
            && count <= MOST
        {
            for entry in entries {
                *entry = [i, first as u32 + hits.trailing_zeros()];
                hits &= hits.wrapping_sub(1);
            }
        } else {
            for at in self.found..self.found + count {
                if let Some(entry) = self.storage.get_mut(at) {
                    *entry = [i, first as u32 + hits.trailing_zeros()];
                }
                hits &= hits.wrapping_sub(1);
            }
        }
        self.found += count;
    }

    /// Emits the pairs of disc `i` with the candidates of a window.
    #[inline(always)]
    fn emit(&mut self, lanes: impl Vectors, discs: DiscColumns<'_>, i: u32, window: Range<usize>) {
        let disc = get(discs, i as usize);
        let Range { start: mut first, end } = window;
        while first < end {
            let count = (end - first).min(LANES);
            let hits = match block(discs, first) {
                Some(columns) => overlap_bits(lanes, disc, columns) & low_bits(count),
                None => (0..count).fold(0, |hits, lane| {
                    let hit = discs_overlap(disc, get(discs, first + lane));
                    hits | u32::from(hit) << lane
                }),
            };
            self.push_hits::<1>(i, first, hits);
            first += count;
        }
    }

    /// Does the same for a window with few overlaps: skips blocks without any.
    #[inline(always)]
    fn emit_few(
        &mut self,
        lanes: impl Vectors,
        discs: DiscColumns<'_>,
        i: u32,
        window: Range<usize>,
    ) {
        for first in window.clone().step_by(2 * LANES) {
            let blocks = (block(discs, first), block(discs, first + LANES));
            let disc = get(discs, i as usize);
            if !matches!(blocks, (Some(one), Some(other)) if !touches(disc, [one, other])) {
                self.emit(lanes, discs, i, first..window.end.min(first + 2 * LANES));
            }
        }
    }

    /// Emits the pairs of outlier `i`: with near discs by their slots, then with outliers in later
    /// slots by theirs. The lower slot of a pair comes first.
    #[inline(always)]
    fn emit_outlier(&mut self, lanes: impl Vectors, discs: DiscColumns<'_>, grid: &Grid, i: u32) {
        let start = self.found;
        let [x, y, radius] = get(discs, i as usize);
        let bounds = Rect::around(Vec2::new(x, y), radius);
        grid.slots_near(&bounds, |slots| self.emit_few(lanes, discs, i, slots));
        self.discard(start, |[_, j]| grid.is_outlier(j));
        let outliers = self.found;
        grid.visit_outliers(Vec2::new(x, y), radius, |j| {
            if j > i && discs_overlap([x, y, radius], get(discs, j as usize)) {
                if let Some(entry) = self.storage.get_mut(self.found) {
                    *entry = [i, j];
                }
                self.found += 1;
            }
        });
        if let Some(found) = self.storage.get_mut(start..self.found) {
            // The tight grid visits in an order of its own.
            found[outliers - start..].sort_unstable();
            for pair in found {
                pair.sort_unstable();
            }
        }
    }

    /// Discards the unwanted pairs among those stored from `start` on.
    fn discard(&mut self, start: usize, unwanted: impl Fn(Pair) -> bool) {
        if let Some(found) = self.storage.get_mut(start..self.found) {
            let mut kept = 0;
            for at in 0..found.len() {
                let pair = found[at];
                found[kept] = pair;
                kept += usize::from(!unwanted(pair));
            }
            self.found = start + kept;
        }
    }
}

/// Candidates that are tested at once.
const LANES: usize = PackedWindows::SHORT;

/// Which candidates of two windows disc `i` overlaps: five blocks without a branch, since none
/// could predict which of them are needed. None at the end of the columns.
#[inline(always)]
fn hits(
    lanes: impl Vectors,
    discs: DiscColumns<'_>,
    i: usize,
    along: &Range<usize>,
    below: &Range<usize>,
) -> Option<[u32; 2]> {
    let disc = get(discs, i);
    let [a0, a1] = [block(discs, along.start)?, block(discs, along.start + LANES)?];
    let [b0, b1] = [block(discs, below.start)?, block(discs, below.start + LANES)?];
    let b2 = block(discs, below.start + 2 * LANES)?;
    let one = overlap_bits(lanes, disc, a0) | overlap_bits(lanes, disc, a1) << LANES;
    let other = overlap_bits(lanes, disc, b0)
        | overlap_bits(lanes, disc, b1) << LANES
        | overlap_bits(lanes, disc, b2) << (2 * LANES);
    Some([one & low_bits(along.len()), other & low_bits(below.len())])
}

/// A word with the lowest `count` bits set; `count` is less than 32.
#[inline(always)]
fn low_bits(count: usize) -> u32 {
    (1 << count) - 1
}

const _: () = assert!(LANES == vectors::LANES, "a block is tested at once");

#[inline(always)]
fn slice(DiscColumns { x, y, radius }: DiscColumns<'_>, slots: Range<usize>) -> DiscColumns<'_> {
    DiscColumns { x: &x[slots.clone()], y: &y[slots.clone()], radius: &radius[slots] }
}

#[inline(always)]
fn get(discs: DiscColumns<'_>, slot: usize) -> [f32; 3] {
    [discs.x[slot], discs.y[slot], discs.radius[slot]]
}

/// True if a disc overlaps a disc of one of two blocks.
#[inline(always)]
fn touches(disc: [f32; 3], [one, other]: [DiscBlock<'_>; 2]) -> bool {
    let mut any = false;
    for lane in 0..LANES {
        any |= discs_overlap(disc, one.map(|column| column[lane]));
        any |= discs_overlap(disc, other.map(|column| column[lane]));
    }
    any
}

/// The lanes of a column from a slot on, which exist.
#[inline(always)]
fn lanes_from(column: &[f32], start: usize) -> &[f32; LANES] {
    column[start..start + LANES].first_chunk().expect("a range of that length")
}

/// The columns of [`LANES`] discs.
type DiscBlock<'a> = [&'a [f32; LANES]; 3];

/// The block of discs from a slot on, which exist.
#[inline(always)]
fn whole_block(DiscColumns { x, y, radius }: DiscColumns<'_>, start: usize) -> DiscBlock<'_> {
    [lanes_from(x, start), lanes_from(y, start), lanes_from(radius, start)]
}

/// The block of [`LANES`] discs from a slot on, if the columns are long enough.
#[inline(always)]
fn block(DiscColumns { x, y, radius }: DiscColumns<'_>, start: usize) -> Option<DiscBlock<'_>> {
    Some([
        x.get(start..)?.first_chunk()?,
        y.get(start..)?.first_chunk()?,
        radius.get(start..)?.first_chunk()?,
    ])
}
