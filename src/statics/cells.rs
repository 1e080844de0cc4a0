//! The cells of the statics: which statics touch each cell, as *starts → items*.
//!
//! ```text
//! ┌────┬────┬────┐   starts [ 0 | 1 | 3 | 4 | …    first item of each cell
//! │  ▄▄│▄▄  │    │   items  [ 0 | 0 2 | 1 | …      indices of statics, ascending within a cell
//! │  ▀▀│▀▀ ·│  ● │   first  [ (0,0) | (2,0) | …    static → lowest column and row that it touches
//! └────┴────┴────┘
//! ```
//!
//! A static is in every cell that it touches, however large it is. A search that finds it in
//! several of them counts it in the first cell that the two have in common. Nothing is marked, so
//! any number of threads may search.

use glam::Vec2;

use crate::{
    alloc,
    error::{Adjust, Field, Result},
    geometry::{
        Rect,
        cells::{CellBlock, CellLayout},
    },
};

/// Cells per static of the capacity: about two agents wide where statics are pegs.
const CELLS_PER_STATIC: usize = 2;

/// Minimum number of cells: a few large statics must not be near everything.
const CELLS_MIN: usize = 4_096;

/// The purpose of the lists' memory, for errors.
const LISTS: &str = "the lists of the statics";

/// Maximum number of cells.
const CELLS_MAX: usize = 1 << 24;

/// Items that memory is reserved for, per static: one that lies across four cells.
const ITEMS_PER_STATIC: usize = 4;

/// Additional items: a static that moves may lie across all cells of a small layout, and a step
/// allocates nothing.
const ITEMS_MORE: usize = 2 * CELLS_MIN;

/// The statics that touch each cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    layout: CellLayout,
    starts: Vec<u32>,
    items: Vec<u32>,
    first: Vec<[u32; 2]>,
}

impl Cells {
    /// Creates empty cells over a world for `capacity` statics.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(world: &Rect, capacity: usize) -> Result<Self> {
        if capacity == 0 {
            return Ok(Self::default());
        }
        let wanted = (capacity * CELLS_PER_STATIC).clamp(CELLS_MIN, CELLS_MAX) as f64;
        let size = world.size();
        let side = (f64::from(size.x) * f64::from(size.y) / wanted).sqrt() as f32;
        // A world that is long and thin has one row of cells.
        let side = side.max((f64::from(size.max_element()) / wanted) as f32);
        let layout = CellLayout::new(world, Vec2::splat(side));
        Ok(Self {
            layout,
            starts: alloc::filled(layout.len() + 1, 0, "the cells of the statics")?,
            items: alloc::with_capacity(ITEMS_MORE + capacity * ITEMS_PER_STATIC, LISTS)?,
            first: alloc::with_capacity(capacity, LISTS)?,
        })
    }

    /// Lists `count` statics with these bounds instead of those listed before.
    ///
    /// # Errors
    /// If there is not enough memory; the cells are unchanged then.
    pub(super) fn list(&mut self, count: usize, bounds: impl Fn(usize) -> Rect) -> Result<()> {
        let Self { layout, starts, items, first } = self;
        if starts.is_empty() {
            return Ok(());
        }
        let total = (0..count).map(|index| layout.block(&bounds(index)).len()).sum();
        let total = alloc::list_length(total, LISTS, &[Adjust::Lower(Field::Statics)])?;
        alloc::grow_to(items, total, 0, LISTS)?;
        // The end of each cell's list; filling from the back moves it to the start.
        starts.fill(0);
        first.clear();
        for index in 0..count {
            let block = layout.block(&bounds(index));
            first.push([block.col[0], block.row[0]]);
            for cell in block.iter() {
                starts[layout.index(cell)] += 1;
            }
        }
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        for index in (0..count).rev() {
            for cell in layout.block(&bounds(index)).iter() {
                let start = &mut starts[layout.index(cell)];
                *start -= 1;
                items[*start as usize] = index as u32;
            }
        }
        Ok(())
    }

    /// Calls `visit` once with each static that touches a cell under the rectangle.
    #[inline]
    pub(super) fn visit(&self, area: &Rect, mut visit: impl FnMut(usize)) {
        if self.items.is_empty() {
            return;
        }
        let CellBlock { col, row } = self.layout.block(area);
        for y in row[0]..=row[1] {
            for x in col[0]..=col[1] {
                let cell = self.layout.index([x, y]);
                for &item in &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize]
                {
                    let first = self.first[item as usize];
                    if [x, y] == [first[0].max(col[0]), first[1].max(row[0])] {
                        visit(item as usize);
                    }
                }
            }
        }
    }

    /// True if no static touches a cell under the rectangle.
    pub(super) fn is_clear(&self, area: &Rect) -> bool {
        if self.items.is_empty() {
            return true;
        }
        let CellBlock { col, row } = self.layout.block(area);
        (row[0]..=row[1]).all(|y| {
            let [first, last] = col.map(|x| self.layout.index([x, y]));
            self.starts[first] == self.starts[last + 1]
        })
    }

    /// Bytes that [`Self::new`] allocates for `capacity` statics.
    pub(super) fn memory_for(capacity: usize) -> usize {
        if capacity == 0 {
            return 0;
        }
        let cells = (capacity * CELLS_PER_STATIC).clamp(CELLS_MIN, CELLS_MAX);
        // Cells at the borders stand over; each static has its items and its first column and row.
        (cells * 2 + ITEMS_MORE + capacity * (ITEMS_PER_STATIC + 2)) * size_of::<u32>()
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        (self.starts.capacity() + self.items.capacity() + self.first.capacity() * 2) * 4
    }
}
