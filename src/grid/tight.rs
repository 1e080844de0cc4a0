//! The tight grid: finds the wide loose cells.
//!
//! A loose cell whose elements all stand out of it by less than half a cell is found by arithmetic: nobody
//! needs to write down that they may be in its neighbours. A cell with an element that stands out farther is
//! *wide*: the AABB around such elements may lie anywhere, and the cell is listed in every tight cell that the
//! AABB meets.
//!
//! ```text
//! starts [ 0 | 2 | 2 | 5 | …     a tight cell after the other, row by row
//! items  [ 7 . 9 | . | 2 . 7 . 8 | …   places in `wide`: cell 7 is listed twice, and met once
//! wide   [ (loose cell, AABB, block of tight cells it is listed in) | …
//! heads  [ ∅ | 3 | ∅ | …          a chain a tight cell for those listed since the last rebuild
//! ```
//!
//! Who walks a block of tight cells meets a wide cell in each that lists it. It counts in the first that
//! the two blocks share, so that it is visited once with no list of what was seen, and any number of
//! threads may search at once.

use super::{NONE, chain::Chains};
use crate::{
    alloc,
    error::{Adjust, Error, Field, Purpose, Remedy, Result},
    geometry::{
        Rect,
        cells::{CellBlock, CellLayout},
    },
};

/// Elements for each far one that there is room for from the start; more make the lists grow.
const WIDE_SHARE: usize = 8;

/// Room for so many more entries in lists, where there are few.
const SPARE: usize = 1_024;

/// A loose cell that is found through the tight grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideCell {
    /// The loose cell, as homes name it.
    pub(super) home: u32,
    /// Around its elements; [`Rect::EMPTY`] once it is empty.
    pub(super) aabb: Rect,
    /// The tight cells that list it: at least those under the AABB.
    pub(super) listed: CellBlock,
}

/// Lists of wide cells.
#[derive(Debug)]
pub(super) struct TightGrid {
    pub(super) layout: CellLayout,
    pub(super) wide: Vec<WideCell>,
    /// How many of `wide` the last rebuild found; they are sorted by home.
    built: usize,
    starts: Vec<u32>,
    items: Vec<u32>,
    chains: Chains,
    /// Places in `wide`, behind `built`, that can be used again.
    vacant: Vec<u32>,
}

impl TightGrid {
    pub(super) fn new(layout: CellLayout, capacity: usize, edits: usize) -> Result<Self> {
        Ok(Self {
            layout,
            wide: alloc::with_capacity(capacity / WIDE_SHARE + SPARE, "the wide cells")?,
            built: 0,
            starts: alloc::filled(layout.len() + 2, 0, "the tight cells")?,
            items: alloc::with_capacity(
                2 * capacity / WIDE_SHARE + SPARE,
                "the lists of wide cells",
            )?,
            chains: Chains::new(if edits > 0 { layout.len() } else { 0 }, edits)?,
            vacant: Vec::new(),
        })
    }

    /// Forgets all wide cells.
    pub(super) fn clear(&mut self) {
        self.wide.clear();
        self.vacant.clear();
        self.chains.clear();
        self.built = 0;
    }

    /// An element that makes its cell wide.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn push(&mut self, home: u32, bounds: Rect) -> Result<()> {
        let listed = self.layout.block(&bounds);
        alloc::push(&mut self.wide, WideCell { home, aabb: bounds, listed }, "the wide cells")
    }

    /// Makes cells of the elements that were pushed, and lists them: counts, offsets, items. `sorted` says
    /// that their homes ascend.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn build(&mut self, sorted: bool) -> Result<()> {
        if !sorted {
            self.wide.sort_unstable_by_key(|wide| wide.home);
        }
        self.wide.dedup_by(|element, cell| {
            let same = element.home == cell.home;
            if same {
                cell.aabb = cell.aabb.union(&element.aabb);
                cell.listed = cell.listed.union(element.listed);
            }
            same
        });
        self.built = self.wide.len();
        if self.wide.is_empty() {
            return Ok(());
        }
        let layout = self.layout;
        let index = |cell: [u32; 2]| layout.index(cell);
        let total: u64 = self.wide.iter().map(|wide| wide.listed.len()).sum();
        let Ok(listed) = u32::try_from(total) else {
            return Err(Error::Memory {
                purpose: Purpose::Part("the lists of wide cells"),
                needed: total.saturating_mul(4),
                available: Some(u64::from(u32::MAX) * 4),
                remedy: Remedy::Adjust(&[Adjust::Raise(Field::TightSize)]),
            });
        };
        self.starts.fill(0);
        for wide in &self.wide {
            wide.listed.iter().for_each(|cell| self.starts[index(cell) + 2] += 1);
        }
        let mut start = 0;
        for next in &mut self.starts {
            start += *next;
            *next = start;
        }
        let listed = listed as usize;
        if self.items.len() < listed {
            // Lists change little from step to step: with twice the room they hardly grow again.
            alloc::grow_to(&mut self.items, 2 * listed + SPARE, NONE, "the lists of wide cells")?;
        }
        for (place, wide) in self.wide.iter().enumerate() {
            for cell in wide.listed.iter() {
                let next = &mut self.starts[index(cell) + 1];
                self.items[*next as usize] = place as u32;
                *next += 1;
            }
        }
        debug_assert_eq!(self.starts[self.starts.len() - 2] as usize, listed);
        Ok(())
    }

    /// Calls `visit` once for each wide cell that is listed in the block.
    pub(super) fn visit(&self, block: CellBlock, mut visit: impl FnMut(&WideCell)) {
        if self.wide.is_empty() {
            return;
        }
        for cell in block.iter() {
            self.listed_in(cell, |place| {
                let wide = &self.wide[place as usize];
                if block.first_shared(wide.listed) == cell {
                    visit(wide);
                }
            });
        }
    }

    /// Calls `visit` with the place in `wide` of each cell that one tight cell lists.
    pub(super) fn listed_in(&self, cell: [u32; 2], mut visit: impl FnMut(u32)) {
        let cell = self.layout.index(cell);
        if self.built > 0 {
            let list = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            self.items[list].iter().filter(|&&place| place != NONE).for_each(|&place| visit(place));
        }
        self.chains.visit(cell, visit);
    }

    /// Lists a cell that has become wide since the rebuild; returns its place in `wide`.
    pub(super) fn list(&mut self, home: u32, aabb: Rect) -> u32 {
        let cell = WideCell { home, aabb, listed: self.layout.block(&aabb) };
        let place = if let Some(place) = self.vacant.pop() {
            self.wide[place as usize] = cell;
            place
        } else {
            self.wide.push(cell);
            (self.wide.len() - 1) as u32
        };
        for cell in cell.listed.iter() {
            self.link(cell, place);
        }
        place
    }

    /// Puts a cell that has become wide on one list. The first one ever needs chains.
    fn link(&mut self, cell: [u32; 2], place: u32) {
        self.chains.reach(self.layout.len());
        self.chains.push(self.layout.index(cell), place);
    }

    /// Gives a wide cell another AABB. If that grew out of the tight cells which list the cell, every
    /// tight cell that it meets now lists it, and not only those under what was added.
    pub(super) fn resize(&mut self, place: u32, aabb: Rect) {
        let under = self.layout.block(&aabb);
        let listed = self.wide[place as usize].listed;
        let block = listed.union(under);
        if block != listed {
            for cell in block.iter().filter(|&cell| !listed.contains(cell)) {
                self.link(cell, place);
            }
        }
        self.wide[place as usize].listed = block;
        self.wide[place as usize].aabb = aabb;
    }

    /// Takes a cell that has become empty off all lists.
    pub(super) fn unlist(&mut self, place: u32) {
        for cell in self.wide[place as usize].listed.iter() {
            let cell = self.layout.index(cell);
            if !self.chains.remove(cell, place) {
                let list = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                let item = self.items[list].iter_mut().find(|item| **item == place);
                *item.expect("a wide cell is in every list of its block") = NONE;
            }
        }
        self.wide[place as usize].aabb = Rect::EMPTY;
        if place as usize >= self.built {
            self.vacant.push(place);
        }
    }

    /// The place of a cell that the last rebuild found wide.
    pub(super) fn place_of(&self, home: u32) -> Option<u32> {
        let found = self.wide[..self.built].binary_search_by_key(&home, |wide| wide.home);
        found.ok().map(|place| place as u32)
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.wide.capacity() * size_of::<WideCell>()
            + (self.starts.capacity() + self.items.capacity() + self.vacant.capacity()) * 4
            + self.chains.memory()
    }
}
