//! The loose grid: the home cell of each element, the elements of each stored cell, and the
//! *candidate windows* of each slot.
//!
//! Windows are the elements that the element in a slot may touch. A simulation's contact search and
//! a rasterizer walk the grid by them. Windows exist only for elements in cell order
//! ([`Grid::set_sorted`](super::Grid::set_sorted)). The near elements that come after the element in
//! slot `i` and that it may touch are two ranges of slots:
//!
//! ```text
//! row r     … | cell-1 |  cell: .. i [. .|. cell+1 .]| …      i+1 .. along
//! row r+1   … [ below-1 . | . below . | . below+1 . ] …       below
//! ```
//!
//! This is half the neighborhood, so that each pair is tested once. Where pages between are not
//! stored, a window may also hold elements from farther away, which the distance test rejects.
//! Windows hold until the next sort of these cells, which computes them once and packs them into one
//! word per slot.

use std::ops::Range;

use glam::Vec2;

use super::{
    GridConfig, PackedWindows, Windows,
    home::{NONE, split},
    pages::{CellPlace, Pages},
};
use crate::{
    alloc, error::Result, geometry::cells::CellLayout, limits::NEAR, parallel, simd::Kernel,
    simd::SimdLevel,
};

/// Slots that get their windows together.
const PIECE: usize = 4_096;

/// Purposes of the memory, for errors.
const OFFSETS: &str = "the loose cells' offsets";
const ITEMS: &str = "the order of the elements";
const HOMES: &str = "the homes of the elements";

/// Home cells of elements, and elements of cells.
#[derive(Clone, Debug)]
pub(super) struct LooseGrid {
    pub(super) layout: CellLayout,
    pub(super) pages: Pages,
    /// The farthest that a near element stands out of its home cell, world units.
    pub(super) near_limit: f32,
    /// The first item of each stored cell, and [`Self::ENDS`].
    pub(super) starts: Vec<u32>,
    /// The element of each item, as of the last rebuild; or, once the caller's elements lie in cell
    /// order and so are the items, the packed windows of each. While a part of them is sorted, that
    /// part has its order here.
    pub(super) items: Vec<u32>,
    /// The home cell of each element: row and column, [`INSERTED`](super::home::INSERTED) with its
    /// index among the outlier cells, or [`NONE`] for an element that is not in the grid.
    pub(super) home: Vec<u32>,
    /// True if the caller's elements lie in cell order, so that an item is an element.
    pub(super) sorted: bool,
}

impl LooseGrid {
    /// Offsets behind the offset of the last cell: the end of the last cell, and windows that run
    /// over it.
    pub(super) const ENDS: usize = 3;

    /// Creates cells without elements, with memory for the capacity and the cells of a
    /// configuration.
    pub(super) fn new(layout: CellLayout, config: &GridConfig) -> Result<Self> {
        let all = Pages::cells_at_most(layout.cols(), layout.rows());
        let cells = (config.cells as u64).min(all) as usize;
        let mut pages = Pages::new(layout.cols(), layout.rows())?;
        // One bit per page pays only where many pages are empty.
        if all <= cells.min(2 * config.capacity) as u64 {
            pages.mark_all();
        }
        pages.lay_out()?;
        let mut starts = alloc::with_capacity(cells + Self::ENDS, OFFSETS)?;
        alloc::grow_to(&mut starts, pages.cells() + Self::ENDS, 0, OFFSETS)?;
        Ok(Self {
            layout,
            pages,
            near_limit: NEAR * config.loose_size.min_element(),
            starts,
            items: alloc::with_capacity(config.capacity, ITEMS)?,
            home: alloc::filled(config.capacity, NONE, HOMES)?,
            sorted: false,
        })
    }

    /// Ensures that there is room for `capacity` elements.
    pub(super) fn reserve(&mut self, capacity: usize) -> Result<()> {
        let more = capacity - self.items.len();
        alloc::reserve(&mut self.items, more, ITEMS)?;
        alloc::grow_to(&mut self.home, capacity, NONE, HOMES)
    }

    /// The number of bytes held.
    pub(super) fn memory(&self) -> usize {
        let words = [&self.starts, &self.items, &self.home].map(Vec::capacity);
        words.iter().sum::<usize>() * 4 + self.pages.memory()
    }

    /// The number of bytes that [`Self::memory`] returns.
    pub(super) fn memory_for(layout: &CellLayout, config: &GridConfig) -> usize {
        let (cols, rows) = (layout.cols(), layout.rows());
        let cells = (config.cells as u64).min(Pages::cells_at_most(cols, rows)) as usize;
        // Offsets of the cells, items and homes.
        (cells + Self::ENDS + 2 * config.capacity) * 4 + Pages::memory_for(cols, rows)
    }

    /// True if an element with that center and extent stands out of its home cell so far that it is
    /// an outlier.
    #[inline(always)]
    pub(super) fn stands_out(&self, home: u32, center: Vec2, extent: f32) -> bool {
        self.layout.stands_out(home, center, extent, self.near_limit)
    }

    /// The element of an item.
    #[inline]
    pub(super) fn element(&self, item: usize) -> u32 {
        if self.sorted { item as u32 } else { self.items[item] }
    }

    /// The items of a stored home cell.
    #[inline]
    pub(super) fn items(&self, home: u32) -> Range<usize> {
        let [col, row] = split(home);
        let cell = self.pages.stored(col, row) as usize;
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// The items of a row of loose cells between two columns, both included.
    #[inline(always)]
    pub(super) fn items_between(&self, row: u32, from: u32, to: u32) -> Range<usize> {
        let cells = self.pages.columns(row, from, to);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// The items of a row of loose cells.
    pub(super) fn items_of_row(&self, row: u32) -> Range<usize> {
        let cells = self.pages.row(row);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// Sets the first slots of a row of loose cells in some columns; see
    /// [`Grid::first_slots`](super::Grid::first_slots).
    #[inline(always)]
    pub(super) fn first_slots(&self, row: u32, first: i32, step: u32, slots: &mut [u32]) {
        let cols = self.layout.cols().cast_signed();
        let columns = (0..slots.len() as u32)
            .map(|k| first.saturating_add((k * step).cast_signed()).clamp(0, cols) as u32);
        if let Some(width) = self.pages.full() {
            // The offset behind each row serves columns behind the last one, too.
            let row = &self.starts[(1 + row * width) as usize..][..width as usize];
            for (slot, col) in slots.iter_mut().zip(columns) {
                *slot = row[col as usize];
            }
        } else {
            let end = self.items_of_row(row).end as u32;
            for (slot, col) in slots.iter_mut().zip(columns) {
                let inside = col < self.layout.cols();
                *slot =
                    if inside { self.starts[self.pages.stored(col, row) as usize] } else { end };
            }
        }
    }

    /// Unpacks the windows of a slot.
    #[inline(always)]
    pub(super) fn unpack(&self, packed: PackedWindows, slot: usize) -> Windows {
        // `unwrap_or_else` is not inlined here: its result would pass through memory.
        match packed.unpack(slot) {
            Some(windows) => windows,
            None => self.long_windows(slot),
        }
    }

    /// The windows of a slot that are too long for a word.
    #[cold]
    #[inline(never)]
    fn long_windows(&self, slot: usize) -> Windows {
        self.compute_windows(slot)
    }

    /// Computes the windows of all slots, in the place of the order in which elements were sorted.
    pub(super) fn pack_windows(&mut self, simd: SimdLevel) {
        let mut windows = std::mem::take(&mut self.items);
        parallel::pieces(
            &mut windows[..],
            PIECE,
            &|first, windows: &mut [u32]| {
                simd.run(PackPiece { loose: self, first, windows });
            },
            &|(), ()| (),
        );
        self.items = windows;
    }

    /// The windows of a slot, from the offsets of the cells.
    #[inline(always)]
    fn compute_windows(&self, slot: usize) -> Windows {
        let start = |cell: u32| self.starts[cell as usize] as usize;
        let [col, row] = split(self.home[slot]);
        let cell = self.pages.stored(col, row);
        let below = if row + 1 == self.layout.rows() {
            0..0
        } else {
            match self.pages.place(col, row + 1) {
                CellPlace::Stored(below) => start(below - 1)..start(below + 2),
                CellPlace::Before(next) => start(next - 1)..start(next + 1),
            }
        };
        Windows { along: slot + 1..start(cell + 2), below }
    }
}

/// Computes the windows of some slots.
pub(super) struct PackPiece<'a> {
    pub(super) loose: &'a LooseGrid,
    pub(super) first: usize,
    pub(super) windows: &'a mut [u32],
}

impl Kernel for PackPiece<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { loose, first, windows } = self;
        if let Some(width) = loose.pages.full() {
            // Plain arithmetic vectorizes; below the last row, all offsets are the last one.
            let starts = &loose.starts[..];
            let last = starts.len() as u32 - 1;
            let start = |cell: u32| starts[cell.min(last) as usize];
            let homes = &loose.home[first..first + windows.len()];
            for (index, (window, &home)) in windows.iter_mut().zip(homes).enumerate() {
                let [col, row] = split(home);
                let cell = 1 + row * width + col;
                let below = [start(cell + width - 1), start(cell + width + 2)];
                *window = PackedWindows::new((first + index) as u32, start(cell + 2), below).0;
            }
        } else {
            for (index, window) in windows.iter_mut().enumerate() {
                let slot = first + index;
                let Windows { along, below } = loose.compute_windows(slot);
                let below = [below.start as u32, below.end as u32];
                *window = PackedWindows::new(slot as u32, along.end as u32, below).0;
            }
        }
    }
}
