//! Pages: the places of the loose cells in memory, without pages that have no elements.
//!
//! The world is cut into pages of 8 × 8 loose cells. A strip of pages, 8 rows of cells, stores only
//! the columns of its occupied pages, side by side, and an empty guard cell behind each row:
//!
//! ```text
//! world, page columns:   0     1     2     3     4        occupied: 1 and 4
//! strip 7              [     |█████|     |     |█████]
//!
//! stored, row by row:   base ─► [ 8 cells of 1 | 8 cells of 4 | guard ]   row 56
//!               base + width ─► [ 8 cells of 1 | 8 cells of 4 | guard ]   row 57
//!                               …                                         8 rows of 17 cells
//! ```
//!
//! So memory is proportional to occupied space. Cells of a row stay in the order of their columns,
//! which makes any range of columns one range of stored cells. The next stored cell may be far away
//! in the world: a window that runs into it holds candidates that the distance test rejects.
//!
//! One bit per page says whether it is stored, and a rank every 64 bits counts the stored pages
//! before (Jacobson, "Succinct static data structures", 1989): two bits per page of the world.
//! Where the world is full, all pages are stored and the place of a cell is plain arithmetic.
//!
//! Invariant: cell 0 is a guard, so that every stored cell has a predecessor and a successor.

use super::home::INSERTED;
use crate::{
    alloc,
    error::{Error, Result, Stored},
};

/// Cells per side of a page. Small enough to fit a cluster closely and to spend little on a lone
/// element; large enough that the bits of a huge world are few. With 16, the scene `sparse` takes
/// three times the memory and the time once it has spread.
const SIDE: u32 = 8;
const SHIFT: u32 = SIDE.trailing_zeros();
const MASK: u32 = SIDE - 1;

/// The places of the loose cells in memory.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    words: Vec<Word>,
    words_per_strip: usize,
    strips: Vec<Strip>,
    cols: u32,
    /// The number of stored cells, guards included.
    cells: usize,
    /// Stored cells per row if every page is stored at any time: the place of a cell is plain
    /// arithmetic then, and a full world needs no bits.
    full: Option<u32>,
}

/// 64 pages of a strip.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    stored: u64,
    /// Pages of the strip stored before this word.
    rank: u32,
}

/// 8 rows of cells.
#[derive(Clone, Copy, Debug, Default)]
struct Strip {
    /// The first stored cell of the first row.
    base: u32,
    /// Stored cells per row, guard included; 0 if nothing is stored.
    width: u32,
}

/// The place of a column and row in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellPlace {
    /// The cell is stored here.
    Stored(u32),
    /// The cell is not stored; this is the next stored cell of the row, or the row's guard.
    Before(u32),
}

impl Pages {
    /// Rows of cells in a strip: bands of whole strips share no page.
    pub(super) const ROWS: u32 = SIDE;

    /// The pages of `cols` × `rows` cells; none is stored.
    pub(super) fn new(cols: u32, rows: u32) -> Result<Self> {
        let words_per_strip = cols.div_ceil(SIDE).div_ceil(64) as usize;
        let strips = rows.div_ceil(SIDE) as usize;
        Ok(Self {
            words: alloc::filled(words_per_strip * strips, Word::default(), "the pages' bits")?,
            words_per_strip,
            strips: alloc::filled(strips, Strip::default(), "the pages' strips")?,
            cols,
            cells: 1,
            full: None,
        })
    }

    /// The number of stored cells if every page were stored.
    pub(super) fn cells_at_most(cols: u32, rows: u32) -> u64 {
        let width = u64::from(cols.next_multiple_of(SIDE) + 1);
        1 + width * u64::from(rows.next_multiple_of(SIDE))
    }

    /// Marks no page.
    pub(super) fn clear(&mut self) {
        self.words.fill(Word::default());
    }

    /// Marks the page of a cell to be stored.
    #[inline]
    pub(super) fn mark(&mut self, col: u32, row: u32) {
        let page = col >> SHIFT;
        let word = (row >> SHIFT) as usize * self.words_per_strip + (page / 64) as usize;
        self.words[word].stored |= 1 << (page % 64);
    }

    /// Marks all pages to be stored, permanently.
    pub(super) fn mark_all(&mut self) {
        self.full = Some(self.cols.next_multiple_of(SIDE) + 1);
        let pages = self.cols.div_ceil(SIDE);
        for strip in self.words.chunks_mut(self.words_per_strip) {
            for (index, word) in strip.iter_mut().enumerate() {
                let left = pages - index as u32 * 64;
                word.stored = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
            }
        }
    }

    /// Lays the marked pages out.
    ///
    /// # Errors
    /// If there would be more stored cells than an offset can number.
    pub(super) fn lay_out(&mut self) -> Result<()> {
        let mut base = 1_u32;
        for (strip, words) in
            self.strips.iter_mut().zip(self.words.chunks_mut(self.words_per_strip))
        {
            let mut rank = 0;
            for word in words {
                word.rank = rank;
                rank += word.stored.count_ones();
            }
            let width = if rank == 0 { 0 } else { rank * SIDE + 1 };
            *strip = Strip { base, width };
            base = base.checked_add(width * SIDE).filter(|&base| base < INSERTED).ok_or(
                Error::Full {
                    stored: Stored::LooseCells,
                    more: 1,
                    len: u64::from(INSERTED),
                    capacity: u64::from(INSERTED),
                },
            )?;
        }
        self.cells = base as usize;
        Ok(())
    }

    /// The number of stored cells, guards included.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// Stored cells per row if every page is stored: the place of a cell is plain arithmetic then,
    /// behind the first guard.
    pub(super) fn full(&self) -> Option<u32> {
        self.full
    }

    /// The place of a cell in memory.
    #[inline(always)]
    pub(super) fn place(&self, col: u32, row: u32) -> CellPlace {
        if let Some(width) = self.full {
            return CellPlace::Stored(1 + row * width + col);
        }
        let page = col >> SHIFT;
        let strip_index = (row >> SHIFT) as usize;
        let word = self.words[strip_index * self.words_per_strip + (page / 64) as usize];
        let strip = self.strips[strip_index];
        let bit = 1_u64 << (page % 64);
        let rank = word.rank + (word.stored & (bit - 1)).count_ones();
        let first = strip.base + (row & MASK) * strip.width + rank * SIDE;
        if word.stored & bit == 0 {
            CellPlace::Before(first)
        } else {
            CellPlace::Stored(first + (col & MASK))
        }
    }

    /// The stored cell of a column and row; the next one of the row if its page is not stored.
    #[inline(always)]
    pub(super) fn stored(&self, col: u32, row: u32) -> u32 {
        match self.place(col, row) {
            CellPlace::Stored(cell) | CellPlace::Before(cell) => cell,
        }
    }

    /// The stored cells of a row without the guard.
    pub(super) fn row(&self, row: u32) -> std::ops::Range<u32> {
        let strip = self.strips[(row >> SHIFT) as usize];
        let first = strip.base + (row & MASK) * strip.width;
        first..first + strip.width.saturating_sub(1)
    }

    /// The stored cells of a row between two columns, both included.
    #[inline(always)]
    pub(super) fn columns(&self, row: u32, from: u32, to: u32) -> std::ops::Range<u32> {
        let first = self.stored(from, row);
        let end = match self.place(to, row) {
            CellPlace::Stored(cell) => cell + 1,
            CellPlace::Before(cell) => cell,
        };
        first..end.max(first)
    }

    /// The number of bytes held.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<Word>() + self.strips.capacity() * size_of::<Strip>()
    }

    /// The value of [`Self::memory`] for `cols` × `rows` cells.
    pub(super) fn memory_for(cols: u32, rows: u32) -> usize {
        let words_per_strip = cols.div_ceil(SIDE).div_ceil(64) as usize;
        let strip = words_per_strip * size_of::<Word>() + size_of::<Strip>();
        rows.div_ceil(SIDE) as usize * strip
    }
}
