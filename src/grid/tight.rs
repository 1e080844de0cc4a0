//! The tight grid: finds the outlier cells.
//!
//! A search finds near elements by arithmetic: they reach out of their home cells by less than half
//! a cell, so nothing lists them. A cell with an outlier is an *outlier cell*: the AABB around its
//! outliers may lie anywhere, and every tight cell that the AABB intersects lists the cell.
//!
//! ```text
//! starts [ 0 | 2 | 2 | 5 | …           the tight cells of `rows`, one after the other; else 0
//! items  [ 7 . 9 | . | 2 . 7 . 8 | …   places in `cells`: cell 7 is listed twice, visited once
//! cells  [ (loose cell, AABB, block of tight cells that list it) | …
//! heads  [ ∅ | 3 | ∅ | …               one linked list per tight cell: what was listed since
//! ```
//!
//! Stored cells are packed, so that an element inserted after a rebuild has no room between two
//! others. Until the next rebuild, such an element of any size is an outlier cell of its own.
//!
//! A search walks a block of tight cells and meets an outlier cell in each that lists it. The cell
//! counts in the first one that the two blocks share. So a search visits it once without marking
//! anything, and any number of threads may search at once.

use std::ops::Range;

use super::{
    home::{INSERTED, NONE},
    linked_pool::LinkedPool,
};
use crate::{
    alloc,
    error::{Adjust, Field, Result},
    geometry::{
        Rect,
        cells::{CellBlock, CellLayout},
    },
};

/// One outlier in this many elements has room from the start; more make the lists grow.
const OUTLIER_SHARE: usize = 16;

/// Additional entries in lists, for grids of few elements.
const SPARE: usize = 1_024;

/// A loose cell that is found through the tight grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutlierCell {
    /// The home of the cell's elements, or [`INSERTED`] with the only element.
    pub(super) home: u32,
    /// The box around the cell's outliers; [`Rect::EMPTY`] once there are none.
    pub(super) aabb: Rect,
    /// The tight cells that list the cell: at least those under the AABB.
    pub(super) listed: CellBlock,
}

/// Lists of outlier cells.
#[derive(Clone, Debug)]
pub(super) struct TightGrid {
    pub(super) layout: CellLayout,
    pub(super) cells: Vec<OutlierCell>,
    /// The number of `cells` that the last rebuild found; they are sorted by home.
    built: usize,
    starts: Vec<u32>,
    /// The rows that the last rebuild has lists for: a part of a large world takes its own time.
    rows: Range<u32>,
    items: Vec<u32>,
    lists: LinkedPool,
    /// Places in `cells`, behind `built`, that can be used again.
    vacant: Vec<u32>,
}

impl TightGrid {
    pub(super) fn new(layout: CellLayout, capacity: usize, edits: usize) -> Result<Self> {
        Ok(Self {
            layout,
            cells: alloc::with_capacity(cells_for(capacity) + edits, "the outlier cells")?,
            built: 0,
            starts: alloc::filled(layout.len() + 2, 0, "the tight cells")?,
            rows: 0..0,
            items: alloc::with_capacity(items_for(capacity), "the lists of outlier cells")?,
            lists: LinkedPool::new(
                if edits > 0 { layout.len() } else { 0 },
                edits.saturating_mul(2),
            )?,
            vacant: alloc::with_capacity(edits, "the outlier cells")?,
        })
    }

    /// Removes all outlier cells.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.vacant.clear();
        self.lists.clear();
        self.built = 0;
    }

    /// Adds an outlier by its home and bounds; [`Self::build`] makes cells of them.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn push(&mut self, home: u32, bounds: Rect) -> Result<()> {
        let listed = self.layout.block(&bounds);
        alloc::push(
            &mut self.cells,
            OutlierCell { home, aabb: bounds, listed },
            "the outlier cells",
        )
    }

    /// Makes cells of the outliers that were pushed, and lists them: counts, offsets, items.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn build(&mut self) -> Result<()> {
        // They ascend already if the elements lie in cell order.
        self.cells.sort_unstable_by_key(|cell| cell.home);
        self.cells.dedup_by(|element, cell| {
            let same = element.home == cell.home;
            if same {
                cell.aabb = cell.aabb.union(&element.aabb);
                cell.listed = cell.listed.union(element.listed);
            }
            same
        });
        self.built = self.cells.len();
        let listed = self.cells.iter().map(|cell| cell.listed);
        let Some(CellBlock { row: [first, last], .. }) = listed.reduce(CellBlock::union) else {
            return Ok(());
        };
        let layout = self.layout;
        let index = |cell: [u32; 2]| layout.index(cell);
        let total = self.cells.iter().map(|cell| cell.listed.len()).sum();
        let larger_cells = &[Adjust::Raise(Field::TightSize)];
        let listed = alloc::list_length(total, "the lists of outlier cells", larger_cells)?;
        self.starts_of_rows().fill(0);
        self.rows = first..last + 1;
        for cell in &self.cells {
            cell.listed.iter().for_each(|cell| self.starts[index(cell) + 2] += 1);
        }
        let mut start = 0;
        for next in self.starts_of_rows() {
            start += *next;
            *next = start;
        }
        if self.items.len() < listed {
            // Lists change little from step to step: with twice the room they rarely grow again.
            let room = self.items.capacity();
            alloc::grow_to(
                &mut self.items,
                if listed <= room { room } else { 2 * listed + SPARE },
                NONE,
                "the lists of outlier cells",
            )?;
        }
        for (place, outlier) in self.cells.iter().enumerate() {
            for cell in outlier.listed.iter() {
                let next = &mut self.starts[index(cell) + 1];
                self.items[*next as usize] = place as u32;
                *next += 1;
            }
        }
        debug_assert_eq!(self.starts_of_rows().last(), Some(&(listed as u32)));
        Ok(())
    }

    /// The entries of `starts` for the lists of `rows`: two more than there are tight cells.
    fn starts_of_rows(&mut self) -> &mut [u32] {
        let Range { start, end } = self.rows;
        let [first, end] = [start, end].map(|row| self.layout.index([0, row]));
        &mut self.starts[first..end + 2]
    }

    /// The outlier cells that a block of tight cells lists, each once.
    #[inline]
    pub(super) fn in_block(&self, block: CellBlock) -> impl Iterator<Item = &OutlierCell> {
        let cells = (!self.cells.is_empty()).then(|| block.iter());
        cells.into_iter().flatten().flat_map(move |cell| {
            let listed = self.places_in(cell).map(|place| &self.cells[place as usize]);
            listed.filter(move |listed| block.first_shared(listed.listed) == cell)
        })
    }

    /// Calls `visit` with the outlier cells that a block of tight cells lists, each once: the loops
    /// of [`Self::in_block`] for a caller that never stops.
    #[inline]
    pub(super) fn visit(&self, block: CellBlock, mut visit: impl FnMut(&OutlierCell)) {
        if self.cells.is_empty() {
            return;
        }
        for cell in block.iter() {
            let index = self.layout.index(cell);
            let mut emit = |place: u32| {
                let outlier = &self.cells[place as usize];
                if block.first_shared(outlier.listed) == cell {
                    visit(outlier);
                }
            };
            for &place in self.built_places(index).iter().filter(|&&place| place != NONE) {
                emit(place);
            }
            for place in self.lists.iter(index) {
                emit(place);
            }
        }
    }

    /// The places in `cells` that one tight cell lists.
    #[inline]
    pub(super) fn places_in(&self, cell: [u32; 2]) -> impl Iterator<Item = u32> {
        let index = self.layout.index(cell);
        let built = self.built_places(index).iter().copied().filter(|&place| place != NONE);
        built.chain(self.lists.iter(index))
    }

    /// The places of one tight cell as of the last rebuild, [`NONE`] where a cell has become empty
    /// since.
    #[inline]
    fn built_places(&self, index: usize) -> &[u32] {
        if self.built == 0 {
            return &[];
        }
        // Behind `rows`, two entries hold the end of `items`, and then come zeros: a range that begins there ends
        // before it, and has no list.
        let list = self.starts[index] as usize..self.starts[index + 1] as usize;
        self.items.get(list).unwrap_or_default()
    }

    /// The elements inserted since the last rebuild.
    pub(super) fn inserted(&self) -> impl Iterator<Item = u32> {
        let cells = self.cells[self.built..].iter().filter(|cell| !cell.aabb.is_empty());
        cells.map(|cell| cell.home & !INSERTED)
    }

    /// Lists an outlier cell for an inserted element; returns its place in `cells`.
    pub(super) fn list(&mut self, home: u32, aabb: Rect) -> u32 {
        let cell = OutlierCell { home, aabb, listed: self.layout.block(&aabb) };
        let place = if let Some(place) = self.vacant.pop() {
            self.cells[place as usize] = cell;
            place
        } else {
            self.cells.push(cell);
            (self.cells.len() - 1) as u32
        };
        self.lists.reserve_lists(self.layout.len());
        for cell in cell.listed.iter() {
            self.lists.push(self.layout.index(cell), place);
        }
        place
    }

    /// Changes the AABB of an outlier cell that stays in the same lists; false if it does not.
    pub(super) fn resize(&mut self, place: u32, aabb: Rect) -> bool {
        let cell = &mut self.cells[place as usize];
        let stays = cell.listed == self.layout.block(&aabb);
        if stays {
            cell.aabb = aabb;
        }
        stays
    }

    /// Removes a cell that has become empty from all lists.
    pub(super) fn unlist(&mut self, place: u32) {
        for cell in self.cells[place as usize].listed.iter() {
            let cell = self.layout.index(cell);
            if !self.lists.remove(cell, place) {
                let list = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                let item = self.items[list].iter_mut().find(|item| **item == place);
                *item.expect("an outlier cell is in every list of its block") = NONE;
            }
        }
        self.cells[place as usize].aabb = Rect::EMPTY;
        if place as usize >= self.built {
            self.vacant.push(place);
        }
    }

    /// The place of an outlier cell that the last rebuild found.
    pub(super) fn place_of(&self, home: u32) -> Option<u32> {
        let found = self.cells[..self.built].binary_search_by_key(&home, |cell| cell.home);
        found.ok().map(|place| place as u32)
    }

    /// The number of bytes held.
    pub(super) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<OutlierCell>()
            + (self.starts.capacity() + self.items.capacity() + self.vacant.capacity()) * 4
            + self.lists.memory()
    }

    /// The value of [`Self::memory`] before an outlier is found.
    pub(super) fn memory_for(layout: &CellLayout, capacity: usize, edits: usize) -> usize {
        (cells_for(capacity) + edits) * size_of::<OutlierCell>()
            + (layout.len() + 2 + items_for(capacity) + edits) * 4
            + LinkedPool::memory_for(
                if edits > 0 { layout.len() } else { 0 },
                edits.saturating_mul(2),
            )
    }
}

/// Outlier cells that have room from the start.
fn cells_for(capacity: usize) -> usize {
    capacity / OUTLIER_SHARE + SPARE
}

/// Entries in the lists of the tight cells that have room from the start.
fn items_for(capacity: usize) -> usize {
    2 * capacity / OUTLIER_SHARE + SPARE
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;

    #[test]
    fn lists_are_those_of_the_last_build() {
        let layout = CellLayout::new(&Rect::new(Vec2::ZERO, Vec2::new(3.0, 9.0)), Vec2::ONE);
        let mut grid = TightGrid::new(layout, 100, 0).expect("there is memory");
        for rows in [&[1, 2, 4][..], &[6], &[], &[0, 8], &[8], &[3, 5]] {
            grid.clear();
            for &row in rows {
                let middle = Vec2::new(1.0, row as f32 + 0.5);
                grid.push(row, Rect::around(middle, 0.25)).expect("there is memory");
            }
            grid.build().expect("there is memory");
            for (row, col) in (0..9).flat_map(|row| (0..3).map(move |col| (row, col))) {
                let homes: Vec<u32> = grid
                    .places_in([col, row])
                    .map(|place| grid.cells[place as usize].home)
                    .collect();
                let expected: &[u32] = if col < 2 && rows.contains(&row) { &[row] } else { &[] };
                assert_eq!(homes, expected, "{rows:?}: {col} {row}");
            }
        }
    }
}
