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

use std::ops::Range;

use crate::grid::Grid;

/// A pair of slots, the lower first.
pub(crate) type Pair = [u32; 2];

/// Some rows of the grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Band {
    /// Its place among the bands.
    pub index: usize,
    /// Rows of loose cells.
    pub rows: Range<u32>,
    /// The slots of its rows.
    pub slots: Range<usize>,
    /// End of the slots that its pairs may contain, which are in its rows and in the next row.
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

/// The parts of the list and of a column beside it that belong to some bands. The column may be
/// empty.
pub(super) struct ListPart<'a> {
    pub(super) pairs: &'a mut [Pair],
    pub(super) column: &'a mut [f32],
}

impl ListPart<'_> {
    /// Splits where the storage of a band begins; the part begins with the storage of another band.
    pub(super) fn split(self, lower: &Band, upper: &Band) -> (Self, Self) {
        let Self { pairs, column } = self;
        let at = upper.storage.start - lower.storage.start;
        let (pairs, pairs2) = pairs.split_at_mut(at);
        let (column, column2) = column.split_at_mut(at.min(column.len()));
        (Self { pairs, column }, Self { pairs: pairs2, column: column2 })
    }
}

/// The bands of a grid; [`assign`] sets their slots.
pub(crate) fn bands(grid: &Grid) -> Vec<Band> {
    grid.bands().enumerate().map(|(index, rows)| Band { index, rows, ..Band::default() }).collect()
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
