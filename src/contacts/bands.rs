//! Bands: the grid's rows cut into parts that are worked on in parallel.
//!
//! Slots are in row order, so a band owns a range of slots, and a range of every array that is laid
//! out along the slots. Splitting such an array between two bands needs no lock and no unsafe code.
//!
//! ```text
//! rows of the grid   band 0   band 1   band 2   band 3   …
//! slots            [........|........|........|........|…
//!                    └───────┴┘        └───────┴┘         pairs reach the first row of the next band:
//!                                                         bands 0, 2, 4, … are disjoint; 1, 3, 5, … too
//! ```

use std::ops::{AddAssign, Range};

use crate::{
    grid::Grid,
    parallel::{self, Split},
};

/// Two slots, the lower first.
pub(crate) type Pair = [u32; 2];

/// The direction in which pairs are resolved. One after another, they pass pushes on along a row of
/// agents that touch: through all of it the way that the direction goes, and to the next agent the
/// other way. Agents would come to lie closer at one wall than at the opposite one if that way was
/// always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// Calls `work` with each item in this direction.
    #[inline(always)]
    pub(super) fn each<'a, T>(self, items: &'a [T], work: impl FnMut(&'a T)) {
        match self {
            Self::Forward => items.iter().for_each(work),
            Self::Backward => items.iter().rev().for_each(work),
        }
    }
}

/// Some rows of the grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Band {
    /// Rows of loose cells.
    pub rows: Range<u32>,
    /// The slots of its rows.
    pub slots: Range<usize>,
    /// End of the slots that its pairs may contain: those of its rows and of the next row.
    pub slots_end: usize,
    /// The part of the contact list that its pairs are stored in.
    pub storage: Range<usize>,
    /// Number of pairs found and not dropped since: near pairs, and pairs with an outlier.
    pub found: [usize; 2],
    /// The number of its near pairs if the search under way leaves them as they are.
    pub kept: Option<usize>,
    /// True if most slots had near pairs when they were last searched, though pairs were dropped
    /// since.
    pub dense: bool,
    /// Impulses of the last resolution.
    pub exchange: Exchange,
}

/// Impulses between agents, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Exchange {
    /// Number of impulses.
    pub collisions: u64,
    /// Σ impulse · distance of the centers: what collisions add to the pressure.
    pub virial: f64,
}

impl AddAssign for Exchange {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.collisions += other.collisions;
        self.virial += other.virial;
    }
}

impl Band {
    /// Positions of its near pairs in the contact list.
    pub(crate) fn near(&self) -> Range<usize> {
        self.storage.start..self.storage.start + self.found[0]
    }

    /// Positions of its pairs with an outlier in the contact list.
    pub(crate) fn outliers(&self) -> Range<usize> {
        let start = self.near().end;
        start..start + self.found[1]
    }
}

/// A part of the list and of a column beside it, which may be empty.
pub(super) struct ListPart<'a> {
    pub(super) pairs: &'a mut [Pair],
    pub(super) column: &'a mut [f32],
}

impl Split for ListPart<'_> {
    fn len(&self) -> usize {
        self.pairs.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (pairs, pairs_above) = self.pairs.split_at_mut(at);
        let (column, column_above) = self.column.split_at_mut(at.min(self.column.len()));
        (Self { pairs, column }, Self { pairs: pairs_above, column: column_above })
    }
}

/// The bands of a grid; [`assign`] sets their slots.
pub(crate) fn bands(grid: &Grid) -> Vec<Band> {
    grid.bands().map(|rows| Band { rows, ..Band::default() }).collect()
}

/// Sets the slots of each band to those that its rows have now.
pub(crate) fn assign(bands: &mut [Band], grid: &Grid) {
    let rows = grid.loose_cells()[1];
    for band in bands {
        let end = grid.row_slots(band.rows.end - 1).end;
        band.slots = grid.row_slots(band.rows.start).start..end;
        band.slots_end = if band.rows.end < rows { grid.row_slots(band.rows.end).end } else { end };
    }
}

/// Calls `work` with every second band, beginning with the first, the data of the slots that its pairs
/// may contain, and its part of `list`, on all threads of the pool. `data` is laid out along the slots,
/// from `first` on.
pub(super) fn every_second<S: Split>(
    bands: &mut [Band],
    first: usize,
    data: S,
    list: ListPart<'_>,
    work: &(impl Fn(&mut Band, &mut S, ListPart<'_>) + Sync),
) {
    if bands.len() <= 2 {
        if let Some(band) = bands.first_mut() {
            let (before, _) = data.split_at(band.slots_end - first);
            let (_, mut own) = before.split_at(band.slots.start - first);
            let (list, _) = list.split_at(band.storage.len());
            work(band, &mut own, list);
        }
        return;
    }
    let middle = (bands.len() / 2).next_multiple_of(2);
    let (lower, upper) = bands.split_at_mut(middle);
    let start = upper[0].slots.start;
    let (below, above) = data.split_at(start - first);
    let (head, tail) = list.split_at(upper[0].storage.start - lower[0].storage.start);
    parallel::join(
        || every_second(lower, first, below, head, work),
        || every_second(upper, start, above, tail, work),
    );
}
