//! Candidate windows: the elements that the element in a slot may touch. A simulation's contact
//! search and a rasterizer walk the grid by them.
//!
//! Windows exist only for a grid with elements in cell order ([`Grid::set_sorted`]). The near
//! elements that come after the element in slot `i` and that it may touch are two ranges of slots:
//!
//! ```text
//! row r     … | cell-1 |  cell: .. i [. .|. cell+1 .]| …      i+1 .. along
//! row r+1   … [ below-1 . | . below . | . below+1 . ] …       below
//! ```
//!
//! This is half the neighborhood, so that each pair is tested once. Where pages between are not
//! stored, a window may also hold elements from farther away, which the distance test rejects.
//! Windows hold until the next rebuild: each rebuild computes them once and packs them into one
//! word per slot.

use std::ops::Range;

use super::{Grid, PackedWindows, Windows, home::split, pages::CellPlace};
use crate::{alloc, error::Result, geometry::Rect, parallel, simd::Kernel};

/// Slots that get their windows together.
const PIECE: usize = 4_096;

impl Grid {
    /// The windows of all slots, packed.
    ///
    /// # Panics
    /// If the elements do not lie in cell order.
    pub(crate) fn packed_windows(&self) -> &[PackedWindows] {
        assert!(self.sorted && !self.edited, "the elements must lie in cell order");
        &self.windows
    }

    /// The windows of a slot.
    ///
    /// # Panics
    /// If there is no such slot, or the elements do not lie in cell order.
    #[inline(always)]
    pub(crate) fn windows(&self, slot: usize) -> Windows {
        self.windows[slot].unpack(slot).unwrap_or_else(|| self.compute_windows(slot))
    }

    /// The windows of a slot; none unless the elements lie in cell order.
    #[inline(always)]
    pub(crate) fn windows_of(&self, slot: usize) -> Option<Windows> {
        let packed = self.windows.get(slot).filter(|_| self.sorted)?;
        Some(packed.unpack(slot).unwrap_or_else(|| self.compute_windows(slot)))
    }

    /// The first slots of every `step`-th column from `first` on, in a row of loose cells. For a
    /// column without slots, the first slot behind it. Columns beyond the border count as the
    /// border.
    #[inline(always)]
    pub(crate) fn first_slots(&self, row: u32, first: i32, step: u32, slots: &mut [u32]) {
        let cols = self.loose.cols().cast_signed();
        let columns = (0..slots.len() as u32)
            .map(|k| first.saturating_add((k * step).cast_signed()).clamp(0, cols) as u32);
        if let Some(width) = self.pages.full() {
            // There is an offset behind each row, which also serves columns behind the last.
            let row = &self.starts[(1 + row * width) as usize..][..width as usize];
            for (slot, col) in slots.iter_mut().zip(columns) {
                *slot = row[col as usize];
            }
        } else {
            let end = self.row_slots(row).end as u32;
            for (slot, col) in slots.iter_mut().zip(columns) {
                let inside = col < self.loose.cols();
                *slot =
                    if inside { self.starts[self.pages.stored(col, row) as usize] } else { end };
            }
        }
    }

    /// Computes the windows of all slots.
    pub(super) fn pack_windows(&mut self) -> Result<()> {
        let mut windows = std::mem::take(&mut self.windows);
        let more = self.config.capacity.saturating_sub(windows.len());
        alloc::reserve(&mut windows, more, "the slots' windows")?;
        windows.resize(self.len, PackedWindows(0));
        parallel::pieces(
            &mut windows[..],
            PIECE,
            &|first, windows: &mut [PackedWindows]| {
                self.simd.run(PackPiece { grid: self, first, windows });
            },
            &|(), ()| (),
        );
        self.windows = windows;
        Ok(())
    }

    /// The windows of a slot, from the offsets of the cells.
    #[inline(always)]
    fn compute_windows(&self, slot: usize) -> Windows {
        let start = |cell: u32| self.starts[cell as usize] as usize;
        let [col, row] = split(self.home[slot]);
        let cell = self.pages.stored(col, row);
        let below = if row + 1 == self.loose.rows() {
            0..0
        } else {
            match self.pages.place(col, row + 1) {
                CellPlace::Stored(below) => start(below - 1)..start(below + 2),
                CellPlace::Before(next) => start(next - 1)..start(next + 1),
            }
        };
        Windows { along: slot + 1..start(cell + 2), below }
    }

    /// The slots of a row of loose cells.
    pub(crate) fn row_slots(&self, row: u32) -> Range<usize> {
        let cells = self.pages.row(row);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// The rows of loose cells in bands that can be processed in parallel. Their number depends on
    /// the grid alone, never on the number of threads.
    pub(crate) fn bands(&self) -> impl Iterator<Item = Range<u32>> {
        self.sorter.bands.iter().map(|band| band.rows.clone())
    }

    /// The rows with near elements that may reach into `y0..=y1`.
    pub(crate) fn rows_reaching(&self, y0: f32, y1: f32) -> Range<u32> {
        let [from, to] = self.loose.rows_near(y0, y1, self.search_reach());
        from..to + 1
    }

    /// Calls `visit` with the slots, row by row of loose cells, that hold all near elements which
    /// may reach into a rectangle.
    #[inline(always)]
    pub(crate) fn slots_near(&self, area: &Rect, mut visit: impl FnMut(Range<usize>)) {
        let reach = self.search_reach();
        let [from, to] = self.loose.cols_near(area.min.x, area.max.x, reach);
        let [low, high] = self.loose.rows_near(area.min.y, area.max.y, reach);
        for row in low..=high {
            visit(self.items_between(row, from, to));
        }
    }

    /// The slots of a row of loose cells with near elements that may reach into `x0..=x1`: one
    /// range, in cell order. It includes outliers; [`Self::is_outlier`] tells them apart.
    pub(crate) fn slots_reaching(&self, row: u32, x0: f32, x1: f32) -> Range<usize> {
        let [from, to] = self.loose.cols_near(x0, x1, self.search_reach());
        self.items_between(row, from, to)
    }
}

/// Computes the windows of some slots.
struct PackPiece<'a> {
    grid: &'a Grid,
    first: usize,
    windows: &'a mut [PackedWindows],
}

impl Kernel for PackPiece<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { grid, first, windows } = self;
        if let Some(width) = grid.pages.full() {
            // Plain arithmetic vectorizes; below the last row, all offsets are the last one.
            let starts = &grid.starts[..];
            let last = starts.len() as u32 - 1;
            let start = |cell: u32| starts[cell.min(last) as usize];
            let homes = &grid.home[first..first + windows.len()];
            for (index, (window, &home)) in windows.iter_mut().zip(homes).enumerate() {
                let [col, row] = split(home);
                let cell = 1 + row * width + col;
                let below = [start(cell + width - 1), start(cell + width + 2)];
                *window = PackedWindows::new((first + index) as u32, start(cell + 2), below);
            }
        } else {
            for (index, window) in windows.iter_mut().enumerate() {
                let slot = first + index;
                let Windows { along, below } = grid.compute_windows(slot);
                let below = [below.start as u32, below.end as u32];
                *window = PackedWindows::new(slot as u32, along.end as u32, below);
            }
        }
    }
}
