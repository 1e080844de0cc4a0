//! Stretches: rows of loose cells that are sorted by themselves, in place.
//!
//! A sort of all elements makes one slow step of many. A band that is sorted alone, with the first row
//! behind it, keeps its slots: elements change places among these, and no other element moves.
//!
//! ```text
//! rows of the grid   band 0   band 1   band 2   band 3   …
//! slots            [........|........|........|........|…
//!                    └───────┴┘        └───────┴┘          bands 0 and 2 in one step, on two threads
//! ```
//!
//! Any two adjacent rows are in the stretch of some band, so that an element that has moved to the
//! next row gets there. An element that has moved out of its stretch gets a home in the nearest row.
//!
//! Invariant: homes ascend with the slots, across the borders of stretches as well.

use std::ops::Range;

use super::{
    Elements, Grid,
    home::split,
    loose::{LooseGrid, PackPiece},
    pages::Pages,
    rebuild::ScanPiece,
};
use crate::{
    geometry::cells::CellLayout,
    grid::OutlierScan,
    parallel::{self, Split},
    simd::{Kernel, SimdLevel},
};

/// Rows of loose cells that are sorted by themselves.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    /// Rows of loose cells.
    rows: Range<u32>,
    /// The slots of these rows.
    pub(crate) slots: Range<usize>,
    /// The first slot with windows that reach into these rows.
    window: usize,
    /// The words with the bits of the slots, without those of the stretch before.
    words: Range<usize>,
}

impl Grid {
    /// True if stretches can be sorted: all loose cells are stored at any time, because the elements of
    /// the world, of which a rank has some, are at least half as many. Spare capacity, with which a
    /// world may be stored as well, makes no difference.
    pub(crate) fn has_stretches(&self, elements: usize) -> bool {
        let [cols, rows] = self.loose_cells();
        let enough = self.config.cells.min(2 * elements) as u64;
        self.loose.pages.full().is_some() && Pages::cells_at_most(cols, rows) <= enough
    }

    /// The stretch of a band with these rows.
    pub(crate) fn stretch(&self, band: &Range<u32>) -> Stretch {
        let rows = band.start..(band.end + 1).min(self.loose.layout.rows());
        Stretch {
            slots: self.row_slots(rows.start).start..self.row_slots(rows.end - 1).end,
            window: self.row_slots(rows.start.saturating_sub(1)).start,
            words: 0..0,
            rows,
        }
    }

    /// The first half of a sort of some stretches, which ascend and share no row: assigns homes to their
    /// elements. Returns the index of the element that belongs in each slot, counted from the first slot
    /// of the stretch. Gather the elements of the stretches by it, then call [`Self::set_sorted_stretches`];
    /// until then, searches return meaningless results.
    ///
    /// # Panics
    /// If the elements do not lie in cell order, or some cells are not stored.
    pub(crate) fn sort_stretches<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        stretches: &mut [Stretch],
    ) -> &[u32] {
        assert!(self.loose.sorted && !self.edited, "the elements must lie in cell order");
        let simd = self.simd;
        let LooseGrid { layout, pages, starts, items, home, .. } = &mut self.loose;
        let width = pages.full().expect("all cells are stored") as usize;
        let cell = |row: u32| 1 + row as usize * width;
        if let Some(Stretch { rows, slots, .. }) = stretches.first() {
            let parts = (
                &mut starts[cell(rows.start)..],
                (&mut items[slots.start..], &mut home[slots.start..]),
            );
            parallel::parts(
                stretches,
                parts,
                &|(starts, by_slot), lower, upper| {
                    let cells = cell(upper.rows.start) - cell(lower.rows.start);
                    let (starts, starts2) = starts.split_at_mut(cells);
                    let slots = upper.slots.start - lower.slots.start;
                    let (by_slot, by_slot2) = by_slot.split_at(slots);
                    ((starts, by_slot), (starts2, by_slot2))
                },
                &|Stretch { rows, slots, .. }, (starts, (order, home))| {
                    simd.run(SortStretch {
                        layout,
                        width,
                        elements,
                        rows: rows.clone(),
                        slots: slots.clone(),
                        starts: &mut starts[..rows.len() * width],
                        order: &mut order[..slots.len()],
                        home: &mut home[..slots.len()],
                    });
                },
            );
        }
        items
    }

    /// The second half: the elements of the stretches now lie in that order. Returns the number of
    /// outliers, for [`Self::list_outliers`].
    pub(crate) fn set_sorted_stretches<E: Elements + ?Sized>(
        &mut self,
        elements: &E,
        stretches: &mut [Stretch],
    ) -> usize {
        self.loose.pack_windows_of(stretches, self.simd);
        self.scan_stretches(elements, stretches);
        self.outliers.recount(elements.len())
    }

    /// Records which elements of the stretches are outliers.
    fn scan_stretches<E: Elements + ?Sized>(&mut self, elements: &E, stretches: &mut [Stretch]) {
        const WORD: usize = OutlierScan::WORD;
        let mut end = 0;
        for Stretch { slots, words, .. } in &mut *stretches {
            let first = (slots.start / WORD).max(end);
            end = slots.end.div_ceil(WORD).max(first);
            *words = first..end;
        }
        let simd = self.simd;
        let scan = self.outlier_scan(elements.len());
        let Some(first) = stretches.first().map(|stretch| stretch.words.start) else { return };
        let (_, scan) = scan.split_at(first * WORD);
        parallel::parts(
            stretches,
            scan,
            &|scan, lower, upper| scan.split_at((upper.words.start - lower.words.start) * WORD),
            &|Stretch { words, .. }, scan| {
                let (scan, _) = scan.split_at(words.len() * WORD);
                simd.run(ScanPiece { scan, elements, first: words.start * WORD });
            },
        );
    }
}

impl LooseGrid {
    /// Computes the windows of the slots of some stretches, and of those with windows that reach there.
    fn pack_windows_of(&mut self, stretches: &mut [Stretch], simd: SimdLevel) {
        let mut windows = std::mem::take(&mut self.items);
        if let Some(first) = stretches.first() {
            parallel::parts(
                stretches,
                &mut windows[first.window..],
                &|windows, lower, upper| windows.split_at_mut(upper.window - lower.window),
                &|Stretch { window, slots, .. }, windows: &mut [u32]| {
                    let windows = &mut windows[..slots.end - *window];
                    simd.run(PackPiece { loose: self, first: *window, windows });
                },
            );
        }
        self.items = windows;
    }
}

/// Sorts the elements of a stretch into its cells.
struct SortStretch<'a, E: ?Sized> {
    layout: &'a CellLayout,
    /// Stored cells per row.
    width: usize,
    elements: &'a E,
    rows: Range<u32>,
    slots: Range<usize>,
    starts: &'a mut [u32],
    /// The windows of the slots until then, which are computed anew.
    order: &'a mut [u32],
    /// The former homes, which are not needed any more.
    home: &'a mut [u32],
}

impl<E: Elements + ?Sized> Kernel for SortStretch<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { layout, width, elements, rows, slots, starts, order, home } = self;
        let (low, high) = (rows.start, rows.end - 1);
        for (home, (center, _)) in home.iter_mut().zip(elements.extents(slots.clone())) {
            let [col, row] = split(layout.home(center));
            *home = row.clamp(low, high) << 16 | col;
        }
        let cell = |home| {
            let [col, row] = split(home);
            (row - low) as usize * width + col as usize
        };
        starts.fill(0);
        for &home in &*home {
            starts[cell(home)] += 1;
        }
        let mut total = slots.start as u32;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        for (element, &home) in home.iter().enumerate().rev() {
            let start = &mut starts[cell(home)];
            *start -= 1;
            order[*start as usize - slots.start] = element as u32;
        }
        // The homes of the slots follow from the offsets of the cells.
        let mut end = home.len();
        for (row, starts) in rows.clone().zip(starts.chunks_exact(width)).rev() {
            for (col, &start) in starts.iter().enumerate().rev() {
                let start = start as usize - slots.start;
                home[start..end].fill(row << 16 | col as u32);
                end = start;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::{
        geometry::{Disc, Rect},
        grid::GridConfig,
        rng::Rng,
    };

    /// Sorts every second band of discs that have moved, from the first or the second on.
    fn sort_every_second(grid: &mut Grid, discs: &mut [Disc], parity: usize) {
        grid.record_outliers(&*discs);
        let bands: Vec<_> = grid.bands().skip(parity).step_by(2).collect();
        let mut stretches: Vec<_> = bands.iter().map(|rows| grid.stretch(rows)).collect();
        let order = grid.sort_stretches(&*discs, &mut stretches);
        for Stretch { slots, .. } in &stretches {
            let own = discs[slots.clone()].to_vec();
            for (disc, &from) in discs[slots.clone()].iter_mut().zip(&order[slots.clone()]) {
                *disc = own[from as usize];
            }
        }
        let outliers = grid.set_sorted_stretches(&*discs, &mut stretches);
        grid.list_outliers(&*discs, outliers).unwrap();
    }

    #[test]
    fn stretches_are_sorted_as_all_elements_are() {
        for (count, width, height) in [(4_000, 150.0, 150.0), (900, 20.0, 300.0), (7, 5.0, 90.0)] {
            let world = Rect::from_size(width, height);
            let mut rng = Rng::new(count as u64);
            let mut at = |size: f32| rng.unit() * size;
            let disc = |x, y| Disc::new(Vec2::new(x, y), 0.3);
            let mut discs: Vec<_> = (0..count).map(|_| disc(at(width), at(height))).collect();
            let mut grid = Grid::new(GridConfig::new(world, 1.0, count)).unwrap();
            grid.loose.pages.mark_all();
            grid.loose.pages.lay_out().unwrap();
            let order = grid.sort(&discs).unwrap();
            discs = order.iter().map(|&from| discs[from as usize]).collect();
            grid.set_sorted(&discs).unwrap();
            for round in 0..20 {
                for disc in &mut discs {
                    let moved = disc.center + Vec2::new(at(1.4) - 0.7, at(1.4) - 0.7);
                    disc.center = moved.clamp(world.min, world.max);
                }
                sort_every_second(&mut grid, &mut discs, round % 2);
                grid.validate(&discs).unwrap();
                assert!(grid.homes().is_sorted());
            }
            // Those that have moved far come back row by row.
            for round in 0..200 {
                sort_every_second(&mut grid, &mut discs, round % 2);
            }
            grid.validate(&discs).unwrap();
            assert_eq!(grid.outlier_count(), 0);
            let mut whole = grid.clone();
            let order = whole.sort(&discs).unwrap();
            assert!(order.iter().copied().eq(0..count as u32), "a sort of all moves none");
            assert_eq!(&whole.loose.home[..count], grid.homes());
        }
    }
}
