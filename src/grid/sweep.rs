//! Walking the grid in cell order: what a simulation's contact search and a rasterizer do.
//!
//! Only for a grid whose elements lie in cell order ([`Grid::adopt`]). Then the near elements
//! that may touch the one in slot `i`, and have not met it yet, are two ranges of slots:
//!
//! ```text
//! row r     … | cell-1 |  cell: .. i [. .|. cell+1 .]| …      i+1 .. along
//! row r+1   … [ below-1 . | . below . | . below+1 . ] …       below
//! ```
//!
//! Half the neighbourhood, so that each pair is met once. A window may also hold elements from farther
//! away, where pages between are not stored; the distance test turns them down. Windows are looked up once a
//! rebuild and packed into one word a slot, since they hold until the next one.

use std::ops::Range;

use super::{Grid, home::split, pages::Place};
use crate::{alloc, error::Result, geometry::Rect, parallel, simd::Kernel};

/// Slots whose windows are looked up together.
const PIECE: usize = 4_096;

/// The slots that the element of a slot may touch and has not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// In its row, right behind it.
    pub along: Range<usize>,
    /// In the next row.
    pub below: Range<usize>,
}

/// The windows of a slot in one word, if they are short: their lengths, and how far away the second is.
///
/// ```text
/// bit 31      21         10 5     5 0
/// [ more │ distance │ below │ along ]      all ones: too long, to be looked up
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed(u32);

impl Packed {
    /// Elements in a window that is searched at once.
    pub const SHORT: usize = 8;
    const LENGTH: u32 = 5;
    const DISTANCE: u32 = 21;
    const MORE: u32 = 1 << 31;
    const LONG: Self = Self(u32::MAX);

    /// From where the window along the row ends, and the window below it begins and ends.
    #[inline(always)]
    fn new(slot: u32, along_end: u32, below: [u32; 2]) -> Self {
        let (along, length) = (along_end - slot - 1, below[1] - below[0]);
        // Of an empty window it doesn't matter where it is.
        let distance = if length == 0 { 0 } else { below[0] - slot };
        let longest = along.max(length);
        let more = if longest > Self::SHORT as u32 { Self::MORE } else { 0 };
        let packed = Self(more | distance << (2 * Self::LENGTH) | length << Self::LENGTH | along);
        let fits = (longest < 1 << Self::LENGTH) & (distance < 1 << Self::DISTANCE);
        if fits { packed } else { Self::LONG }
    }

    /// True if neither window holds more than [`Self::SHORT`].
    #[inline(always)]
    pub fn is_short(self) -> bool {
        self.0 < Self::MORE
    }

    /// True if one of the windows holds more than `count`, or it may: of `count` up to 30.
    #[inline(always)]
    pub fn is_longer_than(self, count: usize) -> bool {
        let mask = (1 << Self::LENGTH) - 1;
        (self.0 & mask).max(self.0 >> Self::LENGTH & mask) as usize > count
    }

    /// Where the window in the next row begins.
    #[inline(always)]
    pub fn below(self, slot: usize) -> usize {
        slot + (self.0 >> (2 * Self::LENGTH) & ((1 << Self::DISTANCE) - 1)) as usize
    }

    /// The windows of a slot, if they are not too long for a word.
    #[inline(always)]
    fn unpack(self, slot: usize) -> Option<Windows> {
        let below = self.below(slot);
        let mask = (1 << Self::LENGTH) - 1;
        (self != Self::LONG).then(|| Windows {
            along: slot + 1..slot + 1 + (self.0 & mask) as usize,
            below: below..below + (self.0 >> Self::LENGTH & mask) as usize,
        })
    }
}

impl Grid {
    /// The windows of all slots, packed.
    ///
    /// # Panics
    /// If the elements don't lie in cell order.
    pub fn packed_windows(&self) -> &[Packed] {
        assert!(self.adopted && !self.edited, "the elements must lie in cell order");
        &self.windows
    }

    /// The windows of a slot.
    ///
    /// # Panics
    /// If there is no such slot, or no elements lie in cell order.
    #[inline(always)]
    pub fn windows(&self, slot: usize) -> Windows {
        self.windows[slot].unpack(slot).unwrap_or_else(|| self.look_up(slot))
    }

    /// Looks the windows of all slots up.
    pub(super) fn find_windows(&mut self) -> Result<()> {
        let mut windows = std::mem::take(&mut self.windows);
        alloc::grow_to(&mut windows, self.config.capacity, Packed(0), "the slots' windows")?;
        windows.truncate(self.len);
        parallel::pieces(
            &mut windows[..],
            PIECE,
            &|first, windows: &mut [Packed]| self.simd.run(Style { grid: self, first, windows }),
            &|(), ()| (),
        );
        self.windows = windows;
        Ok(())
    }

    /// The windows of a slot, from the offsets of cells.
    #[inline(always)]
    fn look_up(&self, slot: usize) -> Windows {
        let start = |cell: u32| self.starts[cell as usize] as usize;
        let [col, row] = split(self.home[slot]);
        let cell = self.pages.stored(col, row);
        let below = if row + 1 == self.loose.rows() {
            0..0
        } else {
            match self.pages.place(col, row + 1) {
                Place::Stored(below) => start(below - 1)..start(below + 2),
                Place::Before(next) => start(next - 1)..start(next + 1),
            }
        };
        Windows { along: slot + 1..start(cell + 2), below }
    }

    /// The slots of a row of loose cells.
    pub fn row_slots(&self, row: u32) -> Range<usize> {
        let cells = self.pages.row(row);
        self.starts[cells.start as usize] as usize..self.starts[cells.end as usize] as usize
    }

    /// The rows of loose cells, cut into bands that can be worked on at the same time: as many as the grid
    /// is made for, whatever the number of threads.
    pub fn bands(&self) -> impl Iterator<Item = Range<u32>> {
        self.sorter.bands.iter().map(|band| band.rows.clone())
    }

    /// The rows whose near elements may reach into `y0..=y1`.
    pub fn rows_reaching(&self, y0: f32, y1: f32) -> Range<u32> {
        let [from, to] = self.loose.rows_near(y0, y1, self.search_reach());
        from..to + 1
    }

    /// Calls `visit` with the slots, row by row of loose cells, among which are all near elements that may
    /// reach into a rectangle.
    #[inline(always)]
    pub fn slots_near(&self, area: &Rect, mut visit: impl FnMut(Range<usize>)) {
        let reach = self.search_reach();
        let [from, to] = self.loose.cols_near(area.min.x, area.max.x, reach);
        let [low, high] = self.loose.rows_near(area.min.y, area.max.y, reach);
        for row in low..=high {
            visit(self.items_between(row, from, to));
        }
    }

    /// The slots of a row of loose cells whose near elements may reach into `x0..=x1`: one range, in
    /// cell order. Far elements are among them; skip them by [`Self::is_far`].
    pub fn slots_reaching(&self, row: u32, x0: f32, x1: f32) -> Range<usize> {
        let [from, to] = self.loose.cols_near(x0, x1, self.search_reach());
        self.items_between(row, from, to)
    }
}

/// Looks the windows of some slots up.
struct Style<'a> {
    grid: &'a Grid,
    first: usize,
    windows: &'a mut [Packed],
}

impl Kernel for Style<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { grid, first, windows } = self;
        if let Some(width) = grid.pages.full() {
            // Plain arithmetic, for many at once; below the last row, all offsets are the last one.
            let starts = &grid.starts[..];
            let last = starts.len() as u32 - 1;
            let start = |cell: u32| starts[cell.min(last) as usize];
            let homes = &grid.home[first..first + windows.len()];
            for (index, (window, &home)) in windows.iter_mut().zip(homes).enumerate() {
                let [col, row] = split(home);
                let cell = 1 + row * width + col;
                let below = [start(cell + width - 1), start(cell + width + 2)];
                *window = Packed::new((first + index) as u32, start(cell + 2), below);
            }
        } else {
            for (index, window) in windows.iter_mut().enumerate() {
                let slot = first + index;
                let Windows { along, below } = grid.look_up(slot);
                let below = [below.start as u32, below.end as u32];
                *window = Packed::new(slot as u32, along.end as u32, below);
            }
        }
    }
}
