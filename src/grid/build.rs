//! The bulk rebuild: a counting sort of the elements by home cell, then the cells' AABBs.

use super::{Elements, LooseTightGrid, NONE, Shape, pages::Place};
use crate::{claim, error::Result, rect::Rect, simd::Kernel};

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
        self.fit(elements)
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
        self.fit(elements)
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
    ///
    /// # Errors
    /// If there is no memory for the lists of wide cells.
    pub fn adopt<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.adopted = true;
        self.fit(elements)
    }

    /// Makes the AABBs exact again after elements have moved, each of them less than the slack from where
    /// it was when it was last homed. Homes stay as they are.
    ///
    /// # Errors
    /// If there is no memory for the lists of wide cells.
    ///
    /// # Panics
    /// If elements were inserted, removed or relocated since the last rebuild: fold them in first.
    pub fn refit<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        assert!(!self.edited, "edits are folded in before a refit");
        self.fit(elements)
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
        self.simd.run(Count { grid: self, elements, keep: &keep });
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

    fn fit<E: Elements + ?Sized>(&mut self, elements: &E) -> Result<()> {
        self.simd.run(Fit { grid: self, elements })?;
        self.tight.build()
    }
}

/// Homes each element, and leaves the number of a cell's elements two entries behind its own.
struct Count<'a, E: ?Sized, K> {
    grid: &'a mut LooseTightGrid,
    elements: &'a E,
    keep: K,
}

impl<E: Elements + ?Sized, K: Fn(u32) -> bool> Kernel for Count<'_, E, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { grid, elements, keep } = self;
        let LooseTightGrid { home: homes, starts, pages, loose, len, .. } = grid;
        let (homes, others) = homes.split_at_mut(elements.len());
        others.fill(NONE);
        let places = homes.iter_mut().zip(elements.centers());
        if let Some(width) = pages.full() {
            // No look-up: many at once.
            for (home, center) in places {
                let cell = 1 + loose.row(center.y) * width + loose.col(center.x);
                *home = if keep(*home) { cell } else { NONE };
            }
        } else {
            for (home, center) in places.filter(|(home, _)| keep(**home)) {
                let place = pages.place(loose.col(center.x), loose.row(center.y));
                let Place::Stored(cell) = place else {
                    unreachable!("the page of an element was marked")
                };
                *home = cell;
            }
        }
        starts.fill(0);
        *len = 0;
        for &home in homes.iter().filter(|&&home| home != NONE) {
            starts[home as usize + 2] += 1;
            *len += 1;
        }
    }
}

/// Gives every cell its AABB; the wide ones go to the tight grid.
struct Fit<'a, E: ?Sized> {
    grid: &'a mut LooseTightGrid,
    elements: &'a E,
}

impl<E: Elements + ?Sized> Kernel for Fit<'_, E> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { grid, elements } = self;
        grid.tight.clear();
        let narrow = grid.narrow_reach();
        let mut end = 0;
        for cell in 0..grid.pages.cells() {
            let items = end..grid.starts[cell + 1] as usize;
            end = items.end;
            let (mut aabb, mut reach) = (Rect::NOTHING, 0.0_f32);
            for item in items {
                let index = if grid.adopted { item } else { grid.order[item] as usize };
                // Slots are new, so their homes are; in other orders this changes nothing.
                grid.home[index] = cell as u32;
                let element = elements.get(index);
                aabb = aabb.union(&element.bounds());
                reach = if element.reach() > reach { element.reach() } else { reach };
            }
            if reach > narrow {
                grid.tight.push(cell as u32, aabb)?;
                aabb = Rect::NOTHING;
            }
            grid.aabbs[cell] = aabb;
        }
        Ok(())
    }
}
