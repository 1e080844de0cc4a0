//! The bulk rebuild: a counting sort of the elements by home cell.
//!
//! ```text
//! elements   piece 0     piece 1     piece 2   …     homed in pieces; a piece knows its rows
//!               │╲          │╲          │╲
//! bands      rows 0..8   rows 8..16  rows 16..24 …    counted and placed in bands of rows: each looks
//!                                                     at the pieces that have somebody for it
//! ```
//!
//! A band owns its cells' offsets and its part of the order, so that bands are worked on at once with no
//! atomics. Elements that hardly moved since they were last in cell order are looked at once or twice. Where
//! pieces are scattered over many bands, as in an order of the caller's own, there is one band.

use std::ops::Range;

use super::{Elements, Grid, NONE, OVERFLOW, home::split, pages::Pages};
use crate::{alloc, error::Result, geometry::cells::CellLayout, parallel, simd::Kernel};

/// Elements that are homed together.
const PIECE: usize = 1_024;

/// Pieces looked at in all bands, for each piece that there is, up to which bands are worth it.
const LOOKS_MAX: u32 = 4;

/// Elements side by side.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    elements: Range<usize>,
    /// The rows of their homes lie between these two, both included.
    rows: [u32; 2],
}

/// Rows of loose cells that are sorted together.
#[derive(Clone, Debug)]
pub(super) struct Band {
    pub(super) rows: Range<u32>,
    /// Where its cells begin.
    cell: usize,
    /// Where its items begin, and how many there are.
    item: usize,
    len: usize,
}

/// What the bulk rebuild claims at construction.
#[derive(Debug)]
pub(super) struct Sorter {
    pieces: Vec<Piece>,
    pub(super) bands: Vec<Band>,
}

impl Sorter {
    pub(super) fn new(capacity: usize, rows: u32, height: u32) -> Result<Self> {
        let bands = (0..rows.div_ceil(height)).map(|band| Band {
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

    pub(super) fn memory(&self) -> usize {
        self.pieces.capacity() * size_of::<Piece>() + self.bands.capacity() * size_of::<Band>()
    }
}

impl Grid {
    /// Puts all elements `0..elements.len()` in, wherever they were before. O(n) plus the stored cells.
    ///
    /// # Errors
    /// If more loose cells must be stored than there is memory for.
    ///
    /// # Panics
    /// If there are more elements than the grid's capacity.
    pub fn rebuild<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.sort_if(elements, |_, _| true)?;
        self.refit(elements)
    }

    /// Folds in what was inserted, removed and relocated: a [`Self::rebuild`] of the elements that are in
    /// the grid now, and of no others.
    ///
    /// # Errors
    /// As for [`Self::rebuild`].
    ///
    /// # Panics
    /// As for [`Self::rebuild`].
    pub fn fold<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.sort_if(elements, |_, home| home != NONE)?;
        self.refit(elements)
    }

    /// The first half of a rebuild, for who keeps their elements in cell order: returns which element
    /// belongs in each slot. Gather the elements by it, then call [`Self::adopt`]; until then, the grid
    /// can't be searched.
    ///
    /// # Errors
    /// As for [`Self::rebuild`].
    ///
    /// # Panics
    /// As for [`Self::rebuild`].
    pub fn sort<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<&[u32]> {
        self.sort_those(elements, |_| true)
    }

    /// The same for some of the elements: the others are in no slot, and gone once the rest is gathered.
    ///
    /// # Errors
    /// As for [`Self::rebuild`].
    ///
    /// # Panics
    /// As for [`Self::rebuild`].
    pub fn sort_those<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize) -> bool + Copy + Sync,
    ) -> Result<&[u32]> {
        self.sort_if(elements, |element, _| keep(element))?;
        Ok(&self.order)
    }

    /// The second half: the elements now lie in the order that [`Self::sort`] returned, so that from
    /// here on an element's index is its slot.
    ///
    /// # Errors
    /// If there is no memory for the windows, or for the lists of wide cells.
    ///
    /// # Panics
    /// If there are not as many elements as were sorted.
    pub fn adopt<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.adopt_homed(elements, elements)
    }

    /// The second half, for who sorted `homed` and not the elements as they are: the same elements, where
    /// they will soon be. They come closer to their homes then, before they go away, so that it takes longer
    /// until the next sort.
    ///
    /// # Errors
    /// As for [`Self::adopt`].
    ///
    /// # Panics
    /// As for [`Self::adopt`].
    pub fn adopt_homed<H: Elements + ?Sized, E: Elements + ?Sized>(
        &mut self,
        homed: &H,
        elements: &E,
    ) -> Result<()> {
        for len in [homed.len(), elements.len()] {
            assert_eq!(len, self.len, "elements are gathered by the order that the sort returned");
        }
        self.adopted = true;
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
        self.find_windows()?;
        self.refit(elements)
    }

    fn sort_if<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize, u32) -> bool + Copy + Sync,
    ) -> Result<()> {
        let count = elements.len();
        assert!(
            count <= self.config.capacity,
            "{count} elements in a grid that claimed memory for {}",
            self.config.capacity
        );
        self.adopted = false;
        self.edited = false;
        self.overflow.clear();
        self.home_all(elements, keep);

        let Self { sorter, pages, starts, order, home, loose, simd, .. } = self;
        let looks: u32 =
            sorter.pieces.iter().map(|piece| looks(piece, sorter.bands[0].rows.end)).sum();
        let Sorter { pieces, bands } = sorter;
        let mut whole = [Band { rows: 0..loose.rows(), cell: 0, item: 0, len: 0 }];
        let local = looks <= LOOKS_MAX * pieces.len() as u32;
        let bands = if local { &mut bands[..] } else { &mut whole[..] };
        let homes = Homes { homes: &home[..count], pieces };

        if !self.dense {
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
            &|band, (starts, order)| simd.run(Place { homes: &homes, pages, band, starts, order }),
        );
        Ok(())
    }

    /// Homes each element that is kept, by its index and the home that it had, and notes the rows that a piece of them spans.
    fn home_all<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize, u32) -> bool + Copy + Sync,
    ) {
        let (homes, others) = self.home.split_at_mut(elements.len());
        others.fill(NONE);
        let Sorter { pieces, .. } = &mut self.sorter;
        pieces.clear();
        pieces.extend((0..homes.len()).step_by(PIECE).map(|first| Piece {
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

/// How many bands look at a piece, if they are so high.
fn looks(piece: &Piece, height: u32) -> u32 {
    let [low, high] = piece.rows;
    if low > high { 0 } else { high / height - low / height + 1 }
}

/// The homes of all elements, in pieces.
struct Homes<'a> {
    homes: &'a [u32],
    pieces: &'a [Piece],
}

impl Homes<'_> {
    /// Calls `visit` with the cell and the index of each element whose home is in these rows; ascending.
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
    fn in_rows(&self, rows: &Range<u32>) -> impl DoubleEndedIterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| piece.rows[0] < rows.end && rows.start <= piece.rows[1])
    }
}

/// Homes some elements; returns the rows between which they are.
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
        // Homes are in the order of their rows first.
        [low >> 16, high >> 16]
    }
}

/// Counts a band's elements, cell by cell.
struct Count<'a> {
    homes: &'a Homes<'a>,
    pages: &'a Pages,
    band: &'a mut Band,
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

/// Counts → offsets → items. An offset stands at its cell's end until the cell's elements are placed, the
/// last one first, which moves it to the cell's start.
struct Place<'a> {
    homes: &'a Homes<'a>,
    pages: &'a Pages,
    band: &'a mut Band,
    starts: &'a mut [u32],
    order: &'a mut [u32],
}

impl Kernel for Place<'_> {
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

const _: () = assert!(NONE >> 16 > OVERFLOW >> 16, "nobody's home is in no row");
