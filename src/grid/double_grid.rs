//! The structure itself: the fields of a grid, its construction and its memory.

use std::ops::Range;

use super::{
    GridConfig, PackedWindows,
    bands::Sorter,
    config::check_count,
    home::{self, NONE},
    outlier_bits::Bits,
    pages::Pages,
    tight::TightGrid,
};
use crate::{
    alloc,
    error::{Field, Result},
    geometry::{Rect, cells::CellLayout},
    limits::{BANDS_MAX, NEAR},
    simd::SimdLevel,
};

/// The loose/tight double grid; see the [module](super).
#[derive(Clone, Debug)]
pub struct Grid {
    pub(super) config: GridConfig,
    pub(super) loose: CellLayout,
    pub(super) pages: Pages,
    /// The farthest that a near element stands out of its home cell, world units.
    pub(super) near_limit: f32,
    /// The first item of each stored cell, and [`Self::ENDS`].
    pub(super) starts: Vec<u32>,
    /// The elements in cell order, as of the last rebuild.
    pub(super) order: Vec<u32>,
    /// The home cell of each element: row and column, [`INSERTED`](home::INSERTED) with its index
    /// among the outlier cells, or [`NONE`] for an element that is not in the grid.
    pub(super) home: Vec<u32>,
    pub(super) outliers: Bits,
    /// The number of outliers right after the last rebuild: large elements, which have not drifted.
    pub(super) outliers_at_rebuild: usize,
    /// The farthest that the center of an outlier lies outside its home cell, world units.
    pub(super) max_drift: f32,
    /// The largest extent of an outlier that is one because of its size, world units.
    pub(super) max_outlier_extent: f32,
    /// The windows of each slot, if elements lie in cell order.
    pub(super) windows: Vec<PackedWindows>,
    pub(super) sorter: Sorter,
    /// True if the caller's elements lie in cell order, so that an item is an element.
    pub(super) sorted: bool,
    /// True if elements were inserted, removed or relocated since the last rebuild.
    pub(super) edited: bool,
    pub(super) tight: TightGrid,
    /// The rectangle around the world and all elements, where a raycast ends.
    pub(super) hull: Rect,
    pub(super) len: usize,
    pub(super) simd: SimdLevel,
}

impl Grid {
    /// Additional offsets at the end: the end of the last cell, and offsets for windows that run
    /// over it.
    pub(super) const ENDS: usize = 3;

    /// An empty grid. It reserves memory for the capacity, cells and edits of the configuration.
    ///
    /// # Errors
    /// If a size is not above 0 and finite, if there would be more than
    /// [`CELLS_PER_SIDE_MAX`](crate::limits::CELLS_PER_SIDE_MAX) columns or rows of either grid, or
    /// if there is not enough memory.
    pub fn new(config: GridConfig) -> Result<Self> {
        config.check()?;
        let [loose, tight] = layouts(&config);
        let all = Pages::cells_at_most(loose.cols(), loose.rows());
        let cells = (config.cells as u64).min(all) as usize;
        let mut pages = Pages::new(loose.cols(), loose.rows())?;
        // One bit per page pays only where many pages are empty.
        if all <= cells.min(2 * config.capacity) as u64 {
            pages.mark_all();
        }
        pages.lay_out()?;
        let mut grid = Self {
            near_limit: NEAR * config.loose_size.min_element(),
            starts: alloc::with_capacity(cells + Self::ENDS, "the loose cells' offsets")?,
            order: alloc::with_capacity(config.capacity, "the order of the elements")?,
            home: alloc::filled(config.capacity, NONE, "the homes of the elements")?,
            outliers: Bits::new(config.capacity)?,
            outliers_at_rebuild: 0,
            max_drift: 0.0,
            max_outlier_extent: 0.0,
            windows: Vec::new(),
            sorter: Sorter::new(config.capacity, loose.rows(), band_height(&loose))?,
            loose,
            pages,
            sorted: false,
            edited: false,
            tight: TightGrid::new(tight, config.capacity, config.edits)?,
            hull: config.bounds,
            len: 0,
            simd: SimdLevel::best(),
            config,
        };
        let offsets = grid.pages.cells() + Self::ENDS;
        alloc::grow_to(&mut grid.starts, offsets, 0, "the loose cells' offsets")?;
        Ok(grid)
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
        let order = capacity - self.order.len();
        alloc::reserve(&mut self.order, order, "the order of the elements")?;
        alloc::grow_to(&mut self.home, capacity, NONE, "the homes of the elements")?;
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
        self.home.get(element as usize).is_some_and(|&home| home != NONE)
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
        let words = [&self.starts, &self.order, &self.home].map(Vec::capacity);
        (words.iter().sum::<usize>() + self.windows.capacity()) * 4
            + self.outliers.memory()
            + self.sorter.memory()
            + self.pages.memory()
            + self.tight.memory()
    }

    /// The most bytes that a grid of this configuration holds with elements in cell order, while
    /// its [cells](GridConfig::cells) are enough, one element in eight is an outlier, and nothing
    /// is edited beyond its [edits](GridConfig::edits).
    #[must_use]
    pub fn bytes_for(config: &GridConfig) -> usize {
        let GridConfig { capacity, edits, .. } = *config;
        let [loose, tight] = layouts(config);
        let (cols, rows) = (loose.cols(), loose.rows());
        let cells = (config.cells as u64).min(Pages::cells_at_most(cols, rows)) as usize;
        // Offsets of the cells, order, homes and windows.
        (cells + Self::ENDS + 3 * capacity) * 4
            + Bits::bytes_for(capacity)
            + Sorter::bytes_for(capacity, rows, band_height(&loose))
            + Pages::bytes_for(cols, rows)
            + TightGrid::bytes_for(&tight, capacity, edits)
    }

    /// The farthest that a near element stands out of its home cell, world units: a little less
    /// than half a cell. An element with a larger extent is an outlier wherever it is.
    #[must_use]
    pub fn near_limit(&self) -> f32 {
        self.near_limit
    }

    /// The element of an item.
    #[inline]
    pub(super) fn element(&self, item: usize) -> u32 {
        if self.sorted { item as u32 } else { self.order[item] }
    }

    /// The items of a stored home cell.
    #[inline]
    pub(super) fn items(&self, home: u32) -> Range<usize> {
        let [col, row] = home::split(home);
        let cell = self.pages.stored(col, row) as usize;
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }
}

/// The layouts of the loose and of the tight cells.
fn layouts(config: &GridConfig) -> [CellLayout; 2] {
    [config.loose_size, config.tight_size]
        .map(|size| CellLayout::new(&config.bounds, size).open(config.repeats))
}

/// Rows of loose cells per band.
fn band_height(loose: &CellLayout) -> u32 {
    loose.rows().div_ceil(BANDS_MAX).next_multiple_of(Pages::ROWS)
}
