//! The structure itself: the parts of a grid.

use std::ops::Range;

use glam::Vec2;

use super::{
    GridConfig, PackedWindows, Windows,
    config::check_count,
    home::{NONE, split},
    loose::LooseGrid,
    outliers::Outliers,
    sort::{Sorter, band_count},
    tight::TightGrid,
};
use crate::{
    error::{Field, Result},
    geometry::{Rect, cells::CellLayout},
    simd::SimdLevel,
};
#[cfg(feature = "window")]
use crate::{geometry::cells::CellBlock, grid::home::INSERTED};

/// The loose/tight double grid; see the [module](super).
#[derive(Clone, Debug)]
pub struct Grid {
    pub(super) config: GridConfig,
    pub(super) loose: LooseGrid,
    pub(super) sorter: Sorter,
    pub(super) outliers: Outliers,
    pub(super) tight: TightGrid,
    /// True if elements were inserted, removed or relocated since the last rebuild.
    pub(super) edited: bool,
    /// The rectangle around the world and all elements, where a raycast ends.
    pub(super) hull: Rect,
    pub(super) len: usize,
    pub(super) simd: SimdLevel,
}

impl Grid {
    /// An empty grid. It reserves memory for the capacity, cells and edits of the configuration.
    ///
    /// # Errors
    /// If a size is not above 0 and finite, if there would be more than
    /// 32,767 columns or rows of either grid, or
    /// if there is not enough memory.
    pub fn new(config: GridConfig) -> Result<Self> {
        config.check()?;
        let [loose, tight] = layouts(&config);
        Ok(Self {
            loose: LooseGrid::new(loose, &config)?,
            sorter: Sorter::new(config.capacity, loose.rows())?,
            outliers: Outliers::new(config.capacity)?,
            tight: TightGrid::new(tight, config.capacity, config.edits)?,
            edited: false,
            hull: config.bounds,
            len: 0,
            simd: SimdLevel::best(),
            config,
        })
    }

    /// Raises the capacity to `capacity` elements; does nothing if it is that large. O(capacity).
    ///
    /// # Errors
    /// If element indices would not fit, or if there is not enough memory.
    pub fn reserve(&mut self, capacity: usize) -> Result<()> {
        let more = capacity.saturating_sub(self.config.capacity);
        if more == 0 {
            return Ok(());
        }
        check_count(Field::Capacity, capacity)?;
        self.loose.reserve(capacity)?;
        self.outliers.reserve(capacity)?;
        self.sorter.reserve(capacity)?;
        self.config.capacity = capacity;
        Ok(())
    }

    /// The number of elements in the grid.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if no element is in the grid.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True if the element is in the grid.
    #[must_use]
    pub fn contains(&self, element: u32) -> bool {
        self.loose.home.get(element as usize).is_some_and(|&home| home != NONE)
    }

    /// Sets the instructions that rebuilds and packets of queries use: the best of the machine by
    /// default.
    pub(crate) fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
    }

    /// The configuration, with the capacity that [`reserve`](Self::reserve) raised.
    #[must_use]
    pub fn config(&self) -> &GridConfig {
        &self.config
    }

    /// The number of bytes that the grid holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.loose.memory() + self.sorter.memory() + self.outliers.memory() + self.tight.memory()
    }

    /// The most bytes that a grid of this configuration holds with elements in cell order, while
    /// its [cells](GridConfig::cells) are enough, one element in sixteen is an outlier, and nothing
    /// is edited beyond its [edits](GridConfig::edits).
    #[must_use]
    #[doc(hidden)]
    pub fn memory_for(config: &GridConfig) -> usize {
        let GridConfig { capacity, edits, .. } = *config;
        let [loose, tight] = layouts(config);
        LooseGrid::memory_for(&loose, config)
            + Sorter::memory_for(capacity, loose.rows())
            + Outliers::memory_for(capacity)
            + TightGrid::memory_for(&tight, capacity, edits)
    }

    /// The farthest that a near element stands out of its home cell, world units: a little less
    /// than half a cell. An element with a larger extent is an outlier wherever it is.
    #[must_use]
    #[doc(hidden)]
    pub fn near_limit(&self) -> f32 {
        self.loose.near_limit
    }

    /// The number of outliers: elements that reach out of their home cells too far to be found by
    /// arithmetic, because of their size or their motion. Searches become slower as the number
    /// grows. Elements inserted since the last rebuild do not count.
    #[doc(hidden)]
    pub fn outlier_count(&self) -> usize {
        self.outliers.count()
    }

    /// True if an element of the last rebuild is an outlier.
    #[inline(always)]
    pub(crate) fn is_outlier(&self, element: u32) -> bool {
        self.outliers.contains(element)
    }

    /// The farthest that the center of an outlier lies outside its home cell, world units, as of
    /// the last rebuild or update.
    #[doc(hidden)]
    pub fn max_drift(&self) -> f32 {
        self.outliers.max_drift()
    }

    /// The largest extent from its center, world units, of an outlier that is one because of its
    /// size; 0 if there is none. As of the last rebuild or update.
    pub(crate) fn max_outlier_extent(&self) -> f32 {
        self.outliers.max_extent()
    }

    /// The outliers in a range of elements, ascending.
    ///
    /// # Panics
    /// If the range ends behind the grid's capacity.
    pub(crate) fn outliers_in(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.outliers.within(range)
    }

    /// The outliers in a range of elements that a scan has recorded and that are not listed yet, ascending.
    pub(crate) fn recorded_outliers(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.outliers.recorded(range)
    }

    /// The windows of all slots, as words of [`PackedWindows`].
    ///
    /// # Panics
    /// If the elements do not lie in cell order.
    pub(crate) fn packed_windows(&self) -> &[u32] {
        assert!(self.loose.sorted && !self.edited, "the elements must lie in cell order");
        &self.loose.items
    }

    /// The windows of a slot.
    ///
    /// # Panics
    /// If there is no such slot, and in tests if the elements do not lie in cell order.
    #[inline(always)]
    pub(crate) fn windows(&self, slot: usize) -> Windows {
        debug_assert!(self.loose.sorted, "the elements must lie in cell order");
        self.loose.unpack(PackedWindows(self.loose.items[slot]), slot)
    }

    /// The windows of a slot; none unless the elements lie in cell order.
    #[inline(always)]
    pub(crate) fn windows_of(&self, slot: usize) -> Option<Windows> {
        let packed = self.loose.items.get(slot).filter(|_| self.loose.sorted)?;
        Some(self.loose.unpack(PackedWindows(*packed), slot))
    }

    /// The first slots of every `step`-th column from `first` on, in a row of loose cells. For a
    /// column without slots, the first slot behind it. Columns beyond the border count as the
    /// border.
    #[inline(always)]
    pub(crate) fn first_slots(&self, row: u32, first: i32, step: u32, slots: &mut [u32]) {
        self.loose.first_slots(row, first, step, slots);
    }

    /// The row of the home cell of an element with that center.
    pub(crate) fn home_row(&self, center: Vec2) -> u32 {
        self.loose.layout.row(center.y)
    }

    /// The row of the home cell of an element that is in the grid.
    pub(crate) fn row_of(&self, element: u32) -> u32 {
        split(self.loose.home[element as usize])[1]
    }

    /// The slots of a row of loose cells.
    pub(crate) fn row_slots(&self, row: u32) -> Range<usize> {
        self.loose.items_of_row(row)
    }

    /// The rows of loose cells in bands that can be processed in parallel. Their number depends on
    /// the grid alone, never on the number of threads.
    pub(crate) fn bands(&self) -> impl Iterator<Item = Range<u32>> {
        self.sorter.bands()
    }

    /// The number of bands of a grid with that configuration.
    pub(crate) fn band_count(config: &GridConfig) -> usize {
        let [loose, _] = layouts(config);
        band_count(loose.rows())
    }
}

/// The cells, for overlays and statistics.
impl Grid {
    /// Columns and rows of loose cells in the world, stored or not.
    #[doc(hidden)]
    pub fn loose_cells(&self) -> [u32; 2] {
        [self.loose.layout.cols(), self.loose.layout.rows()]
    }

    /// Columns and rows of tight cells.
    pub(crate) fn tight_cells(&self) -> [u32; 2] {
        [self.tight.layout.cols(), self.tight.layout.rows()]
    }

    /// The rectangle that a loose cell covers; the last column and row may reach over the border.
    pub(crate) fn loose_bounds(&self, cell: [u32; 2]) -> Rect {
        self.loose.layout.cell_bounds(cell)
    }

    /// The rectangle that a tight cell covers.
    pub(crate) fn tight_bounds(&self, cell: [u32; 2]) -> Rect {
        self.tight.layout.cell_bounds(cell)
    }

    /// The number of outlier cells that a tight cell lists.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub(crate) fn listed_len(&self, cell: [u32; 2]) -> u32 {
        let [cols, rows] = self.tight_cells();
        assert!(cell[0] < cols && cell[1] < rows, "no such cell");
        self.tight.places_in(cell).count() as u32
    }

    /// The AABBs of the outlier cells that intersect a rectangle.
    pub(crate) fn outlier_aabbs(&self, rect: &Rect) -> impl Iterator<Item = &Rect> {
        let cells = self.tight.in_block(self.tight.layout.block(rect));
        cells.map(|cell| &cell.aabb).filter(|aabb| aabb.intersects(rect))
    }
}

#[cfg(feature = "window")]
impl Grid {
    /// Column and row of an element's home cell, and the number of elements that the last rebuild
    /// put into it; `None` if the rebuild did not store the element.
    pub(crate) fn home_cell(&self, element: u32) -> Option<([u32; 2], usize)> {
        let home = *self.loose.home.get(element as usize)?;
        (home < INSERTED).then(|| (split(home), self.loose.items(home).len()))
    }

    /// The blocks of loose and of tight cells that a search of a rectangle looks into.
    pub(crate) fn searched_cells(&self, rect: &Rect) -> [CellBlock; 2] {
        let tight = self.tight.layout.block(&rect.expanded(self.margin(rect)));
        [self.block_near(rect), tight]
    }

    /// The number of stored loose cells, with a guard for each row of them.
    pub(crate) fn stored_cells(&self) -> usize {
        self.loose.pages.cells()
    }

    /// The number of elements in each stored loose cell of a row, as of the last rebuild.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn occupancy(&self, row: u32) -> impl Iterator<Item = u32> {
        let cells = self.loose.pages.row(row);
        let starts = &self.loose.starts[cells.start as usize..=cells.end as usize];
        starts.windows(2).map(|pair| pair[1] - pair[0])
    }
}

/// The layouts of the loose and of the tight cells.
fn layouts(config: &GridConfig) -> [CellLayout; 2] {
    [config.loose_size, config.tight_size]
        .map(|size| CellLayout::new(&config.bounds, size).open(config.repeats))
}
