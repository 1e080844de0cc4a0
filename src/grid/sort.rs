//! The bulk rebuild: a counting sort of the elements by home cell.
//!
//! ```text
//! elements   piece 0     piece 1     piece 2   …     pieces assign homes; each records its rows
//!               │╲          │╲          │╲
//! bands      rows 0..8   rows 8..16  rows 16..24 …    bands count and place; each reads the pieces
//!                                                     that have elements in its rows
//! ```
//!
//! A band owns the offsets of its cells and its part of the order, so that bands run in parallel
//! without atomics. Elements that hardly moved since they were last in cell order are read once or
//! twice. Where pieces are scattered over many bands, as in an arbitrary order, there is one band.

use std::ops::Range;

use super::{
    Elements,
    home::{INSERTED, NONE, split},
    loose::LooseGrid,
    pages::Pages,
};
use crate::{
    alloc,
    error::Result,
    geometry::cells::CellLayout,
    limits::{BAND_ROWS_MAX, BANDS},
    parallel,
    simd::{Kernel, SimdLevel},
};

/// Bands pay if a piece is read by at most this number of bands, on average.
const READS_MAX: u32 = 4;

/// Elements that get their homes together.
const PIECE: usize = 1_024;

/// A range of elements.
#[derive(Clone, Debug)]
struct SortPiece {
    elements: Range<usize>,
    /// The first and the last row of their homes.
    rows: [u32; 2],
}

/// Rows of loose cells that are sorted together.
#[derive(Clone, Debug)]
struct SortBand {
    rows: Range<u32>,
    /// The first stored cell.
    cell: usize,
    /// The first item, and the number of items.
    item: usize,
    len: usize,
}

/// Sorts elements into loose cells.
#[derive(Clone, Debug)]
pub(super) struct Sorter {
    pieces: Vec<SortPiece>,
    bands: Vec<SortBand>,
}

impl Sorter {
    /// Creates the memory for sorting `capacity` elements into `rows` rows of loose cells.
    pub(super) fn new(capacity: usize, rows: u32) -> Result<Self> {
        let height = band_height(rows);
        let bands = (0..rows.div_ceil(height)).map(|band| SortBand {
            rows: band * height..((band + 1) * height).min(rows),
            cell: 0,
            item: 0,
            len: 0,
        });
        Ok(Self {
            pieces: alloc::with_capacity(capacity.div_ceil(PIECE), "the pieces that are sorted")?,
            bands: bands.collect(),
        })
    }

    /// Ensures that there is room for the pieces of `capacity` elements.
    pub(super) fn reserve(&mut self, capacity: usize) -> Result<()> {
        let more = capacity.div_ceil(PIECE).saturating_sub(self.pieces.len());
        alloc::reserve(&mut self.pieces, more, "the pieces that are sorted")
    }

    pub(super) fn memory(&self) -> usize {
        self.pieces.capacity() * size_of::<SortPiece>()
            + self.bands.capacity() * size_of::<SortBand>()
    }

    /// The number of bytes that [`Self::memory`] returns for that capacity and number of rows.
    pub(super) fn memory_for(capacity: usize, rows: u32) -> usize {
        capacity.div_ceil(PIECE) * size_of::<SortPiece>() + band_count(rows) * size_of::<SortBand>()
    }

    /// The rows of loose cells of each band.
    pub(super) fn bands(&self) -> impl Iterator<Item = Range<u32>> {
        self.bands.iter().map(|band| band.rows.clone())
    }

    /// Assigns homes to the elements for which `keep` is true, by index and former home, and sorts
    /// them into cells. The others lose their homes. Returns the number of elements sorted.
    ///
    /// # Errors
    /// If there is not enough memory for the cells.
    pub(super) fn sort<E: Elements + ?Sized>(
        &mut self,
        loose: &mut LooseGrid,
        elements: &E,
        keep: impl Fn(usize, u32) -> bool + Copy + Sync,
        simd: SimdLevel,
    ) -> Result<usize> {
        let LooseGrid { layout, home, .. } = &mut *loose;
        let (homes, others) = home.split_at_mut(elements.len());
        others.fill(NONE);
        let Self { pieces, .. } = self;
        pieces.clear();
        pieces.extend((0..homes.len()).step_by(PIECE).map(|first| SortPiece {
            elements: first..(first + PIECE).min(homes.len()),
            rows: [0; 2],
        }));
        parallel::parts(
            pieces,
            homes,
            &|homes, lower, upper| homes.split_at_mut(upper.elements.start - lower.elements.start),
            &|piece, homes| {
                let range = piece.elements.clone();
                piece.rows = simd.run(AssignHomes { layout, elements, range, homes, keep });
            },
        );
        self.place_items(loose, elements.len(), simd).inspect_err(|_| loose.items.clear())
    }

    /// Sorts elements into cells that have these homes, ascending. Returns their number.
    ///
    /// # Errors
    /// If there is not enough memory for the cells.
    pub(super) fn restore(
        &mut self,
        loose: &mut LooseGrid,
        homes: &[u32],
        simd: SimdLevel,
    ) -> Result<usize> {
        let (own, others) = loose.home.split_at_mut(homes.len());
        own.copy_from_slice(homes);
        others.fill(NONE);
        self.pieces.clear();
        self.pieces.extend(homes.chunks(PIECE).enumerate().map(|(index, homes)| {
            let first = index * PIECE;
            let [low, high] = [homes[0], homes[homes.len() - 1]];
            SortPiece { elements: first..first + homes.len(), rows: [low >> 16, high >> 16] }
        }));
        self.place_items(loose, homes.len(), simd).inspect_err(|_| loose.items.clear())
    }

    /// Sorts `count` elements into their home cells, from the rows of each piece. Returns the number
    /// of elements with a home.
    fn place_items(
        &mut self,
        loose: &mut LooseGrid,
        count: usize,
        simd: SimdLevel,
    ) -> Result<usize> {
        loose.sorted = false;
        let LooseGrid { layout, pages, starts, items, home, .. } = loose;
        let height = self.bands[0].rows.end;
        let reads: u32 = self.pieces.iter().map(|piece| piece.bands(height)).sum();
        let Self { pieces, bands } = self;
        let mut whole = [SortBand { rows: 0..layout.rows(), cell: 0, item: 0, len: 0 }];
        let local = reads <= READS_MAX * pieces.len() as u32;
        let bands = if local { &mut bands[..] } else { &mut whole[..] };
        let homes = Homes { homes: &home[..count], pieces };

        if pages.full().is_none() {
            pages.clear();
            homes.visit(0..layout.rows(), |[col, row], _| pages.mark(col, row));
            pages.lay_out()?;
        }
        let cells = pages.cells();
        alloc::grow_to(starts, cells + LooseGrid::ENDS, 0, "the loose cells' offsets")?;
        for band in bands.iter_mut().skip(1) {
            band.cell = pages.row(band.rows.start).start as usize;
        }
        parallel::parts(
            bands,
            &mut starts[..],
            &|starts, lower, upper| starts.split_at_mut(upper.cell - lower.cell),
            &|band, starts| simd.run(Count { homes: &homes, pages, band, starts }),
        );
        let mut total = 0;
        for band in bands.iter_mut() {
            band.item = total;
            total += band.len;
        }
        items.resize(total, NONE);
        parallel::parts(
            bands,
            (&mut starts[..], &mut items[..]),
            &|(starts, order), lower, upper| {
                let (starts, starts2) = starts.split_at_mut(upper.cell - lower.cell);
                let (order, order2) = order.split_at_mut(upper.item - lower.item);
                ((starts, order), (starts2, order2))
            },
            &|band, (starts, order)| {
                simd.run(PlaceItems { homes: &homes, pages, band, starts, order });
            },
        );
        Ok(total)
    }
}

/// Rows of loose cells per band.
fn band_height(rows: u32) -> u32 {
    rows.div_ceil(BANDS).next_multiple_of(Pages::ROWS).min(BAND_ROWS_MAX)
}

/// The number of bands that rows of loose cells are cut into.
pub(super) fn band_count(rows: u32) -> usize {
    rows.div_ceil(band_height(rows)) as usize
}

/// Assigns homes to elements that lie in the order of the last sort: all of them keep their cells,
/// and an element is its item from here on.
pub(super) fn assign_sorted<E: Elements + ?Sized>(
    loose: &mut LooseGrid,
    elements: &E,
    simd: SimdLevel,
) {
    let LooseGrid { layout, home, sorted, .. } = loose;
    *sorted = true;
    let (homes, others) = home.split_at_mut(elements.len());
    others.fill(NONE);
    parallel::pieces(
        homes,
        PIECE,
        &|first, homes: &mut [u32]| {
            let range = first..first + homes.len();
            simd.run(AssignHomes { layout, elements, range, homes, keep: |_, _| true });
        },
        &|(), ()| (),
    );
}

impl SortPiece {
    /// The number of bands of `height` rows that read the piece.
    pub(super) fn bands(&self, height: u32) -> u32 {
        let [low, high] = self.rows;
        if low > high { 0 } else { high / height - low / height + 1 }
    }
}

/// The homes of all elements, in pieces.
struct Homes<'a> {
    homes: &'a [u32],
    pieces: &'a [SortPiece],
}

impl Homes<'_> {
    /// Calls `visit` with the home and the index of each element of these rows; ascending.
    #[inline(always)]
    fn visit(&self, rows: Range<u32>, mut visit: impl FnMut([u32; 2], usize)) {
        for piece in self.in_rows(&rows) {
            for element in piece.elements.clone() {
                let [col, row] = split(self.homes[element]);
                if rows.contains(&row) {
                    visit([col, row], element);
                }
            }
        }
    }

    /// The same, descending.
    #[inline(always)]
    fn visit_back(&self, rows: Range<u32>, mut visit: impl FnMut([u32; 2], usize)) {
        for piece in self.in_rows(&rows).rev() {
            for element in piece.elements.clone().rev() {
                let [col, row] = split(self.homes[element]);
                if rows.contains(&row) {
                    visit([col, row], element);
                }
            }
        }
    }

    #[inline(always)]
    fn in_rows(&self, rows: &Range<u32>) -> impl DoubleEndedIterator<Item = &SortPiece> {
        self.pieces.iter().filter(|piece| piece.rows[0] < rows.end && rows.start <= piece.rows[1])
    }
}

/// Assigns the homes of some elements; returns their first and last row.
struct AssignHomes<'a, E: ?Sized, K> {
    layout: &'a CellLayout,
    elements: &'a E,
    range: Range<usize>,
    homes: &'a mut [u32],
    keep: K,
}

impl<E: Elements + ?Sized, K: Fn(usize, u32) -> bool> Kernel for AssignHomes<'_, E, K> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run(self) -> [u32; 2] {
        let Self { layout, elements, range, homes, keep } = self;
        let (mut low, mut high) = (u32::MAX, 0);
        let centers = elements.extents(range.clone());
        for ((home, (center, _)), element) in homes.iter_mut().zip(centers).zip(range) {
            let (at, kept) = (layout.home(center), keep(element, *home));
            *home = if kept { at } else { NONE };
            low = low.min(if kept { at } else { u32::MAX });
            high = high.max(if kept { at } else { 0 });
        }
        // The row is in the upper half of a home.
        [low >> 16, high >> 16]
    }
}

/// Counts the elements of a band, cell by cell.
struct Count<'a> {
    homes: &'a Homes<'a>,
    pages: &'a Pages,
    band: &'a mut SortBand,
    starts: &'a mut [u32],
}

impl Kernel for Count<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { homes, pages, band, starts } = self;
        starts.fill(0);
        band.len = 0;
        homes.visit(band.rows.clone(), |[col, row], _| {
            starts[pages.stored(col, row) as usize - band.cell] += 1;
            band.len += 1;
        });
    }
}

/// Counts → offsets → items. An offset starts at the end of its cell; placing the cell's elements,
/// the last one first, moves it to the cell's start.
struct PlaceItems<'a> {
    homes: &'a Homes<'a>,
    pages: &'a Pages,
    band: &'a mut SortBand,
    starts: &'a mut [u32],
    order: &'a mut [u32],
}

impl Kernel for PlaceItems<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { homes, pages, band, starts, order } = self;
        let mut total = band.item as u32;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        assert_eq!(total as usize, band.item + band.len, "every element is counted in one cell");
        homes.visit_back(band.rows.clone(), |[col, row], element| {
            let next = &mut starts[pages.stored(col, row) as usize - band.cell];
            *next -= 1;
            order[*next as usize - band.item] = element as u32;
        });
    }
}

const _: () = assert!(NONE >> 16 > INSERTED >> 16, "NONE lies in no row");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{BANDS_MAX, CELLS_PER_SIDE_MAX};

    #[test]
    fn bands_are_at_most_64_rows_high() {
        for rows in 1..=CELLS_PER_SIDE_MAX {
            let (height, count) = (band_height(rows), band_count(rows));
            assert!(height.is_multiple_of(Pages::ROWS) && count <= BANDS_MAX as usize, "{rows}");
            // As it was before there could be more bands.
            let former = rows.div_ceil(64).next_multiple_of(Pages::ROWS);
            assert_eq!(height, former.min(64), "{rows}");
            assert_eq!(count > 64, rows > 4096, "{rows}");
        }
    }
}
