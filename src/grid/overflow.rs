//! Loose cells for elements inserted since the last rebuild.
//!
//! Stored cells are packed, so that an element inserted later has no room between two others. It
//! goes into an *overflow cell* of the same column and row: a linked list of elements with an AABB
//! of its own, found by column and row in a hash map, and by number from the element's home. The
//! next rebuild merges it into the stored cells.

use std::collections::HashMap;

use super::{home::NONE, linked_pool::LinkedPool};
use crate::{
    alloc,
    error::Result,
    geometry::{Rect, cells::CellBlock},
};

/// A loose cell that is kept as a linked list.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverflowCell {
    pub(super) col: u32,
    pub(super) row: u32,
    /// Around the elements; [`Rect::EMPTY`] if there are none.
    pub(super) aabb: Rect,
    /// The cell's place in the tight grid's list of outlier cells, or [`NONE`].
    pub(super) place: u32,
}

/// The overflow cells.
#[derive(Clone, Debug)]
pub(super) struct Overflow {
    pub(super) cells: Vec<OverflowCell>,
    /// A list of elements for each of `cells`.
    pub(super) lists: LinkedPool,
    by_cell: HashMap<[u32; 2], u32>,
    /// Cells that are empty and can be used for another column and row.
    vacant: Vec<u32>,
}

impl Overflow {
    /// Room for `edits` elements; more make it grow.
    pub(super) fn new(edits: usize) -> Result<Self> {
        Ok(Self {
            cells: alloc::with_capacity(edits, "the overflow cells")?,
            lists: LinkedPool::new(edits, edits)?,
            by_cell: HashMap::with_capacity(edits),
            vacant: alloc::with_capacity(edits, "the overflow cells")?,
        })
    }

    /// Removes all cells.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.lists.clear();
        self.by_cell.clear();
        self.vacant.clear();
    }

    /// The overflow cell of a column and row, if there is one.
    pub(super) fn find(&self, cell: [u32; 2]) -> Option<u32> {
        self.by_cell.get(&cell).copied()
    }

    /// The overflow cell of a column and row; adds an empty one if there is none.
    pub(super) fn find_or_add(&mut self, [col, row]: [u32; 2]) -> u32 {
        if let Some(cell) = self.find([col, row]) {
            return cell;
        }
        let empty = OverflowCell { col, row, aabb: Rect::EMPTY, place: NONE };
        let cell = if let Some(cell) = self.vacant.pop() {
            self.cells[cell as usize] = empty;
            cell
        } else {
            self.cells.push(empty);
            self.lists.reserve_lists(self.cells.len());
            (self.cells.len() - 1) as u32
        };
        self.by_cell.insert([col, row], cell);
        cell
    }

    /// Gives up an empty cell.
    pub(super) fn retire(&mut self, cell: u32) {
        let OverflowCell { col, row, .. } = self.cells[cell as usize];
        self.by_cell.remove(&[col, row]);
        self.vacant.push(cell);
    }

    /// The cells in a block. Looks each up or walks all of them, whichever are fewer.
    pub(super) fn in_block(&self, block: CellBlock) -> impl Iterator<Item = (u32, &OverflowCell)> {
        let few = block.len() < self.by_cell.len() as u64;
        let found = few.then(|| {
            let cells = block.iter().filter_map(|cell| self.find(cell));
            cells.map(|cell| (cell, &self.cells[cell as usize]))
        });
        let all = (!few && !self.by_cell.is_empty()).then(|| {
            (0..).zip(&self.cells).filter(move |&(cell, &OverflowCell { col, row, .. })| {
                !self.lists.is_empty(cell as usize) && block.contains([col, row])
            })
        });
        found.into_iter().flatten().chain(all.into_iter().flatten())
    }

    /// The number of bytes held; of the hash map, its entries.
    pub(super) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<OverflowCell>()
            + self.lists.memory()
            + self.vacant.capacity() * 4
            + self.by_cell.capacity() * size_of::<([u32; 2], u32)>()
    }

    /// The most that [`Self::memory`] returns with room for `edits` elements.
    pub(super) fn bytes_for(edits: usize) -> usize {
        // The hash map fills at most 7 of 8 buckets, of which it has a power of two.
        let buckets = if edits == 0 { 0 } else { (edits * 8 / 7 + 4).next_power_of_two() };
        LinkedPool::bytes_for(edits, edits)
            + edits * (size_of::<OverflowCell>() + size_of::<u32>())
            + buckets * size_of::<([u32; 2], u32)>()
    }
}
