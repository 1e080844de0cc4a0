//! Loose cells for what was inserted since the last rebuild.
//!
//! The rows of cells are packed, so an element that comes later can't go between two others. It goes
//! into an *overflow cell* of the same column and row: a chain of elements with an AABB of its own,
//! found by column and row in a hash map, and by number from the element's home. The next rebuild folds
//! it in.

use std::collections::HashMap;

use super::{NONE, chain::Chains};
use crate::{alloc, error::Result, geometry::Rect};

/// A loose cell that is kept as a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverflowCell {
    pub(super) col: u32,
    pub(super) row: u32,
    /// Around its elements; [`Rect::EMPTY`] if it is empty.
    pub(super) aabb: Rect,
    /// Its place among the wide cells of the tight grid, or [`NONE`].
    pub(super) wide: u32,
}

/// The overflow cells.
#[derive(Debug)]
pub(super) struct Overflow {
    pub(super) cells: Vec<OverflowCell>,
    /// A chain of elements for each of `cells`.
    pub(super) chains: Chains,
    by_place: HashMap<(u32, u32), u32>,
    /// Cells that are empty and can stand for another column and row.
    vacant: Vec<u32>,
}

impl Overflow {
    /// Room for `edits` elements; more make it grow.
    pub(super) fn new(edits: usize) -> Result<Self> {
        Ok(Self {
            cells: alloc::with_capacity(edits, "the overflow cells")?,
            chains: Chains::new(edits, edits)?,
            by_place: HashMap::with_capacity(edits),
            vacant: alloc::with_capacity(edits, "the overflow cells")?,
        })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.chains.clear();
        self.by_place.clear();
        self.vacant.clear();
    }

    /// The cell that stands for a column and row, if there is one.
    pub(super) fn find(&self, col: u32, row: u32) -> Option<u32> {
        self.by_place.get(&(col, row)).copied()
    }

    /// The cell that stands for a column and row; an empty one is made if there is none.
    pub(super) fn find_or_add(&mut self, col: u32, row: u32) -> u32 {
        if let Some(cell) = self.find(col, row) {
            return cell;
        }
        let empty = OverflowCell { col, row, aabb: Rect::EMPTY, wide: NONE };
        let cell = if let Some(cell) = self.vacant.pop() {
            self.cells[cell as usize] = empty;
            cell
        } else {
            self.cells.push(empty);
            self.chains.reach(self.cells.len());
            (self.cells.len() - 1) as u32
        };
        self.by_place.insert((col, row), cell);
        cell
    }

    /// An empty cell stands for nothing any more.
    pub(super) fn retire(&mut self, cell: u32) {
        let OverflowCell { col, row, .. } = self.cells[cell as usize];
        self.by_place.remove(&(col, row));
        self.vacant.push(cell);
    }

    /// True if nothing was inserted since the last rebuild.
    pub(super) fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// How many cells are in use.
    pub(super) fn len(&self) -> usize {
        self.by_place.len()
    }

    /// Bytes held; of the hash map, its entries.
    pub(super) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<OverflowCell>()
            + self.chains.memory()
            + self.vacant.capacity() * 4
            + self.by_place.capacity() * size_of::<((u32, u32), u32)>()
    }
}
