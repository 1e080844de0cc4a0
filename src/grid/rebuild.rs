//! Rebuilds and updates: how a grid follows elements that have moved.
//!
//! A rebuild gives each element a new home cell. An update keeps the home cells, and the elements
//! that have left theirs become outliers. A grid in cell order is also restored from its home
//! cells: offsets, windows and outliers all follow from these and from the elements. The home cells
//! do not follow from the elements, which have moved since the last sort.

use super::{
    Elements, Grid, OutlierScan,
    check::Members,
    home::{NONE, split},
    sort,
};
use crate::{
    error::Result,
    parallel::{self, Split},
    simd::Kernel,
    snapshot::require,
};

/// Elements that are scanned together.
const PIECE: usize = 4_096;

/// One element in this many may become an outlier before an update moves all elements to new home
/// cells.
const DRIFTED_SHARE: usize = 8;

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
        self.outliers.end_rebuild();
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
        Ok(&self.loose.items)
    }

    /// The second half of a rebuild: the elements now lie in the order that [`Self::sort`]
    /// returned, so that the index of an element is its slot from here on.
    ///
    /// # Errors
    /// If there is no memory for the lists of outlier cells.
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
        sort::assign_sorted(&mut self.loose, homed, self.simd);
        self.loose.pack_windows(self.simd);
        self.scan_outliers(elements)
    }

    /// Brings the grid up to date after elements have moved, however far. Which elements are in the
    /// grid does not change; edits since the last rebuild are merged.
    ///
    /// Home cells stay while few elements have left them, which is several times as fast as a
    /// rebuild: O(n), with one pass over the elements. When many have become outliers, the update
    /// gives all elements new home cells, except after [`set_sorted`](Self::set_sorted), for these
    /// keep their order. The results of searches are the same either way.
    ///
    /// # Errors
    /// If an element of the grid has no finite center or a negative size, if `elements` is shorter
    /// than the elements in the grid, or if there is not enough memory.
    pub fn update<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.check_elements(elements, Members::Present)?;
        if !self.edited {
            self.scan_outliers(elements)?;
            if self.loose.sorted || self.outliers.drifted() * DRIFTED_SHARE <= self.len {
                return Ok(());
            }
        }
        self.assign_homes(elements, |_, home| home != NONE)?;
        self.scan_outliers(elements)?;
        self.outliers.end_rebuild();
        Ok(())
    }

    /// Finds the outliers among all elements and lists their cells.
    pub(super) fn scan_outliers<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        let count = self.record_outliers(elements);
        self.list_outliers(elements, count)
    }

    /// Records which elements are outliers; returns their number, for [`Self::list_outliers`].
    ///
    /// # Panics
    /// If elements were inserted, removed or relocated since the last rebuild.
    pub(crate) fn record_outliers<E: Elements + ?Sized>(&mut self, elements: &E) -> usize {
        let simd = self.simd;
        parallel::pieces(
            self.outlier_scan(elements.len()),
            PIECE,
            &|first, scan| simd.run(ScanPiece { scan, elements, first }),
            &|one, other| one + other,
        )
    }

    /// The first half of an update, for a caller that moves `count` elements itself: the scan
    /// records all words of them, then [`Self::list_outliers`] takes the number of outliers found.
    ///
    /// # Panics
    /// If elements were inserted, removed or relocated since the last rebuild.
    pub(crate) fn outlier_scan(&mut self, count: usize) -> OutlierScan<'_> {
        assert!(!self.edited, "a rebuild merges edits before elements are scanned");
        self.outliers.scan(&self.loose, count)
    }

    /// [`Self::outlier_scan`] of the elements as they are now, and a scan of the elements as they
    /// are next, which writes words of the caller. [`Self::set_outliers`] takes these words later.
    ///
    /// # Panics
    /// As [`Self::outlier_scan`].
    pub(crate) fn outlier_scans<'a>(
        &'a mut self,
        count: usize,
        next: &'a mut [u64],
    ) -> [OutlierScan<'a>; 2] {
        self.outlier_scan(count).twice(next)
    }

    /// Sets the words that a scan has kept, before [`Self::list_outliers`].
    pub(crate) fn set_outliers(&mut self, kept: &[u64]) {
        self.outliers.set_words(kept);
    }

    /// The second half: lists the cells of the outliers.
    ///
    /// # Errors
    /// If there is no memory for the lists of outlier cells.
    pub(crate) fn list_outliers<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        count: usize,
    ) -> Result<()> {
        self.outliers.list(elements, count, &self.loose, &mut self.tight)
    }

    /// The home cells of elements in cell order: row and column in one word, ascending.
    ///
    /// # Panics
    /// If the elements do not lie in cell order.
    pub(crate) fn homes(&self) -> &[u32] {
        assert!(self.loose.sorted && !self.edited, "the elements must lie in cell order");
        &self.loose.home[..self.len]
    }

    /// Rebuilds the grid with these [homes](Self::homes), exact for the present positions of the
    /// elements. O(n) plus the stored cells.
    ///
    /// # Errors
    /// If the homes are not ascending cells of this grid, or there is not enough memory.
    ///
    /// # Panics
    /// If the numbers of elements and homes differ, or exceed the capacity.
    pub(crate) fn set_homes<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        homes: &[u32],
    ) -> Result<()> {
        assert_eq!(elements.len(), homes.len(), "each element has a home");
        assert!(homes.len() <= self.config.capacity, "there is room for the elements");
        let [cols, rows] = self.loose_cells();
        let exist = homes.iter().fold(true, |all, &home| {
            let [col, row] = split(home);
            all & (col < cols) & (row < rows)
        });
        require(exist && homes.is_sorted(), "home", "has cells that its world does not have")?;
        self.edited = false;
        self.len = 0;
        self.len = self.sorter.restore(&mut self.loose, homes, self.simd)?;
        self.loose.sorted = true;
        self.loose.pack_windows(self.simd);
        self.scan_outliers(elements)
    }

    /// Assigns homes to the elements for which `keep` is true, by index and former home, and sorts
    /// them into cells. The others are no longer in the grid.
    fn assign_homes<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(usize, u32) -> bool + Copy + Sync,
    ) -> Result<()> {
        let (count, capacity) = (elements.len(), self.config.capacity);
        assert!(count <= capacity, "{count} elements in a grid of capacity {capacity}");
        self.edited = false;
        // Without memory for its cells, the grid is empty.
        self.len = 0;
        self.len = self.sorter.sort(&mut self.loose, elements, keep, self.simd)?;
        Ok(())
    }
}

/// Scans some elements; returns the number of outliers.
pub(super) struct ScanPiece<'a, E: ?Sized> {
    pub(super) scan: OutlierScan<'a>,
    pub(super) elements: &'a E,
    pub(super) first: usize,
}

impl<E: Elements + ?Sized> Kernel for ScanPiece<'_, E> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { mut scan, elements, first } = self;
        let mut count = 0;
        for (word, start) in (0..scan.len()).step_by(OutlierScan::WORD).enumerate() {
            let range = first + start..first + scan.len().min(start + OutlierScan::WORD);
            count += scan.record(word, || elements.extents(range.clone()));
        }
        count
    }
}
