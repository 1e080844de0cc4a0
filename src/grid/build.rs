//! The bulk rebuild: a counting sort of the elements by home cell, then the cells' AABBs.

use super::{Elements, LooseTightGrid, NONE, Shape, pages::Place};
use crate::{claim, error::Result, rect::Rect};

impl LooseTightGrid {
    /// Puts all elements `0..elements.len()` in, wherever they were before. O(n) plus the stored cells.
    ///
    /// # Errors
    /// If more loose cells must be stored than there is memory for.
    ///
    /// # Panics
    /// If there are more elements than the grid's capacity.
    pub fn rebuild<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.sort_if(elements, |_| true)?;
        self.fit(elements);
        Ok(())
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
        self.sort_if(elements, |home| home != NONE)?;
        self.fit(elements);
        Ok(())
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
        self.sort_if(elements, |_| true)?;
        Ok(&self.order)
    }

    /// The second half: the elements now lie in the order that [`Self::sort`] returned, so that from
    /// here on an element's index is its slot.
    pub fn adopt<E: Elements + ?Sized>(&mut self, elements: &E) {
        self.adopted = true;
        for cell in 0..self.pages.cells() {
            let slots = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            self.home[slots].fill(cell as u32);
        }
        self.fit(elements);
    }

    /// Makes the AABBs exact again after elements have moved by at most the slack, each of them less than
    /// that from where it was when it was last homed. Homes stay as they are.
    pub fn refit<E: Elements + ?Sized>(&mut self, elements: &E) {
        debug_assert!(!self.edited, "edits are folded in before a refit");
        self.fit(elements);
    }

    fn sort_if<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(u32) -> bool,
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
        self.lay_out(elements, &keep)?;
        self.count(elements, &keep);
        self.place_items();
        Ok(())
    }

    /// Stores the pages that hold somebody.
    fn lay_out<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        keep: impl Fn(u32) -> bool,
    ) -> Result<()> {
        if self.dense {
            return Ok(());
        }
        self.pages.clear();
        for index in 0..elements.len() {
            if keep(self.home[index]) {
                let center = elements.get(index).center();
                self.pages.mark(self.loose.col(center.x), self.loose.row(center.y));
            }
        }
        self.pages.lay_out()?;
        self.resize_cells()
    }

    /// As many offsets and AABBs as there are stored cells.
    pub(super) fn resize_cells(&mut self) -> Result<()> {
        let cells = self.pages.cells();
        claim::reach(&mut self.starts, cells + 2, 0, "the loose cells' offsets")?;
        claim::reach(&mut self.aabbs, cells, Rect::NOTHING, "the loose cells' AABBs")
    }

    /// Homes each element, and leaves the number of a cell's elements two entries behind its own.
    fn count<E: Elements + ?Sized>(&mut self, elements: &E, keep: impl Fn(u32) -> bool) {
        self.starts.fill(0);
        self.len = 0;
        for index in 0..elements.len() {
            if keep(self.home[index]) {
                let center = elements.get(index).center();
                let place = self.pages.place(self.loose.col(center.x), self.loose.row(center.y));
                let Place::Stored(cell) = place else {
                    unreachable!("the page of an element was marked")
                };
                self.home[index] = cell;
                self.starts[cell as usize + 2] += 1;
                self.len += 1;
            }
        }
        self.home[elements.len()..].fill(NONE);
    }

    /// Counts → offsets → items. An offset stands one entry behind its cell until the items are placed,
    /// which moves it to the cell's end: the start of the next.
    fn place_items(&mut self) {
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        assert_eq!(total as usize, self.len, "every element is counted in one cell");
        self.order.resize(self.len, NONE);
        for (index, &home) in self.home.iter().enumerate() {
            if home != NONE {
                let next = &mut self.starts[home as usize + 1];
                self.order[*next as usize] = index as u32;
                *next += 1;
            }
        }
    }

    /// The AABB of every cell; the wide ones go to the tight grid.
    fn fit<E: Elements + ?Sized>(&mut self, elements: &E) {
        self.tight.clear();
        let narrow = self.narrow_reach();
        let mut end = 0;
        for cell in 0..self.pages.cells() {
            let items = end..self.starts[cell + 1] as usize;
            end = items.end;
            let (mut aabb, mut reach) = (Rect::NOTHING, 0.0_f32);
            for item in items {
                let element = elements.get(self.element(item) as usize);
                aabb = aabb.union(&element.bounds());
                reach = reach.max(element.reach());
            }
            if reach > narrow {
                self.tight.push(cell as u32, aabb);
                aabb = Rect::NOTHING;
            }
            self.aabbs[cell] = aabb;
        }
        self.tight.build();
    }
}
