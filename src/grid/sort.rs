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
    Elements, Grid,
    bands::{PIECE, SortBand, SortPiece, Sorter},
    check::Members,
    home::{INSERTED, NONE, split},
    pages::Pages,
};
use crate::{alloc, error::Result, geometry::cells::CellLayout, parallel, simd::Kernel};

/// Bands pay if a piece is read by at most this number of bands, on average.
const READS_MAX: u32 = 4;

impl Grid {
    /// Puts all elements into the grid, at any new positions, and merges edits. O(n) plus the
    /// stored cells; it uses all threads of the rayon pool that the caller is in.
    ///
    /// # Errors
    /// If there are more elements than the capacity, if a center is not finite or a size negative,
    /// or if there is not enough memory for the cells. The grid stays as it was for the first two.
    pub fn rebuild<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.check_elements(elements, Members::All)?;
        self.assign_homes(elements, |_, _| true)?;
        self.scan_outliers(elements)?;
        self.outliers_at_rebuild = self.outlier_count();
        Ok(())
    }

    /// The first half of a rebuild, for data to be kept in cell order: returns the index of the
    /// element that belongs in each slot. Gather the elements by it, then call
    /// [`Self::set_sorted`]; until then, searches return meaningless results.
    ///
    /// Neighbors in the world are then neighbors in memory, which makes searches faster.
    ///
    /// # Errors
    /// As for [`Self::rebuild`].
    ///
    /// ```
    /// use jostle::{Disc, Grid, GridConfig, Rect, Vec2};
    ///
    /// let mut discs: Vec<Disc> =
    ///     [15.0, 1.0, 8.0].map(|x| Disc::new(Vec2::new(x, 4.0), 0.5)).to_vec();
    /// let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 2.0, discs.len()))?;
    /// let order = grid.sort(&discs)?;
    /// discs = order.iter().map(|&index| discs[index as usize]).collect();
    /// grid.set_sorted(&discs)?;
    /// assert!(discs.is_sorted_by_key(|disc| disc.center.x as u32));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn sort<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<&[u32]> {
        self.check_elements(elements, Members::All)?;
        self.sort_kept(elements, |_| true)
    }

    /// [`Self::sort`] of the elements for which `keep` is true, without checks; the others get no
    /// slot.
    ///
    /// # Errors
    /// If there is not enough memory for the cells.
    pub(crate) fn sort_kept<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize) -> bool + Copy + Sync,
    ) -> Result<&[u32]> {
        self.assign_homes(elements, |element, _| keep(element))?;
        Ok(&self.order)
    }

    /// The second half of a rebuild: the elements now lie in the order that [`Self::sort`]
    /// returned, so that the index of an element is its slot from here on.
    ///
    /// # Errors
    /// If there is no memory for the windows, or for the lists of outlier cells.
    ///
    /// # Panics
    /// If the number of elements differs from the sorted number.
    pub fn set_sorted<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.set_sorted_homed(elements, elements)
    }

    /// [`Self::set_sorted`] for a caller that sorted `homed` instead of `elements`: the same
    /// elements at the positions where they will be soon. They approach their home cells before
    /// they leave them, so that the next sort is due later.
    ///
    /// # Errors
    /// As for [`Self::set_sorted`].
    ///
    /// # Panics
    /// As for [`Self::set_sorted`].
    pub(crate) fn set_sorted_homed<H: Elements + ?Sized, E: Elements + ?Sized>(
        &mut self,
        homed: &H,
        elements: &E,
    ) -> Result<()> {
        for len in [homed.len(), elements.len()] {
            assert_eq!(len, self.len, "elements are gathered by the order that the sort returned");
        }
        self.sorted = true;
        let layout = &self.loose;
        let (homes, others) = self.home.split_at_mut(homed.len());
        others.fill(NONE);
        parallel::pieces(
            homes,
            PIECE,
            &|first, homes: &mut [u32]| {
                let range = first..first + homes.len();
                self.simd.run(Home { layout, elements: homed, range, homes, keep: |_, _| true });
            },
            &|(), ()| (),
        );
        self.pack_windows()?;
        self.scan_outliers(elements)
    }

    /// Assigns homes to the elements for which `keep` is true, by index and former home, and sorts
    /// them into cells. The others are no longer in the grid.
    pub(super) fn assign_homes<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize, u32) -> bool + Copy + Sync,
    ) -> Result<()> {
        let count = elements.len();
        assert!(
            count <= self.config.capacity,
            "{count} elements in a grid of capacity {}",
            self.config.capacity
        );
        self.sorted = false;
        self.edited = false;
        self.assign_all(elements, keep);
        self.place_items(count)
    }

    /// Sorts `count` elements into their home cells, from the rows of each piece.
    pub(super) fn place_items(&mut self, count: usize) -> Result<()> {
        let Self { sorter, pages, starts, order, home, loose, simd, .. } = self;
        let height = sorter.bands[0].rows.end;
        let reads: u32 = sorter.pieces.iter().map(|piece| piece.bands(height)).sum();
        let Sorter { pieces, bands } = sorter;
        let mut whole = [SortBand { rows: 0..loose.rows(), cell: 0, item: 0, len: 0 }];
        let local = reads <= READS_MAX * pieces.len() as u32;
        let bands = if local { &mut bands[..] } else { &mut whole[..] };
        let homes = Homes { homes: &home[..count], pieces };

        if pages.full().is_none() {
            pages.clear();
            homes.visit(0..loose.rows(), |[col, row], _| pages.mark(col, row));
            pages.lay_out()?;
        }
        let cells = pages.cells();
        alloc::grow_to(starts, cells + Self::ENDS, 0, "the loose cells' offsets")?;
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
        self.len = total;
        order.resize(total, NONE);
        parallel::parts(
            bands,
            (&mut starts[..], &mut order[..]),
            &|(starts, order), lower, upper| {
                let (starts, starts2) = starts.split_at_mut(upper.cell - lower.cell);
                let (order, order2) = order.split_at_mut(upper.item - lower.item);
                ((starts, order), (starts2, order2))
            },
            &|band, (starts, order)| {
                simd.run(PlaceItems { homes: &homes, pages, band, starts, order });
            },
        );
        Ok(())
    }

    /// Assigns each home, and records the rows that each piece of elements spans.
    fn assign_all<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize, u32) -> bool + Copy + Sync,
    ) {
        let (homes, others) = self.home.split_at_mut(elements.len());
        others.fill(NONE);
        let Sorter { pieces, .. } = &mut self.sorter;
        pieces.clear();
        pieces.extend((0..homes.len()).step_by(PIECE).map(|first| SortPiece {
            elements: first..(first + PIECE).min(homes.len()),
            rows: [0; 2],
        }));
        let (layout, simd) = (&self.loose, self.simd);
        parallel::parts(
            pieces,
            homes,
            &|homes, lower, upper| homes.split_at_mut(upper.elements.start - lower.elements.start),
            &|piece, homes| {
                let range = piece.elements.clone();
                piece.rows = simd.run(Home { layout, elements, range, homes, keep });
            },
        );
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
struct Home<'a, E: ?Sized, K> {
    layout: &'a CellLayout,
    elements: &'a E,
    range: Range<usize>,
    homes: &'a mut [u32],
    keep: K,
}

impl<E: Elements + ?Sized, K: Fn(usize, u32) -> bool> Kernel for Home<'_, E, K> {
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
