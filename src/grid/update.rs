//! Updates after elements have moved: home cells stay, and elements that have moved too far from
//! their home cells become outliers.

use std::ops::Range;

use glam::Vec2;

use super::{
    Elements, Grid, OutlierScan, Shape,
    check::Members,
    home::{INSERTED, NONE},
};
use crate::{
    error::Result,
    geometry::Rect,
    parallel::{self, Split},
    simd::Kernel,
};

/// Elements that are scanned together.
const PIECE: usize = 4_096;

/// One element in this many may become an outlier before an update moves all elements to new home
/// cells.
const DRIFTED_SHARE: usize = 8;

impl Grid {
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
            let drifted = self.outliers.count.saturating_sub(self.outliers_at_rebuild);
            if self.sorted || drifted * DRIFTED_SHARE <= self.len {
                return Ok(());
            }
        }
        self.assign_homes(elements, |_, home| home != NONE)?;
        self.scan_outliers(elements)?;
        self.outliers_at_rebuild = self.outliers.count;
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
        let words = count.div_ceil(OutlierScan::WORD);
        let (words, others) = self.outliers.words.split_at_mut(words);
        others.fill(0);
        let homes = &self.home[..count];
        OutlierScan { layout: &self.loose, near_limit: self.near_limit, homes, words }
    }

    /// The first half of an update with the present elements, and a second scan for their next
    /// positions, which keeps its words apart. Once [`Self::set_outliers`] has set them, the
    /// second half of the update takes the elements at their next positions.
    ///
    /// # Panics
    /// As [`Self::outlier_scan`].
    pub(crate) fn outlier_scans<'a>(
        &'a mut self,
        count: usize,
        next: &'a mut [u64],
    ) -> [OutlierScan<'a>; 2] {
        let OutlierScan { layout, near_limit, homes, words } = self.outlier_scan(count);
        [words, next].map(|words| OutlierScan { layout, near_limit, homes, words })
    }

    /// Sets the words that a scan has kept, before [`Self::list_outliers`].
    pub(crate) fn set_outliers(&mut self, kept: &[u64]) {
        let (words, others) = self.outliers.words.split_at_mut(kept.len());
        words.copy_from_slice(kept);
        others.fill(0);
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
        self.outliers.count = count;
        self.tight.clear();
        (self.max_drift, self.max_outlier_extent) = (0.0, 0.0);
        for element in self.outliers.within(0..elements.len()) {
            let (home, shape) = (self.home[element as usize], elements.shape(element as usize));
            self.tight.push(home, shape.bounds())?;
            self.max_drift = self.max_drift.max(self.loose.overhang(home, shape.center()));
            if shape.extent() > self.near_limit {
                self.max_outlier_extent = self.max_outlier_extent.max(shape.extent());
            }
        }
        self.tight.build()
    }

    /// The number of outliers: elements that reach out of their home cells too far to be found by
    /// arithmetic, because of their size or their motion. Searches become slower as the number
    /// grows. Elements inserted since the last rebuild do not count.
    pub fn outlier_count(&self) -> usize {
        self.outliers.count
    }

    /// True if an element of the last rebuild is an outlier.
    #[inline(always)]
    pub(crate) fn is_outlier(&self, element: u32) -> bool {
        self.outliers.is_set(element)
    }

    /// The farthest that the center of an outlier lies outside its home cell, world units, as of
    /// the last rebuild or update.
    pub fn max_drift(&self) -> f32 {
        self.max_drift
    }

    /// The largest extent from its center, world units, of an outlier that is one because of its
    /// size; 0 if there is none. As of the last rebuild or update.
    pub(crate) fn max_outlier_extent(&self) -> f32 {
        self.max_outlier_extent
    }

    /// The outliers in a range of elements, ascending.
    ///
    /// # Panics
    /// If the range ends behind the grid's capacity.
    pub(crate) fn outliers_in(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.outliers.within(range)
    }

    /// Calls `visit` with each outlier that may intersect the square around a disc, and possibly
    /// with other outliers of the same cells.
    pub(crate) fn visit_outliers(&self, center: Vec2, radius: f32, mut visit: impl FnMut(u32)) {
        let bounds = Rect::around(center, radius);
        let bounds = bounds.expanded(self.margin(&bounds));
        self.tight.visit(self.tight.layout.block(&bounds), |cell| {
            if cell.aabb.intersects(&bounds) {
                if cell.home & INSERTED == 0 {
                    self.outliers_of(cell.home).for_each(&mut visit);
                } else {
                    visit(cell.home & !INSERTED);
                }
            }
        });
    }

    /// The outliers of a stored cell.
    pub(super) fn outliers_of(&self, home: u32) -> impl Iterator<Item = u32> {
        let elements = self.items(home).map(|item| self.element(item));
        elements.filter(|&element| self.is_outlier(element))
    }

    /// The elements that an outlier cell is listed for: the outliers of a stored cell, or an
    /// inserted element.
    #[inline]
    pub(super) fn listed_elements(&self, home: u32) -> impl Iterator<Item = u32> {
        let stored = (home & INSERTED == 0).then(|| self.outliers_of(home));
        let inserted = (home & INSERTED != 0).then_some(home & !INSERTED);
        stored.into_iter().flatten().chain(inserted)
    }
}

/// Scans some elements; returns the number of outliers.
struct ScanPiece<'a, E: ?Sized> {
    scan: OutlierScan<'a>,
    elements: &'a E,
    first: usize,
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
